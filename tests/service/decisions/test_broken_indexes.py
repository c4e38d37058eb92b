"""An index that lacks a row never lets a record out twice, nor leaves who waits for it behind."""

from contextlib import closing

import pytest

from divulge.errors import SourceError, Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.store.database import is_server, open_database
from service.broken_indexes import lose
from service.history import at_work
from service.scene import NAME, Scene
from service.turned_back import outside_connection


def two_who_wait(decider, ids):
    """A record that two wait for: their tickets, and the records that were not asked for."""
    for number, record in enumerate(ids):
        (first,) = decider.batch(NAME, [RecordRequest(record, f"first {number}")], "ann")
        if first["decision"] == "waiting":
            second = decider.request(NAME, RecordRequest(record, "second"), "bob")
            return first["ticket"], second["ticket"], ids[number + 1 :]
    raise AssertionError


def asked_for_all(decider, ids):
    """Ask for others one by one until one is refused; what went out, and the refusal."""
    for number, record in enumerate(ids):
        try:
            decider.request(NAME, RecordRequest(record, f"other {number}"), "carl")
        except Unavailable as error:
            return str(error)
    return None


ALL = pytest.mark.parametrize("which", [0, 1], ids=["who came first", "who came second"])


def left_twice_or_for_nobody(decider):
    """Records that left more than once, or with no ticket."""
    left = [one["body"] for one in decider.log(NAME, 0, 1000) if one["kind"] == "left"]
    names = [one["record"] for one in left]
    return [one for one in left if not one["tickets"] or names.count(one["record"]) > 1]


@ALL
@pytest.mark.parametrize("running", [True, False], ids=["running", "started anew"])
def test_nobody_leaves_twice_where_the_index_of_those_who_wait_for_a_record_lacks_one(scene, which, running):
    with at_work(scene.place) as decider:
        *tickets, others = two_who_wait(decider, scene.ids)
        lose(scene.place.url, "request_record", tickets[which])
        if running:
            assert "was changed in the database" in asked_for_all(decider, others)
            assert left_twice_or_for_nobody(decider) == []
            return
    with pytest.raises(SourceError, match="damaged"), at_work(scene.place):
        pass


@ALL
def test_nor_where_the_index_of_the_lines_lacks_one(scene, which):
    with at_work(scene.place) as decider:
        *tickets, others = two_who_wait(decider, scene.ids)
        lose(scene.place.url, "request_waiting", tickets[which])
        asked_for_all(decider, others)
        assert left_twice_or_for_nobody(decider) == []


def test_a_database_says_itself_that_an_index_lacks_a_row(url, tmp_path):
    scene = Scene.make(url, tmp_path)
    with at_work(scene.place) as decider:
        first, _, _ = two_who_wait(decider, scene.ids)
    if is_server(scene.place.url):
        with outside_connection(scene.place.url) as connection:
            connection.execute("CREATE EXTENSION amcheck")
    with closing(open_database(scene.place.url, read_only=True)) as database:
        assert database.require_sound()
    lose(scene.place.url, "request_record", first)
    with (
        closing(open_database(scene.place.url, read_only=True)) as database,
        pytest.raises(SourceError, match=r"damaged.*request_record"),
    ):
        database.require_sound()


def test_a_server_that_cannot_be_asked_says_that_nothing_was_checked(postgresql, tmp_path):
    place = Scene.make(postgresql.fresh(), tmp_path).place
    with closing(open_database(place.url, read_only=True)) as database:
        assert not database.require_sound()
