"""What a sample says of readings in its population, as lines for the terminal, drawn to scale."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from divulge._support.wording import WIDTH, aligned, enumerated, number
from divulge.readings.population_interval import PopulationInterval
from divulge.readings.printable_reading import said_interval
from divulge.readings.reading import Reading
from divulge.readings.readings import Readings

STEPS = 16  # of a drawing from 0 to 1
DRAWN = "Drawn from 0 to 1: |-o-| an interval with its estimate, [---] a bracket, ---] at most."


def in_population(readings: Readings) -> list[str]:
    """A line for each reading that something can be said of; then how, and why nothing of the others."""
    said = [(reading, said_interval(reading)) for reading in readings]
    rows = [[one.name, found.kind, _drawn(one, found), _ends(found)] for one, found in said if _told(found)]
    notes = [DRAWN] if any(row[2] for row in rows) else []
    notes += [
        f"Method for {enumerated(names)}: {method}."
        for method, names in grouped((found.method, one.name) for one, found in said)
    ]
    notes += [
        f"No estimate for {enumerated(names)}: {reason}."
        for reason, names in grouped((found.reason, one.name) for one, found in said if _told(found))
    ]
    notes += [
        f"No interval for {enumerated(names, most=5)}: {reason}."
        for reason, names in grouped((found.reason, one.name) for one, found in said if not _told(found))
    ]
    return [
        f"In the population, with {100 * said[0][1].level:g} % confidence",
        *(aligned(["measure", "", "0 to 1", "in the population"], rows) if rows else ()),
        *(line for note in notes for line in textwrap.wrap(note, WIDTH, subsequent_indent="  ")),
    ]


def _told(said: PopulationInterval) -> bool:
    return said.low is not None and said.high is not None


def _ends(said: PopulationInterval) -> str:
    low, high = number(said.low or 0.0), number(said.high or 0.0)
    return high if said.kind == "at most" else f"{low} to {high}"


def grouped(pairs: Iterable[tuple[str | None, str]]) -> list[tuple[str, list[str]]]:
    """Names by the reason they share, each once, reasons in the order in which they first come."""
    groups: dict[str, list[str]] = {}
    for reason, name in dict.fromkeys(pairs):
        if reason is not None:
            groups.setdefault(reason, []).append(name)
    return list(groups.items())


def _drawn(reading: Reading, said: PopulationInterval) -> str:
    """A reading from 0 to 1 on a line; nothing where its ends say nothing."""
    if said.low is None or said.high is None or reading.measure.bounds != (0, 1):
        return ""
    return drawn(said.low, said.high, said.estimate, open_below=said.kind == "at most")


def drawn(low: float, high: float, estimate: float | None, *, open_below: bool = False) -> str:
    """A whisker on a line from 0 to 1.

    >>> drawn(0.2, 0.5, 0.35), drawn(0.0, 0.5, None)
    ('...|--o-|........', '[-------]........')
    """
    first, last = round(low * STEPS), round(high * STEPS)
    ends = "||" if estimate is not None else "[]"
    line = ["."] * (STEPS + 1)
    line[first : last + 1] = "-" * (last + 1 - first)
    line[first] = "-" if open_below else ends[0]
    line[last] = ends[1]
    if estimate is not None:
        line[round(estimate * STEPS)] = "o"
    return "".join(line)
