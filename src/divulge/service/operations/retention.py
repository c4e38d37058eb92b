"""Answers are kept for so long: after that a digest is left, by which the log can give the answer again."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from divulge.errors import DivulgeError, ParameterError
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.checkpointed import known_tip
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.logged.content_digests import answer_digest, removal_seal, repeat_digest
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.log_tree import tree_at
from divulge.service.ledger.log_writer import LogWriter, entries_of
from divulge.service.ledger.paging import PAGE, answers
from divulge.service.ledger.tail import Fields, added_between
from divulge.service.store.connection import Transaction, Writing

LOGGER = logging.getLogger("divulge.service")
REMOVED = "answers removed"  # the kind of an entry that says so
THERE = "SELECT 1 FROM answer WHERE owner = ? AND key = ?"
DELETE = "DELETE FROM answer WHERE owner = ? AND key = ?"
INSERT = "INSERT INTO removed_answer (digest, dataset, idx, seal) VALUES (?, ?, ?, ?)"
AT_ONCE = 1000  # answers that are removed in one transaction
LOOKED_THROUGH = 20_000  # entries whose answers are looked for together
HOUR = 3600.0
LONGEST = 36_500  # days


class KeptAnswer(NamedTuple):
    """An answer that may go, by the entry that decided it."""

    entry: int
    owner: str
    idempotency: str


def removal(key: bytes, dataset: str, gone: Iterable[KeptAnswer]) -> list[Writing]:
    """Answers become digests of who asked under which key."""
    gone, rows = list(gone), []
    for one in gone:
        repeat = repeat_digest(key, one.owner, one.idempotency)
        rows.append((repeat, dataset, one.entry, removal_seal(key, repeat, dataset, one.entry)))
    return [(DELETE, [(one.owner, one.idempotency) for one in gone]), (INSERT, rows)]


def kept_for(days: int) -> timedelta:
    """How long answers are kept."""
    if not 1 <= days <= LONGEST:
        raise ParameterError(f"Answers are kept for 1 to {LONGEST} days.", hint="Example: --keep-answers 90")
    return timedelta(days=days)


def remove_answers(decider: DecisionService, dataset: str, days: int, by: str) -> int:
    """Remove the answers of a dataset that are older than so many days; says how many there were.

    The log says up to which entry, and goes on. A request that is repeated later is answered the same, from
    its entry.
    """
    last = datetime.fromisoformat(decider.time()) - kept_for(days)
    before = last.isoformat(timespec="microseconds")
    number = 0
    while found := decider.database.read(lambda connection: _removable(connection, dataset, before, decider)):
        for start in range(0, len(found), AT_ONCE):
            _remove(decider, dataset, found[start : start + AT_ONCE], days, by)
        number += len(found)
    return number


def _removable(
    connection: Transaction, dataset: str, before: str, decider: DecisionService
) -> list[KeptAnswer]:
    """The next answers that are older than a time, in the order of their entries."""
    key, since = decider.secrets.digest, _removed_up_to(connection, dataset)
    last = _last_before(connection, dataset, before, since)
    found: list[KeptAnswer] = []
    while since < last and not found:
        until = min(last, since + LOOKED_THROUGH)
        decided = {
            told["tickets"][0]: (index, told)
            for index, told in _decisions(connection, dataset, since, until, key)
        }
        for owner, idempotency, _, text in answers(connection):
            ticket = json.loads(text)["ticket"]
            if ticket in decided:
                index, told = decided[ticket]
                if told.get("asked") != answer_digest(key, ticket, owner, idempotency):
                    raise changed("The answer")
                found.append(KeptAnswer(index, owner, idempotency))
        since = until
    return sorted(found)


def _decisions(
    connection: Transaction, dataset: str, since: int, until: int, key: bytes
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Decisions with what they say, and what a migration has added to those of an earlier version."""
    added: dict[int, Fields] | None = None
    for start in range(since, until, PAGE):
        for entry in entries_of(connection, dataset, start, min(PAGE, until - start)):
            if entry.kind == "decision":
                told = entry.fields
                if "asked" not in told and added is None:
                    added = added_between(connection, dataset, since, until, key)
                yield entry.index, {**(added or {}).get(entry.index, {}), **told}


def _removed_up_to(connection: Transaction, dataset: str) -> int:
    """The entry up to which answers were removed."""
    sql = "SELECT idx FROM entry WHERE chain = ? AND kind = ? ORDER BY idx DESC LIMIT 1"
    rows = connection.rows(sql, (dataset, REMOVED))
    return entries_of(connection, dataset, rows[0][0] - 1, 1)[0].fields["to"] if rows else 0


def _last_before(connection: Transaction, dataset: str, before: str, since: int) -> int:
    """The last entry before a time; times in a log never run backwards."""
    low, high = since, known_tip(connection, dataset).head.entries
    while low < high:
        middle = (low + high + 1) // 2
        ((at,),) = connection.rows("SELECT at FROM entry WHERE chain = ? AND idx = ?", (dataset, middle))
        low, high = (middle, high) if at < before else (low, middle - 1)
    return low


def _remove(decider: DecisionService, dataset: str, gone: Sequence[KeptAnswer], days: int, by: str) -> None:
    """Remove answers, unless another process did so meanwhile, and sign the log that says so."""
    decider.require_signer()
    key, expected = decider.secrets.digest, decider.expected(dataset)

    def work(connection: Transaction) -> None:
        tip = known_tip(connection, dataset)
        decider.require_newest(connection, dataset, tip, expected)
        if not connection.rows(THERE, gone[0][1:]):
            return
        tree = tree_at(connection, dataset, tip.head.entries)
        writer = LogWriter(dataset, tip.head, key, decider.time(tip.at), tree)
        writer.add(REMOVED, {"to": gone[-1].entry, "answers": len(gone), "days": days, "by": by})
        connection.write([*removal(key, dataset, gone), *writer.writings()])

    decider.database.transact(dataset, work)
    decider.checkpoint(dataset)


class Retention(threading.Thread):
    """Removes old answers of all datasets once an hour, beside the service."""

    def __init__(self, decider: DecisionService, days: int, by: str, pause: float = HOUR) -> None:
        super().__init__(name="retention", daemon=True)
        self._decider, self._days, self._by, self._pause = decider, days, by, pause
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.is_set():
            self._try(self._once)
            self._stopped.wait(self._pause)

    def _once(self) -> None:
        for dataset in self._decider.datasets():
            if dataset not in self._decider.behind and not self._stopped.is_set():
                self._try(partial(remove_answers, self._decider, dataset, self._days, self._by))

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (DivulgeError, OSError, *ODD) as error:
            said = error if isinstance(error, DivulgeError) else type(error).__name__
            LOGGER.warning("Old answers could not be removed: %s", said)

    def stop(self) -> None:
        """Let what is under way come to its end."""
        self._stopped.set()
        if self.is_alive():
            self.join()
