"""Tables built, held to rules, protected and audited; and what was found, as a document."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from divulge.documents import headed
from divulge.documents.making.tables import TableDocument
from divulge.errors import CannotProtect, ParameterError, SourceError, not_among
from divulge.questions.data import Data, read
from divulge.report.table.text import text
from divulge.report.table.wording import said_outcome
from divulge.table.hierarchy import Hierarchy
from divulge.tabulation.attackers.programs import Clock
from divulge.tabulation.layout.building import BuiltTables, TableSpec, built
from divulge.tabulation.layout.files import MEAN_OF, column_of, lines_of
from divulge.tabulation.layout.published_files import read_published
from divulge.tabulation.layout.published_statistic import (
    GIVE_RECORDS,
    MEANS,
    statistic_of,
)
from divulge.tabulation.layout.related_values import related_values
from divulge.tabulation.named_rows import refuse_named_rows, with_contributor
from divulge.tabulation.protected import (
    ProtectedTables,
    cautions_of,
    given_together,
    not_covered,
    protected,
    without_shown_zeros,
)
from divulge.tabulation.result import linked_entry, published_entry, said_rules
from divulge.tabulation.risk.rules import cell_risk
from divulge.tabulation.suppression.auditing import audit
from divulge.tabulation.suppression.protecting import problem_of
from divulge.tabulation.suppression.published import attack_published, held_to_marks, said_at_most
from divulge.tabulation.table_policy import METHODS, STATISTICS, MagnitudeSpec, TablePolicy

MOST_NAMED = 10  # cells in an error
MOST_RECODED = 1_000_000  # entries up to which coarser levels are tried
TOGETHER = "what their tables say together is not audited."
CHANGED = ("controlled rounding", "random rounding", "adjustment", "cell key")
UNNAMED = ("rows", "columns")  # of a published table, whatever the file calls them
Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class TableAccount:
    """Tables, what is at risk in them, how they are protected, and what attackers find afterwards."""

    document: TableDocument
    protected: tuple[ProtectedTables, ...]

    def __repr__(self) -> str:
        return f"TableAccount({self.outcome}: {self.document['sentence']})"

    def __str__(self) -> str:
        return text(self.document)

    @property
    def outcome(self) -> str:
        """pass, fail, warn or not evaluated."""
        return self.document["outcome"]

    def to_dict(self) -> TableDocument:
        return self.document

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report as a page (.html), Markdown (.md) or JSON (.json); keep it with the data."""
        from divulge.report.saving import save

        save(self.document, Path(path))

    def files(self, *, steward: bool = False) -> dict[str, str]:
        """Each protected table as CSV, by its name; the steward's copy says why each mark is there."""
        found = {}
        for one in self.protected:
            for layout in one.built.tables.layouts:
                why = None
                if steward:
                    why = [
                        "" if not hidden else "primary" if risky else "secondary"
                        for hidden, risky in zip(one.suppressed, one.risk.at_risk, strict=True)
                    ]
                name = column_of(one.built.value, one.built.statistic)
                shown = one.built.published(one.released[layout.name])
                found[layout.name] = lines_of(
                    layout,
                    shown,
                    one.suppressed,
                    name=name,
                    adds_up=one.built.statistic != "mean",
                    why=why,
                )
        return found


def tabulate(
    data: object = None,
    by: str | Sequence[str] | None = None,
    *,
    value: str | None = None,
    statistic: str | None = None,
    policy: Mapping[str, Any] | str | os.PathLike[str] | TablePolicy | None = None,
    published: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    method: str | None = None,
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = None,
    contributor: str | None = None,
    seed: int | None = None,
    show_values: bool = False,
    stage: Stage = lambda _: None,
) -> TableAccount:
    """Tables of data, or a published one: cells at risk, protection, and an attacker who tries it.

    ``by`` are the attributes of one table; several linked ones are in a ``policy``. ``published`` is a table
    as it went out, or several linked ones: attacked as they are, or audited where the data are given too.

    >>> people = {"town": ["A"] * 9 + ["B"] * 9, "ill": ["yes"] * 2 + ["no"] * 7 + ["yes"] * 6 + ["no"] * 3}
    >>> found = tabulate(people, ["town", "ill"])
    >>> found.outcome, found.document["linked"][0]["protection"]["suppressed_cells"]
    ('pass', 4)
    """
    if by is None and data is None and published is not None and (value or statistic):
        by = UNNAMED
    asked = _policy(policy, by, value, statistic, contributor, records=data is not None)
    if method is not None:
        if method not in METHODS:
            message, hint = not_among(method, METHODS, "method")
            raise ParameterError(message, hint=hint)
        asked = replace(asked, protection=replace(asked.protection, method=method))
    trees = {
        name: one if isinstance(one, Hierarchy) else Hierarchy.read(one, attribute=name)
        for name, one in (hierarchies or {}).items()
    }
    asked = replace(asked, hierarchies={**asked.hierarchies, **trees})
    source = asked.data.source if data is None else data
    if source is None:
        if published is None:
            raise ParameterError("No data and no published table were given.", hint="Name one of them.")
        said = bool(value or statistic) or by is None
        return _of_published(_listed(published), asked, value, said, stage)
    opened = source if isinstance(source, Data) else read(source, **_reading(asked))
    opened = replace(opened, hierarchies={**opened.hierarchies, **asked.hierarchies})
    if not asked.specs:
        raise ParameterError("No table is asked for.", hint="Name attributes with --by, or a policy.")
    asked = with_contributor(opened, asked)
    if published is not None:
        return _of_both(opened, _listed(published), asked, show_values, stage)
    refuse_named_rows(opened, asked)
    return _of_data(opened, asked, seed, show_values, stage)


