"""Messages in the words of the command: options instead of parameters and classes."""

import inspect
import re

_PARAMETER = re.compile(r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.(.*)", re.S)
_OPTIONS = {
    "n_jobs": "jobs",
    "random_state": "seed",
    "max_features_per_split": "features",
    "max_terms": "terms",
}
"""Options whose names are not those of the parameters."""
_PHRASES = (
    (r"(?<=leave it out) for the default, [^.]*(?:\.\d+)?(?=\.$)", ""),
    (r"\ban? float\b", "a number"),
    (r"\ban? int\b", "a whole number"),
    (r"\ba str among \{(.*?)\}", lambda found: f"one of {', '.join(sorted(found[1].split(', ')))}"),
    (r"in the range \[(-?[\d.]+), inf\)", r"of at least \1"),
    (r"in the range \((-?[\d.]+), inf\)", r"above \1"),
    (r"in the range \[(-?[\d.]+), (-?[\d.]+)\]", r"from \1 to \2"),
    (r"in the range \[(-?[\d.]+), (-?[\d.]+)\)", r"of at least \1 and below \2"),
    (r"in the range \((-?[\d.]+), (-?[\d.]+)\)", r"above \1 and below \2"),
    (r"\b(\d+)\.0\b(?!%)", r"\1"),
    (r", an instance of '[\w.]*RandomState'", ""),
    (r",? or None\b(?: for all [a-z]+)?", ""),
    (r"feature_groups\b(?!=)", "categories of one column as a group"),
    (r"let MOCTSVMClassifierCV choose them", "leave them out, so that they are chosen"),
    (r"fit a MOCTSVMClassifier with fixed parameters", "choose nothing, with --fixed"),
    (r"[Uu]se MOCTSVMClassifier", "Use 'margintree fit'"),
    (
        r"a callable, or a name that sklearn.metrics.get_scorer_names\(\) lists",
        "or another scorer of scikit-learn",
    ),
    (r"^(checkpoint|certificate|class_weight|dialect|scoring|solver)\b", r"--\1"),
    (r"Leave the (checkpoint|certificate) out", r"Leave --\1 out"),
    (r"^points and rounding need\b(.*)Leave them out", r"--points needs\1Leave it out"),
    (r"\b(method|norm|solver|space)='([\w-]+)' or '([\w-]+)'", r"--\1 \2 or \3"),
    (r"\b(method|norm|solver|space)='([\w-]+)'", r"--\1 \2"),
    (r"\b([a-z]+_[a-z_]+)=", lambda found: f"{option(found[1])} "),
    (rf"(?<!-)\b({'|'.join(_OPTIONS)})\b", lambda found: option(found[1])),
    (r"--\w+(?=[ .,])", lambda found: found[0].replace("_", "-")),
)


def option(name: str) -> str:
    """Return the option of a parameter.

    Examples
    --------
    >>> option("time_limit"), option("n_jobs")
    ('--time-limit', '--jobs')
    """
    return f"--{_OPTIONS.get(name, name).replace('_', '-')}"


def in_options(message: str) -> str:
    """Return a message of the package in the words of the command.

    Examples
    --------
    >>> in_options(
    ...     "The 'c1' parameter of X must be a float in the range [0, inf). Got -3 instead. Give "
    ...     "another value, or leave it out for the default, 10."
    ... )
    '--c1 must be a number of at least 0; -3 was given. Give another value, or leave it out.'
    >>> in_options("Set max_depth=4 or more.")
    'Set --max-depth 4 or more.'
    """
    match = _PARAMETER.fullmatch(message)
    if match:
        name, allowed, given, remedy = match.groups()
        message = f"{option(name)} must be {allowed}; {given} was given.{remedy}"
    for pattern, words in _PHRASES:
        message = re.sub(pattern, words, message)
    return message


def paragraphs(docstring: str) -> str:
    r"""Return a docstring with every paragraph in one line, so that help can fill its own lines.

    Examples
    --------
    >>> paragraphs("Do this\nand that.\n\nThen stop.")
    'Do this and that.\n\nThen stop.'
    """
    blocks = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(block.split("\n")) for block in blocks)
