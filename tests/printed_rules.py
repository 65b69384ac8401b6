"""Printed rules, read back as a person follows them."""

import re
from dataclasses import dataclass

LINE = re.compile(r"^(?:[│ ]{4})*(?:[├└]── (yes|no): )?\[(\d+)\] (.*)$")


@dataclass(frozen=True)
class Rule:
    """A node of the printed tree: its text, and the nodes after "no" and "yes" if it asks."""

    text: str
    children: dict[str, int]

    def holds(self, values):
        """Return whether the sum of the terms reaches the threshold; values are given by name."""
        left, relation, right = re.fullmatch(r"(.*?)\s?([<>])= (\S+) \?", self.text).groups()
        total = 0.0
        for sign, name, size in re.findall(r"([-+]?) ?([^\W\d]\S*)(?: \* (\S+))?", left):
            total += float(f"{sign}{size or 1}") * values[name]
        return total >= float(right) if relation == ">" else total <= float(right)


def read_rules(text):
    """Return the printed nodes by number. The root is the first one."""
    rules, above = {}, []
    for line in text.split("\n"):
        match = LINE.match(line)
        if match is None:
            # A line that goes on: it has no number.
            last = next(reversed(rules.values()))
            rules[next(reversed(rules))] = Rule(f"{last.text} {line.lstrip('│ ')}", last.children)
            continue
        answer, node, words = match[1], int(match[2]), match[3]
        level = (match.start(2) - (len(answer) + 3 if answer else 1)) // 4
        above[level:] = [node]
        if answer:
            rules[above[level - 1]].children[answer] = node
        rules[node] = Rule(words, {})
    return rules


def follow(rules, answer):
    """Return the leaf, given a function that answers with a rule and its node."""
    node = next(iter(rules))
    while rules[node].children:
        node = rules[node].children["yes" if answer(rules[node], node) else "no"]
    return node
