"""When the power fails, no query that was answered or refused is lost from the log."""

import shutil

import pytest

from service.power_loss import recorded
from service.queries_scene import guarded
from service.test_power_loss import lost


@pytest.mark.parametrize("count", [4, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_query_is_lost_when_writes_are_torn_and_come_in_another_order(tmp_path, count):
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    root, before, notes = tmp_path / "root", tmp_path / "before", tmp_path / "notes"
    root.mkdir()
    notes.mkdir()
    place = guarded(str(root / "service.db"), root)
    shutil.copytree(root, before)
    noted = recorded(notes, place, 60, "power_query_worker")
    found, disk = lost(root, before, noted, tmp_path, count)
    assert found == []
    assert len(disk.answered) > 20
    assert lost(root, before, noted, tmp_path, 4, deaf=True)[0]  # a disk that does not sync
