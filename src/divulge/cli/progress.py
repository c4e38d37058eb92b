"""A line on standard error while something takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0


@contextmanager
def progress(doing: str) -> Iterator[Callable[[str], None]]:
    """Say what is being done and for how long, from two seconds on; a terminal sees the line move.

    What is handed over takes the name of the next stage.
    """
    done, stage = threading.Event(), [doing]
    watcher = threading.Thread(target=_watch, args=(stage, done), daemon=True)
    watcher.start()

    def say(doing: str) -> None:
        stage[0] = doing

    try:
        yield say
    finally:
        done.set()
        watcher.join()


def _watch(stage: list[str], done: threading.Event) -> None:
    began = time.monotonic()
    if done.wait(PATIENCE):
        return
    moving = sys.stderr.isatty()
    end = "\r" if moving else "\n"
    wait = 0.5 if moving else 10.0
    longest = 0
    while True:
        line = f"{stage[0]} ... {time.monotonic() - began:.0f} s"
        longest = max(longest, len(line))
        print(line.ljust(longest if moving else 0), end=end, file=sys.stderr, flush=True)
        if done.wait(wait):
            break
    if moving:
        print(" " * longest, end="\r", file=sys.stderr, flush=True)
