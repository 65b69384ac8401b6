"""Options of ``margintree fit`` and ``demo``, in the groups of their help.

Each has the name of the parameter that it sets, and its default is that of the classifier.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from margintree._lib.suggestion import did_you_mean

CHOSEN = "chosen"
"""Shown as the default of options that cross-validation chooses."""
TREE, CHOICE, PROOF, LIMITS = "Tree", "Choice", "Proof", "Limits"
"""The groups."""


def number(text: str) -> float:
    """Return a number from the command line.

    Examples
    --------
    >>> number("0.5")
    0.5
    """
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"a number is needed; {text!r} was given. Correct it.") from None


def whole_number(text: str) -> int:
    """Return a whole number from the command line.

    Examples
    --------
    >>> whole_number("10")
    10
    """
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(
            f"a whole number is needed; {text!r} was given. Correct it."
        ) from None


def whole(help_text: str, default: str | bool, *names: str, group: str | None = None) -> Any:
    """Return an option for a whole number."""
    return typer.Option(
        *names,
        help=help_text,
        show_default=default,
        rich_help_panel=group,
        parser=whole_number,
        metavar="<int>",
    )


def real(help_text: str, default: str | bool, *names: str, group: str | None = None) -> Any:
    """Return an option for a number."""
    return typer.Option(
        *names,
        help=help_text,
        show_default=default,
        rich_help_panel=group,
        parser=number,
        metavar="<float>",
    )


def choice(words: type[StrEnum], help_text: str, *names: str) -> Any:
    """Return an option for one of a few words."""

    def chosen(text: str) -> StrEnum:
        try:
            return words(text)
        except ValueError:
            raise typer.BadParameter(
                f"one of {', '.join(words)} is needed; {text!r} was given. "
                f"{did_you_mean(text, words)}Choose one of them."
            ) from None

    return typer.Option(
        *names,
        help=help_text,
        parser=chosen,
        metavar=f"<{names[0].strip('-')}>",
        autocompletion=lambda: [*words],
    )


def _other(help_text: str, default: str, *names: str, group: str) -> Any:
    """Return an option for a text or a path."""
    return typer.Option(*names, help=help_text, show_default=default, rich_help_panel=group)


MaxDepth = Annotated[int | None, whole("Levels of splits, 1 to 10.", CHOSEN, group=TREE)]
C1 = Annotated[float | None, real("Cost of a misclassified row.", CHOSEN, "--c1", group=TREE)]
C2 = Annotated[float | None, real("Cost of margin violation.", CHOSEN, "--c2", group=TREE)]
C3 = Annotated[float | None, real("Cost of a split.", CHOSEN, "--c3", group=TREE)]
Features = Annotated[
    int | None, whole("Largest number of features in a split.", "all", "--features", group=TREE)
]
Points = Annotated[
    int | None,
    whole(
        "Score card: give every feature of a split a whole number of points, at most this many, "
        "such as 10. Points are for 1, 10, 100 or the like of a feature, so 'age * 0.9' is 9 "
        "points for 10 years.",
        "not rounded",
        group=TREE,
    ),
]
ClassWeight = Annotated[
    str | None,
    _other(
        "'balanced' makes all classes weigh the same; or factors, such as 'ill=5,well=1'.",
        "none",
        group=TREE,
    ),
]
Fixed = Annotated[
    bool,
    typer.Option(
        "--fixed",
        help="Do not choose: depth 3 and costs 10, 1, 10 unless given.",
        rich_help_panel=CHOICE,
    ),
]
ScoringName = Annotated[
    str | None,
    _other(
        "Score that the choice compares: accuracy, balanced_accuracy, f1_macro, neg_log_loss or "
        "any other scorer of scikit-learn.",
        "accuracy",
        "--scoring",
        group=CHOICE,
    ),
]
Way = Annotated[
    str | None,
    _other("'search' is fast; 'exact' proves a tree optimal.", "search", "--method", group=PROOF),
]
SolverName = Annotated[
    str | None,
    _other("Solver for 'exact'; see 'margintree solvers'.", "auto", "--solver", group=PROOF),
]
Gap = Annotated[float | None, real("Relative gap that counts as proof.", "0.0001", group=PROOF)]
RoutingMargin = Annotated[
    float | None,
    real("Least distance from 0 of training rows in a split.", "0.001", group=PROOF),
]
MarginTermName = Annotated[
    str | None,
    _other(
        "Half the squared norm ('squared') or half the norm ('plain').",
        "squared",
        "--margin-term",
        group=PROOF,
    ),
]
Norm = Annotated[
    str | None,
    _other(
        "The norm of the margin: 'l2' (Euclidean), 'l1' (few features) or 'linf'.",
        "l2",
        group=PROOF,
    ),
]
SpaceName = Annotated[
    str | None,
    _other(
        "Kind of splits: 'box' (sums of columns), 'quadratic' (also of products of columns), "
        "'whitened' (sums of columns with another margin), 'whitened-quadratic', or the kernels "
        "'rbf' and 'polynomial', whose splits cannot be written as sums. A choice with nothing "
        "given also tries 'quadratic'.",
        "box",
        "--space",
        group=TREE,
    ),
]
CheckpointFile = Annotated[
    Path | None,
    _other(
        "With 'exact': file for the best tree and bound so far. If the command stops for any "
        "reason, the same command continues from it. Delete the file when you are done.",
        "none",
        "--checkpoint",
        group=PROOF,
    ),
]
CertificateFile = Annotated[
    Path | None,
    _other(
        "With 'exact': file for a certificate of the bound, which 'margintree verify' checks.",
        "none",
        "--certificate",
        group=PROOF,
    ),
]
TimeLimit = Annotated[
    float | None,
    real("Seconds for choice and fit together.", "120.0; 60.0 if fixed", group=LIMITS),
]
MemoryLimit = Annotated[
    float | None,
    real("GiB of memory. The fit ends early when it reaches the limit.", "none", group=LIMITS),
]
Seed = Annotated[int | None, whole("Seed of the search.", "0", "--seed", group=LIMITS)]
Jobs = Annotated[int | None, whole("Cores to use; -1 for all.", "1", "--jobs", "-j", group=LIMITS)]
