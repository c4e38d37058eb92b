"""The watch command: readings while records arrive, on a terminal in place, or a JSON document a line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from divulge._support.small_counts import hidden
from divulge._support.wording import WIDTH, aligned, plain_zeros
from divulge._support.wording import in_words as said
from divulge.cli.exit_codes import FAILED, NOT_EVALUATED
from divulge.cli.outputs import refuse_outputs
from divulge.cli.requests.watching import WatchRequest
from divulge.errors import ParameterError
from divulge.policy import Policy
from divulge.report.shared.lines import SIGN, wrapped
from divulge.source.base import check_table
from divulge.source.files import STANDARD_INPUT
from divulge.source.options import SourceOptions
from divulge.streams.arrivals import Arrivals, GrowingFile, StandardInput
from divulge.streams.snapshots import read_snapshot, resume, write_snapshot
from divulge.streams.stream_assessment import StreamAssessment
from divulge.streams.watching import StreamReading, Watch, in_words
from divulge.streams.window import Window, seconds

BETWEEN_SNAPSHOTS = 60.0  # seconds


def run_watch(asked: WatchRequest) -> None:
    policy, window = Policy.read(asked.policy), Window.of(asked.window)
    every = seconds(asked.every, "--every")
    refuse_outputs(asked.snapshot, inputs=(asked.policy, asked.file))
    snapshot = None if asked.snapshot is None else Path(asked.snapshot)
    said = {"policy": policy.digest, "window": [window.last, window.span]}
    before = None if snapshot is None else read_snapshot(snapshot, said)
    source = _source(asked, policy, before)
    try:
        assessment = StreamAssessment(policy, source.attributes, window)
        watch = Watch(source, assessment, every, asked.least, asked.fail_fast, asked.all_lines)
        if before is not None:
            resume(watch, before, time.time())
        code = _follow(watch, asked, snapshot)
        if asked.once and not watch.arrived:
            check_table(source.name, source.attributes, 0)
    finally:
        source.close()
    if code:
        raise typer.Exit(code)


def _follow(watch: Watch, asked: WatchRequest, snapshot: Path | None) -> int:
    """Show readings until the source ends or a threshold is crossed; the exit code of the last."""
    screen, written = Screen(), 0.0
    code = 0
    try:
        for reading in watch.readings():
            _show(reading, asked, screen)
            code = {"fail": FAILED, "not evaluated": NOT_EVALUATED}.get(reading.outcome, 0)
            if snapshot is not None and time.monotonic() - written >= BETWEEN_SNAPSHOTS:
                write_snapshot(snapshot, watch)
                written = time.monotonic()
            if asked.fail_fast and reading.outcome == "fail":
                break
    finally:
        if snapshot is not None and watch.settled:  # the last one whole is still there
            write_snapshot(snapshot, watch)
    return code


def _source(asked: WatchRequest, policy: Policy, before: Mapping[str, Any] | None) -> Arrivals:
    """Where records come from, from the position of a snapshot on."""
    position = None if before is None else {**before["position"], "attributes": before["attributes"]}
    file, options = asked.file, _options(asked, policy)
    if "://" in file:
        from divulge.streams.database_arrivals import GrowingTable

        address, _, table = file.partition("#")
        if asked.cursor is None:
            raise ParameterError(
                "A table is watched by a key that grows.",
                hint="Name it: --cursor id, or another such column.",
            )
        return GrowingTable(
            address, table or options.table, asked.cursor, follow=not asked.once, position=position
        )
    if asked.cursor is not None:
        raise ParameterError("--cursor is for the table of a database.", hint="Leave it out.")
    if file == STANDARD_INPUT:
        return StandardInput(options)
    return GrowingFile(Path(file), options, follow=not asked.once, position=position)


def _options(asked: WatchRequest, policy: Policy) -> SourceOptions:
    from dataclasses import replace

    kept = policy.data.only("file", "database")
    return replace(kept, **asked.source.given())


class Screen:
    """A terminal on which a reading replaces the one before."""

    def __init__(self) -> None:
        self._lines = 0

    def show(self, lines: list[str]) -> None:
        if sys.stdout.isatty():
            if self._lines:
                sys.stdout.write(f"\x1b[{self._lines}F\x1b[J")
            self._lines = len(lines)
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()


def _show(reading: StreamReading, asked: WatchRequest, screen: Screen) -> None:
    if asked.as_json:
        document = plain_zeros(reading.to_dict())
        sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
        sys.stdout.flush()
        return
    for sentence in reading.said:
        print(sentence, file=sys.stderr)
    screen.show(_lines(reading))


def _lines(reading: StreamReading) -> list[str]:
    """A reading for people: the verdict, how many records it is about, and each check."""
    assessment = reading.assessment
    held = f"{said(hidden(assessment.records))} of {in_words(assessment.window)}"
    words = "no verdict yet" if not reading.judged else reading.outcome.upper()
    head = f"{reading.time}  {words}  {held}; {said(hidden(reading.arrived))} arrived"
    lost = [f"{said(hidden(reading.malformed))} lines were no records"] if reading.malformed else []
    if assessment.outside:
        lost.append(f"{said(hidden(assessment.outside))} records have a value that no group has")
    rows = [[check.outcome, check.name, check.found_text, check.asked] for check in reading.checks]
    return [
        "; ".join([head, *lost]),
        *(aligned(["outcome", "check", "found", "required"], rows) if rows else []),
        *(check.sentence for check in reading.checks if check.outcome == "not evaluated"),
        *_not_measured(reading),
    ]


def _not_measured(reading: StreamReading) -> Iterator[str]:
    """What makes the verdict weaker, and what was not measured, in the lines of a check."""
    for check in reading.gaps:
        if check.outcome != "pass":
            yield from wrapped(check.sentence, f"{SIGN[check.outcome]}  ", WIDTH)
        yield from wrapped(check.answer.note, "note  ", WIDTH)
