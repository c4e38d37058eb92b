"""A table under some choices: what an attacker sees at every level, from groups that are made once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from threading import Lock
from typing import Any

from divulge._support.threads import cached_property
from divulge.anonymization.anonymizing import hierarchies_of
from divulge.anonymization.inputs import check_countable, counted_data, person_of, plainly_counted
from divulge.anonymization.made_hierarchies import made_hierarchy
from divulge.anonymization.options import policy_tables
from divulge.anonymization.release import made, recipe_steps, without_identifiers
from divulge.assessment.population.declared import sampled_from
from divulge.engines.opening import engine_for
from divulge.errors import ParameterError
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.population_files import read_population
from divulge.generalization.criteria import Criteria, criteria_of
from divulge.generalization.encoding import GeneralizationTable, encoded
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import LOSSES, LossTables
from divulge.generalization.transformations import Levels
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy, Population
from divulge.questions.data import Data
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Application
from divulge.table.hierarchy import Hierarchy
from divulge.table.schema import Role, Schema

NAME = "the recipe of the page"
MOST_SCENES = 6  # that are kept, so that going back is as quick as going on


@dataclass(frozen=True, eq=False)
class Scene:
    """Data with roles after the further steps, hierarchies, a policy, and the groups of the values."""

    before: Data  # as it was read
    data: Data
    counted: Data  # those of its records that are in groups
    choices: Choices
    trees: Mapping[str, Hierarchy]
    made: tuple[str, ...]  # attributes whose hierarchies were made from the values
    tables: Mapping[str, Any]  # the policy, as TOML has it
    policy: Policy
    criteria: Criteria
    table: GeneralizationTable
    person: int | None  # the place of the target that says whose records are whose
    memo: dict[Any, Any] = field(default_factory=dict)  # what does not change with levels

    @cached_property
    def lattice(self) -> GeneralizationLattice:
        """The lattice of levels, with the loss that was chosen and no limit to what is suppressed."""
        costs = LossTables(LOSSES[self.choices.loss], self.table, {})
        return GeneralizationLattice(self.table, self.criteria, costs, self.table.records)

    def target(self, name: str) -> int:
        """The place of a sensitive attribute among the targets."""
        return self.criteria.targets.index((name,))

    def levels(self, given: Mapping[str, int]) -> Levels:
        """Levels in the order of the search, none above the highest."""
        return tuple(min(given.get(one.name, 0), one.height) for one in self.table.attributes)

    def steps(self, given: Mapping[str, int]) -> list[dict[str, Any]]:
        """What is done to the table, in the words of a recipe."""
        levels = self.table.by_name(self.levels(given))
        leave_out = not self.data.suppressed
        below = self.criteria.suppressed_below
        coarser = recipe_steps(self.data, self.policy, self.trees, levels, leave_out=leave_out, k=below)
        named = without_identifiers(self.data, self.policy)
        return [*(dict(step) for step in self.choices.steps), *coarser, *named]

    def recipe(self, given: Mapping[str, int]) -> Recipe:
        """The recipe of some levels."""
        return Recipe.of(self.steps(given), name=NAME)

    def release(self, given: Mapping[str, int], seed: int, *, keep_order: bool = False) -> Application:
        """The release at some levels."""
        return made(self.before, self.recipe(given), seed=seed, keep_order=keep_order)


class Scenes:
    """Scenes by their choices; those of late are kept."""

    def __init__(
        self,
        data: Data,
        seed: int,
        kept: Mapping[str, Any] | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        table = WorkingTable.read(data.one_by_one().source)
        self.data = replace(data, engine=engine_for(replace(table, name=data.source.name), data.source))
        self.seed, self.kept = seed, kept or {}  # tables of a policy that are as they were given
        self._reading = reading or {}
        self._kept: OrderedDict[str, Scene] = OrderedDict()
        self._whole: dict[str, Data] = {}  # tables of the population that were read
        self._lock = Lock()

    def scene(self, choices: Choices) -> Scene:
        """The scene of some choices; one that differs in levels, or what is known, is the same.

        With another population the groups are the same, and only the policy is another. How many records may
        be suppressed counts only where a demand on small groups has these suppressed.
        """
        asked = replace(choices, known=(), levels={}, suppress=0.0, needs={})
        with self._lock:
            found = self._held(replace(asked, population={}))
            if asked.population:
                found = self._held(asked, lambda: _with_population(found, asked, self.everyone(asked)))
            criteria = _suppressing(found, choices.suppress)
            if criteria is None:
                return found
            driven = replace(asked, suppress=choices.suppress)
            return self._held(driven, lambda: replace(found, choices=driven, criteria=criteria))

    def everyone(self, choices: Choices) -> Data | None:
        """The table of the population that was chosen, which is read once."""
        source = choices.population.get("source")
        if source is None:
            return None
        if source not in self._whole:
            self._whole = {source: read_population(self.data, source, self._reading)}
        return self._whole[source]

    def _held(self, asked: Choices, make: Callable[[], Scene] | None = None) -> Scene:
        """A scene that is kept, or made: of the data, or of a scene that differs in little."""
        word = repr(asked.to_dict())
        if word not in self._kept:
            self._kept[word] = make() if make else _scene(self.data, asked, self.seed, self.kept)
            while len(self._kept) > MOST_SCENES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(word)
        return self._kept[word]


def _suppressing(scene: Scene, suppress: float) -> Criteria | None:
    """The criteria by which the search suppresses small groups as well; None where it suppresses no other.

    What else a policy asks of people is told demand by demand.
    """
    plainly = plainly_counted(scene.data, scene.policy)
    asked = scene.criteria.asking(scene.policy.demands, list(scene.trees), plainly=plainly, suppress=suppress)
    if not asked.suppressed_below:
        return None
    return replace(scene.criteria, of_classes=asked.of_classes, suppressed_below=asked.suppressed_below)


def _with_population(scene: Scene, choices: Choices, whole: Data | None) -> Scene:
    """The same groups under a policy that says what the table is a sample of.

    A number of people, or a table of them, is said by the share that was drawn: a release may lack some who
    were, and has other values than the table.
    """
    sampled = choices.sampled_from
    if whole is not None:
        _, everyone = sampled_from(scene.before, None, whole, None)  # refused where it lacks a key
        assert everyone is not None, "a table was given"
        sampled = replace(sampled or Population(), source=None, size=everyone.people)
    sampled = None if sampled is None else sampled.once_drawn(scene.before.people)
    said = {} if sampled is None else {name: one for name, one in asdict(sampled).items() if one is not None}
    tables = {**scene.tables, "population": said}
    policy = Policy.of(tables, name="the policy of the page").knowing(scene.data.schema.attributes)
    return replace(scene, choices=choices, tables=tables, policy=policy)


def _scene(before: Data, choices: Choices, seed: int, kept: Mapping[str, Any]) -> Scene:
    before = before.with_roles(_schema(before.schema.attributes, choices))
    edited = {
        name: Hierarchy.of(rows, attribute=name)
        for name, rows in choices.hierarchies.items()
        if name in choices.quasi_identifiers
    }
    data = before
    if choices.steps:
        table = made(before, Recipe.of(list(choices.steps), name=NAME), seed=seed, keep_order=True).table
        roles = {name: choices.roles.get(name, Role.OTHER.value) for name in table.attributes}
        data = replace(
            before,
            engine=engine_for(table, before.source),
            schema=_schema(tuple(table.attributes), replace(choices, roles=roles)),
        )
    keys = data.schema.quasi_identifiers  # those that the further steps leave
    if not keys:
        raise ParameterError("The further steps leave no quasi-identifier.", hint="Leave out the last step.")
    edited = {name: tree for name, tree in edited.items() if name in keys}
    said = {name: kind for name, kind in choices.types.items() if name in keys and name not in edited}
    typed = {name: made_hierarchy(data, name, kind) for name, kind in said.items()}
    trees, own = hierarchies_of(data, {**edited, **typed})
    own = (*own, *typed)
    before = replace(before, hierarchies={**before.hierarchies, **trees})
    tables = {**policy_tables(data, _asked(data, choices.thresholds), trees), **kept}
    policy = Policy.of(tables, name="the policy of the page").knowing(data.schema.attributes)
    check_countable(data, policy)
    person = person_of(data)
    criteria = criteria_of(
        policy.thresholds,
        list(trees),
        data.schema.sensitive,
        person=person,
        weighted=data.weights is not None,
    )
    for name in data.schema.sensitive:
        criteria, _ = criteria.also_counting((name,))
    place = None
    if person is not None:
        criteria, place = criteria.also_counting(person)
    counted = counted_data(data, criteria.targets)
    groups = encoded(counted, trees, criteria.targets, policy.partitions)
    return Scene(before, data, counted, choices, trees, own, tables, policy, criteria, groups, place)


def _asked(data: Data, thresholds: Mapping[str, Any]) -> dict[str, Any]:
    """The thresholds that can be asked of data: nothing is learned where nothing is sensitive."""
    if data.schema.sensitive:
        return dict(thresholds)
    given = thresholds.get("learned", [])
    named = [one for one in (given if isinstance(given, list | tuple) else [given]) if "target" in one]
    others = {name: one for name, one in thresholds.items() if name != "learned"}
    return {**others, "learned": named} if named else others


def _schema(attributes: tuple[str, ...], choices: Choices) -> Schema:
    having = choices.having
    return Schema(attributes, having(Role.IDENTIFIER), having(Role.QUASI_IDENTIFIER), having(Role.SENSITIVE))
