"""A linear map of terms, in which margins are measured."""

from dataclasses import dataclass

import numpy as np

from margintree._lib.arrays import FloatArray, product


@dataclass(frozen=True, eq=False)
class Mix:
    """The map of terms ``t`` to features: ``matrix @ (t - centre)``, then a factor on all others.

    The matrix applies to as many terms as it has columns; every other term is a feature of its own,
    multiplied by ``factor``. A hyperplane over features is one over terms, so people need not see
    the mix.

    Examples
    --------
    >>> mix = Mix(np.zeros(3), np.array([[2.0, 1.0]]), factor=0.5)
    >>> mix.apply(np.array([[1.0, 1.0, 4.0]]))
    array([[3., 2.]])
    >>> mix.folded(np.array([[1.0, 1.0]]), np.array([0.0]))
    (array([[2. , 1. , 0.5]]), array([0.]))
    """

    centre: FloatArray
    matrix: FloatArray
    factor: float = 1.0

    @property
    def n_features(self) -> int:
        """The number of features."""
        n_mixed, n_terms = self.matrix.shape
        return int(n_mixed + len(self.centre) - n_terms)

    def apply(self, terms: FloatArray) -> FloatArray:
        """Return the features of rows of terms."""
        moved = terms - self.centre
        mixed, others = self._parts(moved, self.matrix.shape[1])
        return np.hstack([product(mixed, self.matrix.T), self.factor * others])

    def folded(self, weights: FloatArray, intercepts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return hyperplanes over features as hyperplanes over terms."""
        mixed, others = self._parts(weights, self.matrix.shape[0])
        of_terms = np.hstack([product(mixed, self.matrix), self.factor * others])
        return of_terms, intercepts - product(of_terms, self.centre)

    def unfolded(
        self, weights: FloatArray, intercepts: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return hyperplanes over terms as hyperplanes over features, as near as there are any."""
        mixed, others = self._parts(weights, self.matrix.shape[1])
        inverse: FloatArray = np.linalg.pinv(self.matrix).astype(np.float64)
        of_features = np.hstack([product(mixed, inverse), others / self.factor])
        return of_features, intercepts + product(weights, self.centre)

    def _parts(self, values: FloatArray, n_mixed: int) -> tuple[FloatArray, FloatArray]:
        return values[:, :n_mixed], values[:, n_mixed:]
