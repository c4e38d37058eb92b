"""The release verify command: what is there to check it with, and what was found."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge import documents
from divulge._support.wording import many
from divulge.cli.exit_codes import FAILED
from divulge.cli.progress import progress
from divulge.cli.requests.release import VerifyRequest
from divulge.documents import as_json as written
from divulge.errors import MissingSource, ParameterError, SourceError, listing
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.secrets import Secrets, raw, read_public
from divulge.service.operations.exporting import Export, read_checkpoints
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.verifying import LogCheck, Verified
from divulge.service.store.connection import Database
from divulge.service.store.database import is_server, open_database

MAGIC = b"SQLite format 3\x00"  # how a SQLite file begins


def _is_database(asked: VerifyRequest) -> bool:
    if is_server(asked.log):
        return True
    try:
        with Path(asked.log.removeprefix("sqlite:///")).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise MissingSource(f"{asked.log} cannot be read: {error.strerror}.") from None


def _public(asked: VerifyRequest, secrets: Secrets | None) -> Ed25519PublicKey | None:
    if asked.public_key is not None:
        return read_public(Path(asked.public_key))
    return None if secrets is None else secrets.public


def run_verify(asked: VerifyRequest) -> None:
    with progress("Verifying"):
        verify = _database if _is_database(asked) else _export
        found, public, own = verify(asked)
    if asked.as_json:
        contents = {
            "whole": all(one.fault is None for one in found),
            "public_key": _fingerprint(public),
            "key_of_the_export": own,
            "chains": [one.to_dict() for one in found],
        }
        document = documents.headed("verification", contents)
        sys.stdout.write(written(document))
    else:
        print(*map(_sentence, found), sep="\n")
        if own:
            print(f"Checked with the export's own public key, {_fingerprint(public)}: is it the holder's?")
    if any(one.fault for one in found):
        raise typer.Exit(FAILED)


Result = tuple[Sequence[Verified], Ed25519PublicKey | None, bool]


def _database(asked: VerifyRequest) -> Result:
    place = ServiceLocations.of(asked.log, asked.keys, asked.checkpoints)
    # Keys and checkpoints that are not named count where a service has them.
    secrets = Secrets.read(place.keys) if asked.keys is not None or place.keys.is_dir() else None
    named = asked.checkpoints is not None or place.anchors.is_dir()
    checkpoints = read_checkpoints(place.anchors) if named else {}
    public = _public(asked, secrets)
    if secrets is None and not checkpoints:
        raise ParameterError(
            "There is nothing to verify the log with: neither the holder's keys nor checkpoints.",
            hint="Give --keys, or --checkpoints with --public-key.",
        )
    if public is None:
        raise ParameterError("Checkpoints need the holder's public key.", hint="Give --public-key or --keys.")
    if asked.replay and secrets is None:
        raise ParameterError("Decisions cannot be repeated without the holder's keys.", hint="Give --keys.")
    check = LogCheck(None if secrets is None else secrets.digest, public, checkpoints)
    with closing(open_database(asked.log, read_only=True)) as database:
        database.require_sound()
        _require_related(asked, checkpoints, _logs(database))
        return check.database(database, again=asked.replay), public, False


def _logs(database: Database) -> set[str]:
    rows = database.read(lambda connection: connection.rows("SELECT chain FROM head"))
    return {chain for (chain,) in rows}


def _require_related(
    asked: VerifyRequest, checkpoints: Mapping[str, Sequence[Checkpoint]], logs: set[str]
) -> None:
    """Refuse checkpoints that say nothing of any log that is verified."""
    if asked.checkpoints is not None and logs and not logs & set(checkpoints):
        said = f"of {listing(sorted(checkpoints), 3)}" if checkpoints else "of no log"
        raise SourceError(
            f"The checkpoints in {asked.checkpoints} are {said}, and these logs are verified: "
            f"{listing(sorted(logs), 3)}.",
            hint="Name the checkpoints of this service.",
        )


def _export(asked: VerifyRequest) -> Result:
    if asked.replay:
        raise ParameterError(
            "An export has no records, so decisions cannot be repeated.", hint="Name a database."
        )
    export = Export.read(Path(asked.log))
    secrets = Secrets.read(Path(asked.keys)) if asked.keys is not None else None
    given = read_checkpoints(Path(asked.checkpoints)) if asked.checkpoints is not None else {}
    _require_related(asked, given, {export.chain})
    public = _public(asked, secrets)
    found = LogCheck(None if secrets is None else secrets.digest, public, given).export(export)
    return [found], public or export.public, public is None


def _sentence(one: Verified) -> str:
    if one.fault is not None:
        return f"{one.chain}: NOT COMPLETE. {one.fault.sentence}"
    by = ["the holder's seals"] if one.sealed else []
    if one.checkpoints:
        by.append(f"{many(one.checkpoints)} checkpoint{'' if one.checkpoints == 1 else 's'}")
    said = f"{one.chain}: {entries(one.entries)}, complete by {' and '.join(by)}."
    if one.not_covered:
        said += f" Not compared with it, which needs --keys: {', '.join(one.not_covered)}."
    if one.lost:
        said += f" The loss of {entries(one.lost)} was accepted."
    if one.decisions is not None:
        said += f" Repeated with the same result: {many(one.decisions)}."
    return said


def entries(count: int) -> str:
    return f"{many(count)} {'entry' if count == 1 else 'entries'}"


def _fingerprint(public: Ed25519PublicKey | None) -> str | None:
    if public is None:
        return None
    return hashlib.sha256(raw(public)).hexdigest()[:16]
