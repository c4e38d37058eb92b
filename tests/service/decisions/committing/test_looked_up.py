"""What is looked up before requests are decided: once for a group, by an index, and only if needed."""

import sqlite3

import pytest

from divulge.errors import Unavailable
from divulge.service.decisions.committing.group_queue import Group
from divulge.service.decisions.committing.looked_up import RecordRequest, RequestsOf, row_queries
from divulge.service.decisions.held_state.waiting_lines import RECORD_OF_FIRST, TICKETS_OF_FIRST
from divulge.service.decisions.logged.content_digests import record_seal
from divulge.service.decisions.open_requests import OF_KEY, OpenLimits
from divulge.service.decisions.transaction import RELEASE
from divulge.service.store.connection import any_of, padded
from divulge.service.store.schema import TABLES
from service.scene import NAME

KEY = b"k" * 32


@pytest.fixture
def asked(decider, monkeypatch):
    """The queries of each transaction that decides."""
    found, transact = [], decider.database.transact

    def watched(chain, work):
        def noted(connection):
            kinds, rows = [], connection.rows
            found.append(kinds)
            connection.rows = lambda sql, given=(): kinds.append(sql) or rows(sql, given)
            connection.several = lambda queries: [connection.rows(*one) for one in queries]
            return work(connection)

        return transact(chain, noted)

    monkeypatch.setattr(decider.database, "transact", watched)
    return found


def group_of(decider, records, monkeypatch, owner="owner"):
    """Records asked for by as many requesters, in one transaction."""
    pieces, done = [], decider._commits.done
    monkeypatch.setattr(decider._commits, "done", lambda chain, piece: pieces.append(piece))
    for number, record in enumerate(records):
        with pytest.raises(TypeError):  # it is kept here, and not answered yet
            decider.decided(NAME, [RecordRequest(record, "same key")], f"{owner} {number}")
    monkeypatch.setattr(decider._commits, "done", done)
    decider._decided(NAME, Group(pieces, closed=True))
    return [piece.outcome() for piece in pieces]


def test_eight_requesters_are_looked_up_by_as_many_queries_as_one(decider, scene, asked, monkeypatch):
    ages = dict(zip(scene.ids, scene.columns["age"], strict=True))
    alike = [one for one in scene.ids if ages[one] == ages["p0"]]
    group_of(decider, ["p0"], monkeypatch)
    answers = group_of(decider, alike[1:9], monkeypatch)
    assert len(answers) == 8
    first, second = (
        [one for one in kinds if "FROM answer" in one or "FROM record" in one] for kinds in asked[-2:]
    )
    assert len(first) == 2
    assert len([one for one in second if " IN (" in one or " OR " in one]) == 2


def test_records_that_are_outside_are_held_to_the_log_without_a_query_of_their_own(
    decider, scene, asked, monkeypatch
):
    batch = decider.batch(NAME, [RecordRequest(one, one) for one in scene.ids[:40]], "somebody")
    outside = [one["record"]["id"] for one in batch if one["decision"] == "released"][:8]
    assert len(outside) == 8
    answers = group_of(decider, outside[:1], monkeypatch, "first")
    answers += group_of(decider, outside, monkeypatch, "second")
    assert [one["decision"] for (one,) in answers] == ["released"] * 9
    assert len(asked[-1]) == len(asked[-2])
    assert not [one for one in asked[-1] if "idx IN (?, ?)" in one]


def test_a_record_that_is_outside_by_another_entry_is_refused(decider, scene, monkeypatch):
    batch = decider.batch(NAME, [RecordRequest(one, one) for one in scene.ids[:40]], "somebody")
    first, second = [one for one in batch if one["decision"] == "released"][:2]
    one, other = (each["record"]["id"] for each in (first, second))

    def moved(connection):
        sql = "SELECT x, y, body FROM record WHERE dataset = ? AND id = ?"
        ((x, y, body),) = connection.rows(sql, (NAME, one))
        seal = record_seal(decider.secrets.digest, NAME, one, x, y, body, second["index"])
        connection.write([(RELEASE, [(second["index"], seal, NAME, one)])])

    decider.database.transact(NAME, moved)
    with pytest.raises(Unavailable, match="The record was changed"):
        group_of(decider, [one, other], monkeypatch, "again")
    with pytest.raises(Unavailable, match="The record was changed"):
        decider.request(NAME, RecordRequest(one, "alone"), "again")
    assert decider.request(NAME, RecordRequest(other, "alone"), "again")["decision"] == "released"


def test_each_gets_the_answer_that_a_request_by_itself_gets(decider, scene, monkeypatch):
    answers = group_of(decider, ["p0", "p1", "p0", "nobody"], monkeypatch)
    told = [one for (one,) in answers]
    assert told[3] == {"error": "not found"}
    again = [
        decider.decided(NAME, [RecordRequest(record, "same key")], f"owner {number}").answers[0]
        for number, record in enumerate(["p0", "p1", "p0"])
    ]
    assert again == told[:3]
    other = decider.decided(NAME, [RecordRequest("p1", "same key")], "owner 0").answers
    assert other == [{"error": "conflict"}]  # the key of another record, and of the same owner only


@pytest.mark.parametrize("number", [1, 2, 8, 50])
def test_no_query_goes_through_a_whole_table(number):
    connection = sqlite3.connect(":memory:")
    for statement in TABLES:
        connection.execute(statement)
    asked = [RequestsOf(f"owner {i % 3}", [RecordRequest(f"r{i}", f"k{i}")]) for i in range(number)]
    first = NAME, NAME, 1, 2, 3
    leaving = [(TICKETS_OF_FIRST, first), (RECORD_OF_FIRST, first)]
    for sql, given in [*row_queries(NAME, asked, KEY), (OF_KEY, (NAME, "owner")), *leaving]:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", given)]
        assert not [one for one in plan if "SCAN" in one], sql
        used = [one for one in plan if "SEARCH" in one]
        least = {"answer": "owner=? AND key=?", "record": "id=?", "request": "dataset=? AND "}
        least |= {"entry": "chain=? AND idx=?", "removed_answer": "digest=?"}
        assert all(least[one.split()[1]] in one for one in used), plan


def test_requests_of_a_key_are_counted_only_if_as_many_wait_as_it_may_have(decider, scene, asked):
    batch = [RecordRequest(one, one) for one in scene.ids[:50]]
    answers = decider.batch(NAME, batch, "owner")
    waiting = [one for one in answers if one["decision"] == "waiting"]
    assert waiting
    assert not [one for kinds in asked for one in kinds if one == OF_KEY]
    decider.open_limits = OpenLimits(per_key=1)
    decider.batch(NAME, [RecordRequest(one, f"{one} again") for one in scene.ids[50:]], "owner")
    assert [one for kinds in asked for one in kinds if one == OF_KEY]


def test_lists_are_as_long_as_a_power_of_two_and_have_nothing_else_in_them():
    for number in range(1, 70):
        values = list(range(number))
        marks, given = padded(values)
        assert marks.count("?") == len(given) == 1 << (number - 1).bit_length()
        assert {*given} == {*values}
        sql, flat = any_of(("a", "b"), [(one, -one) for one in values])
        assert sql.count("?") == len(flat) == 2 * len(given)
