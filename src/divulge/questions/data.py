"""Data to be measured: records with an engine, the roles of attributes, and what odd values mean."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.notebook import table_view
from divulge._support.wording import records as so_many
from divulge.counting.counts import Integers
from divulge.engines.base import Conventions, Dealing, Engine, LevelSearch, SubsetSearch, Summary
from divulge.engines.memory.engine import condensed, one_by_one, replaced, taken
from divulge.engines.opening import engine_for, open_source
from divulge.errors import SchemaError
from divulge.source.anatomy import ADDED, RECORD, WEIGHT, AnatomySource
from divulge.source.base import Source
from divulge.source.options import OPTIONS, SUPPRESSED, Labels, Missing, SourceOptions
from divulge.table.codes import Codes, narrow
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition
from divulge.table.schema import Role, Schema
from divulge.table.schema import names as listed


@dataclass(frozen=True, eq=False)
class Data:
    """Records with roles and conventions; the engine counts them, and reads a column once."""

    engine: Engine
    schema: Schema
    weights: str | None = None
    missing: Missing = "value"
    missing_values: frozenset[str] = frozenset()
    suppressed: str | None = SUPPRESSED
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    orders: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Data({self.source.name}: {self.records} records, {len(self.schema.attributes)} attributes)"

    def _repr_html_(self) -> str:
        rows = [[name, self.schema.role(name).value] for name in self.schema.attributes]
        return table_view(self.source.name, ["attribute", "role"], rows, so_many(self.records))

    @property
    def source(self) -> Source:
        return self.engine.source

    @property
    def records(self) -> int:
        return self.engine.records

    @property
    def released_attributes(self) -> list[str]:
        """The attributes but for weights and what reading added to tell whose a row is."""
        return [name for name in self.schema.attributes if name not in (self.weights, *ADDED)]

    @property
    def sample_weights(self) -> str | None:
        """The attribute that says for how many people a record stands; in an anatomy no weight does."""
        return None if self.weights == WEIGHT else self.weights

    @property
    def times(self) -> Integers | None:
        """How often each row of the source stands; None: once."""
        return self.engine.times

    @property
    def conventions(self) -> Conventions:
        return Conventions(
            self.missing, self.missing_values, self.suppressed, self.weights, self.schema.identifiers
        )

    def with_roles(self, schema: Schema) -> Data:
        """The same data, sharing what was read and counted, with other roles."""
        return replace(self, schema=schema)

    def without(self, attribute: str) -> Data:
        """The same data with an attribute that no longer has a role: nobody knows it or looks for it."""
        return self.with_roles(self.schema.without_role(attribute))

    def taking(self, rows: npt.NDArray[np.int64]) -> Data:
        """The same data with some of the rows only; values keep their codes."""
        return replace(self, engine=taken(self.engine, rows))

    def one_by_one(self) -> Data:
        """The same data with a row for each record."""
        return self if self.times is None else replace(self, engine=one_by_one(self.engine))

    def condensed(
        self, attributes: Sequence[str], partitions: Mapping[str, Partition], most: int
    ) -> tuple[Data, Integers] | None:
        """The same data with a row for each combination of some attributes, and the place of each row there.

        Values keep their codes; of those in one group a row has one. None where rows would be more than
        ``most``.
        """
        counted = {
            name: self.grouped(name, partitions[name]) if name in partitions else self.column(name)
            for name in attributes
        }
        found = condensed(self.engine, counted, most)
        return None if found is None else (replace(self, **self._without_unread(found[0])), found[1])

    def starring(self, attribute: str, rows: npt.NDArray[np.bool_]) -> Data:
        """The same data with an attribute suppressed in some rows; other values keep their codes."""
        column, code = self.column(attribute), self.suppressed_code(attribute)
        values = column.values if code is not None else [*column.values, self.suppressed]
        starred = np.where(rows, len(values) if code is None else code, column.codes)
        return self.replacing(attribute, Codes(narrow(starred, len(values)), values))

    def replacing(self, attribute: str, column: Codes) -> Data:
        """The same data with other values of an attribute; one that they do not have is added."""
        schema = self.schema
        if attribute not in schema.attributes:
            schema = replace(schema, attributes=(*schema.attributes, attribute))
        return replace(self, engine=replaced(self.engine, attribute, column), schema=schema)

    def at_hand(self, attributes: Sequence[str], *, passing: bool = False) -> Data | None:
        """The data as rows here, which may stand for many records each; None where those are too many."""
        return self._of_rows(self.engine.at_hand(attributes, self.conventions, passing=passing))

    def looked_at(self, attributes: Sequence[str]) -> Data | None:
        """The same for many questions that look at rows; None also where counting all records is better."""
        return self._of_rows(self.engine.looked_at(attributes, self.conventions))

    def _of_rows(self, engine: Engine | None) -> Data | None:
        if engine is None or engine is self.engine:
            return None if engine is None else self
        return replace(self, **self._without_unread(engine))

    def _without_unread(self, engine: Engine) -> dict[str, Any]:
        """Other rows and roles: identifiers that they do not have tell nothing more, one for each record."""
        schema = self.schema
        for name in schema.identifiers:
            if name not in engine.source.attributes:
                schema = schema.without_role(name)
        return {"engine": engine, "schema": schema}

    @property
    def subset_search(self) -> SubsetSearch | None:
        """The engine's own way through all subsets of attributes, if it has one."""
        return self.engine.subset_search

    @property
    def dealing(self) -> Dealing | None:
        """The engine's own way to assign targets at random, if it has one."""
        return self.engine.dealing

    @property
    def level_search(self) -> LevelSearch | None:
        """The engine's own way through all combinations of levels, if it has one."""
        return self.engine.level_search

    def has_each_record(self) -> bool:
        """Whether there is a row for each record, with all attributes."""
        return self.engine.has_each_record(self.schema.attributes)

    @property
    def numbered(self) -> bool:
        """Whether records have an order of their own, in which their columns can be had."""
        return self.engine.numbered

    @property
    def people(self) -> int:
        """How many people the records are about: as many, unless identifiers say otherwise."""
        identifiers = self.schema.identifiers
        if not identifiers:
            return self.records
        memo, asked = self.memo("people"), (identifiers, self.missing_values)
        if asked not in memo:
            memo[asked] = self.distinct(identifiers)
        return int(memo[asked])

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""
        return self.engine.distinct(attributes, self.missing_values)

    def frequencies(self, attribute: str) -> tuple[Codes, npt.NDArray[np.int64]]:
        """An attribute's values as codes, and how many records have each, missing first."""
        return self.engine.frequencies(attribute, self.missing_values)

    def all_values(self, attribute: str) -> tuple[Codes, npt.NDArray[np.int64]] | None:
        """The same, or None where the values are too many to be looked at one by one."""
        return self.engine.all_values(attribute, self.missing_values)

    def summary(self, attribute: str, most: int = 0) -> Summary:
        """An attribute in a few numbers, with at most so many of its values, spread evenly."""
        return self.engine.summary(attribute, most, self.missing_values)

    def load(self, attributes: Sequence[str]) -> None:
        """Read several columns at once, which is quicker than one by one."""
        self.schema.check(attributes)
        self.engine.load(attributes, self.missing_values)

    def read_ahead(self, attributes: Sequence[str]) -> None:
        """Read columns that will be needed, where reading is all that it takes to have them."""
        self.engine.read_ahead(attributes, self.missing_values)

    def column(self, attribute: str) -> Codes:
        """An attribute as codes, values declared to mean missing among the missing."""
        self.schema.check([attribute])
        return self.engine.column(attribute, self.missing_values)

    def cardinality(self, attribute: str) -> int:
        """How many codes an attribute can have, whether they occur or not; the first is that for missing."""
        return self.engine.cardinality(attribute, self.missing_values)

    def grouped(self, attribute: str, partition: Partition) -> Codes:
        """An attribute as codes of the groups that its values are in."""
        self.schema.check([attribute])
        return self.engine.grouped(attribute, partition, self.missing_values)

    def memo(self, name: Hashable) -> dict[Any, Any]:
        """A place where counting may keep what other questions can use."""
        return self.engine.memo(name)

    def suppressed_code(self, attribute: str) -> int | None:
        """The code of the suppression mark in an attribute; None where it does not occur."""
        self.schema.check([attribute])
        return self.engine.code_of(attribute, self.suppressed, self.missing_values)

    def suppresses(self, attribute: str) -> bool:
        """Whether the suppression mark occurs in an attribute, wherever that is counted."""
        if self.suppressed is None:
            return False
        return self.engine.occurs(attribute, self.suppressed, self.missing_values)

    def numbers(self, attribute: str) -> npt.NDArray[np.float64]:
        """An attribute read as numbers; NaN where it is missing or not a number."""
        return self.engine.numbers(attribute, self.missing_values)

    def record_weights(self) -> npt.NDArray[np.float64] | None:
        """The weight of each row, all positive numbers; None when records weigh the same."""
        return self.engine.record_weights(self.weights, self.missing_values)


