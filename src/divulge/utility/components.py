"""How numeric attributes vary together: covariances, correlations and principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from divulge.errors import Undefined, listing
from divulge.utility.numbering import Floats

NEGLIGIBLE = 1e-12  # correlations and loadings this small are rounding
_DEPENDENT = 1e-10  # share of the variance below which a component is none


@dataclass(frozen=True, eq=False)
class Structure:
    """The matrices that describe a table of numbers, a row for each attribute.

    Components are those of the correlation matrix, the one that explains most first. The sign of a
    component means nothing: its largest loading is positive, unless there is another table ``beside``,
    whose component it then points along.
    """

    data: Floats
    attributes: Sequence[str]
    table: str
    beside: Structure | None = None

    @cached_property
    def covariances(self) -> Floats:
        records = self.data.shape[1]
        if records < 2:
            raise Undefined("covariances need two records at least")
        centred = self.data - self.data.mean(axis=1, keepdims=True)
        centred[np.ptp(self.data, axis=1) == 0] = 0.0  # which the mean of equal numbers, rounded, may miss
        with np.errstate(over="ignore", invalid="ignore"):
            found = centred @ centred.T / (records - 1)
        if not np.isfinite(found).all():
            raise Undefined(f"the numbers of {self.table} are too large to be multiplied")
        return found

    @cached_property
    def deviations(self) -> Floats:
        return np.sqrt(np.diag(self.covariances))

    @cached_property
    def correlations(self) -> Floats:
        if len(self.attributes) < 2:
            raise Undefined("there is one numeric attribute only, and nothing to correlate it with")
        spread = self.deviations
        constant = [name for name, size in zip(self.attributes, spread, strict=True) if size == 0]
        if constant:
            raise Undefined(f"without variation in {self.table}: {listing(constant)}")
        found = np.clip(self.covariances / np.outer(spread, spread), -1, 1)
        np.fill_diagonal(found, 1.0)
        return found

    @cached_property
    def _components(self) -> tuple[Floats, Floats]:
        """Variances, the largest first, and a column for each component."""
        variances, vectors = np.linalg.eigh(self.correlations)
        variances, vectors = np.clip(variances[::-1], 0, None), vectors[:, ::-1]
        return variances, vectors * self._signs(vectors)

    def _signs(self, vectors: Floats) -> Floats:
        size = np.abs(vectors)
        largest = np.argmax(size >= size.max(axis=0) - NEGLIGIBLE, axis=0)  # of equals, the first
        signs = np.sign(vectors[largest, np.arange(len(largest))])
        if self.beside is None:
            return signs
        along = (self.beside._components[1] * vectors * signs).sum(axis=0)
        return np.where(along < -NEGLIGIBLE, -signs, signs)

    @cached_property
    def loadings(self) -> Floats:
        """Correlations of the attributes with the components."""
        variances, vectors = self._components
        return vectors * np.sqrt(variances)

    @cached_property
    def communalities(self) -> Floats:
        """The share of each attribute's variance that the first component explains."""
        return self.loadings[:, 0] ** 2

    @cached_property
    def scores(self) -> Floats:
        """What standardised attributes are multiplied by to give components of variance 1."""
        variances, vectors = self._components
        enough = int((variances > _DEPENDENT * len(variances)).sum())
        if enough < len(variances):
            raise Undefined(
                f"in {self.table} the numeric attributes depend on each other: "
                f"of {len(variances)} components {enough} would do"
            )
        return vectors / np.sqrt(variances)
