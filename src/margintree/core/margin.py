"""The margin term: the price of a hyperplane by the norm of its normal vector."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

MarginTerm = Literal["squared", "plain"]


@dataclass(frozen=True)
class Margin:
    """The margin term of a tree as a function of the largest norm of its splits."""

    price: Callable[[Any], Any]  # of a norm, or of an array of norms; convex and increasing
    norm_at: Callable[[float], float]  # the largest norm whose margin term is at most a price


MARGINS: dict[str, Margin] = {
    "squared": Margin(lambda norm: norm**2 / 2, lambda price: float(np.sqrt(2 * price))),
    "plain": Margin(lambda norm: norm / 2, lambda price: 2 * price),
}
"""The margin terms by name: half the squared norm, as in the SVM, or half the norm.

A new margin term also needs a slope in the kernel `scale_slope`, a rule for the shares of splits in
`share_again`, and a cone in each solver."""
