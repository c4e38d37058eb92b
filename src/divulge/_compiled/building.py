"""How the library of compiled loops is made: by any C compiler, without the headers of Python."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).parent
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
#: Numbers are the same everywhere: no instruction of one processor alone, none that rounds differently.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-fPIC", "-shared")


def library() -> Path:
    """Where the library of these very sources is once it is built; one of older sources is never taken."""
    sign = 0
    for source in sorted(FOLDER.glob("*.[ch]")):
        sign = zlib.crc32(source.read_bytes(), sign)
    return FOLDER / f"loops_{sign:08x}{SUFFIX}"


def build(*more: str) -> str | None:
    """Compile the library with the system's compiler, or the one of $CC; says why where it cannot be."""
    target = library()
    partial = target.with_suffix(".partial")
    sources = [str(source) for source in sorted(FOLDER.glob("*.c"))]
    command = [*shlex.split(os.environ.get("CC", "cc")), *FLAGS, *more, "-o", str(partial), *sources, "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror}"
    if done.returncode:
        return f"{command[0]} says: {done.stderr.strip()[-500:]}"
    for older in FOLDER.glob(f"loops_*{SUFFIX}"):
        older.unlink()
    partial.rename(target)
    return None
