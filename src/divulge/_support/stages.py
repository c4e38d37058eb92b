"""What a long computation is doing and how far it is, for everyone who follows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

#: Told the name of each stage; its method ``step``, if it has one, how many steps are done and of how many.
Stage = Callable[[str], None]


def silent(doing: str) -> None:
    """A stage that nobody follows."""


class Steps:
    """The steps of a stage whose number is known: it is told of each when that is done.

    >>> class Followed:
    ...     def __call__(self, doing): print(doing)
    ...     def step(self, done, of): print(done, "of", of)
    >>> steps = Steps(Followed(), 2)
    0 of 2
    >>> for key in steps.each(["age", "zip"]):
    ...     print(key)
    age
    1 of 2
    zip
    2 of 2
    """

    def __init__(self, stage: Stage, of: int) -> None:
        self._tell = told(stage)
        self._done, self._of = 0, of
        self._tell(0, of)

    def done(self) -> None:
        """One more step is done."""
        self._done += 1
        self._tell(self._done, self._of)

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, what is done with each being a step."""
        for item in items:
            yield item
            self.done()


def told(stage: Stage) -> Callable[[int, int], None]:
    """What takes how many steps are done, of how many; a plain function as stage is told names only."""
    step: Callable[[int, int], None] = getattr(stage, "step", _nobody)
    return step


def _nobody(done: int, of: int) -> None:
    pass
