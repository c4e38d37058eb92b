"""Choices one after the other, with the way back and forth, and those that were pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

from divulge._support.wording import percent
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
    _known: dict[tuple[int, int], tuple[str, Choices, Choices]] = field(
        default_factory=dict, repr=False, compare=False
    )

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

    def go(self, place: object) -> None:
        """Go to a state of the history."""
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(self.states):
            raise ParameterError("There is no such place in the history.")
        self.place = place

    @property
    def words(self) -> list[str]:
        """What was changed, state by state; the first is as the session began."""
        return ["as it began", *(self._said(before, after) for before, after in pairwise(self.states))]

    def _said(self, before: Choices, after: Choices) -> str:
        """What differs, found once: hierarchies of many values take their time to compare."""
        key = id(before), id(after)
        if key not in self._known:
            self._known[key] = said_change(before, after), before, after  # which keeps their identity
        return self._known[key][0]

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


def said_change(before: Choices, after: Choices) -> str:
    """What differs between two choices, in a few words.

    >>> chosen = Choices({"age": "quasi-identifier"}, ("age",))
    >>> said_change(chosen, chosen.changed({"levels": {"age": 2}, "suppress": 0.1}))
    'level of age: 2; up to 10% suppressed'
    """
    words = []
    for one in fields(Choices):
        old, new = getattr(before, one.name), getattr(after, one.name)
        if old == new:
            continue
        if one.name in _BY_ATTRIBUTE:
            changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
            words += [_said_of(one.name, name, new.get(name)) for name in changed]
        elif one.name == "suppress":
            words.append(f"up to {percent(new)} suppressed")
        elif one.name == "known":
            words.append(f"the attacker knows {', '.join(new) or 'nothing'}")
        elif one.name == "steps":
            words.append(f"further steps: {', '.join(str(step.get('mechanism')) for step in new) or 'none'}")
        else:
            words.append(f"another {_CALLED.get(one.name, one.name)}")
    return "; ".join(words)


def _said_of(choice: str, attribute: str, value: object) -> str:
    if choice == "hierarchies":
        return f"hierarchy of {attribute} {'as it was made' if value is None else 'edited'}"
    return f"{_BY_ATTRIBUTE[choice]} of {attribute}: {'as detected' if value is None else value}"


_BY_ATTRIBUTE = {"roles": "role", "levels": "level", "types": "type", "hierarchies": "hierarchy"}
_CALLED = {"thresholds": "threshold", "needs": "need"}
