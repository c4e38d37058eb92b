"""What an operator does, killed before any of the calls by which it reaches a disk or a server."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.operations.setting_up import set_up
from service.history import at_work, later
from service.queries_scene import guarded
from service.scene import dataset, people

STATEMENTS = {"execute", "executemany"}
FILES = {"fsync", "fdatasync", "write", "pwrite", "mkdir", "rename", "close"}
RECORDS = 30


def initialise(place: ServiceLocations) -> None:
    set_up(place, dataset(people(RECORDS)), "me")


def update(place: ServiceLocations) -> None:
    with at_work(place) as decider:
        decider.update(dataset(later(people(RECORDS + 10))), "me")


def guard_clinic(place: ServiceLocations) -> None:
    guarded(place.url, place.keys.parent)


TASKS: dict[str, Callable[[ServiceLocations], Any]] = {
    "migrate": lambda place: migrate(place, "me"),
    "init": initialise,
    "update": update,
    "guard": guard_clinic,
}


def with_kill(task: Callable[[], Any], kill_at: int) -> int:
    """Do a task, and be killed before one of its calls; says how many there were."""
    calls = 0

    def profile(frame: FrameType, event: str, given: Any) -> None:
        nonlocal calls
        if _reaches_out(frame, event, given):
            if calls == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            calls += 1

    sys.setprofile(profile)
    try:
        task()
    finally:
        sys.setprofile(None)
    return calls


def _reaches_out(frame: FrameType, event: str, given: Any) -> bool:
    if event == "c_call":
        if isinstance(getattr(given, "__self__", None), sqlite3.Connection | sqlite3.Cursor):
            return given.__name__ in STATEMENTS
        return given.__module__ == "posix" and given.__name__ in FILES
    code = frame.f_code
    return event == "call" and code.co_name in STATEMENTS | {"copy"} and "psycopg" in code.co_filename
