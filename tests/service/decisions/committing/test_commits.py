"""Decisions of several requesters in one commit: decided in order, each answered or refused by itself."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from divulge.errors import Conflict, Unavailable
from divulge.safe_release import Rules, critical
from divulge.safe_release.critical import Critical
from divulge.service.decisions import decisions
from divulge.service.decisions.committing import group_queue, shared_commits
from divulge.service.decisions.committing.work import Deciding
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.held_state.held import HeldRows
from divulge.service.ledger.answer_proofs import proofs_in
from service.history import at_work
from service.judge import faults
from service.scene import NAME, Scene

CLIENTS = 6


@pytest.fixture
def scene(url, tmp_path):
    return Scene.make(url, tmp_path)


@pytest.fixture
def decider(scene):
    with at_work(scene.place) as found:
        found.request(NAME, RecordRequest("p0", "first"), "first")
        yield found


def together(decider, *acts):
    """Acts of as many threads, in this order, that wait for each other: those that can share a commit."""
    begun, go_on, transact = threading.Event(), threading.Event(), decider.database.transact

    def held_up(chain, work):
        if not begun.is_set():
            begun.set()
            go_on.wait(5)
        return transact(chain, work)

    decider.database.transact = held_up
    queue = decider._commits._queues[NAME]
    with ThreadPoolExecutor(len(acts) + 1) as pool:
        pool.submit(decider.withdraw, NAME, "none", "nobody")  # not shared: it is done by itself
        begun.wait(5)
        found = []
        for number, act in enumerate(acts, 1):
            found.append(pool.submit(act))
            while len(queue._line) < number:
                time.sleep(0.0005)
        go_on.set()
    decider.database.transact = transact
    return found


def asking(decider, record, key="key"):
    """One client asks for one record."""
    return lambda: decider.decided_one(NAME, RecordRequest(record, key), f"client {record}")


def entries(decider):
    return decider.status(NAME)["entries"]


def test_what_is_signed_next_is_made_ready_while_a_server_commits_it(decider, monkeypatch):
    ready, ahead = [], decider.signer.ahead
    monkeypatch.setattr(decider.signer, "ahead", lambda plain: (ready.append(plain), ahead(plain)))
    found = decider.decided_one(NAME, RecordRequest("p1", "key"), "client")
    made = [] if decider.database.writes_alone else [replace(found.checkpoint, signature="")]
    assert ready == made


def test_requests_of_several_share_one_commit_and_one_checkpoint_in_the_order_they_came(decider, monkeypatch):
    signed, note = [], decider.anchors.note
    monkeypatch.setattr(decider.anchors, "note", lambda one, *more: (signed.append(one), note(one, *more)))
    before = entries(decider)
    found = together(decider, *(asking(decider, f"p{number}") for number in range(1, CLIENTS + 1)))
    told = [one.result() for one in found]
    indices = [one.answers[0]["index"] for one in told]
    assert indices == sorted(indices)
    assert before < indices[0]
    assert [one.count for one in signed] == [entries(decider)]
    assert {one.checkpoint for one in told} == {*signed}
    for one in told:
        (answer,), common = one.proved(decider.database)
        (proof,) = proofs_in({**answer, **common})
        assert proof.fault(decider.keys) is None
    assert faults(decider) == []


def test_the_same_key_of_two_at_once_is_decided_once(decider):
    before = entries(decider)
    one, other, third = together(decider, asking(decider, "p1"), asking(decider, "p1"), asking(decider, "p2"))
    assert one.result().answers == other.result().answers
    assert third.result().answers != one.result().answers
    assert entries(decider) == before + 2


def test_a_request_whose_record_was_changed_is_refused_and_others_are_answered(decider):
    sql = "UPDATE record SET seal = ? WHERE id = ?"
    decider.database.transact(NAME, lambda work: work.write([(sql, [("0" * 64, "p3")])]))
    found = together(decider, *(asking(decider, f"p{number}") for number in range(1, CLIENTS + 1)))
    with pytest.raises(Unavailable, match="The record was changed"):
        found[2].result()
    assert [len(one.result().answers) for number, one in enumerate(found) if number != 2] == [1] * 5
    assert faults(decider) == []


def test_a_request_that_fails_half_way_leaves_nothing_behind(decider):
    def fails(work):
        work.writer.add("decision", {"half": "said"})
        raise Conflict("half-way")

    failing = partial(decider.in_slices, NAME, [(Deciding(fails), 1)])
    one, broken, other = together(decider, asking(decider, "p1"), failing, asking(decider, "p2"))
    with pytest.raises(Conflict, match="half-way"):
        broken.result()
    assert other.result().answers[0]["index"] > one.result().answers[0]["index"]
    assert all("half" not in entry["body"] for entry in decider.log(NAME, 0, 100))
    assert faults(decider) == []


def test_a_group_that_fails_as_a_whole_is_decided_one_by_one(decider, monkeypatch):
    failed, transaction = [], decider._transaction

    def fails(dataset, group, expected):
        if len(group.pieces) > 1:
            failed.append(len(group.pieces))
            raise Unavailable("The database failed, so nothing was decided.")
        return transaction(dataset, group, expected)

    monkeypatch.setattr(decider, "_transaction", fails)
    found = together(decider, *(asking(decider, f"p{number}") for number in range(1, 4)))
    indices = [one.result().answers[0]["index"] for one in found]
    assert (failed, indices) == ([3], sorted(indices))
    monkeypatch.setattr(shared_commits, "WAIT", -1)  # no time is left
    found = together(decider, *(asking(decider, f"p{number}", "late") for number in range(1, 4)))
    assert [type(one.exception()) for one in found] == [Unavailable] * 3
    assert faults(decider) == []


def test_a_long_batch_is_decided_in_slices_with_others_in_between(decider, scene, monkeypatch):
    monkeypatch.setattr(decisions, "SLICE", 20)
    asked = [RecordRequest(one, one) for one in [*scene.ids[1:], "p5", "nobody"]]
    both = together(decider, lambda: decider.decided(NAME, asked, "batch"), asking(decider, "p1"))
    batch, other = (one.result() for one in both)
    indices = [one["index"] for one in batch.answers if "index" in one]
    assert batch.answers[-2:] == [batch.answers[4], {"error": "not found"}]  # asked for under the same key
    assert indices[:-1] == sorted(indices[:-1])
    assert min(indices) < other.answers[0]["index"] < max(indices)
    answers, common = batch.proved(decider.database)
    proofs = proofs_in({"answers": answers, **common})
    assert len(proofs) == len(indices)
    assert [one.fault(decider.keys) for one in proofs] == [None] * len(proofs)
    assert faults(decider) == []


def test_a_long_batch_that_nobody_waits_for_is_one_transaction(decider, scene, monkeypatch):
    monkeypatch.setattr(decisions, "SLICE", 20)
    signed, note = [], decider.anchors.note
    monkeypatch.setattr(decider.anchors, "note", lambda one, *more: (signed.append(one), note(one, *more)))
    answers = decider.batch(NAME, [RecordRequest(one, one) for one in scene.ids[1:]], "batch")
    assert len(answers) == 59
    assert [one.count for one in signed] == [entries(decider)]
    assert faults(decider) == []


@pytest.mark.parametrize("times", [1, 3], ids=["once", "again for the second slice"])
def test_a_batch_keeps_its_order_when_the_database_fails(decider, scene, monkeypatch, times):
    monkeypatch.setattr(decisions, "SLICE", 10)
    monkeypatch.setattr(group_queue, "LONGEST", 30)  # more slices are left when it fails
    transact, failing = decider.database.transact, iter([True, False, *[True] * (times - 1)])

    def fails(chain, work):
        def failed(connection):
            work(connection)
            raise Unavailable("The database failed, so nothing was decided.")

        return transact(chain, failed if next(failing, False) else work)

    decider.database.transact = fails
    asked = [RecordRequest(one, one) for one in scene.ids[1:]]
    if times > 1:
        with pytest.raises(Unavailable):
            decider.batch(NAME, asked, "batch")
        assert entries(decider) < 1 + 1 + len(asked)
    answers = decider.batch(NAME, asked, "batch")
    indices = [one["index"] for one in answers]
    assert (len(answers), indices) == (len(asked), sorted(indices))
    assert faults(decider) == []


def test_nothing_is_worked_out_within_a_transaction_that_can_be_before(scene, monkeypatch):
    inside, worked_out = [], []

    def watched(function):
        def watching(*given):
            worked_out.append((function.__name__, bool(inside)))
            return function(*given)

        return watching

    monkeypatch.setattr(critical, "AT_FIRST", 4)  # limits for more records are needed soon
    for kind, name in ((HeldRows, "held"), (Critical, "_by_size")):
        monkeypatch.setattr(kind, name, watched(getattr(kind, name)))
    with at_work(scene.place) as decider:
        transact = decider.database.transact

        def watching(chain, work):
            inside.append(chain)
            try:
                return transact(chain, work)
            finally:
                inside.clear()

        decider.database.transact = watching
        for number in range(12):
            decider.request(NAME, RecordRequest(f"p{number}", "first"), f"client {number}")
        assert {*worked_out} == {("held", False), ("_by_size", False)}
        decider.prepare()
        decider.propose(NAME, Rules.of("mis", 0.1, samples=200), "one")
        decider.approve(NAME, 2, "two")
        decider.request(NAME, RecordRequest("p13", "second"), "me")
    assert ("held", True) not in worked_out


def pieces_of(decider, *asked):
    """Requests by keys, each as a piece that may share a transaction."""
    return [
        group_queue.Piece(decider._deciding([RecordRequest(record, "k")], key), shared=True)
        for record, key in asked
    ]


def test_who_asks_after_a_key_was_revoked_is_in_no_transaction_that_began_before(decider):
    _, first = decider.make_key(role="requester", name="ann", by="admin")
    _, ended = decider.make_key(role="requester", name="bob", by="admin")
    early, late = pieces_of(decider, ("p1", first.id), ("p2", ended.id))

    def joins(room):  # others write meanwhile where the database is a server, and so revoke a key
        if not decider.database.writes_alone:
            decider.revoke_key(ended.id, "admin")
        return [late] if late.answer is None and late.error is None else []

    decider._decided(NAME, group_queue.Group([early], joins))
    assert early.error is None
    if not decider.database.writes_alone:
        assert (late.answer, late.error) == (None, None)  # it waits for a transaction of its own
    else:
        assert late.error is None


def test_a_key_that_expires_before_somebody_joins_is_not_good(decider, monkeypatch):
    expires = "2998-12-31T00:00:00.000000+00:00"
    _, first = decider.make_key(role="requester", name="ann", by="admin")
    _, ended = decider.make_key(role="requester", name="bob", by="admin", expires=expires)
    early, late = pieces_of(decider, ("p1", first.id), ("p2", ended.id))
    early.following = lambda: joined.pop() if joined else None  # as the rest of a batch, on either database
    joined = [late]

    def later(room):
        monkeypatch.setattr(decider, "clock", lambda: "2999-01-01T00:00:00.000000+00:00")
        return []

    decider._decided(NAME, group_queue.Group([early], later, lambda: bool(later(0))))
    assert early.error is None
    assert str(late.error) == "This key has expired."
