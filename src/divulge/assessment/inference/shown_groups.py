"""What groups show that does not count as learned: no more than chance makes, or too little in a sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from divulge.assessment.inference.key_set_findings import KeySetFindings
from divulge.assessment.inference.revealing_groups import SMALLEST, Bar, GroupShare


def shown_by_chance(findings: Sequence[KeySetFindings], bar: Bar) -> GroupShare | None:
    """What groups of three or more show by some key set, where chance explains all that is shown."""
    return _most(
        GroupShare(int(one.people[flag].sum()) // one.overlapping, float((one.count / one.size)[flag].max()))
        for said in findings
        for one in said.by_bar[bar]
        if (flag := one.size >= SMALLEST).any()
    )


def shown_in_sample(findings: Sequence[KeySetFindings], bar: Bar) -> GroupShare | None:
    """What groups of three or more of a sample show, though they are too small to tell it of all alike."""
    ways = (one for said in findings for one in said.by_bar[bar] if not one.by_weight)
    return _most(one.doubted for one in ways if one.doubted is not None)


def _most(found: Iterable[GroupShare]) -> GroupShare | None:
    return max(found, key=lambda one: one.people, default=None)
