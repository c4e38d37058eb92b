"""Whatever fails while a request is decided, nothing leaves without a durable decision, and life goes on."""

import contextlib
import errno
import sqlite3
from collections import deque
from itertools import count
from pathlib import Path

import psycopg
import pytest

from divulge.errors import Conflict, SourceError, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.checkpointed import now
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.keys import all_keys, make_key
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.secrets import Secrets
from divulge.service.store.postgresql import UNLOCK, PostgreSQL
from divulge.service.store.sqlite import SQLite
from service.faulty import ERRORS, FaultySQLite, open_faulty
from service.judge import faults
from service.lowered import Piecemeal
from service.scene import NAME, Scene, dataset, people

PEOPLE, ASKED = 400, 80


@pytest.fixture
def place(url, tmp_path):
    return Scene.make(url, tmp_path, dataset(people(PEOPLE)), following=True).place


@pytest.fixture
def decider(place):
    """A decider at which calls can fail; some people are outside, and some requests wait."""
    found = seated(place)
    yield found
    found.database.close()


def seated(place, anchors=Anchors, kind=None):
    database = kind(Path(place.url)) if kind else open_faulty(place.url)
    decider = DecisionService(database, Secrets.read(place.keys), anchors(place.anchors))
    asked = [RecordRequest(f"p{number}", f"first-{number}") for number in range(ASKED)]
    assert {one["decision"] for one in decider.batch(NAME, asked, "client")} == {"released", "waiting"}
    return decider


def ask(decider, number):
    return decider.request(NAME, RecordRequest(f"p{number % PEOPLE}", f"key-{number}"), "client")


def failing(decider, act, error=None, numbers=None):
    """Have each call of an act fail, before it takes effect and after; yields the number of each attempt."""
    plan, numbers = decider.database.plan, numbers or count()
    for after in (False, True):
        for call in count():
            number = next(numbers)
            plan.fails(call, error or errors(decider)[0], after=after)
            try:
                act(number)
                failed = False
            except Unavailable:
                failed = True
            assert plan.struck == failed, "an answer was given although a call failed"
            plan.works()
            if not failed:
                assert call >= 3
                break
            yield number


def errors(decider):
    return ERRORS["sqlite" if isinstance(decider.database, SQLite) else "postgresql"]


# -- each call fails -----------------------------------------------------------------------------------


def test_a_request_that_fails_at_any_call_is_decided_once_when_it_is_repeated(decider):
    requests_fail(decider)


def requests_fail(decider):
    """Each call of requests fails in every way, and is made again; on a server, first at another decider."""
    numbers, other = count(ASKED), decider
    if not isinstance(decider.database, SQLite):
        other = DecisionService(open_faulty(decider.database._url), decider.secrets, decider.anchors)
    for error in errors(decider):
        for number in failing(decider, lambda number: ask(decider, number), error, numbers):
            answer = ask(other, number)
            assert ask(decider, number) == answer
    assert faults(decider) == []
    other.database.close()


def test_a_batch_that_fails_at_any_call_is_decided_once_when_it_is_repeated(decider):
    def act(number):
        asked = [
            RecordRequest(f"p{one}", f"{number}-{one}") for one in range(ASKED + number, ASKED + number + 5)
        ]
        return decider.batch(NAME, asked, "client")

    for number in failing(decider, act):
        answers = act(number)
        assert act(number) == answers
    assert faults(decider) == []


def test_a_withdrawal_that_fails_at_any_call_has_happened_or_has_not(decider):
    first = decider.batch(NAME, [RecordRequest(f"p{one}", f"first-{one}") for one in range(ASKED)], "client")
    waiting = next(f"p{number}" for number, one in enumerate(first) if still_waits(decider, one["ticket"]))
    asked = [RecordRequest(waiting, f"again-{number}") for number in range(60)]
    tickets = [one["ticket"] for one in decider.batch(NAME, asked, "client")]
    for number in failing(decider, lambda number: decider.withdraw(NAME, tickets[number], "client")):
        if still_waits(decider, tickets[number]):
            decider.withdraw(NAME, tickets[number], "client")
        with pytest.raises(Conflict, match="it is withdrawn"):
            decider.withdraw(NAME, tickets[number], "client")
    assert faults(decider) == []


def still_waits(decider, ticket):
    return decider.ticket(NAME, ticket, "client")["decision"] == "waiting"


def test_a_policy_whose_approval_fails_at_any_call_is_in_force_or_is_not(decider):
    for _ in range(60):
        decider.propose(NAME, Rules.of("mis", 0.1, samples=100), "one")
    for number in failing(decider, lambda number: decider.approve(NAME, 2 + number, "other")):
        (active,) = [one["version"] for one in decider.policies(NAME) if one["status"] == "active"]
        assert active in (1 + number, 2 + number)
        if active == 1 + number:
            decider.approve(NAME, 2 + number, "other")
    assert faults(decider) == []


def test_an_update_that_fails_at_any_call_has_happened_or_has_not(decider):
    def act(number):
        """Somebody is gone, somebody else came, a third has moved."""
        columns = people(PEOPLE)
        columns["id"][ASKED + number] = f"new-{number}"
        columns["place"][ASKED + number + 1] = "west"
        decider.update(dataset(columns), "holder")

    for number in failing(decider, act):
        ask(decider, number)
    assert faults(decider) == []


