"""Libraries that only some questions need: a part of them, or a sentence that says how to get it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from divulge.errors import MissingLibrary


def scipy(part: str, what: str = "the account of an attacker", extra: str = "attacker") -> Any:
    """A module of SciPy."""
    return needed(f"scipy.{part}", what, extra)


def needed(module: str, what: str, extra: str) -> Any:
    """A module of a package that an extra brings."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingLibrary(what, module.partition(".")[0], extra, doing="Working out") from None
