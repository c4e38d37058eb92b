"""The audit: from data to an assessment that says who, what, how sure, and what would help."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Unpack

from divulge import documents
from divulge._support import small_counts
from divulge._support.seeds import SEED
from divulge._support.small_counts import hidden, hide_counts, hide_unique
from divulge._support.stages import Stage, silent
from divulge._support.threads import Aside, cached_property
from divulge.assessment import findings, frames, verdict_text
from divulge.assessment.baseline import against
from divulge.assessment.checks.all_checks import AnyCheck, every_check
from divulge.assessment.checks.threshold_check import Outcome
from divulge.assessment.drivers import distributions
from divulge.assessment.drivers.class_company import unique
from divulge.assessment.drivers.combinations import Combinations, combinations_aside
from divulge.assessment.drivers.few_of_one_attribute import without_named_few
from divulge.assessment.drivers.five_numbers import numbers
from divulge.assessment.drivers.nested_counts import said_by_checks, unique_at_most
from divulge.assessment.drivers.rates import TargetRates, all_rates, named_class
from divulge.assessment.findings import Hint, Profile, Warning
from divulge.assessment.methods import methods_of_audit
from divulge.assessment.missing_hints import missing_hints, with_missing
from divulge.assessment.population.beyond_table import beyond_table, refuse_unusable
from divulge.assessment.population.declared import population_entry, sampled_from
from divulge.assessment.population.section import people_beyond_table
from divulge.assessment.profile import profile
from divulge.assessment.provenance import Provenance, digest_aside, provenance, utc_now
from divulge.assessment.record_facts import RecordFacts, record_columns, record_facts
from divulge.assessment.regulators import asked_of_audit
from divulge.assessment.remedies.changes import Change
from divulge.assessment.remedies.plans import Plan, plan
from divulge.assessment.remedies.record_changes import RecordChange, record_changes
from divulge.assessment.remedies.single_changes import remedies, with_fixes
from divulge.assessment.remedies.trial import Remedy
from divulge.assessment.roles import explicit, with_roles
from divulge.assessment.scope import Scope
from divulge.documents.audit import AuditDocument
from divulge.engines.base import Summary
from divulge.engines.memory.kept_room import kept_room
from divulge.measures.identifier import IdentifierClass
from divulge.policy import USUAL, Policy
from divulge.questions.keywords import ReadKeywords
from divulge.readings.frames import FrameColumn, Kind, frame
from divulge.report.audit.charts import CHARTS
from divulge.report.audit.summary import required_size
from divulge.report.shared.plots import Plot, plotted
from divulge.roles.proposal import Proposed, refuse_too_many


@dataclass(frozen=True, eq=False)
class Assessment:
    """Readings of a table against thresholds: prints well, shows well in a notebook, and can be saved."""

    scope: Scope
    policy: Policy | None
    proposed: tuple[Proposed, ...] | None  # where nobody gave roles
    checks: list[AnyCheck]
    profiles: list[Profile]
    rates: list[TargetRates]
    combinations: Combinations | None
    remedies: list[Remedy]
    plan: Plan | None
    warnings: list[Warning]
    hints: list[Hint]
    show_values: bool = False
    called: tuple[str, ...] = ()  # how a command names the data
    not_tried: Sequence[str] = ()  # changes that could help and were not tried, in sentences
    provenance: Provenance | None = None

    def __repr__(self) -> str:
        return f"Assessment({self.scope.data.source.name}: {self.verdict.headline})"

    def __str__(self) -> str:
        from divulge.report.audit.text import text

        return text(self.document)

    def _repr_html_(self) -> str:
        from divulge.report.audit.notebook import notebook

        return notebook(self.document)

    @property
    def outcome(self) -> Outcome:
        return self.verdict.outcome

    def to_dict(self) -> AuditDocument:
        """Everything as plain values, ready for JSON: the document every report is made from."""
        return self.document

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report: HTML, or by its ending JSON, Markdown or JUnit's XML."""
        from divulge.report.saving import save

        save(self.document, Path(path))

    @cached_property
    def verdict(self) -> verdict_text.Verdict:
        help = self.plan or next((one for one in self.remedies if one.matters or one.failing == 0), None)
        return verdict_text.verdict(self.scope, self.checks, help, from_policy=self.policy is not None)

    @property
    def advised(self) -> Sequence[Change]:
        """The changes of the plan, or the best single one where there is no plan."""
        steps = self.remedies[:1] if self.plan is None else self.plan.steps
        return [step.change for step in steps if self.plan is not None or step.matters]

    def record_changes(self) -> list[RecordChange]:
        """Which records the plan leaves out or suppresses a cell of, by their place in the table."""
        return record_changes(self.scope, self.advised)

    def to_frame(self, part: str = "checks", *, kind: Kind | None = None, exact_counts: bool = False) -> Any:
        """Checks, attributes, combinations, records or what a plan does to records, as a frame.

        It is of the kind that came in, pandas or Polars, or of the ``kind`` asked for; else of pandas, or of
        Polars where pandas is not installed. A number of fewer than five people is missing, with "<5" in the
        column after it, unless ``exact_counts`` are asked for.
        """
        return frame(self.columns(part, exact_counts=exact_counts), self.scope.data.source.name, kind)

    def records(self, *, key: str | None = None, kind: Kind | None = None) -> Any:
        """The risk of each record as a frame, with exact numbers: keep it with the data.

        A line has the number of the record, from 1 on, or its value of the attribute ``key``; whether it is
        counted; the people alike on all quasi-identifiers (``group_size``); the risk of being found among
        them; whether it is unique; and for each sensitive attribute whether its value is revealed.
        """
        return frame(self.columns("records", exact_counts=True, key=key), self.scope.data.source.name, kind)

    def columns(
        self, part: str, *, exact_counts: bool = False, key: str | None = None
    ) -> dict[str, FrameColumn]:
        """The columns of a frame: what ``to_frame`` and ``records`` hand out, whatever library is there."""
        with small_counts.exact_counts(exact_counts):
            if part == "records":
                return record_columns(self.scope.data, self._facts.columns(), key)
            document = self._composed() if exact_counts else self.document
            return frames.columns(part, document, self.scope, self.advised)

    @cached_property
    def _facts(self) -> RecordFacts:
        demands = USUAL if self.policy is None or not self.policy.demands.learned else self.policy.demands
        return record_facts(self.scope, demands)

    def plot(self, name: str | None = None) -> Plot:
        """A chart of the report that shows itself in a notebook; an unknown name lists the known ones."""
        return plotted(CHARTS, self.document, name)

    @cached_property
    def document(self) -> AuditDocument:
        """Everything as plain values: what every report is made from."""
        return self._composed()

    def _composed(self) -> AuditDocument:
        scope = self.scope
        question = scope.question(scope.keys)
        checks = [check.to_dict() for check in self.checks]
        required = required_size(checks, scope.keys, sampled=scope.sample.partial)
        sizes = distributions.class_sizes(question.counts, at=[required] if required else ())
        said = said_by_checks(scope, self.checks)
        alone, at_most = unique(scope)[0], unique_at_most(scope, said)
        unsaid = {} if at_most is None else {alone: at_most}
        changes = [one.change.shown for one in (*self.remedies, *(self.plan.steps if self.plan else ()))]
        left_out = [count for count in changes if isinstance(count, int)]
        certain = [
            distributions.homogeneous(name, scope.question(scope.keys, name).counts)
            for name in scope.sensitive
        ]
        others = [*left_out, *(one.records for one in certain), *(() if unsaid else (alone,))]
        shown = distributions.without_few(sizes, {*said, *others})
        contents = hide_counts(
            of=scope.data.records,
            document={
                "seed": scope.seed,
                "shows_values": self.show_values,
                "source": self._source(),
                "roles": self._roles(),
                "policy": None
                if self.policy is None
                else {"name": Path(self.policy.name).name, "digest": self.policy.digest},
                "verdict": asdict(self.verdict),
                "checks": checks,
                "numbers": [asdict(one) for one in numbers(scope, self.combinations, self.checks)],
                "targets": hide_unique([asdict(one) for one in self.rates], question.records, unsaid),
                "class_sizes": distributions.without_rest([asdict(one) for one in shown], scope.data.records),
                "record_risk": distributions.without_rest(
                    [asdict(one) for one in distributions.record_risk(shown)], scope.data.records
                ),
                "homogeneous": [asdict(one) for one in certain],
                "values": [
                    asdict(one)
                    for one in distributions.worst_values(scope, self.rates, show_values=self.show_values)
                ],
                "classes": [
                    asdict(one)
                    for one in distributions.smallest_classes(question, show_values=self.show_values)
                ],
                "combinations": None
                if self.combinations is None
                else hide_unique(self._combinations(self.combinations), question.records, unsaid),
                "drivers": [
                    asdict(one)
                    for one in verdict_text.drivers(
                        scope,
                        self.combinations,
                        self.warnings,
                        sizes,
                        self._lone(),
                        [*said, alone, *left_out],
                    )
                ],
                "helps": hide_unique([one.to_dict() for one in self.remedies], question.records, unsaid),
                "plan": None
                if self.plan is None
                else hide_unique(self.plan.to_dict(), question.records, unsaid),
                "not_tried": list(self.not_tried),
                "warnings": [asdict(one) for one in self.warnings],
                "hints": [one.to_dict() for one in self.hints],
                "profile": [asdict(one) for one in profile(scope.data, show_values=self.show_values)],
            },
        )
        contents |= without_named_few(contents["values"], contents["combinations"])
        contents["people_beyond_table"] = people_beyond_table(scope, unsaid, show_values=self.show_values)
        contents["regulators"] = asked_of_audit(contents, scope.data)
        contents["methods"] = methods_of_audit(contents)
        if self.provenance is not None:
            contents["provenance"] = self.provenance.to_dict()
        return documents.headed("audit", contents)

    def _combinations(self, found: Combinations) -> dict[str, Any]:
        """The subsets, whose records do not say how few were left out."""
        whole = self.scope.data.records
        subsets = [{**one, "records": hidden(one["records"], of=whole)} for one in found.subsets]
        told = {**asdict(found), "subsets": subsets}
        del told["smallest"]  # which drivers say in words
        return told

    def _lone(self) -> list[tuple[str, int]]:
        """Attributes with lone values that look out of place."""
        return [(one.attribute, one.values) for one in self.hints if one.kind == "lone value"]

    def _source(self) -> dict[str, Any]:
        data, question = self.scope.data, self.scope.question(self.scope.keys)
        missing = with_missing(self.scope)
        return {
            "name": data.source.name,
            "records": data.records,
            "counted": question.records,
            "suppressed": question.suppressed_records,
            "dropped": question.dropped_records,
            "people": data.people,
            "missing": data.missing,
            "with_missing": None if missing is None else hidden(missing),
            "weights": data.weights,
            "population": population_entry(self.scope),
            "compared_with": question.compared_with,
        }

    def _roles(self) -> dict[str, Any]:
        return {
            "proposed": self.proposed is not None,
            "explicit": explicit(self.scope.data.schema, self.called),
            "attributes": [asdict(profile) for profile in self.profiles],
        }


