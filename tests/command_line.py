"""The command line as tests use it."""

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
