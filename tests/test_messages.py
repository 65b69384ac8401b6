"""Bad input in Python: every message says what is wrong, allowed, given, and what to do."""

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


FITTED_ONE = "A fitted classifier of margintree or its"
NO_SCORES = ("scores", "search over parameters are needed", "CARTClassifier has none", "Fit a Grid")
OTHERWISE = "Give another value, or leave it out"
# The parameters of a MOCTSVMClassifier; the parameter at fault, what is allowed, what was given,
# what to do.
PARAMETERS = [
    ({"c1": -1}, "c1", r"\[0.0, inf\)", -1, f"{OTHERWISE} for the default, 10.0"),
    ({"c2": np.nan}, "c2", r"\[0.0, inf\)", "nan", OTHERWISE),
    ({"c4": -2}, "c4", r"\[0.0, inf\)", -2, OTHERWISE),
    ({"max_depth": 40}, "max_depth", r"\[1, 10\]", 40, OTHERWISE),
    ({"max_depth": "2"}, "max_depth", r"int in the range \[1, 10\]", "'2'", OTHERWISE),
    ({"method": "guess"}, "method", "'search'", "'guess'", OTHERWISE),
    ({"method": "serch"}, "method", "'exact'", "'serch'", r"Did you mean 'search'\? Give"),
    ({"solver": "guess"}, "solver", "one of .*'native'", "'guess'", "Choose one"),
    ({"solver": "scipp"}, "solver", "one of .*'native'", "'scipp'", r"Did you mean 'scip'\? Ch"),
    ({"margin_term": "cubic"}, "margin_term", "'plain'", "'cubic'", OTHERWISE),
    ({"norm": "max"}, "norm", "'linf'", "'max'", OTHERWISE),
    ({"routing_margin": 0}, "routing_margin", r"\(0.0, 1.0\)", 0, OTHERWISE),
    ({"time_limit": -1}, "time_limit", r"\[0.0, inf\) or None", -1, OTHERWISE),
    ({"n_jobs": 0}, "n_jobs", "a positive number, a negative", "0 was", "Use 1"),
    ({"max_features_per_split": 0}, "max_features_per_split", r"\[1, inf\)", 0, OTHERWISE),
    ({"points": 1.5}, "points", "an int", 1.5, OTHERWISE),
    ({"rounding": -0.1}, "rounding", r"\[0.0, inf\)", -0.1, OTHERWISE),
    ({"min_samples_leaf": 0.7}, "min_samples_leaf", r"\[0.0, 0.5\]", 0.7, OTHERWISE),
    ({"start": "tree"}, "start", "a fitted classifier of margintree", "'tree'", OTHERWISE),
    ({"start": MOCTSVMClassifier()}, "start", "a fitted classifier", "not fitted", "Call its fit"),
    ({"checkpoint": "c.json"}, "checkpoint", "with method='exact'", "'search'", "use method='ex"),
    ({"certificate": "c.npz"}, "certificate", "with method='exact'", "'search'", "use method='ex"),
    (
        {"method": "exact", "solver": "scip", "certificate": "c.npz"},
        "certificates",
        "Only the native proof engine",
        "'scip'",
        "Leave the certificate out",
    ),
    (
        {"method": "exact", "solver": "native", "c4": 0.2},
        "native proof engine",
        "does not know",
        "c4",
        "Use solver='scip'",
    ),
    ({"random_state": "lucky"}, "random_state", r"\[0, 4294967295\]", "'lucky'", OTHERWISE),
    ({"class_weight": {"c": 2}}, "class_weight", r"labels of y, \['a', 'b'\]", "'c'", "Leave it"),
    ({"class_weight": {"a": -2}}, "class_weight", "at least 0", "-2 was", "Correct it"),
    ({"class_weight": "even"}, "class_weight", "'balanced'", "'even'", OTHERWISE),
    ({"error_costs": [[0, 1]]}, "error_costs", "square matrix", "(1, 2)", "Give one row and one"),
    ({"error_costs": [[1, 1], [1, 0]]}, "error_costs", "0 on the diag", "[[1.0, 1.0]", "Correct"),
    ({"error_costs": {"c": {"a": 1}}}, "error_costs", r"labels of y, \['a'", "'c'", "Leave it out"),
    ({"c4": 1, "feature_costs": [1]}, "feature_costs", "each of the 2 f", "[1.0]", "Correct it"),
    ({"c4": 1, "feature_costs": {0: "dear"}}, "feature_costs", "finite num", "'dear'", "Correct"),
    ({"c4": 1, "feature_costs": {"age": 2}}, "feature_costs", r"\[0, 1\]", "'age'", "Leave it out"),
]
TABLE = "Convert it to numbers, or use margintree.make_table_classifier"
# Rows, labels and weights; what is wrong, what is allowed, what was given, what to do.
DATA = {
    "a missing cell": (
        (with_cell(np.nan), Y),
        "'x0'",
        "finite numbers are needed",
        "nan in row 2",
        TABLE,
    ),
    "text": ((with_cell("abc"), Y), "'x0'", "finite numbers are needed", "'abc'", TABLE),
    "a huge integer": ((with_cell(10**400), Y), "'x0'", "finite numbers are", "1000", TABLE),
    "dates": ((DAYS, Y), "'day'", "finite numbers are needed", "2024", TABLE),
    "a vector": ((X[:, 0], Y), "array", "Expected 2D", "1D", "Reshape"),
    "no row": ((X[:0], Y[:0]), "0 sample", "a minimum of 1", "(0, 2)", "Give at least one row"),
    "no column": ((X[:, :0], Y), "0 feature", "a minimum of 1", "(4, 0)", "Give at least one col"),
    "fewer labels": ((X, Y[:3]), "inconsistent", "as many labels as", "[4, 3]", "Give one label"),
    "a quantity": ((X, [0.1, 0.2, 0.3, 0.4]), "Unknown label", "discrete", "continuous", "Group"),
    "two columns of labels": ((X, np.c_[Y, Y]), "y", "a 1d array", "(4, 2)", "Give one column"),
    "no label": ((X, ["a", "a", None, "b"]), "label", "Every row", "row 3 is None", "Fill it in"),
    "a sparse matrix": ((sparse.csr_array(X), Y), "X", "dense data", "Sparse", "toarray"),
    "a negative weight": ((X, Y, [1, 1, 1, -1]), "sample_weight", "at least 0", -1, "Correct it"),
    "weights of zero": ((X, Y, [0] * 4), "sample_weight", "not only zeros", "[0, 0, 0", "Correct"),
    "fewer weights": ((X, Y, [1, 1]), "sample_weight", "each of the 4 rows", "[1, 1]", "Correct"),
}
# A call; what is wrong, what is allowed, what was given, what to do.
CALLS = {
    "two classes only": (
        lambda: OCTSVMClassifier().fit(X, [*"abca"]),
        "OCTSVM",
        "Only binary",
        3,
        "Use MOCTSVM",
    ),
    "alpha": (lambda: OCTHClassifier(alpha=-1).fit(X, Y), "alpha", r"\[0.0, inf\)", -1, OTHERWISE),
    "method": (
        lambda: OCTClassifier(method="search").fit(X, Y),
        "method",
        "'native'",
        "'search'",
        OTHERWISE,
    ),
    "space": (
        lambda: ClassTreeClassifier(space="box2").fit(X, Y),
        "space",
        "'quadratic'",
        "'box2'",
        r"Did you mean 'box'\? Give",
    ),
    "a page of a kernel": (
        lambda: ClassTreeClassifier(space="rbf").fit(X, Y).report(X, Y),
        "the likeness to training rows",
        "must have splits over columns or their products",
        "space='rbf'",
        "Use plot_partition",
    ),
    "a budget in a mixed space": (
        lambda: MOCTSVMClassifier(space="whitened", max_features=2).fit(X, Y),
        "Budgets and prices of features",
        "'box' or 'quadratic'",
        "space='whitened'",
        "leave c4",
    ),
    "points in a curved space": (
        lambda: MOCTSVMClassifier(space="quadratic", points=3).fit(X, Y),
        "points and rounding",
        "need space='box'",
        "space='quadratic'",
        "Leave them out",
    ),
    "too many products": (
        lambda: ClassTreeClassifier(space="quadratic").fit(np.ones((4, 3000)), Y),
        "With products",
        "at most 10,000",
        "4,504,500",
        "Use fewer columns",
    ),
    "one fold": (
        lambda: MOCTSVMClassifierCV(cv=1).fit(X, Y),
        "cv",
        r"\[2, inf\)",
        "Got 1 ",
        OTHERWISE,
    ),
    "a score": (
        lambda: MOCTSVMClassifierCV(scoring="acuracy").fit(X, Y),
        "scoring",
        "one of .*f1_macro",
        "'acuracy'",
        r"Did you mean 'accuracy'\? Correct it",
    ),
    "a score for other labels": (
        lambda: MOCTSVMClassifierCV(scoring="roc_auc", cv=2).fit(np.eye(6), [*"abcabc"]),
        "scoring",
        "must give one number for the rows",
        "'roc_auc' was given",
        "Choose another score",
    ),
    "an estimator": (
        lambda: TreeClassifierCV(SVC()).fit(X, Y),
        "estimator",
        "a classifier of margintree",
        "SVC()",
        OTHERWISE,
    ),
    "a candidate": (
        lambda: MOCTSVMClassifierCV(candidates={"depth": 1}).fit(X, Y),
        "candidates",
        "max_depth, c1",
        "'depth'",
        r"Did you mean 'max_depth'\? Set other",
    ),
    "a value of a candidate": (
        lambda: MOCTSVMClassifierCV(candidates={"c1": [-1]}).fit(X, Y),
        "c1",
        r"\[0.0, inf\)",
        -1,
        OTHERWISE,
    ),
    "no candidate": (
        lambda: MOCTSVMClassifierCV(candidates={"c1": []}).fit(X, Y),
        "candidates",
        "a value or a list of values",
        "[]",
        "Give at least one value",
    ),
    "rows of the choice": (
        lambda: MOCTSVMClassifierCV(path_rows=[0]).fit(X, Y),
        "path_rows",
        "at least 1",
        "[0]",
        "Correct it",
    ),
    "rows of the folds": (
        lambda: MOCTSVMClassifierCV(cv=[([0], [99])]).fit(X, Y),
        "cv",
        "from 0 to 3",
        99,
        "Correct the numbers",
    ),
    "one row of each class": (
        lambda: MOCTSVMClassifierCV().fit(X, [*"abcd"]),
        "Cross-validation",
        "two different rows",
        "one row",
        "Give more rows",
    ),
    "a dialect": (
        lambda: mt.to_sql(FITTED, dialect="sqlit"),
        "dialect",
        "one of .*duckdb",
        "'sqlit'",
        r"Did you mean 'sqlite'\? Choose one",
    ),
    "a share": (
        lambda: mt.to_sql(FITTED, share_of="z"),
        "share_of",
        r"\['a', 'b'\]",
        "'z'",
        "Choose one",
    ),
    "names": (
        lambda: mt.export_text(FITTED, feature_names=["a"]),
        "names of features",
        "must be 2 ",
        "1 were",
        "Correct them",
    ),
    "no terms": (
        lambda: mt.export_text(FITTED, max_terms=0),
        "max_terms",
        "at least 1",
        "0 was",
        "Correct it",
    ),
    "no tree": (lambda: mt.export_text("tree"), "tree is needed", FITTED_ONE, "str", "Fit one"),
    "another tree": (
        lambda: mt.to_python(DecisionTreeClassifier().fit(X, Y)),
        "tree is needed",
        FITTED_ONE,
        "DecisionTreeClassifier",
        "Fit one",
    ),
    "saving another": (
        lambda: mt.save(SVC().fit(X, Y), "m.json"),
        "tree is needed",
        FITTED_ONE,
        "SVC",
        "Fit one",
    ),
    "not fitted": (
        lambda: MOCTSVMClassifier().predict(X),
        "MOCTSVMClassifier",
        "before using this estimator",
        "not fitted",
        "Call 'fit'",
    ),
    "other columns": (
        lambda: FITTED.predict(X[:, :1]),
        "features",
        "expecting 2 features",
        "X has 1",
        "Give the columns of",
    ),
    "columns of other names": (
        lambda: CARTClassifier(1).fit(FRAME, Y).predict(FRAME.rename(columns={"age": "aeg"})),
        "feature names",
        "match those that were passed during fit",
        "- aeg",
        "Give the columns of the fit",
    ),
    "columns in another order": (
        lambda: CARTClassifier(1).fit(FRAME, Y).predict(FRAME[["age", "height"]]),
        "feature names",
        "in the same order",
        None,
        "Give the columns of the fit",
    ),
    "features to draw": (
        lambda: mt.plot_partition(FITTED, X, Y, features=[0, 9]),
        "features",
        "two different features",
        "[0, 9]",
        "Correct them",
    ),
    "scores to draw": (lambda: mt.plot_scores(FITTED), *NO_SCORES),
    "budgets to draw": (lambda: mt.plot_budgets(FITTED), *NO_SCORES),
    "no file": (
        lambda: mt.load("no.json"),
        "cannot be used",
        "an existing file that you may read",
        "'no.json'",
        "Check its path",
    ),
    "no model": (
        lambda: mt.from_json("[]"),
        "cannot be used",
        "'format' that says 'margintree-model'",
        "not a margintree model",
        "Give a file",
    ),
    "no folder": (
        lambda: mt.save(FITTED, "no/m.json"),
        "cannot be written",
        "must be in an existing folder",
        "'no/m.json'",
        "Choose another",
    ),
    "another pipeline": (
        lambda: make_table_classifier(SVC()),
        "make_table_classifier",
        "such as MOCTSVMClassifier",
        "SVC()",
        "To search over parameters",
    ),
    "a table without columns": (
        lambda: make_table_classifier().fit(np.ones((4, 2)), Y),
        "table",
        "must have a column to learn from",
        "say 1",
        "Add a column",
    ),
    "a sparse table": (
        lambda: make_table_classifier().fit(sparse.csr_array(X), Y),
        "A table",
        "rows of equal length",
        "csr_array of shape (4, 2)",
        "Give a pandas.* dense",
    ),
    "a missing column": (
        lambda: make_table_classifier(CARTClassifier(1)).fit(FRAME, Y).predict(FRAME[["age"]]),
        "no column",
        "'height', which the model needs",
        "columns are: age",
        "Add the column",
    ),
}
BAD = {
    **{
        f"{name}={params[name]!r}" if name in params else f"{name} {params}": (
            lambda params=params: MOCTSVMClassifier(**params).fit(X, Y),
            name,
            *rest,
        )
        for params, name, *rest in PARAMETERS
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
    """What is wrong, allowed, given and to do, and nothing of our insides."""
    monkeypatch.chdir(tmp_path)
    call, *parts = BAD[name]
    with pytest.raises((ValueError, TypeError, OSError, mt.MargintreeError)) as caught:
        call()
    assert faults(str(caught.value), *parts) == [], str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_grader_sees_what_is_missing():
    """Each part of a message, and names that users do not know."""
    good = "c1 must be at least 0; -1 was given. Give another."
    assert faults(good, "c1", "at least 0", -1, "Give another") == []
    assert faults(good, "c2", "at most 0", -2, "Leave it out") == [
        "lacks what is wrong",
        "lacks what is allowed",
        "lacks what was given",
        "lacks what to do",
    ]
    apart = ["lacks words of its own for every part"]
    assert faults(good, "c1", "another", -1, "Give another") == apart
    assert faults(good, "c1", "at least 0", "c1", "Give another") == apart
    assert faults(good, "must be at least", "at least 0", -1, "Give another") == apart
    assert faults(good, "c1", "at least 0", -1, "-1 was given. Give another") == apart
    assert faults("a margintree.core.tree.ObliqueTree must a", "a", "must", None, "a$") == [
        "lacks the end of a sentence",
        "names margintree.core.t",
    ]
    internal = faults("The MethodClassifier must be.", "The", "must", None, "be")
    assert internal == ["names MethodClassifier"]
    assert {"MethodClassifier", "TreeClassifier", "InvalidInputError"} & INTERNAL == {
        "MethodClassifier",
        "TreeClassifier",
    }
    assert "MOCTSVMClassifier" in DOCUMENTED
