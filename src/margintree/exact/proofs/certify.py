"""Writes the certificate of a proof: every closed node with duals from which its bound follows.

The search closes nodes by bounds that it collected on the way to them, cell by cell. A certificate
is simpler: the duals of a closed node are solved anew, at one norm after the other, until they
prove the bound for every norm by the test that `margintree.exact.verify` makes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray
from margintree._lib.exceptions import SolverError
from margintree._lib.fingerprint import fingerprint
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.exact.certificate import CLOSED, Certificate
from margintree.exact.proofs.dive import Basics, History, Room
from margintree.exact.proofs.kernels.ascent import measure
from margintree.exact.proofs.kernels.closing import pick_pairs, solve_splits
from margintree.exact.proofs.kernels.explore import IS_CLOSED, IS_OPEN
from margintree.exact.proofs.kernels.hulls import least_norm_of_sides
from margintree.exact.proofs.kernels.masses import lacks_mass
from margintree.exact.proofs.kernels.settle import PATIENCE, settle_splits
from margintree.exact.proofs.kernels.state import GAIN, LENGTH, MEMBERS, NORM, PAID, RIGHT, Stack
from margintree.exact.proofs.skeletons import Skeleton
from margintree.exact.proofs.workspace import begin
from margintree.exact.verify import Terms, open_norm

SLACK = 1e-6
"""Share of the bound that a certificate gives away, so that nodes need not be solved to the end."""
SPARE = 1e-7
"""Share of the bound by which its proof must exceed it when it is written."""
STEPS = 200
"""Steps of each dual at a norm."""
MOST_LINES = 60
"""Attempts after which a node cannot be certified."""
TOLERANCE = 1e-9
"""Of the values of rows where duals are solved to the end."""


def certify(method: str, problem: Problem, limits: Limits, history: History) -> Certificate:
    """Return a certificate of nearly the bound that a proof has by its own search.

    Raises SolverError if some node cannot be certified, for numerical reasons.
    """
    writer = _CertificateWriter(problem, history.bound * (1 - SLACK), limits.gap, history)
    forest = [writer.tree(number, skeleton) for number, skeleton in history.roots]
    return writer.certificate(fingerprint(method, problem), forest)


@dataclass
class _PartDraft:
    """A part of the proof of a closed node, as `Certificate` has it."""

    up: int
    places: IntArray
    pairs: IntArray
    terms: Terms
    lines: list[list[tuple[int, IntArray, FloatArray]]]


class _CertificateWriter:
    def __init__(self, problem: Problem, bound: float, gap: float, history: History) -> None:
        self.problem, self.bound, self.history = problem, bound, history
        self.basics = Basics(problem, gap)
        self.room = Room(self.basics)
        self.events: list[int] = []
        self.first_part, self.ups = [0], []  # type: tuple[list[int], list[int]]
        self.first_line, self.first_entry, self.first_pair = [0], [0], [0]
        self.path: list[tuple[int, int]] = []
        self.loaded: IntArray | None = None
        self.splits: list[IntArray] = []
        self.rows: list[IntArray] = []
        self.duals: list[FloatArray] = []
        self.pairs: list[IntArray] = []

    def tree(self, number: int, skeleton: Skeleton) -> dict[str, Any]:
        """Write what was decided below a skeleton, and return where."""
        refined = self.history.refined.get(number)
        if refined is not None:
            return {"shape": skeleton.shape, "refined": [self.tree(*one) for one in refined]}
        entry = {"shape": skeleton.shape, "start": len(self.events)}
        self.paid = self.basics.paid(skeleton)
        if self.paid >= self.bound * (1 + SPARE):
            self.close_for_free()
        else:
            self.write_decisions(number, skeleton)
        return entry

    def close_for_free(self) -> None:
        """Write a closed node that needs neither duals nor pairs."""
        self.events.append(CLOSED)
        self.first_part.append(len(self.ups))

    def write_decisions(self, number: int, skeleton: Skeleton) -> None:
        """Write the decisions below a root, and all closed nodes."""
        problem = self.problem
        self.frame = self.basics.frame(skeleton, self.bound * (1 + 1e-3))
        self.n_splits = int(self.frame.is_split.sum())
        self.loaded = None
        self.places = np.ones(problem.n_rows, dtype=np.int64)
        following = self.logged(number)
        waiting: list[tuple[int, int, bool]] = [(-1, 0, True)]
        while waiting:
            row, to, is_visit = waiting.pop()
            if row >= 0:
                self.places[row] = to if to >= 0 else ~to  # ~to is a way on that was closed
            if not is_visit:
                self.path.pop()
                continue
            event = next(following) if to >= 0 else IS_CLOSED
            if event == IS_CLOSED:
                self.close()
                continue
            place = int(self.places[event])
            ways = [next(following) for _ in range(next(following))]
            dead = [way for way in self.ways(event, place) if way not in ways]
            self.events += [event, len(ways) + len(dead), *ways, *dead]
            self.path.append((event, place))
            waiting.append((event, place, False))
            waiting += [(event, ~way, True) for way in reversed(dead)]
            waiting += [(event, way, True) for way in reversed(ways)]

    def logged(self, number: int) -> Iterator[int]:
        """Yield what was logged below a node, with what later dives logged in its place."""
        waiting = [self.dive(number)]
        while waiting:
            events, numbers = waiting[-1]
            event = next(events, None)
            if event is None:
                waiting.pop()
            elif event == IS_OPEN:
                waiting.append(self.dive(next(numbers)))
            else:
                yield event

    def dive(self, number: int) -> tuple[Iterator[int], Iterator[int]]:
        """Return the log of a dive, and the numbers of the nodes that it left open.

        A node without a dive was closed by its bound.
        """
        log, numbers = self.history.dives.get(number, (np.array([IS_CLOSED]), []))
        return iter(log.tolist()), iter(numbers)

    def ways(self, row: int, place: int) -> list[int]:
        """Return the ways on of a row, without mirror images."""
        frame, code = self.frame, self.problem.y[row]
        ways = frame.options[place, code, : frame.n_options[place, code]].tolist()
        return [way for way in ways if not self.is_mirrored(way, place)]

    def is_mirrored(self, way: int, place: int) -> bool:
        """Tell whether a way passes the right side of a split with equal subtrees and no row."""
        while way != place:
            above = way // 2
            if way % 2 == 1 and self.frame.twins[above] and not self.is_passed(above):
                return True
            way = above
        return False

    def is_passed(self, node: int) -> bool:
        """Tell whether a row is known to pass a node."""
        below = self.places // 2
        while (below > 0).any():
            if (below == node).any():
                return True
            below //= 2
        return False

    def close(self) -> None:
        """Write a closed node, with parts until they prove the bound."""
        target, paid = self.bound * (1 + SPARE), self.paid_at(self.places)
        self.events.append(CLOSED)
        if paid < target and not self.lacks_mass():
            most = self.problem.norm_at_price(self.bound - paid) * (1 + 1e-9)
            parts = [self.part(0)]
            for _ in range(MOST_LINES):
                norm = open_norm([part.terms for part in parts], target, most)
                if norm is None:
                    break
                # Where nothing at this node helps, something above it may.
                if not any(self.improve(part, max(norm, 1e-6), target) for part in parts):
                    parts.append(self.part(len(parts)))
            else:
                raise SolverError("A node could not be certified. Use a larger gap.")
            for part in parts:
                self.write_part(part)
        self.first_part.append(len(self.ups))

    def lacks_mass(self) -> bool:
        """Tell whether the rows that are left are too light for the leaves that lack weight."""
        rows, missing = self.basics.rows, self.room.desk.leaf_masses
        if rows.least_mass <= 0:
            return False
        return bool(lacks_mass(rows, self.frame, self.load(self.places.copy()), 0, missing))

    def paid_at(self, places: IntArray) -> float:
        """Return what is paid where rows are known to go."""
        least = self.frame.least
        return self.paid + float((least[places, np.arange(len(places))] - least[1]).sum())

    def part(self, up: int) -> "_PartDraft":
        """Return a part without lines, stated so many decisions above the present node."""
        places = self.places.copy()
        for row, was in reversed(self.path[max(0, len(self.path) - up) :]):
            places[row] = was
        stack = self.load(places)
        pairs = np.empty((self.problem.n_rows, 2), dtype=np.int64)
        pairs = pairs[: pick_pairs(self.basics.rows, self.frame, stack, self.room.desk, pairs)]
        nothing, paid = np.zeros(1), float(stack.levels[0, PAID])
        prices = self.pair_prices(pairs, places)
        terms = Terms(self.problem, paid, nothing, nothing, nothing, *prices)
        return _PartDraft(min(up, len(self.path)), places, pairs, terms, [])

    def load(self, places: IntArray) -> Stack:
        """Let the rows be at these places, and return the stack."""
        stack = self.room.stack(self.n_splits)
        if self.loaded is not places:
            begin(stack, self.frame, places, self.paid)
            self.loaded = places
        return stack

    def improve(self, part: "_PartDraft", norm: float, target: float) -> bool:
        """Add a line that reaches the target at a norm to a part; tell whether there is one."""
        stack, at = self.load(part.places), np.array([norm])
        for solve in (self.ascend, self.keep_apart, self.settle):
            if not solve(norm):
                continue
            terms = part.terms.with_line(*stack.planes[0][:, [GAIN, LENGTH]].sum(axis=0))
            if terms.costs(at, at)[0] >= target:
                part.terms = terms
                part.lines.append(self.line())
                return True
        return False

    def line(self) -> list[tuple[int, IntArray, FloatArray]]:
        """Return the present duals: splits, with rows and values that are not 0."""
        stack, found = self.room.stack(self.n_splits), []
        for node in np.flatnonzero(self.frame.is_split):
            s = self.frame.slots[node]
            m, right = stack.passing[0, s, MEMBERS], stack.passing[0, s, RIGHT]
            if 0 < right < m:
                members = stack.members[s, :m]
                rows = members[stack.duals[0, s, members] != 0]
                found.append((int(node), rows, stack.duals[0, s, rows]))
        return found

    def write_part(self, part: "_PartDraft") -> None:
        """Write a part."""
        self.ups.append(part.up)
        self.pairs.append(part.pairs)
        self.first_pair.append(self.first_pair[-1] + len(part.pairs))
        self.first_line.append(self.first_line[-1] + len(part.lines))
        for line in part.lines:
            for node, rows, duals in line:
                self.splits.append(np.full(len(rows), node))
                self.rows.append(rows)
                self.duals.append(duals)
            n_entries = sum(len(rows) for _, rows, _ in line)
            self.first_entry.append(self.first_entry[-1] + n_entries)

    def pair_prices(
        self, pairs: IntArray, at: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the prices of errors and of violations of pairs, and their distances."""
        problem, frame = self.problem, self.frame
        one, other = pairs.T
        places = at[one]
        named = np.array([[c >> k & 1 for k in range(problem.n_classes)] for c in frame.classes])
        both = problem.error_prices[one] + problem.error_prices[other]
        both = np.where(named[places] > 0, both, np.inf)
        errors = both.min(axis=1, initial=np.inf)
        errors = errors - frame.least[places, one] - frame.least[places, other]
        rows = self.basics.rows
        distances = np.linalg.norm(rows.X[one] - rows.X[other], axis=1)
        return errors, np.minimum(rows.pull[one], rows.pull[other]), distances

    def ascend(self, norm: float) -> bool:
        """Improve the duals at a norm."""
        stack, enough = self.room.stack(self.n_splits), 2 * self.bound
        if stack.planes[0, :, GAIN].sum() > enough:
            stack.duals[0] = stack.values[0] = 0.0  # they ran away at a smaller norm
        desk = self.room.desk
        solve_splits(self.basics.rows, self.frame, stack, desk, norm, enough, STEPS)
        return True

    def settle(self, norm: float) -> bool:
        """Solve the duals at a norm to the end."""
        stack, enough = self.room.stack(self.n_splits), 2 * self.bound
        stack.levels[0, NORM] = norm
        desk = self.room.desk
        settle_splits(self.basics.rows, self.frame, stack, desk, 0, enough, TOLERANCE, PATIENCE)
        return True

    def keep_apart(self, norm: float) -> bool:
        """Set duals that exclude a norm too small for the sides of a split; tell whether it is.

        They are the weights of two points of the hulls of the sides that are closer than
        ``2 eps / S``, times a factor that is large enough.
        """
        stack, rows = self.room.stack(self.n_splits), self.basics.rows
        for s in range(self.n_splits):
            m, right = stack.passing[0, s, MEMBERS], stack.passing[0, s, RIGHT]
            if not 0 < right < m:
                continue
            members, sides = stack.members[s], stack.sides[s]
            weights = np.zeros(len(members))
            needed = least_norm_of_sides(rows.gram, members, sides, m, rows.eps, 2 * norm, weights)
            if needed > norm * (1 + 1e-6):
                factor = 2 * self.bound / (2 * rows.eps * (1 - norm / needed))
                stack.duals[0], stack.planes[0] = 0.0, 0.0
                own = members[:m]
                stack.duals[0, s, own] = factor * sides[:m] * weights[own]
                gain, length = measure(
                    rows.X, members, m, rows.pull, rows.tails, 0.0, stack.duals[0, s]
                )
                stack.planes[0, s, GAIN], stack.planes[0, s, LENGTH] = gain, length
                return True
        return False

    def certificate(self, problem: str, forest: list[dict[str, Any]]) -> Certificate:
        """Return all that was written."""
        return Certificate(
            bound=self.bound,
            problem=problem,
            forest=forest,
            events=np.array(self.events, dtype=np.int32),
            first_part=np.array(self.first_part, dtype=np.int64),
            ups=np.array(self.ups, dtype=np.int32),
            first_line=np.array(self.first_line, dtype=np.int64),
            first_entry=np.array(self.first_entry, dtype=np.int64),
            splits=_joined(self.splits, np.int16),
            rows=_joined(self.rows, np.int32),
            duals=_joined(self.duals, np.float64),
            first_pair=np.array(self.first_pair, dtype=np.int64),
            pairs=_joined([part.reshape(-1) for part in self.pairs], np.int32).reshape(-1, 2),
        )


def _joined(parts: list[Any], dtype: Any) -> Any:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype=dtype)
