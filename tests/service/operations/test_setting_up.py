"""A dataset is put into a service once, and again only if it was never signed."""

import shutil
from dataclasses import replace

import pytest

from divulge.errors import Conflict, DivulgeError
from divulge.service.decisions.keys import all_keys
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.setting_up import set_up
from service.history import at_work
from service.scene import NAME, dataset, people


@pytest.fixture
def place(tmp_path):
    return ServiceLocations(str(tmp_path / "service.db"), tmp_path / "keys", tmp_path / "checkpoints")


def test_a_first_dataset_brings_the_admins_key_and_is_there_once(place):
    found = set_up(place, dataset(people(9)), "me")
    assert (found.records, found.database) == (9, place.url)
    assert found.admin_key not in repr(found)
    with at_work(place) as decider:
        assert decider.key_shown(found.admin_key).name == "admin"
    with pytest.raises(Conflict, match=r"is in .* already") as refused:
        set_up(place, dataset(people(9)), "me")
    assert "release update" in refused.value.hint


def test_what_was_signed_elsewhere_is_not_taken_for_unfinished(place, tmp_path):
    """Given another folder of checkpoints, nothing is removed, whether it is there or not."""
    set_up(place, dataset(people(9)), "me")
    with at_work(place) as decider:
        decider.make_key(role="requester", name="ann", by="me")
    for folder in (tmp_path / "elsewhere", tmp_path):
        other = ServiceLocations(place.url, place.keys, folder)
        with pytest.raises(DivulgeError):
            set_up(other, dataset(people(9)), "me")
    with at_work(place) as decider:
        assert decider.behind == {}
        assert len(decider.database.read(all_keys)) == 2


def test_a_key_is_not_taken_away_when_a_second_dataset_is_added(place):
    set_up(place, dataset(people(9)), "me")
    for file in place.anchors.glob("service.*"):
        file.unlink()
    with pytest.raises(DivulgeError, match="No dataset can be added"):
        set_up(place, replace(dataset(people(9)), name="others"), "me")
    shutil.rmtree(place.anchors)
    with pytest.raises(DivulgeError):
        set_up(place, dataset(people(9)), "me")
    with at_work(place, read_only=True) as decider:
        assert len(decider.database.read(all_keys)) == 1
        assert decider.datasets() == [NAME]
