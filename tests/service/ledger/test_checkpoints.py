"""How long a log was, signed and kept outside the database."""

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
    anchors = Anchors(tmp_path / "anchors")
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


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="cannot be made"):
        Anchors(tmp_path / "file" / "anchors")
