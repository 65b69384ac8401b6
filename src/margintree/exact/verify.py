"""Checks a certificate of a lower bound, with plain NumPy and nothing of the engine.

What is checked, for a claimed bound B:

1. *Shapes.* Every set of classes that the leaves of a tree may name either costs B for the rows of
   the classes it leaves out and for its splits, or has a shape in the certificate. Where a set of
   classes below a node (a bag) is refined, there is a shape for every way to divide it between two
   subtrees. Trees that differ by flips (negate a hyperplane, swap its subtrees) cost the same, so
   one of them is enough; so is a leaf instead of a split above two leaves of one class.
2. *Decisions.* Where a row is decided, every leaf below its node is below one of its ways on. Only
   a mirror image may be missing: where the subtrees of a split are equal and no row has passed it.
3. *Closed nodes.* Each costs at least B, see `_Claim`, or leaves too little weight for the leaves
   that need a least weight.

Sums are computed in floating point. Every bound is lowered by `ROUNDING` times the sum of the
absolute values of its terms, which is far more than sums of a few thousand terms can err.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.problem import Problem
from margintree.exact.certificate import CLOSED, Certificate

ROUNDING = 1e-11
"""Share of the absolute values of all terms by which a bound is lowered."""
FIRST_CELLS = 32
"""Intervals of norms at which a closed node is looked at first."""
HALVINGS = 30
"""How often an interval is halved before its node counts as open."""

MANY_CELLS = 4096
"""Intervals at once after which a node counts as open."""

Shape: TypeAlias = "int | tuple[Shape, Shape]"


class Refused(Exception):  # noqa: N818 - an answer, not an error of the program
    """The certificate does not prove its bound; the message says where it fails."""


def verify(certificate: Certificate, problem: Problem) -> None:
    """Raise `Refused` unless the certificate proves that no tree costs less than its bound."""
    try:
        _Verifier(certificate, problem).run()
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise Refused(f"its parts do not fit together ({error!r:.100})") from error


def _bits(classes: int) -> list[int]:
    return [k for k in range(classes.bit_length()) if classes >> k & 1]


def _classes(shape: Shape) -> int:
    return shape if isinstance(shape, int) else _classes(shape[0]) | _classes(shape[1])


def _read_shape(data: Any) -> Shape:
    if isinstance(data, int) and data > 0:
        return data
    if isinstance(data, list | tuple) and len(data) == 2:
        return _read_shape(data[0]), _read_shape(data[1])
    raise Refused(f"{data!r:.50} is no shape")


def _unflipped(shape: Shape) -> Shape:
    """Return a form that shapes have in common if they differ by flips."""
    if isinstance(shape, int):
        return shape
    one, other = sorted(map(_unflipped, shape), key=repr)
    return one, other


def _divisions(bag: int, height: int) -> Iterator[Shape]:
    """Yield the pairs of bags, up to flips, that divide a bag; no two equal leaves."""
    parts = [part for part in range(1, bag + 1) if part & bag == part]
    parts = [part for part in parts if part.bit_count() <= 2 ** (height - 1)]
    for k, one in enumerate(parts):
        for other in parts[k:]:
            is_idle = one == other and one.bit_count() == 1
            if one | other == bag and not is_idle:
                yield one, other


def _refinements(shape: Shape, height: int) -> Iterator[list[Shape]]:
    """Yield lists of shapes; each list stands for the shape, with one of its bags divided."""
    if isinstance(shape, int):
        if shape.bit_count() > 1:
            yield list(_divisions(shape, height))
        return
    one, other = shape
    if one == other and isinstance(one, int) and one.bit_count() > 1:
        below = list(_divisions(one, height - 1))
        yield [(a, b) for k, a in enumerate(below) for b in below[k:]]
    for found in _refinements(one, height - 1):
        yield [(below, other) for below in found]
    for found in _refinements(other, height - 1):
        yield [(one, below) for below in found]


def _filled(shape: Shape, height: int) -> Shape:
    """Return the shape in which bags of two classes with one level left are two leaves."""
    if isinstance(shape, tuple):
        return _filled(shape[0], height - 1), _filled(shape[1], height - 1)
    low = shape & -shape
    return (low, shape ^ low) if height == 1 and shape.bit_count() == 2 else shape


@dataclass(frozen=True)
class _Outline:
    """A shape by the nodes of the tree: the root is 1, the children of t are 2t and 2t + 1."""

    shape: Shape

    @cached_property
    def nodes(self) -> dict[int, Shape]:
        """The shape below every node."""
        found, waiting = {}, [(1, self.shape)]
        while waiting:
            node, shape = waiting.pop()
            found[node] = shape
            if isinstance(shape, tuple):
                waiting += [(2 * node, shape[0]), (2 * node + 1, shape[1])]
        return found

    @cached_property
    def least_splits(self) -> int:
        """The least number of splits: a bag of m classes needs m - 1."""
        ends = [shape for shape in self.nodes.values() if isinstance(shape, int)]
        return len(self.nodes) - len(ends) + sum(bag.bit_count() - 1 for bag in ends)

    def ends_below(self, node: int) -> list[int]:
        """Return the leaves and bags at or below a node."""
        if not isinstance(self.nodes[node], tuple):
            return [node]
        return self.ends_below(2 * node) + self.ends_below(2 * node + 1)

    def is_twin(self, node: int) -> bool:
        """Tell whether the two subtrees of a split are equal."""
        shape = self.nodes[node]
        return isinstance(shape, tuple) and _unflipped(shape[0]) == _unflipped(shape[1])


class _Verifier:
    def __init__(self, certificate: Certificate, problem: Problem) -> None:
        self.certificate, self.problem, self.bound = certificate, problem, certificate.bound
        self.rows = problem.X - problem.X.mean(axis=0)
        self.radius = float(np.sqrt((self.rows**2).sum(axis=1)).max())
        self.pull = problem.costs.violations * problem.row_weights
        self.cheapest: dict[int, FloatArray] = {}
        self.n_closed = 0

    def least(self, classes: int) -> FloatArray:
        """Return what every row pays at least if it is called one of the classes."""
        if classes not in self.cheapest:
            self.cheapest[classes] = self.problem.error_prices[:, _bits(classes)].min(axis=1)
        return self.cheapest[classes]

    def run(self) -> None:
        if not np.isfinite(self.bound):
            raise Refused("the bound is no number")
        roots = {}
        for entry in self.certificate.forest:
            shape = _read_shape(entry.get("shape"))
            roots[_classes(shape)] = (shape, entry)
        for classes in self.sets_of_classes():
            if classes not in roots:
                raise Refused(f"trees that name the classes {_bits(classes)} are left out")
            shape, _ = roots[classes]
            if _unflipped(shape) != _unflipped(_filled(classes, self.problem.depth)):
                raise Refused(f"the shape for the classes {_bits(classes)} is too narrow")
        for shape, entry in roots.values():
            self.check_shape(shape, entry)
        if self.n_closed != self.certificate.n_closed:
            raise Refused("there are more closed nodes than decisions")

    def sets_of_classes(self) -> Iterator[int]:
        """Yield the sets of classes whose trees could cost less than the bound."""
        problem = self.problem
        waiting = [(0, 0)]
        while waiting:
            chosen, following = waiting.pop()
            rest = ((1 << problem.n_classes) - 1) & ~((1 << following) - 1)
            if not chosen | rest or self.least(chosen | rest).sum() >= self.bound:
                continue
            if following < problem.n_classes:
                waiting += [(chosen, following + 1), (chosen | 1 << following, following + 1)]
            elif self.matters(chosen):
                yield chosen

    def matters(self, classes: int) -> bool:
        """Tell whether trees that name these classes are allowed and could be too cheap."""
        n_splits = classes.bit_count() - 1
        paid = float(self.least(classes).sum()) + self.problem.costs.splits * n_splits
        most = self.problem.max_splits
        fits = n_splits <= most and classes.bit_count() <= 2**self.problem.depth
        return fits and paid < self.bound

    def check_shape(self, shape: Shape, entry: Any) -> None:
        """Check all trees of a shape."""
        if "refined" in entry:
            children = [(_read_shape(child.get("shape")), child) for child in entry["refined"]]
            self.check_refinement(shape, [child for child, _ in children])
            for child, below in children:
                self.check_shape(child, below)
        else:
            _Decisions(self, _Outline(shape)).check(int(entry["start"]))

    def check_refinement(self, shape: Shape, children: list[Shape]) -> None:
        """Check that shapes together stand for a shape."""
        depth = self.problem.depth
        given = {_unflipped(child) for child in children}
        for wanted in _refinements(shape, depth):
            allowed = {_unflipped(_filled(one, depth)) for one in wanted if self.has_room(one)}
            if allowed <= given:
                return
        raise Refused(f"the refinement of {shape} is not complete")

    def has_room(self, shape: Shape) -> bool:
        """Tell whether a shape has no more splits than a tree may have."""
        return _Outline(shape).least_splits <= self.problem.max_splits


class _Decisions:
    """The decisions below one shape."""

    def __init__(self, verifier: _Verifier, outline: _Outline) -> None:
        self.verifier, self.outline = verifier, outline
        problem = verifier.problem
        self.places = np.ones(problem.n_rows, dtype=np.int64)
        n_nodes = 2 ** (problem.depth + 1)
        self.height = np.array([node.bit_length() for node in range(n_nodes)])
        self.least = np.full((n_nodes, problem.n_rows), np.inf)
        for node, shape in outline.nodes.items():
            self.least[node] = verifier.least(_classes(shape))
        self.fixed = problem.costs.splits * outline.least_splits
        self.path: list[tuple[int, int]] = []

    def check(self, start: int) -> None:
        """Check the node whose events begin at a place, and all below it."""
        events = self.verifier.certificate.events
        at, waiting = start, [(-1, 0, 0)]  # a row, where it goes, and where it came from
        while waiting:
            row, to, was = waiting.pop()
            if row >= 0:
                self.places[row] = to
            if was < 0:  # back from below: the row was here before
                self.path.pop()
                continue
            event = int(events[at])
            if event == CLOSED:
                self.check_closed()
                at += 1
                continue
            n_ways = int(events[at + 1])
            ways = tuple(events[at + 2 : at + 2 + n_ways].tolist())
            at += 2 + n_ways
            if not 0 <= event < len(self.places):
                raise Refused(f"there is no row {event}")
            place = int(self.places[event])
            self.check_ways(event, place, ways)
            self.path.append((event, place))
            waiting.append((event, place, -1))
            waiting += [(event, way, 0) for way in reversed(ways)]

    def check_ways(self, row: int, place: int, ways: tuple[int, ...]) -> None:
        """Check that the ways on of a row lead to all leaves, up to mirror images."""
        if not isinstance(self.outline.nodes[place], tuple):
            raise Refused(f"row {row} is decided already")
        for end in self.outline.ends_below(place):
            path = [end >> k for k in range(end.bit_length() - place.bit_length())]
            if {*path} & {*ways}:
                continue
            if not any(self.is_mirrored(node) for node in path):
                raise Refused(f"row {row} may go to node {end}, which is left out")
        if not all(self.is_below(way, place) for way in ways):
            raise Refused(f"row {row} goes to a node that is not below its own")

    def is_below(self, node: int, above: int) -> bool:
        """Tell whether a node of the shape is below another one."""
        steps = node.bit_length() - above.bit_length()
        return node in self.outline.nodes and steps > 0 and node >> steps == above

    def is_mirrored(self, node: int) -> bool:
        """Tell whether a node is the right child of a split that no row has passed, with a twin."""
        above = node // 2
        if node % 2 == 0 or not self.outline.is_twin(above):
            return False
        steps = self.height[self.places] - above.bit_length()
        return not ((steps > 0) & (self.places >> np.maximum(steps, 0) == above)).any()

    def check_closed(self) -> None:
        """Check that the trees of a closed node cost at least the bound."""
        verifier = self.verifier
        k = verifier.n_closed
        if k >= verifier.certificate.n_closed:
            raise Refused("a closed node has no proof")
        verifier.n_closed += 1
        if not (self.lacks_mass() or self.costs_enough(k)):
            raise Refused(f"closed node {k} may hold a tree that costs less than {verifier.bound}")

    def lacks_mass(self) -> bool:
        """Tell whether the rows that are left are too light for the leaves that lack weight."""
        weights = self.verifier.problem.row_weights
        return self.missing(1) > ROUNDING * float(weights.sum())

    def missing(self, node: int) -> float:
        """Return the weight that rows from above must bring to the leaves below a node."""
        shape, problem = self.outline.nodes[node], self.verifier.problem
        here = float(problem.row_weights[self.places == node].sum())
        if isinstance(shape, int):
            return problem.rules.least_mass * shape.bit_count() - here
        return sum(max(self.missing(child), 0.0) for child in (2 * node, 2 * node + 1)) - here

    def paid(self, places: IntArray) -> float:
        """Return what the trees of a node pay for splits and for errors that are decided."""
        return self.fixed + float(self.least[places, np.arange(len(places))].sum())

    def costs_enough(self, k: int) -> bool:
        """Tell whether every tree of a closed node costs at least the bound."""
        verifier, certificate = self.verifier, self.verifier.certificate
        paid = self.paid(self.places)
        if paid * (1 - ROUNDING) >= verifier.bound:
            return True
        most = verifier.problem.norm_at_price(verifier.bound - paid) * (1 + ROUNDING)
        first, last = certificate.first_part[k : k + 2]
        parts = [
            _Claim(self, self.places_above(int(certificate.ups[part])), part).terms(most)
            for part in range(first, last)
        ]
        return bool(parts) and open_norm(parts, verifier.bound, most) is None

    def places_above(self, n_decisions: int) -> IntArray:
        """Return where the rows are known to go so many decisions above."""
        places = self.places.copy()
        if not 0 <= n_decisions <= len(self.path):
            raise Refused(f"there are no {n_decisions} decisions above")
        for row, was in reversed(self.path[len(self.path) - n_decisions :]):
            places[row] = was
        return places


@dataclass(frozen=True)
class Terms:
    """What all trees of a node pay at least, as a function of the largest norm; see `_Claim`.

    Attributes
    ----------
    problem : Problem
        The problem.
    paid : float
        What is paid already.
    gains, lengths, rests : ndarray of shape (n_lines,)
        G, the sum of ``||v||`` and what rounding may have added, for every line.
    errors, pulls, distances : ndarray of shape (n_pairs,)
        For every pair: its price of an error, the lower price of a violation, the distance.
    """

    problem: Problem
    paid: float
    gains: FloatArray
    lengths: FloatArray
    rests: FloatArray
    errors: FloatArray
    pulls: FloatArray
    distances: FloatArray

    def with_line(self, gain: float, length: float) -> "Terms":
        """Return the terms with one more line, without an allowance for rounding."""
        return replace(
            self,
            gains=np.append(self.gains, gain),
            lengths=np.append(self.lengths, length),
            rests=np.append(self.rests, 0.0),
        )

    def costs(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return a lower bound on the cost for norms in intervals."""
        lengths, gains = self.lengths[:, None], self.gains[:, None]
        # m(S) - S N is convex in S for the squared norm and linear for the plain one.
        norms = np.clip(lengths, low, high)
        if self.problem.margin_term == "plain":
            norms = np.where(lengths > 0.5, high, low)
        margins, slopes = self.problem.margin_price(norms), norms * lengths
        allowance = ROUNDING * (margins + slopes + np.abs(gains)) + self.rests[:, None]
        best = (margins + gains - slopes - allowance).max(axis=0)
        overlaps = np.maximum(0.0, 2 - self.distances * high[:, None] * (1 + ROUNDING))
        pairs = np.minimum(np.maximum(self.errors, 0.0), self.pulls * overlaps).sum(axis=1)
        return np.asarray(best + (self.paid + pairs) * (1 - ROUNDING))


