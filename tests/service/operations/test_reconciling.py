"""A restored database returns to service: with what it forgot, or admitting the loss in its log."""

from types import SimpleNamespace

import pytest

from divulge.cli.commands.release import keys
from divulge.errors import Conflict, NotFound, SourceError, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.keys import all_keys, keys_query, known_key, make_key, revoke_key
from divulge.service.decisions.transaction import RELEASED
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_writer import SERVICE, entries_of
from divulge.service.operations.backups import backup
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.reconciling import accept_loss, carry_in
from divulge.service.operations.verifying import LogCheck
from service.history import OWNER, Requester, at_work, copied, verified, with_checkpoints_of_its_own
from service.judge import faults
from service.scene import NAME, Scene, dataset

TOLD = {
    "record": "id, x, y, body, released",
    "request": "ticket, record, x, y, status, arrived, settled",
    "cell": "x, y, released",
    "policy": "version, status, body, digest, proposed_by, approved_by",
}


def tables(decider):
    """What the tables say, but for who asked."""
    return decider.database.read(
        lambda connection: {
            name: sorted(connection.rows(f"SELECT {columns} FROM {name} WHERE dataset = ?", (NAME,)), key=str)
            for name, columns in TOLD.items()
        }
    )


def log(decider, chain=NAME):
    return decider.database.read(lambda connection: entries_of(connection, chain))


def a_day(scene, folder, after=lambda decider: None):
    """Requests, a copy, more requests and whatever else, an export; then the copy is all there is."""
    with at_work(scene.place) as decider:
        Requester(decider, seed=1).ask(scene.ids, 60)
        backup(scene.place.url, folder / "copy.db")
        before = len(log(decider))
        requester = Requester(decider, seed=2)
        requester.ask(scene.ids, 60, at_once=7)
        requester.withdraw_some(3)
        after(decider)
        export(decider, NAME, folder / "out.jsonl")
        found = SimpleNamespace(before=before, log=log(decider), tables=tables(decider))
    found.place = ServiceLocations(str(folder / "copy.db"), scene.place.keys, scene.place.anchors)
    found.export = Export.read(folder / "out.jsonl")
    return found


def other_rules(decider):
    decider.propose(NAME, Rules.of("mis,kld", 0.15, samples=200), "steward")
    decider.approve(NAME, 2, "another")
    decider.propose(NAME, Rules.of("kld", 0.3, samples=200), "steward")
    Requester(decider, seed=3).ask([f"p{number}" for number in range(200)], 30)


@pytest.fixture
def scene(tmp_path):
    return Scene.make(str(tmp_path / "service.db"), tmp_path, records=200)


@pytest.fixture
def day(scene, tmp_path):
    return a_day(scene, tmp_path, other_rules)


# -- what was forgotten comes back ------------------------------------------------------------------


def test_with_an_export_a_copy_becomes_what_was_lost(day):
    with at_work(day.place) as decider:
        assert NAME in decider.behind
        found = carry_in(decider, NAME, day.export)
        assert (found.before, found.after, found.behind) == (day.before, len(day.log), None)
        assert log(decider) == day.log  # byte for byte, so the chain goes on unbroken
        assert tables(decider) == day.tables
        Requester(decider, seed=4).ask([f"p{number}" for number in range(200)], 20)
        assert faults(decider) == [
            "The answers are not one for each decision."
        ]  # who asked under which key is lost
    found = verified(day.place, checkpoints=day.place.anchors, again=True)
    assert [one.fault for one in found] == [None]


def test_releases_that_were_forgotten_are_not_counted_again(day, tmp_path):
    """Without them a record that is outside would be let out for the first time once more."""
    (record,) = [id for id, *_, released in day.tables["record"] if released and released > day.before][:1]
    with at_work(day.place) as decider:
        carry_in(decider, NAME, day.export)
        answer = decider.request(NAME, RecordRequest(record, "again"), OWNER)
        assert answer["decision"] == RELEASED
        assert log(decider)[-1].fields["reason"] == "repeated"


def test_requests_that_were_forgotten_have_no_owner(day):
    with at_work(day.place) as decider:
        carry_in(decider, NAME, day.export)
        ((ticket, owner),) = decider.database.read(
            lambda connection: connection.rows(
                "SELECT ticket, owner FROM request WHERE arrived > ? LIMIT 1", (day.before,)
            )
        )
        assert owner == "restored"
        with pytest.raises(NotFound):
            decider.ticket(NAME, ticket, OWNER)


def test_a_server_gets_back_what_it_lost(day, postgresql):
    with at_work(day.place) as decider:
        there = copied(decider.database, postgresql.fresh())
    place = ServiceLocations(there._url, day.place.keys, day.place.anchors)
    there.close()
    with at_work(place) as decider:
        assert carry_in(decider, NAME, day.export).behind is None
        assert (log(decider), tables(decider)) == (day.log, day.tables)


