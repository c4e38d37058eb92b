"""What an operator does with guarded tables: put in, even if killed; exported, restored, reconciled."""

import shutil

import pytest

from divulge.errors import Conflict, ParameterError, PolicyError, SourceError, Unavailable
from divulge.service.decisions.keys import all_keys
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.reconciling import accept_loss, carry_in
from divulge.service.operations.verifying import LogCheck
from divulge.service.queries.guarded_tables import GuardedRow
from service.history import at_work, verified
from service.killed_tasks import guard_clinic
from service.queries_scene import CLINIC, NOISY, answering, ask, between, guarded, table_file
from service.scene import dataset, people
from service.worker import Job

ALL, BUT_ONE = between(20, 100, "a"), between(20, 99, "a")


def whole(place):
    return [one.fault for one in verified(place, checkpoints=place.anchors, again=True)] == [None, None]


@pytest.fixture
def restored(tmp_path):
    """A service of which an older copy was restored: the answer to a sum is lost, and an export has it."""
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    shutil.copy(tmp_path / "service.db", tmp_path / "copy")
    with answering(place) as (decider, queries):
        answer = ask(queries, ALL, "k1")
        export(decider, CLINIC, tmp_path / "out.jsonl")
        check = LogCheck(None, decider.secrets.public)
        assert check.export(Export.read(tmp_path / "out.jsonl")).fault is None
    shutil.copy(tmp_path / "copy", tmp_path / "service.db")
    return place, answer


def test_an_export_brings_back_what_was_answered(restored, tmp_path):
    place, answer = restored
    with at_work(place) as decider:
        assert carry_in(decider, CLINIC, Export.read(tmp_path / "out.jsonl")).behind is None
    assert whole(place)
    with answering(place) as (_, queries):
        assert ask(queries, BUT_ONE, "k2")["reason"] == "differencing"
        assert ask(queries, ALL, "k1") == answer


def test_a_loss_that_is_accepted_is_in_the_log(restored):
    place, _ = restored
    with at_work(place) as decider:
        accept_loss(decider, CLINIC, "me")
    assert whole(place)
    with answering(place) as (_, queries):
        assert ask(queries, BUT_ONE, "k2")["decision"] == "answered"  # what was lost is not counted
    assert whole(place)


def test_a_name_is_taken_once_by_datasets_and_guarded_tables(tmp_path):
    url = str(tmp_path / "service.db")
    place = guarded(url, tmp_path)
    with pytest.raises(Conflict):
        guarded(url, tmp_path)
    given = dataset(people(30))
    object.__setattr__(given, "name", CLINIC)
    with at_work(place) as decider, pytest.raises(Conflict, match="already exists"):
        decider.load(given, "me", following=False)
    assert whole(place)


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("budget = 1.0", "budget = 0", PolicyError, "out of range"),
        ('"clinic.duckdb"', '"postgresql://ann:secret@host/clinic"', ParameterError, "has a password"),
        ('"clinic.duckdb"', '"nowhere.duckdb"', SourceError, "No DuckDB file"),
        ('source = "clinic.duckdb"', "", ParameterError, "not said where the table is"),
        ('"patients"', '"nurses"', SourceError, "No table 'nurses'"),
    ],
)
def test_what_cannot_be_guarded_is_refused_with_a_sentence(tmp_path, old, new, error, said):
    table_file(tmp_path / "clinic.duckdb")
    (tmp_path / "queries.toml").write_text(NOISY.replace(old, new))
    with pytest.raises(error, match=said):
        GuardedRow.of(CLINIC, tmp_path / "queries.toml")
    assert not (tmp_path / "service.db").exists()


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.slow)])
def test_an_init_that_was_killed_can_be_done_again(tmp_path, nursery, most):
    def fresh(name):
        folder = tmp_path / str(name)
        folder.mkdir()
        return ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints")

    def run(place, kill_at=-1):
        where = (place.url, str(place.keys), str(place.anchors))
        nursery.start(Job(*where, CLINIC, "", [], task="guard", kill_at=kill_at, table=True))
        return next((word["calls"] for word in nursery.words() if "calls" in word), None)

    calls = run(fresh("whole"))
    for kill_at in range(calls) if most is None else [calls // 2]:
        place = fresh(kill_at)
        assert run(place, kill_at) is None
        try:
            with at_work(place) as decider:
                done = decider.guarded_tables() and decider.database.read(all_keys) and not decider.behind
        except (SourceError, Unavailable):
            done = False
        if not done:
            guard_clinic(place)
        assert whole(place), kill_at
        with answering(place) as (_, queries):
            assert ask(queries, ALL, "k1")["decision"] == "answered"
