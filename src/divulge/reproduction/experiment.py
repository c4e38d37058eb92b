"""An experiment of a paper: what it shows, what was printed, and what divulge gives."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

Cell = str | float | int | None
_MENTIONED = re.compile(r"(example|figure|table)s? ([\d.]*\d(?:(?: to | and |, )[\d.]*\d)*)")
Point = tuple[float, float]


@dataclass(frozen=True)
class Conditions:
    """How an experiment is run."""

    full: bool = True  # as large as in the paper; otherwise small, with the same claims where they still hold
    seed: int = 0
    data: Path | None = None  # a folder with data that cannot be shipped


@dataclass(frozen=True)
class PublishedNumber:
    """A number that a paper prints, and ours beside it."""

    what: str
    printed: float | None  # None: the paper draws it and prints no number
    ours: float | None  # None: it has no value, and `why` says so
    digit: float = 0.01  # the unit of the last printed digit
    why: str = ""  # the reason where the two differ, or what the number needs
    tolerance: float | None = None  # how far ours may be from it, where that is not a matter of digits
    standard_error: float | None = None  # of ours, where it is an average of draws

    @property
    def agrees(self) -> bool | None:
        """Whether ours is the printed number, rounded or cut off; None where none is printed.

        >>> [PublishedNumber("", 0.78, ours).agrees for ours in (0.7889, 0.7751, 0.7741, None)]
        [True, True, False, False]
        """
        if self.printed is None:
            return None
        if self.ours is None:
            return False
        if self.tolerance is not None:
            return abs(self.ours - self.printed) <= self.tolerance
        beyond = abs(self.ours) - abs(self.printed)
        return -self.digit / 2 - 1e-9 <= beyond < self.digit + 1e-9 and self.ours * self.printed >= 0


@dataclass(frozen=True)
class Claim:
    """A statement of a paper that numbers can contradict."""

    says: str
    holds: bool
    why: str = ""


def rises(values: Sequence[float]) -> bool:
    """Whether no value is below the one before it, beyond rounding."""
    return all(a <= b + 1e-9 for a, b in pairwise(values))


@dataclass(frozen=True)
class Curve:
    """A line of a chart."""

    name: str
    points: Sequence[Point]
    published: bool = False  # as the paper prints it


@dataclass(frozen=True)
class Figure:
    """A chart: curves over one axis."""

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    logarithmic: str = ""  # the axes that are: "x", "y", "xy"
    categories: Sequence[str] = ()  # names of the places 0, 1, ... on x, where it is no number


@dataclass(frozen=True)
class Tabulation:
    """A table of an experiment."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Findings:
    """What an experiment gives."""

    numbers: Sequence[PublishedNumber] = ()
    claims: Sequence[Claim] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Tabulation] = ()
    notes: Sequence[str] = ()


Run = Callable[[Conditions], Findings]


@dataclass(frozen=True)
class Experiment:
    """One figure, table or example of a paper."""

    paper: str
    item: str
    title: str
    where: str  # in the paper
    run: Run = field(repr=False)
    caveat: str = ""  # what is not as in the paper
    needs: str = ""  # files of the folder that --data names; without it, what stands in is said
    takes: str = ""  # how long, where that is more than some seconds

    @property
    def shown(self) -> set[str]:
        """The figures, tables and examples of the paper that it is about, as items are written.

        >>> where = "Examples 4.1 to 4.3, figures 2 and 3"
        >>> sorted(Experiment("", "", "", where, lambda _: Findings()).shown)
        ['example-4.1', 'example-4.2', 'example-4.3', 'figure-2', 'figure-3']
        """
        found: set[str] = set()
        for kind, text in _MENTIONED.findall(self.where.lower()):
            numbers = re.findall(r"[\d.]*\d", text)
            if " to " in text and len(numbers) == 2:
                chapter, _, first = numbers[0].rpartition(".")
                last = numbers[1].rpartition(".")[2]
                dot = "." if chapter else ""
                numbers = [f"{chapter}{dot}{number}" for number in range(int(first), int(last) + 1)]
            found |= {f"{kind}-{number}" for number in numbers}
        return found

    @property
    def shows(self) -> str:
        """What the experiment shows, in one sentence."""
        return (inspect.getdoc(self.run) or "").split("\n\n")[0].replace("\n", " ")


class Paper:
    """The experiments of a paper by kind and number; `add` is the decorator that puts one there."""

    def __init__(self, name: str, title: str, *references: str) -> None:
        self.name, self.title, self.references = name, title, references
        self._experiments: dict[str, Experiment] = {}

    def add(
        self, item: str, title: str, where: str, *, caveat: str = "", needs: str = "", takes: str = ""
    ) -> Callable[[Run], Run]:
        """Enter a function as the experiment of an item."""

        def entered(run: Run) -> Run:
            if item in self._experiments:
                raise ValueError(f"'{item}' of '{self.name}' is entered twice.")
            self._experiments[item] = Experiment(self.name, item, title, where, run, caveat, needs, takes)
            return run

        return entered

    def __iter__(self) -> Iterator[Experiment]:
        return iter(sorted(self._experiments.values(), key=lambda one: _in_order(one.item)))

    def __getitem__(self, item: str) -> Experiment:
        return self._experiments[item]

    def __contains__(self, item: str) -> bool:
        return item in self._experiments


def _in_order(item: str) -> list[tuple[int, str]]:
    """What sorts items as people do.

    >>> sorted(["figure-10", "example-1", "figure-9"], key=_in_order)
    ['example-1', 'figure-9', 'figure-10']
    """
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"[-.]", item)]
