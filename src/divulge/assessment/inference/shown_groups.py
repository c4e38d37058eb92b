"""What groups show that does not count as learned: no more than chance makes, or too little in a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.inference.key_set_findings import KeySetFindings
from divulge.assessment.inference.revealing_groups import SMALLEST, Bar, GroupShare, Telling


def shown_by_chance(
    findings: Sequence[KeySetFindings], asked: Sequence[AskedValues], bar: Bar
) -> GroupShare | None:
    """What groups of three or more show by some key set, where chance explains all that is shown."""
    return _most(
        GroupShare(
            int(one.people[flag].sum()) // one.overlapping,
            float((one.count / one.size)[flag].max()),
            way.kind,
            way.sure,
        )
        for said in findings
        for one, way in _ways(said, asked, bar)
        if (flag := one.once(one.size >= SMALLEST)).any()
    )


def shown_in_sample(
    findings: Sequence[KeySetFindings], asked: Sequence[AskedValues], bar: Bar
) -> GroupShare | None:
    """What groups of three or more of a sample show, though they are too small to tell it of all alike."""
    return _most(
        replace(one.doubted, kind=way.kind, sure=way.sure)
        for said in findings
        for one, way in _ways(said, asked, bar)
        if not one.by_weight and one.doubted is not None
    )


def _ways(
    said: KeySetFindings, asked: Sequence[AskedValues], bar: Bar
) -> Iterator[tuple[Telling, AskedValues]]:
    """What each way to ask shows of all people, not only of those with a known value."""
    ways = said.by_bar[bar]
    by_way = [*asked] * (len(ways) // len(asked))
    return ((one, way) for one, way in zip(ways, by_way, strict=True) if not way.known)


def _most(found: Iterable[GroupShare]) -> GroupShare | None:
    return max(found, key=lambda one: one.people, default=None)