def _listed(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    return (Path(given),) if isinstance(given, str | os.PathLike) else tuple(map(Path, given))


def _policy(
    given: Mapping[str, Any] | str | os.PathLike[str] | TablePolicy | None,
    by: str | Sequence[str] | None,
    value: str | None,
    statistic: str | None,
    contributor: str | None,
    *,
    records: bool,
) -> TablePolicy:
    if isinstance(given, TablePolicy):
        found = given
    elif isinstance(given, Mapping):
        found = TablePolicy.of(given)
    else:
        found = TablePolicy(()) if given is None else TablePolicy.read(given)
    if contributor is not None:
        found = replace(found, contributor=contributor)
    if by is None:
        if value is not None or statistic is not None:
            raise ParameterError("A value needs attributes to be added up by.", hint="Give --by as well.")
        return found
    named = (by,) if isinstance(by, str) else tuple(by)
    if len(set(named)) < len(named):
        raise ParameterError("An attribute is named twice in --by.", hint="Name each once.")
    chosen = statistic or ("count" if value is None else "sum")
    if chosen not in STATISTICS:
        message, hint = not_among(chosen, STATISTICS, "statistic")
        raise ParameterError(message, hint=hint)
    if chosen != "count" and value is None and (records or found.data.source is not None):
        raise ParameterError(f"A {chosen} needs a value.", hint="Give --value.")
    spec = MagnitudeSpec(None if chosen == "count" else value, chosen, (TableSpec(" x ".join(named), named),))
    return replace(found, specs=(spec,))


def _reading(asked: TablePolicy) -> dict[str, Any]:
    return {name: one for name, one in asked.data.given().items() if name != "source"}


def _of_data(data: Data, asked: TablePolicy, seed: int | None, show: bool, stage: Stage) -> TableAccount:
    found = []
    for number, spec in enumerate(asked.specs):
        stage("Building")
        made = _built(data, spec, asked, asked.levels)
        try:
            one = protected(made, asked.rules, asked.protection, seed=seed, family=number, stage=stage)
        except CannotProtect as error:
            raise (_naming_cells(error) if show else error) from None
        found.append(one)
    found = without_shown_zeros(found, stage)
    related, entries = related_values(data, [one.value for one in asked.specs]), []
    for number, spec in enumerate(asked.specs):
        one = found[number]
        if spec.value in related and (one.suppressed.any() or asked.protection.method in CHANGED):
            what = "A count" if spec.value is None else f"'{spec.value}'"
            said = f"{what} follows from {related[spec.value]} in every record: {TOGETHER}"
            found[number] = one = replace(one, cautions=(*one.cautions, said))
        recoding = _recoding(data, spec, asked, one.built) if one.risk.at_risk.any() else []
        entries.append(linked_entry(one, spec.name, recoding=recoding, show_values=show))
    return TableAccount(_document(data, asked, entries, show=show), tuple(found))


def _naming_cells(error: CannotProtect) -> CannotProtect:
    """The same error with the categories of its cells, which are values of records."""
    if not error.cells:
        return error
    named = "; ".join(error.cells[:MOST_NAMED])
    more = f"; and {len(error.cells) - MOST_NAMED} more" if len(error.cells) > MOST_NAMED else ""
    message = f"{error.message} They are: {named}{more}."
    return CannotProtect(message, hint=error.hint, cells=error.cells)


def _built(data: Data, spec: MagnitudeSpec, asked: TablePolicy, levels: Mapping[str, int]) -> BuiltTables:
    used = {name for one in spec.tables for name in one.by}
    return built(
        data,
        spec.tables,
        value=spec.value,
        statistic=spec.statistic,
        contributor=asked.contributor,
        levels={name: level for name, level in levels.items() if name in used},
        contents=asked.protection.method == "cell key",
    )


def _recoding(data: Data, spec: MagnitudeSpec, asked: TablePolicy, made: BuiltTables) -> list[dict[str, Any]]:
    """How many cells would be at risk with each dimension one or more levels coarser."""
    if made.entries is None or len(made.entries.amount) > MOST_RECODED:
        return []
    found = []
    for name in dict.fromkeys(name for one in spec.tables for name in one.by):
        tree = data.hierarchies.get(name)
        for level in range(asked.levels.get(name, 0) + 1, 0 if tree is None else tree.levels + 1):
            coarser = _built(data, spec, asked, {**asked.levels, name: level})
            dimension = next(
                one for layout in coarser.tables.layouts for one in layout.dimensions if one.attribute == name
            )
            risk = cell_risk(coarser.facts, asked.rules, counts=coarser.counts)
            found.append(
                {
                    "tables": [one.name for one in spec.tables if name in one.by],
                    "attribute": name,
                    "level": level,
                    "categories": dimension.leaves,
                    "cells": len(coarser.tables),
                    "cells_at_risk": int(risk.at_risk.sum()),
                }
            )
    return found


def _of_both(
    data: Data, paths: tuple[Path, ...], asked: TablePolicy, show: bool, stage: Stage
) -> TableAccount:
    """A published table beside the data that it was made of: its suppressed cells are audited."""
    if len(asked.specs) != 1:
        raise ParameterError(
            "Published tables of one value are audited at a time.", hint="Name it with --by."
        )
    [spec] = asked.specs
    made = _built(data, spec, asked, asked.levels)
    other = read_published(paths, _attributes(spec), spec.value, asked.hierarchies)
    hidden = np.ones(len(made.tables), np.bool_)
    shown = made.published(made.additive)
    differ, most, said = 0, np.full(len(made.tables), np.inf), said_at_most(other, whole=made.whole)
    for place, label in enumerate(other.tables.labels):
        cell = made.tables.places.get(label)
        if cell is None:
            raise SourceError(
                f"The published table has a cell that the data do not have: {other.tables.said(place)}.",
                hint="Check names of categories and levels of hierarchies.",
            )
        most[cell] = said[place]
        if other.nothing[place] and not made.facts.contributors[cell]:
            hidden[cell] = False  # a dash beside other marks says that there is nothing
        if not other.suppressed[place]:
            hidden[cell] = False
            differ += bool(abs(other.value[place] - np.nan_to_num(shown[cell])) > other.unit / 2 + 1e-9)
    protection = replace(asked.protection, method="none")
    risk = cell_risk(made.facts, asked.rules, counts=made.counts)
    marked_zeros = bool((hidden & (made.facts.contributors == 0)).any())
    zeros = "suppressible" if marked_zeros else asked.rules.zeros
    problem = problem_of(made, risk, protection, zeros, rules=asked.rules)
    problem = held_to_marks(problem, most)
    audited = audit(problem, hidden, clock=Clock.of(protection.time), stage=stage)
    bounds = problem.known(problem.with_unseen(hidden))[: len(hidden)]
    for one in audited:
        bounds[one.cell] = one.lower, one.upper
    cautions = cautions_of(made, problem, hidden)
    if differ:
        cautions.append(
            f"{differ:,} published cells differ from the data by more than rounding. The audit takes those "
            "of the data: what the published numbers say is not audited."
        )
    released = {one.name: made.additive for one in made.tables.layouts}
    found = ProtectedTables(
        made,
        risk,
        problem,
        protection,
        released,
        hidden,
        audited,
        bounds[:, 0],
        bounds[:, 1],
        not_audited=tuple(not_covered(made, problem, hidden)),
        notes=given_together(problem, hidden),
        cautions=tuple(cautions),
    )
    entry = linked_entry(found, spec.name, recoding=[], show_values=show)
    entry["protection"]["method"] = "as published"
    return TableAccount(_document(data, asked, [entry], show=show, published=paths), (found,))


def _of_published(
    paths: tuple[Path, ...],
    asked: TablePolicy,
    value: str | None,
    said: bool,
    stage: Stage,
) -> TableAccount:
    """A published table alone; ``said`` is whether it was said what its numbers are."""
    spec = asked.specs[0] if asked.specs else None
    named = () if spec is None or spec.tables[0].by == UNNAMED else _attributes(spec)
    value = value or (None if spec is None else spec.value)
    other = read_published(paths, named, value, asked.hierarchies)
    said = said and spec is not None
    statistic = spec.statistic if spec is not None and said else statistic_of(other)
    if statistic == "mean" or (other.column or "").startswith(MEAN_OF):
        raise ParameterError(MEANS, hint=GIVE_RECORDS)
    value = None if statistic == "count" else value or other.column
    clock = Clock.of(asked.protection.time)
    found = attack_published(other, asked.rules, counts=statistic == "count", clock=clock, stage=stage)
    entry = published_entry(
        other.tables,
        found,
        found.marked,
        value=value,
        statistic=statistic,
        name=value or ("counts" if statistic == "count" else "sums"),
    )
    return TableAccount(_document(None, asked, [entry], show=False, published=paths), ())


def _attributes(spec: MagnitudeSpec) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in spec.tables for name in one.by))


def _document(
    data: Data | None,
    asked: TablePolicy,
    entries: list[dict[str, Any]],
    *,
    show: bool,
    published: tuple[Path, ...] = (),
) -> TableDocument:
    outcome, sentence = said_outcome(entries, asked.group_disclosure)
    body = {
        "name": ", ".join(one.name for one in published) if data is None else data.source.name,
        "records": None if data is None else data.records,
        "policy": Path(asked.name).name,
        "rules": said_rules(asked.rules),
        "published": bool(published),
        "linked": entries,
        "outcome": outcome,
        "sentence": sentence,
        "shows_values": show,
    }
    found: TableDocument = headed("table", body)
    return found
