"""A holder with a small made-up table, and the service on it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import divulge as dv
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.loading import Dataset
from divulge.service.operations.locations import ServiceLocations

AGES, PLACES = ("20s", "30s", "40s", "50s"), ("north", "south", "west")
NAME = "people"
LIKELY = {"north": (6, 4, 2, 1), "south": (4, 4, 3, 2), "west": (1, 2, 4, 6)}  # ages differ by place
Columns = Mapping[str, Sequence[Any]]


def people(records: int, seed: int = 0) -> dict[str, list[str]]:
    """Made-up people: an id, an age, a place, and a word that is everyone's own."""
    drawn = random.Random(seed)
    places = drawn.choices(PLACES, weights=(3, 2, 1), k=records)
    return {
        "id": [f"p{number}" for number in range(records)],
        "age": [drawn.choices(AGES, weights=LIKELY[place])[0] for place in places],
        "place": places,
        "word": [f"word-{drawn.getrandbits(64):016x}" for _ in range(records)],
    }


def dataset(columns: Columns, tests: str = "mis", alpha: float = 0.2, **options: Any) -> Dataset:
    """People whose ages might give their places away."""
    rules = Rules.of(tests, alpha, samples=200, **options)
    return Dataset(NAME, dv.read(dict(columns)), "id", ("age",), ("place",), {}, rules)


@dataclass(frozen=True)
class Scene:
    """A service that has been set up: where it is, and whose records it keeps."""

    place: ServiceLocations
    columns: Columns

    @classmethod
    def make(
        cls, url: str, folder: Path, given: Dataset | None = None, records: int = 60, **loading: Any
    ) -> Scene:
        """Set a service up, with its keys and checkpoints in a folder."""
        columns = people(records)
        scene = cls(ServiceLocations.of(url, folder / "keys", folder / "checkpoints"), columns)
        decider = scene.place.create()
        put_in(decider, given or dataset(columns), **loading)
        decider.database.close()
        return scene

    @property
    def ids(self) -> list[str]:
        return list(self.columns["id"])


def put_in(decider: DecisionService, given: Dataset, *, following: bool = False) -> None:
    """Load a dataset."""
    decider.load(given, "holder", following=following)
