"""The command line as tests use it."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from divulge.cli import main
from schemas import printed_fits


def run(*arguments):
    """A command as the program runs it, in this process: exit code, standard output and standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = None
    called = patch.object(sys, "argv", ["divulge", *map(str, arguments)])
    with called, redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    said, wrong = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
    printed_fits(said)
    return code, said, wrong


def run_apart(*arguments):
    """The same in a process of its own, for what depends on how a process starts or ends."""
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
