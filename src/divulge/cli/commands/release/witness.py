"""The release witness command: a second process that countersigns what the holder signs."""

from __future__ import annotations

import sys
from pathlib import Path

from divulge.cli.requests.release import WitnessRequest
from divulge.service.decisions.checkpointed import now
from divulge.service.ledger.cosignatures import fingerprint_of
from divulge.service.ledger.secrets import read_public
from divulge.service.ledger.witness import Witness


def run_witness(asked: WitnessRequest) -> None:
    from divulge.service.http.witness_app import serve_witness

    witness = Witness(Path(asked.folder), read_public(Path(asked.public_key)), now)
    _say(f"The witness's key: {asked.folder}/keys/public.pem, {fingerprint_of(witness.public)}")
    serve_witness(
        witness,
        asked.host,
        asked.port,
        announce=lambda url: _say(f"Witnessing at {url}/checkpoints"),
        alarm=lambda sentence: _say(f"CONTRADICTION: {sentence} Both checkpoints: {asked.folder}/seen"),
    )


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
