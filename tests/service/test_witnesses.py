"""Others notice what the holder's machines cannot: a log that was turned back, or that has two histories."""

from __future__ import annotations

import io
import json
import shutil
import signal
import socketserver
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from divulge.cli import main
from divulge.errors import Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.proofs import Decided
from divulge.service.ledger.answer_proofs import Consistency
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.cosignatures import Cosigned, read_cosigned
from divulge.service.ledger.secrets import read_public
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.pushed.places import Endpoint, Folder, Repository, place_named
from divulge.service.operations.pushed.pushing import Pushing
from service.history import OWNER, Requester, at_work, with_checkpoints_of_its_own
from service.scene import NAME, Scene

pytestmark = pytest.mark.together
PROGRAM = "from divulge.cli import main; main()"


def started(*arguments):
    """A command as a process of its own, once it says where it listens."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "release", *map(str, arguments), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if " at http://" in line:
            return process, line.split(" at ")[1].strip()
    raise AssertionError("it did not start")


def stopped(process):
    """Stop a process as an operator would, and say what it printed."""
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=60)[1]


def command(*words):
    """The exit code of a release command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["divulge", "release", *map(str, words)])
        patch.setenv("no_proxy", "127.0.0.1")
        with pytest.raises(SystemExit) as ended:
            main()
    return ended.value.code or 0


@dataclass
class Street:
    """A service and a witness that have run, and what came of it."""

    folder: Path
    scene: Scene
    witness: subprocess.Popen[str]
    address: str  # of the witness
    key: Path
    answers: list[dict] = field(default_factory=list)
    complained: str = ""

    def request(self, url, record, *more):
        """The exit code of a requester's command."""
        return command("request", url, NAME, record, "--key-file", self.key, *more)

    @property
    def witness_key(self):
        return read_public(self.folder / "witness" / "keys" / "public.pem")


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    folder = tmp_path_factory.mktemp("street")
    scene = Scene.make(str(folder / "service.db"), folder)
    place = scene.place
    with at_work(place) as decider:
        (folder / "ann.key").write_text(decider.make_key(role="requester", name="ann", by="holder")[0])
        decider.database.backup(folder / "old.db")
    subprocess.run(["git", "init", "--quiet", "--bare", folder / "others.git"], check=True)
    witness, address = started("witness", folder / "witness", "--public-key", place.keys / "public.pem")
    yield Street(folder, scene, witness, address, folder / "ann.key")
    witness.kill()
    witness.communicate()


@pytest.fixture(scope="module")
def served(street):
    """Requests to a service that pushes to all three kinds of places, until it is stopped."""
    folder, place = street.folder, street.scene.place
    places = (folder / "elsewhere", street.address, folder / "others.git")
    pushes = [word for one in places for word in ("--push", one)]
    service, url = started(
        "serve", place.url, "--key-folder", place.keys, "--checkpoints", place.anchors, *pushes
    )
    try:
        for record in ("p0", "p1", "p2"):
            with redirect_stdout(io.StringIO()) as said:
                assert street.request(url, record, "--json", "--last-seen", str(folder / "seen.json")) == 0
            street.answers.append(json.loads(said.getvalue()))
    finally:
        street.complained = stopped(service)
    return street


def test_the_service_pushed_its_last_checkpoint_to_every_place(served):
    newest = Anchors(served.scene.place.anchors).newest(NAME)
    assert [one["checkpoint"]["count"] >= one["index"] for one in served.answers] == [True] * 3
    assert newest.count >= served.answers[-1]["index"] > 3
    assert served.complained == ""
    assert Folder(served.folder / "elsewhere").last(NAME) == newest
    assert Repository(str(served.folder / "others.git")).last(NAME) == newest
    assert Endpoint(served.address).last(NAME) == newest


