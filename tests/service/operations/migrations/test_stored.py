"""Databases of every version are migrated where need be, verified, replayed and decided on."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from divulge.errors import SourceError
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.operations.verifying import LogCheck
from divulge.service.store.database import is_server, open_database
from divulge.service.store.schema import FIRST, VERSION
from service.history import OWNER, at_work, dataset, later, verified
from service.scene import NAME, people
from service.stored_databases import VERSIONS, unpacked
from service.turned_back import outside_connection

QUICK = ("version-1", "version-5", "version-6")  # the earliest, the last before this one, and this one


@pytest.fixture(params=[pytest.param(one, marks=[pytest.mark.slow] * (one not in QUICK)) for one in VERSIONS])
def place(request, url, tmp_path):
    return unpacked(request.param, url, tmp_path)


def of_this_version(place):
    with closing(outside_connection(place.url)) as connection:
        return connection.execute("SELECT version FROM made_by").fetchall() == [(VERSION,)]


def columns(url):
    """Every column of every table: its name, type, and whether it may be missing, in their order; indexes."""
    with closing(outside_connection(url)) as connection:
        if is_server(url):
            sql = """SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
                WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"""
            indexes = "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname"
            return connection.execute(sql).fetchall(), connection.execute(indexes).fetchall()
        sql = """SELECT m.name, c.name, c.type, c."notnull", c.pk FROM sqlite_master m
            JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid"""
        indexes = "SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name"
        return connection.execute(sql).fetchall(), connection.execute(indexes).fetchall()


def test_a_database_of_an_earlier_version_goes_on_as_one_of_this(place, url, tmp_path, request):
    if not of_this_version(place):
        with pytest.raises(SourceError, match="divulge needs version") as refused:
            place.open()
        assert "divulge release migrate" in refused.value.hint
        assert FIRST <= migrate(place, "me").before < VERSION
    new = request.getfixturevalue("postgresql").fresh() if is_server(url) else str(tmp_path / "new.db")
    open_database(new, create=True).close()
    assert columns(place.url) == columns(new)
    people_log, service_log = verified(place, checkpoints=place.anchors, again=True)
    assert (people_log.fault, service_log.fault) == (None, None)
    assert people_log.decisions == 26
    with at_work(place) as decider:
        assert decider.behind == {}
        assert decider.key_shown((place.keys.parent / "ann.key").read_text().strip()).name == "ann"
        assert decider.key_shown((place.keys.parent / "carla.key").read_text().strip()) is None
        repeat_and_follow(decider)
        answers = decider.batch(NAME, [RecordRequest(f"p{n}", f"new {n}") for n in range(24)], OWNER)
        assert {one["decision"] for one in answers if "decision" in one} == {"released", "waiting"}
        decider.update(dataset(later(people(30))), "holder")
        export(decider, NAME, tmp_path / "out.jsonl")
        check = LogCheck(decider.secrets.digest, decider.secrets.public)
        assert check.export(Export.read(tmp_path / "out.jsonl")).fault is None
    assert [one.fault for one in verified(place, checkpoints=place.anchors, again=True)] == [None, None]


def repeat_and_follow(decider):
    """What was answered before is answered again, and every ticket can be followed."""

    def work(connection):
        tickets = connection.rows("SELECT ticket, record, status FROM request")
        return tickets, connection.rows("SELECT key, answer FROM answer")

    tickets, answers = decider.database.read(work)
    keys = {json.loads(text)["ticket"]: key for key, text in answers}
    assert len(tickets) == len(keys) == 24
    for ticket, record, status in tickets:
        assert decider.request(NAME, RecordRequest(record, keys[ticket]), OWNER)["ticket"] == ticket
        assert decider.ticket(NAME, ticket, OWNER)["decision"] == status


CHANGES = (  # of what the first version did not seal
    "UPDATE record SET body = replace(body, 'word', 'other') WHERE id = 'p9'",
    "UPDATE record SET x = 1 - x WHERE released IS NULL AND x < 2",
    "UPDATE request SET owner = 'somebody' WHERE arrived = 9",
    "UPDATE answer SET key = 'mine' WHERE key = '1-3'",
    "UPDATE answer SET owner = 'somebody' WHERE key = '1-3'",
    "UPDATE dataset SET identifier = 'word'",
    "UPDATE cell SET released = released + 1 WHERE x = 0 AND y = 0",
    "UPDATE api_key SET hash = 'x' WHERE name = 'ann'",
    "UPDATE api_key SET name = 'bob' WHERE name = 'ann'",
)


def test_what_the_first_version_did_not_seal_is_sealed_after(tmp_path):
    place = unpacked("version-1", "", tmp_path)
    migrate(place, "me")
    kept = Path(place.url).read_bytes()
    for statement in CHANGES:
        with closing(outside_connection(place.url)) as connection:
            assert connection.execute(statement).rowcount
            connection.commit()
        assert any(one.fault for one in verified(place)), statement
        Path(place.url).write_bytes(kept)
    assert [one.fault for one in verified(place)] == [None, None]
