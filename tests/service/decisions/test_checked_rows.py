"""What a decision uses is held to the log first: whoever can write to the database decides nothing."""

import hashlib
import json
import shutil
from contextlib import closing
from dataclasses import replace

import pytest

from divulge.errors import Conflict, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.logged.content_digests import record_seal
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.reconciling import accept_loss
from service.history import OWNER, at_work
from service.scene import NAME, Scene, dataset, people
from service.turned_back import outside_connection, put_back, state_of

CHANGED = "changed in the database"
OUT = "(SELECT id FROM record WHERE released IS NOT NULL ORDER BY id LIMIT 1)"


def asked_for(url, folder):
    """A service at which everybody was asked for, so that some wait; other rules are proposed."""
    found = Scene.make(url, folder, following=True)
    with at_work(found.place) as decider:
        decider.batch(NAME, [RecordRequest(one, f"key {one}") for one in found.ids], OWNER)
        decider.propose(NAME, Rules.of("kld", 0.1, samples=200), "steward")
        for name, role in (("ann", "admin"), ("eve", "requester"), ("bob", "admin"), ("old", "admin")):
            expires = "2001-01-01" if name == "old" else None
            told, key = decider.make_key(role=role, name=name, by="me", expires=expires)
            (folder / f"{name}.key").write_text(told)
            if name == "bob":
                decider.revoke_key(key.id, "me")
    return found


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    asked_for(str(folder / "service.db"), folder)
    return folder


@pytest.fixture
def scene(first, tmp_path):
    """A copy to tamper with."""
    folder = tmp_path / "copy"
    shutil.copytree(first, folder)
    return Scene(
        ServiceLocations.of(str(folder / "service.db"), folder / "keys", folder / "checkpoints"), people(60)
    )


