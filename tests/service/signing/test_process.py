"""A service whose private key is with another process decides only what that one signs."""

import json
import os
import shutil
import socket
import stat
import threading
import time
from dataclasses import replace

import pytest

from divulge.errors import Conflict, SourceError, Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.ledger.secrets import DIGEST, PUBLIC, SIGNING
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.operations.reconciling import accept_loss
from divulge.service.operations.verifying import LogCheck
from divulge.service.signing import process
from divulge.service.signing.guarded_key import GuardedKey
from divulge.service.signing.remote_signer import RemoteSigner
from service.history import OWNER, Requester, at_work, verified
from service.judge import faults
from service.scene import NAME, Scene, dataset, put_in
from service.signers import given_to, signing_process
from service.stored_databases import unpacked
from service.turned_back import put_back, state_of


@pytest.fixture(scope="module")
def signer():
    with signing_process() as found:
        yield found


@pytest.fixture
def place(signer, url, tmp_path):
    """A service that was begun with a process that signs."""
    signer.kill()
    shutil.rmtree(signer.folder)
    signer.folder.mkdir(mode=0o700)
    found = given_to(signer, Scene.make(url, tmp_path).place)
    signer.start()
    return found


only_sqlite = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
only_postgresql = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


def ask(decider, record):
    return decider.request(NAME, RecordRequest(record, f"key {record}"), OWNER)["decision"]


def test_a_service_is_begun_without_a_private_key(signer, tmp_path):
    scene = Scene.make(str(tmp_path / "s.db"), tmp_path)
    place = replace(scene.place, url=str(tmp_path / "new.db"), keys=tmp_path / "new", signer=signer.socket)
    place = replace(place, anchors=tmp_path / "new-checkpoints")
    decider = place.create()
    put_in(decider, replace(dataset(scene.columns), name="begun"))
    decider.database.close()
    assert {one.name for one in place.keys.iterdir()} == {DIGEST, PUBLIC}
    with at_work(place) as decider:
        assert decider.secrets.private is None
        assert decider.anchors.newest("begun").is_signed_by(decider.secrets.public)
        assert decider.request("begun", RecordRequest("p1", "k"), OWNER)["decision"]


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_signer_killed_under_traffic_loses_nothing(place, signer, kills):
    """Every second time it dies by itself, between a signature and its answer; else it is killed."""
    answers, failed = {}, []
    todo = [(f"p{number % 60}", f"key {number}") for number in range(18 * kills)]

    def client(number):
        for record, key in todo[number::3]:
            while key not in answers:
                try:
                    answers[key] = decider.request(NAME, RecordRequest(record, key), OWNER)
                except Unavailable as error:
                    if "cannot be reached" not in str(error):
                        failed.append(str(error))
                        return
                    time.sleep(0.005)

    signer.kill()
    with at_work(place) as decider:
        clients = [threading.Thread(target=client, args=(number,)) for number in range(3)]
        for one in clients:
            one.start()
        for kill in range(kills):
            signer.start(dies_at=0 if kill % 2 else 7)
            if kill % 2 == 0:
                assert signer.died() == 9
                continue
            enough = len(answers) + 7
            while len(answers) < enough and not failed:
                time.sleep(0.002)
            signer.kill()
        signer.start()
        for one in clients:
            one.join()
        assert (failed, len(answers)) == ([], len(todo))
        assert faults(decider) == []
        kept = decider.database.read(lambda connection: connection.rows("SELECT key, answer FROM answer"))
        assert {key: json.loads(answer)["index"] for key, answer in kept} == {
            key: answer["index"] for key, answer in answers.items()
        }
    assert [one.fault for one in verified(place, checkpoints=place.anchors, again=True)] == [None]


