"""A PostgreSQL server of Debian's, started for the tests in a temporary folder and removed after them."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import psycopg
import pytest

ATTEMPTS = 600  # to start, or to be ready again after a crash


def programs() -> Path | None:
    """Where the newest installed server has its programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Cluster:
    """A server that listens on a socket in its own folder; one to be killed waits for its disk."""

    def __init__(self, binaries: Path, mortal: bool) -> None:
        self._binaries = binaries
        self._sync = "on" if mortal else "off"
        self._numbers = count(1)
        self.folder = Path(tempfile.mkdtemp(prefix="divulge-postgresql-", dir="/tmp"))
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.data = self.folder / "data"
        self._as_owner("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        self.start()

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def fresh(self) -> str:
        """The URL of a new and empty database."""
        name = f"divulge{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def start(self) -> None:
        """Start the server; after a crash its last processes may have to die first."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync={self._sync}"
        for _ in range(ATTEMPTS):
            if self._control("-w", "-l", self.folder / "log", "-o", options, "start"):
                return
            time.sleep(0.1)
        raise RuntimeError(f"PostgreSQL does not start:\n{(self.folder / 'log').read_text()}")

    def crash(self) -> None:
        """Stop the server without letting it write anything more."""
        self._control("-m", "immediate", "stop")

    def kill(self) -> None:
        """Kill the server's first process; the others die when they notice."""
        os.kill(int((self.data / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)

    def kill_connections(self) -> int:
        """Kill the processes behind all connections, upon which the server recovers by itself."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            sql = "SELECT pid FROM pg_stat_activity WHERE datname LIKE 'divulge%'"
            found = [pid for (pid,) in connection.execute(sql)]
        for pid in found:
            with suppress(ProcessLookupError):  # it may have ended by itself
                os.kill(pid, signal.SIGKILL)
        return len(found)

    def ready(self) -> None:
        """Wait until the server takes connections again."""
        for _ in range(ATTEMPTS):
            try:
                psycopg.connect(self.url()).close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError("PostgreSQL takes no connections.")

    def remove(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _control(self, *arguments: object) -> bool:
        try:
            self._as_owner("pg_ctl", "-D", self.data, *arguments)
        except subprocess.CalledProcessError:
            return False
        return True

    def _as_owner(self, program: str, *arguments: object) -> None:
        """PostgreSQL refuses to run as root, so root lends it the user that Debian made for it."""
        user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        change = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        command = [self._binaries / program, *arguments]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **change
        )


def running(mortal=False):
    """A server for as long as a fixture needs it; without one, tests say what to install."""
    binaries = programs()
    if binaries is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed; scripts/debian-packages installs it")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    cluster = Cluster(binaries, mortal)
    yield cluster
    cluster.remove()
