"""Rows of studies that never ran, for the tests of what is made of rows."""

import numpy as np

from margintree.study.store import Row, as_json

SKILL = {"cart": 0.78, "oct": 0.80, "octh": 0.85, "moctsvm": 0.88, "octsvm": 0.86, "svm-ovo": 0.87}
"""Roughly what every method reaches."""


def spec_text(data_sets=("iris", "wine", "zoo"), methods=("cart", "oct"), repetitions=2, folds=2):
    """Return a specification of a study of methods that have numbers of splits as their grid."""
    lines = [f"data_sets = {[*data_sets]}", f"repetitions = {repetitions}", f"folds = {folds}"]
    return "\n".join([*lines, *(f"methods.{name}.grid.max_splits = [1]" for name in methods)])


def done(data_set, repetition, fold, method, reading, parameters, accuracy, **values):
    """Return a row that is done, with what is not told filled in."""
    given = {
        "objective": 1.0,
        "bound": 0.5,
        "balanced_accuracy": accuracy - 0.01,
        "calibration_error": 0.05,
        "splits": 3,
        "coefficients": 12,
        "build_seconds": 0.001,
        "fit_seconds": 0.01,
        "predict_seconds": 0.0001,
    } | values
    return Row(
        data_set,
        repetition,
        fold,
        method,
        reading,
        as_json(parameters),
        seed=0,
        limits="{}",
        status="done",
        reason="limit",
        accuracy=accuracy,
        session=1,
        **given,
    )


def absent(data_set, method, status, message, repetitions=2, folds=2):
    """Return rows without numbers."""
    return [
        Row(data_set, repetition, fold, method, "grid", "{}", 0, "{}", status, message, session=1)
        for repetition in range(repetitions)
        for fold in range(folds)
    ]


def study(
    data_sets=("iris", "wine", "zoo"),
    methods=tuple(SKILL),
    repetitions=2,
    folds=2,
    costs=(0.1, 1.0, 10.0),
    seed=0,
):
    """Return the rows of a study: every method with every cost, and its nested choice."""
    rng = np.random.default_rng(seed)
    ease = dict(zip(data_sets, rng.uniform(-0.15, 0.1, len(data_sets)), strict=True))
    rows = []
    for data_set in data_sets:
        for method in methods:
            skill = SKILL[method] + ease[data_set]
            for repetition in range(repetitions):
                for fold in range(folds):
                    job = (data_set, repetition, fold, method)
                    rows += [_fit(job, "grid", cost, skill, rng) for cost in costs]
                    rows.append(_fit(job, "nested", costs[0], skill - 0.01, rng))
    return rows


def _fit(job, reading, cost, skill, rng):
    accuracy = round(float(np.clip(skill + 0.02 * rng.normal(), 0, 1)) * 120) / 120
    is_tree = job[-1] != "svm-ovo"
    seconds = float(rng.exponential(0.1 if job[-1] == "octh" else 0.01))
    return done(
        *job,
        reading,
        {"c": cost},
        accuracy,
        splits=int(rng.integers(1, 8)) if is_tree else None,
        coefficients=40 if is_tree else None,
        fit_seconds=seconds,
    )
