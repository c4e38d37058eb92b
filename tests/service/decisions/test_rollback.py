"""A state older than what was answered is never served, whatever put it there and however long it takes."""

import json
import random
import shutil
import sqlite3
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from divulge.errors import DivulgeError, NotFound, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.operations.exporting import export
from divulge.service.operations.reconciling import accept_loss
from service.history import OWNER, Requester, at_work, verified, with_checkpoints_of_its_own
from service.scene import NAME, Scene
from service.turned_back import outside_connection, put_back, state_of


@pytest.fixture
def scene(url, tmp_path):
    return Scene.make(url, tmp_path)


@pytest.fixture
def decider(scene):
    with at_work(scene.place) as found:
        Requester(found).ask(scene.ids, 10)
        yield found


def refused(decider, number=0):
    with pytest.raises(Unavailable, match="read-only until it is reconciled"):
        decider.request(NAME, RecordRequest("p1", f"after-{number}"), OWNER)


def test_a_database_put_back_under_a_running_service_decides_nothing(scene, decider):
    before = state_of(scene.place.url)
    answer = decider.request(NAME, RecordRequest("p50", "last"), OWNER)
    put_back(scene.place.url, before)
    refused(decider)
    for act in (
        lambda: decider.propose(NAME, Rules.of("kld", 0.1, samples=100), "steward"),
        lambda: decider.withdraw(NAME, answer["ticket"], OWNER),
        lambda: decider.request(NAME, RecordRequest("p50", "last"), OWNER),
    ):
        with pytest.raises(Unavailable):
            act()
    with pytest.raises(Unavailable):
        decider.checkpoint(NAME)
    assert "older than what was released" in decider.status(NAME)["read_only"]
    assert len(state_of(scene.place.url)["entry"]) == len(before["entry"])


def test_it_is_told_by_what_the_process_saw_even_where_the_checkpoints_went_back_as_well(
    scene, decider, tmp_path
):
    before = state_of(scene.place.url)
    shutil.copytree(scene.place.anchors, tmp_path / "kept")
    Requester(decider, seed=2).ask(scene.ids, 3)
    put_back(scene.place.url, before)
    shutil.rmtree(scene.place.anchors)
    shutil.copytree(tmp_path / "kept", scene.place.anchors)
    refused(decider)


def test_a_ticket_is_not_told_from_an_older_state(scene, decider):
    decider.batch(NAME, [RecordRequest(one, f"all {one}") for one in scene.ids], OWNER)
    (waiting,) = decider.queue(NAME, 1)
    before = state_of(scene.place.url)
    decider.withdraw(NAME, waiting["ticket"], OWNER)
    put_back(scene.place.url, before)
    with pytest.raises(Unavailable):
        decider.ticket(NAME, waiting["ticket"], OWNER)


def test_nothing_of_an_older_state_is_told_as_if_it_were_the_newest(scene, decider):
    before = state_of(scene.place.url)
    answer = decider.request(NAME, RecordRequest("p50", "last"), OWNER)
    put_back(scene.place.url, before)
    for again in (decider, None):
        with at_work(scene.place) if again is None else nullcontext(again) as found:
            for read in (
                lambda found=found: found.ticket(NAME, answer["ticket"], OWNER),
                lambda found=found: found.withdraw(NAME, answer["ticket"], OWNER),
                lambda found=found: found.queue(NAME, 1),
                lambda found=found: found.decisions(NAME, 0, 1),
                lambda found=found: found.series(NAME, 5),
                lambda found=found: found.policies(NAME),
                lambda found=found: found.dry_run(NAME, 1),
            ):
                with pytest.raises(Unavailable, match="read-only until it is reconciled"):
                    read()
            entries, fault = found.log_and_fault(NAME, 0, 1000)
            assert len(entries) == answer["index"] - 1
            assert "older than what was released" in fault
        if again is not None:
            again.database.close()


