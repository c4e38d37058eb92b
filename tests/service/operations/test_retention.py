"""Answers are removed after so long, and a request that is repeated then is answered all the same."""

import json
import shutil
from datetime import datetime, timedelta

import pytest

from divulge.errors import Conflict, ParameterError, Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.log_writer import entries_of
from divulge.service.operations import retention
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.operations.reconciling import carry_in
from divulge.service.operations.retention import Retention, kept_for, remove_answers
from service.history import OWNER, at_work, verified
from service.scene import NAME, Scene
from service.stored_databases import unpacked

START = datetime.fromisoformat("2990-01-01T00:00:00+00:00")


def on_day(decider, day):
    """Set the clock to so many days after the start."""
    decider.clock = lambda: (START + timedelta(days=day)).isoformat(timespec="microseconds")


def asked_for(decider, numbers, prefix="old"):
    """What is answered to requests for records, one request each."""
    return decider.batch(
        NAME, [RecordRequest(f"p{number}", f"{prefix}-{number}") for number in numbers], OWNER
    )


def rows_of(decider, table):
    return decider.database.read(lambda connection: connection.rows(f"SELECT * FROM {table}"))


def entries(decider):
    return decider.status(NAME)["entries"]


@pytest.fixture
def aged(url, tmp_path):
    """A service whose first 30 answers are a hundred days old, and what they were."""
    scene = Scene.make(url, tmp_path)
    with at_work(scene.place) as decider:
        on_day(decider, 0)
        first = asked_for(decider, range(30))
        waiting = [one["ticket"] for one in first if one["decision"] == "waiting"]
        decider.withdraw(NAME, decider.queue(NAME, 1)[0]["ticket"], OWNER)
        on_day(decider, 100)
        asked_for(decider, range(30, 40), "new")
        assert waiting
        yield scene, decider, first


def test_old_answers_are_removed_and_given_again_from_the_log(aged, monkeypatch):
    scene, decider, first = aged
    monkeypatch.setattr(retention, "AT_ONCE", 20)
    monkeypatch.setattr(retention, "LOOKED_THROUGH", 33)
    before = entries(decider)
    assert remove_answers(decider, NAME, 90, "me") == 30
    assert remove_answers(decider, NAME, 90, "me") == 0
    assert (len(rows_of(decider, "answer")), len(rows_of(decider, "removed_answer"))) == (10, 30)
    said = decider.database.read(lambda connection: entries_of(connection, NAME, before))
    assert {(one.kind, one.fields["by"]) for one in said} == {("answers removed", "me")}
    assert sum(one.fields["answers"] for one in said) == 30
    assert len(said) > 2  # a few at a time, so that nobody has to wait
    assert said[-1].fields["to"] == first[-1]["index"]
    # Repeated: the same answers, whatever was decided, and nothing is decided again.
    assert asked_for(decider, range(30)) == first
    with pytest.raises(Conflict):
        decider.request(NAME, RecordRequest("p31", "old-1"), OWNER)
    assert entries(decider) == before + len(said)
    # Another requester may have had the same idea of a key.
    assert decider.request(NAME, RecordRequest("p0", "old-0"), "another")["ticket"] != first[0]["ticket"]
    found = {one.chain: one for one in verified(scene.place, again=True)}[NAME]
    assert (found.fault, found.removed, found.removed_to) == (None, 30, first[-1]["index"])


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_removed_answer_that_was_tampered_with_is_not_given(aged):
    _, decider, first = aged
    remove_answers(decider, NAME, 90, "me")
    change = "UPDATE removed_answer SET idx = idx + 1 WHERE idx = ?"
    decider.database.transact(NAME, lambda connection: connection.rows(change, (first[3]["index"],)))
    with pytest.raises(Unavailable, match="The answer was changed"):
        asked_for(decider, [3])
    change = "UPDATE answer SET key = 'mine' WHERE key = 'new-30'"
    decider.database.transact(NAME, lambda connection: connection.rows(change))
    on_day(decider, 300)
    with pytest.raises(Unavailable, match="The answer was changed"):
        remove_answers(decider, NAME, 90, "me")


def test_a_copy_from_before_the_removal_is_brought_to_it_by_an_export(tmp_path):
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path)
    with at_work(scene.place) as decider:
        on_day(decider, 0)
        first = asked_for(decider, range(20))
    shutil.copy(scene.place.url, tmp_path / "copy.db")
    with at_work(scene.place) as decider:
        on_day(decider, 1)
        asked_for(decider, range(20, 25))
        on_day(decider, 200)
        assert remove_answers(decider, NAME, 90, "me") == 25
        export(decider, NAME, tmp_path / "log.jsonl")
    shutil.copy(tmp_path / "copy.db", scene.place.url)
    with at_work(scene.place) as decider:
        carry_in(decider, NAME, Export.read(tmp_path / "log.jsonl"))
        assert decider.behind == {}
        assert asked_for(decider, range(20)) == first
        assert rows_of(decider, "answer") == []
    assert [one.fault for one in verified(scene.place)] == [None]


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_old_answers_are_removed_beside_the_service_and_failures_are_told(aged, caplog, monkeypatch):
    _, decider, first = aged
    with monkeypatch.context() as changed:
        changed.setattr(decider.signer, "fault", lambda: "The process that signs cannot be reached.")
        before = entries(decider)
        with pytest.raises(Unavailable, match="cannot be reached"):
            remove_answers(decider, NAME, 90, "rule")
        assert entries(decider) == before  # nothing is removed that could not be signed
    beside = Retention(decider, 90, "rule", pause=0.01)
    beside.start()
    while len(rows_of(decider, "answer")) > 10:
        beside.join(0.01)
    beside.stop()
    assert not beside.is_alive()
    assert asked_for(decider, range(30)) == first
    assert caplog.text == ""
    decider.datasets = lambda: [].pop()
    failing = Retention(decider, 90, "rule")
    failing.start()
    failing.stop()
    assert "could not be removed: IndexError" in caplog.text


def test_answers_are_kept_for_a_day_at_least():
    for days in (0, -1, 10**9):
        with pytest.raises(ParameterError, match="1 to 36500 days"):
            kept_for(days)


def test_answers_of_the_first_version_are_removed_and_given_again(tmp_path):
    place = unpacked("version-1", "", tmp_path)
    migrate(place, "me")
    with at_work(place) as decider:
        told = {(owner, key): json.loads(text) for owner, key, _, text in rows_of(decider, "answer")}
        tickets = rows_of(decider, "request")
        record = {ticket: record for ticket, _, record, *_ in tickets}
        decider.clock = lambda: START.isoformat(timespec="microseconds")
        assert remove_answers(decider, NAME, 90, "me") == len(told) == 24
        assert (rows_of(decider, "answer"), len(rows_of(decider, "removed_answer"))) == ([], 24)
        for (owner, key), answer in told.items():
            again = decider.request(NAME, RecordRequest(record[answer["ticket"]], key), owner)
            assert {name: again[name] for name in answer} == answer
    assert [one.fault for one in verified(place)] == [None, None]
