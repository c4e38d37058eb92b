"""Processes that ask a service's decider for records, and may be killed while they do.

A warm process waits for jobs on its standard input and forks a child for each, so that a child is at work
at once. Children say what they were answered in lines of JSON, each written in one piece.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from divulge._compiled.release import NEVER
from divulge.errors import DivulgeError, Unavailable
from divulge.safe_release import Guard, State, decide, next_to_leave, table_of
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.proofs import Decided
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.secrets import Secrets
from divulge.service.operations.locations import ServiceLocations
from divulge.service.queries.query_service import QueryService
from service.killed_tasks import TASKS, with_kill
from service.lowered import open_as
from service.scene import NAME

Batch = list[tuple[str, str]]  # records, and the keys under which they are asked for
TESTS = Path(__file__).parent.parent
PATIENCE = 200.0  # seconds without a word after which something must be wrong
ATTEMPTS = 1000


@dataclass(frozen=True)
class Job:
    """Requests for a child to make one after the other: each a list of records and keys, made as a batch."""

    url: str
    keys: str
    anchors: str
    dataset: str
    owner: str
    todo: list[Batch]
    kind: str | None = None  # of database
    threads: int = 1  # that make requests at once; of several, no thread of the decider waits for single ones
    task: str | None = None  # of an operator, instead of requests
    kill_at: int = -1  # before which call that reaches a disk or a server
    table: bool = False  # whether the dataset is a guarded table, and queries are asked instead of records
    noisy: bool = False  # whether these are answered with noise
    attempts: int = ATTEMPTS  # at a request, while the database is not there

    @classmethod
    def on(
        cls, place: ServiceLocations, owner: str, todo: list[Batch], kind: str | None = None, threads: int = 1
    ) -> Job:
        return cls(place.url, str(place.keys), str(place.anchors), NAME, owner, todo, kind, threads)


class Nursery:
    """The warm process, as tests see it."""

    def __init__(self) -> None:
        program = [sys.executable, "-m", "service.worker"]
        self._process = subprocess.Popen(program, cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._rest = b""
        self._early: list[dict[str, Any]] = []  # said by children before all had been started

    def start(self, *jobs: Job) -> list[int]:
        """Start a child for each job; says their process numbers."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([asdict(job) for job in jobs]).encode() + b"\n")
        self._process.stdin.flush()
        self._early = []
        while "started" not in (word := self._word()):
            self._early.append(word)
        return word["started"]

    def _word(self) -> dict[str, Any]:
        """The next word; ``ended`` once all children have."""
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
            more = os.read(self._process.stdout.fileno(), 1 << 16) if ready else b""
            assert more, "the workers are silent"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def words(self) -> Iterator[dict[str, Any]]:
        """What the children say until all have ended."""
        yield from self._early
        while "ended" not in (word := self._word()):
            yield word

    def close(self) -> None:
        self._process.communicate()


def say(**word: Any) -> None:
    os.write(1, json.dumps(word).encode() + b"\n")


def main() -> None:
    warm_up()
    for line in sys.stdin:
        jobs = [Job(**job) for job in json.loads(line)]
        if any(job.table for job in jobs):
            import_guard(noisy=any(job.noisy for job in jobs))
        children = [child(job) for job in jobs]
        say(started=children)
        for one in children:
            os.waitpid(one, 0)
        say(ended=True)


def child(job: Job) -> int:
    """Fork a child that does a job and ends, whatever happens."""
    found = os.fork()
    if found:
        return found
    status = 1
    try:
        work(job)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def work(job: Job) -> None:
    if job.task is not None:
        place = ServiceLocations(job.url, Path(job.keys), Path(job.anchors))
        say(calls=with_kill(lambda: TASKS[job.task](place), job.kill_at))
        return
    decider = opened(job)
    queries = QueryService(decider)
    say(behind=decider.behind)

    def make(asked: Batch) -> None:
        for (_, key), answer in zip(asked, answered(decider, queries, job, asked, leading), strict=True):
            say(key=key, answer=answer)

    with ThreadPoolExecutor(job.threads) as pool, ThreadPoolExecutor() as leading:
        deque(pool.map(make, job.todo), 0)
    say(done=job.owner)


def opened(job: Job) -> DecisionService:
    """Open the decider, trying again while the database is not there."""
    for attempt in range(ATTEMPTS):
        try:
            database = open_as(job.kind, job.url)
            return DecisionService(database, Secrets.read(Path(job.keys)), Anchors(Path(job.anchors)))
        except DivulgeError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(0.05)
    raise AssertionError


def answered(
    decider: DecisionService, queries: QueryService, job: Job, asked: Batch, leading: Executor
) -> list[dict[str, Any]]:
    """Ask again with the same keys, for as long as the database is not there."""
    wanted = [RecordRequest(*one) for one in asked]
    for attempt in range(job.attempts):
        try:
            if job.table:
                found = [queries.ask(job.dataset, text, job.owner, key) for text, key in asked]
                return [answer for one in found for answer in one.answers]
            if job.threads > 1 and len(wanted) == 1:
                return awaited(decider, job, wanted[0], leading)
            return decider.batch(job.dataset, wanted, job.owner)
        except Unavailable:
            say(unavailable=job.owner)
            if decider.behind or attempt == job.attempts - 1:
                raise
            time.sleep(0.05)
    raise AssertionError


def awaited(
    decider: DecisionService, job: Job, wanted: RecordRequest, leading: Executor
) -> list[dict[str, Any]]:
    """As the service asks over HTTP: a few threads lead for all."""
    found: Future[Decided] = Future()

    def told(outcome: Callable[[], Decided]) -> None:
        try:
            found.set_result(outcome())
        except BaseException as error:
            found.set_exception(error)

    piece = decider.awaited_one(job.dataset, wanted, job.owner, leading, told)
    if piece is None:  # the first on the dataset
        return decider.batch(job.dataset, [wanted], job.owner)
    piece.enter()
    return [*found.result().answers]


def import_guard(*, noisy: bool) -> None:
    """Import what a guard needs, so that its children need not."""
    import duckdb  # noqa: F401

    if noisy:
        import opendp.prelude  # noqa: F401

    import divulge.queries.guard  # noqa: F401


def warm_up() -> None:
    """Compile everything that a decision needs."""
    state = State.start(Guard.of(table_of([[5, 4], [5, 6]]), "mis", 0.2, samples=100))
    decide(state, {"x": 0, "y": 0})
    next_to_leave(state, np.full(state.counts.shape, NEVER))


if __name__ == "__main__":
    main()
