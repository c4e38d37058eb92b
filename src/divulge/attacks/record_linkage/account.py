"""Record linkage of a release with its original, each way beside what guessing at random would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge import documents
from divulge._support.notebook import table_view
from divulge._support.small_counts import hidden, said_share
from divulge._support.stages import Stage, silent
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, percent, said_in_percent
from divulge.alignment.tables import Alignment, align, align_tables
from divulge.attacks.linkage.wrong_keys import joins_others, without_wrong_key
from divulge.attacks.record_linkage import fellegi_sunter
from divulge.attacks.record_linkage.compared_keys import (
    NO_AGREEMENT,
    NO_DISTANCE,
    ComparedKey,
    by_agreement,
    by_distance,
    no_number,
    read_by_agreement,
    read_by_distance,
)
from divulge.attacks.record_linkage.coordinates import Coordinates, Scale, coordinates
from divulge.attacks.record_linkage.distance import DistanceLinkage, closest, distance_linkage
from divulge.attacks.record_linkage.intervals import (
    IntervalDisclosure,
    Width,
    interval_at_random,
    interval_disclosure,
)
from divulge.attacks.record_linkage.linkage_notes import (
    missing_values,
    overlapping_groups,
    suppressed_for_everyone,
    unread_values,
)
from divulge.attacks.record_linkage.linked_values import linked_values
from divulge.attacks.record_linkage.model_fit import off, unsure
from divulge.attacks.record_linkage.released_groups import common_columns
from divulge.attacks.record_linkage.thresholds import bands, precision_and_recall
from divulge.errors import ParameterError, SchemaError, TooMuch, Undefined, listing
from divulge.questions.data import Data, read
from divulge.roles.proposal import refuse_doubtful_names
from divulge.table.packing import Column
from divulge.table.schema import names

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NO_KEYS = "the tables have no attribute in common to link by"
STAYED = "the records are too many to be held here one by one, and this looks at each of them"
UNKNOWN = "which records belong together is not known: name an identifier that both tables have (--by)"


_DOING = {
    "distance": "Linking by distance",
    "interval": "Linking by intervals",
    "probabilistic": "Linking by agreement",
    "inference": "Inferring from links",
}


@dataclass(frozen=True, eq=False, repr=False)
class RecordLinkage:
    """What an attacker with the original can link to it, by the attributes that both tables have."""

    alignment: Alignment
    keys: tuple[str, ...]
    scale: Scale
    width: float
    by: Width
    refused: TooMuch | None = None  # why rows are combinations of values, each of many records

    def __repr__(self) -> str:
        one, other = self.alignment.original.source.name, self.alignment.released.source.name
        return f"RecordLinkage({other} to {one} by {enumerated(self.keys)})"

    def _repr_html_(self) -> str:
        found = self.to_dict()
        ways = {"nearest record": found["distance"], "agreement of values": found["probabilistic"]}
        rows = [
            [way, one["undefined"] or "not measured", None]
            if "share" not in one
            else [way, said_in_percent(one["share"]), percent(one["chance"])]
            for way, one in ways.items()
        ]
        head = ["linked by", "right", "by chance"]
        title = f"Linkage of {found['released']} to {found['original']}"
        return table_view(title, head, rows, f"known: {enumerated(self.keys)}")

    @property
    def rows(self) -> tuple[Integers, Integers] | None:
        """Which records belong together, where that is known."""
        return self.alignment.rows

    @cached_property
    def by_distance(self) -> tuple[Alignment, list[ComparedKey]]:
        """Both tables as distances are taken, and what each attribute is taken for there."""
        return read_by_distance(self.alignment, self.keys)

    @cached_property
    def by_agreement(self) -> tuple[Alignment, list[ComparedKey]]:
        """Both tables as agreement is counted."""
        return read_by_agreement(self.alignment, self.keys)

    @property
    def placed(self) -> list[str]:
        """The attributes that make up points."""
        return [one.name for one in by_distance(self.by_distance[1], most_values=inf)]

    @property
    def agreeing(self) -> list[str]:
        """The attributes on which pairs may agree."""
        return [one.name for one in by_agreement(self.by_agreement[1])]

    @cached_property
    def points(self) -> Coordinates:
        """Records as points; Undefined where no released value has its place among original ones."""
        if self.refused is not None:
            raise Undefined(STAYED)
        if self.keys and not self.placed:
            raise Undefined(NO_DISTANCE)
        return coordinates(self.by_distance[0], self.placed, self.scale)

    @cached_property
    def distance(self) -> DistanceLinkage | None:
        """Links to the nearest record; None without knowing who is who."""
        return None if self.rows is None else distance_linkage(self.points, self.rows)

    @cached_property
    def numbers(self) -> dict[str, tuple[Floats, Floats]]:
        """Original and released numbers of the same records; nothing without knowing who is who."""
        if self.rows is None or self.refused is not None:
            return {}
        ours, theirs = self.rows
        original, released, there = self.alignment.original, self.alignment.released, self.alignment.columns
        return {
            one.name: (original.numbers(one.name)[ours], released.numbers(there[one.name])[theirs])
            for one in self.by_distance[1]
            if one.kind == "number"
        }

    @cached_property
    def intervals(self) -> IntervalDisclosure | None:
        """Interval disclosure of the numbers; None without numbers or without knowing who is who."""
        return interval_disclosure(self.numbers, width=self.width, by=self.by) if self.numbers else None

    @cached_property
    def columns(self) -> tuple[list[Column], list[Column]]:
        """The attributes of both tables in common codes."""
        return common_columns(self.by_agreement[0], self.agreeing)

    @cached_property
    def model(self) -> fellegi_sunter.LinkageModel:
        if self.keys and not self.agreeing:
            raise Undefined(NO_AGREEMENT)
        times = self.alignment.original.times, self.alignment.released.times
        return fellegi_sunter.fit(*self.columns, times=times)

    def inferred(self, sensitive: str, seed: int) -> dict[str, Any]:
        """What links tell about a sensitive attribute: its discrimination rate given the linked value."""
        try:
            points = self.points
        except Undefined as reason:
            return {"target": sensitive, "undefined": str(reason)}
        return linked_values(self.alignment, points, [sensitive], seed)[0]

    def to_dict(self, seed: int = 0, stage: Stage = silent) -> dict[str, Any]:
        """The document of ``divulge link --json``; ``stage`` is told which way of linking is tried."""
        ways: dict[str, Callable[[], Any]] = {
            "distance": self._distance,
            "interval": lambda: self._interval(seed),
            "probabilistic": self._probabilistic,
            "inference": lambda: [
                self.inferred(name, seed) for name in self.alignment.original.schema.sensitive
            ],
        }
        found: dict[str, Any] = {"keys": {one.name: one.kind for one in self.by_distance[1]}}
        for way, measured in ways.items():
            stage(_DOING[way])
            found[way] = measured()
        return self._document(found)

    def without_keys(self) -> dict[str, Any]:
        """The same document where the tables have no attribute in common to link by, to be added to."""
        nothing = {"undefined": NO_KEYS}
        return self._document(
            {"keys": {}, "distance": nothing, "interval": None, "probabilistic": nothing, "inference": []}
        )

    def _document(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        return documents.headed(
            "linkage",
            {
                "original": self.alignment.original.source.name,
                "released": self.alignment.released.source.name,
                "records": {
                    "original": self.alignment.original.records,
                    "released": self.alignment.released.records,
                },
                "aligned": self.alignment.how,
                **entries,
                "notes": [*self.alignment.notes, *self._notes()],
            },
        )

    def _notes(self) -> list[str]:
        by_distance, by_agreement = self.by_distance[1], self.by_agreement[1]
        return [
            *missing_values(self.alignment, by_distance),
            *unread_values(self.alignment, by_distance, self.placed, by_agreement, self.agreeing),
            *overlapping_groups(self.alignment, by_distance, self.agreeing),
            *suppressed_for_everyone(by_distance),
        ]

    def _distance(self) -> dict[str, Any]:
        try:
            points = self.points
        except Undefined as reason:
            return {"undefined": str(reason)}
        found = self.distance
        if found is None:
            near = closest(points)
            zero = float((near.nearest == 0).mean())
            return {"undefined": UNKNOWN, "equal_to_an_original": said_share(zero, of=len(near.nearest))}
        return {
            "undefined": None,
            "of": found.of,
            "linked": _expected(found.linked, found.of),
            "linked_second": _expected(found.linked_second, found.of),
            "not_linked": hidden(found.not_linked, of=found.of),
            "share": said_share(found.linked / found.of, of=found.of),
            "chance": found.chance / found.of,
        }

    def _interval(self, seed: int) -> dict[str, Any] | None:
        if self.refused is not None:
            return {"undefined": STAYED}
        found = self.intervals
        if found is None:
            reason = None if self.rows is None else no_number(self.alignment, self.by_distance[1])
            return None if reason is None else {"undefined": reason}
        at_random = interval_at_random(self.numbers, width=self.width, by=self.by, seed=seed)
        return {
            "undefined": None,
            "width": found.width,
            "by": found.by,
            "inside": {name: said_share(one, of=found.records) for name, one in found.inside.items()},
            "all": said_share(found.all, of=found.records),
            "chance": {"inside": at_random.inside, "all": at_random.all},
        }

    def _probabilistic(self) -> dict[str, Any]:
        try:
            model = self.model
        except Undefined as reason:
            return {"undefined": str(reason)}
        names = self.agreeing
        own = None if self.rows is None else fellegi_sunter.own_patterns(*self.columns, self.rows)
        wrong = [names[a] for a in fellegi_sunter.misled(model, own, self.alignment.times)]
        found: dict[str, Any] = {
            "undefined": fellegi_sunter.misled_reason(wrong) if wrong else None,
            "pairs": float(model.counts.sum()),
            "m": dict(zip(names, model.m.tolist(), strict=True)),
            "u": dict(zip(names, model.u.tolist(), strict=True)),
            "rounds": model.rounds,
        }
        if wrong:
            return found
        found |= bands(model.posterior, model.counts)
        if own is None or self.rows is None:
            return {**found, "caution": unsure(model)}
        times = self.alignment.original.times, self.alignment.times
        caution = off(model, names, *self.columns, self.rows, times)
        return {**found, "caution": caution, **self._truth(model, own)}

    def _truth(self, model: fellegi_sunter.LinkageModel, own: Integers) -> dict[str, Any]:
        """How many links of highest weight are right, and precision and recall by threshold."""
        assert self.rows is not None
        original, times = self.alignment.original, self.alignment.times
        chances = fellegi_sunter.link_chances(model, *self.columns, self.rows, original.times)
        linked = float(chances.sum() if times is None else chances @ times)
        of, right = self.alignment.aligned, np.bincount(own, times, minlength=len(model.counts))
        return {
            "of": of,
            "linked": _expected(linked, of),
            "share": said_share(linked / of, of=of),
            "chance": 1 / original.records,
            "curve": precision_and_recall(model.weights, model.counts, right, of),
        }


def _expected(links: float, of: int) -> float | str:
    """A number of links to be expected, hidden where it is a few people."""
    return hidden(round(links, 9), of=of)


def link(
    original: object,
    released: object,
    *,
    keys: str | Sequence[str] | None = None,
    by: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    scale: Scale = "standard",
    width: float = 0.1,
    width_by: Width = "rank",
    stage: Stage = silent,
) -> RecordLinkage:
    """Link the records of a release with those of its original, by distance, intervals and agreement.

    ``keys`` are attributes of the original, by default its quasi-identifiers, or else all that both tables
    have. ``by`` says which records belong together, and so which links are right. Where tables stay in a
    database or on a cluster and have too many records, agreement is counted by combinations of values, and
    what looks at each record is undefined.

    >>> table = {"id": [1, 2, 3], "age": [22, 35, 61]}
    >>> found = link(table, {"id": [1, 2, 3], "age": [23, 36, 60]}, by="id")
    >>> found.distance.linked
    3.0
    """
    if not 0 < width < inf or (width > 1 and width_by == "rank"):
        raise ParameterError(
            f"The width is {width}.",
            hint="By rank it is a share of all records, such as 0.1; by deviation above 0, such as 0.5.",
        )
    stage("Aligning")
    one, other = (table if isinstance(table, Data) else read(table) for table in (original, released))
    asked = (*(names(keys) or one.schema.quasi_identifiers), *one.schema.sensitive)
    refused = None
    try:
        only = asked if names(keys) else ()
        aligned = align(one, other, by=by, columns=columns, only=only)
        aligned = _doubted(aligned, only) if names(by) else without_wrong_key(aligned, only)
    except TooMuch as reason:  # agreement can be counted by combinations of values all the same
        refused, only = reason, names(keys) or one.schema.quasi_identifiers
        aligned = align_tables(one, other, names(by), columns or {}, only, combined=True)
    chosen = names(keys) or [name for name in one.schema.quasi_identifiers if name in aligned.columns]
    one.schema.check(chosen)
    lost = [name for name in chosen if name not in aligned.columns]
    if lost:
        raise SchemaError(
            f"The release has no counterpart of {', '.join(lost)}.",
            hint="Name other attributes with --keys, or counterparts with --column A=B.",
        )
    apart = {*names(by), *one.schema.identifiers, *one.schema.sensitive}
    if not chosen:
        for table in (one, other):
            refuse_doubtful_names(table)
    chosen = list(chosen) or [name for name in aligned.columns if name not in apart]
    return RecordLinkage(aligned, tuple(chosen), scale, width, width_by, refused)


def _doubted(alignment: Alignment, among: Sequence[str]) -> Alignment:
    """The alignment by a key that was asked for; a note says so where it joins different people."""
    why = joins_others(alignment, among)
    if why is None:
        return alignment
    said = f"By {listing(alignment.by)}, {why} So it is not known which links are right."
    return replace(alignment, notes=(*alignment.notes, said))
