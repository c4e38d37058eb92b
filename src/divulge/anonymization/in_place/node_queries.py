"""A node counted where the records are: what its groups are beyond, and sums over those that are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums, TargetTables
from divulge.assessment.people.coded_records import CodedRecords, Integers
from divulge.counting.statistics import xlog2x
from divulge.engines.external.counting_place import CountingPlace
from divulge.errors import TooMuch
from divulge.generalization.attribute_levels import AttributeLevels
from divulge.generalization.criteria import LOW, Criteria, Criterion, Kind, RestCondition
from divulge.generalization.losses import LossTables

WORD_BITS = 62  # of a whole number there that codes of groups are packed in

#: The statistic that a bound is held against, as it is called there.
_STATISTICS = {
    Kind.DISTINCT: "distinct",
    Kind.ENTROPY_VALUES: "entropy",
    Kind.ENTROPY_RISK: "entropy",
    Kind.DOMINANCE: "dominance",
    Kind.TOP_SHARE: "top_share",
    Kind.ERROR: "top_share",
    Kind.EQUAL: "distance",
    Kind.DISCLOSURE: "disclosure",
    Kind.GAIN: "gain",
    Kind.ENHANCED_GAIN: "enhanced_gain",
    Kind.DIVERGENCE: "divergence",
}


@dataclass(frozen=True, eq=False)
class NodeQueries:
    """The levels and targets of a table where its records are, and what is asked of a node there."""

    records: CodedRecords
    attributes: tuple[AttributeLevels, ...]
    targets: tuple[tuple[str, ...], ...]
    target_tables: tuple[TargetTables, ...]
    levels_there: tuple[str, ...]  # for each attribute its codes, with the group of each at each level
    targets_there: tuple[str, ...]  # for each target its codes, their place (x) and share of the table (p)
    where: str = ""  # that records are counted

    @property
    def place(self) -> CountingPlace:
        """Where the records are."""
        return self.records.place

    def combinations(self, levels: Sequence[int], others: Sequence[str]) -> str:
        """The query for groups of all attributes at some levels, with the codes of others, and n records."""
        groups = [f"k{number}.l{level} AS g{number}" for number, level in enumerate(levels)]
        rest = [f"b.{self.records.column(name)} AS {self.records.column(name)}" for name in others]
        by = ", ".join([*(f"g{number}" for number in range(len(levels))), *map(self.records.column, others)])
        inner = f"SELECT {', '.join([*groups, *rest])}, b.n AS n FROM {self._joined((), where='')}"
        return f"SELECT {by}, {self.records.records_in('n')} AS n FROM ({inner}) AS j GROUP BY {by}"

    def _joined(self, targets: Sequence[int], where: str | None = None) -> str:
        held = f"{self.records.held} AS b"
        for number, (one, there) in enumerate(zip(self.attributes, self.levels_there, strict=True)):
            held += f" JOIN {there} AS k{number} ON k{number}.code = b.{self.records.column(one.name)}"
        for place in targets:
            met = [
                f"t{place}.{self.records.column(name)} = b.{self.records.column(name)}"
                for name in self.targets[place]
            ]
            held += f" JOIN {self.targets_there[place]} AS t{place} ON {' AND '.join(met)}"
        return held + (self.where if where is None else where)

    # -- one node -------------------------------------------------------------------------------------

    def find(
        self, levels: Sequence[int], criteria: Criteria, costs: LossTables, limit: int, found: NodeSums
    ) -> None:
        """Write what is found of a node, counted there, to the first place."""
        read = sorted({one.target for one in (*criteria.of_classes,) if one.target >= 0})
        rest = {one.target for one in criteria.of_rest if isinstance(one, RestCondition)} | {costs.target}
        rest.discard(-1)
        classes = self.place.hold(self._classes(levels, criteria, read, sorted(rest), extra=limit > 0))
        try:
            self._read(classes, levels, criteria, costs, limit, sorted(rest), found)
        finally:
            self.place.drop(classes)

    def _classes(
        self,
        levels: Sequence[int],
        criteria: Criteria,
        read: Sequence[int],
        rest: Sequence[int],
        *,
        extra: bool,
    ) -> str:
        """The query for the classes of a node: size, whether each is beyond a bound (bad), and sums."""
        used = sorted({*read, *rest})
        words = self._packed(levels)
        y = [f"y{number}" for number in range(len(words))]
        groups = [f"k{number}.l{level} AS g{number}" for number, level in enumerate(levels)] if extra else []
        aims = [f"t{place}.x AS x{place}" for place in used]
        picked = ", ".join(
            [*(f"{term} AS {one}" for term, one in zip(words, y, strict=True)), *groups, *aims]
        )
        joined = f"SELECT {picked}, b.n AS n FROM {self._joined(used)}"
        told = [f"min(g{number}) AS g{number}" for number in range(len(levels))] if extra else []
        size = self.records.records_in("n")
        by = ", ".join(y)
        sizes = f"SELECT {', '.join([*y, *told])}, {size} AS size FROM j GROUP BY {by}"
        steps = [f"j AS ({joined})", f"s AS ({sizes})"]
        columns, held = (
            [f"s.{one}" for one in (*y, *(f"g{n}" for n in range(len(levels)) if extra), "size")],
            "s",
        )
        for place in used:
            steps += self._target_steps(place, y, criteria, at_rest=place in rest)
            held += f" JOIN c{place} ON " + " AND ".join(f"c{place}.{one} = s.{one}" for one in y)
            if place in rest:
                columns += [f"c{place}.unknown AS unknown{place}", f"c{place}.top AS top{place}"]
        bad = " OR ".join(
            filter(None, map(self._beyond, criteria.of_classes, range(len(criteria.of_classes))))
        )
        columns.append(f"CASE WHEN {bad or '1 = 0'} THEN 1 ELSE 0 END AS bad")
        return f"WITH {', '.join(steps)} SELECT {', '.join(columns)} FROM {held}"

    def _target_steps(self, place: int, y: Sequence[str], criteria: Criteria, *, at_rest: bool) -> list[str]:
        """The steps of a query that make of one target a row for each class with its statistics."""
        by, share = ", ".join(y), self.targets_there[place]
        terms = self.place.statistics.terms(len(self.target_tables[place].share))
        asked = [
            f"{terms[_STATISTICS[one.kind]]} AS v{number}"
            for number, one in enumerate(criteria.of_classes)
            if one.target == place
        ]
        asked += [f"{terms['uncertainty']} AS unknown", "max(n) AS top"] if at_rest else []
        n = self.records.records_in("n")
        size = f"CAST(sum(n) OVER (PARTITION BY {by}) AS {self.place.dialect.whole})"
        cells = f"SELECT {by}, x{place} AS x, {n} AS n FROM j GROUP BY {by}, x{place}"
        shares = (
            f"SELECT {by}, n, p.p AS p, {size} AS size FROM ({cells}) AS d "
            f"JOIN (SELECT x, max(p) AS p FROM {share} AS q GROUP BY x) AS p ON p.x = d.x"
        )
        return [
            f"d{place} AS ({shares})",
            f"c{place} AS (SELECT {', '.join([*y, *asked])} FROM d{place} GROUP BY {by}, size)",
        ]

    def refuse_uncountable(self, criteria: Criteria) -> None:
        """Refuse bounds on numbers that are not read from counts there."""
        for one in criteria.of_classes:
            if one.kind in (Kind.ORDERED, Kind.HIERARCHICAL) or (
                one.kind is Kind.DOMINANCE and one.parameter != 2
            ):
                raise TooMuch(
                    f"{one.threshold.measure.name} needs every group with its values, and the groups of "
                    f"{self.place.name} are too many to be brought over.",
                    hint="Ask for another measure, or recode some of the attributes first.",
                )

    def _beyond(self, one: Criterion, number: int) -> str:
        """The condition that a class is beyond a bound."""
        number_there = self.place.dialect.float_number
        bound, lower = one.bound, one.kind in LOW
        if one.kind is Kind.SIZE:
            term = "s.size"
        elif one.kind is Kind.RISK:
            term = f"{number_there(1.0)} / s.size"
        else:
            term = f"c{one.target}.v{number}"
        if one.kind in (Kind.ENTROPY_VALUES, Kind.ENTROPY_RISK):  # held against its logarithm
            if bound <= 0:
                return "1 = 0" if lower else "1 = 1"
            bound, lower = math.log2(bound) * (1 if lower else -1), True
        elif one.kind is Kind.ERROR:
            term = f"{number_there(1.0)} - {term}"
        if math.isinf(bound):
            return "1 = 1" if (bound > 0) == lower else "1 = 0"
        return f"{term} {'<' if lower else '>'} {number_there(bound)}"

    def _packed(self, levels: Sequence[int]) -> list[str]:
        """The terms of whole numbers that tell classes apart: codes of groups side by side."""
        terms, used = list[list[str]](), WORD_BITS
        for number, (one, level) in enumerate(zip(self.attributes, levels, strict=True)):
            bits = max(1, (len(one.leaves[level]) - 1).bit_length())
            if used + bits > WORD_BITS:
                terms.append([])
                used = 0
            terms[-1].append(f"k{number}.l{level} * CAST({1 << used} AS {self.place.dialect.whole})")
            used += bits
        return [" + ".join(one) for one in terms]

    # -- what comes over ------------------------------------------------------------------------------

    def _read(
        self,
        classes: str,
        levels: Sequence[int],
        criteria: Criteria,
        costs: LossTables,
        limit: int,
        rest: Sequence[int],
        found: NodeSums,
    ) -> None:
        sums = [
            f"sum(unknown{t}) AS u{t}, min(unknown{t}) AS l{t}, {self.records.records_in(f'top{t}')} AS o{t}"
            for t in rest
        ]
        told = ", ".join(["bad", "size", "count(*) AS times", *sums])
        columns = self.place.numbers(f"SELECT {told} FROM {classes} AS c GROUP BY bad, size")
        bad, size, times = (one.astype(np.int64) for one in columns[:3])
        beyond = bad == 1
        suppressed = int((size * times)[beyond].sum())
        found.classes[0], found.suppressed[0] = int(times.sum()), suppressed
        if suppressed > limit:
            return
        kept, often = size[~beyond], times[~beyond]
        found.kept[0] = int(often.sum())
        found.least[0] = kept.min() if len(kept) else np.iinfo(np.int64).max
        found.unique[0] = int(often[kept == 1].sum())
        found.small[0] = int((kept * often)[kept < criteria.few].sum())
        found.squares[0] = float((kept.astype(np.float64) ** 2 * often).sum())
        found.record_bits[0] = float((xlog2x(kept) * often).sum())
        found.extra[0] = self._extra(classes, levels, costs, suppressed)
        for number, target in enumerate(rest):
            total, least, top = (one[~beyond] for one in columns[3 + 3 * number : 6 + 3 * number])
            if not len(kept):
                continue
            found.left[0, target], found.least_left[0, target] = total.sum(), least.min()
            found.top[0, target] = top.sum()
            margin = self._margin_left(classes, levels, target, suppressed)
            whole = xlog2x(np.asarray([(kept * often).sum()]))[0] - xlog2x(margin).sum()
            found.entropy[0, target] = max(float(whole), 0.0)

    def _extra(
        self, classes: str, levels: Sequence[int], costs: LossTables, suppressed: int
    ) -> npt.NDArray[np.float64]:
        """What suppression adds to the loss of each attribute."""
        found = np.zeros(len(levels))
        if not suppressed:
            return found
        each = [
            f"SELECT {number} AS attribute, g{number} AS code, {self.records.records_in('size')} AS n "
            f"FROM {classes} AS c WHERE bad = 1 GROUP BY g{number}"
            for number in range(len(levels))
        ]
        attribute, code, n = (one.astype(np.int64) for one in self.place.numbers(" UNION ALL ".join(each)))
        fields = costs.table.fields
        for place, level in enumerate(levels):
            codes, records = code[attribute == place], n[attribute == place]
            if costs.loss.entropy:
                found[place] = xlog2x(np.asarray([suppressed]))[0] - xlog2x(records).sum()
                continue
            start = int(fields.table[place]) + level * (int(fields.mask[place]) + 1)
            found[place] = float((records * costs.extra[start + codes]).sum())
        return found

    def _margin_left(self, classes: str, levels: Sequence[int], target: int, suppressed: int) -> Integers:
        """How many records that are kept have each value of a target."""
        if not suppressed:
            share = self.target_tables[target].share
            return np.rint(share * self._counted).astype(np.int64)
        words = self._packed(levels)
        y = [f"y{number}" for number in range(len(words))]
        picked = ", ".join(f"{term} AS {one}" for term, one in zip(words, y, strict=True))
        joined = f"SELECT {picked}, t{target}.x AS x, b.n AS n FROM {self._joined([target])}"
        met = " AND ".join(f"c.{one} = j.{one}" for one in y)
        query = (
            f"SELECT j.x AS x, {self.records.records_in('j.n')} AS n FROM ({joined}) AS j "
            f"JOIN {classes} AS c ON {met} WHERE c.bad = 0 GROUP BY j.x"
        )
        found: Any = self.place.numbers(query)[1]
        return np.asarray(found, np.int64)

    @property
    def _counted(self) -> int:
        """How many records are counted."""
        return int(self.attributes[0].counts[0].sum())
