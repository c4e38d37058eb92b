"""Signing in the own process: a signature may be made ready, and is given only when it is asked for."""

import pytest

from divulge.errors import Unavailable
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.cosignatures import fingerprint_of
from divulge.service.ledger.secrets import Secrets
from divulge.service.signing.signer import LocalSigner, RetiredKeys

PLAIN = Checkpoint("d", 0, 3, "a" * 64, "2026-01-02", "", "b" * 64)


@pytest.fixture
def secrets(tmp_path):
    return Secrets.make(tmp_path / "keys")


def test_a_signature_made_ready_is_the_one_that_is_given(secrets, tmp_path):
    signer = LocalSigner(secrets, tmp_path)
    expected = signer.sign(PLAIN)
    signer.ahead(PLAIN)
    assert signer.sign(PLAIN) == expected
    assert expected.is_signed_by(secrets.public)


def test_something_else_is_not_given_a_signature_made_ready(secrets, tmp_path):
    signer = LocalSigner(secrets, tmp_path)
    signer.ahead(PLAIN)
    other = Checkpoint("d", 0, 4, "c" * 64, "2026-01-02", "", "b" * 64)
    found = signer.sign(other)
    assert found.count == 4
    assert found.is_signed_by(secrets.public)


def test_a_key_that_signs_no_longer_gives_no_signature_made_ready(secrets, tmp_path):
    signer = LocalSigner(secrets, tmp_path)
    signer.ahead(PLAIN)
    RetiredKeys(tmp_path).add(fingerprint_of(secrets.public))
    with pytest.raises(Unavailable, match="rotated"):
        signer.sign(PLAIN)


def test_nothing_is_stored_or_told_of_a_signature_made_ready(secrets, tmp_path):
    anchors = Anchors(tmp_path / "checkpoints").make()
    LocalSigner(secrets, anchors.folder).ahead(PLAIN)
    assert anchors.newest("d") is None
    assert list(anchors.folder.iterdir()) == []