@kept_room()
def audit(
    data: object | None = None,
    policy: Policy | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    show_values: bool = False,
    search: bool = True,
    baseline: Mapping[str, Any] | None = None,
    population: object | None = None,
    fraction: float | None = None,
    household: str | None = None,
    seed: int = SEED,
    stage: Stage = silent,
    **reading: Unpack[ReadKeywords],
) -> Assessment:
    """Audit a table: who can be re-identified, what can be inferred, why, and what would help.

    Roles come from the policy, or from keywords: all those of ``dv.read`` may be given here. Of data that
    were read before, a keyword replaces what was said of the same thing. Without roles some are suggested
    and used. A policy names the table where none is given, and thresholds; without one four questions are
    asked: does an attribute name people, can people be singled out, is something new learned about them, and
    what was not measured. ``population`` says how many people the table is a sample of, or is a table of all
    of them, and ``fraction`` which share of them it has; ``household`` is an attribute that people who live
    together share. ``search`` goes through the combinations of quasi-identifiers; ``baseline`` is the
    document of an earlier audit that this one may not be worse than; ``stage`` is told what is being done,
    and through its method ``step``, if it has one, how many steps of that are done.

    >>> table = {"age": [22, 22, 35, 35], "disease": ["flu", "cold", "flu", "flu"]}
    >>> found = audit(table, quasi_identifiers="age", sensitive="disease")
    >>> [(check.name, check.outcome) for check in found.checks][:2]
    [('Attributes that name people', 'pass'), ('People who can be singled out', 'fail')]
    """
    date = utc_now()
    stage("Reading")
    policy = _as_policy(policy)
    called = [os.fspath(data)] if isinstance(data, str | os.PathLike) else ()
    data, proposed = with_roles(data, policy, reading)
    refuse_too_many(data.released_attributes)  # before counting, which takes long for so many
    with Aside() as aside:
        digest = digest_aside(data, stage, aside)
        data.read_ahead(data.schema.attributes)
        people, everyone = sampled_from(data, policy, population, fraction)
        digest()
    tables = [("table", data), *([] if everyone is None else [("population", everyone.data)])]
    made_from = provenance(date, tables, policy, stage, show_values=show_values)
    held = {} if policy is None else policy.partitions
    household = household or (policy.population.household if policy and policy.population else None)
    data.schema.check([] if household is None else [household])
    scope = Scope(data, held, seed, population=people, everyone=everyone, household=household)
    refuse_unusable(scope)
    stage("Counting")
    with Aside() as aside:
        searched = combinations_aside(scope, stage, aside) if search else None
        rates = all_rates(scope, stage)
        profiles = _profiles(scope, proposed)
        stage("Checking")
        checks = every_check(scope, policy, proposed=proposed is not None)
        stage("Searching combinations")
        found = searched() if searched else None
        stage("Trying changes that may help")
        order = _order(scope, rates, found)
        tried = remedies(scope, checks, order, stage)
        unique_beyond = aside.begin(beyond_table, scope) if scope.held_here else None
        open_ = any(not check.holds(check.found) for check in checks)
        steps, not_planned = plan(tried, order, stage) if open_ else (None, None)
        if unique_beyond:
            unique_beyond()  # what it finds is kept for the document
    checks = against(baseline, with_fixes(checks, tried.remedies))
    stage("Looking for errors")
    return Assessment(
        scope,
        policy,
        proposed,
        checks,
        profiles,
        rates,
        found,
        tried.remedies,
        steps,
        findings.warnings(data, profiles, rates),
        [*missing_hints(data, profiles), *findings.hints(data, profiles)],
        show_values,
        tuple(called),
        [*tried.not_tried, *([not_planned] if not_planned else [])],
        made_from,
    )


