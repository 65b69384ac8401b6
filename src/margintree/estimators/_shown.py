"""How notebooks show a classifier."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from margintree.show.report import picture


class ShownAsTree(BaseEstimator):
    """Shows itself in a notebook as its tree, once it is fitted."""

    @property
    def _repr_html_(self) -> Callable[[], str]:
        as_diagram: Callable[[], str] = super()._repr_html_
        return partial(picture, self) if hasattr(self, "result_") else as_diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_()
        return bundle
