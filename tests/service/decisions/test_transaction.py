"""Decisions of one transaction, carried into the next."""

import random

import pytest

from divulge.safe_release import Cell, Controller, Rules
from divulge.service.decisions import transaction
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.held_state import waiting_lines
from divulge.service.decisions.policies import policy_of
from service.judge import faults
from service.scene import NAME


def ask(decider, records, size=1, owner="client"):
    """Requests in batches of a size; their answers."""
    asked = [RecordRequest(record, f"{owner}-{number}") for number, record in enumerate(records)]
    batches = [asked[start : start + size] for start in range(0, len(asked), size)]
    return [answer for batch in batches for answer in decider.batch(NAME, batch, owner)]


def statuses(decider, answers, owner="client"):
    return [decider.ticket(NAME, one["ticket"], owner)["decision"] for one in answers]


@pytest.mark.parametrize("size", [1, 7, 60])
def test_requests_are_decided_as_by_the_controller_in_memory(decider, scene, size):
    guard = decider.database.read(lambda connection: policy_of(connection, NAME, 1)).guard
    controller = Controller(guard)
    records = random.Random(5).sample(scene.ids, 60)
    cells = dict(zip(scene.ids, zip(scene.columns["age"], scene.columns["place"], strict=True), strict=True))
    expected = []
    for record in records:
        age, place = cells[record]
        cell = Cell(guard.domain.values.index(age), guard.domain.targets.index(place))
        expected.append("released" if controller.request(record, cell).verdict.released else "waiting")
    answers = ask(decider, records, size)
    assert [one["decision"] for one in answers] == expected
    still = [
        record for record, one in zip(records, statuses(decider, answers), strict=True) if one == "waiting"
    ]
    assert still == list(controller.waiting)
    assert faults(decider) == []


def test_a_record_that_is_outside_is_given_again_and_counted_once(decider, scene):
    first, again = ask(decider, [scene.ids[0]]), ask(decider, [scene.ids[0]] * 2, 2, "other")
    assert [one["decision"] for one in (*first, *again)] == ["released"] * 3
    assert again[0]["record"] == first[0]["record"]
    assert decider.status(NAME)["outside"] == 1
    assert [entry["body"]["reason"] for entry in decider.log(NAME, 2, 9)] == ["repeated"] * 2


def waiting_record(decider, scene):
    """Somebody who has to wait, asked for once, and those asked for before."""
    for number, record in enumerate(scene.ids):
        (answer,) = ask(decider, [record], owner=f"first-{number}")
        if answer["decision"] == "waiting":
            return record, scene.ids[number + 1 :]
    raise AssertionError


def test_all_who_wait_for_a_record_get_it_when_it_leaves(decider, scene):
    record, others = waiting_record(decider, scene)
    more = ask(decider, [record] * 3, 2, "other")
    ask(decider, others, 5)
    assert len(set(statuses(decider, more, "other"))) == 1
    left = [entry["body"] for entry in decider.log(NAME, 0, 1000) if entry["kind"] == "left"]
    assert any(len(body["tickets"]) == 4 for body in left)
    assert faults(decider) == []


def test_a_request_that_is_withdrawn_makes_room_for_the_next_of_its_cell(decider, scene):
    record, others = waiting_record(decider, scene)
    (withdrawn,) = ask(decider, [record], owner="withdrawing")
    assert decider.withdraw(NAME, withdrawn["ticket"], "withdrawing")["decision"] == "withdrawn"
    assert decider.ticket(NAME, withdrawn["ticket"], "withdrawing")["decision"] == "withdrawn"
    ask(decider, others, 5)
    assert decider.ticket(NAME, withdrawn["ticket"], "withdrawing")["decision"] == "withdrawn"
    assert faults(decider) == []


def test_a_line_longer_than_what_is_looked_up_at_once_leaves_in_order(decider, scene, monkeypatch):
    monkeypatch.setattr(waiting_lines, "FIRST", 2)
    monkeypatch.setattr(waiting_lines, "MOST", 2)
    cells = dict(zip(scene.ids, zip(scene.columns["place"], scene.columns["age"], strict=True), strict=True))
    records = sorted((one for one in cells if cells[one][1] > "30s"), key=cells.__getitem__)
    answers = ask(decider, records, 60)
    before = decider.status(NAME)["outside"]
    decider.propose(NAME, Rules.of("mis", 1e-12), "one")
    decider.approve(NAME, 2, "two")
    assert decider.status(NAME)["outside"] > before + 5
    found = list(zip((cells[one] for one in records), statuses(decider, answers), strict=True))
    assert found == sorted(found)  # in each cell, those released before those waiting
    assert faults(decider) == []


def test_the_log_says_what_was_decided_under_what_and_nothing_of_the_record(decider, scene):
    (answer,) = ask(decider, [scene.ids[0]])
    (entry,) = decider.log(NAME, 1, 1)
    assert (entry["index"], entry["hash"]) == (answer["index"], answer["hash"])
    told = entry["body"]
    assert told["policy"] == 1
    assert told["checker"] == transaction.CHECKER
    assert (told["verdict"], told["reason"], told["tickets"]) == ("released", "safe", [answer["ticket"]])
    assert (told["outside"], told["waiting"]) == (1, 0)
    assert scene.ids[0] not in entry["body"].values()
