"""Classes that stay on a cluster: their kinds, sums of their statistics and the worst of them come over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.engines.external.table import Aggregates, ClassKinds, Target, WorstClasses
from divulge.engines.spark import class_sql, querying
from divulge.engines.spark.class_sql import Asked
from divulge.engines.spark.querying import Margin, SparkQueries, asking

KINDS = 4_000_000  # cells of kinds of classes up to which they are brought over; sums are quicker than more


class SparkClasses(SparkQueries):
    """Records whose classes may be too many to be brought over."""

    def class_kinds(self, keys: Sequence[str], target: Target) -> ClassKinds | None:
        """The kinds of classes that the keys make; None if they are too many as well."""
        asked = self.asked(keys, target)
        if not asked.target:
            if asked.people or asked.weighted:  # who is looked for is another one in every class
                return None
            found = self.arrow(class_sql.kinds(asked))
            return ClassKinds(found["n"].to_numpy(), found["times"].to_numpy(), own=_column(found, "own"))
        margin = self.margin(target)
        if margin is None:
            return None
        found = None
        if self._may_be_few(class_sql.kinds(asked, querying.SAMPLE)):
            found = self._bounded(class_sql.kinds(asked))
        if found is None:
            return None
        look = found["look"].combine_chunks()
        place_of, count, *weight = (part.to_numpy() for part in look.flatten().flatten())
        return ClassKinds(
            count,
            found["times"].to_numpy(),
            look.offsets.to_numpy().astype(np.int64),
            margin.places(place_of),
            margin.values,
            weight[0] if weight else None,
            _column(found, "people"),
            _column(found, "own"),
            margin.count if asked.gaps else None,
        )

    def aggregates(self, keys: Sequence[str], target: Target) -> Aggregates | None:
        """Sums and extremes of the classes' statistics by size; None if target values are too many."""
        asked = self.asked(keys, target)
        if not asked.target:
            return self._of_everyone(asked)
        margin = self.margin(target)
        if margin is None:
            return None
        classes = class_sql.classes(asked, len(margin.values), margin.total)
        found = self.arrow(class_sql.by_size(classes, asked), margin=margin.frame(self.frame))
        return Aggregates(_columns(found), margin.values, margin.count)

    def worst(
        self, keys: Sequence[str], target: Target, statistic: str, most: int, *, highest: bool
    ) -> WorstClasses | None:
        """The classes with the lowest or highest of a statistic; of those without a target, of their size."""
        asked = self.asked(keys, target)
        margin = self.margin(target) if asked.target else None
        if asked.target and margin is None:
            return None
        frames = {} if margin is None else {"margin": margin.frame(self.frame)}
        different, total = (0, 1.0) if margin is None else (len(margin.values), margin.total)
        if not asked.target and (asked.people or asked.weighted):
            different, total, _ = self._spread(asked)
        classes = class_sql.classes(asked, different, total)
        found = self.arrow(class_sql.worst(classes, asked, statistic, most, highest=highest), **frames)
        return self._named(asked, keys, found, margin, total)

    def _named(
        self, asked: Asked, keys: Sequence[str], found: Any, margin: Margin | None, total: float
    ) -> WorstClasses:
        """Classes that came over cell by cell."""
        y1, y2 = found["y1"].to_numpy(), found["y2"].to_numpy()
        first = np.flatnonzero(np.append(True, (y1[1:] != y1[:-1]) | (y2[1:] != y2[:-1])))
        place: npt.NDArray[np.int64] | None = None
        totals: npt.NDArray[Any] | None = None
        if margin is not None:
            place = margin.places(found["x"].to_numpy())
        elif asked.people:
            whose = np.stack([part.to_numpy() for part in found["x"].combine_chunks().flatten()])
            _, first_cell, place = np.unique(whose, axis=1, return_index=True, return_inverse=True)
            totals = found["t"].to_numpy()[first_cell]
        elif asked.weighted:
            place, totals = np.arange(len(found)), found["w"].to_numpy()
        if totals is not None:
            totals = np.append(totals, max(total - totals.sum(), 0.0))
        people, own = (_column(found, name) for name in ("people", "own"))
        return WorstClasses(
            self.codes(found, keys),
            np.append(first, len(found)),
            found["n"].to_numpy(),
            place,
            _column(found, "w"),
            None if people is None else people[first],
            None if own is None else own[first],
            totals,
        )

    def _of_everyone(self, asked: Asked) -> Aggregates:
        """The same where people, or weighted records, are looked for: they are too many to be listed."""
        different, weight, known = self._spread(asked)
        classes = class_sql.classes(asked, different, weight)
        found = self.arrow(class_sql.by_size(classes, asked))
        uncertain = max(math.log2(weight) - known / weight, 0.0)
        return Aggregates(_columns(found), different=different, weight=weight, entropy=uncertain)

    def _spread(self, asked: Asked) -> tuple[int, float, float]:
        """How many are looked for, what they weigh (t) together, and the sum of t log2 t."""
        found = self.arrow(class_sql.spread(asked))
        different, weight, known = (found[name][0].as_py() for name in ("different", "weight", "known"))
        return int(different), float(weight), float(known)

    def _may_be_few(self, query: str) -> bool:
        """Whether kinds of classes may be few enough, as far as those of some classes tell."""
        if self.records <= KINDS:
            return True
        told = self.arrow(
            f"SELECT sum(times) AS classes, count(*) AS kinds, sum(size(look)) AS cells FROM ({query})"
        )
        classes, kinds, cells = (told[name][0].as_py() or 0 for name in ("classes", "kinds", "cells"))
        # Where most of some classes are unlike, more of them bring more kinds; otherwise mostly the same.
        return cells * querying.SAMPLE <= KINDS or 2 * kinds < classes

    def _bounded(self, query: str) -> Any:
        """The kinds that a query finds, or None: kept on the cluster until it is known how many there are."""
        if self.records <= KINDS:
            return self.arrow(query)
        with asking(self.name):
            kinds = self.query(query).persist()
            try:
                [(cells,)] = kinds.selectExpr("sum(size(look))").collect()
                return kinds.toArrow() if cells <= KINDS else None
            finally:
                kinds.unpersist()


def _column(found: Any, name: str) -> npt.NDArray[Any] | None:
    """A column as an array, where there is one of that name."""
    return found[name].to_numpy() if name in found.column_names else None


def _columns(found: Any) -> dict[str, npt.NDArray[Any]]:
    return {name: found[name].to_numpy() for name in found.column_names}
