"""Where requests are decided."""

import shutil
from pathlib import Path

import pytest

from divulge.errors import Conflict, Forbidden, NotFound, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions import checkpointed
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.operations.locations import ServiceLocations
from service.decisions.test_transaction import ask
from service.judge import faults
from service.scene import NAME, Scene, dataset, put_in

RULES = Rules.of("kld", 0.1, samples=100)


def one(decider, record="p0", key="key", owner="client"):
    return decider.request(NAME, RecordRequest(record, key), owner)


# -- requests ------------------------------------------------------------------------------------------


def test_a_record_that_may_leave_comes_with_the_answer(decider, scene):
    answer = one(decider)
    assert answer["decision"] == "released"
    assert answer["record"] == {name: scene.columns[name][0] for name in ("id", "age", "place", "word")}
    assert decider.ticket(NAME, answer["ticket"], "client")["record"] == answer["record"]


def test_the_same_key_gives_the_same_answer_and_is_decided_once(decider):
    assert one(decider) == one(decider)
    assert decider.batch(NAME, [RecordRequest("p0", "key")] * 2, "client") == [one(decider)] * 2
    assert decider.status(NAME)["entries"] == 2


def test_a_key_that_came_with_another_request_is_a_conflict(decider):
    one(decider)
    with pytest.raises(Conflict, match="another request"):
        one(decider, "p1")
    assert one(decider, "p1", owner="other")["decision"]
    answers = decider.batch(
        NAME, [RecordRequest("p2", "new"), RecordRequest("p3", "new"), RecordRequest("p2", "new")], "client"
    )
    assert answers[1] == {"error": "conflict"}
    assert answers[0] == answers[2]


def test_what_is_not_there_is_not_found(decider):
    with pytest.raises(NotFound, match="record does not exist"):
        one(decider, "nobody")
    with pytest.raises(NotFound, match="no dataset"):
        decider.request("nothing", RecordRequest("p0", "key"), "client")
    with pytest.raises(NotFound, match="ticket does not exist"):
        decider.ticket(NAME, "none", "client")
    for reading in (decider.status, decider.policies):
        with pytest.raises(NotFound):
            reading("nothing")
    assert decider.status(NAME)["entries"] == 1


def test_a_ticket_is_its_owners_alone(decider):
    ticket = one(decider)["ticket"]
    with pytest.raises(NotFound):
        decider.ticket(NAME, ticket, "other")
    with pytest.raises(NotFound):
        decider.withdraw(NAME, ticket, "other")


def test_only_a_waiting_request_can_be_withdrawn_and_only_once(decider, scene):
    answers = ask(decider, scene.ids)
    waiting = decider.queue(NAME, 100)
    with pytest.raises(Conflict, match="it is released"):
        decider.withdraw(NAME, answers[0]["ticket"], "client")
    decider.withdraw(NAME, waiting[0]["ticket"], "client")
    with pytest.raises(Conflict, match="it is withdrawn"):
        decider.withdraw(NAME, waiting[0]["ticket"], "client")
    assert decider.queue(NAME, 100) == waiting[1:]
    assert faults(decider) == []


# -- policies ------------------------------------------------------------------------------------------


def test_rules_hold_once_somebody_else_has_approved_them(decider):
    assert decider.propose(NAME, RULES, "one")["status"] == "proposed"
    assert decider.status(NAME)["policy"]["version"] == 1
    with pytest.raises(Forbidden, match="cannot approve"):
        decider.approve(NAME, 2, "one")
    assert decider.approve(NAME, 2, "two")["status"] == "active"
    assert decider.status(NAME)["policy"]["rules"]["tests"] == ["kld"]
    assert [one["status"] for one in decider.policies(NAME)] == ["retired", "active"]
    with pytest.raises(Conflict, match="is active"):
        decider.approve(NAME, 2, "two")
    with pytest.raises(NotFound):
        decider.approve(NAME, 3, "two")
    kinds = [entry["kind"] for entry in decider.log(NAME, 0, 10)]
    assert kinds == ["loaded", "policy proposed", "policy approved"]


def test_who_waits_may_leave_under_other_rules(decider, scene):
    ask(decider, scene.ids)
    before = decider.status(NAME)
    decider.propose(NAME, Rules.of("mis", 0.001, samples=10_000), "one")
    decider.approve(NAME, 2, "two")
    after = decider.status(NAME)
    assert after["outside"] > before["outside"]
    assert after["outside"] + after["waiting"] == before["outside"] + before["waiting"]
    assert faults(decider) == []


# -- how things stand ----------------------------------------------------------------------------------


def test_another_process_is_not_answered_from_memory(postgresql, tmp_path):
    scene = Scene.make(postgresql.fresh(), tmp_path)
    first, second = scene.place.open(), scene.place.open()
    for number, record in enumerate(scene.ids):
        one((first, second)[number % 2], record, record)
    first.propose(NAME, RULES, "one")
    second.approve(NAME, 2, "two")
    assert one(first, "p0", "again")["decision"] == "released"
    assert first.log(NAME, 0, 1000)[-1]["body"]["policy"] == 2
    assert faults(first) == []
    for decider in (first, second):
        decider.database.close()


def test_the_series_ends_with_the_last_entry(decider, scene):
    ask(decider, scene.ids)
    status = decider.status(NAME)
    points = decider.series(NAME, 10)
    assert len(points) == 10
    assert (points[-1]["index"], points[-1]["outside"]) == (status["entries"], status["outside"])
    assert decider.datasets() == [NAME]


def test_every_so_many_entries_a_checkpoint_is_kept_for_good(decider, scene, monkeypatch):
    monkeypatch.setattr(checkpointed, "EVERY", 10)
    ask(decider, scene.ids)
    entries = decider.status(NAME)["entries"]
    kept = decider.anchors.kept(NAME)
    tens = [one.count // 10 for one in kept[:-1]]
    assert tens == sorted(set(tens))
    assert len(tens) > 4
    assert kept[-1].count == entries
    assert all(one.is_signed_by(decider.secrets.public) for one in kept)
    assert decider.checkpoint(NAME) in decider.anchors.kept(NAME)


def test_a_database_older_than_its_checkpoint_decides_nothing(scene, tmp_path):
    decider = scene.place.open()
    one(decider)
    decider.database.backup(tmp_path / "copy.db")
    waiting = one(decider, "p1", "other")
    decider.database.close()
    shutil.copy(tmp_path / "copy.db", scene.place.url)
    for ending in ("-wal", "-shm"):
        Path(scene.place.url + ending).unlink(missing_ok=True)
    decider = scene.place.open()
    assert "older than what was released" in decider.behind[NAME]
    for act in (
        lambda: one(decider, "p2", "new"),
        lambda: one(decider),
        lambda: decider.withdraw(NAME, waiting["ticket"], "client"),
        lambda: decider.propose(NAME, RULES, "one"),
    ):
        with pytest.raises(Unavailable, match="read-only"):
            act()
    assert decider.status(NAME)["read_only"]
    decider.database.close()


def test_another_database_with_the_same_name_is_told_by_its_checkpoint(scene, tmp_path):
    decider = scene.place.open()
    one(decider)
    decider.database.close()
    url = str(tmp_path / "other.db")
    other = ServiceLocations(url, scene.place.keys, tmp_path / "elsewhere").create()
    put_in(other, dataset(scene.columns))
    one(other)
    other.database.close()
    other = ServiceLocations(url, scene.place.keys, scene.place.anchors).open()
    assert "another database" in other.behind[NAME]
    other.database.close()
