"""What a message about bad input must say, and what it must not."""

import re
from pathlib import Path

import margintree

SOURCE = Path(margintree.__file__).parent
DOCUMENTED = {*margintree.__all__, "TableClassifier"}
INTERNAL = {
    name
    for path in SOURCE.rglob("*.py")
    for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.M)
    if re.search(r"[a-z][A-Z]", name) or name.startswith("_")
} - DOCUMENTED
"""The classes that users do not know, by names that are no common words."""
INSIDES = r"Traceback|Errno|object at 0x|margintree\.[a-z_]+\.[a-z_]|sklearn\.\w+\._|<class "
CLASSES = rf"\b({'|'.join(name for name in DOCUMENTED if re.search('[a-z][A-Z]', name))})\b"
ARGUMENTS = r"\b[a-z]+_[a-z_]+=|\b[a-z]+='"
PYTHON_WORDS = rf"{CLASSES}|\bstr among|\binstance of|{ARGUMENTS}|\bNone\b|\bdict\b"


def faults(message, what, allowed, given, remedy):
    """Return what is wrong with a message.

    It must contain the words for what is wrong, what is allowed (a pattern), the given value (None
    if nothing was given) and what to do (a pattern), each in words of its own; nothing of our
    insides, and it ends a sentence.
    """
    parts = {
        "what is wrong": re.escape(what),
        "what is allowed": allowed,
        "what was given": "" if given is None else re.escape(str(given)),
        "what to do": remedy,
    }
    missing = [part for part, pattern in parts.items() if not re.search(pattern, message)]
    if not missing and not have_own_words([*parts.values()], message):
        missing = ["words of its own for every part"]
    if message.rstrip()[-1] not in ".?)":
        missing.append("the end of a sentence")
    inside = [name for name in INTERNAL if re.search(rf"\b{name}\b", message)]
    inside += [found[0] for found in re.finditer(INSIDES, message)]
    return [f"lacks {part}" for part in missing] + [f"names {name}" for name in inside]


def have_own_words(patterns, message, taken=()):
    """Tell whether all the patterns can be found in places that do not overlap."""
    if not patterns:
        return True
    return any(
        have_own_words(patterns[1:], message, (*taken, found.span()))
        for found in re.finditer(patterns[0], message)
        if all(found.end() <= start or end <= found.start() for start, end in taken)
    )
