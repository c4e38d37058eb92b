"""People with several records, or of different weights, counted where their records are.

A person is in every group that one of their records is in, and counts once in each. So the groups of all
records are joined with whose they are, and what comes over are sizes and weights, and groups by value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.assessment.people.coded_records import CodedRecords
from divulge.assessment.people.people_table import PeopleTable
from divulge.engines.coded_table import check_span, code_of, refuse_wrong
from divulge.engines.external.table import WeightSpan
from divulge.engines.external.workplace import MOST_CELLS
from divulge.errors import Undefined
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes
from divulge.table.partition import Partition

Numbers = npt.NDArray[Any]
Groups = Mapping[str, Partition]
WORD_BITS = 62  # of a whole number there that codes are packed in


class AskedAs(NamedTuple):
    """One way to ask about a target: a number for each of its codes, and how many numbers there are.

    Of the first ``bands`` numbers, two that follow each other are asked as one.
    """

    number: int  # of the way
    of_code: Numbers
    values: int
    bands: int


class ToldSets(NamedTuple):
    """Sets by some keys, each with a value that it tells."""

    keys: Sequence[str]
    asked: AskedAs
    owner: Numbers
    value: Numbers


class Tallies(NamedTuple):
    """Sums of groups in the order of their words, of cells by group and value, and of values."""

    place: list[Numbers]  # the words of each group
    sets: list[Numbers]
    owner: Numbers  # the group of each cell
    value: Numbers
    cells: list[Numbers]
    values: Numbers
    having: list[Numbers]


@dataclass(frozen=True, eq=False)
class PeopleThere:
    """Records as codes where they are, and whose each is or what it weighs."""

    records: CodedRecords
    weights: WeightSpan | None = None  # where records weigh, and each is a person
    _codes: dict[tuple[str, int], tuple[str, int, Partition | None]] = field(default_factory=dict)
    _sets: dict[tuple[Any, ...], list[Numbers]] = field(default_factory=dict)  # words of sets, by table

    @classmethod
    def of(cls, data: Data, attributes: Sequence[str]) -> PeopleThere:
        """The people of some data, with what is asked about them; weights that are none are refused."""
        weights = data.weights
        if weights is None:
            return cls(CodedRecords.of(data, attributes, data.schema.identifiers))
        records = CodedRecords.of(data, attributes, weights=weights)
        told = "n * CASE WHEN w > 0 THEN 0 ELSE 1 END", "min(w)", "max(w)", "sum(n * w)"
        sums = f"sum({told[0]}) AS a, {', '.join(told[1:])}"
        wrong, least, most, total = (
            float(one[0]) for one in records.place.numbers(f"SELECT {sums} FROM {records.held} AS b")
        )
        refuse_wrong(weights, int(wrong), data.records)
        check_span(weights, least, most, total)
        return cls(records, WeightSpan(0, least, most, total))

    @property
    def weights_differ(self) -> bool:
        """Whether weights differ between records, so that shares by weight are others."""
        return self.weights is not None and self.weights.most > self.weights.least * (1 + 1e-9)

    def weighed_sizes(self, partitions: Groups, keys: Sequence[str]) -> tuple[Numbers, Numbers, Numbers]:
        """The sizes of groups, what each weighs, and how many groups are so; of weighted records."""
        words, rows = self._pairs(partitions, keys, None, "")
        by = ", ".join(words)
        sums = f"{self._sum('n')} AS size, sum(n * w) AS w"
        classes = f"SELECT {by}, {sums} FROM ({rows}) AS q GROUP BY {by}"
        kinds = f"SELECT size, w, count(*) AS n FROM ({classes}) AS s GROUP BY size, w"
        [many] = self._numbers(f"SELECT count(*) AS n FROM ({kinds}) AS k")
        if int(many[0]) * 3 > MOST_CELLS:
            raise Undefined("there are too many groups of different weights to fetch")
        size, weight, times = self.records.place.numbers(kinds)
        return size.astype(np.int64), weight.astype(np.float64), times.astype(np.int64)

    def worst_sizes(self, partitions: Groups, keys: Sequence[str]) -> tuple[Numbers, Numbers, Numbers]:
        """The sizes of groups in people, how many groups have each, and for how many people each is least."""
        words, pairs = self._pairs(partitions, keys, None, "")
        by = ", ".join(words)
        sizes = f"SELECT {by}, count(*) AS size FROM ({pairs}) AS q GROUP BY {by}"
        size, sets = self._numbers(f"SELECT size, count(*) AS n FROM ({sizes}) AS s GROUP BY size")
        met = " AND ".join(f"s.{one} = q.{one}" for one in words)
        both = f"({pairs}) AS q JOIN ({sizes}) AS s ON {met}"
        least = f"SELECT q.p AS p, min(s.size) AS m FROM {both} GROUP BY q.p"
        own, people = self._numbers(f"SELECT m, count(*) AS n FROM ({least}) AS w GROUP BY m")
        order = np.argsort(size)
        size, sets = size[order], sets[order]
        found = np.zeros(len(size), np.int64)
        found[np.searchsorted(size, own)] = people
        return size, sets, found

    def table(
        self,
        partitions: Groups,
        keys: Sequence[str],
        target: str,
        column: Codes,
        asked: AskedAs,
    ) -> PeopleTable:
        """Groups by value in people, for one way to ask about a target, whose values are a column's."""
        words, pairs = self._pairs(partitions, keys, target, self._asked(target, column, asked))
        by, sums = ", ".join(words), [f"{self._sum('n')} AS n"]
        [many] = self._numbers(f"SELECT count(*) AS n FROM ({_summed(f'{by}, v', sums, pairs)}) AS c")
        if int(many[0]) * (len(words) + 2) > MOST_CELLS:
            raise Undefined("there are too many groups of people to fetch")
        everyone = self._pairs(partitions, (), target, self._asked(target, column, asked))[1]
        found = self._tallied(words, sums, pairs, self._once(by, pairs), self._once("v", everyone))
        having = np.zeros(asked.values, np.int64)
        having[found.values] = found.having[0]
        self._sets[tuple(keys), target, asked.number, _ids(partitions, keys)] = found.place
        size = found.sets[0].astype(np.int64)
        return PeopleTable(
            size,
            np.ones(len(size), np.int64),
            found.owner,
            found.value,
            found.cells[0].astype(np.int64),
            having,
            self._everyone(everyone),
        )

    def weighed(
        self,
        partitions: Groups,
        keys: Sequence[str],
        target: str,
        column: Codes,
        asked: AskedAs,
        table: PeopleTable,
    ) -> PeopleTable:
        """The same table with shares by weight, of as many people as these weights are worth (Kish)."""
        about = target, self._asked(target, column, asked)
        words, pairs = self._pairs(partitions, keys, *about)
        sums = ["sum(n * w) AS w", "sum(n * w * w) AS s"]
        found = self._tallied(words, sums, pairs, pairs, self._pairs(partitions, (), *about)[1])
        sets, alike = (one.astype(np.float64) for one in found.sets)
        size = np.clip(sets**2 / alike, 1, table.size)
        having, heavy = np.zeros(asked.values), found.having[0]
        having[found.values] = heavy / float(heavy.sum()) * table.people
        count = found.cells[0].astype(np.float64) / sets[table.owner] * size[table.owner]
        return replace(table, size=size, count=count, having=having)

    def people_told(
        self,
        partitions: Groups,
        target: str,
        column: Codes,
        told: Sequence[ToldSets],
    ) -> int:
        """How many people have what some sets tell of whom is in them, each counted once."""
        found = []
        for keys, asked, owner, value in told:
            if asked.bands > 1:  # two neighbours are asked as one
                banded = value < asked.bands
                owner = np.concatenate([owner, owner[banded]])
                value = np.concatenate([value, value[banded] + 1])
            words, pairs = self._pairs(partitions, keys, target, self._asked(target, column, asked))
            place = self._sets[tuple(keys), target, asked.number, _ids(partitions, keys)]
            columns = {f"f{word}": one[owner] for word, one in enumerate(place)}
            there = self.records.place.put({**columns, "v": value.astype(np.int64)})
            met = " AND ".join(f"f.f{word} = q.{name}" for word, name in enumerate(words))
            who = ", ".join(f"q.{one} AS {one}" for one in (*self._who, "n"))
            found.append(f"SELECT {who} FROM ({pairs}) AS q JOIN {there} AS f ON {met} AND f.v = q.v")
        return self._everyone(" UNION ALL ".join(found))

    # -- queries --------------------------------------------------------------------------------------

    def _tallied(
        self, words: Sequence[str], sums: Sequence[str], cells: str, sets: str, values: str
    ) -> Tallies:
        """Sums of the cells of groups by value, of whole groups and of values, each of its own rows."""
        by, first = ", ".join(words), len(words)
        inside, whole, alone = (
            self.records.place.numbers(_summed(columns, sums, rows))
            for columns, rows in ((f"{by}, v", cells), (by, sets), ("v", values))
        )
        where, place = ([one.astype(np.int64) for one in found[:first]] for found in (inside, whole))
        order = np.lexsort(place)
        place, value = [word[order] for word in place], inside[first].astype(np.int64)
        owner = _found(place, where)
        cell = np.lexsort((value, owner))
        return Tallies(
            place,
            [one[order] for one in whole[first:]],
            owner[cell],
            value[cell],
            [one[cell] for one in inside[first + 1 :]],
            alone[0].astype(np.int64),
            alone[1:],
        )

    def _pairs(
        self, partitions: Groups, keys: Sequence[str], target: str | None, asked: str
    ) -> tuple[list[str], str]:
        """The query for whom each group has, once each, with values where a target is asked about."""
        held, terms, used, hidden = f"{self.records.held} AS b", list[list[str]](), WORD_BITS, list[str]()
        for number, key in enumerate(keys):
            there, groups = self._grouped(key, partitions.get(key))
            held += f" JOIN {there} AS k{number} ON k{number}.code = b.{self.records.column(key)}"
            bits = max(1, (groups - 1).bit_length())
            if used + bits > WORD_BITS:
                terms.append([])
                used = 0
            terms[-1].append(f"k{number}.g * CAST({1 << used} AS {self.records.place.dialect.whole})")
            used += bits
            mark = self._mark(key)
            hidden += [] if mark is None else [f"b.{self.records.column(key)} = {mark}"]
        where = [f"NOT ({' AND '.join(hidden)})"] if hidden and len(hidden) == len(keys) else []
        if self.records.whole.missing == "drop":
            named = [*keys, *([] if target is None else [target])]
            where += [f"b.{self.records.column(name)} <> {MISSING}" for name in named]
        words = [f"y{number}" for number in range(len(terms))]
        picked = [f"{' + '.join(one)} AS {name}" for one, name in zip(terms, words, strict=True)]
        if target is not None:
            held += f" JOIN {asked} AS x ON x.code = b.{self.records.column(target)}"
            picked.append("x.v AS v")
        kept = f" WHERE {' AND '.join(where)}" if where else ""
        told = ["b.p AS p", "1 AS n"] if self.weights is None else [f"b.{one} AS {one}" for one in self._who]
        told += [] if self.weights is None else ["b.n AS n"]
        return words, f"SELECT DISTINCT {', '.join([*picked, *told])} FROM {held}{kept}"

    @property
    def _who(self) -> list[str]:
        """The columns that tell people apart: who they are, or all that is known of records alike."""
        if self.weights is None:
            return ["p"]
        return [*(self.records.column(name) for name in self.records.values), "w"]

    def _once(self, by: str, pairs: str) -> str:
        """The query for everyone once for each of some columns."""
        return f"SELECT DISTINCT {', '.join([by, *self._who])}, n FROM ({pairs}) AS q"

    def _everyone(self, pairs: str) -> int:
        """How many people a query is about, each once."""
        once = f"SELECT DISTINCT {', '.join(self._who)}, n FROM ({pairs}) AS q"
        [found] = self._numbers(f"SELECT coalesce({self._sum('n')}, 0) AS n FROM ({once}) AS u")
        return int(found[0])

    def _sum(self, term: str) -> str:
        return self.records.records_in(term)

    def _grouped(self, key: str, partition: Partition | None) -> tuple[str, int]:
        """The group of each code of a key, put there, and how many groups there are."""
        asked = key, id(partition)
        if asked not in self._codes:
            values = self.records.values[key]
            every = self.records.codes(key, np.arange(values.cardinality))
            groups = every if partition is None else partition.apply(every, attribute=key)
            there = self.records.place.put(
                {"code": np.arange(values.cardinality), "g": groups.codes.astype(np.int64)}
            )
            self._codes[asked] = there, groups.cardinality, partition
        return self._codes[asked][:2]

    def _asked(self, target: str, column: Codes, asked: AskedAs) -> str:
        """The value that each code of a target is asked about as, put there."""
        values = self.records.values[target]
        codes = {_spelled(value): code for code, value in enumerate(column.values, 1)}
        place = [MISSING, *(codes[_spelled(value)] for value in values.values)]
        of_code = asked.of_code[np.asarray(place)].astype(np.int64)
        return self.records.place.put({"code": np.arange(len(place)), "v": of_code})

    def _mark(self, key: str) -> int | None:
        mark = self.records.whole.suppressed
        return None if mark is None else code_of(self.records.values[key], mark)

    def _numbers(self, query: str) -> list[Numbers]:
        return [one.astype(np.int64) for one in self.records.place.numbers(query)]


def _summed(columns: str, sums: Sequence[str], rows: str) -> str:
    """The query for sums of some rows by columns."""
    return f"SELECT {columns}, {', '.join(sums)} FROM ({rows}) AS q GROUP BY {columns}"


def _found(place: Sequence[Numbers], where: Sequence[Numbers]) -> Numbers:
    """The place of each row of words among rows of which each is there once, in order."""
    rows = len(place[0])
    both = [np.concatenate([one, other]) for one, other in zip(place, where, strict=True)]
    _, number = np.unique(np.stack(both, axis=1), axis=0, return_inverse=True)
    known = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
    known[number.ravel()[:rows]] = np.arange(rows)
    return known[number.ravel()[rows:]]


def _ids(partitions: Groups, keys: Sequence[str]) -> tuple[int, ...]:
    return tuple(id(partitions.get(key)) for key in keys)


def _spelled(value: object) -> tuple[str, str]:
    return type(value).__name__, str(value)
