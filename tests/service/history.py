"""A service with a past: requests of every outcome, withdrawals, other rules, another table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from divulge.errors import Conflict
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.log_tree import tree_at
from divulge.service.ledger.log_writer import head_of
from divulge.service.operations.exporting import read_checkpoints
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.verifying import LogCheck, Verified
from divulge.service.store.connection import Database, Transaction
from divulge.service.store.database import open_database
from service.scene import NAME, Columns, Scene, dataset, people

OWNER = "0123456789ab"
TABLES = (
    *("dataset", "policy", "record", "cell", "request", "answer", "removed_answer", "entry", "head"),
    *("api_key", "tree_node", "guarded_table", "query"),
)


@contextmanager
def at_work(place: ServiceLocations, *, read_only: bool = False) -> Iterator[DecisionService]:
    decider = place.open(read_only=read_only)
    try:
        yield decider
    finally:
        decider.database.close()


def with_checkpoints_of_its_own(place: ServiceLocations, folder: Path) -> ServiceLocations:
    """A database whose state is signed in another folder, as if there had never been another."""
    with at_work(place, read_only=True) as decider:
        for (chain,) in decider.database.read(lambda connection: connection.rows("SELECT chain FROM head")):
            head = decider.database.read(lambda connection, chain=chain: head_of(connection, chain))
            tree = decider.database.read(
                lambda connection, chain=chain, size=head.entries: tree_at(connection, chain, size)
            )
            Anchors(folder).make().keep(decider.signed(chain, head, tree.root))
    return ServiceLocations(place.url, place.keys, folder)


class Requester:
    """Asks for records by chance, each time under a new key."""

    def __init__(self, decider: DecisionService, seed: int = 1) -> None:
        self.decider = decider
        self._drawn = random.Random(seed)
        self._keys = (f"{seed}-{number}" for number in count())
        self.tickets: list[str] = []

    def ask(self, ids: list[str], requests: int, at_once: int = 50) -> None:
        for start in range(0, requests, at_once):
            wanted = self._drawn.choices(ids, k=min(at_once, requests - start))
            answers = self.decider.batch(
                NAME, [RecordRequest(one, next(self._keys)) for one in wanted], OWNER
            )
            self.tickets += [one["ticket"] for one in answers if one.get("decision") == "waiting"]

    def withdraw_some(self, every: int) -> None:
        for ticket in self.tickets[::every]:
            with suppress(Conflict):  # it has left meanwhile
                self.decider.withdraw(NAME, ticket, OWNER)


def later(columns: Columns) -> dict[str, list[Any]]:
    """The table some time on: people are gone, others new, nobody is in their twenties, some are older."""
    found = {name: list(values)[len(values) // 10 :] for name, values in columns.items()}
    found["age"] = [
        "60s" if place % 40 == 0 else "30s" if age == "20s" else age for place, age in enumerate(found["age"])
    ]
    return found


def lived(url: str, folder: Path, requests: int, records: int = 300) -> Scene:
    """A service that has been through everything that a log can tell."""
    columns = people(records)
    first = {name: values[: records * 2 // 3] for name, values in columns.items()}
    scene = Scene.make(url, folder, dataset(first), following=True)
    with at_work(scene.place) as decider:
        requester = Requester(decider)
        requester.ask(first["id"], requests // 3)
        requester.withdraw_some(5)
        decider.propose(NAME, Rules.of("mis,kld", 0.1, samples=200), "steward")
        decider.approve(NAME, 2, "another")
        requester.ask(first["id"], requests // 6)
    with at_work(scene.place) as decider:  # what follows is decided after a restart
        requester = Requester(decider, seed=2)
        requester.ask(first["id"], requests // 6)
        decider.update(dataset(later(columns)), "holder")
        requester.ask(columns["id"], requests - 2 * (requests // 3))
        decider.propose(NAME, Rules.of("kld", 0.3, samples=200), "steward")
    return Scene(scene.place, columns)


def verified(
    place: ServiceLocations, *, key: bool = True, checkpoints: Path | None = None, again: bool = False
) -> list[Verified]:
    """What verifying a database finds, with the holder's keys and checkpoints from somewhere, or without."""
    with at_work(place, read_only=True) as decider:
        given = {} if checkpoints is None else read_checkpoints(checkpoints)
        check = LogCheck(decider.secrets.digest if key else None, decider.secrets.public, given)
        return check.database(decider.database, again=again)


def copied(source: Database, url: str) -> Database:
    """All tables of a database in another, which may be of another kind."""
    target = open_database(url, create=True)
    tables = {
        table: source.read(lambda connection, table=table: connection.rows(f"SELECT * FROM {table}"))
        for table in TABLES
    }

    def work(connection: Transaction) -> None:
        for table, rows in tables.items():
            if rows:
                places = ", ".join("?" * len(rows[0]))
                connection.write([(f"INSERT INTO {table} VALUES ({places})", rows)])

    target.transact("copy", work)
    return target
