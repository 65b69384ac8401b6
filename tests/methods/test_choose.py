"""The choice of parameters: what is tried, what is preferred, and what an interrupt leaves."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree.core.limits import Limits
from margintree.core.tree import ObliqueTree
from margintree.methods import CART, MOCTSVM
from margintree.methods import choose as choose_module
from margintree.methods.choose import (
    DOUBT,
    Choice,
    Data,
    TreeCandidates,
    Trial,
    best_index,
    choose,
    divide,
    results,
    share_errors,
    thin,
)
from margintree.methods.path import path

RNG = np.random.default_rng(0)
X = RNG.random((60, 2))
DATA = Data(X, (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.7), np.ones(60), 3)
POINTS = [{"max_depth": 2, "max_splits": k} for k in (0, 1, 3)]
DIVISIONS = [(others, fold) for fold, others in divide(DATA.y, 3, seed=0)]


@given(
    hnp.arrays(float, 6, elements=st.sampled_from([0.5, 0.7, 0.71, 0.9])),
    hnp.arrays(float, 6, elements=st.integers(0, 3)),
)
def test_the_best_scores_highest_with_fewest_splits_and_comes_first(scores, splits):
    """In this order."""
    best = best_index(scores, splits)
    assert scores[best] == scores.max()
    equal = np.flatnonzero(scores == scores.max())
    assert splits[best] == splits[equal].min()
    assert best == min(k for k in equal if splits[k] == splits[best])


@given(
    hnp.arrays(float, 5, elements=st.floats(0.0, 1.0, width=16)),
    st.integers(0, 4),
    st.sampled_from([10.0, 100.0, 1e9]),
)
def test_the_usual_one_is_kept_in_doubt(scores, usual, n_rows):
    """Unless another is better by half a standard error of its score."""
    splits = np.zeros(5)
    errors, best = share_errors(scores, n_rows), best_index(scores, splits)
    chosen = best_index(scores, splits, usual, errors)
    error = np.sqrt(scores[best] * (1 - scores[best]) / n_rows)
    is_clear = scores[best] - scores[usual] > DOUBT * error
    assert chosen == (best if is_clear else usual)


@given(st.integers(2, 5), st.integers(0, 99))
def test_every_row_is_in_one_fold(n_folds, seed):
    """And in the others of all other folds; every fold has its share of every class."""
    y = np.random.default_rng(seed).permutation(np.repeat([0, 1, 2], [20, 10, 5]))
    folds = list(divide(y, n_folds, seed))
    assert len(folds) == n_folds
    assert sorted(np.concatenate([fold for fold, _ in folds])) == list(range(len(y)))
    for fold, others in folds:
        assert sorted([*fold, *others]) == list(range(len(y)))
        assert np.abs(np.bincount(y[fold], minlength=3) - np.array([20, 10, 5]) / n_folds).max() < 1


@given(st.integers(1, 80), st.integers(0, 99))
def test_a_thinned_table_keeps_the_shares_of_classes(size, seed):
    """As well as whole rows can; different rows, in their order."""
    y = np.repeat([0, 1], [40, 20])
    rows = thin(y, size, seed)
    assert len(set(rows)) == len(rows) == min(size, 60)
    assert (np.diff(rows) > 0).all()
    if size >= 3:
        assert abs((y[rows] == 0).mean() - 2 / 3) <= 1.5 / len(rows)


def test_data_are_the_same_however_they_are_given():
    """Copies are weights, and rows of weight zero are left out."""
    order = np.random.default_rng(1).permutation(60)
    twice = np.r_[order, order[:7]]
    weights = np.ones(60)
    weights[order[:7]] = 2.0
    one = Data(X, DATA.y, weights, 3).distinct(9)
    other = Data(X[twice], DATA.y[twice], np.ones(67), 3).distinct(9)
    for name in ("X", "y", "weights"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    without = Data(X, DATA.y, np.where(weights > 1, 0.0, 1.0), 3).distinct(9)
    assert len(without.X) == 53
    assert one.problem().row_weights.sum() == pytest.approx(67)


def test_rows_with_many_copies_are_in_several_folds():
    """They share the weight of all copies; other rows stay whole, and all do if copies are few."""

    def parted(copies, weights=2.0, n_folds=3):
        rows = np.repeat([[0.0], [1.0], [2.0]], copies, axis=0)
        labels = np.zeros(len(rows), dtype=int)
        data = Data(rows, labels, weights * np.ones(len(rows)), 1, np.array([0.5]))
        parts = data.distinct(n_folds)
        return list(zip(parts.X.ravel().tolist(), parts.weights.tolist(), strict=True))

    assert parted([2, 6, 1]) == [(0.0, 4.0), (1.0, 4.0), (1.0, 4.0), (1.0, 4.0), (2.0, 2.0)]
    assert parted([2, 4, 1]) == [(0.0, 4.0), (1.0, 8.0), (2.0, 2.0)]
    uneven = np.linspace(1, 1.7, 9)
    assert [row for row, _ in parted([2, 6, 1], uneven)] == [0.0, 1.0, 2.0]


def candidates(method=None, points=POINTS, **more):
    how = {"limits": Limits(iterations=2)} | more
    return TreeCandidates(method or CART(), DATA, points, **how)


def test_every_combination_has_a_trial():
    """Its score is the mean over the test rows, its tree is there, and so is its size."""
    learn, test = DIVISIONS[0]
    trials = candidates().try_on((learn, test), np.inf)
    assert trials[0].n_splits == 0 < trials[2].n_splits
    for point, trial in zip(POINTS, trials, strict=True):
        predicted = trial.tree.predict(trial.tree.scaling.apply(X[test]))
        assert trial.score == pytest.approx((predicted == DATA.y[test]).mean())
        assert trial.n_splits == trial.tree.n_splits <= point["max_splits"]
        assert not trial.was_cut_short


def test_a_row_weighs_the_same_in_a_sample_as_among_all_rows():
    """So with more rows a larger tree pays."""
    trials = candidates(most_rows=15).try_on(DIVISIONS[0], np.inf)
    assert all(trial.tree.leaf_mass.sum() == pytest.approx(15) for trial in trials)


def test_a_trial_without_time_is_cut_short():
    """It has a tree, and says so."""
    points = [{"max_depth": 2, "c1": c1, "c2": 1.0, "c3": 0.1} for c1 in (10.0, 100.0)]
    trials = candidates(MOCTSVM(), points).try_on(DIVISIONS[0], 0.0)
    assert all(trial.was_cut_short and trial.tree.n_splits == 0 for trial in trials)


def test_fair_candidates_share_the_time(monkeypatch):
    """Those of one depth have one path, and its searches share the time if they shall."""
    seen = []

    def noted(*args, **more):
        seen.append(more)
        return path(*args, **more)

    monkeypatch.setattr(choose_module, "path", noted)
    for is_fair in (False, True):
        candidates(is_fair=is_fair).try_on(DIVISIONS[0], np.inf)
    assert seen == [{"is_fair": False}, {"is_fair": True}]


def run(groups=None, divisions=DIVISIONS, **more):
    """Return the trials of all divisions."""
    return list(choose(groups or [candidates()], divisions, **more))


def test_processes_do_not_change_the_choice():
    """One or two of them, division by division in order."""
    groups = [candidates(), candidates(points=[{"max_depth": 1}])]
    one, two = run(groups), run(groups, n_jobs=2)
    assert [[trial.score for trial in fold] for fold in one] == [
        [trial.score for trial in fold] for fold in two
    ]
    assert [len(fold) for fold in one] == [4, 4, 4]


def test_every_finished_group_is_told_of():
    """In words that people understand."""
    said = []
    run(tell=said.append)
    assert len(said) == 3
    assert re.match(
        r"1 of \d searches done, about \d+ s left, best on a fold 0\.\d+ \(fold 1 of 3, depth 2\)",
        said[0],
    )


@dataclass(frozen=True)
class Noted:
    """Candidates that only note how long they were given."""

    seconds: list

    def try_on(self, _division, seconds):
        """Return one trial."""
        self.seconds.append(seconds)
        return [Trial(0.5, 1)]

    def __str__(self):
        return "nothing"


def test_time_is_shared_among_those_that_are_left():
    """What one leaves is there for those after it."""
    noted = Noted([])
    run([noted, noted], DIVISIONS, seconds=600.0)
    shares = [600 / left for left in (6, 5, 4, 3, 2, 1)]
    assert noted.seconds == pytest.approx(shares, rel=0.05)
    free = Noted([])
    run([free], DIVISIONS)
    assert free.seconds == [np.inf] * 3


def choice(n_done=3, **more):
    folds = [[Trial(0.5, 0), Trial(0.8, 1), Trial(0.8, 3)]] * n_done
    return Choice(POINTS, folds, np.array([20.0, 20.0, 20.0]), **more)


def test_a_choice_weighs_divisions_by_their_test_rows():
    """A fold with more rows counts more."""
    folds = [[Trial(1.0, 2)], [Trial(0.0, 4)]]
    weighed = Choice(POINTS[:1], folds, np.array([3.0, 1.0]))
    assert weighed.mean_scores.tolist() == [0.75]
    assert weighed.mean_splits.tolist() == [3.0]


def test_a_choice_in_the_form_of_scikit_learn():
    """Ranks begin at 1, equal scores share one, and every parameter has its column."""
    table = results([choice()])
    assert table["params"] == POINTS
    assert table["param_max_splits"].tolist() == [0, 1, 3]
    assert table["rank_test_score"].tolist() == [3, 1, 1]
    assert table["mean_test_score"].tolist() == [0.5, 0.8, 0.8]
    assert table["std_test_score"].tolist() == pytest.approx([0, 0, 0])
    assert table["split2_test_score"].tolist() == [0.5, 0.8, 0.8]
    assert choice().best == 1
    assert choice(usual=2, n_rows=60.0).best == 2


def choice_of(scores, coefficients=None, **more):
    """Return a choice with these scores, one line per division."""
    trees = [
        None if count is None else ObliqueTree.stump(np.ones(count), 0.0, [0, 1], 2)
        for count in coefficients or [None] * len(scores[0])
    ]
    points = [{"max_depth": 1, "max_splits": k} for k in range(len(scores[0]))]
    folds = [[Trial(score, 1, tree) for score, tree in zip(s, trees, strict=True)] for s in scores]
    return Choice(points, folds, np.ones(len(scores)), **more)


def test_scores_outside_0_to_1_have_their_error_over_the_divisions():
    """So doubt is as large for losses as for shares of rows."""
    scores = [[-3.0, -2.9], [-1.0, -0.8]]
    found = choice_of(scores, usual=0, n_rows=1e9)
    np.testing.assert_allclose(found.errors, [1.0, 1.05])
    assert found.best == 0
    assert choice_of([[-3.0, -0.9], [-3.2, -0.8]], usual=0).best == 1
    assert choice_of([[-3.0, -2.9]], usual=0).best == 1  # one division has no error
    shares = choice_of(scores).shares(1)
    assert 0 < shares[0] < shares[1] < 1


@pytest.mark.parametrize("others", [[0.1, 0.2], [-3.0, -2.0]])
def test_a_score_that_is_no_number_never_wins(others):
    """Not even against negative ones; it comes last in the ranks."""
    scores = [[np.nan, *others], [0.9, *others]]
    found = choice_of(scores)
    assert found.best == 2
    assert found.ranking == [2, 1, 0]
    assert choice_of(scores, usual=0).best == 2
    assert choice_of(scores, levels=[0, 1, 1]).best == 2
    assert results([found])["rank_test_score"].tolist() == [3, 2, 1]


def test_the_simplest_is_no_harder_to_read_than_the_best_and_keeps_the_usual_one():
    """Few coefficients are no reason to take a kernel, or to leave the usual combination."""
    scores, coefficients = [[0.90, 0.89, 0.89], [0.80, 0.80, 0.79]], [9, 5, 2]
    options = {"simplest_within": 1.0, "n_rows": 1e4}
    assert choice_of(scores, coefficients, **options).best == 2
    assert choice_of(scores, coefficients, levels=[1, 0, 2], **options).best == 1
    assert choice_of(scores, coefficients, usual=0, **options).best == 0
    scores = [[*fold, 0.5] for fold in scores]
    assert choice_of(scores, [*coefficients, 1], usual=3, **options).best == 2


@pytest.mark.parametrize("usual_score", [0.5, 0.9])
def test_the_best_is_close_to_itself_where_the_usual_one_is_harder_to_read(usual_score):
    """A usual combination in a higher space gives way to an equally good one in a lower one."""
    scores = [[0.9, usual_score], [0.8, usual_score - 0.1]]
    options = {"usual": 1, "levels": [0, 1], "simplest_within": 1.0, "n_rows": 100.0}
    assert choice_of(scores, [9, 2], **options).best == 0


def test_an_interrupted_choice_uses_what_is_finished():
    """With nothing finished the first combination is as good as any."""
    assert choice(2).was_interrupted
    assert not choice(2).is_complete
    assert choice(2).best == 1
    nothing = choice(0)
    assert np.isnan(nothing.mean_scores).all()
    assert nothing.best == 0
    assert nothing.trees(0) == []
    assert results([nothing])["rank_test_score"].tolist() == [1, 1, 1]
    assert nothing.is_kept_by(0.0, 0)


def test_a_choice_is_complete_unless_a_fit_was_cut_short():
    """All divisions alone are not enough."""
    assert choice().is_complete
    short = [[Trial(0.5, 0, None, True)]] * 3
    assert not Choice(POINTS[:1], short, np.ones(3)).is_complete
    assert not Choice(POINTS[:1], short, np.ones(3)).was_interrupted


def test_a_third_of_the_combinations_goes_on():
    """The best ones, at least four, and the usual one in any case."""
    points = [{"max_depth": 1, "max_splits": k} for k in range(20)]
    fold = [Trial(k / 20, k % 3) for k in range(20)]
    assert Choice(points, [fold], np.ones(1)).survivors == [13, 14, 15, 16, 17, 18, 19]
    assert Choice(points, [fold], np.ones(1), usual=2).survivors == [2, *range(13, 20)]
    assert Choice(points[:5], [fold[:5]], np.ones(1)).survivors == [1, 2, 3, 4]
    assert Choice(points, [fold], np.ones(1)).ranking[:3] == [19, 18, 17]


def test_rounds_make_one_table():
    """The last round comes first in the ranks; folds that a round did not use are NaN."""
    first = Choice(POINTS, [[Trial(0.9, 0), Trial(0.8, 1), Trial(0.7, 3)]], np.ones(1))
    fold = [Trial(0.6, 0), Trial(0.8, 1)]
    table = results([first, Choice(POINTS[:2], [fold, fold], np.ones(2))])
    assert table["params"] == [*POINTS, *POINTS[:2]]
    assert table["iter"].tolist() == [0, 0, 0, 1, 1]
    assert table["rank_test_score"].tolist() == [3, 4, 5, 2, 1]
    assert table["split0_test_score"].tolist() == [0.9, 0.8, 0.7, 0.6, 0.8]
    assert np.isnan(table["split1_test_score"]).tolist() == [True, True, True, False, False]


def test_a_promise_is_broken_by_a_clearly_lower_score():
    """Two standard deviations over folds, and a hundredth, are allowed."""
    folds = [[Trial(0.8, 1)], [Trial(0.9, 1)]]
    kept = Choice(POINTS[:1], folds, np.ones(2))
    assert kept.is_kept_by(0.75, 0)
    assert not kept.is_kept_by(0.74, 0)
