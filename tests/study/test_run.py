"""Runs: the same rows on every backend, after any kill, and with whatever goes wrong in them."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import distributed
import numpy as np
import psutil
import pytest

from margintree._lib.exceptions import InvalidInputError, MargintreeError
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.data.datasets import DATA_VARIABLE, load
from margintree.methods import METHODS
from margintree.methods.choose import divide
from margintree.methods.path import path
from margintree.methods.scoring import nearness
from margintree.study.jobs import canonical, division, jobs_of
from margintree.study.learners import Fit, OutsideLearner
from margintree.study.references import REFERENCES
from margintree.study.run import (
    TASKS_AHEAD,
    Task,
    _calibration_error,
    _client,
    open_jobs,
    run_study,
)
from margintree.study.spec import parse_spec, read_spec
from margintree.study.store import Job, Store

TINY = """
data_sets = ["iris", "zoo"]
repetitions = 3
folds = 5
[nested]
folds = 2
repetitions_of_few = 1
[methods.cart]
grid.max_splits = [1, 2, 7]
[methods.svm-ovo]
grid.C = [0.1, 10.0]
"""
SPEC = parse_spec("tiny", TINY)


@pytest.fixture(autouse=True, scope="module")
def no_data_folder():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(DATA_VARIABLE, raising=False)
        yield


def bare(store):
    """Return the rows without what may differ: seconds and sessions."""
    blank = {"build_seconds": None, "fit_seconds": None, "predict_seconds": None, "session": 0}
    return [row._replace(**blank) for row in store.rows()]


def run_all(path, spec=SPEC, **options):
    store = Store(path)
    run_study(spec, store, **options)
    return store


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the rows of a run that nothing disturbs."""
    return bare(run_all(tmp_path_factory.mktemp("study") / "s.sqlite"))


def task_of(spec, job):
    return Task(spec, job, *canonical(load(job.data_set)))


def test_every_job_has_a_row_for_every_combination_and_the_choice(undisturbed):
    """And all of them are done."""
    assert {row.status for row in undisturbed} == {"done"}
    assert {row.job for row in undisturbed} == {*jobs_of(SPEC)}
    assert len(undisturbed) == 2 * 3 * 5 * (3 + 1 + 2 + 1)


def test_rows_can_be_recomputed(undisturbed):
    """One row by hand: a fifth of the rows trains, the others test."""
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler
    from sklearn.svm import SVC

    (row,) = [
        row
        for row in undisturbed
        if row.job == Job("iris", 2, 3, "svm-ovo")
        and row.reading == "grid"
        and row.parameters == '{"C": 10.0}'
    ]
    X, y = canonical(load("iris"))
    train, test = list(divide(y, 5, seed=2))[3]
    assert (len(train), len(test)) == (30, 120)
    machine = make_pipeline(MinMaxScaler(), SVC(kernel="linear", C=10.0)).fit(X[train], y[train])
    assert row.accuracy == machine.score(X[test], y[test])
    expected = balanced_accuracy_score(y[test], machine.predict(X[test]))
    assert row.balanced_accuracy == pytest.approx(expected)


def test_a_table_of_your_own_takes_part(tmp_path):
    """Found by its path in the data folder; its columns become features by the training rows."""
    rng = np.random.default_rng(0)
    sizes, colours = rng.normal(size=60), rng.choice(["red", "blue", "green"], size=60)
    lines = [f"{s:.3f},{c},{'big' if s > 0 else c}" for s, c in zip(sizes, colours, strict=True)]
    (tmp_path / "mine.csv").write_text("size,colour,kind\n" + "\n".join([*lines, ",red,red"]))
    text = 'data_sets = ["mine.csv", "gone.csv"]\nrepetitions = 2\ntrain = 0.7\n'
    spec = parse_spec("own", text + "[methods.cart]\ngrid.max_splits = [1, 3]\n")
    store = run_all(tmp_path / "s.sqlite", spec, data_dir=tmp_path)
    done = [row for row in store.rows() if row.status == "done"]
    assert {(row.job, row.reading) for row in done} == {
        (Job("mine", repetition, 0, "cart"), reading)
        for repetition in (0, 1)
        for reading in ("grid", "nested")
    }
    assert max(row.accuracy for row in done) > 0.9
    (reason,) = {row.message for row in store.rows() if row.data_set == "gone"}
    assert "gone.csv" in reason


