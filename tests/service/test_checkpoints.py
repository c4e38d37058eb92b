"""How long a log was, signed and kept outside the database."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from divulge.errors import SourceError
from divulge.service.chain import START
from divulge.service.checkpoints import Anchors, Checkpoint, against
from service.test_chain import chain

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


def test_a_log_that_goes_on_agrees_with_its_checkpoints():
    entries = chain(1, 2, 3, 4)
    assert (
        against(entries, [signed(0, START), signed(4, entries[3].hash), signed(2, entries[1].hash)]) is None
    )


def test_a_log_that_was_cut_off_is_found_where_it_ends():
    entries = chain(1, 2, 3, 4)
    assert against(entries[:2], [signed(4, entries[3].hash)]).index == 3


def test_a_log_that_was_rewritten_is_found_after_the_last_checkpoint_that_agrees():
    entries = chain(1, 2, 3, 4)
    rewritten = chain(1, 2, 9, 9)
    checkpoints = [signed(2, entries[1].hash), signed(4, entries[3].hash)]
    assert against(rewritten, checkpoints).index == 3


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