def _as_policy(policy: Policy | Mapping[str, Any] | str | os.PathLike[str] | None) -> Policy | None:
    if policy is None or isinstance(policy, Policy):
        return policy
    return Policy.of(policy) if isinstance(policy, Mapping) else Policy.read(policy)


def _profiles(scope: Scope, proposed: Sequence[Proposed] | None) -> list[Profile]:
    reasons = {one.attribute: one.reasons for one in proposed or ()}
    profiles = []
    for name in scope.data.released_attributes:
        found = scope.data.summary(name)
        profiles.append(
            Profile(
                name,
                scope.data.schema.role(name).value,
                tuple(reasons.get(name, ())),
                found.distinct,
                scope.data.records - found.present,
                found.lone,
                _class_of(scope, name, found),
            )
        )
    return profiles


def _class_of(scope: Scope, name: str, found: Summary) -> str | None:
    """What kind of identifier an attribute is; where each record has its own value nothing is counted."""
    if found.lone == scope.data.records > 2 and name not in scope.partitions:
        return IdentifierClass.IDENTIFIER.value
    return named_class(scope.alone(name))


def _order(scope: Scope, rates: Sequence[TargetRates], found: Combinations | None) -> list[str]:
    """Quasi-identifiers, those that add most first."""
    if found is not None:
        ranked = [line["attribute"] for line in found.contributions]
        return [*ranked, *(key for key in scope.keys if key not in ranked)]
    alone = {one.key: one.beyond_chance for one in rates[0].keys}
    return sorted(scope.keys, key=lambda key: -alone[key])
