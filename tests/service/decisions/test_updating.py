"""The holder's table has changed."""

import pytest

from divulge.errors import Conflict, NotFound
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.store.sqlite import _SQLite
from service.decisions.test_transaction import ask
from service.judge import faults
from service.scene import NAME, Scene, dataset, people


@pytest.fixture
def columns():
    return people(60)


@pytest.fixture(params=[False, True], ids=["fixed", "following"])
def following(request):
    return request.param


@pytest.fixture
def decider(tmp_path, columns, following):
    found = Scene.make(
        str(tmp_path / "service.db"), tmp_path, dataset(columns), following=following
    ).place.open()
    yield found
    assert faults(found) == []
    found.database.close()


def test_records_come_and_go(decider, columns):
    columns["id"][5] = "new"
    assert decider.update(dataset(columns), "holder") == {"records": 60, "new": 1, "gone": 1}
    assert decider.request(NAME, RecordRequest("new", "a"), "client")["decision"]
    with pytest.raises(NotFound):
        decider.request(NAME, RecordRequest("p5", "b"), "client")


def test_what_is_outside_stays_as_it_left(decider, columns):
    before = decider.request(NAME, RecordRequest("p0", "a"), "client")
    columns["age"][0] = "20s" if columns["age"][0] != "20s" else "50s"
    decider.update(dataset(columns), "holder")
    assert decider.request(NAME, RecordRequest("p0", "b"), "client")["record"] == before["record"]
    decider.update(dataset({name: values[1:] for name, values in columns.items()}), "holder")
    assert decider.request(NAME, RecordRequest("p0", "c"), "client")["record"] == before["record"]
    assert decider.status(NAME)["outside"] == 1


def test_requests_for_who_is_gone_or_has_moved_are_withdrawn(decider, columns):
    answers = ask(decider, columns["id"])
    waiting = {one["ticket"] for one in decider.queue(NAME, 100)}
    gone, moved, *others = [number for number, one in enumerate(answers) if one["ticket"] in waiting]
    columns["id"][gone] = "new"
    columns["place"][moved] = next(one for one in ("north", "west") if one != columns["place"][moved])
    decider.update(dataset(columns), "holder")
    for number in (gone, moved):
        assert decider.ticket(NAME, answers[number]["ticket"], "client")["decision"] == "withdrawn"
    for number in others:
        assert decider.ticket(NAME, answers[number]["ticket"], "client")["decision"] != "withdrawn"


def test_a_baseline_that_follows_takes_a_version_and_another_does_not(decider, columns, following):
    ask(decider, columns["id"][:20])
    columns["age"] = ["10s" if age == "20s" else age for age in columns["age"]]
    decider.update(dataset(columns), "holder")
    assert decider.status(NAME)["policy"]["version"] == 1 + following
    decided = {
        decider.request(NAME, RecordRequest(one, f"late-{one}"), "client")["decision"]
        for one in columns["id"]
    }
    assert ("refused" in decided) == (not following)


def test_values_that_are_gone_and_come_back_keep_their_records(decider, columns):
    """The order of the values changes on the way, and what is outside must not be taken for other values."""
    ask(decider, columns["id"][:30])
    before = decider.status(NAME)["outside"]
    without = {**columns, "age": ["20s" if age == "30s" else age for age in columns["age"]]}
    decider.update(dataset(without), "holder")
    assert faults(decider) == []
    decider.update(dataset(columns), "holder")
    ask(decider, columns["id"], owner="late")
    assert decider.status(NAME)["outside"] >= before


def test_rules_that_were_proposed_for_another_baseline_cannot_be_approved(decider, columns, following):
    ask(decider, columns["id"][:30])
    decider.propose(NAME, Rules.of("mis", 0.3, samples=100), "one")
    without = {**columns, "age": ["20s" if age == "30s" else age for age in columns["age"]]}
    decider.update(dataset(without), "holder")
    if following:
        with pytest.raises(Conflict, match="baseline has changed"):
            decider.approve(NAME, 2, "two")
    else:
        decider.approve(NAME, 2, "two")


def test_only_records_that_differ_are_written(decider, columns, monkeypatch):
    written = []
    true = _SQLite.change_rows

    def noted(self, table, columns, keys, rows):
        written.extend(row[-1] for row in rows)
        true(self, table, columns, keys, rows)

    monkeypatch.setattr(_SQLite, "change_rows", noted)
    decider.request(NAME, RecordRequest("p0", "a"), "client")
    columns["word"][:3] = ["other"] * 3
    assert decider.update(dataset(columns), "holder") == {"records": 60, "new": 0, "gone": 0}
    assert written == ["p1", "p2"]  # p0 is outside, and stays as it left