def _of_anatomy(source: AnatomySource, given: Schema, weights: str | None) -> tuple[Schema, str]:
    """The roles and weights of an anatomy: those that were given, beside what says whose each row is."""
    if weights not in (None, WEIGHT):
        raise SchemaError(
            "The rows of an anatomy weigh how likely their sensitive value is.", hint="Leave out the weights."
        )
    schema = replace(
        given,
        identifiers=tuple(dict.fromkeys([*given.identifiers, RECORD])),
        quasi_identifiers=given.quasi_identifiers
        or tuple(name for name in source.key_names if given.role(name) is Role.OTHER),
        sensitive=given.sensitive
        or ((source.sensitive,) if given.role(source.sensitive) is Role.OTHER else ()),
    )
    return schema, WEIGHT


def read(
    data: object,
    *,
    identifiers: str | Sequence[str] | None = None,
    quasi_identifiers: str | Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    weights: str | None = None,
    missing: Missing = "value",
    missing_values: str | Sequence[str] | None = None,
    suppressed: str | None = SUPPRESSED,
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = None,
    orders: Mapping[str, Sequence[object]] | None = None,
    table: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    no_header: bool = False,
    names: Sequence[str] = (),
    skip: int = 0,
    comment: str | None = None,
    layout: str | None = None,
    labels: Labels = "use",
    anatomy: Any = None,
    engine: str | None = None,
    master: str | None = None,
    memory: str | int | None = None,
) -> Data:
    """Data from a path, a pandas, Polars, Arrow, DuckDB or Spark object, or a database table.

    ``missing`` says what a missing value is: a value of its own, a reason to drop the record, or a
    wildcard that matches anything; ``missing_values`` are texts that mean missing. ``suppressed`` marks
    suppressed cells. ``hierarchies`` and ``orders`` say how an attribute's values lie to each other.
    ``table`` goes with a database or an Excel file; ``separator``, ``quote``, ``encoding``, ``no_header``,
    ``names``, ``skip`` and ``comment`` with a CSV file that they cannot be told from; ``layout`` with a file
    of fixed width. ``labels="ignore"`` keeps the codes of an SPSS or Stata file. ``anatomy`` is the second
    table of an anatomy: every record is read with every sensitive value of its group, weighted by how likely
    it is, as somebody knows who has the two tables. ``engine="gpu"``
    counts on an NVIDIA card; ``engine="spark"`` reads a
    path or a table with Spark, on the cluster of ``master``. ``memory`` is a budget such as "4GB": a file
    that would take more is counted on disk.

    >>> read({"age": ["20s", "30s"], "disease": ["flu", "cold"]}, sensitive="disease")
    Data(a dictionary of columns: 2 records, 2 attributes)
    """
    said = {**locals(), "missing_values": listed(missing_values)}
    options = SourceOptions(**{name: said[name] for name in OPTIONS})
    source = open_source(data, options)
    schema = Schema(source.attributes, listed(identifiers), listed(quasi_identifiers), listed(sensitive))
    if isinstance(source, AnatomySource):
        schema, weights = _of_anatomy(source, schema, weights)
    for named in ([weights] if weights else [], hierarchies or (), orders or ()):
        schema.check(named)
    return Data(
        engine_for(source),
        schema,
        weights,
        missing,
        frozenset(options.missing_values),
        options.suppressed,
        {
            name: given if isinstance(given, Hierarchy) else Hierarchy.read(given, attribute=name)
            for name, given in (hierarchies or {}).items()
        },
        dict(orders or {}),
    )
