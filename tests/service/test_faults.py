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
from divulge.service.decisions.decisions import DecisionService, RecordRequest, now
from divulge.service.decisions.keys import all_keys, make_key
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.secrets import Secrets
from divulge.service.store.postgresql import PostgreSQL
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
def desk(place):
    """A desk at which calls can fail; some people are outside, and some requests wait."""
    found = seated(place)
    yield found
    found.database.close()


def seated(place, anchors=Anchors, kind=None):
    database = kind(Path(place.url)) if kind else open_faulty(place.url)
    desk = DecisionService(database, Secrets.read(place.keys), anchors(place.anchors))
    asked = [RecordRequest(f"p{number}", f"first-{number}") for number in range(ASKED)]
    assert {one["decision"] for one in desk.batch(NAME, asked, "client")} == {"released", "waiting"}
    return desk


def ask(desk, number):
    return desk.request(NAME, RecordRequest(f"p{number % PEOPLE}", f"key-{number}"), "client")


def failing(desk, act, error=None, numbers=None):
    """Have each call of an act fail, before it takes effect and after; yields the number of each attempt."""
    plan, numbers = desk.database.plan, numbers or count()
    for after in (False, True):
        for call in count():
            number = next(numbers)
            plan.fails(call, error or errors(desk)[0], after=after)
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


def errors(desk):
    return ERRORS["sqlite" if isinstance(desk.database, SQLite) else "postgresql"]


# -- each call fails -----------------------------------------------------------------------------------


def test_a_request_that_fails_at_any_call_is_decided_once_when_it_is_repeated(desk):
    requests_fail(desk)


def requests_fail(desk):
    """Each call of requests fails in every way, and is made again; on a server, first at another desk."""
    numbers, other = count(ASKED), desk
    if not isinstance(desk.database, SQLite):
        other = DecisionService(open_faulty(desk.database._url), desk.secrets, desk.anchors)
    for error in errors(desk):
        for number in failing(desk, lambda number: ask(desk, number), error, numbers):
            answer = ask(other, number)
            assert ask(desk, number) == answer
    assert faults(desk) == []
    other.database.close()


def test_a_batch_that_fails_at_any_call_is_decided_once_when_it_is_repeated(desk):
    def act(number):
        asked = [
            RecordRequest(f"p{one}", f"{number}-{one}") for one in range(ASKED + number, ASKED + number + 5)
        ]
        return desk.batch(NAME, asked, "client")

    for number in failing(desk, act):
        answers = act(number)
        assert act(number) == answers
    assert faults(desk) == []


def test_a_withdrawal_that_fails_at_any_call_has_happened_or_has_not(desk):
    first = desk.batch(NAME, [RecordRequest(f"p{one}", f"first-{one}") for one in range(ASKED)], "client")
    waiting = next(f"p{number}" for number, one in enumerate(first) if still_waits(desk, one["ticket"]))
    asked = [RecordRequest(waiting, f"again-{number}") for number in range(60)]
    tickets = [one["ticket"] for one in desk.batch(NAME, asked, "client")]
    for number in failing(desk, lambda number: desk.withdraw(NAME, tickets[number], "client")):
        if still_waits(desk, tickets[number]):
            desk.withdraw(NAME, tickets[number], "client")
        with pytest.raises(Conflict, match="it is withdrawn"):
            desk.withdraw(NAME, tickets[number], "client")
    assert faults(desk) == []


def still_waits(desk, ticket):
    return desk.ticket(NAME, ticket, "client")["decision"] == "waiting"


def test_a_policy_whose_approval_fails_at_any_call_is_in_force_or_is_not(desk):
    for _ in range(60):
        desk.propose(NAME, Rules.of("mis", 0.1, samples=100), "one")
    for number in failing(desk, lambda number: desk.approve(NAME, 2 + number, "other")):
        (active,) = [one["version"] for one in desk.policies(NAME) if one["status"] == "active"]
        assert active in (1 + number, 2 + number)
        if active == 1 + number:
            desk.approve(NAME, 2 + number, "other")
    assert faults(desk) == []


def test_an_update_that_fails_at_any_call_has_happened_or_has_not(desk):
    def act(number):
        """Somebody is gone, somebody else came, a third has moved."""
        columns = people(PEOPLE)
        columns["id"][ASKED + number] = f"new-{number}"
        columns["place"][ASKED + number + 1] = "west"
        desk.update(dataset(columns), "holder")

    for number in failing(desk, act):
        ask(desk, number)
    assert faults(desk) == []


