"""The operator's commands: a database is made, filled, served, copied and returned to service."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from divulge import documents
from divulge._support.small_counts import hidden
from divulge._support.wording import in_words, many, number
from divulge._support.wording import records as so_many
from divulge.cli.commands.release.dataset import (
    OPERATOR,
    naming_in_words,
    new_dataset,
    opened,
    place_of,
    released_in_words,
    updated_dataset,
)
from divulge.cli.commands.release.token_issuers import token_issuer
from divulge.cli.commands.release.verify import entries as so_many_entries
from divulge.cli.exit_codes import FAILED
from divulge.cli.progress import progress
from divulge.cli.requests.release import (
    BackupRequest,
    DatasetRequest,
    ExportRequest,
    ReconcileRequest,
    ServeRequest,
    StatusRequest,
    UpdateRequest,
)
from divulge.documents import as_json as written
from divulge.documents.release import FaultyEntry, StatusDocument
from divulge.errors import ParameterError, Unavailable
from divulge.report.release.wording import room
from divulge.service.decisions.open_requests import OpenLimits
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.operations.backups import backup
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.pushed.places import place_named
from divulge.service.operations.pushed.pushing import Pushing
from divulge.service.operations.reconciling import accept_loss, carry_in
from divulge.service.operations.retention import Retention, kept_for
from divulge.service.operations.setting_up import set_up
from divulge.service.store.database import is_server

# -- datasets ---------------------------------------------------------------------------------------


def run_init(asked: DatasetRequest) -> None:
    place = place_of(asked)
    with progress("Reading"):
        dataset = new_dataset(asked)
        dataset.guard(dataset.table())  # this and the ids say what is wrong before a database is made
        dataset.ids()
    with progress("Loading") as stage:
        found = set_up(place, dataset, OPERATOR, following=asked.following, stage=stage)
    say(f"{asked.name}: {so_many(found.records)} in {found.database}")
    say(released_in_words(dataset))
    for fault in (*naming_in_words(dataset), *dataset.rules.warnings):
        say(f"Warning: {fault}")
    if found.admin_key is not None:
        say(f"The holder's keys: {place.keys}")
        say(f"Checkpoints: {place.anchors}")
        say("The admin's key, shown once:")
        print(found.admin_key)


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def run_update(asked: UpdateRequest) -> None:
    with opened(place_of(asked)) as decider, progress("Updating") as stage:
        told = decider.update(updated_dataset(asked, decider), OPERATOR, stage=stage)
    new, gone = (in_words(hidden(told[name])) for name in ("new", "gone"))
    print(f"{asked.name}: {so_many(told['records'])}, {new} new, {gone} gone")


# -- serving ----------------------------------------------------------------------------------------


def run_serve(asked: ServeRequest) -> None:
    from divulge.service.http.limits import TrustedProxies
    from divulge.service.http.server import serve

    proxies = asked.proxy or ()
    # What is wrong with these is said before anything is opened.
    TrustedProxies(proxies)
    kept_for(asked.keep_answers)
    limits = OpenLimits(asked.open_per_key, asked.open_per_record)
    tokens = token_issuer(asked)
    place = place_of(asked)
    if asked.signer is None:
        _ = place.secrets().signing  # says what to do where there is no private key
    decider = place.open()
    decider.open_limits = limits
    if not is_server(place.url) and Path(decider.database.name).stat().st_mode & 0o022:
        say(
            f"divulge: {decider.database.name} can be changed by other users of this machine. "
            f"chmod go-w {decider.database.name}"
        )
    if (fault := decider.signing_fault()) is not None:
        say(f"divulge: {fault}")
    for chain, why in decider.behind.items():
        say(f"divulge: {chain} is read-only. {why}")
    pushing = Pushing(decider, [place_named(one) for one in asked.push or ()])
    pushing.start()
    retention = Retention(decider, asked.keep_answers, "retention rule")

    def started(url: str) -> None:
        say(f"Serving at {url}")
        retention.start()

    def stop() -> None:
        retention.stop()
        pushing.stop()

    serve(
        decider,
        asked.host,
        asked.port,
        proxies=proxies,
        tokens=tokens,
        announce=started,
        stopping=stop,
    )


def run_status(asked: StatusRequest) -> None:
    with opened(place_of(asked), read_only=True) as decider:
        found: list[Any] = []
        faulty: list[FaultyEntry] = []
        for name in decider.datasets():
            try:
                found.append(decider.status(name))
            except Unavailable as error:
                faulty.append({"dataset": name, "read_only": str(error)})
        guarded = decider.guarded_tables()
        document: StatusDocument = documents.headed(
            "release status",
            {"datasets": found, "faulty": faulty, "keys_read_only": decider.behind.get(SERVICE)},
        )
    if asked.as_json:
        sys.stdout.write(written(document))
        return
    for one in found:
        print(*_stands(one), sep="\n")
    for one in faulty:
        print(f"{one['dataset']}: read-only. {one['read_only']}")
    if guarded:
        status = f"divulge query status {shlex.quote(asked.database)}"
        print(f"Guarded tables: {', '.join(guarded)}. How they stand: {status}")
    if document["keys_read_only"]:
        print(f"keys: read-only. {document['keys_read_only']}")


def _stands(one: dict[str, Any]) -> list[str]:
    rules = one["policy"]["rules"]
    lines = [
        f"{one['dataset']}: {so_many(one['records'])}, {many(one['outside'])} released, "
        f"{many(one['waiting'])} waiting, {so_many_entries(one['entries'])}",
        f"  policy {one['policy']['version']}: {', '.join(rules['tests'])} at {number(rules['alpha'])}"
        f"{' for the whole set' * rules.get('familywise', False)}",
    ]
    lines += [
        f"  {test}: {number(value)} of {number(critical)}"
        for test, value, critical in one["worst"]
        if value is not None and critical
    ]
    lines += [f"  {sentence}" for sentence in room(one["typical"], "Now")]
    if one["stuck_targets"]:
        lines.append(
            f"  stuck: no record of {many(one['stuck_targets'])} of {many(one['expected_targets'])} targets "
            "could be released, whatever its value"
        )
    return lines if one["read_only"] is None else [*lines, f"  read-only. {one['read_only']}"]


# -- copies -----------------------------------------------------------------------------------------


def run_export(asked: ExportRequest) -> None:
    with opened(place_of(asked), read_only=True) as decider, progress("Exporting"):
        written_down = export(decider, asked.name, Path(asked.out))
    print(f"{asked.name}: {so_many_entries(written_down)} in {asked.out}")


def run_backup(asked: BackupRequest) -> None:
    with progress("Copying"):
        backup(asked.database, Path(asked.out))
    print(f"Copied to {asked.out}")


def run_reconcile(asked: ReconcileRequest) -> None:
    if (asked.export is None) != asked.accept_loss:
        raise ParameterError(
            "Give either --export FILE or --accept-loss.",
            hint=(
                "With an export the missing entries are restored; without one they are lost, and the log "
                "says so."
            ),
        )
    with opened(place_of(asked)) as decider, progress("Reconciling"):
        if asked.export is None:
            found = accept_loss(decider, asked.name, OPERATOR)
        else:
            found = carry_in(decider, asked.name, Export.read(Path(asked.export)))
    print(f"{asked.name}: {so_many_entries(found.before)} before, {many(found.after)} now")
    if found.behind is not None:
        print(f"{asked.name} is still read-only. {found.behind}")
        raise typer.Exit(FAILED)
