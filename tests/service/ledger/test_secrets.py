"""The holder's keys."""

import os
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


def test_keys_are_on_disk_before_they_are_used(tmp_path, monkeypatch):
    """Every file is synced with its content, and after it the folder that names it and the one above."""
    synced = []
    true = os.fsync

    def fsync(handle):
        found = os.fstat(handle)
        synced.append((found.st_ino, found.st_size if stat.S_ISREG(found.st_mode) else "folder"))
        true(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    Secrets.make(tmp_path / "keys")
    files = [(tmp_path / "keys" / name).stat() for name in (SIGNING, DIGEST, PUBLIC)]
    assert [*synced[1:]] == [
        *((one.st_ino, one.st_size) for one in files),
        ((tmp_path / "keys").stat().st_ino, "folder"),
        (tmp_path.stat().st_ino, "folder"),  # where it has its name once all are in it
    ]
    assert synced[0] == (tmp_path.stat().st_ino, "folder")


@pytest.mark.parametrize("name", [SIGNING, DIGEST])
def test_keys_that_everybody_can_read_are_refused_with_what_to_do(tmp_path, name):
    Secrets.make(tmp_path)
    (tmp_path / name).chmod(0o644)
    with pytest.raises(SourceError, match="every user") as raised:
        Secrets.read(tmp_path)
    assert f"chmod 600 {tmp_path / name}" in str(raised.value)
    (tmp_path / name).chmod(0o640)
    Secrets.read(tmp_path)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_of_keys_that_others_can_change_is_refused_with_what_to_do(tmp_path, mode):
    keys = tmp_path / "keys"
    Secrets.make(keys)
    keys.chmod(mode)
    with pytest.raises(SourceError, match="can be changed by other users") as raised:
        Secrets.read(keys)
    assert f"chmod go-w {keys}" in str(raised.value)
    keys.chmod(0o755)
    Secrets.read(keys)


@pytest.mark.parametrize("content", ["", "00" * 31, "00" * 33])
def test_a_digest_key_that_is_not_whole_is_refused(tmp_path, content):
    Secrets.make(tmp_path)
    (tmp_path / DIGEST).write_text(content)
    with pytest.raises(SourceError, match="not the whole key"):
        Secrets.read(tmp_path)


def test_keys_of_two_holders_are_refused(tmp_path):
    Secrets.make(tmp_path / "one")
    Secrets.make(tmp_path / "other")
    (tmp_path / "one" / PUBLIC).write_bytes((tmp_path / "other" / PUBLIC).read_bytes())
    with pytest.raises(SourceError, match="different holders"):
        Secrets.read(tmp_path / "one")


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