def test_a_dataset_that_an_older_state_lacks_is_not_said_to_be_none(scene, decider):
    put_back(scene.place.url, {table: [] for table in state_of(scene.place.url)})
    for read in (
        lambda: decider.queue(NAME, 1),
        lambda: decider.log(NAME, 0, 1),
        lambda: decider.status(NAME),
        lambda: decider.newest(NAME),
        lambda: decider.ticket(NAME, "0" * 16, OWNER),
    ):
        with pytest.raises(Unavailable, match="read-only until it is reconciled"):
            read()
    with pytest.raises(NotFound):
        decider.queue("another", 1)


def test_a_revoked_key_is_not_good_again(scene, decider):
    told, key = decider.make_key(role="requester", name="ann", by="me")
    other, _ = decider.make_key(role="requester", name="bob", by="me")
    before = state_of(scene.place.url)
    assert decider.key_shown(told) == key
    decider.revoke_key(key.id, "me")
    assert decider.key_shown(told) is None
    put_back(scene.place.url, before)
    for one in (told, other):
        with pytest.raises(Unavailable, match="The keys are older"):
            decider.key_shown(one)
    with pytest.raises(Unavailable):
        decider.make_key(role="admin", name="eve", by="me")


def test_a_branch_that_went_further_is_told_by_the_entry_it_branched_at(scene, decider, tmp_path):
    before = state_of(scene.place.url)
    other = with_checkpoints_of_its_own(scene.place, tmp_path / "elsewhere")
    Requester(decider, seed=2).ask(scene.ids, 2)
    put_back(scene.place.url, before)
    if other.url.startswith("postgresql"):
        with at_work(other) as branch:
            Requester(branch, seed=3).ask(scene.ids, 30)
    else:  # a file is one process's: the branch grows elsewhere, and is put in its place
        place = Scene.make(str(tmp_path / "branch.db"), tmp_path / "branch").place
        shutil.rmtree(place.keys)
        shutil.copytree(other.keys, place.keys)
        put_back(place.url, before)
        place = with_checkpoints_of_its_own(type(place)(place.url, place.keys, other.anchors), other.anchors)
        with at_work(place) as branch:
            Requester(branch, seed=3).ask(scene.ids, 30)
        put_back(scene.place.url, state_of(place.url))
    refused(decider)
    assert "another database" in decider.behind[NAME]


@pytest.mark.parametrize(("ours", "theirs"), [(6, 1), (1, 6), (1, 1)])
def test_of_two_copies_with_the_same_checkpoints_one_is_answered(tmp_path, ours, theirs):
    place = Scene.make(str(tmp_path / "service.db"), tmp_path).place
    shutil.copy(place.url, tmp_path / "copy.db")
    with at_work(place) as decider, at_work(replace(place, url=str(tmp_path / "copy.db"))) as copy:
        sign, answered = decider.signer.sign, []

        def meanwhile(plain, tree=None):
            if not answered:
                asked = [RecordRequest(f"p{number}", f"k{number}") for number in range(theirs)]
                answered.append(copy.batch(NAME, asked, "another"))
            return sign(plain, tree)

        decider.signer.sign = meanwhile
        with pytest.raises(Unavailable, match="Another database"):
            decider.batch(
                NAME, [RecordRequest(f"p{number}", f"k{number}") for number in range(9, 9 + ours)], OWNER
            )
        assert decider.behind[NAME]
        newest = decider.anchors.newest(NAME)
        assert newest.head == copy.status(NAME)["hash"]
        refused(decider)
        copy.request(NAME, RecordRequest("p30", "goes on"), "another")


def test_a_copy_is_not_exported_over_the_checkpoints_of_another(tmp_path):
    place = Scene.make(str(tmp_path / "service.db"), tmp_path).place
    shutil.copy(place.url, tmp_path / "copy.db")
    with at_work(place) as decider, at_work(replace(place, url=str(tmp_path / "copy.db"))) as copy:
        copy.request(NAME, RecordRequest("p3", "k"), "another")
        with pytest.raises(Unavailable, match="Another database"):
            export(decider, NAME, tmp_path / "out.jsonl")
        assert decider.behind[NAME]


