"""The command line: arguments in, tables or JSON out; nothing is computed here."""

from __future__ import annotations

from divulge.cli.running import main

__all__ = ["main"]
