"""Messages in the words of the command: options instead of parameters and classes."""

import inspect
import re

_PARAMETER = re.compile(
    r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.", re.DOTALL
)
_OPTIONS = {"n_jobs": "jobs", "random_state": "seed"}
"""Options whose names are not those of the parameters."""
_PHRASES = (
    (r"\ban? float\b", "a number"),
    (r"\ban? int\b", "a whole number"),
    (r"in the range \[(-?[\d.]+), inf\)", r"of at least \1"),
    (r"in the range \((-?[\d.]+), inf\)", r"above \1"),
    (r"in the range [\[(](-?[\d.]+), (-?[\d.]+)[\])]", r"from \1 to \2"),
    (r"\b(\d+)\.0\b", r"\1"),
    (r",? or None\b", ""),
    (r"let MOCTSVMClassifierCV choose them", "leave out --fixed, so that they are chosen"),
    (r"let the classifiers ending in CV choose them", "leave out --fixed, so that they are chosen"),
    (r"fit a MOCTSVMClassifier with fixed parameters", "choose nothing, with --fixed"),
    (r"[Uu]se MOCTSVMClassifier", "Use 'margintree fit'"),
    (r"\bfit one of MOCTSVMClassifier\b", "use --fixed"),
    (
        r"\b(max_depth|max_splits|min_samples_leaf|routing_margin|time_limit|memory_limit)=",
        r"--\1 ",
    ),
    (r"\bmethod='(\w+)'", r"--method \1"),
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
    >>> in_options("The 'c1' parameter of X must be a float in the range [0.0, inf). Got -3 instead.")
    '--c1 must be a number of at least 0; -3 was given. Give another value.'
    >>> in_options("Set max_depth=4 or more.")
    'Set --max-depth 4 or more.'
    """
    match = _PARAMETER.fullmatch(message)
    if match:
        message = (
            f"{option(match[1])} must be {match[2]}; {match[3]} was given. Give another value."
        )
    for pattern, words in _PHRASES:
        message = re.sub(pattern, words, message)
    return re.sub(r"--\w+(?=[ .,])", lambda found: found[0].replace("_", "-"), message)


def paragraphs(docstring: str) -> str:
    """Return a docstring with every paragraph in one line, so that help can fill its own lines.

    Examples
    --------
    >>> paragraphs("Do this\\nand that.\\n\\nThen stop.")
    'Do this and that.\\n\\nThen stop.'
    """
    blocks = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(block.split("\n")) for block in blocks)
