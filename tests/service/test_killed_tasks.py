"""An init, an update or a migration that is killed can be done again, and nothing half is served."""

import random
from contextlib import closing
from itertools import count

import pytest

from divulge.errors import SourceError
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.keys import all_keys
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.store.database import open_database
from service.history import OWNER, at_work, verified
from service.killed_tasks import RECORDS, initialise, update
from service.scene import NAME
from service.stored_databases import unpacked
from service.turned_back import state_of
from service.worker import Job


def run(nursery, place, task, kill_at=-1):
    """How many calls a task has made; None if it was killed."""
    where = (place.url, str(place.keys), str(place.anchors))
    nursery.start(Job(*where, NAME, "", [], task=task, kill_at=kill_at))
    calls = [word["calls"] for word in nursery.words() if "calls" in word]
    return calls[0] if calls else None


def points(calls, most):
    """Before which calls to kill: all of them, or some from the first to the last."""
    return range(calls) if most is None else sorted(random.Random(7).sample(range(calls), most))


def answer(place):
    with at_work(place) as decider:
        return decider.request(NAME, RecordRequest("p5", "key"), OWNER)["decision"]


def is_served(place):
    """Whether a service on it has a dataset that can be decided on, and a key that is good."""
    try:
        with at_work(place) as decider:
            return decider.datasets() == [NAME] and decider.database.read(all_keys) and not decider.behind
    except SourceError:
        return False


def no_fault(place):
    return all(one.fault is None for one in verified(place, checkpoints=place.anchors, again=True))


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request, tmp_path):
    """New and empty databases of one kind, as many as are asked for."""
    numbers = count()

    def found():
        if request.param == "postgresql":
            return request.getfixturevalue("postgresql").fresh()
        return str(tmp_path / f"service-{next(numbers)}.db")

    return found


SOME = pytest.mark.parametrize("most", [2, pytest.param(None, marks=pytest.mark.slow)])


@SOME
def test_an_init_that_was_killed_can_be_done_again(new_url, tmp_path, nursery, most):
    def fresh(name):
        return ServiceLocations(new_url(), tmp_path / f"{name}-keys", tmp_path / f"{name}-checkpoints")

    for kill_at in points(run(nursery, fresh("whole"), "init"), most):
        place = fresh(kill_at)
        assert run(nursery, place, "init", kill_at) is None
        if not is_served(place):
            initialise(place)
        assert no_fault(place), kill_at
        with at_work(place) as decider:
            assert decider.behind == {}
            assert decider.status(NAME)["records"] == RECORDS
            assert len(decider.database.read(all_keys)) == 1
        assert answer(place)


@SOME
def test_a_migration_that_was_killed_can_be_done_again(new_url, tmp_path, nursery, most):
    calls = run(nursery, unpacked("version-1", new_url(), tmp_path / "whole"), "migrate")
    place = unpacked("version-1", new_url(), tmp_path / "killed")
    for kill_at in points(calls, most):
        assert run(nursery, place, "migrate", kill_at) is None
        with closing(open_database(place.url, read_only=True, earlier=True)) as database:
            version = database.version
        if version == 1:
            with pytest.raises(SourceError, match="version 1"):
                place.open()
        else:  # it was killed after it was done
            assert migrate(place, "me").steps == ()
            assert no_fault(place)
            place = unpacked("version-1", new_url(), tmp_path / f"again-{kill_at}")
    assert migrate(place, "me").before == 1
    assert no_fault(place)


@pytest.mark.parametrize(
    ("new_url", "most"),
    [("sqlite", 2), *(pytest.param(one, None, marks=pytest.mark.slow) for one in ("sqlite", "postgresql"))],
    indirect=["new_url"],
)
def test_an_update_that_was_killed_can_be_done_again(new_url, tmp_path, nursery, most):
    def fresh(name):
        place = ServiceLocations(new_url(), tmp_path / f"{name}-keys", tmp_path / f"{name}-checkpoints")
        initialise(place)
        answer(place)
        return place

    calls = run(nursery, fresh("whole"), "update")
    place = fresh("killed")
    before = state_of(place.url)["record"]
    for kill_at in points(calls, most):
        assert run(nursery, place, "update", kill_at) is None
        assert no_fault(place), kill_at
        if state_of(place.url)["record"] != before:  # it was killed after it was done
            place = fresh(kill_at)
            before = state_of(place.url)["record"]
    update(place)
    assert no_fault(place)