def test_the_witness_has_countersigned_and_the_service_keeps_its_signature(served):
    (kept,) = read_cosigned(served.scene.place.anchors, NAME)
    assert kept.is_signed_by(served.witness_key)
    assert kept.checkpoint == Anchors(served.scene.place.anchors).newest(NAME)
    private = served.folder / "witness" / "keys" / "signing.pem"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_the_history_in_git_is_a_chain_of_proofs(served):
    git = ["git", "-C", str(served.folder / "others.git")]
    commits = subprocess.run(
        [*git, "log", "--reverse", "--format=%H", "checkpoints", "--", f"{NAME}.json"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    last = None
    for commit in commits:
        shown = [*git, "show", f"{commit}:{NAME}.json"]
        told = json.loads(subprocess.run(shown, capture_output=True, text=True, check=True).stdout)
        checkpoint = Checkpoint.of_dict(told["checkpoint"])
        assert Consistency.of_dict(told["consistency"]).fault(last, checkpoint) is None
        last = checkpoint
    assert last == Anchors(served.scene.place.anchors).newest(NAME)


def test_a_service_that_was_turned_back_is_refused_by_its_requesters(served, capsys, tmp_path):
    """The database and all checkpoints of the holder are older, so that the service itself sees nothing."""
    shutil.copy(served.folder / "old.db", tmp_path / "old.db")
    place = served.scene.place
    old = with_checkpoints_of_its_own(
        ServiceLocations(str(tmp_path / "old.db"), place.keys, tmp_path / "none"), tmp_path / "fresh"
    )
    service, url = started("serve", old.url, "--key-folder", old.keys, "--checkpoints", old.anchors)
    try:
        code = served.request(url, "p5", "--last-seen", str(served.folder / "seen.json"))
    finally:
        stopped(service)
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert "it was turned back" in said.err
    evidence = json.loads((served.folder / "seen.evidence.json").read_text())
    assert evidence["answered"]["checkpoint"]["count"] < evidence["seen"]["checkpoint"]["count"]


@pytest.fixture
def fork(served, tmp_path):
    """Another history from where the database was copied, as long as the first and longer."""
    shutil.copy(served.folder / "old.db", tmp_path / "fork.db")
    place = served.scene.place
    found = ServiceLocations(str(tmp_path / "fork.db"), place.keys, tmp_path / "none")
    found = with_checkpoints_of_its_own(found, tmp_path / "fresh")
    with at_work(found) as decider:
        Requester(decider, seed=8).ask(served.scene.ids[10:], 20)
        yield decider


def test_two_histories_are_found_by_the_witness_and_kept_as_evidence(served, fork):
    last = Endpoint(served.address).last(NAME)
    newest = fork.anchors.newest(NAME)
    assert newest.count > last.count
    _, statement = Decided([], newest).proved(fork.database, last.count)
    with pytest.raises(Unavailable, match="409"):
        Endpoint(served.address).push(statement)
    assert Endpoint(served.address).last(NAME) == last
    (kept,) = (served.folder / "witness" / "seen").glob(f"{NAME}.*.fork.json")
    evidence = json.loads(kept.read_text())
    public = read_public(served.scene.place.keys / "public.pem")
    assert [Checkpoint.of_dict(one).is_signed_by(public) for one in evidence.values()] == [True, True]


def pushed(decider, *places):
    """Push what there is, once, and stop."""
    pushing = Pushing(decider, places, pause=0.01)
    pushing.start()
    pushing.stop()


@pytest.mark.parametrize("kind", ["folder", "witness", "git"])
def test_a_service_learns_from_any_place_that_it_was_turned_back(served, fork, kind, caplog):
    places = {
        "folder": str(served.folder / "elsewhere"),
        "witness": served.address,
        "git": f"git:{served.folder / 'others.git'}",
    }
    assert fork.behind == {}
    pushed(fork, place_named(places[kind]))
    assert "another database" in fork.behind[NAME]
    assert "contradicts" in caplog.text
    with pytest.raises(Unavailable, match="read-only"):
        fork.request(NAME, RecordRequest("p9", "k"), OWNER)


def test_a_place_that_fails_is_tried_again_and_decisions_go_on(scene, tmp_path, caplog):
    class Shaky(Folder):
        left = 2

        def push(self, statement):
            self.left -= 1
            if self.left >= 0:
                raise Unavailable("It cannot be reached.")
            super().push(statement)

    with at_work(scene.place) as decider:
        pushing = Pushing(decider, [Shaky(tmp_path / "shaky")], pause=0.01)
        pushing.start()
        Requester(decider).ask(scene.ids, 6, at_once=1)
        newest = decider.anchors.newest(NAME)
        until = time.monotonic() + 20
        while Anchors(tmp_path / "shaky").newest(NAME) != newest and time.monotonic() < until:
            time.sleep(0.01)
        pushing.stop()
    assert Anchors(tmp_path / "shaky").newest(NAME) == newest
    assert caplog.text.count("cannot be pushed to place 1: It cannot be reached.") == 1


@contextmanager
def odd_endpoint(*first):
    """An endpoint that says what it is told first, and then takes checkpoints."""
    said, taken = list(first), []
    fine = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            asked, length = self.rfile.readline(), 0
            while (line := self.rfile.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            body = self.rfile.read(length)
            if said:
                self.wfile.write(said.pop(0))
                return
            if asked.startswith(b"POST"):
                taken.append(json.loads(body)["checkpoint"])
            self.wfile.write(fine)

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", taken
        server.shutdown()
        thread.join()


def test_an_odd_reply_does_not_end_the_pushing(scene, caplog):
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
    deep = b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000
    replies = (b"garbage\r\n\r\n", cut, b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000, deep)
    with odd_endpoint(*replies) as (address, taken), at_work(scene.place) as decider:
        pushing = Pushing(decider, [Endpoint(address)], pause=0.01)
        pushing.start()
        newest = decider.anchors.newest(NAME).to_dict()
        until = time.monotonic() + 20
        while newest not in taken and time.monotonic() < until:
            time.sleep(0.01)
        pushing.stop()
    assert newest in taken
    assert caplog.text.count("cannot be pushed to place 1: The endpoint") == 1


def test_a_place_that_never_answers_does_not_keep_the_service_from_stopping(scene):
    with at_work(scene.place) as decider:
        pushed(decider, Endpoint("http://127.0.0.1:9/checkpoints"))
        assert decider.behind == {}


def test_what_is_no_checkpoint_of_the_holder_is_not_countersigned(served, tmp_path):
    other = Scene.make(str(tmp_path / "other.db"), tmp_path)
    with at_work(other.place) as decider:
        _, statement = decider.newest(NAME).proved(decider.database, 0)
    for given, code in ((statement, 403), ({}, 422), ({**statement, "consistency": {"since": 0}}, 422)):
        with pytest.raises(Unavailable, match=str(code)):
            Endpoint(served.address).push(given)


def test_verifying_says_how_far_a_witness_has_countersigned(served, capsys, tmp_path):
    place = served.scene.place
    words = ["verify", place.url, "--key-folder", place.keys, "--checkpoints", place.anchors]
    newest = Anchors(place.anchors).newest(NAME)
    witness = served.folder / "witness" / "keys" / "public.pem"
    assert command(*words, "--witness-key", witness) == 0
    assert f"{NAME}: countersigned up to entry {newest.count} by " in capsys.readouterr().out
    assert command(*words, "--witness-key", place.keys / "public.pem") == 1  # the holder is no witness
    assert "No checkpoint was countersigned" in capsys.readouterr().out
    seen = served.folder / "witness" / "seen"  # what the witness itself has kept
    assert command(*words[:-1], seen, "--witness-key", witness) == 0


def test_a_countersignature_holds_for_what_was_signed_and_nothing_else(served):
    (kept,) = read_cosigned(served.scene.place.anchors, NAME)
    told = kept.to_dict()
    for changed in ({"at": "later"}, {"witness": "0" * 16}, {"signature": "zz"}):
        assert not Cosigned.of_dict({**told, **changed}).is_signed_by(served.witness_key)
    with pytest.raises(TypeError):
        Cosigned.of_dict({**told, "at": 5})
