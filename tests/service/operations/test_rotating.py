"""The key that signs is replaced by another, and all who verify follow, but only with both signatures."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from divulge.cli.commands.release.calls.remembered import SeenCheckpoint, check_answer
from divulge.errors import Conflict, Forbidden, SourceError, Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.answer_proofs import proofs_in
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.cosignatures import Cosigned, fingerprint_of
from divulge.service.ledger.hand_overs import (
    HANDED_OVER,
    HandOver,
    HolderKeys,
    hand_overs_in,
    read_hand_overs,
)
from divulge.service.ledger.log_tree import consistency_path
from divulge.service.ledger.log_writer import SERVICE, LogWriter
from divulge.service.ledger.merkle import EMPTY
from divulge.service.ledger.secrets import (
    NEXT,
    PUBLIC,
    SIGNING,
    Secrets,
    pem_of,
    public_pem_of,
    raw,
    read_public,
)
from divulge.service.ledger.witness import Witness
from divulge.service.operations import rotating
from divulge.service.operations.exporting import Export, export, read_checkpoints
from divulge.service.operations.reconciling import accept_loss
from divulge.service.operations.rotating import rotate
from divulge.service.operations.verifying import LogCheck
from divulge.service.signing.guarded_key import GuardedKey
from service.history import OWNER, Requester, at_work, verified
from service.operations.test_verify_log_example import node, verify  # noqa: F401 - fixtures
from service.scene import NAME, Scene, dataset, put_in
from service.signers import given_to, signing_process
from service.signing.test_guarded_key import statement

pytestmark = pytest.mark.together


def answer_of(decider, record):
    """An answer as it goes out over HTTP."""
    found = decider.decided_one(NAME, RecordRequest(record, f"key {record}"), OWNER)
    (answer,), common = found.proved(decider.database, 1)
    return json.loads(json.dumps({**answer, **common, **decider.keys.shown(NAME)}))


def statement_of(decider, since):
    """What is pushed to a witness."""
    _, common = decider.newest(NAME).proved(decider.database, since)
    return {**common, **decider.keys.shown(NAME)}


class Rotated:
    """A service before and after its key was rotated twice, with all that others have of it."""

    def __init__(self, folder: Path) -> None:
        scene = Scene.make(str(folder / "service.db"), folder)
        self.folder, self.place = folder, scene.place
        self.private = [Secrets.read(self.place.keys).signing]
        self.answers, self.pushed = [], []
        for number in range(3):
            if number:
                old, new = rotate(self.place, "operator")
                assert (old, new) == (fingerprint_of(self.public[-1]), self._now())
                self.private.append(Secrets.read(self.place.keys).signing)
            with at_work(self.place) as decider:
                if number == 1:
                    put_in(decider, replace(dataset(scene.columns), name="begun-later"))
                self.answers += [answer_of(decider, f"p{10 * number + one}") for one in range(3)]
                since = self.pushed[-1]["checkpoint"]["count"] if number else 0
                self.pushed.append(statement_of(decider, since))
        with at_work(self.place, read_only=True) as decider:
            self.digest, self.keys = decider.secrets.digest, decider.keys
            for chain in (NAME, SERVICE, "begun-later"):
                export(decider, chain, folder / f"{chain}.jsonl")

    def _now(self):
        return fingerprint_of(read_public(self.place.keys / PUBLIC))

    @property
    def public(self):
        return [one.public_key() for one in self.private]

    def lines(self, chain=NAME):
        return (self.folder / f"{chain}.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture(scope="module")
def rotated(tmp_path_factory):
    return Rotated(tmp_path_factory.mktemp("rotated"))


# -- following --------------------------------------------------------------------------------------


def test_the_old_key_is_gone_and_the_new_one_signs(rotated):
    assert {one.name for one in rotated.place.keys.iterdir()} == {SIGNING, PUBLIC, "digest.key"}
    assert len({raw(one) for one in rotated.public}) == 3
    signed = [Checkpoint.of_dict(one["checkpoint"]) for one in rotated.answers[::3]]
    assert all(one.is_signed_by(key) for one, key in zip(signed, rotated.public, strict=True))


@pytest.mark.parametrize("trusted", [0, 1, 2])
def test_a_database_and_its_exports_are_whole_for_whoever_trusts_any_of_the_keys(rotated, trusted):
    public = rotated.public[trusted]
    with at_work(rotated.place, read_only=True) as decider:
        given = read_checkpoints(rotated.place.anchors)
        found = LogCheck(rotated.digest, public, given).database(decider.database, again=True)
    assert [(one.chain, one.fault) for one in found] == [
        (one, None) for one in ("begun-later", NAME, SERVICE)
    ]
    for chain in (NAME, SERVICE, "begun-later"):
        assert LogCheck(None, public).export(Export.read(rotated.folder / f"{chain}.jsonl")).fault is None


@pytest.mark.parametrize("chain", [NAME, "begun-later", pytest.param(SERVICE, marks=pytest.mark.slow)])
def test_the_verifier_in_another_language_follows(rotated, verify, tmp_path, chain):  # noqa: F811
    (tmp_path / "first.pem").write_bytes(public_pem_of(rotated.public[0]))
    (tmp_path / "answer.json").write_text(json.dumps(rotated.answers[-1]))
    proof = ("--proof", tmp_path / "answer.json") if chain == NAME else ()
    assert verify(rotated.lines(chain), "--public-key", tmp_path / "first.pem", *proof)[0] == 0


def test_answers_are_proved_from_the_first_key_and_from_the_last(rotated):
    hand_overs = hand_overs_in(rotated.answers[-1])
    for answer in rotated.answers:
        (proved,) = proofs_in(answer)
        assert proved.fault(HolderKeys(rotated.public[0], hand_overs_in(answer))) is None
        assert proved.fault(HolderKeys(rotated.public[2], hand_overs)) is None
        assert "not signed" in proved.fault(HolderKeys(Ed25519PrivateKey.generate().public_key(), hand_overs))


def test_a_requester_follows_and_does_not_believe_the_old_key_again(rotated):
    pem, seen = public_pem_of(rotated.public[0]).decode(), None
    for answer in rotated.answers:
        asked = {**answer, "consistency": {"since": 1, "path": []}} if seen is None else answer
        seen = check_answer(
            asked if seen is None else {**answer, **_consistent(rotated, seen, answer)}, NAME, pem, seen
        )
    assert len(seen.hand_overs) == 2
    for old in rotated.private[:2]:
        forged = signed_again(rotated.answers[-1], old)
        with pytest.raises(Conflict, match="handed over after"):
            check_answer(
                {**forged, "consistency": {"since": seen.checkpoint.count, "path": []}}, NAME, pem, seen
            )
    assert SeenCheckpoint(pem, seen.checkpoint, seen.hand_overs).to_dict()["hand_overs"]


def _consistent(rotated, seen, answer):
    since, count = seen.checkpoint.count, answer["checkpoint"]["count"]
    with at_work(rotated.place, read_only=True) as decider:
        path = decider.database.read(lambda c: consistency_path(c, NAME, since, count))
    return {"consistency": {"since": since, "path": path}}


def signed_again(answer, key):
    """An answer whose checkpoint has the signature of another key, and that tells of no hand-over."""
    plain = Checkpoint.of_dict(answer["checkpoint"])
    forged = replace(plain, signature=key.sign(plain.said).hex())
    return {name: value for name, value in answer.items() if name != "hand_overs"} | {
        "checkpoint": forged.to_dict()
    }


def test_a_witness_follows_and_does_not_believe_the_old_key_again(rotated, tmp_path):
    witness = Witness(tmp_path, rotated.public[0], lambda: "now")
    for one in rotated.pushed:
        assert isinstance(witness.countersign(one), Cosigned)
    again = Witness(tmp_path, rotated.public[0], lambda: "now")  # it has kept what it was shown
    for old in rotated.private[:2]:
        forged = signed_again(rotated.pushed[-1], old)
        with pytest.raises(Forbidden, match="handed over after"):
            again.countersign(forged)


# -- forgeries --------------------------------------------------------------------------------------


def test_a_checkpoint_signed_by_the_old_key_after_the_hand_over_is_found(rotated, verify):  # noqa: F811
    newest = Checkpoint.of_dict(rotated.answers[-1]["checkpoint"])
    for old in rotated.private[:2]:
        forged = replace(newest, signature=old.sign(newest.said).hex())
        with at_work(rotated.place, read_only=True) as decider:
            given = {NAME: [forged]}
            check = LogCheck(rotated.digest, rotated.public[0], given)
            (found,) = [one for one in check.database(decider.database) if one.chain == NAME]
            assert "handed over after" in found.fault.sentence
            assert "handed over after" in decider.known.unsigned([forged])
            assert decider.held_against(forged) is None  # nobody is believed for showing it
    line = json.dumps({"checkpoint": forged.to_dict()}, sort_keys=True, separators=(",", ":")).encode()
    lines = rotated.lines()
    code, found = verify([*lines[:-3], line + b"\n", *lines[-3:]])
    assert (code, "not signed by the holder" in found["fault"]) == (1, True)


def forged_hand_overs(rotated):
    """Hand-overs to a key of somebody else."""
    thief = Ed25519PrivateKey.generate()
    last = rotated.keys.line(SERVICE)[-1].state
    right = HandOver.signed(rotated.private[2], thief, last)
    return thief, {
        "not signed by the old key": replace(HandOver.signed(thief, thief, last), old=right.old),
        "not signed by the new key": replace(right, countersignature=right.signature),
        "with another end": replace(right, count=right.count - 1),
        "of another log": replace(right, chain=NAME),
        "of a key that was not the holder's": HandOver.signed(Ed25519PrivateKey.generate(), thief, last),
        "of a key that was handed over": HandOver.signed(rotated.private[0], thief, last),
        "that is no text": replace(right, at="\ud800"),
        "that is no number": replace(right, count=1 << 60),
        "of what is no key": replace(right, old="zz", signature="0"),
    }


def test_a_hand_over_that_is_not_right_leads_nowhere(rotated):
    thief, forged = forged_hand_overs(rotated)
    newest = Checkpoint.of_dict(rotated.answers[-1]["checkpoint"])
    mine = replace(newest, count=newest.count + 1, signature="")
    mine = replace(mine, signature=thief.sign(mine.said).hex())
    for name, one in forged.items():
        for public in rotated.public:
            keys = rotated.keys.with_more([one])
            keys = HolderKeys(public, keys.hand_overs)
            assert not keys.has_signed(mine), name


@pytest.mark.parametrize(
    "name",
    ["not signed by the old key"]
    + [
        pytest.param(one, marks=pytest.mark.slow) for one in ("not signed by the new key", "with another end")
    ],
)
def test_a_hand_over_in_an_export_has_both_signatures(rotated, verify, tmp_path, name):  # noqa: F811
    one = forged_hand_overs(rotated)[1][name]
    line = json.dumps({"hand_over": one.to_dict()}, sort_keys=True, separators=(",", ":")).encode()
    lines = [*rotated.lines(SERVICE)[:-1], line + b"\n", rotated.lines(SERVICE)[-1]]
    code, found = verify(lines)
    assert (code, "both" in found["fault"] or "old and the new" in found["fault"]) == (1, True)
    ours = LogCheck(None, rotated.public[0]).export(Export.read(tmp_path / "log.jsonl"))
    assert "old and the new key" in ours.fault.sentence


def test_an_entry_that_hands_over_without_the_old_key_is_found(rotated, tmp_path):
    """The web process has the key of seals, so that it can write such an entry."""
    place = copied_place(rotated.place, tmp_path)
    _, forged = forged_hand_overs(rotated)
    for name in ("not signed by the old key", "of a key that was handed over"):
        add_entry(place, [forged[name]])
        (found,) = [one for one in verified(place) if one.chain == SERVICE]
        assert "hands" in found.fault.sentence
        shutil.rmtree(tmp_path / "copy")
        place = copied_place(rotated.place, tmp_path)


def test_a_service_goes_on_with_another_key_after_the_rotated_one_was_lost(rotated, verify, tmp_path):  # noqa: F811
    """As the guide says: a new first key, no checkpoints, and a loss that is accepted for every log."""
    place = copied_place(rotated.place, tmp_path)
    GuardedKey(tmp_path / "new")
    for name in (SIGNING, PUBLIC):
        shutil.copy(tmp_path / "new" / name, place.keys / name)
    place.anchors.rename(tmp_path / "by the lost key")
    with at_work(place) as decider:
        for chain in sorted(decider.behind):
            assert accept_loss(decider, chain, "operator").behind is None
        answer_of(decider, "p40")
        export(decider, SERVICE, tmp_path / "service.jsonl")
    rotate(place, "operator")  # and on from there
    for checkpoints in (place.anchors, None):
        assert {one.fault for one in verified(place, checkpoints=checkpoints)} == {None}
    lines = (tmp_path / "service.jsonl").read_bytes().splitlines(keepends=True)
    public = read_public(tmp_path / "new" / PUBLIC)
    assert LogCheck(None, public).export(Export.read(tmp_path / "service.jsonl")).fault is None
    assert verify(lines, "--public-key", tmp_path / "new" / PUBLIC)[0] == 0
    _, forged = forged_hand_overs(rotated)
    add_entry(place, [forged["of a key that was handed over"]])
    assert "hands over a key" in verified(place)[-1].fault.sentence


def add_entry(place, hand_overs):
    def work(connection):
        writer = LogWriter.opened(connection, SERVICE, decider.secrets.digest, decider.time())
        writer.add(HANDED_OVER, {"hand_overs": [one.to_dict() for one in hand_overs]})
        connection.write(writer.writings())

    with at_work(place) as decider:
        decider.database.transact(SERVICE, work)


# -- a second hand-over -----------------------------------------------------------------------------


def stolen(rotated, number=0):
    """A key of a thief, to which a key of the holder that was handed over before is handed over again."""
    thief = Ed25519PrivateKey.generate()
    state = replace(rotated.keys.line(NAME)[0].state, count=1)
    return thief, HandOver.signed(rotated.private[number], thief, state)


def test_a_second_hand_over_does_not_bring_the_old_key_back(rotated, tmp_path):
    """The thief has the old key alone, and those who have seen the first hand-over stay with it."""
    _, second = stolen(rotated)
    shown = {"hand_overs": [second.to_dict()]}
    witness = Witness(tmp_path, rotated.public[0], lambda: "now")
    for one in rotated.pushed[:2]:
        assert isinstance(witness.countersign(one), Cosigned)
    with pytest.raises(Forbidden, match="handed over after"):
        witness.countersign({**signed_again(rotated.pushed[-1], rotated.private[0]), **shown})
    unseen = Checkpoint.signed(rotated.private[0], "invented", 0, 0, "0" * 64, "now", EMPTY.hex())
    pushed = {"checkpoint": unseen.to_dict(), "consistency": {"since": 0, "path": []}}
    with pytest.raises(Forbidden, match="handed over"):
        witness.countersign(pushed)
    assert isinstance(witness.countersign(rotated.pushed[-1]), Cosigned)  # it still follows the holder
    pem, answer = public_pem_of(rotated.public[0]).decode(), rotated.answers[-2]
    seen = check_answer(answer, NAME, pem, None)
    forged = {**signed_again(rotated.answers[-1], rotated.private[0]), **shown}
    with pytest.raises(Conflict, match="handed over after"):
        check_answer({**forged, **_consistent(rotated, seen, forged)}, NAME, pem, seen)
    later = {**rotated.answers[-1], **_consistent(rotated, seen, forged)}
    later["hand_overs"] = [*later["hand_overs"], second.to_dict()]
    assert check_answer(later, NAME, pem, seen).hand_overs == seen.hand_overs


def test_one_who_is_shown_two_hand_overs_follows_neither_and_leaves_the_old_key(rotated):
    thief, second = stolen(rotated)
    plain = Checkpoint.of_dict(rotated.answers[-1]["checkpoint"])
    for given in ((*rotated.keys.hand_overs, second), (second, *rotated.keys.hand_overs)):
        keys = HolderKeys(rotated.public[0], given)
        for key in (rotated.private[0], rotated.private[1], thief):
            assert not keys.has_signed(replace(plain, signature=key.sign(plain.said).hex()))
        assert HolderKeys(rotated.public[1], given).has_signed(plain)  # who trusts a later key need not care


def test_a_key_that_was_handed_over_vouches_for_none_before_it_beyond_its_own_end(rotated, verify):  # noqa: F811
    """The thief's key is shown as one before the stolen one, with an end far ahead."""
    thief = Ed25519PrivateKey.generate()
    state = replace(rotated.keys.line(NAME)[0].state, count=1000)
    before = HandOver.signed(thief, rotated.private[0], state)
    plain = Checkpoint.of_dict(rotated.answers[-1]["checkpoint"])
    forged = replace(plain, signature=thief.sign(plain.said).hex())
    assert not HolderKeys(rotated.public[1], (*rotated.keys.hand_overs, before)).has_signed(forged)
    line = json.dumps({"hand_over": before.to_dict()}, sort_keys=True, separators=(",", ":")).encode()
    lines = rotated.lines()
    place = next(number for number, one in enumerate(lines) if one.startswith(b'{"hand_over"'))
    code, found = verify([*lines[:place], line + b"\n", *lines[place:]])
    assert (code, "order" in found["fault"]) == (1, True)


