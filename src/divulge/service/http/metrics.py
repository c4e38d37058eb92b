"""How the service does, as numbers that a monitor collects: counts and exposures, nothing of any record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge.service.decisions.decisions import DecisionService

TYPE = "text/plain; version=0.0.4; charset=utf-8"
Line = tuple[Mapping[str, str], float]
GAUGES = {
    "records": "Records in the holder's table.",
    "outside": "Records released.",
    "waiting": "Requests waiting.",
    "entries": "Entries of the log.",
}


class Counters:
    """Answers since the process began, by route and status."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str, int]] = Counter()

    def add(self, method: str, path: str, status: int) -> None:
        self._answers[method, path, status] += 1

    def lines(self) -> list[Line]:
        return [
            ({"method": method, "route": path, "status": str(status)}, number)
            for (method, path, status), number in sorted(self._answers.items())
        ]


def text(decider: DecisionService, counters: Counters) -> str:
    """Everything there is to collect, in the text format of Prometheus."""
    standing = [decider.status(name) for name in decider.datasets()]
    found = [*_metric("requests_total", "counter", "Requests answered.", counters.lines())]
    for name, help_text in GAUGES.items():
        found += _metric(name, "gauge", help_text, [(_of(one), one[name]) for one in standing])
    locked = [(_of(one), float(one["read_only"] is not None)) for one in standing]
    found += _metric("read_only", "gauge", "1 while nothing may be decided.", locked)
    used = [line for one in standing for line in _used(one)]
    found += _metric("exposure_ratio", "gauge", "Largest exposure of a test, in parts of its limit.", used)
    return "\n".join(found) + "\n"


def _metric(name: str, kind: str, help_text: str, lines: Sequence[Line]) -> Iterator[str]:
    yield f"# HELP divulge_{name} {help_text}"
    yield f"# TYPE divulge_{name} {kind}"
    for labels, value in lines:
        told = ",".join(f'{label}="{text}"' for label, text in labels.items())
        yield f"divulge_{name}{{{told}}} {value:.10g}"


def _of(standing: Mapping[str, Any]) -> dict[str, str]:
    return {"dataset": standing["dataset"]}


def _used(standing: Mapping[str, Any]) -> Iterator[Line]:
    """How much of its limit each test has used up, for the target nearest to it, which is not named."""
    for test, value, critical in standing["worst"]:
        if value is not None and critical:
            yield {**_of(standing), "test": test}, value / critical
