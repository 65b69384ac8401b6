"""Model files: what is saved is what is loaded, and nothing else is ever loaded."""

import contextlib
import json
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from contents import SCHEMA, check_refusals, edited
from margintree import (
    InvalidInputError,
    MOCTSVMClassifier,
    ModelFileError,
    ObliqueTree,
    from_json,
    load,
    save,
    to_json,
)
from margintree.core.cost import Cost
from margintree.core.result import Reason
from margintree.estimators import ESTIMATORS
from models import fitted
from strategies import trees

STUMP = ObliqueTree.stump([2.0, -0.1], -1.0, leaf_classes=[0, 1], n_classes=2)


@pytest.fixture
def path(tmp_path):
    """Return the place of a model file."""
    return tmp_path / "model.json"


@pytest.fixture
def content(path):
    """Return what a sound model file says."""
    save(fitted(STUMP), path)
    return json.loads(path.read_text())


def assert_same(one, other):
    assert type(one) is type(other)
    assert one.get_params() == other.get_params()
    assert one.result_ == other.result_
    assert one.cost_ == other.cost_
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.classes_.dtype.kind == other.classes_.dtype.kind
    assert one.n_features_in_ == other.n_features_in_


@given(tree=trees())
def test_loading_gives_back_what_was_saved(tmp_path_factory, tree):
    """Any tree, to the last bit."""
    path = tmp_path_factory.mktemp("models") / "model.json"
    save(fitted(tree), path)
    assert_same(load(path), fitted(tree))


def test_the_file_is_the_text(path):
    """There is one format: what is saved is what to_json returns, and from_json reads it."""
    save(fitted(STUMP), path)
    assert path.read_text(encoding="utf-8") == to_json(fitted(STUMP)) + "\n"
    assert_same(from_json(path.read_text(encoding="utf-8")), fitted(STUMP))


@pytest.mark.parametrize(
    "classes", [["a", "ü"], [3, -7], [0.5, 1.5], [False, True], [2**63, 2**64 - 1]]
)
def test_labels_keep_their_type(path, classes):
    """Text, integers, floats and booleans."""
    save(fitted(STUMP, classes), path)
    assert_same(load(path), fitted(STUMP, classes))


def test_parameters_of_every_kind(path):
    """Plain ones are kept, with a dict of class weights; what concerns the fit only is not."""
    saved = fitted(
        STUMP,
        c1=np.float64(3.5),
        max_depth=np.int64(1),
        class_weight={0: 2.0, 1: np.float32(0.5)},
        time_limit=None,
        start=STUMP,
        random_state=np.random.RandomState(0),
        verbose=print,
    )
    save(saved, path)
    params = load(path).get_params()
    expected = {"c1": 3.5, "max_depth": 1, "class_weight": {0: 2.0, 1: 0.5}, "time_limit": None}
    assert {name: params[name] for name in expected} == expected
    assert (params["start"], params["random_state"], params["verbose"]) == (None, None, 0)


def test_feature_names_are_kept(path):
    """They are checked at prediction as after fit."""
    saved = fitted(STUMP)
    saved.feature_names_in_ = np.array(["height", "größe\n<script>"], dtype=object)
    save(saved, path)
    assert load(path).feature_names_in_.tolist() == ["height", "größe\n<script>"]


def test_real_fits_predict_identically(path):
    """Through the file and back, on rows never seen."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.choice(["a", "b", "c"], 30)
    model = MOCTSVMClassifier(max_iter=5).fit(X, y)
    save(model, path)
    new = rng.normal(size=(100, 3))
    np.testing.assert_array_equal(load(path).predict(new), model.predict(new))
    np.testing.assert_array_equal(load(path).predict_proba(new), model.predict_proba(new))


@pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=ESTIMATORS)
def test_every_classifier_has_a_model_file(kind):
    """It agrees with the schema, cost and all, and what is read is what was written."""
    model = kind(1).fit([[0.0], [1.0], [4.0], [5.0]], list("aabb"))
    content = json.loads(to_json(model))
    schema = Draft202012Validator(SCHEMA)
    schema.validate(content)
    assert_same(from_json(to_json(model)), model)
    for part, entries in content["cost"].items():
        for name in entries:
            assert not schema.is_valid(edited(content, f"cost.{part}.{name}", "much"))


RESULT = """
{"objective": 1.5, "bound": 0.5, "reason": "limit", "limit": "time", "gap_limit": 0.0001,
 "trace": [[0.1, 1.5, "-inf"]], "solver": "search", "version": "0.1", "seconds": 0.2,
 "iterations": 3}
