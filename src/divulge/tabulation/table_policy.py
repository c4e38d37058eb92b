"""What tables are made, held to and protected by, as a TOML file says it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from divulge.errors import PartitionError
from divulge.policy.place import PolicyPlace, file_place, parsed
from divulge.policy.rules import DataRule, data_rule
from divulge.table.hierarchy import Hierarchy
from divulge.tabulation.layout.building import TableSpec
from divulge.tabulation.risk.rules import CellRules

STATISTICS = ("count", "sum", "mean")
METHODS = ("suppression", "none", "controlled rounding", "random rounding", "adjustment", "cell key", "noise")
SEARCHES, COSTS = ("auto", "exact", "fast"), ("value", "count", "cells")
ZEROS, GROUPS = ("published", "suppressible", "at risk"), ("fail", "warn", "off")
_SHAPE = 'A policy for tables has [[table]] with by = ["region", "sector"], [rules] and [protection].'
_TABLES = ("data", "attributes", "table", "rules", "protection", "allow")
_ALLOW = 'Write [allow], and below it identifiers = ["name of the firm"].'
_RULES = ("minimum_frequency", "dominance", "p_percent", "pq", "zeros", "interval", "group_disclosure")
_PROTECTION = (
    *("method", "search", "cost", "time", "insiders", "known_within", "base"),
    *("largest", "variance", "epsilon", "bounds"),
)


@dataclass(frozen=True)
class MagnitudeSpec:
    """Tables about one value: a statistic of it, or counts where it is None."""

    value: str | None
    statistic: str
    tables: tuple[TableSpec, ...]

    @property
    def name(self) -> str:
        return "counts" if self.value is None else f"{self.statistic} of {self.value}"


@dataclass(frozen=True)
class Protection:
    """How cells at risk are protected."""

    method: str = "suppression"
    search: str = "auto"
    cost: str = "value"
    time: float | None = None  # seconds
    insiders: bool = True  # whether contributors with more than half of a cell are attackers
    known_within: float | None = None  # what an attacker knows each cell to beforehand, as a share
    base: int = 5  # of rounding
    largest: int | None = None  # change of a cell by its key; None: one less than the minimum, at least 3
    variance: float = 2.0  # of that change
    epsilon: float = 1.0  # of noise under differential privacy
    bounds: tuple[float, float] | None = None  # that contributions are cut to before noise


@dataclass(frozen=True)
class TablePolicy:
    """Tables, the rules that their cells are held to, and how they are protected."""

    specs: tuple[MagnitudeSpec, ...]
    rules: CellRules = field(default=CellRules(5, p_percent=10.0))
    protection: Protection = field(default=Protection())
    group_disclosure: str = "warn"
    contributor: str | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    data: DataRule = field(default=DataRule())
    name: str = "the defaults"
    allowed: tuple[str, ...] = ()  # attributes whose values may be published though they look like people

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> TablePolicy:
        """The policy in a TOML file; paths in it start from its folder."""
        place, _ = file_place(path, "policy", _SHAPE)
        return policy_of(parsed(place), place, Path(path).parent)

    @classmethod
    def of(cls, given: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> TablePolicy:
        """A policy from a mapping of the same shape.

        >>> asked = {"table": [{"by": ["region", "sector"]}], "rules": {"minimum_frequency": 3}}
        >>> TablePolicy.of(asked).specs[0].name
        'counts'
        """
        return policy_of(given, PolicyPlace("the policy"), Path(folder or ""))


def policy_of(given: object, root: PolicyPlace, folder: Path) -> TablePolicy:
    """A policy from what was parsed."""
    tables = root.without_format(root.table(given, _SHAPE))
    root.check_keys(tables, _TABLES, _SHAPE)
    data = data_rule(tables.get("data", {}), root / "data", folder)
    rules, groups, contributor = _rules(tables.get("rules", {}), root / "rules")
    hierarchies, levels = _attributes(tables.get("attributes", {}), root / "attributes", folder)
    specs = _specs(tables["table"], root / "table") if "table" in tables else ()
    used = {name for one in specs for table in one.tables for name in table.by}
    for name in {*hierarchies, *levels} - used if specs else ():
        raise (root / "attributes" / name).error(
            "no table has this attribute.", "Name it in by, or leave it out."
        )
    protection = _protection(tables.get("protection", {}), root / "protection")
    allowed = _allowed(tables.get("allow", {}), root / "allow")
    return TablePolicy(
        specs, rules, protection, groups, contributor, hierarchies, levels, data, root.name, allowed
    )


def _allowed(given: object, place: PolicyPlace) -> tuple[str, ...]:
    table = place.table(given, _ALLOW)
    place.check_keys(table, ("identifiers",))
    names = table.get("identifiers", ())
    return tuple((place / "identifiers").strings(names, _ALLOW)) if names else ()


def _specs(given: object, place: PolicyPlace) -> tuple[MagnitudeSpec, ...]:
    """The tables, those about the same value together."""
    found: dict[tuple[str | None, str], list[TableSpec]] = {}
    names: set[str] = set()
    for number, (table, here) in enumerate(place.tables(given, _SHAPE), 1):
        here.check_keys(table, ("name", "by", "value", "statistic", "margins"))
        if "by" not in table:
            raise here.error("this table has no by.", 'Write by = ["region", "sector"].')
        by = (here / "by").strings(table["by"], 'Write by = ["region", "sector"].')
        value = (
            (here / "value").string(table["value"], 'Write value = "turnover".') if "value" in table else None
        )
        usual = "count" if value is None else "sum"
        statistic = (here / "statistic").choice(table.get("statistic", usual), STATISTICS, "statistic")
        if value is None and statistic != "count":
            raise here.error(f"a {statistic} needs a value.", 'Add value = "turnover".')
        if statistic == "count":
            value = None
        if value in by:
            raise (here / "value").error("the value is also a dimension of the table.", "Leave one out.")
        name = (here / "name").string(table.get("name", f"table {number}"), 'Write name = "by region".')
        if name in names:
            raise (here / "name").error("two tables have this name.", "Give each a name of its own.")
        names.add(name)
        margins = here.flag(table, "margins", True)
        found.setdefault((value, statistic), []).append(TableSpec(name, by, margins))
    if (None, "count") in found and "mean" in {statistic for _, statistic in found}:
        raise place.error(
            "a table has counts and another means, and each may reveal suppressed cells of the other.",
            "Publish counts and sums instead: those are audited.",
        )
    both = {value for value, statistic in found if (value, "mean") in found and (value, "sum") in found}
    if both:
        raise place.error(
            "a table has the sum and another the mean of the same value.",
            "Publish one of them: with counts, each gives the other.",
        )
    return tuple(MagnitudeSpec(*key, tuple(tables)) for key, tables in found.items())


def _rules(given: object, place: PolicyPlace) -> tuple[CellRules, str, str | None]:
    table = place.table(given, "Write [rules], and below it minimum_frequency = 3 and p_percent = 10.")
    place.check_keys(table, (*_RULES, "contributor"))
    said = {name for name in ("minimum_frequency", "dominance", "p_percent", "pq") if name in table}
    rules = CellRules() if said else CellRules(5, p_percent=10.0)
    if "minimum_frequency" in table:
        rules = replace(rules, minimum_frequency=_whole(table, place, "minimum_frequency", least=1))
    if "p_percent" in table:
        rules = replace(rules, p_percent=_number(table, place, "p_percent", 0, 1000))
    for name, parts in (("dominance", ("n", "k")), ("pq", ("p", "q"))):
        if name in table:
            rules = replace(rules, **{name: _pair(table[name], place / name, parts)})
    if "interval" in table:
        rules = replace(rules, interval=_number(table, place, "interval", 0, 10))
    zeros: Any = (place / "zeros").choice(table.get("zeros", "published"), ZEROS, "way with zeros")
    groups = (place / "group_disclosure").choice(table.get("group_disclosure", "warn"), GROUPS, "severity")
    who = table.get("contributor")
    named = None if who is None else (place / "contributor").string(who, 'Write contributor = "firm".')
    return replace(rules, zeros=zeros), groups, named


def _pair(given: object, place: PolicyPlace, parts: tuple[str, str]) -> Any:
    example = "{ n = 2, k = 85 }" if parts == ("n", "k") else "{ p = 10, q = 50 }"
    table = place.table(given, f"Write {example}.")
    place.check_keys(table, parts)
    for part in parts:
        if part not in table:
            raise place.error(f"this has no {part}.", f"Write {example}.")
    if parts == ("n", "k"):
        return _whole(table, place, "n", least=1, most=8), _number(table, place, "k", 0, 100)
    p, q = (_number(table, place, part, 0, 1000) for part in parts)
    if p >= q:
        raise place.error(
            "p has to be below q.", "q is what an attacker knows beforehand, p what is allowed."
        )
    return p, q


def _number(table: Mapping[str, Any], place: PolicyPlace, key: str, above: float, most: float) -> float:
    hint = f"Write a number above {above:g} and up to {most:g}."
    found = (place / key).number(table[key], hint)
    if not above < found <= most:
        raise (place / key).error("this is out of range.", hint)
    return float(found)


def _whole(table: Mapping[str, Any], place: PolicyPlace, key: str, *, least: int, most: int = 10**9) -> int:
    hint = f"Write a whole number of at least {least}{'' if most == 10**9 else f' and at most {most}'}."
    found = (place / key).number(table[key], hint)
    if not isinstance(found, int) or not least <= found <= most:
        raise (place / key).error("this is out of range.", hint)
    return found


def _attributes(
    given: object, place: PolicyPlace, folder: Path
) -> tuple[dict[str, Hierarchy], dict[str, int]]:
    hint = 'Write region = { hierarchy = "region.csv", level = 1 }.'
    hierarchies, levels = {}, {}
    for name, entry in place.table(given, hint).items():
        here = place / name
        table = here.table(entry, hint)
        here.check_keys(table, ("hierarchy", "level"))
        if "hierarchy" not in table:
            raise here.error("this has no hierarchy.", hint)
        try:
            file = folder / (here / "hierarchy").string(table["hierarchy"], hint)
            hierarchies[name] = Hierarchy.read(file, attribute=name)
            if "level" in table:
                levels[name] = _whole(table, here, "level", least=0)
                hierarchies[name].level(levels[name])
        except PartitionError as error:
            raise (here / "hierarchy").error(error.message, error.hint or hint) from None
    return hierarchies, levels


def _protection(given: object, place: PolicyPlace) -> Protection:
    table = place.table(given, 'Write [protection], and below it method = "suppression".')
    place.check_keys(table, _PROTECTION)
    found: dict[str, Any] = {}
    for key, known in (("method", METHODS), ("search", SEARCHES), ("cost", COSTS)):
        if key in table:
            found[key] = (place / key).choice(table[key], known, key)
    for key, above, most in (
        ("time", 0, 1e6),
        ("known_within", 0, 1e6),
        ("variance", 0, 1e4),
        ("epsilon", 0, 1e3),
    ):
        if key in table:
            found[key] = _number(table, place, key, above, most)
    for key, least in (("base", 2), ("largest", 1)):
        if key in table:
            found[key] = _whole(table, place, key, least=least)
    if "insiders" in table:
        found["insiders"] = place.flag(table, "insiders", True)
    if "bounds" in table:
        ends, hint = table["bounds"], "Write bounds = [0, 1000]: contributions are cut to it."
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise (place / "bounds").error("this must be two numbers.", hint)
        low, high = ((place / "bounds").number(one, hint) for one in ends)
        if low >= high:
            raise (place / "bounds").error("the first has to be below the second.", hint)
        found["bounds"] = float(low), float(high)
    return Protection(**found)