# -- checkpoints --------------------------------------------------------------------------------------


@pytest.fixture
def file_scene(tmp_path):
    found = Scene.make(str(tmp_path / "service.db"), tmp_path)
    with at_work(found.place) as decider:
        Requester(decider).ask(found.ids, 10)
        decider.make_key(role="admin", name="ann", by="me")
    return found


def test_checkpoints_of_the_list_count_where_the_newest_is_gone(file_scene):
    before = state_of(file_scene.place.url)
    with at_work(file_scene.place) as decider:
        Requester(decider, seed=2).ask(file_scene.ids, 5)
        decider.checkpoint(NAME)
    put_back(file_scene.place.url, before)
    (file_scene.place.anchors / f"{NAME}.newest").unlink()
    with at_work(file_scene.place) as decider:
        assert "older than what was released" in decider.behind[NAME]


def test_a_log_whose_newest_checkpoint_is_gone_is_read_only_and_says_so(file_scene):
    """Since the last checkpoint of the list, entries may have been lost."""
    with at_work(file_scene.place) as decider:
        decider.checkpoint(NAME)
        before = state_of(file_scene.place.url)
        Requester(decider, seed=2).ask(file_scene.ids, 5)
    put_back(file_scene.place.url, before)
    (file_scene.place.anchors / f"{NAME}.newest").unlink()
    with at_work(file_scene.place) as decider:
        assert "no newest checkpoint" in decider.behind[NAME]
        refused(decider)
        assert accept_loss(decider, NAME, "operator").behind is None
        assert decider.request(NAME, RecordRequest("p1", "again"), OWNER)["index"] > 0


@pytest.mark.parametrize("ending", ["newest", "checkpoints"])
def test_a_checkpoint_that_the_holder_has_not_signed_stops_the_service(file_scene, ending):
    forged = Checkpoint.signed(Ed25519PrivateKey.generate(), NAME, 0, 1, "0" * 64, "now")
    path = file_scene.place.anchors / f"{NAME}.{ending}"
    path.write_text(json.dumps(forged.to_dict()) + "\n")
    with at_work(file_scene.place) as decider:
        assert "not signed by the holder" in decider.behind[NAME]
        refused(decider)


def test_a_forged_checkpoint_stops_a_service_that_runs(file_scene):
    with at_work(file_scene.place) as decider:
        forged = Checkpoint.signed(Ed25519PrivateKey.generate(), NAME, 9, 1, "0" * 64, "now")
        (file_scene.place.anchors / f"{NAME}.newest").write_text(json.dumps(forged.to_dict()))
        refused(decider)


def test_without_checkpoints_nothing_is_decided_until_the_operator_says_so(file_scene):
    entries = len(state_of(file_scene.place.url)["entry"])
    shutil.rmtree(file_scene.place.anchors)
    with at_work(file_scene.place) as decider:
        for chain in (NAME, SERVICE):
            assert f"reconcile DATABASE --dataset {chain} --accept-loss" in decider.behind[chain]
        refused(decider)
        with pytest.raises(Unavailable):
            decider.key_shown("0" * 12 + "." + "a" * 43)
        for chain in (NAME, SERVICE):
            assert accept_loss(decider, chain, "operator").behind is None
        assert decider.request(NAME, RecordRequest("p1", "again"), OWNER)["index"] > 0
    assert len(state_of(file_scene.place.url)["entry"]) > entries + 2
    found = verified(file_scene.place, checkpoints=file_scene.place.anchors, again=True)
    assert [one.fault for one in found] == [None, None]


def test_a_folder_that_goes_away_stops_a_service_that_runs(file_scene, tmp_path):
    with at_work(file_scene.place) as decider:
        file_scene.place.anchors.rename(tmp_path / "unmounted")
        refused(decider)
        (tmp_path / "unmounted").rename(file_scene.place.anchors)
        assert decider.request(NAME, RecordRequest("p1", "again"), OWNER)["index"]