def change(place, *statements):
    with closing(outside_connection(place.url)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount
        connection.commit()


def asked(place, sql):
    with closing(outside_connection(place.url)) as connection:
        return connection.execute(sql).fetchall()


def loosened(place):
    """The policy's row with another alpha, and with the fingerprint that it then has."""
    ((body,),) = asked(place, "SELECT body FROM policy WHERE version = 1")
    told = json.loads(body)
    told["rules"]["alpha"] = 0.0001
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return [
        f"UPDATE policy SET body = '{text}' WHERE version = 1",
        f"UPDATE policy SET digest = '{hashlib.sha256(text.encode()).hexdigest()}' WHERE version = 1",
    ]


COLD = {
    "the policy": lambda place: loosened(place)[:1],
    "the policy and its digest": loosened,
    "which policy is in force": lambda _: [
        "UPDATE policy SET status = 'retired' WHERE version = 1",
        "UPDATE policy SET status = 'active' WHERE version = 2",
    ],
    "counts set to nothing": lambda _: ["UPDATE cell SET released = 0"],
    "one more outside": lambda _: ["UPDATE cell SET released = released + 1 WHERE x = 0 AND y = 0"],
    "one moved": lambda _: [
        "UPDATE cell SET released = released + 1 WHERE x = 0 AND y = 0",
        "UPDATE cell SET released = released - 1 WHERE x = 1 AND y = 0",
    ],
    "a cell that is nowhere": lambda _: [f"INSERT INTO cell VALUES ('{NAME}', 99, 0, 1)"],
    "a request that waits no longer": lambda _: [
        "UPDATE request SET status = 'withdrawn' WHERE status = 'waiting'"
    ],
}


@pytest.mark.parametrize("what", COLD)
def test_a_service_that_is_started_decides_nothing_on_tables_that_were_changed(scene, what):
    decides_nothing(scene.place, what)


def test_nor_does_one_on_a_server(postgresql, tmp_path):
    place = asked_for(postgresql.fresh(), tmp_path).place
    before = state_of(place.url)
    for what in ("the policy and its digest", "one moved"):
        decides_nothing(place, what)
        put_back(place.url, before)
    record_is_refused(place, ROWS["another content"])
    put_back(place.url, before)
    with at_work(place) as decider:
        assert decider.request(NAME, RecordRequest("p1", "another"), OWNER)["ticket"]


def decides_nothing(place, what):
    change(place, *COLD[what](place))
    with at_work(place) as decider:
        assert CHANGED in decider.behind[NAME]
        with pytest.raises(Unavailable, match="read-only"):
            decider.request(NAME, RecordRequest("p1", "another"), OWNER)
        decider.behind.clear()  # as if it were changed since
        with pytest.raises(Unavailable, match=CHANGED):
            decider.request(NAME, RecordRequest("p1", "another"), OWNER)
        if what in ("one moved", "counts set to nothing"):
            assert CHANGED in decider.status(NAME)["read_only"]


ROWS = {
    "released": "UPDATE record SET released = 3 WHERE id = 'p0'",
    "never released": f"UPDATE record SET released = NULL WHERE id = {OUT}",
    "another cell": "UPDATE record SET x = 1 - x",
    "another content": "UPDATE record SET body = replace(body, 'word', 'sword')",
}


@pytest.mark.parametrize("sql", ROWS.values(), ids=ROWS)
def test_a_record_whose_row_was_changed_is_not_given(scene, sql):
    record_is_refused(scene.place, sql)


def record_is_refused(place, sql):
    ((record,),) = asked(place, f"SELECT id FROM record WHERE id = {OUT}")
    with at_work(place) as decider:
        change(place, sql)
        with pytest.raises(Unavailable, match=CHANGED):
            decider.request(NAME, RecordRequest(record, "another"), OWNER)


def test_a_record_is_not_given_by_an_entry_that_released_another(scene):
    ((released,),) = asked(scene.place, f"SELECT released FROM record WHERE id = {OUT}")
    with at_work(scene.place) as decider:
        change(scene.place, f"UPDATE request SET record = 'p59' WHERE settled = {released}")
        ((ticket,),) = asked(scene.place, f"SELECT ticket FROM request WHERE settled = {released}")
        with pytest.raises(Unavailable, match=CHANGED):
            decider.ticket(NAME, ticket, OWNER)


def test_nobody_gets_the_record_of_anothers_request(scene):
    ((ticket,),) = asked(scene.place, "SELECT MIN(ticket) FROM request WHERE status = 'released'")
    with at_work(scene.place) as decider:
        assert decider.ticket(NAME, ticket, OWNER)["record"]
        change(scene.place, f"UPDATE request SET owner = 'eve' WHERE ticket = '{ticket}'")
        with pytest.raises(Unavailable, match=CHANGED):
            decider.ticket(NAME, ticket, "eve")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE request SET status = 'released', settled = arrived WHERE status = 'waiting'",
        "UPDATE request SET status = 'released', settled = 2 WHERE status = 'waiting'",
        "UPDATE request SET status = 'released' WHERE status = 'waiting'",
    ],
)
def test_a_request_that_waits_is_not_told_as_released(scene, sql):
    ((ticket,),) = asked(scene.place, "SELECT MIN(ticket) FROM request WHERE status = 'waiting'")
    with at_work(scene.place) as decider:
        change(scene.place, sql)
        for act in (decider.ticket, decider.withdraw):
            with pytest.raises(Unavailable, match=CHANGED):
                act(NAME, ticket, OWNER)


def test_an_answer_that_was_not_given_is_not_repeated(scene):
    ((record,),) = asked(scene.place, "SELECT MIN(record) FROM request WHERE status = 'waiting'")
    with at_work(scene.place) as decider:
        again = RecordRequest(record, f"key {record}")
        assert decider.request(NAME, again, OWNER)["decision"] == "waiting"
        change(scene.place, "UPDATE answer SET answer = replace(answer, 'waiting', 'released')")
        with pytest.raises(Unavailable, match=CHANGED):
            decider.request(NAME, again, OWNER)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE request SET record = 'p0' WHERE status = 'waiting'",
        "UPDATE request SET arrived = arrived + 1 WHERE status = 'waiting'",
        "UPDATE request SET x = 1 - x, y = 1 - y WHERE status = 'waiting'",
        "DELETE FROM request WHERE status = 'waiting'",
    ],
)
def test_requests_that_were_changed_are_not_released_when_it_is_their_turn(scene, sql):
    """The service runs; rules that let more out make it the turn of those who wait."""
    with at_work(scene.place) as decider:
        decider.propose(NAME, Rules.of("mis", 0.0005, samples=200), "steward")  # it is warm now
        change(scene.place, sql)
        with pytest.raises(Unavailable, match=CHANGED):
            decider.approve(NAME, 3, "another")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE policy SET proposed_by = 'another' WHERE version = 2",
        "UPDATE policy SET body = replace(body, '0.1', '0.9') WHERE version = 2",
        "UPDATE policy SET digest = 'x' WHERE version = 2",
        "UPDATE policy SET entry = entry - 1 WHERE version = 2",
        "UPDATE policy SET entry = 1 WHERE version = 2",
    ],
)
def test_a_proposal_that_was_changed_cannot_be_approved(scene, sql):
    with at_work(scene.place) as decider:
        change(scene.place, sql)
        with pytest.raises(Unavailable, match=CHANGED):
            decider.approve(NAME, 2, "steward")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE dataset SET following = 0",
        "UPDATE record SET released = NULL WHERE released IS NOT NULL",
        "UPDATE record SET body = replace(body, 'word', 'sword')",
    ],
)
def test_a_table_is_not_updated_on_rows_that_were_changed(scene, sql):
    with at_work(scene.place) as decider:
        change(scene.place, sql)
        with pytest.raises(Unavailable, match=CHANGED):
            decider.update(dataset(scene.columns), "holder")