# -- interrupted ------------------------------------------------------------------------------------


def copied_place(place, folder):
    shutil.copytree(place.keys.parent, folder / "copy", dirs_exist_ok=True)
    copy = folder / "copy"
    return replace(place, url=str(copy / "service.db"), keys=copy / "keys", anchors=copy / "checkpoints")


class PowerLoss(BaseException):
    """Everything ends here."""


@contextmanager
def ending_at(step):
    """The process ends before one of its writings to disk: a sync, or a file put in another's place."""
    left = [step]

    def counted(true):
        def instead(*given, **named):
            left[0] -= 1
            if left[0] < 0:
                raise PowerLoss
            return true(*given, **named)

        return instead

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", counted(os.fsync))
        patch.setattr(os, "rename", counted(os.rename))
        patch.setattr(Path, "replace", counted(Path.replace))
        yield left


def holds(place, first):
    """Whether a service goes on after a rotation, and everything is whole by the first key."""
    with at_work(place) as decider:
        assert decider.behind == {}
        Requester(decider, seed=9).ask([f"p{one}" for one in range(40, 60)], 2, at_once=1)
        newest = decider.anchors.newest(NAME)
        assert newest.is_signed_by(decider.secrets.public)
        assert raw(decider.secrets.public) != raw(first)
        given = read_checkpoints(place.anchors)
        found = LogCheck(decider.secrets.digest, first, given).database(decider.database)
        assert [one.fault for one in found] == [None] * len(found)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_rotation_that_was_interrupted_anywhere_is_run_again(tmp_path, every):
    (tmp_path / "made").mkdir()
    place = Scene.make(str(tmp_path / "made" / "service.db"), tmp_path / "made").place
    first = read_public(place.keys / PUBLIC)
    for step in range(0, 100, every):
        copy = copied_place(place, tmp_path)
        with ending_at(step) as left, suppress(PowerLoss):
            rotate(copy, "operator")
        ended = left[0] < 0
        if ended:
            deciding_is_refused_or_right(copy, first)
            rotate(copy, "operator")
        holds(copy, first)
        assert not (copy.keys / NEXT).exists()
        shutil.rmtree(tmp_path / "copy")
        if not ended:
            break
    assert step > 8


