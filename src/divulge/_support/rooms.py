"""Rooms of the package that are named like what a person may want to call."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import NoReturn


class CalledRoom(ModuleType):
    """A module that says what was meant where it is called."""

    def __call__(self, *given: object, **named: object) -> NoReturn:
        short = self.__name__.removeprefix("divulge.")
        raise TypeError(
            f"dv.{short} is a part of the package and cannot be called. {self.__dict__['_MEANT']}"
        )


def says(name: str, meant: str) -> None:
    """Have a module that is called say what to call instead."""
    room = sys.modules[name]
    room.__dict__["_MEANT"] = meant
    room.__class__ = CalledRoom
