"""A PostgreSQL server in a temporary folder, for as long as a benchmark needs one."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def postgresql() -> Iterator[str | None]:
    """The URL of an empty database that syncs what it commits; None where no server is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="divulge-bench-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")

    def program(name: str, *arguments: object) -> None:
        """PostgreSQL refuses to run as root."""
        user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        change = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        command = [found[-1].parent / name, "-D", folder / "data", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **change)  # type: ignore[arg-type]

    try:
        program("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=on"
        program("pg_ctl", "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            program("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def server_seconds(url: str) -> float:
    """Processor seconds that the server of a URL and all its processes have used so far."""
    folder = Path(url.partition("host=")[2])
    postmaster = (folder / "data" / "postmaster.pid").read_text().split()[0]
    ticks = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended since
            continue
        if status.parent.name == postmaster:
            ticks += sum(map(int, fields[11:15]))  # its own, and those of processes that have ended
        elif fields[1] == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
