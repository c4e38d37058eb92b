"""A dataset is put into a service; what was killed half-way is taken away first, and done again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from divulge._support.stages import Stage, silent
from divulge.errors import Conflict
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import all_keys
from divulge.service.decisions.loading import Dataset
from divulge.service.decisions.policies import policies_of
from divulge.service.ledger.log_writer import SERVICE, head_of
from divulge.service.operations.locations import ServiceLocations
from divulge.service.store.connection import Transaction
from divulge.service.store.database import open_database

OF_A_DATASET = {"dataset": "name", "policy": "dataset", "record": "dataset", "cell": "dataset"}
OF_A_GUARDED_TABLE = {"guarded_table": "name"}
OF_A_CHAIN = {"entry": "chain", "tree_node": "chain", "head": "chain"}


@dataclass(frozen=True)
class SetUp:
    """A dataset that is in a service now: how many records it has, and where."""

    records: int = field(repr=False)
    database: str
    admin_key: str | None = field(repr=False)  # of a new service


def set_up(
    place: ServiceLocations, dataset: Dataset, by: str, *, following: bool = False, stage: Stage = silent
) -> SetUp:
    """Put a dataset into a service, which is made where there is none, with its keys and an admin's.

    If it was killed, it can be done again. Nothing is served before the first checkpoint is signed.
    """
    if not has_logs(place.url):
        place.create().database.close()
    decider = place.open()
    with closing(decider.database):
        take_away_unsigned(decider, dataset.name)
        if not _lacks_only_a_key(decider, dataset):
            require_no_earlier(decider, dataset.name)
            decider.load(dataset, by, following=following, stage=stage)
        made = make_first_key(decider, by)
        return SetUp(decider.status(dataset.name)["records"], decider.database.name, made)


def make_first_key(decider: DecisionService, by: str) -> str | None:
    """The admin's key of a new service; None where there are keys."""
    if decider.database.read(all_keys):
        return None
    return decider.make_key(role="admin", name="admin", by=by)[0]


def has_logs(url: str) -> bool:
    """Whether a database has a log already, whose keys must not be made anew."""
    with closing(open_database(url, create=True)) as database:
        return bool(database.read(lambda connection: connection.rows("SELECT chain FROM head")))


def take_away_unsigned(decider: DecisionService, dataset: str) -> None:
    """Remove a dataset or a first key whose only entry was never signed: nobody was answered from it.

    This is what is left by a kill after the commit and before its checkpoint. The folder of checkpoints is
    made before: where it is missing, it is somewhere else, and nothing is removed.
    """
    if not decider.anchors.folder.is_dir():
        return
    if set(decider.logs()) <= {dataset}:
        _take_away_chain(decider, SERVICE)
    if SERVICE not in decider.behind:  # else there are more keys, and their checkpoints are elsewhere
        _take_away_chain(decider, dataset)


def _take_away_chain(decider: DecisionService, chain: str) -> None:
    unsigned = decider.anchors.newest(chain) is None
    if unsigned and decider.database.transact(chain, partial(_take_away, chain=chain)):
        decider.known.forget(chain)
        decider.behind.pop(chain, None)


def _take_away(connection: Transaction, chain: str) -> bool:
    head = head_of(connection, chain)
    if head is None or head.entries > 1:
        return False
    tables = {"api_key": None} if chain == SERVICE else {**OF_A_DATASET, **OF_A_GUARDED_TABLE}
    for table, column in {**tables, **OF_A_CHAIN}.items():
        where, given = ("", ()) if column is None else (f" WHERE {column} = ?", (chain,))
        connection.rows(f"DELETE FROM {table}{where}", given)
    return True


def _lacks_only_a_key(decider: DecisionService, dataset: Dataset) -> bool:
    """Whether a dataset was loaded and signed, but the service has no key yet: nothing was asked of it."""

    def work(connection: Transaction) -> bool:
        head = head_of(connection, dataset.name)
        if head is None or head.entries != 1 or all_keys(connection):
            return False
        (policy,) = policies_of(connection, dataset.name)
        return policy.is_of(dataset.guard(dataset.table()))

    return dataset.name not in decider.behind and decider.database.read(work)


def require_no_earlier(decider: DecisionService, dataset: str) -> None:
    """Refuse a name that is in the database, or that had a log before, by its checkpoints."""
    if dataset in decider.logs():
        raise Conflict(
            f"'{dataset}' is in {decider.database.name} already.",
            hint="Use divulge release update for a new version of its records, or choose another --dataset.",
        )
    if decider.anchors.newest(dataset) is not None:
        raise Conflict(
            f"By checkpoints in {decider.anchors.folder} '{dataset}' had a log before: records may have "
            "been released, or queries answered.",
            hint="Restore its database, or name another folder with --checkpoints.",
        )
