"""The operator's commands at work: a database made, filled, served, copied and returned to service."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from divulge import documents
from divulge.cli.holding import OPERATOR, Loaded, Updated, opened
from divulge.cli.keyring import new_key
from divulge.cli.progress import progress
from divulge.cli.verification import entries as so_many_entries
from divulge.documents.release import StatusDocument
from divulge.errors import Conflict, ParameterError
from divulge.release.rules import DIXON_FAULT, DQT
from divulge.report.saving import as_json as written
from divulge.service.backups import backup
from divulge.service.book import SERVICE
from divulge.service.connection import Connection
from divulge.service.database import open_database
from divulge.service.desk import now
from divulge.service.exporting import Export, export
from divulge.service.keys import all_keys
from divulge.service.loading import load
from divulge.service.place import Place
from divulge.service.reconciling import accept_loss, carry_in
from divulge.wording import many, number
from divulge.wording import records as so_many


@dataclass(frozen=True)
class Behind:
    """A dataset to be returned to service."""

    database: str
    name: str
    export: str | None
    accept_loss: bool
    keys: str | None
    checkpoints: str | None


# -- datasets ---------------------------------------------------------------------------------------


def run_init(asked: Loaded) -> None:
    place = Place.of(asked.database, asked.keys, asked.checkpoints)
    with progress("Reading"):
        dataset = asked.dataset()
        dataset.guard(dataset.table())  # says what is wrong with it before a database is made
    if not _in_use(asked.database):
        place.create().database.close()
    with opened(place) as desk:
        if desk.anchors.newest(asked.name) is not None:
            raise Conflict(
                f"By checkpoints in {place.anchors} '{asked.name}' had a log before: records may be outside.",
                hint="Restore its database, or name another folder with --checkpoints.",
            )

        def work(connection: Connection) -> None:
            load(connection, dataset, desk.secrets.digest, now(), by=OPERATOR, following=asked.following)

        with progress("Loading"):
            desk.database.transact(asked.name, work)
            desk.checkpoint(asked.name)
        _say(f"{asked.name}: {so_many(desk.status(asked.name)['records'])} in {desk.database.name}")
        if DQT in dataset.rules.tests:
            _say(f"Warning: {DIXON_FAULT}")
        if not desk.database.read(all_keys):
            _say(f"The holder's keys: {place.keys}")
            _say(f"Checkpoints: {place.anchors}")
            _say("The admin's key, shown once:")
            print(new_key(desk, "admin", "admin", None)[0])


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def _in_use(url: str) -> bool:
    """Whether a database has a log already, whose keys must not be made anew."""
    database = open_database(url, create=True)
    try:
        return bool(database.read(lambda connection: connection.rows("SELECT chain FROM head")))
    finally:
        database.close()


def run_update(asked: Updated) -> None:
    with opened(Place.of(asked.database, asked.keys, asked.checkpoints)) as desk, progress("Updating"):
        told = desk.update(asked.dataset(desk), OPERATOR)
    print(f"{asked.name}: {so_many(told['records'])}, {many(told['new'])} new, {many(told['gone'])} gone")


# -- serving ----------------------------------------------------------------------------------------


def run_serve(database: str, keys: str | None, checkpoints: str | None, host: str, port: int) -> None:
    from divulge.service.serving import serve

    desk = Place.of(database, keys, checkpoints).open()
    for chain, why in desk.behind.items():
        _say(f"divulge: {chain} is read-only. {why}")
    serve(desk, host, port, announce=lambda url: print(f"Serving at {url}", file=sys.stderr, flush=True))


def run_status(database: str, keys: str | None, checkpoints: str | None, as_json: bool) -> None:
    with opened(Place.of(database, keys, checkpoints), read_only=True) as desk:
        found = [desk.status(name) for name in desk.datasets()]
        document: StatusDocument = documents.headed(
            "release status", {"datasets": found, "keys_read_only": desk.behind.get(SERVICE)}
        )
    if as_json:
        sys.stdout.write(written(document))
        return
    for one in found:
        print(*_stands(one), sep="\n")
    if document["keys_read_only"]:
        print(f"keys: read-only. {document['keys_read_only']}")


def _stands(one: dict[str, Any]) -> list[str]:
    rules = one["policy"]["rules"]
    lines = [
        f"{one['dataset']}: {so_many(one['records'])}, {many(one['outside'])} outside, "
        f"{many(one['waiting'])} waiting, {so_many_entries(one['entries'])}",
        f"  policy {one['policy']['version']}: {', '.join(rules['tests'])} at {number(rules['alpha'])}"
        f"{' for the whole set' * rules.get('familywise', False)}",
    ]
    for test in rules["tests"]:
        read = [e for e in one["exposures"] if e["test"] == test and e["value"] is not None and e["critical"]]
        if read:
            worst = max(read, key=lambda e: e["value"] / e["critical"])
            lines.append(f"  {test}: {number(worst['value'])} of {number(worst['critical'])}")
    return lines if one["read_only"] is None else [*lines, f"  read-only. {one['read_only']}"]


# -- copies -----------------------------------------------------------------------------------------


def run_export(database: str, keys: str | None, checkpoints: str | None, name: str, out: str) -> None:
    with opened(Place.of(database, keys, checkpoints), read_only=True) as desk, progress("Exporting"):
        written_down = export(desk, name, Path(out))
    print(f"{name}: {so_many_entries(written_down)} in {out}")


def run_backup(database: str, out: str) -> None:
    with progress("Copying"):
        backup(database, Path(out))
    print(f"Copied to {out}")


def run_reconcile(asked: Behind) -> None:
    if (asked.export is None) != asked.accept_loss:
        raise ParameterError(
            "Give either --export FILE or --accept-loss.",
            hint="With an export what was forgotten comes back; without it is lost, and the log says so.",
        )
    with opened(Place.of(asked.database, asked.keys, asked.checkpoints)) as desk, progress("Reconciling"):
        if asked.export is None:
            found = accept_loss(desk, asked.name, OPERATOR)
        else:
            found = carry_in(desk, asked.name, Export.read(Path(asked.export)))
    print(f"{asked.name}: {so_many_entries(found.before)} before, {many(found.after)} now")
    if found.behind is not None:
        print(f"{asked.name} is still read-only. {found.behind}")
        raise typer.Exit(1)
