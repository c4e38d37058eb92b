"""What a service has done, judged from its database by counting everything anew.

Every release is held to the tests by ``release.reference``, at the moment when it happened.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from divulge.safe_release import Guard
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.policies import ACTIVE, policies_of
from divulge.service.ledger.chain import Entry, digest
from divulge.service.ledger.log_writer import entries_of
from divulge.service.operations.logs import Log
from divulge.service.store.connection import Transaction
from safe_release.reference import is_safe
from safe_release.situations import held
from service.scene import NAME

Person = tuple[str, str]  # an age and a place
TABLES = {
    "record": "id, x, y, body, released",
    "request": "ticket, record, status, arrived, x, y",
    "cell": "x, y, released",
}


@dataclass
class Found:
    """Everything the database has on a dataset, read at once."""

    entries: list[Entry]
    guards: dict[int, Guard]  # by version of the policy
    active: Guard
    record: list[tuple[Any, ...]]
    request: list[tuple[Any, ...]]
    cell: list[tuple[Any, ...]]
    answers: list[dict[str, Any]]

    @classmethod
    def of(cls, decider: DecisionService, name: str) -> Found:
        def work(connection: Transaction) -> Found:
            rows = {
                table: connection.rows(f"SELECT {columns} FROM {table} WHERE dataset = ?", (name,))
                for table, columns in TABLES.items()
            }
            policies = policies_of(connection, name)
            guards = {policy.version: policy.guard for policy in policies}
            (active,) = [policy.guard for policy in policies if policy.status == ACTIVE]
            answers = [json.loads(text) for (text,) in connection.rows("SELECT answer FROM answer")]
            return cls(entries_of(connection, name), guards, active, **rows, answers=answers)

        return decider.database.read(work)


@dataclass
class Count:
    """What the log says, added up entry by entry."""

    out: dict[str, int] = field(default_factory=dict)  # records, and the entry that let them out
    cells: Counter[Person] = field(default_factory=Counter)  # by age and place
    tickets: dict[str, int] = field(default_factory=dict)  # and the entry they were given in
    waiting: set[str] = field(default_factory=set)


def faults(decider: DecisionService, name: str = NAME) -> list[str]:
    """Everything that should not be; nothing, if the service did what it promises."""
    found = Found.of(decider, name)
    epoch = max((one.epoch for one in decider.anchors.kept(name)), default=0)
    signed = [one for one in decider.anchors.kept(name) if one.epoch == epoch]
    log = Log(name, found.entries, decider.secrets.digest)
    broken = log.fault or log.against(sorted(signed, key=lambda one: one.count))
    if broken is not None:
        return [broken.sentence]
    count = Count()
    return [*_along(found, count, decider.secrets.digest, name), *_in_tables(found, count)]


def _along(found: Found, count: Count, key: bytes, name: str) -> Iterator[str]:
    """The log from its first entry to its last, what is outside being held to the policy at each release."""
    records = {digest(key, name, row[0]): row for row in found.record}
    limits = {version: held(guard) for version, guard in found.guards.items()}
    for entry in found.entries:
        told = entry.fields
        if entry.kind in ("decision", "left"):
            if entry.kind == "left" or (told["verdict"] == "released" and told["reason"] == "safe"):
                yield from _let_out(count, entry, records.get(told["record"]))
                if not is_safe(matrix(count.cells, found.guards[told["policy"]]), limits[told["policy"]]):
                    yield f"After entry {entry.index} what is outside is not safe."
            elif told["verdict"] == "released" and records[told["record"]][0] not in count.out:
                yield f"Entry {entry.index} repeats a release that never was."
        yield from _in_line(count, entry)
        if "outside" in told and (told["outside"], told["waiting"]) != (len(count.out), len(count.waiting)):
            yield f"Entry {entry.index} does not tell how many are outside and how many wait."


def _let_out(count: Count, entry: Entry, record: tuple[Any, ...] | None) -> Iterator[str]:
    if record is None:
        yield f"Entry {entry.index} lets out a record that is not there."
        return
    body = json.loads(record[3])
    if record[0] in count.out:
        yield f"Entry {entry.index} lets out a record for the second time."
    count.out[record[0]] = entry.index
    count.cells[body["age"], body["place"]] += 1


def _in_line(count: Count, entry: Entry) -> Iterator[str]:
    """Who joins the queue with an entry, and who leaves it."""
    told = entry.fields
    tickets = set(told.get("tickets", ()))
    if entry.kind == "decision":
        if tickets & set(count.tickets):
            yield f"Entry {entry.index} gives a ticket for the second time."
        count.tickets |= dict.fromkeys(tickets, entry.index)
        count.waiting |= tickets if told["verdict"] == "waiting" else set()
    elif not tickets <= count.waiting:
        yield f"Entry {entry.index} settles a request that did not wait."
    if entry.kind in ("left", "withdrawn"):
        count.waiting -= tickets


def _in_tables(found: Found, count: Count) -> Iterator[str]:
    """What the tables say must be what the log adds up to."""
    if {row[0]: row[4] for row in found.record if row[4] is not None} != count.out:
        yield "The records that are marked as outside are not those that the log let out."
    if {row[0] for row in found.request if row[2] == "waiting"} != count.waiting:
        yield "The requests that wait are not those that the log has waiting."
    if {row[0]: row[3] for row in found.request} != count.tickets:
        yield "The requests are not those that the log has decided."
    if any(row[1:3] != place_of(json.loads(row[3]), found.active) for row in found.record):
        yield "A record is not in the cell that its values say."
    cells = {row[0]: row[1:3] for row in found.record}
    if any(cells[row[1]] != row[4:6] for row in found.request if row[2] == "waiting"):
        yield "A request waits in another cell than its record's."
    domain = found.active.domain
    names = {(x, y): (domain.values[x], domain.targets[y]) for x, y, _ in found.cell}
    if {names[x, y]: out for x, y, out in found.cell if out} != dict(+count.cells):
        yield "The cells do not add up to what is outside."
    if sorted(one["ticket"] for one in found.answers) != sorted(count.tickets):
        yield "The answers are not one for each decision."
    given = {entry.index: entry.hash for entry in found.entries}
    if any(given.get(one["index"]) != one["hash"] for one in found.answers):
        yield "An answer names an entry that the log does not have."


def place_of(body: dict[str, Any], guard: Guard) -> tuple[int, int]:
    """Where a policy has a person; -1 is nowhere."""
    values, targets = guard.domain.values, guard.domain.targets
    x = values.index(body["age"]) if body["age"] in values else -1
    return x, targets.index(body["place"]) if body["place"] in targets else -1


def matrix(cells: Counter[Person], guard: Guard) -> list[list[int]]:
    """What is outside on the domain of a policy."""
    values, targets = guard.domain.values, guard.domain.targets
    assert all(age in values and place in targets for age, place in cells)
    return [[cells[age, place] for place in targets] for age in values]
