"""What decisions are compared with: bare code that writes the same rows and syncs, and decides nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from divulge.service.decisions.committing.group_queue import Group, GroupQueue, Piece
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.transaction import ANSWER, REQUEST, SETTLE, DecisionSession
from divulge.service.store.connection import Row, Transaction, Writing

CLIENTS, EACH = 8, 100  # clients at once, and what each has done one after the other
BARE = "bare"  # the dataset, and its log, to which the same rows are written
SOURCE = Path(__file__).with_name("slow_sync.c")


def at_once(act: Callable[[int, int], object]) -> float:
    """How often a second clients get done, all at once, what each does one after the other."""
    ready = threading.Barrier(CLIENTS + 1)

    def client(number: int) -> None:
        ready.wait()
        for one in range(EACH):
            act(number, one)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return CLIENTS * EACH / (time.perf_counter() - began)


class SameRows:
    """The rows that decisions on a dataset have written, to be written again to one of another name.

    Tables and indices are the service's own, so both write to trees as deep.
    """

    def __init__(self, decider: DecisionService, dataset: str) -> None:
        self._decider, self._dataset = decider, dataset
        self._noted: list[Writing] = []
        self._written: dict[str, list[Row]] = {}

    def prepare(self) -> None:
        """Have the records, cells and waiting requests there that are to be changed."""
        given = (BARE, self._dataset)
        copies = (
            ("record", "?, id, x, y, body, NULL, seal", "TRUE"),
            ("cell", "?, x, y, released", "TRUE"),
            (
                "request",
                "'~' || SUBSTR(ticket, 2), ?, record, x, y, owner, status, arrived, settled",
                "waits",
            ),
        )

        def work(connection: Transaction) -> None:
            for table, columns, which in copies:
                where = "dataset = ?" + (" AND status = 'waiting'" if which == "waits" else "")
                connection.rows(
                    f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE {where} ON CONFLICT DO NOTHING",
                    given,
                )
            connection.rows("INSERT INTO head VALUES (?, 0, 0, '') ON CONFLICT DO NOTHING", (BARE,))

        self._decider.database.transact(BARE, work)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Remember everything that is written for decisions meanwhile."""
        writings, self._noted, self._written = DecisionSession.writings, [], {}

        def noted(session: DecisionSession) -> list[Writing]:
            found = writings(session)
            self._noted += found
            return found

        DecisionSession.writings = noted  # type: ignore[method-assign]
        try:
            yield
        finally:
            DecisionSession.writings = writings  # type: ignore[method-assign]
        for sql, rows in self._noted:  # not while decisions are timed
            self._written.setdefault(sql, []).extend(self._renamed(sql, row) for row in rows)

    def _renamed(self, sql: str, row: Sequence[Any]) -> Row:
        """The same row under another name, and as long."""
        found = [BARE if one == self._dataset else one for one in row]
        place = {REQUEST: 0, SETTLE: 2, ANSWER: 0}.get(sql)
        if place is not None:
            found[place] = f"~{found[place][1:]}"
        return tuple(found)

    def grouped(self, synced: Path) -> float:
        """Decisions' worth of rows a second, of clients that share commits by the same queue."""
        queue = self.queue(synced)
        return at_once(lambda client, number: queue.done(Piece(client * EACH + number, shared=True)))

    def queue(self, synced: Path) -> GroupQueue:
        """A queue of pieces that are numbers of decisions, whose rows are written.

        For each group there is one transaction, and then a synced write of a kilobyte to a file.
        """
        pieces = CLIENTS * EACH
        heads = {sql for sql in self._written if sql.startswith("UPDATE head")}

        def carry_out(group: Group) -> None:
            writings: list[Writing] = []
            for sql, rows in self._written.items():
                if sql in heads:
                    writings.append((sql, rows[-1:]))
                    continue
                own = [
                    row
                    for piece in group.pieces
                    for row in rows[piece.work * len(rows) // pieces : (piece.work + 1) * len(rows) // pieces]
                ]
                if own:
                    writings.append((sql, own))
            self._decider.database.transact(BARE, lambda connection: connection.write(writings))
            sync_file(synced)

        return GroupQueue(carry_out, 60)


def sync_file(path: Path) -> None:
    """A kilobyte written over and synced, as a checkpoint is."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.pwrite(handle, b"x" * 1024, 0)
        os.fdatasync(handle)
    finally:
        os.close(handle)


@contextmanager
def slow_syncs(microseconds: int, folder: Path) -> Iterator[bool]:
    """Programs that are started meanwhile sync so much slower; False where no C compiler is installed."""
    compiler = shutil.which("cc")
    if compiler is None or not microseconds:
        yield not microseconds
        return
    library = folder / "slow_sync.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    folder.chmod(0o755)  # a server of another user loads it, too
    before = dict(os.environ)
    os.environ.update(LD_PRELOAD=str(library), SYNC_MICROSECONDS=str(microseconds))
    try:
        yield True
    finally:
        os.environ.clear()
        os.environ.update(before)
