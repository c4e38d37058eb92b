"""One release beside its original: aligned, attacked, held to the checks, and what it lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from divulge import attacks, utility
from divulge._support.threads import cached_property
from divulge.alignment.tables import BY_KEY, BY_RECIPE, Alignment, align, counterparts
from divulge.assessment.checks.all_checks import AnyCheck, held_to
from divulge.assessment.checks.identifiers import identifiers
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.naming import namings
from divulge.assessment.people.originals import OriginalValues
from divulge.assessment.scope import Scope
from divulge.attacks import Outcome
from divulge.attacks.changed_values.decoding import decoded
from divulge.attacks.changed_values.new_columns import restated
from divulge.attacks.changed_values.replaced_values import replaced_attributes
from divulge.attacks.changed_values.truth import Truth
from divulge.attacks.counted_outcomes import Judge
from divulge.attacks.linkage.wrong_keys import without_wrong_key
from divulge.attacks.linked_records import every_linkage
from divulge.attacks.original_frequencies import beside
from divulge.attacks.suppressed_readings import fitted
from divulge.comparison.checks_by_truth import (
    beyond_other_links,
    by_originals,
    by_own_values,
    by_truth,
)
from divulge.comparison.compared_readings import need_on_both, need_served, state
from divulge.comparison.information_kept import information_kept
from divulge.comparison.linked_people import linked_checks, not_linked
from divulge.comparison.recipe_attackers import beside_recipe
from divulge.comparison.recommendation import Candidate
from divulge.comparison.tables.pasted_copies import one_of_each
from divulge.comparison.tables.renamed_bounds import renamed, renamed_demands, renamed_population
from divulge.comparison.tables.whose_records import by_people, not_evaluated, without_groups, without_people
from divulge.errors import EmptySource, PartitionError
from divulge.policy import USUAL, Demands, Threshold
from divulge.questions.data import Data
from divulge.recipes.promises import made_up
from divulge.recipes.recipe import Recipe
from divulge.source.anatomy import PERSON
from divulge.table.partition import Partition
from divulge.utility import Need

#: Attacks on the release alone whose risk is a mean over its keys.
PER_KEY = ("identity_black_box", "homogeneity", "background_knowledge", "similarity")
LINKING = ("linked_distance", "linked_probability")
SUPPRESSED = (
    "Suppressed cells fit any value in readings and attacks. Where all records are matched, the checks count "
    "who fits the original values."
)
NOTHING_KNOWN = "none of the quasi-identifiers is in the release, so who knows them is not measured"


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """What every release is asked."""

    original: Scope
    thresholds: Sequence[Threshold]
    demands: Demands = USUAL
    by: tuple[str, ...] = ()
    columns: Callable[[Sequence[str]], Mapping[str, str]] = lambda released: {}  # names in a release
    population: Data | None = None
    outside: Data | None = None
    needs: Sequence[Need] = ()
    partitions: Mapping[str, Mapping[str, Partition]] = field(default_factory=dict)  # by their own name
    tables: int = 2  # attributes taken together in contingency tables
    mining: bool = False
    show_values: bool = False

    @cached_property
    def like_names(self) -> tuple[str, ...]:
        """Attributes of the original without a role that look like names, where others beside them do."""
        return tuple(one.attribute for one in namings(self.original.data, ()) if one.unsure)


@dataclass(frozen=True, eq=False)
class Release:
    """A released table beside the original, its attributes in the roles of their counterparts."""

    name: str
    asked: ComparisonPlan
    alignment: Alignment
    scope: Scope
    notes: tuple[str, ...]
    recipe: Recipe | None = None  # by which it was made of the original
    whose: str | None = None  # why it is not known whose records are, where people have several
    replaced: tuple[str, ...] = ()  # attributes whose values are not those of the original
    copied: str | None = None  # that each record stands several times, in words

    @classmethod
    def of(
        cls, released: Data, asked: ComparisonPlan, name: str | None = None, recipe: Recipe | None = None
    ) -> Release:
        columns = asked.columns(released.schema.attributes)
        released, copied = one_of_each(asked.original.data, released)
        alignment = without_wrong_key(align(asked.original.data, released, by=asked.by, columns=columns))
        replaced = replaced_attributes(alignment)
        added = added_attributes(asked.original.data, released, columns)
        alignment, read_so = decoded(alignment, (*added, *replaced))
        alignment, whose = by_people(alignment)
        scope, notes = _scope(asked, alignment)
        how = BY_KEY if recipe is None and alignment.how == BY_RECIPE else alignment.how
        aligned = replace(alignment, released=scope.data, how=how)
        said = (*([copied] if copied else []), *alignment.notes, *read_so, *notes)
        return cls(name or released.source.name, asked, aligned, scope, said, recipe, whose, replaced, copied)

    @cached_property
    def truth(self) -> Truth | None:
        """Whether released values are the people's own; None where no quasi-identifier is released."""
        return Truth.of(self.alignment, made_up=None if self.recipe is None else made_up(self.recipe))

    @cached_property
    def judge(self) -> Judge | None:
        """Who counts attacks against the truth, where released values were changed."""
        return None if self.truth is None else Judge(self.truth, self.scope.seed)

    @property
    def changed(self) -> str | None:
        """That released values are not the people's own, in words; None where they may be."""
        return None if self.truth is None else self.truth.unknown or self.truth.changed

    @property
    def exchanged(self) -> str | None:
        """That released sensitive values are not the people's own, in words; None where they may be."""
        return None if self.judge is None else self.judge.exchanged

    @cached_property
    def not_linked(self) -> str | None:
        """Why nobody can be said to be truly linked, in words; None where people can."""
        return not_linked(self.alignment, self.judge) or self.whose

    @cached_property
    def lacking(self) -> str | None:
        """Why no attacker can be measured on this release; None when one can."""
        if not self.scope.keys:
            return NOTHING_KNOWN
        try:
            _ = self.scope.question(self.scope.keys).counts
        except EmptySource as empty:
            return empty.message
        return None

    @cached_property
    def partly_suppressed(self) -> bool:
        """Whether some records show some of their quasi-identifiers and not others."""
        return self.lacking is None and fitted(self.scope.question(self.scope.keys)) is not None

    @cached_property
    def readings(self) -> dict[str, Any] | None:
        """Readings under the names of the original; None where no attacker can be measured."""
        if self.lacking:
            return None
        names = {there: here for here, there in self.alignment.columns.items()}
        found = state(replace(self.scope, originals=self.originals), names)
        if self.not_linked is not None:
            found["average_risk"] = None
        elif self.changed is not None and self.judge is not None:
            risks = [self.judge.average_risk, *(one.risk for one in self._by_original)]
            found["average_risk"] = max((one for one in risks if one is not None), default=None)
        return found if self.whose is None else without_groups(found)

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Every attack that can be carried out with what the attacker is taken to have."""
        if self.lacking:
            return []
        data, show, seed = self.scope.data, self.asked.show_values, self.scope.seed
        found = [
            attacks.identity_white_box(self.alignment, show_values=show, truth=self.truth, seed=seed),
            attacks.identity_black_box(data, show_values=show),
            attacks.homogeneity(data, show_values=show, seed=seed),
            attacks.background_knowledge(data, show_values=show, seed=seed),
            attacks.skewness(self.alignment, show_values=show, seed=seed),
            attacks.similarity(data, partitions=self._partitions(), show_values=show, seed=seed),
            attacks.prosecutor(data),
            attacks.marketer(data, self.asked.population, on=self._shared(self.asked.population)),
        ]
        if (population := self.asked.population) is not None:
            found.append(attacks.journalist(data, population, on=self._shared(population)))
        if (outside := self.asked.outside) is not None:
            found.append(attacks.identity_grey_box(data, outside, on=self._shared(outside)))
        judge = self.judge
        counted = found if judge is None else [judge.judged(one) for one in found]
        told = [self._over_all_keys(one) for one in counted]
        if self.recipe is not None:
            told = beside_recipe(told, self.recipe, self.asked.original.data)
        return [*(told if self.whose is None else without_people(told, self.whose)), *self._linkage]

    @property
    def _by_original(self) -> list[Outcome]:
        """The attacks that link each released record to one original."""
        return [one for one in self._linkage if one.attack in LINKING]

    @cached_property
    def _linkage(self) -> list[Outcome]:
        thorough = bool(self.asked.demands.linked)
        return every_linkage(self.alignment, thorough=thorough, seed=self.scope.seed)

    def _shared(self, other: Data | None) -> dict[str, str]:
        """Quasi-identifiers that another table has under the names of the original, and their names here."""
        names = () if other is None else other.schema.attributes
        return {
            here: there
            for here, there in self.alignment.columns.items()
            if here in names and there in self.scope.keys
        }

    def _over_all_keys(self, outcome: Outcome) -> Outcome:
        """A mean rate over the keys of the original: those that the release does not have tell nothing."""
        if outcome.risk is None or outcome.attack not in PER_KEY:
            return outcome
        return replace(outcome, risk=outcome.risk * len(self.scope.keys) / len(self.asked.original.keys))

    @cached_property
    def checks(self) -> list[AnyCheck]:
        if self.lacking:
            return [identifiers(self.demands, self.scope, (), self.suspected)]
        bounds = [renamed(one, self.alignment.columns) for one in self.asked.thresholds]
        scope = replace(self.scope, originals=self.originals)
        thresholds = [one for one in bounds if one is not None]
        matched = self.alignment.rows is not None and self.alignment.few_matched is None
        replaced = [name for name in self.replaced if name in scope.others]
        again = restated(self.alignment, [*self.added, *replaced]) if matched else []
        apart = () if matched else (*self.added, *replaced)
        found = held_to(
            self.demands, thresholds, scope, self.suspected, self.added, apart=apart, restated=again
        )
        if (
            self.truth is not None
            and self.changed is None
            and self.originals is None
            and self.partly_suppressed
        ):
            found = by_originals(found, self.truth)
        if self.judge is not None:
            if self.changed is None:
                found = by_own_values(found, self.demands, self.judge, scope)
            else:
                found = by_truth(found, self.demands, self.judge)
                if self.judge.aligned:
                    found = beyond_other_links(found, self.demands, self.judge, self._by_original)
        if self.whose is not None:
            found = not_evaluated(found, self.whose)
        return [*found, *linked_checks(self.asked.demands.linked, self.outcomes, self.scope.keys)]

    @property
    def suspected(self) -> tuple[str, ...]:
        """Released attributes that looked like names beside others of the original."""
        columns = self.alignment.columns
        return tuple(columns[name] for name in self.asked.like_names if name in columns)

    @cached_property
    def demands(self) -> Demands:
        """What the release is held to, under its own names; what only matches records is not published."""
        found = renamed_demands(self.asked.demands, self.alignment.columns)
        return replace(found, declared=tuple(one for one in found.declared if one not in self.matching))

    @cached_property
    def originals(self) -> OriginalValues | None:
        """What people are known by where cells are suppressed; None where none is, or it is not known."""
        scope, demands = self.scope, self.demands
        asked = [*(one.keys for one in demands.singled_out), *(one.keys for one in demands.learned)]
        keys = tuple(dict.fromkeys([*scope.keys, *(key for one in asked for key in one or ())]))
        if self.changed is not None or scope.rows is None or scope.rows.data is not scope.data:
            return None
        if not any(scope.data.suppresses(name) for name in (*keys, *scope.sensitive)):
            return None
        return (
            None
            if set(keys) & set(scope.partitions)
            else OriginalValues.of(self.alignment, keys, scope.sensitive)
        )

    @cached_property
    def matching(self) -> tuple[str, ...]:
        """Attributes of the release that only match records (--by), and so have to stay unpublished."""
        schema = self.scope.data.schema
        columns = self.asked.columns(schema.attributes)
        matched, _ = counterparts(self.asked.original.data.schema.attributes, schema.attributes, columns)
        analysed = {*schema.quasi_identifiers, *schema.sensitive}
        there = [matched[name] for name in self.asked.by if name in matched]
        return tuple(name for name in there if name not in analysed)

    @property
    def added(self) -> tuple[str, ...]:
        """Attributes of the release that the original does not have."""
        columns = self.asked.columns(self.scope.data.schema.attributes)
        return added_attributes(self.asked.original.data, self.scope.data, columns)

    @cached_property
    def needs(self) -> list[dict[str, Any]]:
        """The utility for each need, on the release and on the original."""
        given = self.asked.original.data, self.scope.data, self.alignment.columns, self.scope.seed
        return [need_on_both(one, *given, show_values=self.asked.show_values) for one in self.asked.needs]

    @cached_property
    def loss(self) -> dict[str, Any]:
        """What the release lost of the original: numbers, categories, tables and distributions."""
        return {
            "continuous": asdict(utility.continuous_loss(self.alignment)),
            "categorical": [asdict(one) for one in utility.categorical_loss(self.alignment)],
            "contingency": [
                asdict(one) for one in utility.contingency_distances(self.alignment, order=self.asked.tables)
            ],
            "distributions": [
                asdict(one)
                for one in utility.distribution_distances(self.alignment, show_values=self.asked.show_values)
            ],
            "correlations": [
                asdict(one)
                for one in utility.correlation_changes(self.alignment, self.asked.original.population)
            ],
            "totals": [
                asdict(one) for one in utility.total_changes(self.alignment, self.asked.original.population)
            ],
        }

    @cached_property
    def mined(self) -> list[dict[str, Any]] | None:
        """What models trained on the release still get right, where that was asked for."""
        if not self.asked.mining:
            return None
        return [asdict(one) for one in utility.mine(self.alignment, seed=self.scope.seed)]

    @property
    def candidate(self) -> Candidate:
        held_back = ("fail", "not evaluated")  # a question that only warns holds nothing back
        demanded = [one for one in self.checks if isinstance(one, TableCheck) or one.severity == "fail"]
        asked = [
            one for one in demanded if not isinstance(one, TableCheck) or one.measure_name != "identifiers"
        ]
        missed = [one for one in demanded if one.outcome in held_back]
        unmet = len(missed) if asked or missed else None
        risk = None if self.readings is None else self.readings["average_risk"]
        unmeasured = (self.lacking or self.changed or self.not_linked) if risk is None else None
        return Candidate(
            self.name,
            risk,
            self.kept[0],
            unmet,
            len(demanded),
            unmeasured,
            warns=sum(one.outcome == "warn" for one in demanded),
            leave_out=self.matching,
            unevaluated=sum(one.outcome == "not evaluated" for one in missed),
            beyond=sum(map(_concerned, missed)),
            unkept=self.kept[1] if self.alignment.rows is None else None,
        )

    @cached_property
    def kept(self) -> tuple[float | None, str | None]:
        """The share of the information kept, for the needs or of all attributes, or why there is none."""
        if not self.needs and self.judge is not None and self.alignment.rows is None and self.judge.apart:
            return None, self.judge.apart
        if not self.needs:
            return information_kept(self.alignment, self.truth, self.scope.seed)
        tables = self.asked.original.data, self.scope.data, self.alignment.columns
        found = [
            need_served(need, read, *tables) for need, read in zip(self.asked.needs, self.needs, strict=True)
        ]
        shares = [one for one in found if one is not None]
        return (sum(shares) / len(shares), None) if shares else (None, "no need could be read")

    def _partitions(self) -> dict[str, dict[str, Partition]]:
        """The partitions of each sensitive attribute by name, as far as the release has the attribute."""
        columns, found = self.alignment.columns, dict[str, dict[str, Partition]]()
        for name, parts in self.asked.partitions.items():
            for attribute, partition in parts.items():
                if columns.get(attribute) in self.scope.sensitive:
                    found.setdefault(columns[attribute], {})[name] = partition
        return found


def added_attributes(original: Data, released: Data, columns: Mapping[str, str]) -> tuple[str, ...]:
    """The attributes of a release that have no counterpart in the original."""
    schema = released.schema
    matched, _ = counterparts(original.schema.attributes, schema.attributes, columns)
    return tuple(name for name in schema.attributes if name not in (*matched.values(), PERSON))


def _concerned(check: AnyCheck) -> float:
    """The share of people a check that is not met is about; all of them where that is not known."""
    return 1.0 if check.concerned is None or not check.counted else check.concerned / check.counted


def _scope(asked: ComparisonPlan, alignment: Alignment) -> tuple[Scope, list[str]]:
    """The release, with what the original says of its values where that covers them."""
    original, columns, data, notes = asked.original, alignment.columns, alignment.released, list[str]()
    partitions: dict[str, Partition] = {}
    for name, partition in original.partitions.items():
        if name not in columns:
            continue
        if _covers(partition, data, columns[name]):
            partitions[columns[name]] = partition
        else:
            notes.append(f"{columns[name]} is counted as released: the groups of {name} do not cover it.")
    hierarchies = {
        columns[name]: hierarchy
        for name, hierarchy in original.data.hierarchies.items()
        if name in columns and _covers(hierarchy.level(1), data, columns[name])
    }
    released = replace(data, hierarchies=hierarchies)
    if any(data.suppresses(key) for key in data.schema.quasi_identifiers):
        notes.append(SUPPRESSED)
    compared = {
        columns[name]: beside(
            alignment.original, name, released, columns[name], partitions.get(columns[name])
        )
        for name in original.sensitive
        if name in columns
    }
    notes += [
        f"t-closeness of {name} compares groups with {one.name}."
        if one.undefined is None
        else f"t-closeness of {name} is undefined: {one.undefined}."
        for name, one in compared.items()
    ]
    people, said = renamed_population(original.population, columns)
    scope = Scope(
        released,
        partitions,
        original.seed,
        population=people,
        beside=compared,
        stars_fit=True,
        drawn=None if people is None else original.people,
    )
    return scope, notes + said


def _covers(partition: Partition, data: Data, attribute: str) -> bool:
    try:
        partition.locate(data.column(attribute), attribute=attribute)
    except PartitionError:
        return False
    return True
