"""Programs that run for long: what memory they hold, what they say, and what they leave behind."""

import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from command_line import besides_progress

SECONDS = float(os.environ.get("DIVULGE_SOAK", "1800"))
DIVULGE = [sys.executable, "-c", "from divulge.cli import main; main()"]
GROWTH = 1.1  # of memory from the second quarter of a run to its last
SLACK = 8e6  # bytes by which an allocator may differ
EXPECTED = ("divulge: stopped", "Serving at ")  # on standard error
MARK = "DIVULGE_SOAK_PLACE"


class Program:
    """A command in a folder of its own, with a folder of its own for temporary files."""

    def __init__(self, folder, *arguments, command=DIVULGE, **how):
        self.folder = folder
        temporary = folder / "temporary"
        temporary.mkdir(parents=True, exist_ok=True)
        self.said, self.wrong = (folder / name for name in ("said", "wrong"))
        variables = {**os.environ, "TMPDIR": str(temporary), MARK: str(folder), "PYTHONUNBUFFERED": "1"}
        with self.said.open("ab") as out, self.wrong.open("ab") as err:
            self.process = subprocess.Popen(
                ["env", "--default-signal=INT", *command, *map(str, arguments)],
                cwd=folder,
                env=variables,
                stdout=out,
                stderr=err,
                **how,
            )

    def address(self, patience=60.0):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            found = re.findall(r"http://\S+", self.said.read_text() + self.wrong.read_text())
            if found:
                return found[-1]
            assert self.process.poll() is None, self.wrong.read_text()
            time.sleep(0.05)
        raise AssertionError("it did not say its address")

    def memory(self):
        """Bytes that the program and those that it started hold; none where it has ended."""
        return sum(resident(one) for one in processes_of(self.folder))

    def end(self, by=signal.SIGINT):
        self.process.send_signal(by)
        return self.process.wait(60)


def processes_of(folder):
    """Processes that carry the mark of a folder, whatever their parents are."""
    mark = f"{MARK}={folder}".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            try:
                if mark in (place / "environ").read_bytes().split(b"\0"):
                    yield int(place.name)
            except OSError:
                continue  # it has ended, or is another user's


def resident(process):
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def assert_flat(samples):
    """That memory did not grow once a program had warmed up."""
    assert len(samples) >= 8, "too few samples to tell"
    quarter = len(samples) // 4
    early, late = (statistics.median(part) for part in (samples[quarter : 2 * quarter], samples[-quarter:]))
    assert late <= early * GROWTH + SLACK, f"{early / 1e6:.0f} MB became {late / 1e6:.0f} MB"


def assert_nothing_left(program):
    """That no process, no temporary file and no complaint is left."""
    until = time.monotonic() + 10
    while list(processes_of(program.folder)) and time.monotonic() < until:
        time.sleep(0.1)
    assert list(processes_of(program.folder)) == []
    assert list((program.folder / "temporary").rglob("*")) == []
    said = besides_progress(program.wrong.read_text()).splitlines()
    assert [line for line in said if not line.startswith(EXPECTED)] == []
