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
PYTHON_WORDS = rf"{CLASSES}|\bstr among|\binstance of|\b[a-z]+_[a-z_]+=|\bNone\b|\bdict\b"


def faults(message, what, given, advice):
    """Return what is wrong with a message.

    It must contain the words for what is wrong, the given value (None if nothing was given) and,
    as a pattern, what is allowed or what to do; nothing of our insides, and it ends a sentence.
    """
    missing = {
        "what is wrong": what not in message,
        "what was given": given is not None and str(given) not in message,
        "what is allowed or what to do": not re.search(advice, message),
        "the end of a sentence": message.rstrip()[-1] not in ".?)",
    }
    inside = [name for name in INTERNAL if re.search(rf"\b{name}\b", message)]
    inside += [found[0] for found in re.finditer(INSIDES, message)]
    return [f"lacks {part}" for part, lacks in missing.items() if lacks] + [
        f"names {name}" for name in inside
    ]
