"""A file: one process, one writer, everything on disk before the answer."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from divulge.errors import MissingSource, SourceError, Unavailable
from divulge.service.store.database import open_database
from divulge.service.store.sqlite import SQLite
from service.many_rows import add_change_and_remove


@pytest.fixture
def path(tmp_path):
    return tmp_path / "service.db"


@pytest.fixture
def database(path):
    found = SQLite(path, create=True, wait=0.1)
    yield found
    found.close()


def chains(connection):
    return [chain for (chain,) in connection.rows("SELECT chain FROM head ORDER BY chain")]


def add(connection, *names):
    insert = "INSERT INTO head (chain, epoch, idx, hash) VALUES (?, 0, 0, '')"
    connection.write([(insert, [(name,) for name in names or ("a", "b")])])


def test_what_was_done_is_there_when_the_file_is_opened_again(database, path):
    database.transact("any", add)
    database.close()
    other = sqlite3.connect(path)
    assert other.execute("SELECT COUNT(*) FROM head").fetchall() == [(2,)]
    other.close()


@pytest.mark.parametrize("restored", [True, False], ids=["replaced", "removed"])
def test_a_file_that_was_replaced_or_removed_is_neither_written_nor_read(database, path, restored):
    """What is written to it would be gone when it is closed, and another file may be an older state."""
    database.transact("any", add)
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    held = path.rename(path.with_name("held.db"))
    if restored:
        copy.rename(path)
    for asked in (lambda: database.transact("any", chains), lambda: database.read(chains)):
        with pytest.raises(Unavailable, match="replaced or removed"):
            asked()
    path.unlink(missing_ok=True)
    held.rename(path)
    assert database.read(chains) == ["a", "b"]
    database.transact("any", lambda connection: add(connection, "c"))


def test_a_file_that_is_removed_while_it_is_written_is_not_answered_from(database, path):
    def work(connection):
        add(connection)
        path.rename(path.with_name("held.db"))

    with pytest.raises(Unavailable, match="replaced or removed"):
        database.transact("any", work)


def test_nothing_is_done_by_halves(database):
    def work(connection):
        add(connection)
        raise KeyError

    with pytest.raises(KeyError):
        database.transact("any", work)
    assert database.read(chains) == []


def test_after_a_query_that_failed_the_newest_state_is_read(database):
    """A query that was begun and is still held shows the state of then."""
    held = []

    def broken(connection):
        held.append(connection._connection.execute("SELECT * FROM head"))
        held[0].fetchone()
        raise sqlite3.OperationalError("disk I/O error")

    database.transact("any", add)
    with pytest.raises(Unavailable):
        database.read(broken)
    database.transact("any", lambda connection: add(connection, "c"))
    assert database.read(chains) == ["a", "b", "c"]


def test_every_commit_is_synced_and_memory_is_not_mapped(database):
    pragmas = ("journal_mode", "synchronous", "mmap_size")
    found = [database._writer.execute(f"PRAGMA {one}").fetchone()[0] for one in pragmas]
    assert found == ["wal", 2, 0]


def test_a_second_process_is_refused_until_the_first_is_gone(database, path):
    with pytest.raises(SourceError, match="Another process has"):
        SQLite(path)
    database.close()
    SQLite(path).close()


def test_a_reader_may_stand_beside_and_cannot_write(database, path):
    reader = SQLite(path, read_only=True)
    database.transact("any", add)
    assert reader.read(chains) == ["a", "b"]
    with pytest.raises(Unavailable, match="reading only"):
        reader.transact("any", add)
    with pytest.raises(Unavailable):
        reader.read(add)
    reader.close()


def test_a_reading_sees_one_moment(database):
    def work(connection):
        before = chains(connection)
        thread = threading.Thread(target=database.transact, args=("any", add))
        thread.start()
        thread.join()
        return before, chains(connection)

    before, after = database.read(work)
    assert before == after == []


def test_whoever_waits_too_long_for_their_turn_is_told(database):
    def late():
        with pytest.raises(Unavailable, match="Too many requests are waiting"):
            database.transact("any", add)
        told.append(True)

    def work(_):
        thread = threading.Thread(target=late)
        thread.start()
        thread.join()

    told = []
    database.transact("any", work)
    assert told


def test_a_copy_is_whole_while_the_service_goes_on(database, tmp_path):
    database.transact("any", add)
    database.backup(tmp_path / "copy.db")
    database.transact("any", lambda connection: add(connection, "c"))
    copy = SQLite(tmp_path / "copy.db")
    assert copy.read(chains) == ["a", "b"]
    copy.close()


def test_what_is_no_database_of_this_version_is_refused(path, tmp_path):
    with pytest.raises(MissingSource, match="There is no database"):
        open_database(str(path))
    path.write_text("no database at all, but a file that is long enough to be taken for one")
    with pytest.raises(SourceError, match="cannot be opened"):
        open_database(str(path))
    other = tmp_path / "other.db"
    SQLite(other, create=True).close()
    for found, said in (
        ("DELETE FROM made_by", "does not have the tables"),
        ("INSERT INTO made_by VALUES ('x')", "does not have the tables"),
        ("UPDATE made_by SET version = 99", "version 99, made by a newer divulge"),
    ):
        with closing(sqlite3.connect(other)) as connection:
            connection.execute(found)
            connection.commit()
        for options in ({}, {"earlier": True}, {"create": True}, {"read_only": True}):
            if options != {"create": True} or "DELETE" not in found:
                with pytest.raises(SourceError, match=said):
                    open_database(str(other), **options)


# -- one file, whatever its name ----------------------------------------------------------------------


@pytest.mark.parametrize("link", ["hard", "symbolic"])
def test_a_second_name_of_a_file_that_is_open_does_not_open_it_again(database, path, link):
    other = path.with_name("other.db")
    other.hardlink_to(path) if link == "hard" else other.symlink_to(path)
    with pytest.raises(SourceError, match="Another process has"):
        SQLite(other)
    imported = "from pathlib import Path; from divulge.service.store.sqlite import SQLite"
    assert "Another process has" in elsewhere(f"{imported}; SQLite(Path({str(other)!r}))")


def elsewhere(script):
    """What another process complains of."""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stderr


def test_a_file_with_two_names_is_not_opened(database, path):
    """Its latest commits may lie beside the other name."""
    database.close()
    other = path.with_name("other.db")
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(SourceError, match="second name"):
            SQLite(name)
    path.unlink()
    SQLite(other).close()


def test_a_process_that_is_refused_takes_no_lock_from_the_one_that_has_the_file(database, path):
    """To close a file undoes all locks that the process has on it, SQLite's too."""
    for _ in range(3):
        with pytest.raises(SourceError):
            SQLite(path)
    script = f"import sqlite3; sqlite3.connect({str(path)!r}).execute('PRAGMA journal_mode = DELETE')"
    assert "database is locked" in elsewhere(script)


