"""What rows say: the choice on the grid, means over folds and repetitions, and what is missing."""

import json
import math
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import synthetic_rows
from margintree.study.result_tables import printed
from margintree.study.spec import parse_spec
from margintree.study.summary import Key, Spread, best, choice_efforts, grid_efforts, summarise

IRIS = Key("iris", "cart", "grid")


def brute_force(rows, data_set, method):
    """Return the accuracies of all repetitions on the grid: of all combinations, the best mean."""
    chosen = [r for r in rows if (r.data_set, r.method, r.reading) == (data_set, method, "grid")]
    return [
        max(
            fmean(r.accuracy for r in chosen if r.repetition == number and r.parameters == tried)
            for tried in {r.parameters for r in chosen}
        )
        for number in sorted({r.repetition for r in chosen})
    ]


@given(st.integers(0, 99), st.integers(1, 3), st.integers(1, 3))
def test_the_grid_is_what_brute_force_finds(seed, repetitions, folds):
    """Mean and standard deviation of the best combinations, however many there are."""
    rows = synthetic_rows.study(("iris", "wine"), ("cart", "oct"), repetitions, folds, seed=seed)
    summary = summarise(rows)
    for data_set in ("iris", "wine"):
        expected = brute_force(rows, data_set, "oct")
        spread = summary.spread(Key(data_set, "oct", "grid"))
        assert spread.mean == pytest.approx(fmean(expected))
        assert spread.repetitions == repetitions
        if repetitions > 1:
            assert spread.sd == pytest.approx(stdev(expected), abs=1e-12)
        else:
            assert math.isnan(spread.sd)


