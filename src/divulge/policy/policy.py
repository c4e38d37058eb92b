"""A policy: what the attributes of data are, and which thresholds their readings are held against."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from divulge._support.notebook import table_view
from divulge._support.wording import number, percent
from divulge.counting.counts import RECORD
from divulge.engines.opening import open_source
from divulge.errors import SourceError, attribute_suggestion, counted, listed_attributes
from divulge.measures.population_figures import FIGURES
from divulge.policy.checks import Context, check
from divulge.policy.demands import QUESTIONS, Demands, demands_of
from divulge.policy.figure_thresholds import FigureThreshold, figure_thresholds_of
from divulge.policy.linking import LINKED
from divulge.policy.place import PolicyPlace, file_place, parsed
from divulge.policy.population import Population, population_of
from divulge.policy.rules import AttributeRule, DataRule, attribute_rule, data_rule
from divulge.policy.thresholds import EXAMPLE, Threshold, thresholds_of
from divulge.questions.data import Data, read
from divulge.source.base import Source
from divulge.source.files import CHECK_PATH
from divulge.table.partition import Partition
from divulge.table.schema import Role

_TABLES = ("data", "population", "attributes", "thresholds", "allow")
_SHAPE = (
    "A policy has the tables [data], [attributes] and [thresholds], and optionally [population] and [allow]."
)
_SURE = "Write certain = 0.95, or leave out [population]."


@dataclass(frozen=True, eq=False)
class Policy:
    """Requirements for data: roles, conventions and thresholds.

    >>> asked = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    >>> policy = Policy.of(asked)
    >>> policy.open({"age": ["20s", "20s", "30s"]}).schema.quasi_identifiers
    ('age',)
    """

    name: str
    digest: str
    data: DataRule
    attributes: Mapping[str, AttributeRule]
    thresholds: tuple[Threshold, ...]
    demands: Demands
    population: Population | None
    figures: tuple[FigureThreshold, ...]  # bounds on figures of the population
    _root: PolicyPlace = field(repr=False)
    _named: tuple[tuple[PolicyPlace, str], ...] = field(repr=False)  # attributes, and where they are named
    _known: frozenset[str] = field(default=frozenset(), repr=False)  # attributes of what releases are made of

    @property
    def text(self) -> str | None:
        """The policy as it was written; None where it came as a mapping."""
        return self._root.text or None

    def _repr_html_(self) -> str:
        bounded: list[Threshold | FigureThreshold] = [*self.thresholds, *self.figures]
        rows = [
            [
                one.measure.title,
                ", ".join(one.target or ()) or "every target",
                " and ".join(
                    f"{word} {number(bound)}"
                    for word, bound in (("at least", one.min), ("at most", one.max))
                    if bound is not None
                ),
            ]
            for one in bounded
        ]
        rows += [
            ["singled out", f"groups smaller than {one.k}", f"at most {percent(one.max)} of people"]
            for one in self.demands.singled_out
        ]
        rows += [
            [
                "learned",
                ", ".join(one.target or ()) or "every target",
                f"at most {percent(one.max)} of people",
            ]
            for one in self.demands.learned
        ]
        rows += [
            [LINKED[one.attack], "the original", f"at most {percent(one.max)} of people"]
            for one in self.demands.linked
        ]
        roles = f"{counted(len(self.attributes), 'attribute')} with a role" if self.attributes else "no roles"
        return table_view(f"Policy {self.name}", ["measure", "about", "required"], rows, roles)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """The policy in a TOML file; paths in it start from its folder."""
        place, content = file_place(path, "policy", _SHAPE)
        return cls._of(parsed(place), place, Path(path).parent, content)

    @classmethod
    def of(
        cls,
        given: Mapping[str, Any],
        *,
        name: str = "the policy",
        folder: str | os.PathLike[str] | None = None,
    ) -> Policy:
        """A policy from a mapping of the same shape, whose digest is that of the mapping as JSON."""
        content = json.dumps(given, default=str).encode()
        return cls._of(given, PolicyPlace(name), Path(folder or ""), content)

    @classmethod
    def _of(cls, given: Mapping[str, Any], root: PolicyPlace, folder: Path, content: bytes) -> Policy:
        tables = root.without_format(root.table(given, _SHAPE))
        root.check_keys(tables, _TABLES, _SHAPE)
        data = data_rule(tables.get("data", {}), root / "data", folder)
        attributes = _attributes(tables.get("attributes", {}), root / "attributes", folder)
        _check_weights(data.weights, attributes, root)
        context = Context({name: rule.role for name, rule in attributes.items()}, data.weights)
        place = root / "thresholds"
        asked = place.table(tables.get("thresholds", {}), EXAMPLE)
        demands = demands_of(asked, place, tables.get("allow", {}), root / "allow", context)
        population = population_of(tables.get("population"), root / "population", folder)
        sampled = population is not None and population.fraction != 1
        if sampled and any(one.certain == 1 for one in demands.learned):
            raise (place / "learned").error("this can never fail: in a sample nothing is certain.", _SURE)
        figures = figure_thresholds_of(asked, place, context)
        others = (*QUESTIONS, *FIGURES)
        measured = {name: given for name, given in asked.items() if name not in others}
        nothing = not (demands.singled_out or demands.learned or demands.linked or figures)
        thresholds = thresholds_of(measured, place, others) if measured or nothing else []
        named = [(root / "attributes" / name, name) for name in attributes]
        named += [(root / "data" / "weights", data.weights)] if data.weights else []
        for threshold, here in thresholds:
            check(threshold, here, context)
            named += [(here / "keys", name) for name in threshold.keys or ()]
            named += [(here / "target", name) for name in threshold.target or () if name != RECORD]
        named += [(root / "allow" / "identifiers", name) for name in demands.allowed]
        named += [
            (place / "learned", name)
            for one in demands.learned
            for name in (*(one.keys or ()), *(one.target or ()))
        ]
        named += [(place / "singled_out", name) for one in demands.singled_out for name in one.keys or ()]
        named += [(here / "keys", name) for one, here in figures for name in one.keys or ()]
        for key in ("weight", "household"):
            if population is not None and (attribute := getattr(population, key)) is not None:
                named.append((root / "population" / key, attribute))
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        held = tuple(threshold for threshold, _ in thresholds)
        on_people = tuple(one for one, _ in figures)
        return cls(
            root.name, digest, data, attributes, held, demands, population, on_people, root, tuple(named)
        )

    @property
    def partitions(self) -> dict[str, Partition]:
        """The groups in which values are counted, by attribute."""
        return {name: rule.partition for name, rule in self.attributes.items() if rule.partition is not None}

    def columns(self, released: Collection[str]) -> dict[str, str]:
        """What attributes are called in a release that has these, as far as the policy says so."""
        found = {}
        for name, rule in self.attributes.items():
            there = [other for other in rule.released if other in released]
            if there:
                found[name] = there[0]
        return found

    def open(self, source: object | None = None, **reading: Any) -> Data:
        """The data that the policy names, or others, with its roles and conventions.

        ``reading`` may hold :class:`SourceOptions` that say how to get at the records, such as ``separator``;
        they go before what the policy says. Identifiers may have been left out of the data.
        """
        opened = self._source(source, {name: given for name, given in reading.items() if given is not None})
        absent = [(place, name) for place, name in self._named if name not in opened.attributes]
        for place, name in absent:
            if not self._names_people(name):
                near = attribute_suggestion(name, opened.attributes)
            # Identifiers may have been left out of a release; one that is spelled alike is a mistake.
            elif near := attribute_suggestion(name, self._unnamed(opened.attributes)):
                near += " If it was left out, give that attribute a role as well, such as other."
            else:
                continue
            hint = near or f"They have {listed_attributes(opened.attributes)}."
            raise place.error(f"the data have no attribute '{name}'.", hint)
        rules = self.attributes
        return read(
            opened,
            identifiers=[name for name in self._having(Role.IDENTIFIER) if name in opened.attributes],
            quasi_identifiers=self._having(Role.QUASI_IDENTIFIER),
            sensitive=self._having(Role.SENSITIVE),
            hierarchies={name: rule.hierarchy for name, rule in rules.items() if rule.hierarchy is not None},
            orders={name: rule.order for name, rule in rules.items() if rule.order is not None},
            **self.data.given("values"),
        )

    def everyone(self) -> Data | None:
        """The table of the population that the policy names, read like the data; None where it names none."""
        if self.population is None or self.population.source is None:
            return None
        place = self._root / "population" / "source"
        try:
            opened = open_source(self.population.source, self.data.fitting(self.population.source))
        except SourceError as error:
            raise place.error(error.message, _way_out(error)) from None
        said = {name: given for name, given in self.data.given("values").items() if name != "weights"}
        return read(opened, **said)

    @property
    def sampled_from(self) -> Population | None:
        """What the data are a sample of, a table of everyone by its number of records."""
        everyone = self.everyone()
        return self.population if everyone is None else Population(size=everyone.records)

    def knowing(self, attributes: Collection[str]) -> Policy:
        """The same for releases of data with these attributes: none of them is a misspelled other one."""
        return replace(self, _known=frozenset(attributes))

    def _unnamed(self, attributes: Collection[str]) -> list[str]:
        """The attributes of data that may be what the policy means by a name that they lack."""
        named = {name for _, name in self._named} | self._known
        return [name for name in attributes if name not in named]

    def _source(self, given: object | None, reading: Mapping[str, Any]) -> Source:
        if given is not None:
            return open_source(given, replace(self.data.fitting(given), **reading))
        place = self._root / "data" / "source"
        if self.data.source is None:
            raise place.error("no source is given.", 'Write source = "patients.csv" under [data].')
        try:
            return open_source(self.data.source, replace(self.data, **reading))
        except SourceError as error:
            raise place.error(error.message, _way_out(error)) from None

    def _names_people(self, attribute: str) -> bool:
        rule = self.attributes.get(attribute)
        return rule is not None and rule.role is Role.IDENTIFIER

    def _having(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, rule in self.attributes.items() if rule.role is role)


def _way_out(error: SourceError) -> str:
    """What to try where the source of a policy is not found."""
    return (
        "A path starts from the folder of the policy." if error.hint in ("", None, CHECK_PATH) else error.hint
    )


def _attributes(given: object, place: PolicyPlace, folder: Path) -> dict[str, AttributeRule]:
    written = place.table(given, 'Write [attributes], and below it age = "quasi-identifier".')
    return {name: attribute_rule(rule, place / name, name, folder) for name, rule in written.items()}


def _check_weights(weights: str | None, attributes: Mapping[str, AttributeRule], root: PolicyPlace) -> None:
    rule = attributes.get(weights) if weights else None
    if rule is not None and rule.role is not Role.OTHER:
        raise (root / "data" / "weights").error(
            f"'{weights}' cannot hold weights and be {rule.role.value} too.", "Leave one of them out."
        )