@only_sqlite
def test_without_a_signer_nothing_is_decided_and_the_service_says_so(place, signer):
    with at_work(place) as decider:
        ask(decider, "p1")
        before = state_of(place.url)
        signer.stop()
        assert not signer.socket.exists()
        with pytest.raises(Unavailable, match="signs cannot be reached, so nothing is decided"):
            ask(decider, "p2")
        assert state_of(place.url) == before
        assert "cannot be reached" in decider.signing_fault()
        signer.start()
        assert ask(decider, "p2")
        assert decider.signing_fault() is None


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_database_and_checkpoints_that_were_turned_back_are_found_by_the_signer(place, signer, tmp_path):
    """Someone who has taken the web process over has both, and not what the signer keeps."""
    with at_work(place) as decider:
        ask(decider, "p1")
        old = state_of(place.url)
        shutil.copytree(place.anchors, tmp_path / "old")
        Requester(decider).ask([f"p{number}" for number in range(60)], 8)
    put_back(place.url, old)
    turned = replace(place, anchors=tmp_path / "old")
    with at_work(turned) as decider:
        assert "older than what was released" in decider.behind[NAME]
        with pytest.raises(Unavailable, match="read-only"):
            ask(decider, "p9")
    with at_work(replace(turned, signer=signer.folder / "nobody")) as decider:
        assert decider.behind == {}  # the same, where only the signer could tell
        with pytest.raises(Unavailable, match="signs cannot be reached"):
            decider.newest(NAME)
        decider.signer = RemoteSigner(signer.socket, decider.secrets.public, decider.database)
        with pytest.raises(Unavailable, match="read-only"):
            decider.newest(NAME)  # nothing is signed for this
        with pytest.raises(Unavailable, match="read-only"):
            ask(decider, "p9")
        assert "older than what was released" in decider.behind[NAME]
    # a loss is accepted on both sides, by the signer first
    with at_work(turned) as decider:
        last = decider.signer.last(NAME).count
        with pytest.raises(
            Conflict, match=r"not allowed this loss.*release signer FOLDER --allow-loss people"
        ):
            accept_loss(decider, NAME, "operator")
    assert state_of(place.url) == old
    GuardedKey(signer.folder).allow_loss(NAME)
    with at_work(turned) as decider:
        done = accept_loss(decider, NAME, "operator")
        assert done.behind is None
        assert ask(decider, "p9")
    (found,) = verified(turned, checkpoints=turned.anchors, again=True)
    assert (found.fault, found.lost) == (None, last - done.before)


@only_sqlite
def test_a_loss_that_was_written_and_not_signed_does_not_count_until_it_is(place, signer, monkeypatch):
    with at_work(place) as decider:
        old = state_of(place.url)
        ask(decider, "p1")
    put_back(place.url, old)
    with at_work(place) as decider:
        monkeypatch.setattr(
            decider.signer, "allows_loss", lambda chain: True
        )  # as if it had changed its mind
        with pytest.raises(Unavailable, match="does not continue what was signed"):
            accept_loss(decider, NAME, "operator")
    with at_work(place) as decider:
        assert "not signed the loss" in decider.behind[NAME]
        with pytest.raises(Unavailable, match="read-only"):
            ask(decider, "p2")
        with pytest.raises(Conflict, match="not allowed this loss"):
            accept_loss(decider, NAME, "operator")
        written = state_of(place.url)
        GuardedKey(signer.folder).allow_loss(NAME)
        assert accept_loss(decider, NAME, "operator").behind is None
        assert state_of(place.url) == written  # it is said once
        assert ask(decider, "p2")


@only_sqlite
def test_a_revoked_key_is_not_good_again_where_only_the_signer_knows(place, signer, tmp_path):
    with at_work(place) as decider:
        secret, key = decider.make_key(role="requester", name="eve", by="admin")
        old = state_of(place.url)
        shutil.copytree(place.anchors, tmp_path / "old")
        decider.revoke_key(key.id, "admin")
    put_back(place.url, old)
    signer.stop()
    with at_work(replace(place, anchors=tmp_path / "old")) as decider:
        with pytest.raises(Unavailable, match="signs cannot be reached"):
            decider.key_shown(secret)
        signer.start()
        with pytest.raises(Unavailable, match="keys are older than the last signature"):
            decider.key_shown(secret)


