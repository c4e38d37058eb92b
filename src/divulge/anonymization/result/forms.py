"""What an attribute is released as at each level, in words that name no value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from divulge.alignment.recognition import OTHERS
from divulge.errors import counted
from divulge.generalization.attribute_levels import AttributeLevels

_WHOLE = re.compile(r"(-?\d+)-(-?\d+)")  # 20-39: both ends belong to it
_HALF_OPEN = re.compile(r"\[(-?[\d.]+), ?(-?[\d.]+)[\[)]")  # [20, 40) and [20, 40[
_UNITS = {
    "month": re.compile(r"\d{4}-\d{2}"),
    "quarter": re.compile(r"\d{4} Q[1-4]"),
    "decade": re.compile(r"\d{4}s"),
}
_PREFIX = re.compile(r"([^*]+)(\*+)")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}.*")


def level_forms(attribute: AttributeLevels) -> list[str]:
    """The form of an attribute at level 0, 1 and so on: how many groups occur, and of what kind they are."""
    return [form(names, level, attribute.values) for level, names in enumerate(attribute.names)]


def form(names: Sequence[str | None], level: int, values: Sequence[str]) -> str:
    """The form of one level, from the names of its groups; None among them is missing.

    >>> form(["20-29", "30-39", None], 1, ["21", "35"]), form(["476**", "479**"], 2, ["47677", "47905"])
    ('2 intervals of 10', '2 prefixes of 3 characters')
    >>> form(["a", "b"], 0, ["a", "b"]), form(["*"], 3, ["a", "b"]), form(["x", "y"], 1, ["a", "b"])
    ('2 values', 'one group', '2 groups')
    """
    known = [name for name in names if name is not None]
    if level == 0:
        return counted(len(known), "value")
    if len(known) == 1 and len(values) > 1:
        return "one group"
    if wide := _width(known):
        return f"{counted(len(known), 'interval')} of {wide}"
    for unit, pattern in _UNITS.items():
        if all(pattern.fullmatch(name) for name in known):
            return counted(len(known), unit)
    if all(re.fullmatch(r"\d{4}", name) for name in known) and all(_DATE.fullmatch(one) for one in values):
        return counted(len(known), "year")
    if kept := _kept(known):
        found = "1 prefix" if len(known) == 1 else f"{len(known):,} prefixes"
        return f"{found} of {counted(kept, 'character')}"
    if OTHERS in known:
        return f"{counted(len(known) - 1, 'value')} and rare ones merged"
    return counted(len(known), "group")


def _width(names: Sequence[str]) -> str | None:
    """How wide intervals are that are all equally wide; None where they are not, or are none."""
    whole = [_WHOLE.fullmatch(name) for name in names]
    half = [_HALF_OPEN.fullmatch(name) for name in names]
    if all(whole):
        wide = {int(found[2]) - int(found[1]) + 1.0 for found in whole if found}
    elif all(half):
        wide = {round(float(found[2]) - float(found[1]), 9) for found in half if found}
    else:
        return None
    return f"{wide.pop():g}" if len(wide) == 1 else None


def _kept(names: Sequence[str]) -> int | None:
    """How many characters prefixes keep, where all keep as many."""
    found = {(len(one[1]), len(one[2])) if (one := _PREFIX.fullmatch(name)) else (0, 0) for name in names}
    return next(iter(found))[0] or None if len(found) == 1 else None
