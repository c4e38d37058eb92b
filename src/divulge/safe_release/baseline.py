"""What an observer expects: the distribution of X that is public, and how often each target occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError, SchemaError
from divulge.safe_release.domain import Domain, HolderTable

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Baseline:
    """P(X) and P(Y) on a domain, in the version that a decision uses.

    A value whose share is zero is one that was released and that the baseline no longer expects.
    """

    domain: Domain
    shares: FloatArray  # P(X)
    target_shares: FloatArray  # P(Y)
    version: int = 1
    counts: FloatArray | None = None  # how often each value of X occurs, where the table is the baseline

    def __post_init__(self) -> None:
        for shares, labels, what in (
            (self.shares, self.domain.values, "values of X"),
            (self.target_shares, self.domain.targets, "targets"),
        ):
            if shares.shape != (len(labels),):
                raise ParameterError(f"The baseline needs a share for each of its {len(labels)} {what}.")
            if not np.isfinite(shares).all() or (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
                raise ParameterError(f"The shares of the {what} must be zero or more and add up to one.")
        if self.counts is not None and self.counts.shape != self.shares.shape:
            raise ParameterError(
                f"The baseline needs a count for each of its {len(self.shares)} values of X."
            )

    @classmethod
    def of(cls, table: HolderTable, *, version: int = 1) -> Baseline:
        """The baseline of a holder's own table, as it stands."""
        return cls._of_counts(table.domain, table.counts.sum(axis=1), table.counts.sum(axis=0), version)

    @classmethod
    def reference(cls, table: HolderTable, weights: Mapping[Any, float], *, version: int = 1) -> Baseline:
        """A reference distribution of X, by value, for the targets of a table.

        Weights are counts or shares. A value of the table that the reference lacks, or expects never, can
        not be released; a value that the table lacks stays in the domain.
        """
        known = table.domain.including(
            Domain(table.domain.x, table.domain.y, tuple(weights), (), table.domain.partitions)
        )
        try:
            given = np.asarray([float(weights.get(value, 0)) for value in known.values])
        except (TypeError, ValueError):
            raise ParameterError("The weights of a reference distribution must be numbers.") from None
        if not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
            raise ParameterError(
                "A reference distribution needs weights of zero or more, not all of them zero."
            )
        targets = table.counts.sum(axis=0)
        return cls(known, given / given.sum(), targets / targets.sum(), version)

    @classmethod
    def _of_counts(
        cls, domain: Domain, values: npt.NDArray[Any], targets: npt.NDArray[Any], version: int
    ) -> Baseline:
        if not values.sum():
            raise ParameterError("A baseline needs records, and this table has none.")
        shares = values / values.sum(), targets / targets.sum()
        return cls(domain, *shares, version, values.astype(np.float64))

    def following(self, table: HolderTable) -> Baseline:
        """The next version, after the holder's table; what has been released keeps its place."""
        if (table.domain.x, table.domain.y) != (self.domain.x, self.domain.y):
            raise SchemaError(
                f"The baseline is of {_named(self.domain)}, and the table is of {_named(table.domain)}.",
                hint="Follow a table of the same attributes.",
            )
        domain = table.domain.including(self.domain)
        counts = domain.moved(table.counts, table.domain)
        return self._of_counts(domain, counts.sum(axis=1), counts.sum(axis=0), self.version + 1)

    def covering(self, other: Domain) -> Baseline:
        """The same expectations on a domain with all values and targets of another; new ones have none."""
        domain = self.domain.including(other)
        rows, columns = domain.places(self.domain)

        def moved(known: FloatArray, places: list[int], size: int) -> FloatArray:
            found = np.zeros(size)
            found[places] = known
            return found

        values, targets = domain.shape
        counts = None if self.counts is None else moved(self.counts, rows, values)
        shares = moved(self.shares, rows, values), moved(self.target_shares, columns, targets)
        return Baseline(domain, *shares, self.version, counts)

    def numbered(self, version: int) -> Baseline:
        return replace(self, version=version)

    @property
    def expected(self) -> tuple[int, int]:
        """How many values and targets the baseline expects at all."""
        return int(np.count_nonzero(self.shares)), int(np.count_nonzero(self.target_shares))


def _named(domain: Domain) -> str:
    return f"{', '.join(domain.x)} and {', '.join(domain.y)}"
