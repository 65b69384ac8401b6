"""Scores of trees by scikit-learn's scorers equal those of a fitted classifier."""

import numpy as np
import pytest
from sklearn.metrics import get_scorer, make_scorer, recall_score

from margintree import MOCTSVMClassifier, TreeClassifierCV
from margintree._lib.exceptions import InvalidInputError
from margintree.estimators._scorer import Scorer, scoring_of
from margintree.methods.scoring import SCORES

RNG = np.random.default_rng(0)
X = RNG.random((40, 2))
Y = np.array(["hare", "hound"])[(X.sum(axis=1) + 0.3 * RNG.random(40) > 1.1).astype(int)]
MODEL = MOCTSVMClassifier(2, c1=5.0, max_iter=5, smoothing=1.0).fit(X[:25], Y[:25])
NAMES = ("balanced_accuracy", "f1_macro", "neg_log_loss", "roc_auc")


def recall_of_hares(estimator, X, y):
    """Return the share of hares that are found; it takes no weights."""
    return float((estimator.predict(X)[y == "hare"] == "hare").mean())


@pytest.mark.parametrize(
    "scoring",
    [*NAMES, recall_of_hares, make_scorer(recall_score, pos_label="hound")],
)
def test_a_score_of_a_tree_is_that_of_the_fitted_classifier(scoring):
    """Class codes become labels again, and the classifier predicts from the result alone."""
    scorer = scoring_of(scoring, MOCTSVMClassifier(2, smoothing=1.0), MODEL.classes_)
    assert isinstance(scorer, Scorer)
    test, codes = X[25:], np.searchsorted(MODEL.classes_, Y[25:])
    score = scorer(MODEL.result_, test, codes, np.ones(15))
    plain = get_scorer(scoring) if isinstance(scoring, str) else scoring
    assert score == pytest.approx(plain(MODEL, test, Y[25:]))


def test_weights_reach_the_scorer_only_if_they_differ():
    """Equal ones change nothing, and a scorer may not take any."""
    test, codes = X[25:], np.searchsorted(MODEL.classes_, Y[25:])
    weights = np.linspace(1, 3, 15)
    balanced = scoring_of("balanced_accuracy", MOCTSVMClassifier(), MODEL.classes_)
    expected = get_scorer("balanced_accuracy")(MODEL, test, Y[25:], sample_weight=weights)
    assert balanced(MODEL.result_, test, codes, weights) == pytest.approx(expected)
    own = scoring_of(recall_of_hares, MOCTSVMClassifier(), MODEL.classes_)
    assert own(MODEL.result_, test, codes, np.full(15, 2.0)) == recall_of_hares(MODEL, test, Y[25:])


def test_our_own_scores_go_by_name():
    """They need no classifier."""
    for name in SCORES:
        assert scoring_of(name, MOCTSVMClassifier(), MODEL.classes_) == name


def test_an_unknown_score_is_refused_with_those_that_there_are():
    """By the chooser too, before anything is fitted."""
    with pytest.raises(InvalidInputError, match=r"nearness.*balanced_accuracy.*'speed' was given"):
        scoring_of("speed", MOCTSVMClassifier(), MODEL.classes_)
    with pytest.raises(InvalidInputError, match="'speed' was given"):
        TreeClassifierCV(scoring="speed").fit(X, Y)


def test_the_chooser_maximises_the_score_that_it_is_given():
    """Its best score is the largest of the table, and the table holds this score."""
    candidates = {"max_depth": 1, "c1": [0.01, 10.0]}
    chosen = TreeClassifierCV(
        MOCTSVMClassifier(max_iter=3), candidates, cv=3, scoring="balanced_accuracy"
    ).fit(X, Y)
    means = chosen.cv_results_["mean_test_score"]
    assert chosen.best_score_ == means.max()
    # A tree without a split has half of the balanced accuracy.
    assert means.min() == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["roc_auc", "f1", "r2", "precision_samples"])
def test_a_score_that_does_not_fit_the_labels_is_refused(name):
    """With the labels and what the scorer says; no error of scikit-learn passes as ours."""
    X, y = np.eye(10), [*"abcdeabcde"]
    chooser = TreeClassifierCV(MOCTSVMClassifier(max_iter=0), scoring=name, cv=2)
    words = f"'{name}' was given and failed .* labels 'a', 'b', 'c', 'd' and 1 more: .* two classes"
    with pytest.raises(InvalidInputError, match=words) as raised:
        chooser.fit(X, y)
    assert "every class" not in str(raised.value)


def failure(which, scoring, weights):
    """Return the message about a score that fails for some rows of the model's test set."""
    test, codes = X[25:][which], np.searchsorted(MODEL.classes_, Y[25:])[which]
    scorer = scoring_of(scoring, MOCTSVMClassifier(), MODEL.classes_)
    with pytest.raises(InvalidInputError) as raised:
        scorer(MODEL.result_, test, codes, weights)
    return str(raised.value)


def test_a_class_that_a_fold_lacks_is_named_as_a_reason():
    """The labels are not to blame then, so the first remedy is fewer folds."""
    hares = Y[25:] == "hare"
    message = failure(hares, "neg_log_loss", np.ones(hares.sum()))
    assert "'neg_log_loss' was given and failed" in message
    assert "labels 'hare': y_true contains only one label" in message
    assert "it needs rows of every class, and there are none of 'hound'; " in message
    assert "Use fewer folds (cv), or choose another score" in message


def test_a_score_that_takes_no_weights_is_told_of_them():
    """A function of one's own is named as one names it oneself."""
    message = failure(slice(None), recall_of_hares, np.linspace(1, 3, 15))
    assert "recall_of_hares was given" in message
    assert "it takes no sample_weight, and the rows have weights" in message
    assert message.endswith("or leave the weights out.")


@pytest.mark.parametrize("value", [None, "high"])
def test_a_score_that_is_no_number_is_refused(value):
    """Also if Python can make none of it."""
    message = failure(slice(None), lambda estimator, X, y: value, np.ones(15))  # noqa: ARG005
    assert message.startswith("scoring must give one number for the rows of every fold; <lambda>")