"""
TREE = """
{"scaling": {"minimum": [0.0], "span": [2.0]}, "weights": [[4.0]], "intercepts": [-1.0],
 "splits": [true], "leaf_classes": [0, 1], "leaf_mass": [[2.0, 0.0], [1.0, 3.0]]}
"""
VERSION_1 = f"""
{{"format": "margintree-model", "version": 1, "written_by": "0.1.0.dev0",
  "estimator": "CARTClassifier", "params": {{"max_depth": 1, "min_leaf": 0.1}},
  "classes": {{"type": "str", "values": ["no", "yes"]}}, "feature_names": null,
  "tree": {TREE}, "result": {RESULT}, "cost": {{"errors": 1.0, "splits": 0.5, "faults": 0}}}}
"""
VERSION_2 = f"""
{{"format": "margintree-model", "version": 2, "written_by": "0.1.0.dev0",
  "estimator": "MOCTSVMClassifier", "params": {{"max_depth": 1, "c1": 1.0}},
  "classes": {{"type": "str", "values": ["no", "yes"]}}, "feature_names": ["x0"],
  "tree": {TREE}, "result": {RESULT},
  "cost": {{"margin": 0.5, "errors": 1.0, "violations": 0.0, "splits": 0.0, "ties": 0}},
  "table": {{"params": {{"min_share": 0.01, "max_levels": 50}}, "names": null,
    "columns": [{{"kind": "number", "name": "x0", "marks_missing": false, "fill": 0.0}}],
    "left_out": []}}}}
