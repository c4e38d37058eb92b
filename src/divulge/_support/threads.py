"""Work shared out over threads, for loops that release the interpreter lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801 - the name of what it stands for
        """A property worked out once for each instance, as that of functools from Python 3.12 on.

        Before, all instances wait for one lock while one works it out. Two threads that ask at once work it
        out twice here, and both are given what was there first.

        >>> class Table:
        ...     @cached_property
        ...     def records(self):
        ...         print("counted")
        ...         return 3
        >>> table = Table()
        >>> table.records, table.records
        counted
        (3, 3)
        """

        def __init__(self, function):
            self._function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._name, self._function(instance))


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(length: int, parts: int) -> list[slice]:
    """Slices of nearly equal length that cover the whole.

    >>> shares(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(a, b) for a, b in pairwise(length * i // parts for i in range(parts + 1))]


def blocks(length: int, size: int = 1 << 17) -> list[slice]:
    """Slices of so many rows that cover the whole, one at least: what is made of each stays in the cache.

    >>> blocks(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(first, min(length, first + size)) for first in range(0, max(length, 1), size)]


def begun_in(pool: ThreadPoolExecutor, job: Callable[..., Found], *given: Any) -> Future[Found]:
    """A job that a thread of a pool does as its caller would, by the same context variables."""
    try:
        return pool.submit(copy_context().run, job, *given)
    except RuntimeError as error:  # no thread can be begun
        raise MemoryError("there is no room for one more thread") from error


def run(job: Callable[..., object], *arguments: Iterable[Any]) -> None:
    """Do a job on several sets of arguments, at once where threads are free; the first is done here."""
    first, *others = zip(*arguments, strict=True)
    if not others:
        job(*first)
        return
    begun = [(begun_in(_helpers(), job, *given), given) for given in others]
    try:
        job(*first)
    finally:
        # What no thread has begun is done here, so that jobs may have jobs of their own done. Only the rest
        # is waited for: a job that was taken back counts as done when a thread is free to see that.
        left = [given for result, given in begun if result.cancel()]
        wait([result for result, _ in begun if not result.cancelled()])
    for given in left:
        job(*given)
    for result, _ in begun:
        if not result.cancelled():
            result.result()


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that stay for the next job: to begin one takes as long as a small job."""
    return ThreadPoolExecutor(cores())


if hasattr(os, "register_at_fork"):  # threads do not come along into a child
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def ahead(job: Callable[[Given], Found], items: Iterable[Given]) -> Iterator[Found]:
    """Results in the order of the items, worked out by threads that run only a few items ahead.

    >>> list(ahead(str, [1, 2, 3]))
    ['1', '2', '3']
    """
    threads = cores()
    waiting: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            waiting.append(begun_in(pool, job, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Aside:
    """Jobs that another thread does one after the other, while this one goes on.

    Where this thread leaves before they are done, as by an error or an interrupt, those that were not begun
    are not, and the one under way ends at its next step if it tells of steps: an aside is a stage.

    >>> with Aside() as aside:
    ...     power = aside.begin(pow, 2, 10)
    ...     power()
    1024
    """

    def __init__(self) -> None:
        self._pool, self._left = ThreadPoolExecutor(1), False
        self._steps, self._lock = list[tuple[int, int]](), Lock()
        self._tell: Callable[[int, int], None] = _nobody

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self._left = kind is not None
        self._pool.shutdown(cancel_futures=self._left)

    def begin(self, job: Callable[..., Found], *given: object) -> Callable[[], Found]:
        """Have a job done; what comes waits for what it finds, or raises what it raised."""
        return begun_in(self._pool, job, *given).result

    def __call__(self, doing: str) -> None:
        """What is done aside has the stage of who waits for it."""

    def step(self, done: int, of: int) -> None:
        """A step is done: the place to end where nobody waits for the rest."""
        if self._left:
            raise CancelledError
        with self._lock:
            self._steps.append((done, of))
            self._tell(done, of)

    @contextmanager
    def followed(self, tell: Callable[[int, int], None]) -> Iterator[None]:
        """Have someone who waits told of steps: of those that were done before, then of each that is."""
        with self._lock:
            for step in self._steps:
                tell(*step)
            self._tell = tell
        try:
            yield
        finally:
            with self._lock:
                self._tell = _nobody
                self._steps.clear()


def _nobody(done: int, of: int) -> None:
    pass
