"""A dataset that others have decided on meanwhile, brought up to date by what they added to the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from divulge._compiled.release import NEVER
from divulge.safe_release import Cell
from divulge.service.decisions.checked_rows import standing_fault
from divulge.service.decisions.held_state.held import Held
from divulge.service.decisions.logged.content_digests import cell_sum_after
from divulge.service.ledger.chain import ODD, Entry
from divulge.service.ledger.log_writer import Head, entries_of
from divulge.service.ledger.tail import part_fault
from divulge.service.store.connection import Found, Transaction

FARTHEST = 512  # entries that are followed one by one; beyond, everything is read anew
AT_ONCE = 200  # requests or cells that are looked up together
KINDS = ("decision", "left", "withdrawn")


def caught_up(connection: Transaction, dataset: str, held: Held, head: Head, key: bytes) -> Held | None:
    """A dataset as it stands some entries later; None where that does not follow from these entries.

    It follows if they are a chain with the holder's seals and what they add up to is what the last one says.
    """
    before = held.head
    if head.epoch != before.epoch or not 0 < head.entries - before.entries <= FARTHEST:
        return None
    try:
        entries = entries_of(connection, dataset, before.entries - 1, head.entries - before.entries + 1)
        first, *added = entries
        if (first.hash, added[-1].hash) != (before.hash, head.hash) or part_fault(entries, key) is not None:
            return None
        told = [one.fields for one in added]
        if not all(_is_followed(one.kind, fields, held) for one, fields in zip(added, told, strict=True)):
            return None
        return _Following(connection, dataset, held, key).along(added, told, head)
    except ODD:
        return None  # a row is not what it was: what is wrong is found when everything is read


def _is_followed(kind: str, told: dict[str, Any], held: Held) -> bool:
    """Whether an entry was decided under the same policy, and says all that has to be known of it."""
    policy = held.policy
    return kind in KINDS and (told["policy"], told["digest"]) == (policy.version, policy.digest)


@dataclass
class _Following:
    connection: Transaction
    dataset: str
    held: Held
    key: bytes

    def along(self, entries: Sequence[Entry], told_by: Sequence[dict[str, Any]], head: Head) -> Held | None:
        """The dataset after these entries, if it is what the last one says."""
        held = self.held
        state, total, waiting = held.state, held.total, held.waiting
        heads, blocked = held.heads.copy(), held.blocked.copy()
        cells = self._cells(sorted({ticket for one in told_by for ticket in one["tickets"]}))
        shorter: set[Cell] = set()  # lines that somebody has left
        for entry, told in zip(entries, told_by, strict=True):
            tickets = told["tickets"]
            cell = cells[tickets[0]]
            if entry.kind == "decision" and told["verdict"] == "waiting":
                waiting += 1
                heads[cell] = min(int(heads[cell]), entry.index)
            if entry.kind != "decision":
                waiting -= len(tickets)
                shorter |= {cells[ticket] for ticket in tickets}
            if entry.kind == "left" or (told.get("verdict"), told.get("reason")) == ("released", "safe"):
                state = state.after(cell)
                total = cell_sum_after(self.key, self.dataset, total, *cell, int(state.counts[cell]))
                blocked[:, cell.y] = False
        for cell, arrived in self._first_of(sorted(shorter)):
            heads[cell] = arrived
        policy = held.policy
        found = (policy.version, policy.digest, total, state.records, waiting, self.key, self.dataset)
        if standing_fault(told_by[-1], *found) is not None:
            return None
        return Held(head, policy, state, total, heads, waiting, blocked)

    def _cells(self, tickets: Sequence[str]) -> dict[str, Cell]:
        """In which cell the record of each request is."""
        found: dict[str, Cell] = {}
        for part in _parts(tickets):
            marks = ", ".join("?" * len(part))
            sql = f"SELECT ticket, x, y FROM request WHERE dataset = ? AND ticket IN ({marks})"
            found |= {one: Cell(x, y) for one, x, y in self.connection.rows(sql, (self.dataset, *part))}
        return found

    def _first_of(self, cells: Sequence[Cell]) -> Iterator[tuple[Cell, int]]:
        """Since when the first waits in each of some cells."""
        for part in _parts(cells):
            places = " OR ".join(["(x = ? AND y = ?)"] * len(part))
            sql = f"""SELECT x, y, MIN(arrived) FROM request
                WHERE dataset = ? AND status = 'waiting' AND ({places}) GROUP BY x, y"""
            given = (self.dataset, *(place for cell in part for place in cell))
            first = {Cell(x, y): arrived for x, y, arrived in self.connection.rows(sql, given)}
            yield from ((cell, first.get(cell, NEVER)) for cell in part)


def _parts(several: Sequence[Found]) -> Iterator[Sequence[Found]]:
    """As many at a time as fit into one query."""
    return (several[start : start + AT_ONCE] for start in range(0, len(several), AT_ONCE))
