"""The cost of a tree: terms that add up, and broken rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, repr=False)
class Cost:
    """The cost of a tree as its judge computes it.

    Every term is also an attribute: ``cost.errors`` is ``cost.terms["errors"]``.

    Attributes
    ----------
    terms : mapping of str to float
        The cost by term; each judge has its own terms.
    faults : mapping of str to int
        How often the tree breaks each active rule. A tree with faults is never returned.

    Examples
    --------
    >>> cost = Cost({"errors": 2.0, "splits": 0.5}, {"ties": 1})
    >>> cost
    Cost(errors=2.0, splits=0.5, faults={'ties': 1})
    >>> cost.total, cost.errors, cost.is_allowed
    (2.5, 2.0, False)
    """

    terms: Mapping[str, float]
    faults: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return float(sum(self.terms.values()))

    @property
    def is_allowed(self) -> bool:
        """Whether the tree keeps all rules."""
        return not any(self.faults.values())

    def __getattr__(self, name: str) -> float:
        # Called for unknown attributes only, also while an instance is being unpickled.
        terms = self.__dict__.get("terms", {})
        if name not in terms:
            raise AttributeError(f"This cost has the terms {', '.join(terms)}; there is no {name}.")
        return float(terms[name])

    def __repr__(self) -> str:
        parts = [f"{name}={value!r}" for name, value in self.terms.items()]
        broken = {name: count for name, count in self.faults.items() if count}
        return f"Cost({', '.join(parts + [f'faults={broken}'] * bool(broken))})"
