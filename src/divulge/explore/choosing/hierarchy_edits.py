"""Hierarchies changed by hand: cut points of numbers, groups merged, levels added and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

from divulge.errors import ParameterError, PartitionError
from divulge.explore.choosing.choices import Rows
from divulge.table.codes import as_number
from divulge.table.hierarchy import Hierarchy


def rows_of(tree: Hierarchy) -> Rows:
    """A hierarchy as rows of a value and its groups."""
    return tuple(zip(tree.values, *tree.groups, strict=True))


def is_numeric(tree: Hierarchy) -> bool:
    """Whether every value is a number."""
    return all(as_number(value) == as_number(value) for value in tree.values if value)


def span(tree: Hierarchy) -> list[float] | None:
    """The least and the largest value of numbers."""
    if not is_numeric(tree):
        return None
    numbers = [as_number(value) for value in tree.values if value]
    return [min(numbers), max(numbers)] if numbers else None


def cut_points(tree: Hierarchy, level: int) -> list[float] | None:
    """Where a level of numbers begins a new group; None where groups are no ranges."""
    if not is_numeric(tree) or not 1 <= level <= tree.levels:
        return None
    placed = sorted(
        (as_number(value), group)
        for value, group in zip(tree.values, tree.groups[level - 1], strict=True)
        if value
    )
    cuts = [after[0] for before, after in pairwise(placed) if before[1] != after[1]]
    return cuts if len(cuts) == len({group for _, group in placed}) - 1 else None


def with_cuts(tree: Hierarchy, level: int, cuts: Sequence[float]) -> Rows:
    """Numbers of a level in ranges that begin at cut points; levels above take over what is in one of theirs.

    >>> ages = Hierarchy.of([("20", "*"), ("30", "*"), ("40", "*")], attribute="age")
    >>> with_cuts(ages, 1, [25])
    (('20', 'below 25'), ('30', '25 or more'), ('40', '25 or more'))
    """
    _check_level(tree, level)
    if not is_numeric(tree):
        raise PartitionError(f"'{tree.attribute}' has values that are no numbers, and no cut points.")
    edges = sorted({_number(cut) for cut in cuts})
    names = _range_names(edges)

    def name(value: str) -> str:
        return names[sum(as_number(value) >= edge for edge in edges)]

    fresh = tuple(name(value) if value else "(missing)" for value in tree.values)
    return _nested(tree, level, fresh, edges)


def _number(cut: object) -> float:
    if isinstance(cut, bool) or not isinstance(cut, int | float) or not isfinite(cut):
        raise PartitionError("A cut point is a number.", hint="Write 20, 40, 60.")
    return float(cut)


def merged(tree: Hierarchy, level: int, groups: Sequence[str], name: str) -> Rows:
    """Some groups of a level as one, also at the levels above.

    >>> jobs = Hierarchy.of([("nurse", "health", "*"), ("doctor", "care", "*")], attribute="job")
    >>> merged(jobs, 1, ["health", "care"], "medical")
    (('nurse', 'medical', '*'), ('doctor', 'medical', '*'))
    """
    _check_level(tree, level)
    if not all(isinstance(group, str) for group in groups):
        raise PartitionError("Groups are named by texts.")
    before = tree.groups[level - 1]
    missing = [group for group in groups if group not in before]
    if missing or len(set(groups)) < 2:
        raise PartitionError(f"Level {level} of '{tree.attribute}' does not have two of these groups.")
    if not name.strip():
        raise PartitionError("A group needs a name.")
    if name in before and name not in groups:
        raise PartitionError(f"Level {level} of '{tree.attribute}' has another group of this name.")
    return _nested(tree, level, tuple(name if group in groups else group for group in before))


def with_level(tree: Hierarchy, after: int) -> Rows:
    """A level more, which begins as a copy of the one it comes after."""
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after <= tree.levels:
        raise PartitionError(f"The hierarchy of '{tree.attribute}' has no level {after}.")
    copied = tree.values if after == 0 else tree.groups[after - 1]
    filled = tuple(name or "(missing)" for name in copied)
    groups = [*tree.groups[:after], filled, *tree.groups[after:]]
    return tuple(zip(tree.values, *groups, strict=True))


def without_level(tree: Hierarchy, level: int) -> Rows:
    """A level less."""
    _check_level(tree, level)
    if tree.levels == 1:
        raise PartitionError(f"The hierarchy of '{tree.attribute}' has no other level.")
    groups = [*tree.groups[: level - 1], *tree.groups[level:]]
    return tuple(zip(tree.values, *groups, strict=True))


def _nested(tree: Hierarchy, level: int, fresh: Sequence[str], edges: Sequence[float] = ()) -> Rows:
    """The rows with another level, and levels above that keep together what it puts together.

    Levels below that cross the new groups are left out, since values once together stay together.
    """
    below = [one for one in tree.groups[: level - 1] if _is_finer(one, fresh)]
    above = list[Sequence[str]]()
    for coarse in tree.groups[level:]:
        above.append(_joined(above[-1] if above else fresh, coarse, tree, edges))
    return tuple(zip(tree.values, *below, fresh, *above, strict=True))


def _is_finer(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(set(zip(one, other, strict=True))) == len(set(one))


def _joined(
    fine: Sequence[str], coarse: Sequence[str], tree: Hierarchy, edges: Sequence[float]
) -> tuple[str, ...]:
    """A coarse level in which no group of the fine one is torn: groups that share one become one.

    A group that is made of several has a name that covers all of them.
    """
    first: dict[str, str] = {}
    parent: dict[str, str] = {name: name for name in coarse}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for here, there in zip(fine, coarse, strict=True):
        parent[root(there)] = root(first.setdefault(here, there))
    parts: dict[str, list[str]] = {}
    for name in dict.fromkeys(coarse):
        parts.setdefault(root(name), []).append(name)
    covering = {
        one: names[0] if len(names) == 1 else _covering(names, fine, coarse, tree, edges)
        for one, names in parts.items()
    }
    return tuple(covering[root(name)] for name in coarse)


def _covering(
    names: Sequence[str], fine: Sequence[str], coarse: Sequence[str], tree: Hierarchy, edges: Sequence[float]
) -> str:
    """A name for several groups: the range between cut points, or all their names.

    No value of a record is in it, which may be one person's: the least and the largest above all.
    """
    if is_numeric(tree):
        same = {one for one, name in zip(fine, coarse, strict=True) if name in names}
        if len(same) == 1:
            return same.pop()
        placed = zip(tree.values, coarse, strict=True)
        inside = {as_number(value) for value, name in placed if value and name in names}
        if edges and inside and _is_range(inside, tree):
            start, end = (sum(edge <= one for edge in edges) for one in (min(inside), max(inside)))
            return _range_names([*edges[start - 1 : start], *edges[end : end + 1]])[1 if start else 0]
    return " or ".join(names)


def _is_range(inside: set[float], tree: Hierarchy) -> bool:
    """Whether no other number lies between those inside."""
    numbers = {as_number(value) for value in tree.values if value}
    return inside == {one for one in numbers if min(inside) <= one <= max(inside)}


def _range_names(edges: Sequence[float]) -> list[str]:
    if not edges:
        return ["all values"]
    inner = [f"{_exact(low)} to below {_exact(high)}" for low, high in pairwise(edges)]
    return [f"below {_exact(edges[0])}", *inner, f"{_exact(edges[-1])} or more"]


def _exact(value: float) -> str:
    """A number with all its digits: a label that is rounded would lie."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def _check_level(tree: Hierarchy, level: int) -> None:
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= tree.levels:
        raise PartitionError(
            f"The hierarchy of '{tree.attribute}' has no level {level}.",
            hint=f"Levels that can be changed are 1 to {tree.levels}.",
        )


def edited(tree: Hierarchy, action: object, level: int, said: Mapping[str, Any]) -> Rows:
    """The rows of a hierarchy after a change by its name."""
    match action:
        case "cut":
            return with_cuts(tree, level, said.get("cuts", []))
        case "merge":
            return merged(tree, level, said.get("groups", []), str(said.get("name", "")))
        case "add":
            return with_level(tree, level)
        case "remove":
            return without_level(tree, level)
    raise ParameterError(f"'{action}' is no change of a hierarchy.")