def open_norm(parts: list[Terms], bound: float, most: float) -> float | None:
    """Return a norm up to ``most`` at which no part reaches the bound, or None."""

    def costs(low: FloatArray, high: FloatArray) -> FloatArray:
        return np.asarray(np.max([part.costs(low, high) for part in parts], axis=0))

    ends = np.linspace(0.0, most, FIRST_CELLS + 1)
    low, high = ends[:-1], ends[1:]
    for _ in range(HALVINGS):
        is_open = costs(low, high) < bound
        if not is_open.any():
            return None
        middle = (low + high)[is_open] / 2
        if (found := costs(middle, middle)).min() < bound:
            return float(middle[np.argmin(found)])
        low = np.concatenate([low[is_open], middle])
        high = np.concatenate([middle, high[is_open]])
        if len(low) > MANY_CELLS:
            break
    return float(high[np.argmin(costs(high, high))])


class _Claim:
    """A part of the proof of a closed node: what its trees, and others, pay at least.

    Let S be the largest norm of a hyperplane. A tree pays for errors that follow from what is
    decided and for splits (``paid``), a margin term m(S), and for violations:

    - *Lines.* For one split and dual variables beta of rows that are known to pass it, with
      ``sum beta = 0`` and the sign of each row's side, let ``v = sum beta_i x_i`` and
      ``G = sum g_i(|beta_i|)``; g has slope 1 up to c2 times the row's weight, and the routing
      margin as slope beyond. Then the violations of these rows at this split cost at least
      ``G - S ||v||``. A line is the sum of this over some splits.
    - *Pairs.* Two undecided rows at one node either end in one leaf and pay an error, or a
      hyperplane below is between them and their violations there add up to ``2 - S d`` or more. The
      pairs are disjoint and undecided, so they share no term with each other or with the lines.

    A part may be stated for a node above the closed one, which holds more trees. For every S some
    line of some part must reach the bound.
    """

    def __init__(self, decisions: _Decisions, places: IntArray, k: int) -> None:
        self.verifier, self.decisions = decisions.verifier, decisions
        self.places, self.k = places, k
        self.paid = decisions.paid(places)

    def terms(self, most: float) -> Terms:
        """Return the terms of the part for norms up to ``most``."""
        problem = self.verifier.problem
        return Terms(problem, self.paid, *self.lines(most), *self.pair_prices)

    def lines(self, most: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return G, the sum of ``||v||`` and what rounding may add, for every line and a 0."""
        betas = self.betas()
        positive, negative = np.maximum(betas, 0.0), np.maximum(-betas, 0.0)
        right, left = positive.sum(axis=-1), negative.sum(axis=-1)
        common = np.minimum(right, left)
        with np.errstate(divide="ignore", invalid="ignore"):  # a sum of 0 leaves nothing to scale
            sizes = positive * np.where(right > 0, common / right, 0.0)[..., None]
            opposite = negative * np.where(left > 0, common / left, 0.0)[..., None]
        pull, eps = self.verifier.pull, self.verifier.problem.routing_margin
        total = sizes + opposite
        gains = (np.minimum(total, pull) + eps * np.maximum(total - pull, 0.0)).sum(axis=(1, 2))
        lengths = np.linalg.norm((sizes - opposite) @ self.verifier.rows, axis=-1).sum(axis=1)
        reach = 1.0 + most * self.verifier.radius
        rest = ROUNDING * reach * total.sum(axis=(1, 2))
        return np.append(gains, 0.0), np.append(lengths, 0.0), np.append(rest, 0.0)

    def betas(self) -> FloatArray:
        """Return the dual variables by line, split and row, after a check of their signs."""
        certificate, places = self.verifier.certificate, self.places
        first, last = certificate.first_line[self.k : self.k + 2]
        counts = np.diff(certificate.first_entry[first : last + 1])
        part = slice(certificate.first_entry[first], certificate.first_entry[last])
        splits, rows = certificate.splits[part].astype(int), certificate.rows[part].astype(int)
        duals = certificate.duals[part].astype(np.float64)
        height = self.decisions.height
        n_nodes, n_rows = len(height) // 2, len(places)
        if not (np.isfinite(duals).all() and self.are_in(splits, n_nodes, rows, n_rows)):
            raise Refused(f"the dual variables of part {self.k} make no sense")
        steps = height[places[rows]] - height[splits]
        passes = (steps > 0) & (places[rows] >> np.maximum(steps, 0) == splits)
        is_right = places[rows] >> np.maximum(steps - 1, 0) & 1 == 1
        if not (passes & (is_right == (duals > 0))).all():
            raise Refused(f"a dual variable of part {self.k} is on the wrong side")
        found = np.zeros((last - first, n_nodes, n_rows))
        found[np.repeat(np.arange(last - first), counts), splits, rows] = duals
        return found

    @staticmethod
    def are_in(splits: IntArray, n_nodes: int, rows: IntArray, n_rows: int) -> bool:
        """Tell whether numbers of splits and rows are those of splits and rows."""
        are_splits = (splits >= 1) & (splits < n_nodes)
        return bool((are_splits & (rows >= 0) & (rows < n_rows)).all())

    @cached_property
    def pair_prices(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For every pair: its price of an error, the lower price of a violation, the distance."""
        verifier, places = self.verifier, self.places
        first, last = verifier.certificate.first_pair[self.k : self.k + 2]
        pairs = verifier.certificate.pairs[first:last].astype(int)
        one, other = pairs[:, 0], pairs[:, 1]
        is_known = (pairs >= 0).all() and (pairs < len(places)).all()
        if not is_known or len(np.unique(pairs)) != pairs.size:
            raise Refused(f"the pairs of part {self.k} are not disjoint")
        nodes = self.decisions.outline.nodes
        errors = np.zeros(len(pairs))
        for place in np.unique(places[one]):
            here = places[one] == place
            classes = _bits(_classes(nodes[int(place)]))
            both = verifier.problem.error_prices[np.ix_(one[here], classes)]
            both = both + verifier.problem.error_prices[np.ix_(other[here], classes)]
            least = self.decisions.least[place]
            errors[here] = both.min(axis=1) - least[one[here]] - least[other[here]]
        if not (places[one] == places[other]).all():
            raise Refused(f"the pairs of part {self.k} are not at one node")
        distances = np.linalg.norm(verifier.rows[one] - verifier.rows[other], axis=1)
        return errors, np.minimum(verifier.pull[one], verifier.pull[other]), distances
