"""A person's session with a table: what is asked of the page, and what it is told."""

from __future__ import annotations

import csv
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divulge import __version__
from divulge._support.toml_text import NotTOML, tables_of
from divulge.documents.making.exploration import ExploredAttributeEntry, FiguresEntry
from divulge.errors import DivulgeError, ParameterError
from divulge.explore import exports
from divulge.explore.attribute_entries import attribute_entries
from divulge.explore.background import BackgroundWork, best_levels
from divulge.explore.before_after import ReleaseFindings
from divulge.explore.choosing import hierarchy_edits
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.history import History
from divulge.explore.choosing.opening import first_choices, kept_tables, read_otherwise, reading_of
from divulge.explore.choosing.population_files import (
    population_files,
    with_sample_and_needs,
    without_lost_attributes,
)
from divulge.explore.figures import figures
from divulge.explore.risky_records import MASK, risky_records
from divulge.explore.scene import Scene, Scenes
from divulge.explore.sign_off import sign_off
from divulge.explore.transformation_map import TransformationMap
from divulge.policy import Policy
from divulge.questions.data import Data, read
from divulge.recipes.draft import step_text
from divulge.recipes.recipe import Recipe
from divulge.roles.proposal import propose, roles_to_use
from divulge.table.hierarchy import SEPARATORS, Hierarchy
from divulge.table.schema import Schema

PREVIEWED = 8


