"""A person's session with a table: what is asked of the page, and what it is told."""

from __future__ import annotations

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
from divulge.explore.attribute_entries import attribute_entries
from divulge.explore.background import BackgroundWork, best_levels
from divulge.explore.before_after import ReleaseFindings
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.hierarchy_edits import edited
from divulge.explore.choosing.hierarchy_files import rows_from_files, written_file
from divulge.explore.choosing.history import History
from divulge.explore.choosing.opening import first_choices, kept_tables, reading_of
from divulge.explore.choosing.population_files import (
    population_files,
    with_sample_and_needs,
    without_lost_attributes,
)
from divulge.explore.choosing.reading_options import opening_entry, read_otherwise
from divulge.explore.choosing.step_forms import mechanism_entries, rearranged, step_entries, step_of
from divulge.explore.exporting import exports
from divulge.explore.exporting.sign_off import sign_off
from divulge.explore.figures import figures
from divulge.explore.risky_records import risky_records
from divulge.explore.scene import Scene, Scenes
from divulge.explore.transformation_map import TransformationMap
from divulge.policy import Policy
from divulge.questions.data import Data, read
from divulge.recipes.draft import step_text
from divulge.recipes.recipe import Recipe
from divulge.roles.proposal import propose, roles_to_use
from divulge.source.base import value_labels
from divulge.table.schema import Schema


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
        folder: str = ".",
    ) -> None:
        self.name, self.reading = name, reading_of(data, reading or {})
        self.folder = folder  # that relative paths in the session's file start from
        self.kept = kept_tables(policy) if kept is None else dict(kept)  # of a policy, as they are
        self.seed = secrets.randbits(63) if seed is None else seed
        proposed = () if data.schema.quasi_identifiers else roles_to_use(data)
        self.history = history or History(
            [with_sample_and_needs(first_choices(data, proposed, policy), population, needs)]
        )
        self.unlocked = list(unlocked)  # when records were unlocked, also before the session was saved
        self._unlocked_before = len(self.unlocked)
        self._hold(data)

    def _hold(self, data: Data) -> None:
        """Begin with data that were read, or read again."""
        suggested = propose(data.with_roles(Schema(data.schema.attributes)))
        self.reasons = {one.attribute: list(one.reasons) for one in suggested}
        self.scenes = Scenes(data, self.seed, self.kept, self.reading)
        self.files = population_files(self.name, self.history)
        self._map: TransformationMap | None = None
        self._search: tuple[Choices, BackgroundWork] | None = None
        self._certificate: tuple[Choices, str] | None = None
        self._labels = value_labels(data.source)
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

    def go(self, place: int) -> dict[str, Any]:
        """Go to a place of the history."""
        self.history.go(place)
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
            rows = rows_from_files(tree, said.get("files"), said.get("leader", ""))
        else:
            rows = edited(tree, action, level, said)
        return self.change({"hierarchies": {attribute: [list(row) for row in rows]}})

    def hierarchy_file(self, attribute: str, form: str) -> dict[str, Any]:
        """A hierarchy as a file; it names every value, so that values must be shown first."""
        scene = self._scene()
        if attribute not in scene.trees:
            raise ParameterError(f"'{attribute}' has no hierarchy.", hint="Make it a quasi-identifier first.")
        if not self.shows_values:
            raise ParameterError("The file names every value.", hint="Show values first.")
        return written_file(scene.trees[attribute], form, self.choices.levels.get(attribute, 0))

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
        self._certificate = now.changed({"levels": levels}), sentence
        return {**self.change({"levels": levels}), "searching": False}

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
        types = {name: kind for name, kind in before.types.items() if name in kept}
        choices = replace(before, roles=kept, hierarchies=trees, types=types, levels={}, steps=())
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
        return self._with_steps(given)

    def step(
        self, action: str, place: int = 0, mechanism: str = "", attributes: Any = (), said: Any = None
    ) -> dict[str, Any]:
        """Add a further step, set it anew, remove or move it."""
        made = step_of(mechanism, attributes, said or {}) if action in ("add", "set") else None
        return self._with_steps(rearranged(self.choices.steps, action, place, made))

    def _with_steps(self, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if steps:
            Recipe.of(list(steps), name="the further steps").check(self.scenes.data.schema.attributes)
        return self.change({"steps": list(steps)})

    def mechanisms(self) -> dict[str, Any]:
        """What can be a further step, and what may be said of each."""
        return {"mechanisms": mechanism_entries()}

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
            "history": history.words,
            "place": history.place,
            "pins": self._pins(),
            "unlocked": self.shows_values,
            "reading": self.reading,
            "files_beside": self.files,
            "steps": "\n\n".join(step_text(step) for step in choices.steps),
            "further": step_entries(choices.steps),
            "certificate": self._known_certificate(),
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
        """The first records, and how they are read."""
        data, types, unlocked = self.scenes.data, self.choices.types, self.shows_values
        return {**opening_entry(data, self.name, self.reading, types, self._labels, unlocked=unlocked)}

    def records(self) -> dict[str, Any]:
        """The records at most risk."""
        return {"records": risky_records(self._scene(), self.choices, unlocked=self.shows_values)}

    @property
    def shows_values(self) -> bool:
        """Whether values of records are shown; a session that is opened again begins with masked ones."""
        return len(self.unlocked) > self._unlocked_before

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
        here = scene.levels(self.choices.levels)
        found = {**self._map.entry(here), "too_large": self._map.too_large}
        return {**found, "here": scene.table.by_name(here)}

    # -- what is kept ---------------------------------------------------------------------------------

    def archive(self) -> bytes:
        """Release, recipe, policy, script, manifest, report and the summary to be signed, as one archive."""
        scene, choices = self._scene(), self.choices
        compared = self._findings.document(choices)
        done = scene.release(choices.levels, self.seed)
        released = exports.csv_bytes(done.table)
        texts = exports.text_files(scene, choices, self.name, self.reading, self.seed)
        summary = sign_off(
            scene,
            choices,
            self._figures(choices),
            done,
            released,
            compared,
            every=self._by_all_keys(choices),
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

    def _known_certificate(self) -> str:
        """How it is known that the release of now is the best, where it was searched for."""
        if self._certificate is None:
            return ""
        found, sentence = self._certificate
        return sentence if replace(found, known=self.choices.known) == self.choices else ""

    def _shown_files(self, scene: Scene) -> dict[str, str]:
        files = exports.text_files(scene, self.choices, self.name, self.reading, self.seed)
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

    def _by_all_keys(self, choices: Choices) -> FiguresEntry | None:
        """The figures of who knows all quasi-identifiers; None where that is assumed anyway."""
        every = replace(choices, known=choices.quasi_identifiers)
        return None if set(every.known) == set(choices.known_keys) else self._figures(every)

    def _attributes(self, scene: Scene | None) -> list[ExploredAttributeEntry]:
        roles, unlocked = self.choices.roles, self.shows_values
        known = {} if scene is None else scene.memo
        asked = ("attributes", tuple(roles.items()), unlocked)
        if asked not in known:
            known[asked] = attribute_entries(self.scenes.data, roles, self.reasons, scene, unlocked=unlocked)
        found: list[ExploredAttributeEntry] = known[asked]
        return found
