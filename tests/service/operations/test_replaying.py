"""Every decision of a log comes out the same when it is taken again, and one that would not is named."""

import pytest

from divulge.service.ledger.chain import START, canonical, entry_after
from divulge.service.ledger.log_writer import entries_of
from divulge.service.operations.replaying import replay
from service.history import at_work, copied, lived
from service.scene import NAME


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lived")
    return lived(str(folder / "service.db"), folder, requests=3000, records=900)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    return lived(str(folder / "service.db"), folder, requests=240, records=120)


def taken_again(database, key):
    def work(connection):
        ((newest,),) = connection.rows("SELECT version FROM policy WHERE status = 'active'")
        return replay(connection, NAME, newest, key)

    return database.read(work)


def test_decisions_come_out_the_same_through_withdrawals_other_rules_and_another_table(scene):
    with at_work(scene.place, read_only=True) as decider:
        found = taken_again(decider.database, decider.secrets.digest)
        kinds = {entry.kind for entry in decider.database.read(lambda c: entries_of(c, NAME))}
    assert found.fault is None
    assert found.decisions >= 3000
    assert kinds == {
        "loaded",
        "decision",
        "left",
        "withdrawn",
        "policy proposed",
        "policy approved",
        "baseline followed",
    }


def test_a_log_of_sqlite_comes_out_the_same_on_postgresql(scene, postgresql):
    with at_work(scene.place, read_only=True) as decider:
        here = taken_again(decider.database, decider.secrets.digest)
        there = copied(decider.database, postgresql.fresh())
        try:
            assert taken_again(there, decider.secrets.digest) == here
        finally:
            there.close()
    assert here.fault is None


# -- a holder who rewrites their own log, with all hashes and seals right ----------------------------


def rewritten(scene, url, change):
    """A copy of the database whose log was changed by whoever holds the key."""
    with at_work(scene.place, read_only=True) as decider:
        key = decider.secrets.digest
        database = copied(decider.database, url)

    def work(connection):
        told = [[entry.at, entry.kind, entry.fields] for entry in entries_of(connection, NAME)]
        at = change(told)
        connection.rows("DELETE FROM entry WHERE chain = ?", (NAME,))
        previous, rows = START, []
        for index, (when, kind, body) in enumerate(told, 1):
            entry = entry_after(previous, NAME, index, when, kind, body, key)
            rows.append((NAME, index, when, kind, canonical(body), entry.hash, entry.seal))
            previous = entry.hash
        connection.write([("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", rows)])
        return at + 1

    return database, key, database.transact(NAME, work)


def first(told, kind, **fields):
    """The place of the first entry of a kind whose body has these fields, from the thirtieth on."""
    return next(
        place
        for place, (_, found, body) in enumerate(told)
        if place >= 30 and found == kind and fields.items() <= body.items()
    )


def a_release_that_was_a_wait(told):
    at = first(told, "decision", verdict="waiting")
    told[at][2].update(verdict="released", reason="safe")
    return at


def a_wait_that_was_a_release(told):
    at = first(told, "decision", verdict="released", reason="safe")
    told[at][2].update(verdict="waiting", reason="peculiar")
    return at


def another_reason(told):
    at = first(told, "decision", verdict="released", reason="repeated")
    told[at][2]["reason"] = "safe"
    return at


def an_exposure_a_little_lower(told):
    at = first(told, "decision", verdict="released", reason="safe")
    told[at][2]["exposures"][0][1] *= 1 - 1e-15
    return at


def another_count(told):
    at = first(told, "left")
    told[at][2]["outside"] += 1
    return at


def a_ticket_left_out(told):
    at = first(told, "left")
    told[at][2]["tickets"] = []
    return at


def somebody_kept_waiting(told):
    at = first(told, "left")
    del told[at]
    return at


def somebody_let_out_of_turn(told):
    at = first(told, "left")
    told.insert(at + 1, told[at])
    return at + 1


def the_last_left_out(told):
    at = max(place for place, (_, kind, _) in enumerate(told) if kind == "left")
    del told[at:]
    return at


def an_unknown_policy(told):
    at = first(told, "policy approved")
    told[at][2]["digest"] = "0" * 64
    return at


CHANGES = [
    a_release_that_was_a_wait,
    a_wait_that_was_a_release,
    another_reason,
    an_exposure_a_little_lower,
    another_count,
    a_ticket_left_out,
    somebody_kept_waiting,
    somebody_let_out_of_turn,
    the_last_left_out,
    an_unknown_policy,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_log_that_was_made_up_is_found_where_it_departs_from_the_rules(small, tmp_path, change):
    database, key, index = rewritten(small, str(tmp_path / "copy.db"), change)
    try:
        found = taken_again(database, key)
    finally:
        database.close()
    assert found.fault is not None
    assert found.fault.index == index
    assert found.fault.sentence.startswith(f"Entry {index} ")
