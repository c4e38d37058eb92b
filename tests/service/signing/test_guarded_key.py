"""A private key that keeps what it signed last signs nothing that does not go on from that."""

from dataclasses import replace

import pytest

from divulge.errors import Conflict, SourceError
from divulge.service.ledger.answer_proofs import Consistency, hashes_in
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.secrets import raw, read_public
from divulge.service.signing.guarded_key import GuardedKey, NewerSigned, Statement, WantsProofSince
from divulge.service.signing.process import alone, answered


def entries(count, fork=None):
    """The hashes of a log's entries; a fork has others from an entry on."""
    return [f"{number if fork is None or number < fork else number + 1000:064x}" for number in range(count)]


def statement(count, since=0, *, fork=None, epoch=0, chain="people"):
    """What a service asks to be signed: a log of some entries, with proofs since the first of them."""
    tree = LogTree()
    for one in entries(count, fork)[:since]:
        tree.add(one)
    tree = tree.continued()
    for one in entries(count, fork)[since:]:
        tree.add(one)
    if count > since:
        path, last = tree.continued_from(since)
    else:
        path, last = [], statement(count).path
        last = [one.hex() for one in last]
    plain = Checkpoint(chain, epoch, count, entries(count, fork)[-1], "noon", "", tree.root)
    return Statement(plain, Consistency(since, hashes_in(path)), hashes_in(last))


@pytest.fixture
def key(tmp_path):
    return GuardedKey(tmp_path / "signer")


def test_what_goes_on_is_signed_and_known_after_a_restart(key, tmp_path):
    for since, count in ((0, 1), (1, 4), (4, 11)):
        signed = key.sign(statement(count, since))
        assert signed.is_signed_by(key.public)
        assert GuardedKey(tmp_path / "signer").last("people") == signed  # before it is handed out
    again = GuardedKey(tmp_path / "signer")
    assert again.sign(statement(12, 11)).is_signed_by(key.public)


def test_what_was_signed_and_not_told_is_signed_again(key):
    """As after a kill between the signature and the answer."""
    first = key.sign(statement(5))
    again = statement(5, 5)
    assert key.sign(again._replace(plain=replace(again.plain, at="later"))).head == first.head


def test_a_log_that_was_turned_back_is_not_signed(key):
    last = key.sign(statement(8))
    for since in (0, 3, 5):
        with pytest.raises(NewerSigned) as raised:
            key.sign(statement(5, since))
        assert raised.value.last == last
    assert key.last("people") == last


def test_a_signer_that_runs_knows_what_it_signed_though_its_files_are_gone(key, tmp_path):
    key.sign(statement(8))
    (tmp_path / "signer" / "signed" / "people.newest").unlink()
    with pytest.raises(NewerSigned):
        key.sign(statement(5))


@pytest.mark.parametrize("count", [8, 9, 20])
def test_another_log_is_not_signed_whatever_is_proved_of_it(key, count):
    last = key.sign(statement(8))
    honest = statement(count, 8) if count > 8 else statement(8, 8)
    forked = statement(count, 8, fork=3) if count > 8 else statement(8, 8, fork=3)
    for since in (0, 3):
        with pytest.raises(WantsProofSince):
            key.sign(statement(count, since, fork=3))
    for one in (
        forked,
        forked._replace(consistency=honest.consistency),
        forked._replace(consistency=Consistency(8, ())),
        honest._replace(plain=replace(honest.plain, root=forked.plain.root)),
        honest._replace(plain=replace(honest.plain, head="f" * 64)),
    ):
        with pytest.raises(Conflict):
            key.sign(one)
    assert key.last("people") == last


def test_a_loss_is_signed_once_where_the_operator_of_the_signer_has_accepted_it(key):
    key.sign(statement(8))
    with pytest.raises(Conflict, match="--allow-loss people"):
        key.sign(statement(5, epoch=1))
    with pytest.raises(Conflict, match="no loss"):
        key.allow_loss("others")
    key.allow_loss("people")
    with pytest.raises(NewerSigned):
        key.sign(statement(5))  # not as if there had been no loss
    key.sign(statement(5, epoch=1))
    with pytest.raises(Conflict, match="turned back"):
        key.sign(statement(4, epoch=2))  # not a second time
    with pytest.raises(Conflict, match="accepted losses"):
        key.sign(statement(9, 8))  # nor the epoch before


