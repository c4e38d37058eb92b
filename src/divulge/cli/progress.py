"""A line on standard error while something takes longer than two seconds: how far it is, and what is left."""

from __future__ import annotations

import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from divulge.cli.verbosity import is_quiet, is_verbose, took

PATIENCE = 2.0
FEW, ENOUGH = 4, 0.1  # steps, or the share of a stage, before which what is left is a guess
LONGER = 3  # times that others took, beyond which a step says nothing of how long the next will take
APART = 0.1  # seconds between the steps that are remembered


class Mark(NamedTuple):
    """The share of a stage that was done at some time."""

    share: float
    at: float


class Progress:
    """What is being done, for how long, and how far it is; called with the name of the next stage."""

    def __init__(
        self,
        doing: str,
        clock: Callable[[], float] = time.monotonic,
        ended: Callable[[str, float], None] | None = None,
    ) -> None:
        self._clock, self._began = clock, clock()
        self._stage = _Stage(doing, self._began)
        self._ended, self._named = ended, self._began

    def end(self) -> None:
        """Report how long the last step took, where that is asked for."""
        now = self._clock()
        if self._ended is not None:
            self._ended(self._stage.doing, now - self._named)
        self._named = now

    def __call__(self, doing: str) -> None:
        if doing != self._stage.doing:
            self.end()
        if self._stage.done < self._stage.of:  # the same steps go on under another name
            self._stage.doing = doing
        else:
            self._stage = _Stage(doing, self._clock())

    def step(self, done: int, of: int) -> None:
        """So many steps of the stage are done, of so many that it has."""
        self._stage.step(done, of, self._clock())

    @property
    def line(self) -> str:
        """For example: Counting ... 35 of 130, 12 s, about 35 s left."""
        now, stage = self._clock(), self._stage
        left = stage.left(now)
        told = [
            f"{stage.done} of {stage.of}" if stage.done < stage.of > 1 else "",
            f"{now - self._began:.0f} s",
            "" if left is None else f"about {duration(left)} left",
        ]
        return f"{stage.doing} ... {', '.join(filter(None, told))}"


class _Stage:
    """One stage: its name, and when how much of it was done."""

    def __init__(self, doing: str, began: float) -> None:
        self.doing, self.done, self.of = doing, 0, 0
        self.marks = [Mark(0.0, began)]

    def step(self, done: int, of: int, now: float) -> None:
        self.done, self.of = done, of
        mark = Mark(done / max(of, 1), now)
        if done == 0 or mark.share < self.marks[-1].share:  # the steps begin, or begin once more
            self.marks = [mark]
        elif len(self.marks) > 1 and now - self.marks[-2].at < APART:
            self.marks[-1] = mark
        else:
            self.marks.append(mark)

    def left(self, now: float) -> float | None:
        """Seconds until the stage is done, if it goes on as in the latter half of what is done.

        The first steps often take longest, since later ones use what they found, so the first half is
        forgotten. The step under way counts as soon as it takes longer than others. None while nothing is
        known: early in a stage, before a step is done, when the last one takes longer than expected, and
        when one takes several times as long as those before: an end that is put off again and again is none.
        """
        marks, of = tuple(self.marks), self.of
        share, at = marks[-1]
        if not 0 < share < 1 or now - marks[0].at < PATIENCE or (self.done < FEW and share < ENOUGH):
            return None
        before, since = marks[max(0, bisect_right(marks, share / 2, key=lambda mark: mark.share) - 1)]
        if before == share or now - at > max(LONGER * (at - since) / (share - before) / of, PATIENCE):
            return None
        pace = max((at - since) / (share - before), (now - since) / (share - before + 1 / of))
        left = pace * (1 - share) - (now - at)
        return left if left > 0 else None


def duration(seconds: float) -> str:
    """A time that is not known exactly, in steps that a reader can follow.

    >>> [duration(seconds) for seconds in (0.2, 7.4, 28, 200, 7000)]
    ['1 s', '7 s', '30 s', '3 min', '2 h']
    """
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 100:
        return f"{5 * round(seconds / 5)} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{round(seconds / 3600)} h"


@contextmanager
def progress(doing: str) -> Iterator[Progress]:
    """Say what is being done and for how long, from two seconds on; a terminal sees the line move.

    Quietly, nothing is said; verbosely, also how long each stage took.
    """
    done, following = threading.Event(), Progress(doing, ended=took if is_verbose() else None)
    watcher = threading.Thread(target=_watch, args=(following, done), daemon=True)
    if not is_quiet():
        watcher.start()
    try:
        yield following
        following.end()
    finally:
        done.set()
        if not is_quiet():
            watcher.join()


def _watch(following: Progress, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    moving = sys.stderr.isatty()
    end = "\r" if moving else "\n"
    wait = 0.5 if moving else 10.0
    longest = 0
    while True:
        line = following.line
        longest = max(longest, len(line))
        print(line.ljust(longest if moving else 0), end=end, file=sys.stderr, flush=True)
        if done.wait(wait):
            break
    if moving:
        print(" " * longest, end="\r", file=sys.stderr, flush=True)
