"""Tables that are read in parts: from a damaged file the same rows may come again and again."""

import sqlite3
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from divulge.errors import SourceError
from divulge.service.ledger import paging
from divulge.service.store.sqlite import SQLite
from service.history import Requester, at_work
from service.scene import NAME, Scene

PAGE = 4096


def leaves(path, index):
    """Where the pages of an index begin that have its rows, in their order."""
    with closing(sqlite3.connect(path)) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (index,))
    page = Path(path).read_bytes()[(root - 1) * PAGE : root * PAGE]
    assert page[0] == 2, "the index has one page"
    cells = [int.from_bytes(page[12 + 2 * one : 14 + 2 * one]) for one in range(int.from_bytes(page[3:5]))]
    places = [*cells, 8]
    return [(int.from_bytes(page[one : one + 4]) - 1) * PAGE for one in places]


def with_swapped(path, one, other, to):
    """A copy of a file in which two pages changed places, as on a disk that lost track."""
    raw = bytearray(Path(path).read_bytes())
    raw[one : one + PAGE], raw[other : other + PAGE] = raw[other : other + PAGE], raw[one : one + PAGE]
    to.write_bytes(raw)
    return to


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A service's file with several hundred entries and records."""
    monkeypatch.setattr(paging, "PAGE", 250)  # so that a part is of several pages
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path, records=600)
    with at_work(scene.place) as decider:
        Requester(decider).ask(scene.ids, 300)
    return scene.place.url


READS = {
    "sqlite_autoindex_entry_1": lambda connection: paging.log(connection, NAME),
    "sqlite_autoindex_record_1": lambda connection: paging.paged(connection, "record", "id", "x", NAME),
    "sqlite_autoindex_answer_1": paging.answers,
}


@pytest.mark.parametrize("index", READS)
def test_a_file_whose_pages_changed_places_is_refused_and_never_read_for_ever(path, index, tmp_path):
    with closing(SQLite(Path(path), read_only=True)) as database:
        whole = database.read(lambda connection: [*READS[index](connection)])
    noticed = 0
    for one, other in combinations(leaves(path, index), 2):
        swapped = with_swapped(path, one, other, tmp_path / "swapped.db")
        with closing(SQLite(swapped, read_only=True)) as database:
            with pytest.raises(SourceError, match="damaged"):
                database.require_sound()
            try:
                found = database.read(lambda connection: [*READS[index](connection)])
            except SourceError:
                noticed += 1
            else:
                assert len(found) <= len(whole)
    assert noticed or index != "sqlite_autoindex_entry_1"  # numbers grow; of texts, only the end


def test_what_is_read_is_whole_where_nothing_is_damaged(path):
    with closing(SQLite(Path(path), read_only=True)) as database:
        entries = database.read(lambda connection: [*paging.log(connection, NAME)])
    assert [one.index for one in entries] == [*range(1, len(entries) + 1)]