def deciding_is_refused_or_right(place, first):
    """In between, a service decides with the old key, or with the new one, or says what to do."""
    try:
        with at_work(place) as decider:
            decider.request(NAME, RecordRequest("p3", "k"), OWNER)
            assert decider.keys.has_signed(decider.anchors.newest(NAME))
    except (SourceError, Unavailable) as error:
        if "rotate-key" not in str(error):
            raise


def test_a_process_with_the_old_key_signs_nothing_once_a_rotation_has_begun(rotated, tmp_path):
    """As another service on the same database does, which was started before."""
    (tmp_path / "made").mkdir()
    place = Scene.make(str(tmp_path / "made" / "service.db"), tmp_path / "made").place
    with at_work(place, read_only=True) as before:
        rotate(place, "operator")
        with pytest.raises(Unavailable, match="rotated"):
            before.signer.sign(replace(before.anchors.newest(NAME), signature=""))
        for look in (lambda: before.key_shown("a.b"), lambda: before.newest(NAME)):
            with pytest.raises(Unavailable, match="Start the service again with the new key"):
                look()
        assert before.behind == {}  # there is nothing to reconcile
        assert "rotated" in before.signing_fault()


def test_a_copy_of_the_old_keys_cannot_hand_over_a_second_time(rotated, tmp_path):
    place = copied_place(rotated.place, tmp_path)
    (place.keys / SIGNING).write_bytes(pem_of(rotated.private[0]))
    (place.keys / PUBLIC).write_bytes(public_pem_of(rotated.public[0]))
    with pytest.raises(Conflict, match="was handed over to"):
        rotate(place, "operator")
    assert not (place.keys / NEXT).exists()
    with at_work(place) as decider, pytest.raises(Unavailable, match="rotated"):
        decider.request(NAME, RecordRequest("p55", "k"), OWNER)


