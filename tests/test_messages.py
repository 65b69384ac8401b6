"""Bad input in Python: every message says what is wrong, what was given and what to do."""

import datetime

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import margintree as mt
from margintree import (
    CARTClassifier,
    ClassTreeClassifier,
    MOCTSVMClassifier,
    MOCTSVMClassifierCV,
    OCTClassifier,
    OCTHClassifier,
    OCTSVMClassifier,
    TreeClassifierCV,
    make_table_classifier,
)
from messages import DOCUMENTED, INTERNAL, faults

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]]), np.array(["a", "a", "b", "b"])
FITTED = CARTClassifier(1).fit(X, Y)
FRAME = pd.DataFrame(X, columns=["height", "age"])
DAYS = pd.DataFrame({"day": [datetime.datetime(2024, 5, k + 1) for k in range(4)], "b": 1})


def with_cell(value):
    changed = X.astype(object)
    changed[1, 0] = value
    return changed


# The parameters of a MOCTSVMClassifier, the parameter at fault, what was given, what is allowed.
PARAMETERS = [
    ({"c1": -1}, "c1", -1, r"\[0.0, inf\)"),
    ({"c2": np.nan}, "c2", "nan", r"\[0.0, inf\)"),
    ({"c4": -2}, "c4", -2, r"\[0.0, inf\)"),
    ({"max_depth": 40}, "max_depth", 40, r"\[1, 10\]"),
    ({"max_depth": "2"}, "max_depth", "'2'", r"int in the range \[1, 10\]"),
    ({"method": "guess"}, "method", "'guess'", "'search'"),
    ({"solver": "guess"}, "solver", "'guess'", "'native'.* Choose one"),
    ({"margin_term": "cubic"}, "margin_term", "'cubic'", "'plain'"),
    ({"routing_margin": 0}, "routing_margin", 0, r"\(0.0, 1.0\)"),
    ({"time_limit": -1}, "time_limit", -1, "None"),
    ({"n_jobs": 0}, "n_jobs", 0, "Use 1"),
    ({"max_features_per_split": 0}, "max_features_per_split", 0, r"\[1, inf\)"),
    ({"points": 1.5}, "points", 1.5, "an int"),
    ({"rounding": -0.1}, "rounding", -0.1, r"\[0.0, inf\)"),
    ({"min_samples_leaf": 0.7}, "min_samples_leaf", 0.7, r"\[0.0, 0.5\]"),
    ({"start": "tree"}, "start", "'tree'", "a fitted classifier of margintree"),
    ({"start": MOCTSVMClassifier()}, "start", "not fitted", "Call its fit"),
    ({"checkpoint": "c.json"}, "checkpoint", "'search'", "use method='exact'"),
    ({"certificate": "c.npz"}, "certificate", "'search'", "use method='exact'"),
    (
        {"method": "exact", "solver": "scip", "certificate": "c.npz"},
        "native",
        "'scip'",
        "Leave the certificate out",
    ),
    (
        {"method": "exact", "solver": "native", "min_samples_leaf": 0.2},
        "native proof engine",
        "min_samples_leaf",
        "Use solver='scip'",
    ),
    ({"random_state": "lucky"}, "random_state", "'lucky'", r"\[0, 4294967295\]"),
    ({"class_weight": {"c": 2}}, "class_weight", "'c'", r"labels of y, \['a', 'b'\]"),
    ({"class_weight": {"a": -2}}, "class_weight", -2, "at least 0.* Correct"),
    ({"class_weight": "even"}, "class_weight", "'even'", "'balanced'"),
    ({"error_costs": [[0, 1]]}, "error_costs", "(1, 2)", "Give one row and one column"),
    ({"error_costs": [[1, 1], [1, 0]]}, "error_costs", "[[1.0, 1.0]", "0 on the diagonal"),
    ({"error_costs": {"c": {"a": 1}}}, "error_costs", "'c'", "Leave it out"),
    ({"c4": 1, "feature_costs": [1]}, "feature_costs", "[1.0]", "each of the 2 features"),
    ({"c4": 1, "feature_costs": {0: "dear"}}, "feature_costs", "'dear'", "finite numbers"),
    ({"c4": 1, "feature_costs": {"age": 2}}, "feature_costs", "'age'", r"\[0, 1\]"),
]
# Rows, labels and weights; what is wrong, what was given, what to do.
DATA = {
    "a missing cell": ((with_cell(np.nan), Y), "'x0'", "nan in row 2", "make_table_classifier"),
    "text": ((with_cell("abc"), Y), "'x0'", "'abc'", "Convert it"),
    "a huge integer": ((with_cell(10**400), Y), "'x0'", "1000", "finite numbers are needed"),
    "dates": ((DAYS, Y), "'day'", "2024", "make_table_classifier"),
    "a vector": ((X[:, 0], Y), "2D", "1D", "Reshape"),
    "no row": ((X[:0], Y[:0]), "0 sample", "(0, 2)", "Give at least one row"),
    "no column": ((X[:, :0], Y), "0 feature", "(4, 0)", "Give at least one column"),
    "fewer labels": ((X, Y[:3]), "inconsistent", "[4, 3]", "Give one label for each row"),
    "a quantity": ((X, [0.1, 0.2, 0.3, 0.4]), "continuous", None, "Group the numbers"),
    "two columns of labels": ((X, np.c_[Y, Y]), "1d array", "(4, 2)", "Give one column"),
    "no label": ((X, ["a", "a", None, "b"]), "must have a label", "row 3 is None", "Fill it in"),
    "a sparse matrix": ((sparse.csr_array(X), Y), "dense", "Sparse", "toarray"),
    "a negative weight": ((X, Y, [1, 1, 1, -1]), "sample_weight", -1, "at least 0.* Correct"),
    "weights of zero": ((X, Y, [0] * 4), "sample_weight", "[0, 0, 0, 0]", "not only zeros"),
    "fewer weights": ((X, Y, [1, 1]), "sample_weight", "[1, 1]", "each of the 4 rows"),
}
CALLS = {
    "two classes only": (lambda: OCTSVMClassifier().fit(X, [*"abca"]), "OCTSVM", 3, "Use MOCTSVM"),
    "alpha": (lambda: OCTHClassifier(alpha=-1).fit(X, Y), "alpha", -1, r"\[0.0, inf\)"),
    "method": (lambda: OCTClassifier(method="search").fit(X, Y), "method", "'search'", "'native'"),
    "space": (lambda: ClassTreeClassifier(space="cubic").fit(X, Y), "space", "'cubic'", "'box'"),
    "a page of a kernel": (
        lambda: ClassTreeClassifier(space="rbf").fit(X, Y).report(X, Y),
        "the likeness to training rows",
        "space='rbf'",
        "Use plot_partition",
    ),
    "a budget in a mixed space": (
        lambda: MOCTSVMClassifier(space="whitened", max_features=2).fit(X, Y),
        "Budgets and prices of features",
        "space='whitened'",
        "leave c4",
    ),
    "points in a curved space": (
        lambda: MOCTSVMClassifier(space="quadratic", points=3).fit(X, Y),
        "points and rounding need",
        "space='quadratic'",
        "Leave them out",
    ),
    "too many products": (
        lambda: ClassTreeClassifier(space="quadratic").fit(np.ones((4, 3000)), Y),
        "With products",
        "4,504,500",
        "at most 10,000",
    ),
    "one fold": (lambda: MOCTSVMClassifierCV(cv=1).fit(X, Y), "cv", "Got 1 ", r"\[2, inf\)"),
    "a score": (lambda: MOCTSVMClassifierCV(scoring="best").fit(X, Y), "scoring", "'best'", "f1"),
    "an estimator": (
        lambda: TreeClassifierCV(SVC()).fit(X, Y),
        "estimator",
        "SVC()",
        "a classifier of margintree",
    ),
    "a candidate": (
        lambda: MOCTSVMClassifierCV(candidates={"c9": 1}).fit(X, Y),
        "candidates",
        "'c9'",
        "max_depth, c1",
    ),
    "no candidate": (
        lambda: MOCTSVMClassifierCV(candidates={"c1": []}).fit(X, Y),
        "candidates",
        "[]",
        "at least one value",
    ),
    "rows of the choice": (
        lambda: MOCTSVMClassifierCV(path_rows=[0]).fit(X, Y),
        "path_rows",
        "[0]",
        "at least 1",
    ),
    "rows of the folds": (
        lambda: MOCTSVMClassifierCV(cv=[([0], [99])]).fit(X, Y),
        "cv",
        99,
        "from 0 to 3",
    ),
    "one row of each class": (
        lambda: MOCTSVMClassifierCV().fit(X, [*"abcd"]),
        "Cross-validation",
        "one row",
        "Give more rows",
    ),
    "a dialect": (lambda: mt.to_sql(FITTED, dialect="oracle"), "dialect", "'oracle'", "sqlite"),
    "a share": (lambda: mt.to_sql(FITTED, share_of="z"), "share_of", "'z'", r"\['a', 'b'\]"),
    "names": (lambda: mt.export_text(FITTED, feature_names=["a"]), "names", "1 were", "be 2 "),
    "no terms": (lambda: mt.export_text(FITTED, max_terms=0), "max_terms", 0, "at least 1"),
    "no tree": (lambda: mt.export_text("tree"), "A fitted classifier", "str", "Fit one"),
    "another tree": (
        lambda: mt.to_python(DecisionTreeClassifier().fit(X, Y)),
        "A fitted classifier",
        "DecisionTreeClassifier",
        "Fit one",
    ),
    "saving another": (lambda: mt.save(SVC().fit(X, Y), "m.json"), "A fitted", "SVC", "Fit one"),
    "not fitted": (lambda: MOCTSVMClassifier().predict(X), "not fitted", None, "Call 'fit'"),
    "other columns": (lambda: FITTED.predict(X[:, :1]), "features", "X has 1", "the columns of"),
    "features to draw": (
        lambda: mt.plot_partition(FITTED, X, Y, features=[0, 9]),
        "features",
        "[0, 9]",
        "two different features",
    ),
    "scores to draw": (lambda: mt.plot_scores(FITTED), "scores", "CARTClassifier", "Fit a Grid"),
    "budgets to draw": (lambda: mt.plot_budgets(FITTED), "scores", "CARTClassifier", "Fit a Grid"),
    "no file": (lambda: mt.load("no.json"), "cannot be used", "'no.json'", "Check its path"),
    "no model": (lambda: mt.from_json("[]"), "not a margintree model", None, "Give a file"),
    "no folder": (lambda: mt.save(FITTED, "no/m.json"), "cannot be", "'no/m.json'", "existing"),
    "another pipeline": (
        lambda: make_table_classifier(SVC()),
        "make_table_classifier",
        "SVC()",
        "such as MOCTSVMClassifier",
    ),
    "a table without columns": (
        lambda: make_table_classifier().fit(np.ones((4, 2)), Y),
        "column to learn from",
        "say 1",
        "Add a column",
    ),
    "a sparse table": (
        lambda: make_table_classifier().fit(sparse.csr_array(X), Y),
        "A table",
        "csr_array of shape (4, 2)",
        "dense",
    ),
    "a missing column": (
        lambda: make_table_classifier(CARTClassifier(1)).fit(FRAME, Y).predict(FRAME[["age"]]),
        "no column 'height'",
        "columns are: age",
        "Add the column",
    ),
}
BAD = {
    **{
        f"{name}={params[name]!r}" if name in params else f"{name} {params}": (
            lambda params=params: MOCTSVMClassifier(**params).fit(X, Y),
            name,
            given,
            allowed,
        )
        for params, name, given, allowed in PARAMETERS
    },
    **{
        name: (lambda data=data: MOCTSVMClassifier(1, max_iter=0).fit(*data), *words)
        for name, (data, *words) in DATA.items()
    },
    **CALLS,
}


