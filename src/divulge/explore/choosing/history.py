"""Choices one after the other, with the way back and forth, and those that were pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from divulge.errors import ParameterError
from divulge.explore.choosing.choices import Choices

MOST_STATES = 200
MOST_PINS = 12


@dataclass
class History:
    """The choices up to now; ``place`` is where the person is."""

    states: list[Choices]
    place: int = 0
    pins: dict[str, Choices] = field(default_factory=dict)

    @property
    def now(self) -> Choices:
        """The choices that count."""
        return self.states[self.place]

    def add(self, choices: Choices) -> None:
        """Go on with other choices; those that were undone are forgotten."""
        if choices == self.now:
            return
        self.states = [*self.states[: self.place + 1], choices][-MOST_STATES:]
        self.place = len(self.states) - 1

    def back(self) -> None:
        """Undo, where there is something to undo."""
        self.place = max(self.place - 1, 0)

    def forth(self) -> None:
        """Redo, where something was undone."""
        self.place = min(self.place + 1, len(self.states) - 1)

    def pin(self, name: str) -> None:
        """Keep the choices of now under a name."""
        name = name.strip() if isinstance(name, str) else ""
        if not name or len(name) > 60:
            raise ParameterError("A pinned release needs a name of up to 60 characters.")
        if name not in self.pins and len(self.pins) >= MOST_PINS:
            raise ParameterError(f"{MOST_PINS} releases are pinned already.", hint="Unpin one first.")
        self.pins[name] = self.now

    def unpin(self, name: str) -> None:
        """Forget what was pinned."""
        self.pins.pop(name, None)

    def take(self, name: str) -> None:
        """Go on with what was pinned."""
        if name not in self.pins:
            raise ParameterError(f"Nothing is pinned as '{name}'.")
        self.add(self.pins[name])

    def to_dict(self) -> dict[str, Any]:
        """The history as plain values."""
        return {
            "states": [one.to_dict() for one in self.states],
            "place": self.place,
            "pins": {name: one.to_dict() for name, one in self.pins.items()},
        }

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> History:
        """A history from plain values."""
        states = [Choices.of(one) for one in given.get("states") or ()]
        if not states:
            raise ParameterError("The session has no choices.", hint="Begin a new session from the data.")
        place = given.get("place", len(states) - 1)
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(states):
            raise ParameterError("The session is at no place of its history.")
        pins = {str(name): Choices.of(one) for name, one in (given.get("pins") or {}).items()}
        return cls(states[-MOST_STATES:], place, pins)
