"""The command line: arguments in, tables or JSON out; nothing is computed here."""

from __future__ import annotations

import sys

from divulge.cli.exit_codes import STOPPED

__all__ = ["main"]


def main() -> None:
    """Run a command; an interrupt while libraries are loaded is said as any other is."""
    try:
        from divulge.cli.running import main as run
    except KeyboardInterrupt:
        sys.stderr.write("divulge: stopped.\n")
        sys.exit(STOPPED)
    run()