def test_a_key_whose_making_fails_at_any_call_is_there_or_is_not(decider):
    def act(number):
        making = {"role": "auditor", "name": f"n{number}", "by": "admin"}
        decider.database.transact(
            "service", lambda connection: make_key(connection, decider.secrets.digest, now(), **making)
        )

    def names():
        return {key.name for key in decider.database.read(all_keys)}

    for number in failing(decider, act):
        act(1000 + number)
        assert f"n{1000 + number}" in names()
    entries = decider.database.read(lambda c: c.rows("SELECT COUNT(*) FROM entry WHERE chain = 'service'"))
    assert entries == [(len(decider.database.read(all_keys)),)]


def test_a_reading_that_fails_at_any_call_works_the_next_time(decider):
    for act in (
        lambda _: decider.status(NAME),
        lambda _: decider.log(NAME, 0, 10),
        lambda _: decider.queue(NAME, 10),
        lambda _: decider.policies(NAME),
    ):
        for _ in failing(decider, act):
            act(0)


# -- other ways to fail --------------------------------------------------------------------------------


def test_a_request_that_collides_with_others_is_decided_by_itself(postgresql, tmp_path):
    decider = seated(Scene.make(postgresql.fresh(), tmp_path, records=PEOPLE).place)
    for call in range(1, 8):
        decider.database.plan.fails(
            call, lambda _: psycopg.errors.SerializationFailure("could not serialize")
        )
        assert ask(decider, ASKED + call)["index"]
        assert decider.database.plan.struck
    assert faults(decider) == []
    decider.database.close()


@pytest.mark.parametrize(
    "how", [OSError(errno.ENOSPC, "No space left on device"), SourceError("The checkpoint cannot be read.")]
)
def test_no_answer_is_given_before_its_checkpoint_is(how, place):
    class Broken(Anchors):
        broken = False

        def note(self, checkpoint, *against):
            if self.broken:
                raise how
            super().note(checkpoint, *against)

    decider = seated(place, Broken)
    before = decider.anchors.newest(NAME).count
    decider.anchors.broken = True
    for _ in range(2):
        with pytest.raises(Unavailable):
            ask(decider, ASKED)
    decider.anchors.broken = False
    answer = ask(decider, ASKED)
    assert ask(decider, ASKED) == answer
    assert decider.anchors.newest(NAME).count > before
    assert faults(decider) == []
    decider.database.close()


def test_a_full_disk_decides_nothing_until_there_is_room(tmp_path):
    decider = seated(Scene.make(str(tmp_path / "service.db"), tmp_path, records=PEOPLE).place)
    ((pages,),) = decider.database.read(lambda connection: connection.rows("PRAGMA page_count"))
    decider.database._writer.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(Unavailable) as raised:
        deque((ask(decider, number) for number in range(ASKED, PEOPLE)), 0)
    assert "full" in str(raised.value.__cause__)
    assert faults(decider) == []
    decider.database._writer.execute("PRAGMA max_page_count = 100000")
    deque((ask(decider, number) for number in range(ASKED, PEOPLE)), 0)
    assert faults(decider) == []
    decider.database.close()


def test_a_locked_file_decides_nothing_until_it_is_free(tmp_path):
    place = Scene.make(str(tmp_path / "service.db"), tmp_path, records=PEOPLE).place
    decider = DecisionService(
        SQLite(Path(place.url), wait=0.05), Secrets.read(place.keys), Anchors(place.anchors)
    )
    other = sqlite3.connect(place.url, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable):
        ask(decider, 1)
    other.close()
    assert ask(decider, 1)["index"]
    decider.database.close()


def test_a_server_whose_lock_is_taken_decides_nothing_until_it_is_free(postgresql, tmp_path):
    place = Scene.make(postgresql.fresh(), tmp_path, records=PEOPLE).place
    decider = DecisionService(
        PostgreSQL(place.url, wait=0.1), Secrets.read(place.keys), Anchors(place.anchors)
    )
    other = PostgreSQL(place.url)
    with other._connections.one() as begun:
        other._take_turn(begun, NAME)
        with pytest.raises(Unavailable):
            ask(decider, 1)
        begun.ask([(UNLOCK, ())])
    assert ask(decider, 1)["index"]
    other.close()
    decider.database.close()


def test_a_server_that_ends_a_connection_is_connected_to_again(postgresql, tmp_path):
    decider = seated(Scene.make(postgresql.fresh(), tmp_path, records=PEOPLE).place)
    with psycopg.connect(postgresql.url(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'divulge%'")
    with pytest.raises(Unavailable):
        ask(decider, ASKED)
    assert ask(decider, ASKED)["index"]
    assert faults(decider) == []
    decider.database.close()


# -- the same, with a protection taken away -----------------------------------------------------------


class Scattered(FaultySQLite, Piecemeal):
    """Commits every statement by itself."""


class Careless(FaultySQLite):
    """Takes no notice of a commit that fails."""

    def _commit(self, writer):
        with contextlib.suppress(sqlite3.Error):
            super()._commit(writer)


@pytest.mark.parametrize("kind", [Scattered, Careless])
def test_the_faults_find_a_file_without_transactions_or_without_care(kind, tmp_path):
    decider = seated(Scene.make(str(tmp_path / "service.db"), tmp_path, records=PEOPLE).place, kind=kind)
    with pytest.raises((AssertionError, Unavailable)):
        requests_fail(decider)
    decider.database.close()
