"""Jobs, and the rows on which they train and test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.data.datasets import load
from margintree.methods.choose import divide
from margintree.study.jobs import canonical, jobs_of
from margintree.study.spec import parse_spec

SPEC = parse_spec(
    "tiny",
    """
data_sets = ["iris", "wine"]
repetitions = 2
folds = 3
[methods.cart]
grid.max_splits = [1]
[methods.oct]
grid.max_splits = [1]
""",
)


def test_every_job_once():
    """Sets, repetitions, folds and methods in all combinations; one repetition after the other."""
    jobs = jobs_of(SPEC)
    assert len(jobs) == len({*jobs}) == 2 * 2 * 3 * 2
    assert [job.repetition for job in jobs] == sorted(job.repetition for job in jobs)
    assert {job.method for job in jobs_of(SPEC, ["wine"], ["oct"])} == {"oct"}


@given(
    counts=st.lists(st.integers(1, 30), min_size=2, max_size=5),
    n_folds=st.integers(2, 6),
    seed=st.integers(0, 99),
)
def test_folds_are_disjoint_and_have_their_share(counts, n_folds, seed):
    """Every row is in one fold; of every class a fold has as many as any other, give or take."""
    y = np.repeat(np.arange(len(counts)), counts)
    if max(counts) < n_folds:
        return
    folds = list(divide(y, n_folds, seed))
    assert sorted(np.concatenate([fold for fold, _ in folds])) == [*range(len(y))]
    for fold, others in folds:
        assert sorted([*fold, *others]) == [*range(len(y))]
        for k, count in enumerate(counts):
            assert abs((y[fold] == k).sum() - count / n_folds) < 1


@pytest.mark.parametrize("name", ["zoo", "breast_cancer"])
def test_rows_do_not_depend_on_the_source(name, shared_data):
    """Bundled or from a folder in another order, the study sees the same."""
    for ours, theirs in zip(canonical(load(name)), canonical(load(name, shared_data)), strict=True):
        assert np.array_equal(ours, theirs)


def test_missing_cells_hold_the_code_of_the_source(shared_data):
    """As the paper most likely had them."""
    X, _ = canonical(load("heart", shared_data))
    assert (X == -9).sum() == 781
