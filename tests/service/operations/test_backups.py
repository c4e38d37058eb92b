"""A copy is made while the service goes on; restored, it is whole, and refuses to decide what it forgot."""

import stat
import subprocess
import threading
from pathlib import Path

import pytest

from divulge.errors import MissingSource, SourceError, Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.log_writer import entries_of
from divulge.service.operations.backups import backup
from divulge.service.operations.locations import ServiceLocations
from service.history import OWNER, Requester, at_work, verified, with_checkpoints_of_its_own
from service.scene import NAME, Scene


@pytest.fixture
def scene(url, tmp_path):
    return Scene.make(url, tmp_path, records=400)


@pytest.fixture
def restored(request, url, tmp_path):
    """Where a copy is a database again."""

    def restored(copy):
        if not url.startswith("postgresql"):
            return str(copy)
        there = request.getfixturevalue("postgresql").fresh()
        program = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_restore"))), "pg_restore")
        subprocess.run([program, "--dbname", there, copy], check=True, capture_output=True)
        return there

    return restored


def log(decider):
    return decider.database.read(lambda connection: entries_of(connection, NAME))


def test_a_copy_made_under_load_is_a_prefix_that_decides_nothing(scene, restored, tmp_path):
    """It is whole by itself, older than its newest checkpoint, and therefore read-only."""
    with at_work(scene.place) as decider:
        Requester(decider, seed=1).ask(scene.ids, 40, at_once=5)
        copied, failed = threading.Event(), []

        def load():
            requester = Requester(decider, seed=2)
            try:
                while not copied.is_set():
                    requester.ask(scene.ids, 1)
                requester.ask(scene.ids, 5)
            except Exception as error:
                failed.append(error)

        worker = threading.Thread(target=load)
        worker.start()
        try:
            backup(scene.place.url, tmp_path / "copy")
        finally:
            copied.set()
            worker.join()
        assert not failed
        all_of_it = log(decider)
    place = ServiceLocations(restored(tmp_path / "copy"), scene.place.keys, scene.place.anchors)
    assert [one.fault for one in verified(place, again=True)] == [None]
    with at_work(place) as decider:
        part = log(decider)
        assert part == all_of_it[: len(part)]
        assert 40 < len(part) < len(all_of_it)
        assert "older than what was released" in decider.behind[NAME]
        with pytest.raises(Unavailable, match="read-only until it is reconciled"):
            decider.request(NAME, RecordRequest(scene.ids[0], "key"), OWNER)
    with at_work(with_checkpoints_of_its_own(place, tmp_path / "elsewhere")) as decider:
        # without these checkpoints it would decide again, as if nothing had left since
        assert decider.request(NAME, RecordRequest(scene.ids[0], "key"), OWNER)["index"] == len(part) + 1
    with at_work(place) as decider:
        assert NAME in decider.behind


def test_a_copy_can_be_read_by_its_owner_alone(scene, tmp_path):
    backup(scene.place.url, tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600


def test_nothing_is_written_over(scene, tmp_path):
    (tmp_path / "copy").write_text("mine")
    with pytest.raises(SourceError, match="already"):
        backup(scene.place.url, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "mine"
    with pytest.raises(SourceError, match="cannot be written"):
        backup(scene.place.url, tmp_path / "nowhere" / "copy")


def test_a_database_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MissingSource, match="no database"):
        backup(str(tmp_path / "none.db"), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_without_pg_dump_the_copy_is_refused_in_a_sentence(postgresql, tmp_path, monkeypatch):
    url = postgresql.fresh()
    ServiceLocations(url, tmp_path / "keys", tmp_path / "checkpoints").create().database.close()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingSource, match="pg_dump"):
        backup(url, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_password_is_not_shown_among_the_processes(postgresql, tmp_path, monkeypatch):
    url = postgresql.fresh().replace("postgres@", "postgres:secret@")
    ServiceLocations(url, tmp_path / "keys", tmp_path / "checkpoints").create().database.close()
    seen = []

    def run(command, **options):
        seen.append((command, options["env"]["PGPASSWORD"]))
        return subprocess.CompletedProcess(command, 1, "", "pg_dump: error: refused\n")

    monkeypatch.setattr("divulge.service.operations.backups.subprocess.run", run)
    with pytest.raises(SourceError, match="refused"):
        backup(url, tmp_path / "copy")
    ((command, password),) = seen
    assert password == "secret"
    assert "secret" not in " ".join(map(str, command))
    assert not (tmp_path / "copy").exists()
