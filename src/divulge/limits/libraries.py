"""SciPy, which only the account of an attacker needs: a part of it, or a sentence that says how to get it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from divulge.errors import MissingLibrary


def scipy(part: str) -> Any:
    """A module of SciPy."""
    try:
        return import_module(f"scipy.{part}")
    except ModuleNotFoundError:
        raise MissingLibrary("the account of an attacker", "scipy", "attacker", doing="Working out") from None
