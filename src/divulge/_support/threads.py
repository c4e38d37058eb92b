"""Work shared out over threads, for loops that release the interpreter lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


if TYPE_CHECKING:
    from functools import cached_property
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


def run(job: Callable[..., object], *arguments: Iterable[Any]) -> None:
    """Do a job on several sets of arguments, a thread for each."""
    sets = list(zip(*arguments, strict=True))
    if len(sets) == 1:
        job(*sets[0])
        return
    with ThreadPoolExecutor(len(sets)) as pool:
        for result in [pool.submit(job, *given) for given in sets]:
            result.result()


def ahead(job: Callable[[Given], Found], items: Iterable[Given]) -> Iterator[Found]:
    """Results in the order of the items, worked out by threads that run only a few items ahead.

    >>> list(ahead(str, [1, 2, 3]))
    ['1', '2', '3']
    """
    threads = cores()
    waiting: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            waiting.append(pool.submit(job, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
