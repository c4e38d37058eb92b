"""A table that stays where it is, and whose combinations are too many to be brought over, made searchable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from divulge._support.threads import cached_property
from divulge.anonymization.in_place.brought_levels import LevelsAtHand, base_table
from divulge.anonymization.in_place.lattice_there import LatticeThere
from divulge.anonymization.in_place.node_queries import NodeQueries
from divulge.anonymization.inputs import condensed
from divulge.assessment.people.coded_records import CodedRecords
from divulge.engines.external.workplace import MOST_CELLS
from divulge.errors import EmptySource, ParameterError, TooMuch, listing
from divulge.generalization.attribute_levels import AttributeLevels, attribute_levels
from divulge.generalization.criteria import Criteria, Kind
from divulge.generalization.encoding import GeneralizationTable, target_codes
from divulge.generalization.losses import LossTables
from divulge.generalization.search import SearchResult
from divulge.generalization.target_cells import target_tables
from divulge.generalization.transformations import Levels
from divulge.questions.data import Data
from divulge.table.codes import MISSING
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition
from divulge.table.schema import Schema

MOST_SEARCHED = MOST_CELLS  # cells of combinations that come over for a search


def condensed_or_there(whole: Data, names: Sequence[str], *, needs: bool) -> tuple[Data, SearchThere | None]:
    """The combinations of a table that stays where it is; or its records there, where these are too many."""
    found = condensed(whole, names, MOST_SEARCHED)
    if found is not None:
        return found, None
    there = SearchThere.of(whole, names, MOST_SEARCHED, needs=needs)
    return there.data, there


@dataclass(eq=False)
class SearchThere:
    """The records of a table as codes where they are, and what the search reads of them."""

    records: CodedRecords
    most: int  # cells that come over for a node
    queries: NodeQueries | None = None
    _at_hand: LevelsAtHand | None = None
    _lattice: LatticeThere | None = None
    _undecided: list[float] = field(default_factory=list)  # what releases that were left out lose at least
    _known: dict[str, Data] = field(default_factory=dict)

    @classmethod
    def of(cls, whole: Data, names: Sequence[str], most: int, *, needs: bool) -> SearchThere:
        """A table with some of its attributes, refused where more than counts of groups is asked of it."""
        said = (
            "The loss of needs is read from every combination of values"
            if needs
            else f"Records of {whole.source.name} weigh differently"
            if whole.weights is not None
            else None
        )
        if said is not None:
            raise ParameterError(
                f"{said}, and the values of {listing(names, most=6)} occur in more than {most:,} cells of "
                "different combinations, too many to be brought over.",
                hint="Name fewer quasi-identifiers and sensitive attributes, or recode some of them first.",
            )
        return cls(CodedRecords.of(whole, names), most)

    @cached_property
    def data(self) -> Data:
        """All records here as those of one attribute: their number, and what odd values mean."""
        return self.margin(self.records.whole.schema.quasi_identifiers[0])

    def margin(self, name: str) -> Data:
        """How often the values of an attribute occur, as data."""
        if name not in self._known:
            self._known[name] = self.records.as_data([name], *self.records.counted([name]))
        return self._known[name]

    def encoded(
        self,
        hierarchies: Mapping[str, Hierarchy],
        targets: Sequence[tuple[str, ...]],
        partitions: Mapping[str, Partition],
    ) -> GeneralizationTable:
        """The table as the search reads it, without its classes."""
        records, named = self.records, tuple(hierarchies)
        where = ""
        if records.whole.missing == "drop":
            whole = " AND ".join(f"b.{records.column(name)} <> {MISSING}" for name in named)
            where = f" WHERE {whole}"
        found = [self._levels(name, hierarchies[name], where) for name in named]
        attributes = tuple(sorted(found, key=lambda one: -len(one.leaves[0])))
        levels_there = tuple(map(self._put_levels, attributes))
        tables, targets_there = [], []
        for target in targets:
            codes, times = records.counted(target, where)
            data = records.as_data(target, codes, times)
            self._refuse_gaps(data, target)
            column = target_codes(data, target, partitions)
            tables.append(target_tables(data, target, column, partitions))
            x = column.codes.astype(np.int64) - 1
            columns = {records.column(name): one for name, one in zip(target, codes, strict=True)}
            targets_there.append(records.place.put({**columns, "x": x, "p": tables[-1].share[x]}))
        self.queries = NodeQueries(
            records, attributes, tuple(targets), tuple(tables), levels_there, tuple(targets_there), where
        )
        others = [name for name in records.values if name not in named]
        self._at_hand = LevelsAtHand(self.queries, others, dict(partitions), named, self.most)
        return base_table(attributes, tuple(tables), named)

    @property
    def by_size(self) -> bool:
        """Whether groups are suppressed by their size alone, which is done where the records are."""
        assert self._lattice is not None
        sizes = all(one.kind is Kind.SIZE for one in self._lattice.criteria.of_classes)
        return sizes and self.records.whole.missing == "value"

    def lattice(
        self, table: GeneralizationTable, criteria: Criteria, costs: LossTables, limit: int
    ) -> LatticeThere:
        """The lattice of levels, whose nodes are found here or counted there."""
        assert self.queries is not None
        assert self._at_hand is not None
        self.queries.refuse_uncountable(criteria)
        self._lattice = LatticeThere(table, criteria, costs, limit, self.queries, self._at_hand)
        return self._lattice

    def at(self, levels: Levels) -> Data:
        """Records that are the same as those of the table once they are recoded to some levels, as data.

        Where they are too many to be brought over, these are the records themselves where they are.
        """
        assert self._at_hand is not None
        found = self._at_hand.at(levels)
        if found is not None:
            return found.data
        if not self.by_size:
            raise self._too_many()
        whole, roles = self.records.whole, self.records.whole.schema
        names = tuple(name for name in roles.attributes if name in self.records.values)
        return whole.with_roles(Schema(names, (), roles.quasi_identifiers, roles.sensitive))

    def accepted(self, levels: Levels, check: Callable[[Data], bool]) -> bool:
        """Whether a release passes a check; one that cannot be made there is not decided, and left out."""
        try:
            data = self.at(levels)
        except TooMuch:
            assert self._lattice is not None
            self._undecided.append(self._lattice.costs.floor(levels))
            return False
        return check(data)

    def ended(self, result: SearchResult) -> tuple[SearchResult, Data]:
        """What the search found, no more being proved than was decided, and the records of its release."""
        assert self._lattice is not None
        attributes = self._lattice.table.attributes
        if not result.best and self._undecided:
            raise self._too_many()
        levels = [result.best[0].levels[one.name] if result.best else one.height for one in attributes]
        data, least = self.at(tuple(levels)), min(self._undecided, default=None)
        self.records.place.close()
        if least is None or least >= result.best[0].loss:
            return result, data
        found = result.certificate
        bound = least if found.bound is None else min(least, found.bound)
        return replace(result, certificate=replace(found, proved=False, bound=bound)), data

    def _too_many(self) -> TooMuch:
        return TooMuch(
            f"The groups of a release of {self.records.place.name} and their sensitive values are more than "
            f"{self.most:,} cells. Where they are, groups are suppressed by their size alone, and the policy "
            "asks more of them.",
            hint="Ask for k_anonymity alone, or recode some of the quasi-identifiers first.",
        )

    def _levels(self, name: str, hierarchy: Hierarchy, where: str) -> AttributeLevels:
        [codes], times = self.records.counted([name], where)
        if not len(codes):
            raise EmptySource("Every record has a missing quasi-identifier, and is dropped for it.")
        return attribute_levels(self.records.codes(name, codes), hierarchy, name, times)

    def _put_levels(self, one: AttributeLevels) -> str:
        """The group of each code at each level, put there; gaps that drop records are in a further one."""
        columns = {"code": np.arange(len(one.place))}
        for level, groups in enumerate(one.groups):
            columns[f"l{level}"] = groups[one.place]
            if self.records.whole.missing == "drop":
                columns[f"l{level}"][MISSING] = len(one.leaves[level])
        return self.records.place.put(columns)

    def _refuse_gaps(self, data: Data, target: Sequence[str]) -> None:
        gaps = [name for name in target if (data.column(name).codes == MISSING).any()]
        if gaps and data.missing == "drop":
            raise ParameterError(
                f"Records without {listing(sorted(set(gaps)))} are dropped where it counts and not "
                "elsewhere, so that groups differ from threshold to threshold.",
                hint='Write missing = "value", or leave these records out first.',
            )