# -- with a process that signs ----------------------------------------------------------------------


@pytest.fixture
def apart(url, tmp_path):
    """A service whose private key is with a process that signs."""
    scene = Scene.make(url, tmp_path)
    with signing_process() as signer:
        signer.kill()
        place = given_to(signer, scene.place)
        signer.start()
        yield place, signer


def test_the_key_of_a_process_that_signs_is_rotated(apart):
    place, signer = apart
    first = read_public(place.keys / PUBLIC)
    with at_work(place) as decider:
        Requester(decider).ask([f"p{one}" for one in range(20)], 4)
    with pytest.raises(Conflict, match="--new-key"):
        rotate(place, "operator")
    GuardedKey(signer.folder).prepare()
    with at_work(place, read_only=True) as running:
        assert running.signing_fault() is None
        assert len({*rotate(place, "operator")}) == 2
        with pytest.raises(Unavailable, match="rotated"):
            running.signer.sign(replace(running.anchors.newest(NAME), signature=""))
    assert not (signer.folder / NEXT).exists()
    holds(place, first)
    signer.kill()
    signer.start()  # it knows its key
    with at_work(place) as decider:
        assert decider.request(NAME, RecordRequest("p30", "k"), OWNER)["decision"]


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_rotation_that_ended_after_the_signer_had_changed_its_key_is_run_again(apart, monkeypatch):
    place, signer = apart
    first = read_public(place.keys / PUBLIC)
    GuardedKey(signer.folder).prepare()

    def power_loss(*_):
        raise PowerLoss

    with monkeypatch.context() as patch:
        patch.setattr(rotating, "_add_to_log", power_loss)
        with pytest.raises(PowerLoss):
            rotate(place, "operator")
    assert len(read_hand_overs(signer.folder)) == 2
    with at_work(place) as decider, pytest.raises(Unavailable, match="rotate-key"):
        decider.request(NAME, RecordRequest("p3", "k"), OWNER)
    rotate(place, "operator")
    holds(place, first)


def test_a_signer_that_ended_between_its_hand_over_and_its_new_key_goes_on_with_that(tmp_path):
    key = GuardedKey(tmp_path / "signer")
    key.sign(statement(3))
    new = key.prepare()
    first = (tmp_path / "signer" / SIGNING).read_bytes()
    with pytest.raises(PowerLoss), ending_at(2):
        key.hand_over([statement(3, 3)])
    assert (tmp_path / "signer" / SIGNING).read_bytes() == first
    assert len(read_hand_overs(tmp_path / "signer")) == 1
    assert raw(GuardedKey(tmp_path / "signer").public) == raw(new)
