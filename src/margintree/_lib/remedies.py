"""Checks of parameters by scikit-learn's constraints, with messages that say what to do."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import (
    InvalidParameterError,
    validate_parameter_constraints,
)

from margintree._lib.suggestion import did_you_mean

_MESSAGE = re.compile(
    r"The '(?P<name>\w+)' parameter of \w+ must be (?P<allowed>.*) Got '?(?P<given>.*?)'? "
)
_WORDS = re.compile(r"'([^']+)'")


class CheckedParameters(BaseEstimator):
    """Estimator whose parameters are checked with a remedy in every message."""

    def _validate_params(self) -> None:
        check_parameters(self, self.get_params(deep=False))


def check_parameters(estimator: Any, given: Mapping[str, Any]) -> None:
    """Raise scikit-learn's error unless an estimator accepts these parameters; say what to do.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier
    >>> check_parameters(MOCTSVMClassifier(), {"c1": -1})
    Traceback (most recent call last):
    sklearn.utils._param_validation.InvalidParameterError: The 'c1' parameter of MOCTSVMClassifier
    must be a float in the range [0.0, inf). Got -1 instead. Give another value, or leave it out for
    the default, 10.0.
    """
    try:
        validate_parameter_constraints(
            estimator._parameter_constraints, given, type(estimator).__name__
        )
    except InvalidParameterError as error:
        # The class stays: scikit-learn's checks of estimators ask for it.
        message = f"{error} {_remedy(str(error), type(estimator))}"
        raise InvalidParameterError(message) from error


def _remedy(message: str, estimator: type) -> str:
    found = _MESSAGE.match(message)
    if found is None:
        return "Give another value."
    allowed = _WORDS.findall(found["allowed"])
    parameter: Any = inspect.signature(estimator).parameters[found["name"]]
    hint = did_you_mean(found["given"], allowed)
    if parameter.default is parameter.empty:
        return f"{hint}Give another value."
    default = "" if parameter.default is None else f" for the default, {parameter.default!r}"
    return f"{hint}Give another value, or leave it out{default}."
