"""Parts of a log that are checked by themselves: its end, single entries, accepted losses, what was added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge.service.ledger.chain import START, Entry, Fault, fault_in
from divulge.service.ledger.log_writer import COLUMNS, Head, entries_of
from divulge.service.store.connection import Query, Row, Transaction

TAIL = 256  # entries at the end of a log that are checked before it is written to
MIGRATED = "migrated"  # entries that a migration adds
AT_ONCE = 200  # entries of which one of these speaks

Fields = dict[str, Any]


@dataclass(frozen=True)
class AcceptedLoss:
    """A loss that was accepted: what was signed of earlier epochs after ``kept`` is no longer there."""

    index: int
    epoch: int
    kept: int
    signed: int

    @classmethod
    def of(cls, entry: Entry) -> AcceptedLoss:
        told = entry.fields
        return cls(entry.index, told["epoch"], told["from"], told["to"])


def entry_query(chain: str, index: int) -> Query:
    """For an entry and the one before it."""
    return f"SELECT {COLUMNS} FROM entry WHERE chain = ? AND idx IN (?, ?) ORDER BY idx", (
        chain,
        index - 1,
        index,
    )


def sealed(rows: Sequence[Row], index: int, key: bytes) -> Entry | None:
    """The entry of ``entry_query``, if it follows from the one before it and has the holder's seal."""
    found = [Entry(*row) for row in rows]
    if not found or found[-1].index != index or len(found) != min(index, 2):
        return None
    return found[-1] if part_fault(found, key) is None else None


def sealed_entry(connection: Transaction, chain: str, index: int, key: bytes) -> Entry | None:
    """An entry that follows from the one before it and has the holder's seal; None where it does not."""
    return sealed(connection.rows(*entry_query(chain, index)), index, key)


def part_fault(entries: Sequence[Entry], key: bytes) -> Fault | None:
    """What is wrong with a part of a log, which hangs on its first entry."""
    first, *more = entries
    return fault_in(entries, key) if first.index == 1 else fault_in(more, key, after=first)


def tail_fault(connection: Transaction, chain: str, head: Head, key: bytes) -> str | None:
    """What is wrong with the last entries of a log, in a sentence."""
    entries = entries_of(connection, chain, max(head.entries - TAIL - 1, 0))
    last = entries[-1] if entries else None
    if (last.index if last else 0, last.hash if last else START) != (head.entries, head.hash):
        return f"The log does not end with entry {head.entries}, as its head says: the database was changed."
    if entries and (fault := part_fault(entries, key)) is not None:
        return f"{fault.sentence} The database was changed, or these are not its keys."
    losses = accepted_losses(connection, chain, key) if head.epoch else []
    if head.epoch != (losses[-1].epoch if losses else 0):
        return "The head of the log counts losses that no entry has: the database was changed."
    return None


def accepted_losses(connection: Transaction, chain: str, key: bytes) -> list[AcceptedLoss]:
    """The losses that the holder has sealed, in the order in which they were accepted."""
    sql = f"SELECT {COLUMNS} FROM entry WHERE chain = ? AND kind = 'reconciled' ORDER BY idx"
    told = [Entry(*row) for row in connection.rows(sql, (chain,))]
    return [AcceptedLoss.of(one) for one in told if sealed_entry(connection, chain, one.index, key) == one]


def added_to(connection: Transaction, chain: str, index: int, key: bytes) -> Fields:
    """What a migration has added to an entry of an earlier version; nothing, if none has.

    Entries are never rewritten, since they are signed. What a later version wants to find in them is in
    entries "migrated": for so many entries in each, one after the other from the first of the log on.
    """
    return added_between(connection, chain, index - 1, index, key).get(index, {})


def added_between(
    connection: Transaction, chain: str, since: int, until: int, key: bytes
) -> dict[int, Fields]:
    """The same for the entries after one of them and up to another, by their index."""
    sql = f"SELECT MIN(idx) FROM entry WHERE chain = ? AND kind = '{MIGRATED}' AND idx > ?"
    ((first,),) = connection.rows(sql, (chain, since))
    found: dict[int, Fields] = {}
    if first is not None:
        for page in range(since // AT_ONCE, (min(until, first) - 1) // AT_ONCE + 1):
            entry = sealed_entry(connection, chain, first + page, key)
            found |= {} if entry is None else additions(entry)
    return found


def additions(entry: Entry) -> dict[int, Fields]:
    """What an entry adds to others, by their index."""
    told = entry.fields.get("added", {}) if entry.kind == MIGRATED else {}
    return {int(index): fields for index, fields in told.items()}


def in_pages(added: Mapping[int, Fields], entries: int) -> Iterator[dict[str, Fields]]:
    """What is to be added to the first entries of a log, for the entries that say so."""
    for start in range(0, entries, AT_ONCE):
        indices = range(start + 1, min(start + AT_ONCE, entries) + 1)
        yield {str(index): added[index] for index in indices if index in added}
