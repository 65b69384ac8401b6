"""Programs as arrays."""

import numpy as np
import pytest

from margintree.core.problem import Costs, Problem
from margintree.exact.programs import Strengthening, build
from margintree.exact.programs.program import merge, rows, total
from margintree.testing.standard_programs import cone, infeasible, linear, small_cover


@pytest.fixture
def problem():
    return Problem.from_data(
        [[0.0, 1.0], [0.3, 0.4], [1.0, 0.0]], [0, 1, 2], n_classes=3, depth=2, costs=Costs(2, 1, 1)
    )


def test_values_are_priced():
    """The objective is linear."""
    assert linear().evaluate(np.array([0.5, 0.5])) == 1.5


@pytest.mark.parametrize(
    ("program", "values", "expected"),
    [
        (linear(), [0.5, 0.5], 0.0),
        (linear(), [0.5, 0.25], 0.25),
        (linear(), [-0.5, 1.5], 0.5),
        (small_cover(), [1, 0, 0.9], 0.4),
        (cone("squared"), [0.25, 1.0, 1.0], 0.75),
        (infeasible(), [1, 1], 1.0),
    ],
)
def test_the_largest_violation_counts(program, values, expected):
    """Rows, bounds, integrality and cones all count."""
    assert program.violation(np.array(values, dtype=float)) == pytest.approx(expected)


def test_families_and_blocks_are_found_by_name(problem):
    """Every row has a family and every variable a block."""
    for strengthening in (Strengthening.none(), Strengthening.default()):
        program = build(problem, 4.0, strengthening)
        rows_named = sum(part.stop - part.start for part in program.families.values())
        assert rows_named == program.n_rows
        assert sum(block.size for block in program.blocks.values()) == program.n_variables
        assert program.matrix.shape == (program.n_rows, program.n_variables)


def test_the_literal_model_has_the_families_of_the_paper(problem):
    """Nothing is added to the literal model."""
    program = build(problem, 4.0, Strengthening.none())
    families = ["c2a", "c2b", "c3", "c4", "c5a", "c5b", "c6a", "c6b", "c6c", "c6d", "c7", "c8", "r"]
    assert list(program.families) == families
    assert len(program.cones) == 3


def test_c8_has_the_constant_of_the_correction(problem):
    """Class by class the constant of C8 is n - n_k; the single constant is n."""
    by_class = build(problem, 4.0, Strengthening.of({"classwise_c8"}))
    single = build(problem, 4.0, Strengthening.none())
    assert (by_class.row_lower[by_class.families["c8"]] == -2.0).all()
    assert (single.row_lower[single.families["c8"]] == -3.0).all()


def test_rows_broadcast():
    """Terms of different shapes give one row per entry of the common shape."""
    made = rows([(1.0, np.array([[0], [1]])), (2.0, np.array([[5, 6]]))], upper=[1.0, 2.0])
    assert made.columns.tolist() == [[0, 5], [0, 6], [1, 5], [1, 6]]
    assert made.upper.tolist() == [1.0, 2.0, 1.0, 2.0]


def test_totals_sum_over_the_first_axis():
    """A total has one term for every entry along the first axis."""
    made = rows(total(1.0, np.array([[0, 1], [2, 3]])), upper=1.0)
    assert made.columns.tolist() == [[0, 2], [1, 3]]


def test_merged_rows_may_differ_in_length():
    """Shorter rows are filled up with zeros, and nothing merges to nothing."""
    short, long = rows([(1.0, np.array([3]))]), rows([(1.0, np.array([1])), (2.0, np.array([2]))])
    assert merge([short, long]).coefficients.tolist() == [[1.0, 0.0], [1.0, 2.0]]
    assert len(merge([]).lower) == 0


def test_values_are_filled_in_by_name(problem):
    """Whole blocks, or one number for a block; all others are 0. An unknown name is an error."""
    program = build(problem, 4.0, Strengthening.none())
    weights = np.arange(program.block("w").size, dtype=float).reshape(program.block("w").shape)
    values = program.filled({"w": weights, "delta": 3.0})
    np.testing.assert_array_equal(values[program.block("w")], weights)
    assert values[program.block("delta")] == 3.0
    assert values.sum() == weights.sum() + 3.0
    with pytest.raises(KeyError):
        program.filled({"no such block": 1.0})
