"""Work that takes its time, done beside the page, which goes on answering."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

from divulge._support.stages import Stage
from divulge.anonymization.anonymizing import anonymize
from divulge.comparison import compare
from divulge.documents.comparison import ComparisonDocument
from divulge.errors import DivulgeError
from divulge.explore.choosing.choices import Choices
from divulge.explore.scene import Scene

SECONDS = 60.0  # that a search may take


class BackgroundWork:
    """A function in a thread of its own: how far it is, and what it found or why not."""

    def __init__(self, function: Callable[[Stage], Any]) -> None:
        self.progress, self.part = "", 0.0
        self.found: Any = None
        self.refused: DivulgeError | None = None
        self._function = function
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def result(self) -> Any:
        """What was found; what was refused is raised here."""
        if self.refused is not None:
            raise self.refused
        return self.found

    def _run(self) -> None:
        try:
            self.found = self._function(self)
        except DivulgeError as error:
            self.refused = error

    def __call__(self, doing: str) -> None:
        """A stage began."""
        self.progress, self.part = doing, 0.0

    def step(self, done: int, of: int) -> None:
        """So many steps of the stage are done."""
        self.part = done / of if of else 0.0

    @property
    def so_far(self) -> dict[str, Any]:
        """How far it is: the stage, and the share of it that is done."""
        return {"progress": self.progress, "part": self.part}


def best_levels(scene: Scene, choices: Choices, seed: int) -> Callable[[Stage], tuple[dict[str, int], str]]:
    """The search for the levels of least loss, and the sentence that says how they are known."""

    def find(stage: Stage) -> tuple[dict[str, int], str]:
        found = anonymize(
            scene.data,
            scene.tables,
            suppress=choices.suppress,
            loss=choices.loss,
            time=SECONDS,
            seed=seed,
            stage=stage,
        )
        return dict(found.best.levels), found.sentence

    return find


def comparison(scene: Scene, choices: Choices, seed: int) -> Callable[[Stage], ComparisonDocument]:
    """The comparison of the release of now with its original, record by record."""

    def find(stage: Stage) -> ComparisonDocument:
        released = scene.release(choices.levels, seed, keep_order=True).table
        return compare(scene.before, scene.policy.open(released), stage=stage).to_dict()

    return find
