"""A line on standard error while something takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say what is being done and for how long, from two seconds on; a terminal sees the line move."""
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(doing, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(doing: str, done: threading.Event) -> None:
    began = time.monotonic()
    if done.wait(PATIENCE):
        return
    moving = sys.stderr.isatty()
    end = "\r" if moving else "\n"
    wait = 0.5 if moving else 10.0
    while True:
        print(f"{doing} ... {time.monotonic() - began:.0f} s", end=end, file=sys.stderr, flush=True)
        if done.wait(wait):
            break
    if moving:
        print(" " * (len(doing) + 16), end="\r", file=sys.stderr, flush=True)