def test_rows_put_back_to_what_they_were_are_found_by_how_many_are_outside(scene):
    """Each has a seal that was right once."""
    with at_work(scene.place) as decider:
        ((one,),) = asked(scene.place, f"SELECT id FROM record WHERE id = {OUT}")
        ((x, y, body),) = asked(scene.place, f"SELECT x, y, body FROM record WHERE id = '{one}'")
        seal = record_seal(decider.secrets.digest, NAME, one, x, y, body, None)
        change(scene.place, f"UPDATE record SET released = NULL, seal = '{seal}' WHERE id = '{one}'")
        with pytest.raises(Unavailable, match=CHANGED):
            decider.update(dataset(scene.columns), "holder")


# -- keys ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE api_key SET hash = (SELECT hash FROM api_key WHERE name = 'eve') WHERE name = 'ann'",
        "UPDATE api_key SET role = 'admin' WHERE name = 'eve'",
        "UPDATE api_key SET role = 'king' WHERE name = 'eve'",
        "UPDATE api_key SET revoked = NULL WHERE name = 'bob'",
        "UPDATE api_key SET expires = '2999' WHERE name = 'old'",
        "UPDATE api_key SET name = 'ann' WHERE name = 'eve'",
        "UPDATE api_key SET person = 'ann' WHERE name = 'eve'",
        "UPDATE api_key SET person = NULL WHERE name = 'ann'",
        "UPDATE api_key SET scope = '{\"datasets\": [\"people\"]}' WHERE name = 'eve'",
        "UPDATE api_key SET subject = '[\"issuer\",\"eve\"]' WHERE name = 'eve'",
    ],
)
@pytest.mark.parametrize("restarted", [False, True])
def test_a_key_whose_row_was_changed_is_not_good(scene, sql, restarted):
    told = {
        name: (scene.place.keys.parent / f"{name}.key").read_text() for name in ("ann", "eve", "bob", "old")
    }
    with at_work(scene.place) as decider:
        assert [name for name, one in told.items() if decider.key_shown(one)] == ["ann", "eve"]
        if not restarted:
            change(scene.place, sql)
            one_is_refused(decider, told)
    if restarted:
        change(scene.place, sql)
        with at_work(scene.place) as decider:
            one_is_refused(decider, told)


def one_is_refused(decider, told):
    """Every key is what it was, or is refused; one of them is refused for what was changed."""
    stolen = f"{told['ann'].partition('.')[0]}.{told['eve'].partition('.')[2]}"
    good, refused = [], []
    for name, one in {**told, "stolen": stolen}.items():
        try:
            key = decider.key_shown(one)
        except Unavailable as error:
            refused.append(str(error))
        else:
            good += [(name, key.role.value)] if key else []
    assert set(good) <= {("ann", "admin"), ("eve", "requester")}
    assert len(refused) == 1
    assert CHANGED in refused[0]


# -- what an operator may not do then -----------------------------------------------------------------


def test_a_loss_is_not_accepted_for_tables_that_were_changed(scene):
    change(scene.place, "UPDATE cell SET released = 0")
    with at_work(scene.place) as decider, pytest.raises(Conflict, match="not what the log says") as raised:
        accept_loss(decider, NAME, "operator")
    assert "Restore a backup" in str(raised.value)


def test_no_dataset_is_added_with_the_keys_of_another_service(scene, tmp_path):
    other = Scene.make(str(tmp_path / "other.db"), tmp_path / "other").place
    mixed = ServiceLocations(scene.place.url, other.keys, scene.place.anchors)
    with at_work(mixed) as decider, pytest.raises(Unavailable, match="No dataset can be added"):
        decider.load(replace(dataset(people(60)), name="more"), "holder", following=False)
