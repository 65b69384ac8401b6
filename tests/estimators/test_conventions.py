"""What scikit-learn asks of its meta-estimators' guests: routed weights, callbacks, dense rows."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from margintree import (
    CARTClassifier,
    MOCTSVMClassifier,
    TreeClassifierCV,
    make_table_classifier,
)

X, Y = load_iris(return_X_y=True)
X, Y = X[::3], Y[::3]
WEIGHTS = np.arange(len(Y)) % 3.0
MODELS = {
    "MOCTSVM": MOCTSVMClassifier(2, max_iter=2),
    "CART": CARTClassifier(2),
    "choice": TreeClassifierCV(CARTClassifier(2), {"max_splits": [1, 2]}, cv=2),
}


@pytest.fixture(params=MODELS)
def model(request):
    """Return an unfitted classifier."""
    return clone(MODELS[request.param])


@pytest.fixture
def routing():
    """Switch metadata routing on."""
    with config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_pipelines(model):
    """The last step gets the weights that it asks for."""
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    asking = clone(model).set_fit_request(sample_weight=True)
    fitted = make_pipeline(scaler, asking).fit(X, Y, sample_weight=WEIGHTS)
    rows = StandardScaler().fit_transform(X)
    assert fitted[-1].tree_ == clone(model).fit(rows, Y, WEIGHTS).tree_


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_searches(model):
    """Fits and scores of a cross-validation are those with the weights of their rows."""
    asking = model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    params = {"sample_weight": WEIGHTS}
    scores = cross_validate(asking, X, Y, cv=2, params=params)["test_score"]
    search = GridSearchCV(asking, [{}], cv=2).fit(X, Y, **params)
    assert search.best_score_ == pytest.approx(scores.mean())
    assert search.best_estimator_.tree_ == clone(model).fit(X, Y, WEIGHTS).tree_


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_to_the_classifier_of_a_table(model):
    """The encoder takes none."""
    table = make_table_classifier(clone(model).set_fit_request(sample_weight=True))
    fitted = table.fit(X, Y, sample_weight=WEIGHTS)
    assert fitted.tree_ == clone(model).fit(X, Y, WEIGHTS).tree_


@pytest.mark.usefixtures("routing")
def test_weights_that_nobody_asked_for_are_refused(model):
    """So they are not lost silently."""
    with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
        cross_validate(model, X, Y, cv=2, params={"sample_weight": WEIGHTS})


def test_sparse_rows_are_refused_with_the_remedy(model):
    """In every method that takes rows; all splits see all columns, so nothing would be saved."""
    fitted, rows = clone(model).fit(X, Y), sparse.csr_array(X)
    for call in (
        lambda: model.fit(rows, Y),
        *(
            lambda name=name: getattr(fitted, name)(rows)
            for name in ("predict", "predict_proba", "decision_function", "class_values", "apply")
        ),
    ):
        with pytest.raises(TypeError, match="toarray"):
            call()
    fitted.predict(rows.toarray())


def test_decisions_can_be_calibrated():
    """The calibration orders rows within a leaf, where all shares are the same."""
    two = Y > 0
    clf = MOCTSVMClassifier(1, max_iter=2)
    calibrated = CalibratedClassifierCV(clf, cv=2).fit(X[two], Y[two])
    shares = clf.fit(X[two], Y[two]).predict_proba(X[two])[:, 1]
    assert len({*shares}) == 2
    assert len({*calibrated.predict_proba(X[two])[:, 1].round(3)}) > 10


def test_callbacks_around_our_classifiers_work(model, capsys):
    """scikit-learn's progress bar counts the fits of a search; a fit of ours is one step."""
    callback = pytest.importorskip("sklearn.callback")
    search = GridSearchCV(model, [{}], cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the module is experimental
        search.set_callbacks(callback.ProgressBar()).fit(X, Y)
    assert "GridSearchCV" in capsys.readouterr().out
    assert search.best_score_ > 0.8