class Explorer:
    """One table, the choices of one person, and everything that the page may ask."""

    def __init__(
        self,
        data: Data,
        *,
        name: str,
        policy: Policy | None = None,
        reading: Mapping[str, Any] | None = None,
        kept: Mapping[str, Any] | None = None,
        history: History | None = None,
        seed: int | None = None,
        unlocked: Sequence[str] = (),
        needs: Mapping[str, Any] | None = None,
        population: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.reading = name, reading_of(data, reading or {})
        self.kept = kept_tables(policy) if kept is None else dict(kept)  # of a policy, as they are
        self.seed = secrets.randbits(63) if seed is None else seed
        proposed = () if data.schema.quasi_identifiers else roles_to_use(data)
        self.history = history or History(
            [with_sample_and_needs(first_choices(data, proposed, policy), population, needs)]
        )
        self.unlocked = list(unlocked)  # when records were unlocked
        self._hold(data)

    def _hold(self, data: Data) -> None:
        """Begin with data that were read, or read again."""
        suggested = propose(data.with_roles(Schema(data.schema.attributes)))
        self.reasons = {one.attribute: list(one.reasons) for one in suggested}
        self.scenes = Scenes(data, self.seed, self.kept, self.reading)
        self.files = population_files(self.name, self.history)
        self._map: TransformationMap | None = None
        self._search: tuple[Choices, BackgroundWork] | None = None
        self._pinned: dict[str, tuple[Choices, FiguresEntry]] = {}  # figures of pinned releases
        self._findings = ReleaseFindings(self.scenes, self.seed)

    def asked(self, name: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question by its name; where it is refused, all is as it was."""
        held = dict(vars(self))
        history = replace(self.history, states=list(self.history.states), pins=dict(self.history.pins))
        unlocked = list(self.unlocked)
        try:
            found: dict[str, Any] = getattr(self, name)(**said)
        except BaseException:
            vars(self).update(held)
            self.history, self.unlocked = history, unlocked
            raise
        return found

    # -- what is chosen -------------------------------------------------------------------------------

    @property
    def choices(self) -> Choices:
        """The choices that count now."""
        return self.history.now

    def change(self, patch: Mapping[str, Any]) -> dict[str, Any]:
        """Change choices; what cannot be is refused, and nothing is changed."""
        choices = self.choices.changed(patch)
        source = choices.population.get("source")
        if source is not None and source not in self.files:
            raise ParameterError(
                "The population is a file beside the table.", hint="Others are named by --population."
            )
        if choices.quasi_identifiers:
            self.scenes.scene(choices)  # refused here where it cannot be
        self.history.add(choices)
        return self.now()

    def undo(self) -> dict[str, Any]:
        """Go back."""
        self.history.back()
        return self.now()

    def redo(self) -> dict[str, Any]:
        """Go forth again."""
        self.history.forth()
        return self.now()

    def edit(self, attribute: str, action: str, level: int = 1, **said: Any) -> dict[str, Any]:
        """Change a hierarchy by hand."""
        scene = self._scene()
        if not isinstance(attribute, str) or attribute not in scene.trees:
            raise ParameterError(f"'{attribute}' has no hierarchy.", hint="Make it a quasi-identifier first.")
        tree = scene.trees[attribute]
        if action == "reset":
            return self.change({"hierarchies": {attribute: None}})
        if action == "file":
            rows = hierarchy_edits.rows_of(_read_hierarchy(str(said.get("text", "")), attribute))
        elif isinstance(action, str) and action in _EDITS:
            rows = _EDITS[action](tree, level, said)
        else:
            raise ParameterError(f"'{action}' is no change of a hierarchy.")
        return self.change({"hierarchies": {attribute: [list(row) for row in rows]}})

    def pin(self, name: str) -> dict[str, Any]:
        """Keep the release of now, to be compared with others."""
        self.history.pin(name)
        return self.now()

    def unpin(self, name: str) -> dict[str, Any]:
        """Forget a pinned release."""
        self.history.unpin(name)
        return self.now()

    def take(self, name: str) -> dict[str, Any]:
        """Go on with a pinned release."""
        self.history.take(name)
        return self.now()

    def best(self) -> dict[str, Any]:
        """Begin to look for the release of least loss that meets the thresholds."""
        if self._search is None or self._search[1].over:
            work = BackgroundWork(best_levels(self._scene(), self.choices, self.seed))
            self._search = self.choices, work
        return {"searching": True}

    def searched(self) -> dict[str, Any]:
        """How far the search is; once it is done, the best release is the one of now."""
        if self._search is None:
            return {"searching": False}
        asked, search = self._search
        if not search.over:
            return {"searching": True, **search.so_far}
        self._search = None
        levels, sentence = search.result()
        now = self.choices
        if replace(asked, levels=now.levels, known=now.known) != now:
            raise ParameterError("Something else was chosen while it searched.", hint="Search again.")
        return {**self.change({"levels": levels}), "searching": False, "certificate": sentence}

    def compared(self) -> dict[str, Any]:
        """The original and the release side by side, or how far that is."""
        self._scene()
        return self._findings.compared(self.choices)

    def population(self) -> dict[str, Any]:
        """Figures of the population, or how far these are."""
        self._scene()
        return self._findings.population(self.choices)

    def read_again(self, **said: Any) -> dict[str, Any]:
        """Read the table anew with other options; attributes that are still there keep their roles.

        What was pinned or can be undone was of the table as it was read before, and is forgotten.
        """
        self.reading = read_otherwise(self.reading, said)
        data, before = read(self.name, **self.reading), self.choices
        start = first_choices(data, roles_to_use(data), None)
        kept = {name: before.roles.get(name, role) for name, role in start.roles.items()}
        trees = {name: rows for name, rows in before.hierarchies.items() if name in kept}
        choices = replace(before, roles=kept, hierarchies=trees, levels={}, steps=())
        choices = without_lost_attributes(choices)
        self.history = History([replace(choices, known=choices.quasi_identifiers)])
        self._hold(data)
        return self.now()

    def step_text(self, text: str) -> dict[str, Any]:
        """Further steps, as a recipe writes them."""
        try:
            given = tables_of(str(text)).get("step", [])
        except NotTOML as error:
            raise ParameterError(f"The steps are no TOML: {error}.") from None
        if not isinstance(given, list) or not all(isinstance(step, dict) for step in given):
            raise ParameterError("Steps are tables.", hint="Begin each with [[step]].")
        if given:
            Recipe.of(given, name="the further steps").check(self.scenes.data.schema.attributes)
        return self.change({"steps": given})

    # -- what is told ---------------------------------------------------------------------------------

    def now(self) -> dict[str, Any]:
        """Everything that the page shows at once."""
        choices, history = self.choices, self.history
        self._findings.stop_outdated(choices)
        told: dict[str, Any] = {
            "version": __version__,
            "name": self.name,
            "records": self.scenes.data.records,
            "choices": choices.to_dict(),
            "undo": history.place > 0,
            "redo": history.place < len(history.states) - 1,
            "pins": self._pins(),
            "unlocked": bool(self.unlocked),
            "reading": self.reading,
            "files_beside": self.files,
            "steps": "\n\n".join(step_text(step) for step in choices.steps),
        }
        if not choices.quasi_identifiers:
            return {**told, "attributes": self._attributes(None), "figures": None, "files": {}}
        scene = self._scene()
        return {
            **told,
            "attributes": self._attributes(scene),
            "figures": self._figures(choices),
            "files": self._shown_files(scene),
        }

    def preview(self) -> dict[str, Any]:
        """The first records, with their values masked until records are unlocked."""
        data = self.scenes.data
        names = list(data.schema.attributes)
        rows = min(PREVIEWED, data.records)
        columns = []
        for name in names:
            values = data.column(name).values_of(data.column(name).codes[:rows])
            columns.append([("" if one is None else str(one)) if self.unlocked else MASK for one in values])
        return {"names": names, "rows": [list(row) for row in zip(*columns, strict=True)]}

    def records(self) -> dict[str, Any]:
        """The records at most risk."""
        return {"records": risky_records(self._scene(), self.choices, unlocked=bool(self.unlocked))}

    def unlock(self) -> dict[str, Any]:
        """Show values of records from now on; the session file says when that was."""
        self.unlocked.append(datetime.now(UTC).isoformat(timespec="seconds"))
        return self.now()

    def transformations(self) -> dict[str, Any]:
        """The points found so far, of the scene of now."""
        scene, suppress = self._scene(), self.choices.suppress
        if self._map is None or self._map.scene is not scene or self._map.suppress != suppress:
            if self._map is not None:
                self._map.stop()
            self._map = TransformationMap(scene, suppress)
        found = dict(self._map.entry())
        levels = scene.table.by_name(scene.levels(self.choices.levels))
        return {**found, "too_large": self._map.too_large, "here": levels}

    # -- what is kept ---------------------------------------------------------------------------------

    def archive(self) -> bytes:
        """Release, recipe, policy, script, manifest, report and the summary to be signed, as one archive."""
        scene, choices = self._scene(), self.choices
        compared = self._findings.document(choices)
        done = scene.release(choices.levels, self.seed)
        released = exports.csv_bytes(done.table)
        texts = exports.text_files(scene, choices, self.name, self.reading)
        summary = sign_off(
            scene,
            choices,
            self._figures(choices),
            done,
            released,
            compared,
            name=Path(self.name).name,
            unlocked=len(self.unlocked),
        )
        return exports.packed_files(exports.every_file(texts, done, released, compared, summary))

    # -- within ---------------------------------------------------------------------------------------

    def _scene(self) -> Scene:
        if not self.choices.quasi_identifiers:
            raise ParameterError(
                "No attribute is a quasi-identifier.", hint="Give the role to what somebody may know."
            )
        return self.scenes.scene(self.choices)

    def _shown_files(self, scene: Scene) -> dict[str, str]:
        files = exports.text_files(scene, self.choices, self.name, self.reading)
        return {name: text for name, text in files.items() if name in exports.SHOWN}

    def _pins(self) -> list[dict[str, Any]]:
        found = []
        for name, choices in self.history.pins.items():
            try:
                if self._pinned.get(name, (None,))[0] != choices:  # a slider does not wait for pins
                    self._pinned[name] = choices, self._figures(choices)
                told = self._pinned[name][1]
            except DivulgeError as error:
                found.append({"name": name, "sentence": str(error)})
                continue
            kept = ("smallest", "unique_share", "suppressed_share", "loss", "sentence")
            found.append({"name": name, **{key: told[key] for key in kept}})  # type: ignore[literal-required]
        return found

    def _figures(self, choices: Choices) -> FiguresEntry:
        original = self.scenes.scene(replace(choices, steps=(), population={}))
        return figures(self.scenes.scene(choices), choices, original, self.scenes.everyone(choices))

    def _attributes(self, scene: Scene | None) -> list[ExploredAttributeEntry]:
        roles, unlocked = self.choices.roles, bool(self.unlocked)
        known = {} if scene is None else scene.memo
        asked = ("attributes", tuple(roles.items()), unlocked)
        if asked not in known:
            known[asked] = attribute_entries(self.scenes.data, roles, self.reasons, scene, unlocked=unlocked)
        found: list[ExploredAttributeEntry] = known[asked]
        return found


def _read_hierarchy(text: str, attribute: str) -> Hierarchy:
    """A hierarchy from the text of a file, as ARX writes them: value;level 1;level 2."""
    lines = [line for line in text.splitlines() if line.strip()]
    separator = max(SEPARATORS, key=lambda one: sum(line.count(one) for line in lines))
    return Hierarchy.of(csv.reader(lines, delimiter=separator), attribute=attribute)


_EDITS = {
    "cut": lambda tree, level, said: hierarchy_edits.with_cuts(tree, level, said.get("cuts", [])),
    "merge": lambda tree, level, said: hierarchy_edits.merged(
        tree, level, said.get("groups", []), str(said.get("name", ""))
    ),
    "add": lambda tree, level, said: hierarchy_edits.with_level(tree, level),
    "remove": lambda tree, level, said: hierarchy_edits.without_level(tree, level),
}