"""


def test_a_model_of_version_1_is_read():
    """Its cost is a flat list of terms, and the least weight of a leaf has its old name."""
    Draft202012Validator(SCHEMA).validate(json.loads(VERSION_1))
    model = from_json(VERSION_1)
    assert model.min_samples_leaf == 0.1
    assert model.cost_ == Cost({"errors": 1.0, "splits": 0.5}, {"faults": 0})
    assert model.objective_ == 1.5
    assert model.predict([[0.4], [0.6]]).tolist() == ["no", "yes"]
    assert_same(from_json(to_json(model)), model)


def test_a_model_of_version_2_is_read():
    """It may have a table; its ties are faults now."""
    Draft202012Validator(SCHEMA).validate(json.loads(VERSION_2))
    model = from_json(VERSION_2)
    terms = {"margin": 0.5, "errors": 1.0, "violations": 0.0, "splits": 0.0}
    assert model.cost_ == Cost(terms, {"ties": 0})
    assert model.predict([[0.4], [0.6], [None]]).tolist() == ["no", "yes", "no"]
    assert json.loads(to_json(model))["version"] == 3


def test_an_older_file_with_a_cost_of_version_3_is_refused(content):
    """The version decides how the cost is read."""
    for version in (1, 2):
        with pytest.raises(ModelFileError, match=r"cost\.terms"):
            from_json(json.dumps(edited(content, "version", version)))


def test_what_is_not_fitted_or_not_plain_is_not_saved(path):
    """And no file appears."""
    with pytest.raises(ValueError, match="not fitted"):
        save(MOCTSVMClassifier(), path)
    with pytest.raises(InvalidInputError, match="Labels"):
        save(fitted(STUMP, np.array([1, "a"], dtype=object)), path)
    with pytest.raises(InvalidInputError, match="surrogate"):
        save(fitted(STUMP, ["a", "half \ud83c"]), path)
    with pytest.raises(InvalidInputError, match="surrogate"):
        save(fitted(STUMP, features=["a", "half \ud83c"]), path)
    assert not path.exists()


def test_a_failed_write_leaves_the_old_file(path, monkeypatch):
    """Whatever happens while writing, the file is the old one or the new one."""
    save(fitted(STUMP), path)
    before = path.read_bytes()

    def fail(_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(fitted(STUMP, [5, 6]), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("where", "value", "named"),
    [
        ("format", "other", "not a margintree model"),
        ("version", 4, "update margintree"),
        ("version", "1", "version"),
        ("version", -1, "version"),
        ("version", True, "version"),
        ("estimator", "os.system", "estimator"),
        ("estimator", None, "estimator"),
        ("params", [], "params"),
        ("params.c1", -1, "'c1'"),
        ("params.c1", "1", "'c1'"),
        ("params.unknown", 1, "unknown"),
        ("params.class_weight", [[1, 2, 3]], "pairs"),
        ("params.class_weight", [[[], 2]], "params"),
        ("params.class_weight", [[1, {"values": [0]}]], "'class_weight' must have 'rows'"),
        ("params.class_weight", [[1, {"rows": [0, [0]]}]], "'class_weight' has rows of different"),
        ("params.error_costs", {"rows": [[0, "1"], [1, 0]]}, "'error_costs' must have 'rows'"),
        ("params.error_costs", {"rows": [None]}, "'error_costs' must have 'rows'"),
        ("params.class_weight", [["half \ud83c", 1]], "params.class_weight must be a text"),
        ("params.solver", "half \ud83c", "params.solver must be a text"),
        ("params.smoothing", 10**400, "params.smoothing must be a number"),
        ("params.start", {"weights": []}, "'start'"),
        ("classes", ["a", "b"], "classes"),
        ("classes.type", "bytes", "classes.type"),
        ("classes.values", [0, "1"], "classes.values"),
        ("classes.values", [0, 0], "different"),
        ("classes.values", [0, 1, 2], "3 labels and the tree 2 classes"),
        ("classes.values", [0, 2**70], "64 bits"),
        ("classes.values", [-1, 2**63], "64 bits"),
        ("feature_names", ["a"], "feature_names"),
        ("feature_names", ["a", 1], r"feature_names\[1\]"),
        ("feature_names", ["a", "half \ud83c"], r"feature_names\[1\]"),
        ("classes", {"type": "str", "values": ["a", "half \ud83c"]}, r"classes.values\[1\]"),
        ("tree", None, "tree"),
        ("tree.weights", [[1.0]], "tree"),
        ("tree.weights", [["1", "2"]], "tree"),
        ("tree.weights", [[True, 0.5]], "true or false"),
        ("tree.leaf_classes", [0, True], "true or false"),
        ("tree.weights", [[1e999, 0]], "Infinity"),
        ("tree.leaf_classes", [0, 5], "tree"),
        ("tree.leaf_classes", [0] * 2**20, "depth 10"),
        ("tree.scaling", {"minimum": [0, 0], "span": [0, 1]}, "tree"),
        ("result.reason", "because", "result.reason"),
        ("result.limit", 5, "result.limit"),
        ("result.bound", "much", "result.bound"),
        ("result.bound", 10**400, "result.bound"),
        ("result.objective", True, "result.objective"),
        ("result.trace", [[1, 2]], "result.trace"),
        ("result.trace", [[1, 2, None]], r"result.trace\[0\]\[2\]"),
        ("result.iterations", 1.5, "result.iterations"),
        ("cost.faults", {"ties": -1}, "cost.faults.ties"),
        ("cost.faults", 0, "cost.faults must be an object"),
        ("cost.terms.errors", "inf", "cost.terms.errors"),
        ("cost.terms", {"errors": 1.0}, "cost.terms must be errors, violations, splits, margin"),
        ("cost.terms.magic", 1.0, "they are .*magic"),
        ("cost", {}, "cost.terms is missing"),
    ],
)
def test_nonsense_is_refused_by_name(path, content, where, value, named):
    """The message says which file, which entry and what is wrong with it."""
    path.write_text(json.dumps(edited(content, where, value)))
    with pytest.raises(ModelFileError, match=named) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_numbers_too_large_for_a_float_are_refused(path, content):
    """JSON may write 1e999, which no float can hold."""
    text = json.dumps(edited(content, "tree.weights", [[12345.0, 0.0]]))
    path.write_text(text.replace("12345.0", "1e999"))
    with pytest.raises(ModelFileError, match="finite"):
        load(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[1, 2]",
        b"\xff\xfe\x00",
        b"{" * 100,
        b"[" * 100_000 + b"]" * 100_000,
        b"[" * 5_000_000,
        b'{"a":' * 500_000,
        b'{"format": NaN}',
        b'{"format": ' + b"9" * 5_000 + b"}",
    ],
    ids=range(10),
)
def test_files_that_are_no_models_fail_quickly(path, data):
    """Damaged, foreign and hostile files end in a message, as soon as the parser of JSON does."""
    path.write_bytes(data)
    parsing = seconds(lambda: attempt(lambda: json.loads(data)))
    with pytest.raises(ModelFileError):
        load(path)
    assert seconds(lambda: attempt(lambda: load(path))) <= 10 * parsing + 0.1


HUGE = {
    "tree.leaf_classes": [0] * 1_000_000,
    "tree.weights": [[0]] * 1_000_000,
    "tree.splits": [False] * 1_000_000,
    "tree.intercepts": [[[-1.0] * 1_000] * 1_000],
    "feature_names": ["x"] * 1_000_000,
    "classes.values": [0] * 1_000_000,
}


def seconds(call):
    """Return the processor's seconds of a call, the best of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def attempt(call):
    """Call, and let it fail."""
    with contextlib.suppress(ModelFileError, ValueError, RecursionError):
        call()


