"""Thresholds on figures of the population, as a policy writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from divulge._support.rounding import above, below
from divulge.counting.counts import RECORD
from divulge.measures.population_figures import FIGURES, PopulationFigure
from divulge.policy.checks import Context, check_bounds, check_keys
from divulge.policy.place import PolicyPlace
from divulge.policy.thresholds import bound

SETTINGS = ("min", "max", "keys", "severity")


@dataclass(frozen=True)
class FigureThreshold:
    """A bound on a figure of the population; without ``keys`` by all quasi-identifiers together."""

    measure: PopulationFigure
    min: float | None
    max: float | None
    keys: tuple[str, ...] | None
    severity: Literal["fail", "warn"]
    place: str
    adjusted: bool = False
    target: tuple[str, ...] = (RECORD,)

    @property
    def bound(self) -> float:
        """The one bound that there is."""
        found = self.max if self.min is None else self.min
        assert found is not None
        return found

    def keeps(self, found: float) -> bool:
        """Whether a figure is within the bound; rounding is forgiven."""
        return not bool(above(found, self.bound) if self.min is None else below(found, self.bound))


def figure_thresholds_of(
    asked: Mapping[str, Any], place: PolicyPlace, context: Context
) -> list[tuple[FigureThreshold, PolicyPlace]]:
    """The thresholds on figures among all of a policy, and where each stands."""
    return [
        (_threshold(figure, table, here, context), here) for figure, table, here in _entries(asked, place)
    ]


def _entries(
    asked: Mapping[str, Any], place: PolicyPlace
) -> Iterator[tuple[PopulationFigure, dict[str, Any], PolicyPlace]]:
    for name, given in asked.items():
        if name in FIGURES:
            figure = FIGURES[name]
            side = "min" if figure.riskier == "lower" else "max"
            hint = f"Write {name} = {{ {side} = ... }}, or several such tables in a list."
            yield from ((figure, *one) for one in (place / name).tables(given, hint))


def _threshold(
    figure: PopulationFigure, table: Mapping[str, Any], place: PolicyPlace, context: Context
) -> FigureThreshold:
    place.check_keys(table, SETTINGS)
    found = FigureThreshold(
        figure,
        bound("min", table, place),
        bound("max", table, place),
        place.named(table, "keys", 'Write names of attributes, such as "age" or ["age", "sex"].'),
        place.severity(table),
        place.key or "",
    )
    check_bounds(found, place)
    check_keys(found, place, context)
    return found
