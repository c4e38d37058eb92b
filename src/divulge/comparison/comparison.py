"""The comparison: what treatments bought against attackers, and what they cost to analysts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from divulge import attacks, documents, utility
from divulge._support.seeds import SEED
from divulge._support.small_counts import hidden_whole, hide_counts, hide_shares
from divulge._support.stages import Stage, Steps, silent
from divulge._support.threads import cached_property
from divulge.alignment.tables import set_apart
from divulge.assessment.methods import methods_of_comparison
from divulge.assessment.provenance import Provenance, provenance, utc_now
from divulge.assessment.regulators import asked_of_release
from divulge.assessment.roles import with_roles
from divulge.assessment.scope import Scope
from divulge.comparison import frames
from divulge.comparison.compared_readings import state
from divulge.comparison.linked_people import as_said
from divulge.comparison.notices import notices
from divulge.comparison.recommendation import AXES, Recommendation, recommend
from divulge.comparison.release import ComparisonPlan, Release
from divulge.comparison.said_losses import said_categories, said_distances, said_estimate, said_numbers
from divulge.comparison.side_by_side import changes, said_changes
from divulge.comparison.tables.released_tables import (
    given_releases,
    like,
    refuse_unrelated,
    with_recipe_hierarchies,
)
from divulge.documents.comparison import ComparisonDocument
from divulge.errors import ParameterError
from divulge.policy import USUAL, Policy
from divulge.questions.data import Data
from divulge.questions.keywords import ReadKeywords
from divulge.readings.frames import FrameColumn, Kind, frame
from divulge.recipes.recipe import Recipe
from divulge.report.comparison.charts import comparison_charts
from divulge.report.shared.plots import Plot, plotted
from divulge.table.partition_files import as_partitions

# Shares of people that attacks say without their number.
SHARES = (
    "uniqueness",
    "changed",
    "fits_its_original",
    "fits_no_original",
    "right_links",
    "second_nearest",
    "inside",
)
STAGES = (("Attacking", "outcomes"), ("Checking", "checks"), ("Comparing", "loss"), ("Mining", "mined"))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Releases beside their original: prints well, shows well in a notebook, and can be saved."""

    original: Scope
    releases: tuple[Release, ...]
    policy: Policy | None
    proposed: bool = False  # whether nobody gave roles
    provenance: Provenance | None = None

    def __repr__(self) -> str:
        found = self.recommendation
        none = "" if found.release else "No release is recommended. "
        return f"Comparison({self.original.data.source.name}: {none}{found.sentences[0]})"

    def __str__(self) -> str:
        from divulge.report.comparison.text import text

        return text(self.document)

    def _repr_html_(self) -> str:
        from divulge.report.comparison.notebook import notebook

        return notebook(self.document)

    def to_dict(self) -> ComparisonDocument:
        """Everything as plain values, ready for JSON."""
        return self.document

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report: HTML, or by its ending JSON or Markdown."""
        from divulge.report.saving import save

        save(self.document, Path(path))

    def to_frame(self, part: str = "releases", *, kind: Kind | None = None) -> Any:
        """Releases, readings, checks or attacks as a frame, of the kind that came in or the one asked for."""
        return frame(self.columns(part), self.original.data.source.name, kind)

    def columns(self, part: str) -> dict[str, FrameColumn]:
        """The columns of a frame, whatever library is there."""
        return frames.columns(part, self.document)

    def plot(self, name: str | None = None) -> Plot:
        """A chart of the report that shows itself in a notebook; an unknown name lists the known ones."""
        return plotted(comparison_charts(self.document), self.document, name)

    @cached_property
    def recommendation(self) -> Recommendation:
        return recommend([release.candidate for release in self.releases])

    @cached_property
    def document(self) -> ComparisonDocument:
        original, first = self.original, self.releases[0]
        before = state(original)
        changed = [release.changed is not None for release in self.releases]
        exchanged = [release.exchanged is not None for release in self.releases]
        contents = hide_counts(
            {
                "seed": original.seed,
                "shows_values": first.asked.show_values,
                "original": {
                    "name": original.data.source.name,
                    "records": original.data.records,
                    "attributes": len(original.data.schema.attributes),
                    "quasi_identifiers": list(original.keys),
                    "sensitive": list(original.sensitive),
                    "roles": "proposed" if self.proposed else "given",
                    "population": None if original.population is None else asdict(original.population),
                    "readings": _without_few(before, original),
                },
                "notices": notices(self.releases, original, proposed=self.proposed),
                "releases": [_told(release) for release in self.releases],
                "policy": None
                if self.policy is None
                else {"name": Path(self.policy.name).name, "digest": self.policy.digest},
                "axes": dict(AXES),
                "allowed": _allowed(first.asked),
                "changes": said_changes(
                    changes(before, [release.readings for release in self.releases], changed, exchanged),
                    [_without_few(before, original)]
                    + [_without_few(release.readings, release.scope) for release in self.releases],
                ),
                "recommendation": asdict(self.recommendation),
            }
        )
        # Anyone who has a release can count it: beside it the original would say how few were left out.
        said = hidden_whole(original.data.records, [release.scope.data.records for release in self.releases])
        contents["original"]["records"] = said
        contents["regulators"] = [
            asked_of_release(entry, release.scope.data)
            for entry, release in zip(contents["releases"], self.releases, strict=True)
        ]
        contents["methods"] = methods_of_comparison(contents)
        if self.provenance is not None:
            contents["provenance"] = self.provenance.to_dict()
            contents["provenance"]["files"][0]["records"] = said
        return documents.headed("comparison", contents)


def compare(
    original: object,
    *released: object,
    policy: Policy | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    by: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    population: object | None = None,
    outside: object | None = None,
    needs: Any = None,
    partitions: Mapping[str, Any] | None = None,
    tables: int = 2,
    mining: bool = False,
    show_values: bool = False,
    seed: int = SEED,
    stage: Stage = silent,
    **reading: Unpack[ReadKeywords],
) -> Comparison:
    """Compare releases with their original: what each reveals, what it lost, and which to prefer.

    A release is a table or a :class:`Recipe` that makes one of the original, or several are a mapping of
    their names to tables: ``{"k5": k5, "noise": noise}``. Roles are those of the original: from the policy,
    from keywords of ``dv.read`` as in :func:`audit`, or suggested. Keywords that say how a file is written
    hold for all files. ``by`` names the attributes that say whose record it is in both tables, and that are
    not analysed; without it records are matched by order where their numbers agree and their values fit.
    ``columns`` maps attributes to other names in the releases. ``partitions`` are named partitions of
    sensitive values that an attacker may care about, ``needs`` what analysts do. ``tables`` is how many
    attributes contingency tables take together. ``stage`` is told what is being done, as by :func:`audit`.

    >>> table = {"age": ["21", "22", "35", "36"], "ill": ["flu", "cold", "flu", "flu"]}
    >>> coarse = {"age": ["2*", "2*", "3*", "3*"], "ill": ["flu", "cold", "flu", "flu"]}
    >>> found = compare(table, {"decades": coarse}, quasi_identifiers="age", sensitive="ill")
    >>> [(release.name, release.readings["k"]) for release in found.releases]
    [('decades', 2)]
    """
    given = given_releases(released)
    if not given:
        raise ParameterError(
            "No release was given.", hint="Name at least one table to compare with the original."
        )
    date = utc_now()
    stage("Reading")
    asked_policy = policy if policy is None or isinstance(policy, Policy) else _policy(policy)
    named = (by,) if isinstance(by, str) else tuple(by)
    data, proposed = with_roles(original, asked_policy, reading)
    data.schema.check(named)
    data = with_recipe_hierarchies(set_apart(data, named), [one.table for one in given])
    held = {} if asked_policy is None else asked_policy.partitions
    sample = None if asked_policy is None else asked_policy.sampled_from
    scope = Scope(data, held, seed, population=sample)
    asked = ComparisonPlan(
        scope,
        () if asked_policy is None else asked_policy.thresholds,
        USUAL if asked_policy is None else asked_policy.demands,
        named,
        lambda released: {
            **({} if asked_policy is None else asked_policy.columns(released)),
            **(columns or {}),
        },
        None if population is None else _beside(population, data, reading),
        None if outside is None else _beside(outside, data, reading),
        utility.as_needs(needs),
        {name: as_partitions(given) for name, given in (partitions or {}).items()},
        tables,
        mining,
        show_values,
    )
    opened = [like(data, one.table, reading, seed) for one in given]
    for one, table in zip(given, opened, strict=True):
        if not named and not isinstance(one.table, Recipe):  # who matches records knows what they are
            refuse_unrelated(data, table, asked.columns(table.schema.attributes), one.name)
    read_too = (("population", asked.population), ("outside", asked.outside))
    tables_read = [
        ("original", data),
        *(("release", table) for table in opened),
        *((role, table) for role, table in read_too if table is not None),
    ]
    made_from = provenance(date, tables_read, asked_policy, stage)
    releases = []
    names = _told_apart([one.name or table.source.name for one, table in zip(given, opened, strict=True)])
    recipes = [one.table if isinstance(one.table, Recipe) else None for one in given]
    for table, name, recipe in Steps(stage, len(opened)).each(zip(opened, names, recipes, strict=True)):
        stage(f"Aligning {name}")
        found = Release.of(table, asked, name, recipe)
        for doing, part in STAGES:
            stage(f"{doing} {name}")
            getattr(found, part)
        releases.append(found)
    return Comparison(scope, tuple(releases), asked_policy, proposed is not None, made_from)


def _policy(given: Mapping[str, Any] | str | os.PathLike[str]) -> Policy:
    return Policy.of(given) if isinstance(given, Mapping) else Policy.read(given)


def _beside(given: object, original: Data, reading: ReadKeywords) -> Data:
    """A table an attacker holds, in which hierarchies of the original say what released values stand for."""
    held = like(original, given, reading)
    there = {name: one for name, one in original.hierarchies.items() if name in held.schema.attributes}
    return replace(held, hierarchies={**there, **held.hierarchies})


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names of releases, with a number where one stands twice.

    >>> _told_apart(["a.csv", "b.csv", "a.csv"])
    ['a.csv', 'b.csv', 'a.csv (2)']
    """
    seen = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({before + 1})" if before else name for name, before in zip(names, seen, strict=True)]


