"""The program: a command is run, and whatever happens ends in a sentence and an exit code."""

from __future__ import annotations

import gc
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

import typer

from divulge._support.wording import one_line
from divulge.cli.app import app
from divulge.cli.command_line import typed
from divulge.cli.exit_codes import CANNOT, NOT_EVALUATED, STOPPED
from divulge.cli.names.suggestions import meant_command, meant_option
from divulge.cli.parameters import why_left_out
from divulge.cli.streams import NotPrinted, edges
from divulge.errors import DivulgeError, Undefined
from divulge.limits.libraries import missing_library

# Errors about arguments have no public name of their own, but this one is derived from theirs.
_UsageError: Any = typer.BadParameter.__mro__[1]

# What the library that reads arguments says of them, and what is said instead.
_NUMBERS = {
    "a valid int": "this is a whole number, such as 5.",
    "a valid number": "this is a number, such as 0.5.",
    "a valid float": "this is a number, such as 0.5.",
}


def main() -> None:
    """Run a command; an error is a sentence on standard error and exit code 2, and never a traceback."""
    gc.disable()  # until all that a command needs is imported
    with edges() as (out, err):
        try:
            with typed(sys.argv[1:]):
                code = _ran()
            out.flush()
        except NotPrinted as error:
            err.write(
                f"divulge: standard output cannot be written: {error}. The output is in {out.saved()}.\n"
            )
            code = CANNOT
        err.flush()
    sys.exit(code)


def _ran() -> int:
    """The exit code of a command.

    Libraries take an interrupt for a failure of their own, as DuckDB does in the middle of a query: whatever
    a command fails with after one, it was stopped.
    """
    with _interrupts() as came:
        try:
            code = int(app(prog_name="divulge", standalone_mode=False) or 0)
        except (KeyboardInterrupt, typer.Abort):
            code = STOPPED
        except NotPrinted:
            raise
        except Exception as error:
            code = STOPPED if came else _ended(error)
        if came and code:  # a library may also have swallowed it, and the command gone on to a verdict
            code = STOPPED
        return _failed("stopped.", STOPPED) if code == STOPPED else code


@contextmanager
def _interrupts() -> Iterator[Sequence[int]]:
    """The interrupts that came so far; none is noted where a shell or a caller handles them otherwise."""
    came: list[int] = []

    def noted(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or current_thread() is not main_thread():
        yield came
        return
    signal.signal(signal.SIGINT, noted)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _ended(error: Exception) -> int:
    """What is said of an error, and the exit code.

    A traceback and the words of other libraries may hold values of records, so neither is shown: of an error
    that nobody foresaw, its kind is.
    """
    if isinstance(error, DivulgeError):
        return _failed(str(error), NOT_EVALUATED if isinstance(error, Undefined) else CANNOT)
    if isinstance(error, _UsageError):
        return _misused(error)
    if isinstance(error, ModuleNotFoundError) and (missing := missing_library(error, *sys.argv[1:2])):
        return _failed(str(missing))
    if isinstance(error, MemoryError):
        return _failed(
            "there is not enough memory for this. Count on disk with --memory, or take fewer columns."
        )
    return _failed(
        f"this ended with an unexpected error ({type(error).__name__}) and no result. "
        "Its message may contain values of records and is not shown."
    )


def _failed(sentence: str, code: int = CANNOT) -> int:
    print(f"divulge: {one_line(sentence)}", file=sys.stderr)
    return code


def _misused(error: Any) -> int:
    """The usage, what is wrong with the arguments, and what was probably meant."""
    command = error.ctx.command if error.ctx is not None else None
    asked = getattr(error, "option_name", None)
    error.message = next((plain for said, plain in _NUMBERS.items() if said in error.message), error.message)
    unknown = re.match(r"No such command '([^']*)'", error.message)
    if command is not None and asked is not None and hasattr(error, "possibilities"):
        known = [name for one in command.params for name in one.opts if name.startswith("--")]
        meant = meant_option(asked, known)
        instead = why_left_out(command.callback, asked) or (f"Did you mean {meant}?" if meant else "")
        error.possibilities = None
        error.message = f"No such option: {asked}. {instead}".rstrip()
    elif unknown and command is not None and hasattr(command, "commands"):
        meant = meant_command(unknown[1], list(command.commands))
        error.message = f"No such command '{unknown[1]}'." + (f" Did you mean '{meant}'?" if meant else "")
    elif not error.message and "--policy" in getattr(getattr(error, "param", None), "opts", ()):
        error.message = "Write a policy for a table with: divulge init FILE"
    error.show()
    return int(error.exit_code)
