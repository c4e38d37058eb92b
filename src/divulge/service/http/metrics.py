"""How the service does, as numbers that a monitor collects: counts and exposures, nothing of any record."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from divulge._support.small_counts import SMALL
from divulge.errors import DivulgeError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.http.readiness import OK
from divulge.service.ledger.log_writer import SERVICE

TYPE = "text/plain; version=0.0.4; charset=utf-8"
PAGE = 1000  # decisions that are read at once
Line = tuple[Mapping[str, str], float]
GAUGES = {
    "records": "Records in the holder's table.",
    "outside": "Records released.",
    "waiting": "Requests waiting.",
    "entries": "Entries of the log.",
    "stuck_targets": "Targets of which no record could be released now, whatever its value.",
}


class Counters:
    """Answers since the process began, by route and status; refusals by their reason."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._refusals: Counter[str] = Counter()

    def add(self, method: str, path: str, status: int) -> None:
        self._answers[method, path, status] += 1

    def refused(self, reason: str) -> None:
        self._refusals[reason] += 1

    def refusals(self) -> list[Line]:
        return [({"reason": reason}, number) for reason, number in sorted(self._refusals.items())]

    def lines(self) -> list[Line]:
        return [
            ({"method": method, "route": path, "status": str(status)}, number)
            for (method, path, status), number in sorted(self._answers.items())
        ]


class DecisionCounts:
    """Decisions that were logged since the process began, by verdict and reason."""

    def __init__(self, decider: DecisionService) -> None:
        self._decider = decider
        self._turn = threading.Lock()
        heads = decider.database.read(lambda connection: connection.rows("SELECT chain, idx FROM head"))
        self._read: dict[str, int] = dict(heads)
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def lines(self) -> list[Line]:
        """In steps of five, so that no number says how few people were refused for a reason."""
        with self._turn:
            for dataset in self._decider.logs():
                self._read_on(dataset)
            return [
                ({"dataset": dataset, "verdict": verdict, "reason": reason}, number // SMALL * SMALL)
                for (dataset, verdict, reason), number in sorted(self._counts.items())
            ]

    def _read_on(self, dataset: str) -> None:
        """What was added to a log; nothing of one that may not be the newest."""
        with suppress(DivulgeError):
            while found := self._decider.decisions(dataset, self._read.get(dataset, 0), PAGE):
                decided = (one for one in found if one["kind"] in ("decision", "query"))
                self._counts.update((dataset, one["verdict"], one["reason"]) for one in decided)
                self._read[dataset] = found[-1]["index"]


def text(
    decider: DecisionService, counters: Counters, decisions: DecisionCounts, parts: Mapping[str, str]
) -> str:
    """Everything there is to collect, in the text format of Prometheus; ``parts`` are those of readiness."""
    of_each = {name: _standing(decider, name) for name in decider.datasets()}
    standing = [one for one in of_each.values() if one is not None]
    found = [*_metric("requests_total", "counter", "Requests answered.", counters.lines())]
    found += _metric("refusals_total", "counter", "Requests and connections refused.", counters.refusals())
    found += _metric("decisions_total", "counter", "Decisions, in steps of five.", decisions.lines())
    for name, help_text in GAUGES.items():
        found += _metric(name, "gauge", help_text, [(_of(one), one[name]) for one in standing])
    locked = [
        ({"dataset": name}, float(one is None or one["read_only"] is not None))
        for name, one in of_each.items()
    ]
    found += _metric("read_only", "gauge", "1 while nothing may be decided.", locked)
    used = [line for one in standing for line in _used(one)]
    found += _metric("exposure_ratio", "gauge", "Largest exposure of a test, in parts of its limit.", used)
    waits = [(_of(one), age) for one in standing for age in _queue_age(decider, one["dataset"])]
    found += _metric("queue_age_seconds", "gauge", "Age of the oldest waiting request.", waits)
    signed = [line for chain in (*decider.logs(), SERVICE) for line in _signed(decider, chain)]
    found += _metric("checkpoint_age_seconds", "gauge", "Age of a log's last checkpoint.", signed)
    ready = [({"part": part}, float(state == OK)) for part, state in parts.items()]
    found += _metric("ready", "gauge", "1 for every part that is ready to decide.", ready)
    return "\n".join(found) + "\n"


def _standing(decider: DecisionService, dataset: str) -> dict[str, Any] | None:
    """How a dataset stands; None where that cannot be told, of which the others say nothing."""
    try:
        return decider.status(dataset)
    except DivulgeError:
        return None


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


def _queue_age(decider: DecisionService, dataset: str) -> Iterator[float]:
    """How long the oldest request has waited; nothing where none waits."""
    with suppress(DivulgeError):  # it is read-only, which is said
        for oldest in decider.queue(dataset, 1):
            yield _age(decider, oldest["at"])


def _signed(decider: DecisionService, chain: str) -> Iterator[Line]:
    with suppress(DivulgeError):  # it cannot be read, which readiness says
        newest = decider.expected(chain).signed
        if newest is not None:
            yield {"log": chain}, _age(decider, newest.at)


def _age(decider: DecisionService, at: str) -> float:
    passed = datetime.fromisoformat(decider.clock()) - datetime.fromisoformat(at)
    return max(passed.total_seconds(), 0.0)  # a clock may be set back
