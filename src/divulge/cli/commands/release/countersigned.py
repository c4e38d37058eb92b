"""Whether a log that is verified was countersigned by the witnesses that somebody trusts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from divulge._support.wording import many
from divulge.errors import ParameterError
from divulge.service.ledger.chain import Fault
from divulge.service.ledger.cosignatures import Cosigned, fingerprint_of, read_cosigned
from divulge.service.ledger.secrets import read_public
from divulge.service.operations.verifying import Verified


def held_to_witnesses(
    found: Sequence[Verified], folder: Path, keys: Sequence[str]
) -> tuple[list[Verified], list[str]]:
    """Logs, each with a fault where a witness has not signed it, and what is to be said of those who have."""
    if keys and not folder.is_dir():
        raise ParameterError(
            "Signatures of witnesses are in a folder of checkpoints.", hint="Name it with --checkpoints."
        )
    logs, said = [*found], []
    for key in keys:
        public = read_public(Path(key))
        witness = fingerprint_of(public)
        for place, log in enumerate(logs):
            signed = [one for one in read_cosigned(folder, log.chain) if one.is_signed_by(public)]
            last: Cosigned | None = max(signed, key=lambda one: one.checkpoint.count, default=None)
            if last is not None:
                count = many(last.checkpoint.count)
                said.append(f"{log.chain}: countersigned up to entry {count} by {witness} at {last.at}.")
            elif log.fault is None:
                fault = Fault(1, f"No checkpoint was countersigned by the witness {witness}.")
                logs[place] = replace(log, fault=fault)
    return logs, said
