"""What may be on a disk after the power has failed: recorded writes, of which those not synced are at risk.

A process runs with ``recorded_writes.c`` preloaded. From its notes a disk is made as it may be after a power
loss at any moment. What was synced is there. Of every other write each sector of 512 bytes is there or not,
whatever came later; a name is there for certain once its folder was synced.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from divulge.service.operations.locations import ServiceLocations

SECTOR = 512
ACKNOWLEDGED = "acknowledged"  # a file to which keys are written once they are answered
HERE = Path(__file__).parent


class Noted(NamedTuple):
    """One thing that a process did to a file."""

    kind: str
    path: str
    offset: int
    length: int
    data: bytes


def recorded(
    folder: Path, place: ServiceLocations, requests: int, worker: str = "power_worker"
) -> list[Noted]:
    """What a process writes while it answers requests, with all it syncs."""
    library, notes = folder / "recorded_writes.so", folder / "notes"
    source = str(HERE / "recorded_writes.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), source, "-lpthread"], check=True)
    root = place.keys.parent
    settings = {"RECORDED_FOLDER": str(root), "RECORDED_TO": str(notes), "LD_PRELOAD": str(library)}
    program = [sys.executable, "-m", f"service.{worker}", str(root), str(requests)]
    subprocess.run(program, cwd=HERE.parent, env={**os.environ, **settings}, check=True)
    return [one for one in _parsed(notes.read_bytes()) if not one.path.endswith("-shm")]


def _parsed(notes: bytes) -> Iterator[Noted]:
    place = 0
    while place < len(notes):
        end = notes.index(b"\n", place)
        kind, path, offset, length = notes[place:end].decode().split("\t")
        place, data = end + 1, b""
        if kind == "write":
            data = notes[place : place + int(length)]
            place += int(length)
        yield Noted(kind, path, int(offset), int(length), data)


@dataclass
class _File:
    """A file on the disk, and what was done to it since it was synced."""

    content: bytearray = field(default_factory=bytearray)
    pending: list[Noted] = field(default_factory=list)

    def synced(self) -> None:
        for one in self.pending:
            apply(self.content, one)
        self.pending = []

    def after_a_loss(self, drawn: random.Random) -> bytes:
        """The file with some of what was not synced."""
        found = bytearray(self.content)
        share = drawn.choice((0.0, 0.5, 0.9, 1.0))
        for one in self.pending:
            if one.kind == "truncate":
                if drawn.random() < share:
                    apply(found, one)
                continue
            start = one.offset
            while start < one.offset + len(one.data):
                end = min(start - start % SECTOR + SECTOR, one.offset + len(one.data))
                if drawn.random() < share:
                    apply(
                        found,
                        one._replace(offset=start, data=one.data[start - one.offset : end - one.offset]),
                    )
                start = end
        return bytes(found)


def apply(content: bytearray, one: Noted) -> None:
    """What a write or a truncation makes of a file; what is never written reads as zeros."""
    if one.kind == "truncate":
        del content[one.length :]
        content.extend(bytes(one.length - len(content)))
        return
    content.extend(bytes(max(0, one.offset - len(content))))
    content[one.offset : one.offset + len(one.data)] = one.data


class Disk:
    """What a disk is sure to have, and what is at risk, as notes come in."""

    def __init__(self, before: Path, root: Path, *, deaf: bool = False) -> None:
        self._files: dict[str, _File] = {}
        for path in before.rglob("*"):  # a copy of the folder before anything was noted
            if path.is_file():
                self._files[str(root / path.relative_to(before))] = _File(bytearray(path.read_bytes()))
        self._named = set(self._files)  # for certain
        self._there = set(self._files)  # as the process sees them
        self.answered: list[str] = []
        self._deaf = deaf  # whether it does nothing when it is to sync

    def take(self, one: Noted) -> None:
        """One more note."""
        if Path(one.path).name == ACKNOWLEDGED:
            self.answered += one.data.decode().split()
        elif one.kind == "sync":
            if not self._deaf:
                self._sync(one.path)
        elif one.kind == "unlink":
            self._there.discard(one.path)
        elif one.kind == "create":
            self._there.add(one.path)
            self._files[one.path] = _File()
        else:
            self._files[one.path].pending.append(one)

    def _sync(self, path: str) -> None:
        if path in self._files:
            self._files[path].synced()
        inside = {one for one in self._there | self._named if str(Path(one).parent) == path}
        self._named = (self._named - inside) | (inside & self._there)

    def lose_power(self, to: Path, root: Path, drawn: random.Random) -> None:
        """Write down what may be left of it."""
        for path in self._there | self._named:
            certain = path in self._there and path in self._named
            if certain or drawn.random() < 0.5:
                target = to / Path(path).relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self._files[path].after_a_loss(drawn))
                target.chmod(0o600)


def losses(notes: Sequence[Noted], count: int, seed: int) -> list[int]:
    """After which notes the power fails."""
    drawn = random.Random(seed)
    return sorted(drawn.sample(range(len(notes)), min(count, len(notes))))