def test_there_are_as_many_bad_inputs_as_promised():
    """None of them hides another of the same name."""
    assert len(BAD) == len(PARAMETERS) + len(DATA) + len(CALLS) >= 45


@pytest.mark.filterwarnings("ignore::margintree.TableWarning")
@pytest.mark.parametrize("name", BAD)
def test_a_message_says_all_that_is_needed(name, tmp_path, monkeypatch):
    """What is wrong, what was given, what is allowed or to do, and nothing of our insides."""
    monkeypatch.chdir(tmp_path)
    call, what, given, advice = BAD[name]
    with pytest.raises((ValueError, TypeError, OSError, mt.MargintreeError)) as caught:
        call()
    assert faults(str(caught.value), what, given, advice) == [], str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_grader_sees_what_is_missing():
    """Each part of a message, and names that users do not know."""
    good = "c1 must be at least 0; -1 was given. Give another."
    assert faults(good, "c1", -1, "at least 0") == []
    assert faults(good, "c2", -2, "at most 0") == [
        "lacks what is wrong",
        "lacks what was given",
        "lacks what is allowed or what to do",
    ]
    assert faults("a margintree.core.tree.ObliqueTree", "a", None, "a") == [
        "lacks the end of a sentence",
        "names margintree.core.t",
    ]
    assert faults("The MethodClassifier.", "The", None, "The") == ["names MethodClassifier"]
    assert {"MethodClassifier", "TreeClassifier", "InvalidInputError"} & INTERNAL == {
        "MethodClassifier",
        "TreeClassifier",
    }
    assert "MOCTSVMClassifier" in DOCUMENTED
