"""When the power fails, nothing that was answered is lost, and the log is whole."""

import contextlib
import fcntl
import os
import random
import shutil
import signal
import subprocess

import pytest

from divulge.errors import DivulgeError
from divulge.service.operations.locations import ServiceLocations
from service.history import at_work, verified
from service.killed_tasks import initialise
from service.power_loss import Disk, losses, recorded
from service.scene import Scene
from service.test_kill import Client
from service.test_killed_tasks import is_served, no_fault, points, run


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    root = tmp_path_factory.mktemp("powered")
    return Scene.make(str(root / "service.db"), root, records=300)


@pytest.fixture(scope="module")
def before(scene, tmp_path_factory):
    """The files before the process starts whose writes are recorded."""
    folder = tmp_path_factory.mktemp("before")
    shutil.copytree(scene.place.keys.parent, folder / "root")
    return folder / "root"


@pytest.fixture(scope="module")
def notes(scene, before, tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    return recorded(tmp_path_factory.mktemp("notes"), scene.place, 120)


def faults(folder, answered):
    """What is wrong with a service after its disk lost some of what was not synced."""
    place = ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints")
    try:
        with at_work(place) as decider:
            kept = "SELECT key FROM answer UNION SELECT hash FROM entry"
            rows = decider.database.read(lambda connection: connection.rows(kept))
            behind = list(decider.behind.values())
        missing = set(answered) - {key for (key,) in rows}
        broken = [one.fault.sentence for one in verified(place, checkpoints=place.anchors) if one.fault]
    except DivulgeError as error:
        return [str(error)]
    return [*behind, *broken, *(f"The answer under {key} is lost." for key in missing)]


def lost(root, before, notes, folder, count, *, seed=1, deaf=False):
    """What is wrong after each of so many losses of power."""
    moments, drawn, found = losses(notes, count, seed), random.Random(seed), []
    disk, taken = Disk(before, root, deaf=deaf), 0
    for moment in moments:
        while taken <= moment:
            disk.take(notes[taken])
            taken += 1
        target = folder / f"after-{moment}"
        disk.lose_power(target, root, drawn)
        found += faults(target, disk.answered)
        shutil.rmtree(target)
    return found, disk


@pytest.mark.parametrize("count", [8, pytest.param(1000, marks=pytest.mark.slow)])
def test_nothing_is_lost_when_writes_are_torn_and_come_in_another_order(
    scene, before, notes, tmp_path, count
):
    found, disk = lost(scene.place.keys.parent, before, notes, tmp_path, count)
    assert found == []
    assert len(disk.answered) > 50


def test_the_losses_find_a_disk_that_does_not_sync(scene, before, notes, tmp_path):
    assert lost(scene.place.keys.parent, before, notes, tmp_path, 4, deaf=True)[0]


# -- a file system of its own, whose disk stops -------------------------------------------------------

SHUT_DOWN, WITHOUT_FLUSHING = 0x8004587D, 2  # as ext4 is told that its disk is gone


class PoweredDisk:
    """A disk in a file with ext4 on it: after a loss of power it has what was synced, and what came to it."""

    def __init__(self, folder):
        self._image, self.root = folder / "disk.img", folder / "disk"
        self.root.mkdir()
        with self._image.open("wb") as file:
            file.truncate(64 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", self._image], check=True)
        self.turn_on()

    def turn_on(self):
        subprocess.run(["mount", "-o", "loop", self._image, self.root], check=True, stderr=subprocess.DEVNULL)

    def lose_power(self):
        handle = os.open(self.root, os.O_RDONLY)
        fcntl.ioctl(handle, SHUT_DOWN, WITHOUT_FLUSHING.to_bytes(4, "little"))
        os.close(handle)

    def sync(self):
        handle = os.open(self.root, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)

    def turn_off(self):
        subprocess.run(["umount", self.root], check=True)


@pytest.fixture
def disk(tmp_path):
    if os.getuid() or shutil.which("mkfs.ext4") is None:
        pytest.skip("mounting a disk of its own needs root and mkfs.ext4")
    try:
        found = PoweredDisk(tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("loop devices cannot be mounted here")
    yield found
    with contextlib.suppress(subprocess.CalledProcessError):
        found.turn_off()


@pytest.mark.parametrize("count", [3, pytest.param(150, marks=pytest.mark.slow)])
def test_nothing_is_lost_when_the_power_of_a_mounted_disk_fails(disk, nursery, count):
    client = Client(powered(disk, 40 * count), nursery)
    for _ in range(count):
        lose_power_once(client, disk)
    client.run(most=20)
    assert client.faults() == []
    assert len(client.answers) > 3 * count


@pytest.mark.slow
def test_the_mounted_disk_finds_a_service_that_does_not_sync(disk, nursery):
    client = Client(powered(disk, 600), nursery, kind="Unsynced")
    found = []
    while not found and len(client.unanswered) > 20:
        lose_power_once(client, disk)
        found = client.faults()
    assert found


def powered(disk, records):
    return Scene.make(str(disk.root / "service.db"), disk.root, records=records)


def lose_power_once(client, disk):
    """Requests are answered until the power fails, and the disk is on again."""

    def strike(child):
        disk.lose_power()
        os.kill(child, signal.SIGKILL)

    client.run(after=client.random.randrange(12), strike=strike)
    disk.turn_off()
    disk.turn_on()


@pytest.mark.parametrize("most", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_an_init_is_on_disk_when_it_returns_and_can_be_done_again_before(disk, nursery, most):
    def fresh(name):
        folder = disk.root / f"{name}"
        folder.mkdir()
        disk.sync()
        return ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints")

    def fail():
        disk.lose_power()
        disk.turn_off()
        disk.turn_on()

    whole = fresh("whole")
    calls = run(nursery, whole, "init")
    fail()
    assert is_served(whole)
    assert no_fault(whole)
    for kill_at in points(calls, most):
        place = fresh(kill_at)
        assert run(nursery, place, "init", kill_at) is None
        fail()
        if not is_served(place):
            initialise(place)
        assert is_served(place), kill_at
        assert no_fault(place), kill_at
