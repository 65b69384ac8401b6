"""Checkpoints: what a solve knew is where the same solve goes on, and no other."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import MOCTSVMClassifier, from_json, to_json
from margintree._lib.exceptions import CheckpointWarning, InvalidInputError, ModelFileError
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.exact.checkpoint import PAUSE, VERSION, Checkpoint
from margintree.exact.solvers import SOLVERS
from margintree.methods import MOCTSVM, OCTSVM
from margintree.methods.solve import How
from margintree.methods.solve import solve as solve_by
from margintree.testing.instances import clouds, tiny_problems
from margintree.testing.margin_oracles import cheapest_tree
from strategies import problems, trees

X, y = (rows[::2] for rows in clouds())
CLOUDS = Problem.from_data(X, y, n_classes=4, depth=2, costs=Costs(10, 1, 1))
STUMP = ObliqueTree.stump([2.0, 0.0], -1.0, leaf_classes=[0, 1], n_classes=4).deepened(2)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c.json"


def solve(problem, path, **options):
    return solve_by(
        MOCTSVM(), problem, How("exact", **{"checkpoint": path, "solver": "scip"} | options)
    )


def edited(path, **entries):
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


@given(data=st.data())
def test_what_is_kept_is_what_is_known(tmp_path_factory, data):
    """Tree and bound come back unchanged, whatever they are."""
    path = tmp_path_factory.mktemp("checkpoints") / "c.json"
    problem = data.draw(problems())
    shape = {name: getattr(problem, name) for name in ("n_features", "n_classes", "depth")}
    tree = data.draw(trees(**shape, scaling=problem.scaling))
    bound = data.draw(st.floats(0, 1e300))
    Checkpoint(path, problem, method="moctsvm").keep(tree, 2 * bound, bound)
    assert Checkpoint(path, problem, method="moctsvm").known == (tree, bound, None)


@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_an_interrupted_solve_goes_on_to_the_end_of_an_undisturbed_one(path, solver):
    """Interrupted at every step and resumed, it ends with the same cost and a proof."""
    if not SOLVERS[solver].status().licensed:
        pytest.skip(f"{solver} does not take models of this size here")
    undisturbed = solve(CLOUDS, None, solver=solver)
    assert undisturbed.is_optimal
    bounds = [0.0]
    for _ in range(3):

        def stop(point):
            if point.bound > bounds[-1]:
                raise KeyboardInterrupt

        result = solve(CLOUDS, path, solver=solver, progress=stop, limits=Limits(iterations=1))
        assert result.reason is Reason.INTERRUPTED
        known = Checkpoint(path, CLOUDS, method="moctsvm").known
        assert known[:2] == (result.tree, result.bound)
        assert bounds[-1] <= known.bound <= undisturbed.objective
        bounds.append(known.bound)
    resumed = solve(CLOUDS, path, solver=solver)
    assert resumed.is_optimal
    assert resumed.objective == pytest.approx(undisturbed.objective, rel=undisturbed.gap_limit)


def test_a_finished_solve_is_not_done_again(path):
    """Its proof is in the file: neither a search nor a solve is needed to have it once more."""
    done = solve(CLOUDS, path)
    again = solve(CLOUDS, path, limits=Limits(seconds=0))
    assert again.reason is Reason.OPTIMAL
    assert (again.tree, again.bound) == (done.tree, done.bound)


def test_the_solver_writes_every_better_tree(path, monkeypatch):
    """What the file says at any time is a tree, its true cost and a bound below the optimum."""
    poor = MOCTSVM().search(CLOUDS, Limits(iterations=0)).tree
    best = solve(CLOUDS, None).objective
    monkeypatch.setattr(MOCTSVM, "start", start_without_search)
    kept = []
    properly = Checkpoint.keep

    def keep(checkpoint, tree, cost, bound):
        properly(checkpoint, tree, cost, bound)
        kept.append(json.loads(path.read_text()))

    monkeypatch.setattr(Checkpoint, "keep", keep)
    solve(CLOUDS, path)
    costs = [content["objective"] for content in kept]
    assert costs[0] == price_margins(CLOUDS, poor).total
    assert len({*costs}) > 2
    assert costs == sorted(costs, reverse=True)
    for content in kept:
        tree = ObliqueTree.from_dict(content["tree"])
        assert price_margins(CLOUDS, tree).total == content["objective"]
        assert content["bound"] <= best * (1 + 1e-6)


def start_without_search(method, problem, limits, starts, progress):
    return method.search(problem, replace(limits, iterations=0), starts, progress)


def test_bounds_are_never_wrong(tmp_path):
    """Whenever a solve is stopped, no tree costs less than the bound in the file: enumeration."""
    for k, problem in enumerate(tiny_problems(6)):
        optimum = cheapest_tree(problem).cost
        n_points = k

        def stop(_):
            nonlocal n_points
            n_points -= 1
            if n_points < 0:
                raise KeyboardInterrupt

        path = tmp_path / f"{k}.json"
        solve(problem, path, progress=stop, limits=Limits(iterations=1))
        assert Checkpoint(path, problem, method="moctsvm").known.bound <= optimum * (1 + 1e-6)
        resumed = solve(problem, path)
        assert resumed.bound <= optimum * (1 + 1e-6)
        assert resumed.objective == pytest.approx(optimum, rel=1e-4)


def test_a_bound_that_a_tree_contradicts_is_not_believed(path):
    """A file that claims too much does not make a proof."""
    solve(CLOUDS, path, limits=Limits(seconds=0))
    edited(path, bound=1e6)
    result = solve(CLOUDS, path, limits=Limits(seconds=0))
    assert result.bound <= result.objective
    assert not result.is_optimal


def test_an_interrupt_before_the_search_keeps_the_better_tree(path):
    """Neither the result nor the file falls back behind what was known."""
    before = solve(CLOUDS, path)

    def stop(_):
        raise KeyboardInterrupt

    result = solve(CLOUDS, path, progress=stop)
    assert result.objective == before.objective
    assert Checkpoint(path, CLOUDS, method="moctsvm").known[:2] == (before.tree, before.bound)


def test_another_problem_is_refused(path):
    """The message names the file and what to do, and the file stays as it is."""
    solve(CLOUDS, path, limits=Limits(seconds=0))
    before = path.read_bytes()
    for other in (replace(CLOUDS, costs=Costs(10, 1, 2)), CLOUDS.with_rules(max_splits=2)):
        with pytest.raises(InvalidInputError, match=r"c\.json.*other rows, costs or depth.*delete"):
            solve(other, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.write_bytes(b"\xff\x00"),
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text("{}"),
        lambda path: edited(path, format="margintree-model"),
        lambda path: edited(path, version=VERSION - 1),
        lambda path: edited(path, bound="much"),
        lambda path: edited(path, bound=None),
        lambda path: edited(path, tree={}),
        lambda path: edited(path, tree=STUMP.deepened(3).to_dict()),
        lambda path: edited(path, problem=None),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=range(13),
)
def test_what_is_no_checkpoint_is_refused(path, damage):
    """Cut off, foreign or edited; never overwritten."""
    Checkpoint(path, CLOUDS, method="moctsvm").keep(STUMP, 3.0, 1.0)
    damage(path)
    with pytest.raises(InvalidInputError, match=r"c\.json.*delete"):
        solve(CLOUDS, path)


def test_a_file_that_cannot_be_written_is_known_before_the_solve(tmp_path):
    """And not after hours."""
    with pytest.raises(OSError, match="missing"):
        solve(CLOUDS, tmp_path / "missing" / "c.json")


def test_a_full_disk_is_a_warning(path, monkeypatch):
    """The solve is worth more than its checkpoint."""
    checkpoint = Checkpoint(path, CLOUDS, method="moctsvm")

    def fail(_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.warns(CheckpointWarning, match="disk full"):
        checkpoint.keep(STUMP, 3.0, 1.0)
    assert not list(path.parent.iterdir())


def test_bounds_alone_are_written_now_and_then(path):
    """A solver raises its bound a hundred times in a second."""
    now = 0.0
    checkpoint = Checkpoint(path, CLOUDS, now=lambda: now, method="moctsvm")
    assert checkpoint.is_due()
    checkpoint.keep(STUMP, 3.0, 1.0)
    assert not checkpoint.is_due()
    now = PAUSE
    assert checkpoint.is_due()


def test_a_search_has_no_checkpoint(path):
    """The message says for what it is."""
    with pytest.raises(InvalidInputError, match=r"method='exact'.*'search' was given"):
        solve_by(MOCTSVM(), CLOUDS, How(checkpoint=path))


def test_the_classifier_goes_on_where_it_was(path):
    """Its parameter names the file; a model file does not, in either direction."""
    clf = MOCTSVMClassifier(2, 10, method="exact", checkpoint=str(path)).fit(X, y)
    again = MOCTSVMClassifier(2, 10, method="exact", checkpoint=path, time_limit=0).fit(X, y)
    assert clf.optimal_
    assert again.optimal_
    content = json.loads(to_json(clf))
    assert "checkpoint" not in content["params"]
    content["params"]["checkpoint"] = str(path)
    with pytest.raises(ModelFileError, match="'checkpoint'"):
        from_json(json.dumps(content))


def test_a_checkpoint_of_another_method_is_refused(tmp_path):
    """MOCTSVM and OCTSVM pose the same problem where c1 is c2, but price trees otherwise."""
    problem = MOCTSVM().pose(
        Problem.from_data([[0.0], [0.4], [1.0]], [0, 1, 1], n_classes=2, depth=1),
        max_depth=1,
        c1=20.0,
        c2=20.0,
        c3=0.1,
    )
    how = How("exact", checkpoint=tmp_path / "c.json")
    solve_by(MOCTSVM(), problem, how)
    with pytest.raises(InvalidInputError, match="same problem"):
        solve_by(OCTSVM(), problem, how)
