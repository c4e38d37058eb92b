"""The holder's keys."""

import stat

import pytest

from divulge.errors import MissingSource, SourceError
from divulge.service.ledger.secrets import DIGEST, PUBLIC, SIGNING, Secrets, read_public


def test_keys_are_read_as_they_were_made(tmp_path):
    made, read = Secrets.make(tmp_path / "keys"), Secrets.read(tmp_path / "keys")
    assert read.digest == made.digest
    assert read.public_pem == made.public_pem
    read_public(tmp_path / "keys" / PUBLIC).verify(made.signing.sign(b"text"), b"text")


def test_only_their_owner_may_read_keys(tmp_path):
    Secrets.make(tmp_path / "keys")
    for name in (SIGNING, DIGEST):
        assert stat.S_IMODE((tmp_path / "keys" / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_keys_are_never_overwritten(tmp_path):
    made = Secrets.make(tmp_path)
    with pytest.raises(SourceError, match="already"):
        Secrets.make(tmp_path)
    assert Secrets.read(tmp_path).digest == made.digest


def test_keys_that_are_not_there_or_damaged_are_told_by_their_folder(tmp_path):
    with pytest.raises(MissingSource, match="are not in"):
        Secrets.read(tmp_path)
    with pytest.raises(MissingSource, match="no key"):
        read_public(tmp_path / PUBLIC)
    Secrets.make(tmp_path)
    (tmp_path / DIGEST).write_text("no hex")
    with pytest.raises(SourceError, match="cannot be read"):
        Secrets.read(tmp_path)
    with pytest.raises(SourceError, match="not a public key"):
        read_public(tmp_path / DIGEST)
