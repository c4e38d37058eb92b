"""How long a log was, signed and kept outside the database."""

import json
import os
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from divulge.errors import SourceError
from divulge.service.ledger.checkpoints import Anchors, Checkpoint

KEY = Ed25519PrivateKey.generate()


def signed(count, head="0" * 64, epoch=0):
    return Checkpoint.signed(KEY, chain="people", epoch=epoch, count=count, head=head, at="noon")


def test_a_checkpoint_holds_for_what_was_signed_and_nothing_else():
    one = signed(3)
    assert one.is_signed_by(KEY.public_key())
    assert Checkpoint.of_dict(one.to_dict()) == one
    assert not one.is_signed_by(Ed25519PrivateKey.generate().public_key())
    for changed in ({"count": 4}, {"epoch": 1}, {"head": "1" * 64}, {"signature": "no hex"}):
        assert not replace(one, **changed).is_signed_by(KEY.public_key())


def test_anchors_keep_the_newest_and_a_list(tmp_path):
    anchors = Anchors(tmp_path / "anchors").make()
    assert anchors.newest("people") is None
    assert anchors.kept("people") == []
    anchors.keep(signed(2))
    anchors.note(signed(5))
    anchors.note(signed(4))  # older: changes nothing
    assert anchors.newest("people") == signed(5)
    assert anchors.kept("people") == [signed(2), signed(5)]
    anchors.note(signed(1, epoch=1))
    assert anchors.newest("people") == signed(1, epoch=1)
    assert anchors.newest("cats") is None


def test_the_newest_checkpoint_is_on_disk_before_anything_follows(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fdatasync", lambda handle: synced.append(os.pread(handle, 9000, 0)))
    anchors = Anchors(tmp_path).make()
    anchors.note(signed(2))
    anchors.note(signed(3))
    assert [b'"count": 3' in one for one in synced] == [False, True]


@pytest.mark.parametrize("written", range(0, 1024, 93))
def test_a_newest_checkpoint_that_was_half_written_leaves_the_one_before_it(tmp_path, written):
    """The power fails after some bytes of the next one."""
    anchors = Anchors(tmp_path).make()
    for count in (2, 3, 4):
        anchors.note(signed(count))
    before = (tmp_path / "people.newest").read_bytes()
    anchors.note(signed(5))
    after = (tmp_path / "people.newest").read_bytes()
    place = next(i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other)
    (tmp_path / "people.newest").write_bytes(before[:place] + b"{" + after[place + 1 : place + written])
    assert anchors.newest("people") in (signed(4), signed(5))
    anchors.note(signed(6))
    assert anchors.newest("people") == signed(6)


def test_a_checkpoint_of_other_types_is_not_one(tmp_path):
    """A signature that is a number ends in a sentence, as does any other that is no text."""
    for changed in ({"signature": 5}, {"count": "3"}, {"epoch": True}, {"head": None}):
        with pytest.raises(TypeError):
            Checkpoint.of_dict({**signed(3).to_dict(), **changed})
    (tmp_path / "people.newest").write_text(json.dumps({**signed(3).to_dict(), "signature": 5}))
    with pytest.raises(SourceError, match="cannot be read"):
        Anchors(tmp_path).newest("people")


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="cannot be made"):
        Anchors(tmp_path / "file" / "anchors").make()


@pytest.mark.parametrize("ending", ["newest", "checkpoints"])
def test_a_file_with_a_checkpoint_of_another_log_is_refused(tmp_path, ending):
    anchors = Anchors(tmp_path).make()
    anchors.keep(Checkpoint.signed(Ed25519PrivateKey.generate(), "others", 0, 1, "0" * 64, "now"))
    (tmp_path / f"others.{ending}").rename(tmp_path / f"people.{ending}")
    with pytest.raises(SourceError, match="has one of another log"):
        anchors.kept("people")


def test_what_other_processes_put_down_is_seen_at_once(tmp_path):
    folder = tmp_path / "anchors"
    ours, theirs = Anchors(folder).make(), Anchors(folder)
    for count in range(1, 9):
        (ours, theirs)[count % 2].note(signed(count))
        assert ours.newest("people") == theirs.newest("people") == Anchors(folder).newest("people")
        assert ours.newest("people").count == count


def test_a_file_that_was_put_back_or_damaged_is_read_anew(tmp_path):
    anchors = Anchors(tmp_path / "anchors").make()
    path = anchors.folder / "people.newest"
    anchors.note(signed(1))
    earlier = path.read_bytes()
    anchors.note(signed(2))
    path.write_bytes(earlier)
    assert anchors.newest("people") == signed(1)
    anchors.note(signed(3))
    anchors.note(signed(4))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b'"count": 4') + 9] = ord("x")
    path.write_bytes(raw)
    assert anchors.newest("people") == signed(3)
    anchors.note(signed(5))  # over the damaged one
    assert Anchors(anchors.folder).kept("people") == [signed(5)]
    assert path.read_bytes().count(b'"count": 3') == 1
    path.unlink()
    assert anchors.newest("people") is None
