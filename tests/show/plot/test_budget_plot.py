"""The picture of a choice over budgets shows its numbers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from margintree import InvalidInputError, MOCTSVMClassifier, TreeClassifierCV
from margintree.show.plot import plot_budgets


def rows():
    """Return rows that two features divide."""
    X = np.random.default_rng(0).random((60, 4))
    return X, (X[:, 0] + X[:, 1] > 1).astype(int)


@pytest.fixture
def choice():
    """Return a choice over budgets and costs."""
    candidates = {"max_depth": 1, "c1": [1.0, 10.0], "max_features_per_split": [1, 2, None]}
    return TreeClassifierCV(MOCTSVMClassifier(), candidates, cv=3).fit(*rows())


def test_scores_and_coefficients_are_those_of_the_choice(choice):
    """The best score over the costs at every budget; None comes last."""
    ax = plot_budgets(choice)
    results = choice.cv_results_
    budgets = [params["max_features_per_split"] for params in results["params"]]
    line, dashed = ax.lines[0], ax.figure.axes[1].lines[0]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "all"]
    for place, budget in enumerate([1, 2, None]):
        places = [k for k, value in enumerate(budgets) if value == budget]
        best = max(places, key=lambda k: results["mean_test_score"][k])
        assert line.get_ydata()[place] == results["mean_test_score"][best]
        assert dashed.get_ydata()[place] == results["mean_coefficients"][best]
    assert dashed.get_ydata()[0] <= 1
    plt.close("all")


def test_results_without_the_budget_are_an_error(choice):
    """The message says what to do."""
    with pytest.raises(InvalidInputError, match="Give it candidates for 'max_features'"):
        plot_budgets(choice, "max_features")


def test_the_simplest_within_standard_errors_of_the_best_is_chosen(choice):
    """Far within many of them it is the one with the fewest coefficients of all."""
    results = choice.cv_results_
    simple = choice.set_params(simplest_within=1e6).fit(*rows())
    few = simple.cv_results_["mean_coefficients"]
    assert few[simple.best_index_] == few.min() <= results["mean_coefficients"].max()