# -- damage, and disks that cannot be written to ------------------------------------------------------


def test_a_file_with_damaged_pages_is_refused_when_it_is_opened(database, path):
    many = [f"chain-{number:04}" for number in range(2000)]
    database.transact("any", lambda connection: add(connection, *many))
    database.close()
    raw = bytearray(path.read_bytes())
    pages = [raw[start : start + 4096] for start in range(0, len(raw), 4096)]
    pages[-1], pages[-2] = pages[-2], pages[-1]
    path.write_bytes(b"".join(pages))
    with pytest.raises(SourceError, match="damaged") as raised:
        SQLite(path)
    assert "Restore a backup" in str(raised.value)
    reader = SQLite(path, read_only=True)
    with pytest.raises(SourceError, match="damaged"):
        reader.require_sound()
    reader.close()


def test_a_file_on_a_disk_that_cannot_be_written_to_is_read_without_writing(database, path, monkeypatch):
    database.transact("any", add)
    database.close()
    before = sorted(path.parent.iterdir())
    monkeypatch.setattr(os, "access", lambda folder, mode: False)
    reader = SQLite(path, read_only=True)
    assert reader.read(chains) == ["a", "b"]
    assert sorted(path.parent.iterdir()) == before
    reader.backup(path.with_name("copy.db"))
    reader.close()
    path.with_name("service.db-wal").write_bytes(b"commits")
    with pytest.raises(SourceError, match="-wal, and the folder is read-only") as raised:
        SQLite(path, read_only=True)
    assert "Copy both files" in str(raised.value)


def test_many_rows_are_added_changed_and_removed_at_once(database):
    add_change_and_remove(database)
