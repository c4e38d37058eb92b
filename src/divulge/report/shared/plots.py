"""A report's chart as an object of its own: it shows itself in a notebook, and is Vega-Lite inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from divulge._support.threads import cached_property
from divulge.errors import ParameterError
from divulge.report.charts.draw import draw
from divulge.report.charts.theme import Spec
from divulge.report.shared.tables import Chart, Document

VEGA_LITE = "application/vnd.vegalite.v5+json"


@dataclass(frozen=True)
class Plot:
    """A chart: its Vega-Lite specification, its drawing, and how to read it."""

    name: str
    title: str
    reading: str
    spec: Spec

    def __repr__(self) -> str:
        return f"Plot({self.name}: {self.title})"

    def to_dict(self) -> Spec:
        """The Vega-Lite specification, with the numbers in it."""
        return self.spec

    @cached_property
    def svg(self) -> str:
        """The chart as SVG."""
        return draw(self.spec, f"{self.title}. {self.reading}")

    def to_altair(self) -> Any:
        """The chart as one of Altair's, to be changed and combined there."""
        try:
            import altair
        except ImportError:
            raise ParameterError(
                "A chart of Altair needs the package 'altair', which is not installed.",
                hint="Install it with: pip install altair",
            ) from None
        return altair.Chart.from_dict(self.spec)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {VEGA_LITE: self.spec, "image/svg+xml": self.svg, "text/plain": repr(self)}


def plotted(charts: Sequence[Chart], document: Document, name: str | None = None) -> Plot:
    """One of the charts of a document, the first unless named."""
    known = {chart.name: chart for chart in charts}
    chosen = charts[0].name if name is None else name
    if chosen not in known:
        raise ParameterError(f"There is no chart '{chosen}'.", hint=f"There are {', '.join(known)}.")
    chart = known[chosen]
    spec = chart.spec(document)
    if spec is None:
        raise ParameterError(f"There is nothing to draw in the chart '{chosen}'.")
    return Plot(chosen, chart.title, chart.reading, spec)