def _told(release: Release) -> dict[str, Any]:
    """One release as plain values."""
    candidate, order, rows = release.candidate, release.alignment.order, release.alignment.rows
    outcomes = [as_said(one) for one in release.outcomes]
    records = release.scope.data.records
    aligned = records if rows is None else len(rows[0])
    return {
        "name": release.name,
        "records": records,
        "lacking": release.lacking,
        "alignment": {
            "how": release.alignment.how,
            "aligned": None if rows is None else aligned,
            "columns": [
                {"original": here, "released": there} for here, there in release.alignment.columns.items()
            ],
            "notes": list(release.notes),
            "by": list(release.alignment.by),
            "order": None if order is None else hide_shares(order.to_dict(), order.rows, "in_order", "best"),
        },
        "changed": release.changed,
        "exchanged": release.exchanged,
        "readings": _without_few(release.readings, release.scope),
        "attacks": hide_shares([outcome.to_dict() for outcome in outcomes], aligned, *SHARES),
        "summary": attacks.summary(outcomes),
        "loss": {
            "continuous": said_numbers(release.loss["continuous"]),
            "categorical": hide_shares(
                [said_categories(one, aligned) for one in release.loss["categorical"]], aligned, "changed"
            ),
            "contingency": hide_shares(release.loss["contingency"], records, "distance"),
            "distributions": [
                said_distances(one)
                for one in hide_shares(release.loss["distributions"], records, "total_variation")
            ],
            "correlations": [said_estimate(one) for one in release.loss["correlations"]],
            "totals": [said_estimate(one) for one in release.loss["totals"]],
        },
        "mining": release.mined,
        "needs": release.needs,
        "checks": [check.to_dict() for check in release.checks],
        "score": {
            "risk": candidate.risk,
            "utility": candidate.utility,
            "risk_undefined": candidate.unmeasured,
            "utility_undefined": release.kept[1],
        },
    }


def _without_few(readings: dict[str, Any] | None, scope: Scope) -> Any:
    """Readings whose share of unique records does not say how few they are."""
    return readings and hide_shares(readings, scope.question(scope.keys).records, "uniqueness")


def _allowed(asked: ComparisonPlan) -> dict[str, float] | None:
    """The bound that the policy sets on the axis of risk, where it sets one."""
    bounds = [
        one.max
        for one in asked.thresholds
        if one.measure.name == "reidentification_risk"
        and one.parameters.get("kind") == "average"
        and one.max is not None
        and one.keys is None
    ]
    return {"risk": min(bounds)} if bounds else None
