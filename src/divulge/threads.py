"""Work shared out over threads, for loops that release the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(length: int, parts: int) -> list[slice]:
    """Slices of nearly equal length that cover the whole.

    >>> shares(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(a, b) for a, b in pairwise(length * i // parts for i in range(parts + 1))]


def run(job: Callable[..., object], *arguments: Iterable[Any]) -> None:
    """Do a job on several sets of arguments, a thread for each."""
    sets = list(zip(*arguments, strict=True))
    if len(sets) == 1:
        job(*sets[0])
        return
    with ThreadPoolExecutor(len(sets)) as pool:
        for result in [pool.submit(job, *given) for given in sets]:
            result.result()
