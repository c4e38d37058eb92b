"""What others have decided meanwhile is followed along the log, or else everything is read anew."""

import numpy as np
import pytest

from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.held_state import catching_up
from divulge.service.decisions.held_state.catching_up import caught_up
from divulge.service.decisions.held_state.held import Held, HeldRows
from divulge.service.ledger.log_writer import head_of
from service.decisions.test_transaction import ask
from service.judge import faults
from service.scene import NAME, Scene


def before_and_after(decider, kept):
    """How a dataset stands by the entries since, and by its tables."""

    def work(connection):
        head, key = head_of(connection, NAME), decider.secrets.digest
        read = Held.read(connection, NAME, head, kept.policy, key)
        return caught_up(connection, NAME, kept, head, key), read

    return decider.database.read(work)


@pytest.fixture
def kept(decider, scene):
    """How the dataset stood after some decisions; more were made since, of every kind."""
    ask(decider, scene.ids[:10], 5)
    found = decider._held[NAME]
    ask(decider, scene.ids[5:50], 9, "other")
    for one in decider.queue(NAME, 3):
        decider.withdraw(NAME, one["ticket"], "other")
    ask(decider, scene.ids[50:], 4, "third")
    return found


def test_what_follows_from_the_entries_is_what_the_tables_say(decider, kept):
    kinds = {entry["kind"] for entry in decider.log(NAME, kept.head.entries, 1000)}
    assert kinds == {"decision", "left", "withdrawn"}
    found, read = before_and_after(decider, kept)
    assert (found.head, found.total, found.waiting) == (read.head, read.total, read.waiting)
    assert np.array_equal(found.state.counts, read.state.counts)
    assert np.array_equal(found.heads, read.heads)
    assert found.state.worst() == read.state.worst()


def test_what_does_not_follow_from_the_entries_is_read_anew(decider, kept, monkeypatch):
    monkeypatch.setattr(catching_up, "FARTHEST", 3)
    assert before_and_after(decider, kept)[0] is None
    monkeypatch.undo()
    assert before_and_after(decider, kept)[0] is not None
    released = [
        entry["body"]["tickets"][0]
        for entry in decider.log(NAME, kept.head.entries, 1000)
        if entry["body"].get("reason") == "safe"
    ]
    sql = "UPDATE request SET x = ? - x WHERE ticket = ?"
    move = [(sql, [(3, released[0])])]  # to another cell
    decider.database.transact(NAME, lambda connection: connection.write(move))
    assert before_and_after(decider, kept)[0] is None
    decider.database.transact(NAME, lambda connection: connection.write(move))
    assert before_and_after(decider, kept)[0] is not None
    decider.propose(NAME, Rules.of("kld", 0.1, samples=100), "one")
    assert before_and_after(decider, kept)[0] is None


def test_two_processes_in_turns_read_everything_once(postgresql, tmp_path, monkeypatch):
    read, held = [], HeldRows.held
    monkeypatch.setattr(HeldRows, "held", lambda rows, *given: (read.append(1), held(rows, *given))[1])
    scene = Scene.make(postgresql.fresh(), tmp_path)
    deciders = scene.place.open(), scene.place.open()
    for number, record in enumerate(scene.ids):
        deciders[number % 2].request(NAME, RecordRequest(record, record), "client")
    assert len(read) == 2
    assert faults(deciders[0]) == []
    for one in deciders:
        one.database.close()