@given(st.randoms(use_true_random=False), st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(shuffler, seed):
    """Neither for numbers nor for what is missing."""
    rows = synthetic_rows.study(("iris", "wine"), ("cart", "oct"), seed=seed)
    rows += synthetic_rows.absent("zoo", "oct", "failed", "b")
    rows += synthetic_rows.absent("zoo", "cart", "failed", "a")
    shuffled = shuffler.sample(rows, len(rows))
    assert summarise(shuffled) == summarise(rows)


@given(st.integers(0, 99), st.integers(1, 3), st.integers(1, 4))
def test_the_best_in_every_fold_is_what_brute_force_finds(seed, repetitions, folds):
    """The mean over folds of the largest accuracy there, never below the best by repetition."""
    rows = synthetic_rows.study(("iris",), ("cart",), repetitions, folds, seed=seed)
    summary = summarise(rows)
    folded, whole = (
        summary.values(Key("iris", "cart", reading), "accuracy") for reading in ("fold", "grid")
    )
    for number in range(repetitions):
        grid = [row for row in rows if row.reading == "grid" and row.repetition == number]
        most = (max(row.accuracy for row in grid if row.fold == fold) for fold in range(folds))
        assert folded[number] == pytest.approx(fmean(most))
        assert folded[number] >= whole[number] - 1e-12


def test_nested_is_the_mean_of_its_folds():
    """Whatever was chosen in each."""
    rows = [
        synthetic_rows.done("iris", 0, fold, "cart", "nested", {"c": fold}, accuracy)
        for fold, accuracy in enumerate((0.5, 0.75))
    ]
    (found,) = summarise(rows).repetitions[Key("iris", "cart", "nested")]
    assert (found.accuracy, found.parameters) == (0.625, "")


@pytest.mark.parametrize(
    ("rivals", "chosen"),
    [
        ([(10, 0.8, 3), (9, 0.9, 3)], 9),
        ([(10, 0.9, 2), (9, 0.9, 3)], 10),
        ([(10, 0.9, 3), (9, 0.9, 3)], 9),
    ],
    ids=["higher accuracy", "fewer splits", "smaller parameters, by size and not by text"],
)
def test_ties_on_the_grid(rivals, chosen):
    """Accuracy first, then splits, then the parameters."""
    rows = [
        synthetic_rows.done("iris", 0, 0, "cart", "grid", {"c": c}, accuracy, splits=splits)
        for c, accuracy, splits in rivals
    ]
    (found,) = summarise(rows).repetitions[IRIS]
    assert json.loads(found.parameters) == {"c": chosen}


def test_accuracies_that_differ_by_rounding_alone_are_ties():
    """0.1 + 0.2 is not 0.3 on a computer, and must not win for that."""
    rows = [
        synthetic_rows.done("iris", 0, fold, "cart", "grid", {"c": c}, accuracy, splits=splits)
        for c, splits, accuracies in ((1, 5, (0.1, 0.2, 0.3)), (2, 4, (0.2, 0.2, 0.2)))
        for fold, accuracy in enumerate(accuracies)
    ]
    (found,) = summarise(rows).repetitions[IRIS]
    assert found.splits == 4


def test_what_is_not_done_on_every_fold_does_not_count():
    """A combination that failed on a fold cannot be the best; a repetition can lack all."""
    rows = synthetic_rows.study(("iris",), ("cart", "oct"), repetitions=2, folds=2)
    lost = [r for r in rows if r.job == ("iris", 1, 0, "cart") or '"c": 10' in r.parameters]
    summary = summarise([r for r in rows if r not in lost])
    assert [one.number for one in summary.repetitions[IRIS]] == [0]
    assert summary.spread(Key("iris", "oct", "grid")).repetitions == 2
    assert all('"c": 10' not in one.parameters for one in summary.repetitions[IRIS])


def test_a_study_with_some_of_its_folds_is_not_complete():
    """What the specification asks for counts, not what is there."""
    rows = synthetic_rows.study(("iris",), ("cart",), repetitions=2, folds=2)
    some = [row for row in rows if row.repetition == 0 or row.fold == 0]
    spec = parse_spec("tiny", synthetic_rows.spec_text(repetitions=3, folds=2))
    summary = summarise(some, spec)
    assert [one.number for one in summary.repetitions[IRIS]] == [0]
    assert (summary.count(IRIS), summary.planned) == (1, 3)
    five = parse_spec("tiny", synthetic_rows.spec_text(folds=5))
    assert summarise(rows, five).repetitions == {}


def test_what_is_no_tree_has_no_splits():
    """A measure without numbers is told apart from zero."""
    summary = summarise(synthetic_rows.study(("iris",), ("svm-ovo",)))
    assert summary.spread(Key("iris", "svm-ovo", "grid"), "splits") is None
    assert np.isnan(summary.means("grid", "splits")).all()
    assert summary.spread(Key("iris", "svm-ovo", "grid"), "seconds").mean > 0


def test_failed_and_skipped_rows_are_grouped_by_their_reason():
    """Counted, with all their methods and data sets."""
    rows = [
        *synthetic_rows.study(("iris",), ("cart", "oct")),
        *(
            r
            for m in ("cart", "oct")
            for r in synthetic_rows.absent("zoo", m, "skipped", "no file")
        ),
        *synthetic_rows.absent("iris", "oct", "failed", "boom", repetitions=1),
    ]
    summary = summarise(rows)
    assert summary.absences == (
        ("failed", "boom", ("oct",), ("iris",), 2),
        ("skipped", "no file", ("cart", "oct"), ("zoo",), 8),
    )
    assert summary.status("iris", "oct") == "failed"
    assert summary.status("zoo", "cart") == "skipped"
    assert summary.status("iris", "cart") == ""
    assert summary.data_sets == ("iris", "zoo")


def test_a_choice_is_timed_with_its_fit():
    """A nested row has the seconds of both, and those of posing the problem."""
    rows = [
        synthetic_rows.done("iris", 0, 0, "cart", reading, {"c": 1}, 0.9, fit_seconds=seconds)
        for reading, seconds in (("grid", 0.25), ("nested", 1.75))
    ]
    effort = choice_efforts(rows)["iris", "cart"]
    assert (effort.count, effort.each()) == (1, 1.751)
    assert choice_efforts(rows[:1]) == {}


def test_speed_counts_the_fits_of_the_grid():
    """Nested fits and failures are left out."""
    rows = synthetic_rows.study(("iris",), ("cart",), repetitions=1, folds=2, costs=(1, 2))
    effort = grid_efforts(rows + synthetic_rows.absent("iris", "cart", "failed", ""))[
        "iris", "cart"
    ]
    grid = [r for r in rows if r.reading == "grid"]
    assert effort.count == 4
    assert effort.per_second() == pytest.approx(
        4 / sum(r.build_seconds + r.fit_seconds for r in grid)
    )


@given(st.lists(st.floats(0, 1) | st.just(math.nan), min_size=1))
def test_the_best_are_the_largest(values):
    """All of them, and only numbers."""
    found = best(values)
    known = [value for value in values if not math.isnan(value)]
    assert bool(found) == bool(known)
    assert all(values[j] >= max(known) - 1e-11 for j in found)


def test_an_empty_study_has_an_empty_summary():
    """Nothing to show is no error."""
    summary = summarise([])
    assert (summary.readings, summary.means("grid").shape) == ((), (0, 0))


def test_the_printed_numbers_are_those_of_the_paper():
    """Thirteen data sets, and the mean that the study is measured by."""
    ours = [spread for (_, method), spread in printed().items() if method == "moctsvm"]
    assert len(ours) == 13
    assert fmean(spread.mean for spread in ours) == pytest.approx(86.995, abs=1e-3)
    assert printed()["heart", "oct"] == Spread(65.14, 1.57, 5)


def test_the_printed_numbers_agree_with_the_copy_of_the_paper(shared_data):
    """Digit by digit, where the copy is at hand."""
    from importlib.resources import files

    text = files("margintree.study").joinpath("printed.csv").read_text(encoding="utf-8")
    copy = shared_data.parent / "paper" / "table1.csv"
    assert text.split() == copy.read_text(encoding="utf-8").split()