def test_a_key_whose_making_fails_at_any_call_is_there_or_is_not(desk):
    def act(number):
        making = {"role": "auditor", "name": f"n{number}", "by": "admin"}
        desk.database.transact(
            "service", lambda connection: make_key(connection, desk.secrets.digest, now(), **making)
        )

    def names():
        return {key.name for key in desk.database.read(all_keys)}

    for number in failing(desk, act):
        act(1000 + number)
        assert f"n{1000 + number}" in names()
    entries = desk.database.read(lambda c: c.rows("SELECT COUNT(*) FROM entry WHERE chain = 'service'"))
    assert entries == [(len(desk.database.read(all_keys)),)]


def test_a_reading_that_fails_at_any_call_works_the_next_time(desk):
    for act in (
        lambda _: desk.status(NAME),
        lambda _: desk.log(NAME, 0, 10),
        lambda _: desk.queue(NAME, 10),
        lambda _: desk.policies(NAME),
    ):
        for _ in failing(desk, act):
            act(0)


# -- other ways to fail --------------------------------------------------------------------------------


def test_a_request_that_collides_with_others_is_decided_by_itself(postgresql, tmp_path):
    desk = seated(Scene.make(postgresql.fresh(), tmp_path, records=PEOPLE).place)
    for call in range(1, 8):
        desk.database.plan.fails(call, lambda _: psycopg.errors.SerializationFailure("could not serialize"))
        assert ask(desk, ASKED + call)["index"]
        assert desk.database.plan.struck
    assert faults(desk) == []
    desk.database.close()


@pytest.mark.parametrize(
    "how", [OSError(errno.ENOSPC, "No space left on device"), SourceError("The checkpoint cannot be read.")]
)
def test_no_answer_is_given_before_its_checkpoint_is(how, place):
    class Broken(Anchors):
        broken = False

        def note(self, checkpoint):
            if self.broken:
                raise how
            super().note(checkpoint)

    desk = seated(place, Broken)
    before = desk.anchors.newest(NAME).count
    desk.anchors.broken = True
    for _ in range(2):
        with pytest.raises(Unavailable):
            ask(desk, ASKED)
    desk.anchors.broken = False
    answer = ask(desk, ASKED)
    assert ask(desk, ASKED) == answer
    assert desk.anchors.newest(NAME).count > before
    assert faults(desk) == []
    desk.database.close()


def test_a_full_disk_decides_nothing_until_there_is_room(tmp_path):
    desk = seated(Scene.make(str(tmp_path / "service.db"), tmp_path, records=PEOPLE).place)
    ((pages,),) = desk.database.read(lambda connection: connection.rows("PRAGMA page_count"))
    desk.database._writer.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(Unavailable) as raised:
        deque((ask(desk, number) for number in range(ASKED, PEOPLE)), 0)
    assert "full" in str(raised.value.__cause__)
    assert faults(desk) == []
    desk.database._writer.execute("PRAGMA max_page_count = 100000")
    deque((ask(desk, number) for number in range(ASKED, PEOPLE)), 0)
    assert faults(desk) == []
    desk.database.close()


def test_a_locked_file_decides_nothing_until_it_is_free(tmp_path):
    place = Scene.make(str(tmp_path / "service.db"), tmp_path, records=PEOPLE).place
    desk = DecisionService(
        SQLite(Path(place.url), wait=0.05), Secrets.read(place.keys), Anchors(place.anchors)
    )
    other = sqlite3.connect(place.url, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable):
        ask(desk, 1)
    other.close()
    assert ask(desk, 1)["index"]
    desk.database.close()


def test_a_server_whose_lock_is_taken_decides_nothing_until_it_is_free(postgresql, tmp_path):
    place = Scene.make(postgresql.fresh(), tmp_path, records=PEOPLE).place
    desk = DecisionService(PostgreSQL(place.url, wait=0.1), Secrets.read(place.keys), Anchors(place.anchors))
    other = PostgreSQL(place.url)
    with other._turn(other._connected(), NAME), pytest.raises(Unavailable):
        ask(desk, 1)
    assert ask(desk, 1)["index"]
    other.close()
    desk.database.close()


def test_a_server_that_ends_a_connection_is_connected_to_again(postgresql, tmp_path):
    desk = seated(Scene.make(postgresql.fresh(), tmp_path, records=PEOPLE).place)
    with psycopg.connect(postgresql.url(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'divulge%'")
    with pytest.raises(Unavailable):
        ask(desk, ASKED)
    assert ask(desk, ASKED)["index"]
    assert faults(desk) == []
    desk.database.close()


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
    desk = seated(Scene.make(str(tmp_path / "service.db"), tmp_path, records=PEOPLE).place, kind=kind)
    with pytest.raises((AssertionError, Unavailable)):
        requests_fail(desk)
    desk.database.close()
