"""The command line as tests use it."""

import re
import subprocess
import sys


def run(*arguments):
    """A command in a process of its own: its exit code, standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-c", "from divulge.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def besides_progress(err):
    """What standard error says beside progress, which shows where a machine is slow or compiles first."""
    return "".join(line for line in err.splitlines(keepends=True) if not re.match(r".+ \.\.\. .*\d+ s", line))
