"""Checkpoints: files with the best tree and bound of a long solve, from which it can continue."""

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from margintree._lib.exceptions import CheckpointWarning, InvalidInputError
from margintree._lib.files import check_writable, write_whole
from margintree._lib.fingerprint import fingerprint
from margintree._lib.warn import warn_user
from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree

FORMAT, VERSION = "margintree-checkpoint", 2
PAUSE = 1.0
"""Minimum number of seconds between two writes, unless there is a better tree."""
PATIENCE = 20.0
"""Minimum number of seconds between two writes for each second that a write takes."""


class Known(NamedTuple):
    """The best tree and bound of a solve when it last wrote its checkpoint, and what was left.

    ``search`` is plain data of the native proof engine, from which it can go on; None without.
    """

    tree: ObliqueTree
    bound: float
    search: Mapping[str, Any] | None = None


class Checkpoint:
    """A file with the best tree and bound of a problem, and a fingerprint of the problem.

    The fingerprint includes the name of the method, since other methods price other trees of the
    same problem. The file may be missing at first. Then ``known``, the content of the file, is
    None. ``now`` is the clock.

    Raises
    ------
    InvalidInputError
        When the file is damaged, is no checkpoint or belongs to another problem.
    OSError
        When the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Checkpoint(f"{folder}/c.json", problem).keep(tree, objective=2.1, bound=1.0)
    ...     known = Checkpoint(f"{folder}/c.json", problem).known
    >>> known.tree == tree, known.bound
    (True, 1.0)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        problem: Problem,
        now: Callable[[], float] = time.monotonic,
        *,
        method: str = "",
    ) -> None:
        self._path, self._problem, self._now = Path(path), problem, now
        self._fingerprint = fingerprint(method, problem)
        self._written_at, self._pause = -np.inf, PAUSE
        self.known = self._read()
        check_writable(path)

    def is_due(self) -> bool:
        """Tell whether enough time has passed to write a better bound."""
        return self._now() - self._written_at >= self._pause

    def keep(
        self,
        tree: ObliqueTree,
        objective: float,
        bound: float,
        search: Mapping[str, Any] | None = None,
    ) -> None:
        """Write what is known; warn on failure, because the solve can go on."""
        began = self._now()
        content = {
            "format": FORMAT,
            "version": VERSION,
            "problem": self._fingerprint,
            "objective": objective,
            "bound": bound,
            "tree": tree.to_dict(),
            "search": search,
        }
        try:
            write_whole(self._path, json.dumps(content, allow_nan=False) + "\n")
        except OSError as error:
            warn_user(f"{error} The solve goes on.", CheckpointWarning)
        self._written_at = self._now()
        self._pause = max(PAUSE, PATIENCE * (self._written_at - began))

    def _read(self) -> Known | None:
        try:
            content = json.loads(self._path.read_bytes())
            if content["format"] != FORMAT or content["version"] != VERSION:
                raise ValueError(f"no {FORMAT} of version {VERSION}")
            belongs_here = content["problem"] == self._fingerprint
            tree = ObliqueTree.from_dict(content["tree"])
            known = Known(tree, float(content["bound"]), content.get("search"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise self.refused(f"it cannot be read ({error!s:.200})") from error
        problem = self._problem
        shape = (problem.depth, problem.scaling.n_terms, problem.n_classes)
        if not belongs_here or (tree.depth, tree.n_features, tree.n_classes) != shape:
            raise self.refused("it belongs to a problem with other rows, costs or depth")
        if problem.scaling.mix is not None:
            return known._replace(tree=tree.rescaled(problem.scaling))
        return known

    def refused(self, why: str) -> InvalidInputError:
        """Return the error that says why the file cannot be used."""
        return InvalidInputError(
            "A checkpoint must belong to the same problem, or be a file that does not exist yet; "
            f"{str(self._path)!r} was given, but {why}. Give another file, or delete this one."
        )