# -- the end of the log, before it is written to ------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET body = replace(body, 'released', 'refused_') WHERE chain = 'people' AND idx = 5",
        "DELETE FROM entry WHERE chain = 'people' AND idx = 5",
        "UPDATE entry SET seal = hash WHERE chain = 'people' AND idx = 5",
        "UPDATE head SET epoch = 1 WHERE chain = 'people'",
        "UPDATE head SET hash = 'x' WHERE chain = 'people'",
    ],
)
def test_a_log_whose_end_was_changed_is_not_written_to(file_scene, change):
    connection = outside_connection(file_scene.place.url)
    connection.execute(change)
    connection.commit()
    connection.close()
    with at_work(file_scene.place) as decider:
        assert "database was changed" in decider.behind[NAME]
        refused(decider)


# -- clocks -------------------------------------------------------------------------------------------


def test_times_go_on_from_the_last_entry_when_a_clock_is_set_back(file_scene):
    """Of any log, and after a restart: a key that has expired is not good again."""
    early, late = "2001-01-01T00:00:00.000000+00:00", "2090-01-01T00:00:00.000000+00:00"
    with at_work(file_scene.place) as decider:
        told, _ = decider.make_key(role="auditor", name="bob", by="me", expires="2089-01-01")
        assert decider.key_shown(told)
        decider.clock = lambda: late
        decider.request(NAME, RecordRequest("p1", "late"), OWNER)
        decider.clock = lambda: early
        assert decider.key_shown(told) is None
    with at_work(file_scene.place) as decider:
        decider.clock = lambda: early
        assert decider.key_shown(told) is None
        decider.request(NAME, RecordRequest("p2", "early"), OWNER)
        decider.make_key(role="auditor", name="carl", by="me")
        assert decider.checkpoint(NAME).at == late
    rows = state_of(file_scene.place.url)["entry"]
    for chain in (NAME, SERVICE):
        times = [at for name, _, at, *_ in sorted(rows) if name == chain]
        assert times == sorted(times)
        assert times[-1] == late
    assert [one.fault for one in verified(file_scene.place)] == [None, None]


def test_verifying_says_where_times_run_backwards(file_scene):
    with at_work(file_scene.place) as decider:
        decider.time = lambda last="": "2001-01-01T00:00:00.000000+00:00"
        decider.request(NAME, RecordRequest("p1", "early"), OWNER)
    (found, _) = verified(file_scene.place)
    last = found.entries
    assert found.fault.index == last
    assert found.fault.sentence == f"The time of entry {last} is before that of entry {last - 1}."


# -- damaged files ------------------------------------------------------------------------------------


def test_a_file_with_swapped_pages_is_refused_or_found_with_a_sentence(file_scene, tmp_path):
    assert "used" not in [*swapped(file_scene.place, tmp_path / "mixed.db", 12)]


def swapped(place, path, most=None):
    """What becomes of files of which two pages changed places; "used" if nobody noticed."""
    raw, before = Path(place.url).read_bytes(), state_of(place.url)
    pages = [raw[start : start + 4096] for start in range(0, len(raw), 4096)]
    pairs = list(combinations(range(len(pages)), 2))
    for one, other in random.Random(3).sample(pairs, most or len(pairs)):
        mixed = list(pages)
        mixed[one], mixed[other] = pages[other], pages[one]
        path.write_bytes(b"".join(mixed))
        try:
            same = state_of(str(path)) == before
        except sqlite3.Error:
            same = False
        shutil.copytree(place.anchors, path.with_name(f"{one} {other}"))
        tried = replace(place, url=str(path), anchors=path.with_name(f"{one} {other}"))
        try:
            found = [chain.fault for chain in verified(tried)]
            with at_work(tried) as decider:
                decider.request(NAME, RecordRequest("p1", f"{one} {other}"), OWNER)
        except DivulgeError as error:
            yield str(error)
        else:
            yield "found" if any(found) else "the same" if same else "used"
