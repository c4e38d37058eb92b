"""Work that takes its time, done beside the page, which goes on answering."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from divulge._support.stages import Stage
from divulge.anonymization.anonymizing import anonymize
from divulge.anonymization.inputs import refuse_named
from divulge.anonymization.release import passes, release_checks
from divulge.comparison import compare
from divulge.documents.comparison import ComparisonDocument
from divulge.errors import DivulgeError, ParameterError
from divulge.explore.choosing.choices import Choices
from divulge.explore.scene import Scene
from divulge.questions.data import Data
from divulge.source.origin import remember_rows

SECONDS = 60.0  # that a search may take


class _NoLongerWanted(Exception):
    """Ends work between two of its stages."""


class BackgroundWork:
    """A function in a thread of its own: how far it is, and what it found or why not.

    It begins when the work before it has ended, which is told to stop first.
    """

    def __init__(self, function: Callable[[Stage], Any], before: BackgroundWork | None = None) -> None:
        self.progress, self.part = "", 0.0
        self.found: Any = None
        self.refused: DivulgeError | None = None
        self._function, self._before = function, before
        self._stopped = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End the work: what it would find is no longer wanted."""
        self._stopped.set()

    def result(self) -> Any:
        """What was found, once it is; what was refused is raised here."""
        self._thread.join()
        if self.refused is not None:
            raise self.refused
        return self.found

    def _run(self) -> None:
        if self._before is not None:
            self._before._thread.join()
            self._before = None
        try:
            self("")
            self.found = self._function(self)
        except _NoLongerWanted:
            return
        except DivulgeError as error:
            self.refused = error
        except Exception as error:  # of anything that was not foreseen, only that it happened
            self.refused = ParameterError(f"This could not be found ({type(error).__name__}).")

    def __call__(self, doing: str) -> None:
        """A stage begins, unless the work was told to stop."""
        if self.stopped:
            raise _NoLongerWanted
        self.progress, self.part = doing, 0.0

    def step(self, done: int, of: int) -> None:
        """So many steps of the stage are done."""
        self.part = done / of if of else 0.0

    @property
    def so_far(self) -> dict[str, Any]:
        """How far it is: the stage, and the share of it that is done."""
        return {"progress": self.progress, "part": self.part}


class LatestWork:
    """Work by name; what is no longer wanted is stopped, and what was found is kept until then."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Any, BackgroundWork]] = {}

    def of(self, name: str, wanted: Any, function: Callable[[Stage], Any]) -> BackgroundWork:
        """The work that finds what is wanted, begun where it was not."""
        self.stop_other(name, wanted)
        held, before = self._held.get(name, (None, None))
        if before is None or held != wanted or before.stopped:
            self._held[name] = wanted, BackgroundWork(function, before)
        return self._held[name][1]

    def stop_other(self, name: str, wanted: Any) -> None:
        """End what would find something else than is wanted."""
        held, work = self._held.get(name, (None, None))
        if work is not None and held != wanted and not work.over:
            work.stop()


def best_levels(scene: Scene, choices: Choices, seed: int) -> Callable[[Stage], tuple[dict[str, int], str]]:
    """The search for the levels of least loss, and the sentence that says how they are known."""

    def find(stage: Stage) -> tuple[dict[str, int], str]:
        refuse_named(scene.data, scene.policy, where="under Roles")
        found = anonymize(
            scene.data,
            scene.tables,
            suppress=choices.suppress,
            loss=choices.loss,
            time=SECONDS,
            seed=seed,
            stage=stage,
        )
        levels = dict(found.best.levels)
        stage("Checking the release")
        return levels, _not_passed(scene, levels, seed) or found.sentence

    return find


def _not_passed(scene: Scene, levels: dict[str, int], seed: int) -> str:
    """That a release fails checks which no search can meet, such as of records with a gap, in words."""
    table = scene.release(levels, seed, keep_order=True).table
    failing = [one.to_dict()["title"] for one in release_checks(table, scene.policy) if not passes([one])]
    if not failing:
        return ""
    return f"Of least loss, but the release fails: {'; '.join(dict.fromkeys(failing))}."


def comparison(
    scene: Scene, choices: Choices, seed: int, whole: Data | None = None
) -> Callable[[Stage], ComparisonDocument]:
    """The comparison of the release of now with its original, record by record.

    ``whole`` is the table of the population, where one was chosen.
    """

    def find(stage: Stage) -> ComparisonDocument:
        released = scene.release(choices.levels, seed, keep_order=True).table
        if released.rows is not None:
            remember_rows(released, released.rows)
        return compare(
            scene.before,
            scene.policy.open(released),
            policy=scene.policy,
            population=whole,
            needs=choices.needs or None,
            stage=stage,
        ).to_dict()

    return find
