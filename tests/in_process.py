"""The command line run inside the tests' own process: quick enough for many commands."""

import sys

from divulge.cli import main
from schemas import printed_fits


def run(monkeypatch, capsys, *arguments):
    """A command as the program runs it: its exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["divulge", *map(str, arguments)])
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    found = capsys.readouterr()
    printed_fits(found.out)
    return code, found.out, found.err
