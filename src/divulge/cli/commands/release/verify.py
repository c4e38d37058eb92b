"""The release verify command: what is there to check it with, and what was found."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge import documents
from divulge._support.wording import many
from divulge.cli.commands.release.countersigned import held_to_witnesses
from divulge.cli.exit_codes import FAILED
from divulge.cli.progress import progress
from divulge.cli.requests.release import VerifyRequest
from divulge.documents import as_json as written
from divulge.errors import MissingSource, ParameterError, SourceError, listing
from divulge.service.ledger.answer_proofs import ProvedAnswer, held_to_log, proofs_in
from divulge.service.ledger.canonical_json import with_single_names
from divulge.service.ledger.chain import ODD, Fault
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.cosignatures import fingerprint_of
from divulge.service.ledger.hand_overs import HandOver, HolderKeys, hand_overs_in
from divulge.service.ledger.secrets import Secrets, read_public
from divulge.service.operations.exporting import (
    Export,
    exported_in,
    read_checkpoints,
    read_hand_overs_with,
)
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.verifying import LogCheck, Verified
from divulge.service.store.connection import Database
from divulge.service.store.database import is_server, open_database

MOST = 5  # entries that are named
# of an answer, by whether its log is there
NOT_COMPARED = {False: ("decision", "ticket", "contents"), True: ("contents",)}
NOT_COMPARED_SENTENCES = {
    False: "Not compared: its decision and ticket (give --checkpoints EXPORT), and a record or figure in it.",
    True: "Its decision and ticket are those of the log. Not compared: a record or figure in it.",
}
UNCHECKED = (
    "Not compared: the indexes of the database with its tables. PostgreSQL does it after "
    "CREATE EXTENSION amcheck, for a user who may call bt_index_check."
)
MAGIC = b"SQLite format 3\x00"  # how a SQLite file begins


def _is_database(log: str) -> bool:
    if is_server(log):
        return True
    try:
        with Path(log.removeprefix("sqlite:///")).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise MissingSource(f"{log} cannot be read: {error.strerror}.") from None


def _public(asked: VerifyRequest, secrets: Secrets | None) -> Ed25519PublicKey | None:
    if asked.public_key is not None:
        return read_public(Path(asked.public_key))
    return None if secrets is None else secrets.public


def run_verify(asked: VerifyRequest) -> None:
    if (asked.log is None) == (asked.proof is None):
        raise ParameterError("Give either a log or --proof.")
    if asked.proof is not None:
        run_proof(asked, Path(asked.proof))
        return
    with progress("Verifying"):
        verify = _database if _is_database(asked.log or "") else _export
        found, public, own = verify(asked, asked.log or "")
        place = ServiceLocations.of(asked.log or "", asked.keys, asked.checkpoints)
        found, countersigned = held_to_witnesses(found, place.anchors, asked.witness_key or ())
    if asked.as_json:
        _write(found, public, own)
    else:
        print(*map(_sentence, found), *countersigned, sep="\n")
        if own:
            print(f"Checked with the export's own public key, {_fingerprint(public)}: is it the holder's?")
    if any(one.fault for one in found):
        raise typer.Exit(FAILED)


def _write(found: Sequence[Verified], public: Ed25519PublicKey | None, own: bool) -> None:
    contents = {
        "whole": all(one.fault is None for one in found),
        "public_key": _fingerprint(public),
        "key_of_the_export": own,
        "chains": [one.to_dict() for one in found],
    }
    sys.stdout.write(written(documents.headed("verification", contents)))


Result = tuple[Sequence[Verified], Ed25519PublicKey | None, bool]


def _database(asked: VerifyRequest, log: str) -> Result:
    place = ServiceLocations.of(log, asked.keys, asked.checkpoints)
    # Keys and checkpoints that are not named count where a service has them.
    there = asked.keys is not None or place.keys.is_dir()
    secrets = Secrets.read(place.keys) if there else None
    named = asked.checkpoints is not None or place.anchors.is_dir()
    checkpoints = read_checkpoints(place.anchors) if named else {}
    public = _public(asked, secrets)
    if secrets is None and not checkpoints:
        raise ParameterError(
            "There is nothing to verify the log with: neither the holder's keys nor checkpoints.",
            hint="Give --key-folder, or --checkpoints with --public-key.",
        )
    if public is None:
        raise ParameterError(
            "Checkpoints need the holder's public key.", hint="Give --public-key or --key-folder."
        )
    if asked.replay and secrets is None:
        raise ParameterError(
            "Decisions cannot be repeated without the holder's keys.", hint="Give --key-folder."
        )
    handed = read_hand_overs_with(place.anchors) if named else ()
    check = LogCheck(None if secrets is None else secrets.digest, public, checkpoints, hand_overs=handed)
    with closing(open_database(log, read_only=True)) as database:
        if not database.require_sound():
            print(UNCHECKED, file=sys.stderr)
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


def _export(asked: VerifyRequest, log: str) -> Result:
    if asked.replay:
        raise ParameterError(
            "An export has no records, so decisions cannot be repeated.", hint="Name a database."
        )
    export = Export.read(Path(log))
    if not export.chain and export.public is None:
        raise SourceError(
            f"{log} is neither the database of a service nor an export of its log.",
            hint="Name what release init made, or what release export wrote.",
        )
    secrets = Secrets.read(Path(asked.keys)) if asked.keys is not None else None
    given = read_checkpoints(Path(asked.checkpoints)) if asked.checkpoints is not None else {}
    _require_related(asked, given, {export.chain})
    public = _public(asked, secrets)
    handed = read_hand_overs_with(Path(asked.checkpoints)) if asked.checkpoints is not None else ()
    check = LogCheck(None if secrets is None else secrets.digest, public, given, hand_overs=handed)
    found = check.export(export)
    return [found], public or export.public, public is None


def _sentence(one: Verified) -> str:
    if one.fault is not None:
        return f"{one.chain or 'The log'}: NOT COMPLETE. {one.fault.sentence}"
    by = ["the holder's seals"] if one.sealed else []
    if one.checkpoints:
        by.append(f"{many(one.checkpoints)} checkpoint{'' if one.checkpoints == 1 else 's'}")
    said = f"{one.chain}: {entries(one.entries)}, complete by {' and '.join(by)}."
    if one.not_covered:
        said += f" Not compared with it, which needs --key-folder: {', '.join(one.not_covered)}."
    if one.removed:
        said += (
            f" By the retention rule {many(one.removed)} answer{'' if one.removed == 1 else 's'} up to entry "
            f"{many(one.removed_to or 0)} {'was' if one.removed == 1 else 'were'} removed."
        )
    if one.lost:
        said += f" The loss of {entries(one.lost)} was accepted."
    if one.decisions is not None:
        said += f" Repeated with the same result: {many(one.decisions)}."
    return said


def entries(count: int) -> str:
    return f"{many(count)} {'entry' if count == 1 else 'entries'}"


def _fingerprint(public: Ed25519PublicKey | None) -> str | None:
    return None if public is None else fingerprint_of(public)


# -- answers ----------------------------------------------------------------------------------------


def run_proof(asked: VerifyRequest, path: Path) -> None:
    """Whether the entries of an answer are in the log that the holder signed."""
    if asked.public_key is None:
        raise ParameterError("A proof needs the holder's public key.", hint="Give --public-key.")
    public = read_public(Path(asked.public_key))
    answers, hand_overs, errors = _answers(path)
    beside = read_hand_overs_with(Path(asked.checkpoints)) if asked.checkpoints is not None else ()
    signed, keys = answers[0].checkpoint, HolderKeys(public, beside).with_more(hand_overs)
    faults = [(one, fault) for one in answers if (fault := one.fault(keys)) is not None]
    log = None if asked.checkpoints is None else exported_in(Path(asked.checkpoints))
    compared = log is not None and log.chain == signed.chain
    if log is not None and compared and not faults:
        try:
            faults = [found] if (found := held_to_log(answers, log.entries())) is not None else []
        except ODD:
            raise SourceError(f"The log in {asked.checkpoints} cannot be read.") from None
    if asked.as_json:
        first = Fault(faults[0][0].index, faults[0][1]) if faults else None
        left = (*NOT_COMPARED[compared], *(["answers with an error"] if errors else []))
        _write([Verified(signed.chain, signed.count, False, 1, 0, None, first, left)], public, False)
    elif faults:
        print(f"{signed.chain}: NOT PROVED. {faults[0][1]}")
    else:
        proved = ", ".join(many(one.index) for one in answers[:MOST]) + ", ..." * (len(answers) > MOST)
        which = f"{'entry' if len(answers) == 1 else 'entries'} {proved}"
        print(
            f"{signed.chain}: {which} in the log of {entries(signed.count)} signed at {signed.at}.",
            NOT_COMPARED_SENTENCES[compared],
        )
        if errors:
            print(
                f"NOT PROVED: {many(errors)} of {many(errors + len(answers))} answers. "
                "An error has no entry, so nothing shows that the service gave it."
            )
    if faults:
        raise typer.Exit(FAILED)


def _answers(path: Path) -> tuple[list[ProvedAnswer], list[HandOver], int]:
    """The answers in a file, the hand-overs beside them, and how many lines of a batch are errors."""
    try:
        given = with_single_names(path.read_text("utf-8"))
        found, hand_overs = proofs_in(given), hand_overs_in(given)
    except FileNotFoundError:
        raise MissingSource(f"There is no answer {path}.") from None
    except (OSError, *ODD):
        raise SourceError(
            f"{path} is not an answer with a proof.", hint="Write one with: divulge release request --json"
        ) from None
    if not found:
        raise SourceError(f"{path} has no answers.")
    return found, hand_overs, len(given.get("answers", found)) - len(found)