def test_no_loss_is_signed_that_nobody_accepted_though_the_log_goes_on(key):
    last = key.sign(statement(8))
    for epoch in (1, 2**53 - 1):
        with pytest.raises(Conflict, match="accepted losses") as raised:
            key.sign(statement(9, 8, epoch=epoch))
        assert "--allow-loss people" in raised.value.hint
    key.allow_loss("people")
    with pytest.raises(Conflict, match="accepted losses"):
        key.sign(statement(9, 8, epoch=2**53 - 1))  # after which no further loss could be counted
    assert key.last("people") == last
    assert key.sign(statement(9, 8, epoch=1)).epoch == 1


def test_a_log_that_no_service_has_stops_a_rotation_until_its_files_are_moved_away(key, tmp_path):
    key.sign(statement(8))
    key.sign(statement(1, chain="invented"))
    key.prepare()
    with pytest.raises(Conflict, match="signed before: invented") as raised:
        key.hand_over([statement(8, 8)])
    assert "move the files of that name" in raised.value.hint
    for one in (tmp_path / "signer" / "signed").glob("invented.*"):
        one.unlink()
    again = GuardedKey(tmp_path / "signer")
    assert [one.chain for one in again.hand_over([statement(8, 8)])] == ["people"]


def test_two_processes_do_not_sign_with_one_key(tmp_path):
    with alone(tmp_path), pytest.raises(SourceError, match="Another process signs"), alone(tmp_path):
        pass


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": 5},
        {"ask": "last", "chain": "../../etc/passwd"},
        {"ask": "last", "chain": 5},
        {"ask": "sign"},
        {"ask": "sign", "checkpoint": {}, "consistency": {}, "proof": []},
        {"ask": "hand over", "states": 7},
    ],
)
def test_questions_that_make_no_sense_are_refused_in_a_sentence(key, question):
    assert answered(key, question) == {"refused": "The question cannot be read."}


def test_a_checkpoint_without_a_root_or_with_odd_numbers_is_not_signed(key):
    plain, proof, path = statement(3)
    asked = {
        "ask": "sign",
        "checkpoint": plain.to_dict(),
        "consistency": {"since": 0, "path": []},
        "proof": [one.hex() for one in path],
    }
    assert "checkpoint" in answered(key, asked)
    for changed in ({"root": "x"}, {"count": -1}, {"count": 3.0}, {"epoch": True}, {"chain": "a/b"}):
        told = {**asked, "checkpoint": {**plain.to_dict(), **changed}}
        assert "refused" in answered(key, told)
    del told["checkpoint"]["root"]
    assert "refused" in answered(key, told)
    assert proof.since == 0


def test_a_web_process_cannot_begin_a_rotation(key):
    key.sign(statement(3))
    with pytest.raises(Conflict, match="--new-key"):
        key.hand_over([statement(3, 3)])


def test_a_log_cannot_be_left_out_of_a_hand_over(key):
    key.sign(statement(3))
    key.sign(statement(3, chain="others"))
    key.prepare()
    with pytest.raises(Conflict, match="missing"):
        key.hand_over([statement(3, 3)])


def test_no_other_key_is_made_where_there_was_one(key, tmp_path):
    folder = tmp_path / "signer"
    kept = (folder / "public.pem").read_bytes()
    (folder / "signing.pem").rename(tmp_path / "away.pem")
    with pytest.raises(SourceError, match="is missing in"):
        GuardedKey(folder)
    (folder / "public.pem").unlink()  # what was signed is there still
    with pytest.raises(SourceError, match="is missing in"):
        GuardedKey(folder)
    (tmp_path / "away.pem").rename(folder / "signing.pem")
    GuardedKey(folder)
    assert (folder / "public.pem").read_bytes() == kept  # it follows from the private key


def test_the_public_key_beside_a_private_one_that_was_moved_here_is_its_own(key, tmp_path):
    other = GuardedKey(tmp_path / "other")
    (tmp_path / "other" / "signing.pem").replace(tmp_path / "signer" / "signing.pem")
    GuardedKey(tmp_path / "signer")
    assert raw(read_public(tmp_path / "signer" / "public.pem")) == raw(other.public) != raw(key.public)
