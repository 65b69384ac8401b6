"""The open nodes of a proof as plain data, so that a later run of the same proof goes on there."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margintree._lib.arrays import IntArray
from margintree.core.problem import Problem
from margintree.exact.proofs.dive import OpenNode
from margintree.exact.proofs.skeletons import Shape, Skeleton


@dataclass(frozen=True)
class OpenSearch:
    """What is left to do of a proof.

    Attributes
    ----------
    nodes : sequence of OpenNode
        Every tree fits one of these nodes or costs at least ``floor``.
    floor : float
        Lower bound on the cost of all trees in closed nodes.
    gap : float
        The gap down to which nodes were closed. A proof with a smaller gap has to begin anew.
    """

    nodes: Sequence[OpenNode]
    floor: float
    gap: float

    def to_dict(self, problem: Problem) -> dict[str, Any]:
        """Return it as plain data."""
        shapes = list(dict.fromkeys(node.skeleton.shape for node in self.nodes))
        number = {shape: k for k, shape in enumerate(shapes)}
        # Every number of a node fits a byte, since trees have few levels.
        places = np.ones((len(self.nodes), problem.n_rows), dtype=np.int8)
        for row, node in zip(places, self.nodes, strict=True):
            row[:] = 1 if node.places is None else node.places
        return {
            "floor": self.floor,
            "gap": self.gap,
            "shapes": shapes,
            "skeletons": [number[node.skeleton.shape] for node in self.nodes],
            "bounds": [node.bound for node in self.nodes],
            "shares": [node.share for node in self.nodes],
            "places": base64.b64encode(zlib.compress(places.tobytes(), 1)).decode(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], problem: Problem) -> "OpenSearch":
        """Return the search of plain data; raise ValueError, LookupError or TypeError if damaged.

        Shares are those of what is left.
        """
        skeletons = [
            Skeleton(_shape(shape, problem.depth, problem.n_classes), problem.depth)
            for shape in data["shapes"]
        ]
        raw = zlib.decompress(base64.b64decode(data["places"], validate=True))
        places: Any = np.frombuffer(raw, dtype=np.int8).reshape(-1, problem.n_rows)
        bounds, shares = (np.array(data[name], dtype=float) for name in ("bounds", "shares"))
        total = float(shares.sum())
        nodes = []
        for k, (which, row) in enumerate(zip(data["skeletons"], places, strict=True)):
            skeleton = skeletons[which]
            _check_places(skeleton, row)
            order = (skeleton.n_splits, k)
            given = None if (row == 1).all() else row.astype(np.int16)
            share = shares[k] / total if total > 0 else 0.0
            nodes.append(OpenNode(float(bounds[k]), order, skeleton, given, float(share)))
        if len(nodes) != len(bounds) or not (np.isfinite(bounds).all() and (shares >= 0).all()):
            raise ValueError("the open nodes do not fit together")
        return cls(nodes, float(data["floor"]), float(data["gap"]))


def _shape(given: Any, depth: int, n_classes: int) -> Shape:
    """Return a shape from nested lists, checked."""
    if isinstance(given, int) and 0 < given < 1 << n_classes and given.bit_count() <= 2**depth:
        return given
    if isinstance(given, list | tuple) and len(given) == 2 and depth > 0:
        left, right = (_shape(side, depth - 1, n_classes) for side in given)
        return left, right
    raise ValueError(f"{given!r:.40} is no shape of a tree")


def _check_places(skeleton: Skeleton, places: IntArray) -> None:
    """Raise ValueError unless every row is at a node of the skeleton."""
    _, classes, _ = skeleton.arrays()
    if places.min() < 1 or places.max() >= len(classes) or (classes[places] == 0).any():
        raise ValueError("a row is at no node of its tree")
