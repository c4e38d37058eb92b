"""What numbers lost: how far data, covariances, correlations and principal components have moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from divulge._support.threads import cached_property
from divulge.alignment.tables import Alignment
from divulge.errors import Undefined, listing
from divulge.utility.numbering import Floats
from divulge.utility.values import NOT_ALIGNED, aligned, attributes_of

TITLES = {
    "data": "the numbers themselves",
    "covariances": "covariances",
    "correlations": "correlations",
    "loadings": "correlations with principal components",
    "communalities": "communalities with the first component",
    "scores": "factor score coefficients",
}
NEGLIGIBLE = 1e-12  # correlations and loadings this small are rounding
DEPENDENT = 1e-10  # share of the variance below which a component is none


@dataclass(frozen=True)
class MatrixLoss:
    """How far a matrix has moved from that of the original, cell by cell; 0 where nothing was lost.

    The mean variation is relative to the cells of the original, those of 0 aside: they are ``zeros``.
    """

    name: str
    title: str
    mean_squared_error: float | None = None
    mean_absolute_error: float | None = None
    mean_variation: float | None = None
    zeros: int = 0
    undefined: str | None = None


@dataclass(frozen=True)
class ContinuousLoss:
    """What attributes lost that are numbers in both tables, on aligned records without a gap in them."""

    attributes: tuple[str, ...] = ()
    records: int = field(default=0, repr=False)
    left_out: int = field(default=0, repr=False)
    measures: tuple[MatrixLoss, ...] = ()
    undefined: str | None = None
    moved: int = field(default=0, repr=False)  # records with a number that differs


def continuous_loss(alignment: Alignment, attributes: Sequence[str] | None = None) -> ContinuousLoss:
    """Mean squared error, mean absolute error and mean variation of each matrix that the numbers make.

    >>> from divulge import read
    >>> from divulge.alignment.tables import align
    >>> found = continuous_loss(align(read({"age": [20, 30, 40]}), read({"age": [25, 25, 40]})))
    >>> found.measures[0].mean_squared_error
    16.666666666666668
    """
    if alignment.rows is None:
        return ContinuousLoss(undefined=NOT_ALIGNED)
    chosen = attributes_of(alignment) if attributes is None else attributes
    columns = [aligned(alignment, name) for name in chosen]
    pairs = [(pair, pair.numbers) for pair in columns if pair.numbers is not None]
    names = tuple(pair.attribute for pair, _ in pairs)
    if not pairs:
        return ContinuousLoss(undefined="no attribute is a number in both tables")
    gaps = np.logical_or.reduce([pair.gap(pair.original) | pair.gap(pair.released) for pair, _ in pairs])
    left_out = int(gaps.sum())
    if left_out == len(gaps):
        reason = "no record has a value of each of the numeric attributes in both tables"
        return ContinuousLoss(names, 0, left_out, undefined=reason)
    rows = ~gaps if left_out else slice(None)
    before = np.stack([numbers[pair.original.codes[rows]] for pair, numbers in pairs])
    after = np.stack([numbers[pair.released.codes[rows]] for pair, numbers in pairs])
    original = Structure(before, names, "the original")
    released = Structure(after, names, "the release", beside=original)
    measures = tuple(_moved(name, original, released) for name in TITLES)
    moved = int((before != after).any(axis=0).sum())
    return ContinuousLoss(names, len(gaps) - left_out, left_out, measures, moved=moved)


def _moved(name: str, original: Structure, released: Structure) -> MatrixLoss:
    try:
        before, after = getattr(original, name), getattr(released, name)
    except Undefined as undefined:
        return MatrixLoss(name, TITLES[name], undefined=undefined.message)
    there = np.abs(before) > _negligible(name, original)
    with np.errstate(over="ignore"):
        distance = np.abs(after - before)
        squared, absolute = float((distance**2).mean()), float(distance.mean())
        variation = float((distance[there] / np.abs(before[there])).mean()) if there.any() else None
    if not np.isfinite([squared, variation or 0.0]).all():
        return MatrixLoss(name, TITLES[name], undefined="the numbers differ too much to be compared")
    return MatrixLoss(name, TITLES[name], squared, absolute, variation, int((~there).sum()))


def _negligible(name: str, original: Structure) -> Floats | float:
    """Up to where a cell counts as 0: data exactly, what is computed from them up to rounding."""
    if name == "covariances":
        return NEGLIGIBLE * np.outer(original.deviations, original.deviations)
    return 0.0 if name == "data" else NEGLIGIBLE


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
            raise Undefined(f"constant in {self.table}: {listing(constant)}")
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
        enough = int((variances > DEPENDENT * len(variances)).sum())
        if enough < len(variances):
            raise Undefined(
                f"the numeric attributes of {self.table} depend on each other: "
                f"{enough} of {len(variances)} components are enough"
            )
        return vectors / np.sqrt(variances)