def test_a_share_of_the_rows_trains():
    """Another division in every repetition, with every class in its share."""
    spec = parse_spec("half", TINY.replace("folds = 5", "train = 0.8", 1))
    y = canonical(load("iris"))[1]
    divisions = [division(spec, Job("iris", k, 0, "cart"), y) for k in range(2)]
    for train, test in divisions:
        assert sorted([*train, *test]) == [*range(150)]
        assert np.unique(y[train], return_counts=True)[1].tolist() == [40, 40, 40]
    assert set(divisions[0][0]) != set(divisions[1][0])


def test_a_table_is_encoded_without_a_look_at_its_test_rows():
    """The median that fills in a missing cell, and the categories, are those of training rows."""
    kinds = [["1", "a"], ["1", "b"], ["5", "b"], ["90", "c"], ["", "c"]]
    cells, y = np.array(kinds * 9, dtype=object), np.array([0, 1, 1, 1, 0] * 9)
    train = np.flatnonzero(np.arange(45) % 5 < 3)
    X, X_test = Task(SPEC, Job("mine", 0, 0, "cart"), cells, y)._encoded(train, np.array([3, 4]))
    assert X.tolist() == [[1.0, 1.0], [1.0, 0.0], [5.0, 0.0]] * 9
    assert X_test.tolist() == [[90.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("confidence", "is_right", "error"),
    [
        ([1.0, 1.0, 1.0, 1.0], [True, True, True, True], 0.0),
        ([0.75, 0.75, 0.75, 0.75], [True, True, True, False], 0.0),
        ([0.75, 0.75, 0.25, 0.25], [True, True, False, False], 0.25),
        ([1.0, 1.0, 1.0, 1.0], [False, False, False, False], 1.0),
    ],
)
def test_the_calibration_error_is_the_distance_from_the_shares_that_are_right(
    confidence, is_right, error
):
    """By hand, in groups of similar probability."""
    fit = Fit(predict=None, build_seconds=0, fit_seconds=0, confidence=lambda X: X)
    assert _calibration_error(fit, np.array(confidence), np.array(is_right)) == error


def test_a_probability_that_is_no_number_is_no_error_of_the_row():
    """STree gives NaN where no training row has been; its accuracy counts all the same."""
    fit = Fit(predict=None, build_seconds=0, fit_seconds=0, confidence=lambda X: X)
    assert _calibration_error(fit, np.array([0.5, np.nan]), np.array([True, False])) is None


def test_without_probabilities_there_is_no_calibration_error(undisturbed):
    """Support vector machines give none; trees give the shares of their leaves."""
    for row in undisturbed:
        assert (row.calibration_error is None) == (row.method == "svm-ovo")
        assert row.coefficients >= (row.splits or 0)


def test_a_fit_ends_at_its_limit_of_seconds():
    """And the row says which limits it had."""
    spec = parse_spec("short", TINY.replace("[methods.cart]", "[methods.cart]\nseconds = 7"))
    _, rows = task_of(spec, Job("iris", 0, 0, "cart")).run()
    assert {row.limits for row in rows} == {'{"iterations": null, "seconds": 7}'}


def test_the_nested_choice_sees_no_test_row():
    """Whatever they are, the same combination is chosen, and its row is that of the grid."""
    X, y = canonical(load("zoo"))
    _, test = next(divide(y, SPEC.folds, seed=0))
    other = X.copy()
    other[test] = 0.0
    job = Job("zoo", 0, 0, "cart")
    ours, theirs = (Task(SPEC, job, rows, y).run()[1] for rows in (X, other))
    assert ours[-1].reading == theirs[-1].reading == "nested"
    assert ours[-1].parameters == theirs[-1].parameters
    (same,) = [row for row in ours[:-1] if row.parameters == ours[-1].parameters]
    assert ours[-1].accuracy == same.accuracy


def test_what_is_chosen_is_fitted_as_in_the_choice():
    """As one of the combinations that are chosen from, under the limits of the grid."""
    text = TINY.replace(
        "[methods.cart]",
        """[methods.moctsvm]
iterations = 3
grid = { c1 = [1.0, 100.0], c2 = [0.1, 1.0], c3 = [0.1, 1.0] }
nested_grid = [{ c1 = 100.0, c2 = 0.1, c3 = 0.1 }, { c1 = 1.0, c2 = 1.0, c3 = 1.0 }]
[methods.cart]""",
    )
    spec = parse_spec("tiny", text)
    task = task_of(spec, Job("iris", 1, 2, "moctsvm"))
    row = task.run()[1][-1]
    X, y = canonical(load("iris"))
    y = np.unique(y, return_inverse=True)[1]
    train, test = list(divide(y, spec.folds, seed=1))[2]
    grid, limits = spec.methods["moctsvm"].nested_grid, Limits(iterations=3, seed=0)
    points = [{"max_depth": spec.depth} | dict(point) for point in grid]

    def fits(rows):
        problem = Problem.from_data(X[rows], y[rows], n_classes=3, depth=spec.depth)
        return problem, path(METHODS["moctsvm"], problem, points, limits)

    scores = np.zeros(len(grid))
    for fold, others in divide(y[train], spec.nested.folds, seed=0):
        problem, results = fits(train[others])
        rows = X[train][fold], y[train][fold]
        scores += [nearness(problem, result.tree, *rows).sum() for result in results]
    place = int(scores.argmax())
    tree = fits(train)[1][place].tree
    assert (row.reading, json.loads(row.parameters)) == ("nested", grid[place])
    assert row.splits == tree.n_splits
    assert row.accuracy == (tree.predict(tree.scaling.apply(X[test])) == y[test]).mean()


def test_the_seconds_of_a_choice_have_its_fits_in_them(monkeypatch):
    """Those of two folds with two combinations, and the last one."""
    properly = OutsideLearner._fit

    def slow(*given):
        begin = time.process_time()
        while time.process_time() < begin + 0.02:
            pass
        return properly(*given)

    monkeypatch.setattr(OutsideLearner, "_fit", slow)
    *_, nested = task_of(SPEC, Job("iris", 0, 0, "svm-ovo")).run()[1]
    assert nested.reading == "nested"
    assert nested.fit_seconds > (2 * 2 + 1) * 0.02
    assert nested.build_seconds == 0


def test_a_usual_combination_decides_the_nested_row():
    """It is kept where it is about as good as the best, and not where it is far worse."""
    chosen = {}
    for usual in ("", "usual.max_splits = 7", "usual.max_splits = 1"):
        spec = parse_spec("tiny", TINY.replace("[methods.cart]", f"[methods.cart]\n{usual}"))
        row = task_of(spec, Job("iris", 0, 0, "cart")).run()[1][-1]
        assert row.reading == "nested"
        chosen[usual] = json.loads(row.parameters)["max_splits"]
    assert [*chosen.values()] == [2, 7, 2]


def test_no_choice_where_none_is_asked_for():
    """Without inner repetitions only the grid is left."""
    spec = parse_spec("tiny", TINY.replace("repetitions_of_few = 1", "repetitions_of_few = 0"))
    _, rows = task_of(spec, Job("zoo", 0, 0, "cart")).run()
    assert {row.reading for row in rows} == {"grid"}


def test_what_goes_wrong_is_a_row():
    """A fit that fails says why, and the study goes on."""
    X, y = canonical(load("zoo"))
    job, rows = Task(SPEC, Job("zoo", 0, 0, "svm-ovo"), np.where(X == 4, np.nan, X), y).run()
    assert [(row.status, row.reading) for row in rows] == [("failed", "grid")]
    assert "ValueError: Input X contains NaN" in rows[0].message
    assert rows[0].job == job


def test_what_cannot_be_done_is_skipped_with_its_reason(tmp_path, monkeypatch):
    """More classes than a method knows, a package or a data set that is not there."""
    text = 'data_sets = ["zoo", "parkinson"]\nrepetitions = 1\nfolds = 2\n'
    text += "[methods.octsvm]\ngrid = { c1 = [1], c2 = [1], c3 = [1] }\n"
    text += "[methods.stree]\ngrid.C = [1]\n"
    spec = parse_spec("skips", text)
    missing = replace(REFERENCES["stree"], package="no_such_package")
    monkeypatch.setitem(REFERENCES, "stree", missing)
    store = run_all(tmp_path / "s.sqlite", spec)
    messages = {(row.data_set, row.method): row.message for row in store.rows()}
    assert {row.status for row in store.rows()} == {"skipped"}
    assert "at most 2 classes" in messages["zoo", "octsvm"]
    assert "not installed" in messages["zoo", "stree"]
    assert "comes from a data folder only" in messages["parkinson", "octsvm"]


def test_only_what_is_open_is_done(tmp_path):
    """Finished jobs are left alone, failed ones unless asked for, skipped ones are looked at."""
    store = Store(tmp_path / "s.sqlite")
    session = store.begin(SPEC.name, SPEC.text)
    jobs = jobs_of(SPEC)[:4]
    for job, status in zip(jobs, ("done", "failed", "skipped"), strict=False):
        _, rows = task_of(SPEC, job).run()
        store.write(session, job, [row._replace(status=status) for row in rows])
    assert open_jobs(jobs, store) == jobs[2:]
    assert open_jobs(jobs, store, retry=True) == jobs[1:]
    told = []
    run_study(SPEC, store, data_sets=["iris"], tell=lambda job, _: told.append(job))
    assert {*told} == {job for job in jobs_of(SPEC, ["iris"]) if job not in jobs[:2]}


def test_unknown_names_and_folders_are_refused(tmp_path):
    """Before anything is done."""
    store = Store(tmp_path / "s.sqlite")
    with pytest.raises(InvalidInputError, match="'titanic' was given"):
        run_study(SPEC, store, data_sets=["titanic"])
    with pytest.raises(InvalidInputError, match="'oct' was given"):
        run_study(SPEC, store, methods=["oct"])
    with pytest.raises(InvalidInputError, match="number of processes"):
        run_study(SPEC, store, n_jobs=0)
    with pytest.raises(InvalidInputError, match="must be an existing folder"):
        run_study(SPEC, store, data_dir=tmp_path / "missing")
    assert store.sessions() == []


def test_a_study_is_not_resumed_with_other_data(tmp_path, shared_data):
    """Iris as scikit-learn has it and iris as UCI has it are equally large and not the same."""
    store = run_all(tmp_path / "s.sqlite", data_sets=["iris"], methods=["cart"])
    before = store.rows()
    with pytest.raises(InvalidInputError, match="on iris were done on another"):
        run_study(SPEC, store, data_dir=shared_data)
    assert store.rows() == before
    run_study(SPEC, store, data_sets=["zoo"], methods=["cart"], data_dir=shared_data)
    assert len(store.jobs("done")) == 2 * 15


def test_processes_give_the_same_rows(tmp_path, undisturbed):
    """Two of joblib's."""
    assert bare(run_all(tmp_path / "s.sqlite", n_jobs=2)) == undisturbed


def test_a_process_that_is_killed_is_told_of_and_takes_nothing_with_it(tmp_path, undisturbed):
    """The study ends with advice, and goes on from there."""
    killed = []

    def kill(*_):
        if not killed:
            workers = psutil.Process().children(recursive=True)
            killed.extend(one for one in workers if "popen_loky" in " ".join(one.cmdline()))
            killed[0].kill()

    with pytest.raises(MargintreeError, match="with fewer processes"):
        run_all(tmp_path / "s.sqlite", n_jobs=2, tell=kill)
    assert 0 < len(bare(Store(tmp_path / "s.sqlite"))) < len(undisturbed)
    assert bare(run_all(tmp_path / "s.sqlite")) == undisturbed


RUNNER = """
import sys
from margintree.study.run import run_study
from margintree.study.spec import read_spec
from margintree.study.store import Store
store = Store(sys.argv[2])
run_study(read_spec(sys.argv[1]), store, tell=lambda job, rows: print(job, flush=True))
"""


def start(folder):
    """Start a process that runs the study of a folder."""
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    arguments = [folder / "tiny.toml", folder / "s.sqlite"]
    return subprocess.Popen(
        [sys.executable, "-c", RUNNER, *arguments], stdout=subprocess.PIPE, text=True
    )


def test_killed_ten_times_and_resumed(tmp_path, undisturbed):
    """At random moments: no row is lost, none doubled, and none differs."""
    luck, n_told = random.Random(0), 0
    for _ in range(10):
        with start(tmp_path) as process:
            n_seen = luck.randrange(5)
            told = [process.stdout.readline() for _ in range(n_seen)]
            time.sleep(luck.uniform(0, 0.02))
            process.send_signal(signal.SIGKILL)
        n_told += sum(map(bool, told))
        assert n_told <= len(Store(tmp_path / "s.sqlite").jobs()) < len(jobs_of(SPEC))
    assert n_told > 0
    with start(tmp_path) as process:
        process.communicate()
    assert process.returncode == 0
    assert bare(Store(tmp_path / "s.sqlite")) == undisturbed


def test_two_processes_on_one_store(tmp_path, undisturbed):
    """They do some jobs twice, and the rows are those of one process."""
    with start(tmp_path) as one, start(tmp_path) as other:
        one.communicate()
        other.communicate()
    assert one.returncode == other.returncode == 0
    assert bare(Store(tmp_path / "s.sqlite")) == undisturbed


NEWER = """
data_sets = ["iris", "own.csv"]
repetitions = 2
train = 0.15
[nested]
folds = 2
repetitions_of_few = 1
[methods.moctsvm-default]
[methods.octh-margin]
iterations = 3
grid.alpha = [0.001, 0.1]
[methods.class-tree-products]
last_fit = "average"
grid.C = [1.0, 100.0]
grid.space = ["whitened", "quadratic"]
"""


def test_newer_methods_and_own_tables_are_killed_and_resumed_too(tmp_path, monkeypatch):
    """The choice that users get, margin planes and class trees; two processes end it."""
    rng = np.random.default_rng(3)
    rows = [f"{x:.3f},{z},{'ab'[int(x > 0.5)]}" for x, z in rng.random((60, 2)).round(3)]
    (tmp_path / "own.csv").write_text("\n".join(["x,z,kind", *rows]), encoding="utf-8")
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    spec = parse_spec("newer", NEWER)
    whole = bare(run_all(tmp_path / "whole.sqlite", spec))
    assert {row.status for row in whole} == {"done"}
    assert {row.reading for row in whole if row.method == "moctsvm-default"} == {"grid", "nested"}

    class KilledError(Exception):
        pass

    def kill(*_):
        raise KilledError

    n_done = []
    for _ in range(3):
        with pytest.raises(KilledError):
            run_all(tmp_path / "s.sqlite", spec, tell=kill)
        n_done.append(len(Store(tmp_path / "s.sqlite").jobs()))
    assert n_done == [1, 2, 3]
    assert bare(run_all(tmp_path / "s.sqlite", spec, n_jobs=2)) == whole


def test_a_cluster_of_its_own_leaves_the_usual_port_to_others():
    """Dask would take 8787, where a person may be looking at another cluster."""
    with _client(distributed, "local", 1) as client:
        assert client.cluster.scheduler.services["dashboard"] is not None
        listening = client.cluster.scheduler.http_server._sockets.values()
        assert 8787 not in {socket.getsockname()[1] for socket in listening}


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """Return the store of a run of the smallest study of the package."""
    return run_all(tmp_path_factory.mktemp("smoke") / "s.sqlite", read_spec("smoke"))


def test_the_smallest_study(smoke):
    """All methods, nothing fails, and only OCTSVM is skipped: both sets have three classes."""
    rows = smoke.rows()
    assert {row.method for row in rows} == {*read_spec("smoke").methods}
    assert {row.method for row in rows if row.status == "skipped"} == {"octsvm"}
    assert not [row.message for row in rows if row.status == "failed"]
    trees = [row for row in rows if row.status == "done" and row.objective is not None]
    assert {row.method for row in trees} == {*METHODS, "octh-margin", "class-tree-products"} - {
        "octsvm"
    }
    assert all(row.bound <= row.objective for row in trees)
    best = max(row.accuracy for row in rows if row.method == "moctsvm")
    assert best > 0.9


def test_a_cluster_gives_the_same_rows(tmp_path, smoke):
    """Two worker processes of Dask on this machine."""
    store = run_all(tmp_path / "s.sqlite", read_spec("smoke"), dask="local", n_jobs=2)
    assert bare(store) == bare(smoke)


def test_a_worker_that_dies_takes_nothing_with_it(tmp_path, undisturbed):
    """Its jobs are done by others, and the rows are the same."""
    killed = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:

        def kill(*_):
            if not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        store = run_all(tmp_path / "s.sqlite", dask=cluster.scheduler_address, tell=kill)
    assert killed
    assert bare(store) == undisturbed


def test_workers_that_join_later_get_work(tmp_path, undisturbed):
    """The cluster has as many jobs ahead as it has threads now."""
    in_flight = []
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:

        def grow(*_):
            cluster.scale(2)
            while len(cluster.scheduler.workers) < 2:
                time.sleep(0.01)
            tasks = [*cluster.scheduler.tasks.values()]
            in_flight.append(sum(task.state in ("processing", "queued") for task in tasks))

        store = run_all(tmp_path / "s.sqlite", dask=cluster.scheduler_address, tell=grow)
    assert in_flight[0] < TASKS_AHEAD < max(in_flight)
    assert bare(store) == undisturbed
