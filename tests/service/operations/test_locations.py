"""Where a service keeps its things."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from divulge.errors import MissingSource, SourceError
from divulge.service.operations.locations import ServiceLocations
from service.scene import NAME, Scene


def test_keys_and_checkpoints_lie_beside_a_file_unless_told_otherwise():
    place = ServiceLocations.of("folder/service.db")
    assert (place.keys, place.anchors) == (Path("folder/service-keys"), Path("folder/service-checkpoints"))
    place = ServiceLocations.of("postgresql://server/data", anchors="elsewhere")
    assert (place.keys, place.anchors) == (Path("divulge-keys"), Path("elsewhere"))


def test_making_a_place_again_keeps_what_is_there(url, tmp_path):
    scene = Scene.make(url, tmp_path)
    again = scene.place.create()
    assert again.status(NAME)["records"] == 60
    again.database.close()


def test_a_place_without_keys_or_database_is_not_opened(scene, tmp_path):
    with pytest.raises(MissingSource, match="no database"):
        ServiceLocations.of(str(tmp_path / "other.db"), scene.place.keys).open()
    with pytest.raises(MissingSource, match="keys are not in"):
        ServiceLocations.of(scene.place.url, tmp_path / "no-keys").open()
    scene.place.open().database.close()


def test_a_file_is_open_once_and_read_beside(scene):
    decider = scene.place.open()
    with pytest.raises(SourceError, match="Another process"):
        scene.place.open()
    beside = scene.place.open(read_only=True)
    assert beside.status(NAME) == decider.status(NAME)
    for one in (decider, beside):
        one.database.close()


def test_everything_is_on_disk_before_a_place_is_made(tmp_path, monkeypatch):
    """Each file is synced as long as it is, and its folder after it has the file's name."""
    synced, folders = {}, {}

    def noted(true):
        def sync(handle):
            true(handle)
            found = os.fstat(handle)
            if stat.S_ISDIR(found.st_mode):
                folders[found.st_ino] = set(os.listdir(handle))
            else:
                synced[found.st_ino] = found.st_size

        return sync

    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, noted(getattr(os, name)))
    place = Scene.make(str(tmp_path / "service.db"), tmp_path).place
    for folder in (place.keys, place.anchors):
        for file in folder.iterdir():
            assert synced[file.stat().st_ino] == file.stat().st_size > 0
            assert file.name in folders[folder.stat().st_ino]
        assert folder.name in folders[tmp_path.stat().st_ino]
    assert "service.db" in folders[tmp_path.stat().st_ino]


def test_a_file_in_the_place_of_the_checkpoints_is_refused(tmp_path):
    place = Scene.make(str(tmp_path / "service.db"), tmp_path).place
    shutil.rmtree(place.anchors)
    place.anchors.write_text("")
    for read_only in (True, False):
        with pytest.raises(SourceError, match="not the folder of the checkpoints"):
            place.open(read_only=read_only)
