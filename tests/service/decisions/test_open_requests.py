"""No more requests wait than may: of a key, and for a record."""

import pytest

from divulge.errors import ParameterError
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.open_requests import OpenLimits, TooManyOpen
from service.history import OWNER, verified
from service.scene import NAME


@pytest.fixture
def stuck(decider, scene):
    """A decider, and records that wait: everything that may leave has left."""
    ages = scene.columns["age"]
    asked = [
        RecordRequest(record, f"first-{record}")
        for record, age in zip(scene.ids, ages, strict=True)
        if age in ("20s", "50s")
    ]
    outside = next(one["record"]["id"] for one in decider.batch(NAME, asked, "somebody") if "record" in one)
    sql = "SELECT record FROM request WHERE status = 'waiting' ORDER BY arrived"
    waiting = [record for (record,) in decider.database.read(lambda connection: connection.rows(sql))]
    assert len(waiting) > 3
    return decider, waiting, outside


def ask(decider, record, key, owner=OWNER):
    return decider.request(NAME, RecordRequest(record, key), owner)


def test_a_key_has_no_more_open_requests_than_allowed_and_takes_none_from_others(stuck, scene):
    decider, waiting, outside = stuck
    decider.open_limits = OpenLimits(per_key=3)
    tickets = [ask(decider, record, "a")["ticket"] for record in waiting[:1]]
    tickets += [
        one["ticket"]
        for one in decider.batch(NAME, [RecordRequest(waiting[i], f"{i}") for i in (1, 2)], OWNER)
    ]
    before = decider.status(NAME)["entries"]
    with pytest.raises(TooManyOpen, match=r"^3 of your requests wait in this dataset.* Withdraw some"):
        ask(decider, waiting[3], "b")
    (line,) = decider.batch(NAME, [RecordRequest(waiting[3], "b")], OWNER)
    assert (line["error"], line["message"][:22]) == ("too many open", "3 of your requests wai")
    assert decider.status(NAME)["entries"] == before  # nothing was decided
    assert ask(decider, waiting[0], "a")["ticket"] == tickets[0]  # a repeat is no new request
    assert ask(decider, outside, "c")["decision"] == "released"  # nothing that is outside waits
    assert ask(decider, waiting[3], "b", "another")["decision"] == "waiting"
    decider.withdraw(NAME, tickets[1], OWNER)
    assert ask(decider, waiting[3], "b")["decision"] == "waiting"  # under the same key as before
    assert [one.fault for one in verified(scene.place)] == [None]


def test_a_record_has_no_more_open_requests_than_allowed_and_one_key_a_tenth_of_them(stuck):
    decider, (record, *_), _ = stuck
    decider.open_limits = OpenLimits(per_record=20)
    asked = [RecordRequest(record, f"{number}") for number in range(3)]
    answers = decider.batch(NAME, asked, OWNER)  # all in one transaction
    assert [one.get("decision") for one in answers] == ["waiting", "waiting", None]
    assert answers[2]["message"].startswith("2 of your requests wait for this record, which is the limit.")
    # One waits since the beginning; 2 of each key, until there are 20.
    found = [
        decider.batch(NAME, [RecordRequest(record, "a"), RecordRequest(record, "b")], f"owner {number}")
        for number in range(9)
    ]
    assert [["error" in one for one in two] for two in found] == [[False, False]] * 8 + [[False, True]]
    assert found[8][1]["message"].startswith("20 requests wait for this record, which is the limit.")


@pytest.mark.parametrize("limits", [{"per_key": 0}, {"per_record": -1}])
def test_a_limit_of_nothing_is_refused(limits):
    with pytest.raises(ParameterError, match="must be larger than 0"):
        OpenLimits(**limits)


def test_a_record_that_left_in_the_same_batch_does_not_count_as_waiting(decider, scene):
    decider.open_limits = OpenLimits(per_record=10)  # of one key a tenth: one
    waits = next(one for one in scene.ids if ask(decider, one, one)["decision"] == "waiting")
    batch = [RecordRequest(one, f"in between {one}") for one in scene.ids if one != waits]
    *_, again = decider.batch(NAME, [*batch, RecordRequest(waits, "again")], OWNER)
    alone = ask(decider, waits, "again")
    assert "error" not in again
    assert again["decision"] == alone["decision"] == "released"
