"""The verification of a log at work: what is there to check it with, and what was found."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge import documents
from divulge.cli.progress import progress
from divulge.errors import MissingSource, ParameterError
from divulge.report.saving import as_json as written
from divulge.service.checkpoints import Checkpoint
from divulge.service.database import is_server, open_database
from divulge.service.exporting import Export, read_checkpoints
from divulge.service.place import Place
from divulge.service.secrets import Secrets, read_public
from divulge.service.verifying import Check, Verified
from divulge.wording import many

FAULTY = 1
MAGIC = b"SQLite format 3\x00"  # how a SQLite file begins


@dataclass(frozen=True)
class Suspect:
    """A log to be verified, and with what."""

    log: str
    keys: str | None
    checkpoints: str | None
    public_key: str | None
    replay: bool
    as_json: bool

    @property
    def place(self) -> Place:
        return Place.of(self.log, self.keys, self.checkpoints)

    def is_database(self) -> bool:
        if is_server(self.log):
            return True
        try:
            with Path(self.log.removeprefix("sqlite:///")).open("rb") as file:
                return file.read(len(MAGIC)) == MAGIC
        except OSError as error:
            raise MissingSource(f"{self.log} cannot be read: {error.strerror}.") from None

    def secrets(self) -> Secrets | None:
        """The holder's keys, where they are named or lie where a service has them."""
        if self.keys is None and not self.place.keys.is_dir():
            return None
        return Secrets.read(self.place.keys)

    def elsewhere(self) -> dict[str, list[Checkpoint]]:
        """Checkpoints that were kept outside."""
        if self.checkpoints is None and not self.place.anchors.is_dir():
            return {}
        return read_checkpoints(self.place.anchors)

    def public(self, secrets: Secrets | None) -> Ed25519PublicKey | None:
        if self.public_key is not None:
            return read_public(Path(self.public_key))
        return None if secrets is None else secrets.public


def run_verify(asked: Suspect) -> None:
    with progress("Verifying"):
        verify = _database if asked.is_database() else _export
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
        raise typer.Exit(FAULTY)


Result = tuple[Sequence[Verified], Ed25519PublicKey | None, bool]


def _database(asked: Suspect) -> Result:
    secrets, checkpoints = asked.secrets(), asked.elsewhere()
    public = asked.public(secrets)
    if secrets is None and not checkpoints:
        raise ParameterError(
            "There is nothing to verify the log with: neither the holder's keys nor checkpoints.",
            hint="Give --keys, or --checkpoints with --public-key.",
        )
    if public is None:
        raise ParameterError("Checkpoints need the holder's public key.", hint="Give --public-key or --keys.")
    if asked.replay and secrets is None:
        raise ParameterError(
            "Decisions cannot be taken again without the holder's keys.", hint="Give --keys."
        )
    check = Check(None if secrets is None else secrets.digest, public, checkpoints)
    database = open_database(asked.log, read_only=True)
    try:
        return check.database(database, again=asked.replay), public, False
    finally:
        database.close()


def _export(asked: Suspect) -> Result:
    if asked.replay:
        raise ParameterError(
            "An export holds no records, so nothing can be decided again.", hint="Name a database."
        )
    export = Export.read(Path(asked.log))
    secrets = Secrets.read(Path(asked.keys)) if asked.keys is not None else None
    given = read_checkpoints(Path(asked.checkpoints)) if asked.checkpoints is not None else {}
    public = asked.public(secrets)
    found = Check(None if secrets is None else secrets.digest, public, given).export(export)
    return [found], public or export.public, public is None


def _sentence(one: Verified) -> str:
    if one.fault is not None:
        return f"{one.chain}: NOT WHOLE. {one.fault.sentence}"
    by = ["the holder's seals"] if one.sealed else []
    by += (
        [f"{many(one.checkpoints)} checkpoint{'' if one.checkpoints == 1 else 's'}"]
        if one.checkpoints
        else []
    )
    said = f"{one.chain}: {entries(one.entries)}, whole by {' and '.join(by)}."
    if one.lost:
        said += f" The loss of {entries(one.lost)} was accepted."
    if one.decisions is not None:
        said += f" Decided again and the same: {many(one.decisions)}."
    return said


def entries(count: int) -> str:
    return f"{many(count)} {'entry' if count == 1 else 'entries'}"


def _fingerprint(public: Ed25519PublicKey | None) -> str | None:
    if public is None:
        return None
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:16]