@only_postgresql
def test_of_two_services_each_gets_a_checkpoint_that_has_its_entries(place, tmp_path):
    """One has committed, and before it signs the other commits and signs: the older state is not signed."""
    with at_work(place) as decider, at_work(place) as other:
        true, signed = decider.signer.sign, []

        def late(plain, tree=None):
            signed.append(ask(other, "p2"))
            return true(plain, tree)

        decider.signer.sign = late
        found = decider.decided_one(NAME, RecordRequest("p1", "k"), OWNER)
        assert len(signed) == 1
        assert found.checkpoint.count > found.answers[0]["index"]
        _, common = found.proved(decider.database)
        assert Checkpoint.of_dict(common["checkpoint"]).is_signed_by(decider.secrets.public)
        assert export(decider, NAME, tmp_path / "out.jsonl") == found.checkpoint.count
        assert LogCheck(None, None).export(Export.read(tmp_path / "out.jsonl")).fault is None


@only_sqlite
def test_a_private_key_that_the_service_can_read_is_refused(place, signer):
    shutil.copy(signer.folder / SIGNING, place.keys / SIGNING)
    with pytest.raises(SourceError, match="can be read, though another process signs"):
        place.open()


@only_sqlite
def test_a_service_does_not_take_the_signatures_of_another_key(place, tmp_path):
    with signing_process() as impostor, at_work(replace(place, signer=impostor.socket)) as decider:
        with pytest.raises(Unavailable, match="rotated"):
            ask(decider, "p1")
        with pytest.raises(Unavailable, match="rotated"):  # nor if it changes later
            decider.signer.sign(replace(decider.anchors.newest(NAME), signature=""))


@only_sqlite
def test_a_signer_with_another_key_is_not_ready_however_often_it_is_asked_and_its_word_counts_for_nothing(
    place,
):
    with at_work(place) as decider:
        told, _ = decider.make_key(role="requester", name="ann", by="me")
    with signing_process() as impostor, at_work(replace(place, signer=impostor.socket)) as decider:
        before = decider.status(NAME)["entries"]
        for _ in range(3):
            assert "another key" in decider.signing_fault()
            for chain in (NAME, SERVICE):
                with pytest.raises(Unavailable, match="another key"):
                    decider.signer.last(chain)
            with pytest.raises(Unavailable, match="another key"):
                decider.key_shown(told)
            with pytest.raises(Unavailable, match="another key"):
                ask(decider, "p1")
        assert decider.status(NAME)["entries"] == before


def test_an_earlier_database_is_migrated_if_the_process_can_sign_it(signer, tmp_path):
    signer.kill()
    shutil.rmtree(signer.folder)
    signer.folder.mkdir(mode=0o700)
    earlier = given_to(signer, unpacked("version-2-without-trees", "", tmp_path))
    with pytest.raises(SourceError, match=r"is as it was\. The process that signs cannot be reached"):
        migrate(earlier, "me")
    with pytest.raises(SourceError, match="version 2"):
        earlier.open()
    signer.start()
    assert migrate(earlier, "me").before == 2
    assert GuardedKey(signer.folder).last(SERVICE).count == Anchors(earlier.anchors).newest(SERVICE).count
    assert [one.fault for one in verified(earlier)] == [None, None]


def test_the_socket_is_for_one_user_alone(signer, tmp_path, monkeypatch):
    assert stat.S_IMODE(signer.socket.stat().st_mode) == 0o600
    monkeypatch.setattr(os, "getuid", lambda: 54321)  # as if the signer were somebody else
    path = signer.folder / "other"
    with process.listening(GuardedKey(tmp_path / "key"), path) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            line.settimeout(20)
            assert line.recv(1) == b""  # closed before a word is read
        server.shutdown()


def test_a_signer_that_cannot_listen_says_why(tmp_path):
    key = GuardedKey(tmp_path / "key")
    with pytest.raises(SourceError, match="cannot listen"):
        process.listening(key, tmp_path / ("long" * 40))
    with pytest.raises(SourceError, match="cannot listen"):
        process.listening(key, tmp_path / "missing" / "socket")


def test_what_is_no_line_of_json_is_refused_and_the_signer_goes_on(signer):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(signer.socket))
        line.sendall(b"\xff\n[" + b"[" * 100_000 + b"\n{}\n")
        answers = line.makefile("rb")
        assert all(b"cannot be read" in answers.readline() for _ in range(3))