@pytest.mark.parametrize("where", HUGE)
def test_a_million_nodes_are_refused_quickly(content, where):
    """No entry, however long, keeps the reader much busier than the parser of JSON."""
    text = json.dumps(edited(content, where, HUGE[where]))
    with pytest.raises(ModelFileError, match=where.rpartition(".")[-1]):
        from_json(text)
    parsing = seconds(lambda: json.loads(text))
    assert seconds(lambda: attempt(lambda: from_json(text))) <= 5 * parsing


def test_deep_nesting_within_an_entry_is_refused(content):
    """As deep as the parser of JSON lets it be."""
    nested = json.loads("[" * 400 + "]" * 400)
    for where in ("tree.weights", "tree.scaling.span", "params.class_weight", "result.trace"):
        with pytest.raises(ModelFileError):
            from_json(json.dumps(edited(content, where, nested)))


def test_truncated_files_are_refused_wherever_they_end(path, content):
    """A file cut off anywhere is never taken for a model."""
    text = json.dumps(content)
    for end in range(0, len(text), 37):
        path.write_text(text[:end])
        with pytest.raises(ModelFileError):
            load(path)


def test_files_that_cannot_be_read(path, monkeypatch):
    """A missing file, a folder and a file too large."""
    with pytest.raises(ModelFileError, match="No such file"):
        load(path)
    with pytest.raises(ModelFileError, match="directory"):
        load(path.parent)
    save(fitted(STUMP), path)
    monkeypatch.setattr("margintree.estimators.modelfile._read.MAX_BYTES", 10)
    with pytest.raises(ModelFileError, match="bytes"):
        load(path)


def test_a_deeper_tree_than_any_is_refused(path):
    """Depth 10 is read, depth 11 is not."""
    deep = STUMP.deepened(10)
    save(fitted(deep), path)
    assert load(path).tree_ == deep
    save(replace_tree(fitted(STUMP), STUMP.deepened(11)), path)
    with pytest.raises(ModelFileError, match="depth 10"):
        load(path)


def replace_tree(estimator, tree):
    estimator.result_ = replace(estimator.result_, tree=tree)
    return estimator


@given(tree=trees())
def test_the_schema_takes_every_model(tree):
    """What is written is what the schema in docs/ says."""
    Draft202012Validator(SCHEMA).validate(json.loads(to_json(fitted(tree))))


@given(data=st.data())
def test_what_the_schema_refuses_is_refused(data):
    """A model with any entry replaced or removed that is still read agrees with the schema."""
    content = json.loads(to_json(fitted(STUMP)))
    check_refusals(data, content, content)


def test_the_schema_knows_every_choice():
    """Classifiers and reasons to stop are listed as the code lists them."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["estimator"]["enum"] == list(ESTIMATORS)
    assert SCHEMA["$defs"]["result"]["properties"]["reason"]["enum"] == [*Reason]
