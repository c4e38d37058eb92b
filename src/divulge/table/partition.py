"""Values in disjoint named domains: listed one by one, or cut from the number line."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.notebook import table_view
from divulge._support.small_counts import hidden
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, in_words
from divulge._support.wording import records as of_records
from divulge.errors import PartitionError, counted, listing
from divulge.table.codes import MISSING, Codes, as_numbers

NOWHERE = 0
SEVERAL = -1
HIERARCHY = "hierarchy"
GENERALIZED = (
    "They may already be generalized: then give this table no hierarchy for the attribute, or check it "
    "before it is generalized. Otherwise add them to its file."
)


@dataclass(frozen=True)
class Partition:
    """Each value's domain, by the domain's name.

    A listed value stands for the data values that equal it or read the same, so 35 and "35" both cover
    the number 35 and the text "35". Data that are numbers compare as numbers, data that are text exactly.
    Missing values stay missing, unless a domain lists "": then they belong there.

    >>> disease = Partition.of({"cancer": ["lung", "colon"], "other": ["flu"]}, attribute="disease")
    >>> disease.apply(Codes.of(["flu", "colon", None, "lung"]), attribute="disease").codes.tolist()
    [2, 1, 0, 1]
    """

    domains: Mapping[str, tuple[object, ...]]
    called: str = field(default="partition", kw_only=True)  # what users know it as, for messages

    def _repr_html_(self) -> str:
        rows = [[name, enumerated([*map(str, held)], most=12)] for name, held in self.domains.items() if held]
        return table_view("Partition", ["domain", "values"], rows)

    @classmethod
    def of(cls, domains: Mapping[str, Iterable[object]], *, attribute: str) -> Partition:
        """The domains as given, once no value is found in two of them."""
        partition = cls({str(name): _listed(values, name, attribute) for name, values in domains.items()})
        if not any(partition.domains.values()):
            raise PartitionError(
                f"The partition of '{attribute}' has {counted(len(domains), 'domain')} and lists no values.",
                hint="Give at least one domain a list of values.",
            )
        partition._check_disjoint(attribute)
        return partition

    @classmethod
    def bins(cls, edges: Sequence[float], *, attribute: str) -> Bins:
        """Intervals that hold their lower edge: below the first, between neighbours, from the last on.

        >>> list(Partition.bins([0, 18, 30], attribute="age").domains)
        ['< 0', '[0, 18)', '[18, 30)', '[30, inf)']
        """
        cuts: list[Any] = [_plain(edge) for edge in edges]
        if not cuts or not all(_is_number(cut) and math.isfinite(cut) for cut in cuts):
            raise PartitionError(
                f"The bins of '{attribute}' need a list of finite numbers as edges.",
                hint="The outer bins are open already: [0, 18] gives below 0, 0 up to 18, and from 18 on.",
            )
        falls = sum(low >= high for low, high in pairwise(cuts))
        if falls:
            raise PartitionError(
                f"The edges of the bins of '{attribute}' must increase at every step, "
                f"and {falls} of {len(cuts) - 1} steps do not.",
                hint="Sort them and remove repeats.",
            )
        names = [_spelled(cut) for cut in cuts]
        between = [f"[{low}, {high})" for low, high in pairwise(names)]
        labels = [f"< {names[0]}", *between, f"[{names[-1]}, inf)"]
        return Bins(dict.fromkeys(labels, ()), tuple(cuts))

    def apply(self, codes: Codes, *, attribute: str, counts: npt.NDArray[np.int64] | None = None) -> Codes:
        """Each record's value replaced by its domain's name."""
        return codes.recode(self.places(codes, attribute=attribute, counts=counts), list(self.domains))

    def places(
        self, codes: Codes, *, attribute: str, counts: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """The number of each code's domain, from 1 on; 0 for missing, and for values that no record has."""
        table = np.empty(codes.cardinality, dtype=np.int64)
        table[MISSING] = self._by_text.get("", MISSING)
        table[1:] = self.locate(codes, attribute=attribute, counts=counts)
        return table

    def locate(
        self, codes: Codes, *, attribute: str, counts: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """The number of each value's domain, from 1 on; 0 for values that no record has.

        ``counts`` says how many records have each code, where those of the codes stand for more.
        """
        records = (codes.frequencies() if counts is None else counts)[1:]
        used = np.flatnonzero(records)
        values = [_plain(codes.values[i]) for i in used.tolist()]
        places = np.fromiter(self._places(values), np.int64, len(values))
        for place, error in ((SEVERAL, self._unclear), (NOWHERE, self._not_covered)):
            wrong = np.flatnonzero(places == place).tolist()
            if wrong:
                raise error([values[i] for i in wrong], int(records[used[wrong]].sum()), attribute)
        located = np.zeros(len(codes.values), dtype=np.int64)
        located[used] = places
        return located

    def domain_of(self, value: object) -> str | None:
        """The name of the domain that a value is in; None where it is in none, or in several."""
        place = self._place(_plain(value))
        return list(self.domains)[place - 1] if place > 0 else None

    def _places(self, values: Sequence[object]) -> Iterable[int]:
        return map(self._place, values)

    def _place(self, value: object) -> int:
        if _is_number(value):
            return self._by_number.get(_number(value), NOWHERE)
        return next((self._by_text[text] for text in _texts(value) if text in self._by_text), NOWHERE)

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {text: place for place, value in self._listed() for text in _texts(value)}

    @cached_property
    def _by_number(self) -> dict[object, int]:
        places: dict[object, int] = {}
        for place, value in self._listed():
            number = _number(value)
            if number is not None:
                places[number] = place if places.get(number, place) == place else SEVERAL
        return places

    def _listed(self) -> Iterable[tuple[int, object]]:
        return ((place, v) for place, values in enumerate(self.domains.values(), 1) for v in values)

    def _check_disjoint(self, attribute: str) -> None:
        owner: dict[object, int] = {}
        clashes, involved = set(), set()
        for place, value in self._listed():
            keys = [*_texts(value), *([_number(value)] if _is_number(value) else [])]
            earlier = {owner.setdefault(key, place) for key in keys} - {place}
            if earlier:
                clashes.add(keys[0])
                involved |= {place, *earlier}
        if clashes:
            names = [name for place, name in enumerate(self.domains, 1) if place in involved]
            raise PartitionError(
                f"The partition of '{attribute}' lists {counted(len(clashes), 'value')} in more than one "
                f"domain; the domains are {listing(names)}.",
                hint="A value belongs to one domain: remove it from the others.",
            )

    def _unclear(self, values: Sequence[object], records: int, attribute: str) -> PartitionError:
        # Their domains stay unnamed: at level 0 of a hierarchy a domain's name is the value itself.
        return PartitionError(
            f"The {self.called} of '{attribute}' lists {_told(len(values), 'number', records)} of the data "
            f"({of_records(records)}) in more than one domain, in different spellings.",
            hint="Read the attribute as text, or list each number once.",
        )

    def _not_covered(self, lost: Sequence[object], records: int, attribute: str) -> PartitionError:
        folded = {text.strip().casefold() for text in self._by_text}
        near = sum(any(t.strip().casefold() in folded for t in _texts(value)) for value in lost)
        numeric = sum(_number(value) in self._by_number for value in lost)
        coarse = sum(text in self.domains for value in lost for text in _texts(value)[:1])
        if near:
            hint = f"Ignoring case and surrounding spaces, {_few(near, records)} would be covered."
        elif numeric:
            hint = (
                f"Compared as numbers, {_few(numeric, records)} would be covered: the data have them as text."
            )
        elif coarse:
            hint = f"The data may already be generalized: {_few(coarse, records)} are names of domains."
        elif self.called == HIERARCHY:
            hint = GENERALIZED
        else:
            hint = f"Add a domain for them, or check that the {self.called} is meant for this attribute."
        domains = counted(len(self.domains), "domain")
        leave = "leaves" if len(self.domains) == 1 else "leave"
        return PartitionError(
            f"The {self.called} of '{attribute}' has {domains}, which {leave} out "
            f"{_told(len(lost), 'value', records)} of the data ({of_records(records)}).",
            hint=hint,
        )


@dataclass(frozen=True)
class Bins(Partition):
    """A partition of numbers into intervals; text counts as the number it spells."""

    edges: tuple[float, ...]

    def _places(self, values: Sequence[object]) -> Iterable[int]:
        """The interval of each value; how decimals are written is read off all of them."""
        if any(isinstance(value, str) and "," in value for value in values):
            values = as_numbers(values)
        return map(self._place, values)

    def _place(self, value: object) -> int:
        number = _number(value)
        return NOWHERE if number is None else 1 + bisect_right(self.edges, number)

    def _not_covered(self, lost: Sequence[object], records: int, attribute: str) -> PartitionError:
        return PartitionError(
            f"The bins of '{attribute}' need numbers, and {_told(len(lost), 'value', records)} of the data "
            f"({of_records(records)}) cannot be read as one.",
            hint="Make them missing, or list all values in a partition instead.",
        )


def _few(values: int, records: int) -> str:
    """How many values, unless so few records have them that it says how many these are."""
    return in_words(hidden(values) if isinstance(hidden(records), str) else values)


def _told(values: int, noun: str, records: int) -> str:
    said = _few(values, records)
    return f"{said} {noun}{'' if said == '1' else 's'}"


def _listed(values: object, name: str, attribute: str) -> tuple[object, ...]:
    # A lone text is iterable too, and would quietly become a domain of its letters.
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        raise PartitionError(
            f"The domain '{name}' of '{attribute}' is not a list of values.",
            hint=f'Write a list, even for one value: {name} = ["..."].',
        )
    listed = tuple(_plain(value) for value in values)
    if any(isinstance(value, list | tuple | set | frozenset | Mapping) for value in listed):
        raise PartitionError(
            f"The domain '{name}' of '{attribute}' has lists inside its list of values.",
            hint="A domain is one flat list.",
        )
    return listed


def _plain(value: object) -> object:
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]")  # nanoseconds would come out as an integer
    return value.item() if isinstance(value, np.generic) else value


def _texts(value: object) -> tuple[str, ...]:
    """How a value may be spelled; the missing value is spelled ''."""
    if isinstance(value, str):
        return (value,)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ("",)
    text = str(value)
    if isinstance(value, bool):
        return (text, text.lower(), text.upper())
    if isinstance(value, datetime):
        day = (str(value.date()),) if value.time() == time.min else ()
        return (text, value.isoformat(), *day)
    return (text,)


def _is_number(value: object) -> bool:
    # True == 1 in Python, yet nobody who lists 1 means True.
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value == value


def _number(value: object) -> int | float | None:
    """The number that a value is or spells."""
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if isinstance(value, int | float) and _is_number(value) else None


def _parsed(text: str) -> int | float | None:
    if "_" in text:  # Python would read 1_000 as a number
        return None
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _spelled(edge: float) -> str:
    return str(int(edge)) if edge == int(edge) and abs(edge) < 1e15 else str(edge)