def test_an_export_that_ends_too_early_leaves_the_dataset_read_only(scene, tmp_path):
    def more(decider):
        export(decider, NAME, tmp_path / "early.jsonl")
        Requester(decider, seed=3).ask(scene.ids, 10)

    day = a_day(scene, tmp_path, more)
    with at_work(day.place) as decider:
        found = carry_in(decider, NAME, Export.read(tmp_path / "early.jsonl"))
        assert day.before < found.after < len(day.log)
        assert "older than what was released" in found.behind
        with pytest.raises(Unavailable):
            decider.request(NAME, RecordRequest("p1", "key"), OWNER)
        assert carry_in(decider, NAME, day.export).behind is None
        assert tables(decider) == day.tables


def refused(day, given, match):
    """Nothing is written by what is refused."""
    with at_work(day.place) as decider:
        before = log(decider), tables(decider)
        with pytest.raises((Conflict, NotFound, SourceError), match=match):
            carry_in(decider, NAME, given)
        assert (log(decider), tables(decider)) == before
        assert NAME in decider.behind


def changed(day, tmp_path, change):
    lines = (tmp_path / "out.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "changed.jsonl").write_bytes(b"".join(change(lines)))
    return Export.read(tmp_path / "changed.jsonl")


def test_an_export_that_was_tampered_with_is_refused(day, tmp_path):
    last = len(day.log)
    short = changed(day, tmp_path, lambda lines: [*lines[: last - 1], *lines[last:]])
    refused(day, short, "not a complete log.*is missing")
    other = changed(day, tmp_path, lambda lines: [line.replace(b"released", b"waiting_") for line in lines])
    refused(day, other, "not a complete log")


def test_an_export_of_another_log_is_refused(day, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    refused(
        day, a_day(Scene.make(str(folder / "s.db"), folder), folder).export, "not a complete log.*its seal"
    )


def test_an_export_of_a_branch_is_refused(day, scene, tmp_path):
    with at_work(with_checkpoints_of_its_own(day.place, tmp_path / "elsewhere")) as decider:
        Requester(decider, seed=7).ask(scene.ids, 5)  # nobody told it of checkpoints
    refused(day, day.export, "another log")


def test_an_export_that_has_nothing_new_is_refused(scene, tmp_path):
    day = a_day(scene, tmp_path)
    with at_work(day.place) as decider:
        carry_in(decider, NAME, day.export)
        with pytest.raises(
            Conflict, match=f"nothing that the database lacks: it ends at entry {len(day.log)}"
        ):
            carry_in(decider, NAME, day.export)


def test_a_new_record_cannot_come_back_from_an_export(scene, tmp_path):
    """The log has digests, and a record that the copy never had has no other trace in it."""

    def update(decider):
        columns = {name: [*values] for name, values in scene.columns.items()}
        for name, value in (("id", "new"), ("age", "30s"), ("place", "north"), ("word", "w")):
            columns[name].append(value)
        decider.update(dataset(columns), "holder")
        decider.request(NAME, RecordRequest("new", "key"), OWNER)

    day = a_day(scene, tmp_path, update)
    refused(day, day.export, "about a record that the database does not have")


def test_a_baseline_that_followed_the_table_cannot_come_back_from_an_export(tmp_path):
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path, following=True)

    def update(decider):
        decider.update(dataset({name: values[10:] for name, values in scene.columns.items()}), "holder")

    day = a_day(scene, tmp_path, update)
    refused(day, day.export, "changes the baseline")


# -- the loss is accepted ---------------------------------------------------------------------------


def test_a_loss_is_accepted_in_an_entry_that_says_what_is_lost(day):
    with at_work(day.place) as decider:
        found = accept_loss(decider, NAME, "operator")
        assert (found.before, found.after, found.behind) == (day.before, day.before + 1, None)
        last = log(decider)[-1]
        assert last.kind == "reconciled"
        assert last.fields == {"from": day.before, "to": len(day.log), "epoch": 1, "by": "operator"}
        Requester(decider, seed=4).ask([f"p{number}" for number in range(200)], 20)
    (found,) = verified(day.place, checkpoints=day.place.anchors, again=True)
    assert (found.fault, found.lost) == (None, len(day.log) - day.before)
    with at_work(day.place) as decider:
        assert decider.behind == {}


def test_what_was_lost_once_cannot_be_put_in_its_place_again(day, scene):
    """The database that was given up is older by its epoch, though it has more entries."""
    with at_work(day.place) as decider:
        accept_loss(decider, NAME, "operator")
    with at_work(scene.place) as decider:
        assert NAME in decider.behind


def test_a_loss_frees_from_what_was_signed_after_it_and_from_nothing_before(day):
    with at_work(day.place) as decider:
        accept_loss(decider, NAME, "operator")
        export(decider, NAME, day.export.path.with_name("after.jsonl"))
        secrets = decider.secrets
    found = Export.read(day.export.path.with_name("after.jsonl"))

    def fault(count, head):
        given = Checkpoint.signed(secrets.signing, chain=NAME, epoch=0, count=count, head=head, at="now")
        return LogCheck(None, secrets.public, {NAME: [given]}).export(found).fault

    assert fault(day.before + 1, day.log[day.before].hash) is None
    assert fault(day.before, day.log[day.before - 1].hash) is None
    assert fault(day.before, day.log[day.before].hash).index <= day.before


def test_a_branch_is_given_up_from_where_it_was_last_the_same(scene, tmp_path):
    with at_work(scene.place) as decider:
        Requester(decider, seed=1).ask(scene.ids, 20)
        common = decider.checkpoint(NAME).count
        backup(scene.place.url, tmp_path / "copy.db")
        Requester(decider, seed=2).ask(scene.ids, 5)
    branch = ServiceLocations(str(tmp_path / "copy.db"), scene.place.keys, scene.place.anchors)
    branch = with_checkpoints_of_its_own(branch, tmp_path / "elsewhere")
    with at_work(branch) as decider:
        Requester(decider, seed=3).ask(scene.ids, 30)
    branch = ServiceLocations(branch.url, branch.keys, scene.place.anchors)
    with at_work(branch) as decider:
        assert "another database" in decider.behind[NAME]
        accept_loss(decider, NAME, "operator")
        assert log(decider)[-1].fields["from"] == common
    assert [one.fault for one in verified(branch, checkpoints=branch.anchors)] == [None]


def test_where_nothing_is_behind_there_is_no_loss_to_accept(scene):
    with at_work(scene.place) as decider, pytest.raises(Conflict, match="no loss to accept"):
        accept_loss(decider, NAME, "operator")


def test_a_log_that_is_broken_is_not_reconciled(day):
    with at_work(day.place) as decider:
        decider.database.transact(NAME, lambda connection: connection.rows("DELETE FROM entry WHERE idx = 9"))
        with pytest.raises(Conflict, match=r"not complete\. Entry 9 is missing"):
            accept_loss(decider, NAME, "operator")
        with pytest.raises(Conflict, match=r"not complete\. Entry 9 is missing"):
            carry_in(decider, NAME, day.export)


# -- keys -------------------------------------------------------------------------------------------


def test_a_key_that_was_revoked_since_the_copy_is_revoked_again(scene, tmp_path):
    """Restored without its log, it would be good again."""

    def on_keys(decider, work):
        found = decider.database.transact(SERVICE, work)
        decider.checkpoint(SERVICE)
        return found

    def make(connection):
        return make_key(
            connection, decider.secrets.digest, decider.clock(), role="admin", name="ann", by="me"
        )

    def known(decider, told):
        rows = decider.database.read(lambda connection: connection.rows(*keys_query([told])))
        return known_key(rows, decider.clock(), told)

    with at_work(scene.place) as decider:
        told, key = on_keys(decider, make)
        backup(scene.place.url, tmp_path / "copy.db")
        on_keys(
            decider,
            lambda c: revoke_key(c, decider.secrets.digest, decider.clock(), identity=key.id, by="me"),
        )
        lost, other = on_keys(decider, make)
        export(decider, SERVICE, tmp_path / "keys.jsonl")
    place = ServiceLocations(str(tmp_path / "copy.db"), scene.place.keys, scene.place.anchors)
    with at_work(place) as decider:
        assert SERVICE in decider.behind
        assert known(decider, told)
        assert carry_in(decider, SERVICE, Export.read(tmp_path / "keys.jsonl")).behind is None
        assert known(decider, told) is None
        assert known(decider, lost) is None
        listed = {one.id: one for one in decider.database.read(all_keys)}
        assert {name: one.to_dict()["scope"] for name, one in listed.items()} == {key.id: {}, other.id: None}
        assert keys._row(listed[other.id])[4:5] == ["unknown"]
        for secret in ("", "restored"):
            assert known(decider, f"{other.id}.{secret}") is None
        assert log(decider, SERVICE)[-1].fields == {"keys": [other.id]}
    assert [one.fault for one in verified(place, checkpoints=place.anchors)] == [None, None]


def test_of_two_losses_the_second_may_bring_back_what_the_first_took(scene, tmp_path):
    """Then two different entries of the same index were signed, in two epochs, and one of them is there."""
    earlier, later = tmp_path / "earlier.db", tmp_path / "later.db"
    backup(scene.place.url, earlier)
    with at_work(scene.place) as decider:
        decider.make_key(role="auditor", name="carla", by="admin")
    backup(scene.place.url, later)
    for copy in (earlier, later):
        place = ServiceLocations(str(copy), scene.place.keys, scene.place.anchors)
        with at_work(place) as decider:
            assert list(decider.behind) == [SERVICE]
            accept_loss(decider, SERVICE, "operator")
            assert decider.behind == {}
            told = [one.fields["from"] for one in log(decider, SERVICE) if one.kind == "reconciled"]
            assert told == [0]  # nothing was signed alike in both
