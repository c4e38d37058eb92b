"""Classes that stay on a cluster: their kinds, sums of their statistics and the worst of them come over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from divulge.engines.external.table import Aggregates, ClassKinds, WorstClasses
from divulge.engines.spark import querying, sql
from divulge.engines.spark.querying import SparkQueries, asking

KINDS = 4_000_000  # cells of kinds of classes up to which they are brought over; sums are quicker than more


class SparkClasses(SparkQueries):
    """Records whose classes may be too many to be brought over."""

    def class_kinds(self, keys: Sequence[str], target: str | None) -> ClassKinds | None:
        """The kinds of classes that the keys make; None if they are too many as well."""
        picked, columns, place = self.asked(keys, target)
        if target is None:
            found = self.arrow(sql.kinds(picked, columns, None))
            return ClassKinds(found["n"].to_numpy(), found["times"].to_numpy())
        margin = self.margin(target)
        if margin is None:
            return None
        found = None
        if self._may_be_few(sql.kinds(picked, columns, place, querying.SAMPLE)):
            found = self._bounded(sql.kinds(picked, columns, place))
        if found is None:
            return None
        look = found["look"].combine_chunks()
        place_of, count = (part.to_numpy() for part in look.flatten().flatten())
        start = look.offsets.to_numpy().astype(np.int64)
        return ClassKinds(count, found["times"].to_numpy(), start, margin.places(place_of), margin.values)

    def aggregates(self, keys: Sequence[str], target: str) -> Aggregates | None:
        """Sums and extremes of the classes' statistics by size; None if target values are too many."""
        margin = self.margin(target)
        if margin is None:
            return None
        picked, columns, place = self.asked(keys, target)
        assert place is not None
        classes = sql.classes(picked, columns, place, len(margin.values), self.records)
        found = self.arrow(sql.by_size(classes), margin=margin.frame(self.frame))
        by_size = {name: found[name].to_numpy() for name in found.column_names}
        return Aggregates(by_size, margin.values, margin.count)

    def worst(
        self, keys: Sequence[str], target: str | None, statistic: str, most: int, *, highest: bool
    ) -> WorstClasses | None:
        """The classes with the lowest or highest of a statistic; of those without a target, of their size."""
        picked, columns, place = self.asked(keys, target)
        order = sql.ordered(statistic, highest=highest)
        if place is None or target is None:
            found = self.arrow(sql.smallest(picked, columns, most))
            return WorstClasses(self.codes(found, keys), np.arange(len(found) + 1), found["n"].to_numpy())
        margin = self.margin(target)
        if margin is None:
            return None
        classes = sql.classes(picked, columns, place, len(margin.values), self.records)
        query = sql.worst(classes, picked, columns, place, order, most)
        found = self.arrow(query, margin=margin.frame(self.frame))
        y1, y2 = found["y1"].to_numpy(), found["y2"].to_numpy()
        first = np.flatnonzero(np.append(True, (y1[1:] != y1[:-1]) | (y2[1:] != y2[:-1])))
        places = margin.places(found["x"].to_numpy())
        return WorstClasses(
            self.codes(found, keys), np.append(first, len(found)), found["n"].to_numpy(), places
        )

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
