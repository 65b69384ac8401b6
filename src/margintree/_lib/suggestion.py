"""Suggestions for mistyped names."""

import difflib
from collections.abc import Iterable

LEAST_BEGINNING = 3
"""Least length of a word that is taken for the beginning of a name."""


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """Return a question that names the most similar of the known names, or "" if none is.

    Examples
    --------
    >>> did_you_mean("specie", ["species", "height"])
    "Did you mean 'species'? "
    >>> did_you_mean("age", ["species", "height"])
    ''
    >>> did_you_mean("acc", ["jaccard", "accuracy"])
    "Did you mean 'accuracy'? "
    """
    text, names = str(given), [str(name) for name in known]
    longer = [name for name in names if len(text) >= LEAST_BEGINNING and name.startswith(text)]
    similar = longer or difflib.get_close_matches(text, names, n=1)
    return f"Did you mean {similar[0]!r}? " if similar else ""
