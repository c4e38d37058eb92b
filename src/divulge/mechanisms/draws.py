"""Random numbers that depend on seed, step, purpose and row alone, and on nothing that runs beside them.

A draw is the beginning of the MD5 digest of a key and the number of a row, or another text that it has of its
own. Databases and Spark have that function too, so that one seed gives one release on every engine and with
any number of threads.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.draws import KEY, text_pairs, uniform_pairs
from divulge._compiled.swapping import rank_order
from divulge._support.threads import cores, run, shares

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]  # the numbers of rows, or texts as objects
MANY = 1 << 16  # rows from which on a thread is worth its while
DIGITS = 13  # hexadecimal digits of a draw: 52 bits


def new_seed() -> int:
    """A seed that nobody can guess: with it anyone could undo what was drawn."""
    return secrets.randbits(63)


@dataclass(frozen=True)
class Draws:
    """The random numbers of one step of a recipe, a stream of its own for every purpose.

    >>> draws = Draws(seed=1, step=1)
    >>> rows = np.arange(3)
    >>> np.array_equal(draws.uniforms("age", rows)[1:], draws.uniforms("age", rows[1:]))
    True
    """

    seed: int
    step: int

    def key(self, purpose: str) -> str:
        """What the rows of a purpose are hashed with; purposes are attributes, or words of a mechanism."""
        told = f"{self.seed}\x1f{self.step}\x1f{purpose}"
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:KEY]

    def uniforms(self, purpose: str, rows: Rows) -> Floats:
        """A number from 0 up to 1 for each row."""
        return self._drawn(purpose, rows, times=1)[0]

    def pairs(self, purpose: str, rows: Rows) -> tuple[Floats, Floats]:
        """Two numbers from 0 up to 1 for each row, the first that of :meth:`uniforms`."""
        first, second = self._drawn(purpose, rows)
        return first, second

    def normals(self, purpose: str, rows: Rows) -> Floats:
        """A standard normal number for each row (Box and Muller)."""
        first, second = self.pairs(purpose, rows)
        return np.asarray(np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * math.pi * second))

    def order(self, purpose: str, rows: Rows) -> npt.NDArray[np.integer[Any]]:
        """The places of the rows in an order drawn at random."""
        drawn = self.uniforms(purpose, rows)
        if library.built():
            return rank_order(np.zeros(len(drawn), np.uint32), drawn)
        return np.argsort(drawn, kind="stable")

    def _drawn(self, purpose: str, rows: Rows, *, times: int = 2) -> tuple[Floats, ...]:
        """Two numbers for each row, or the first alone."""
        key = self.key(purpose)
        if not library.built():
            return digested(key, rows)[:times]
        found = tuple(np.empty(len(rows)) for _ in range(times))
        parts = shares(len(rows), cores() if len(rows) > MANY else 1)
        pairs = text_pairs if rows.dtype.kind == "O" else uniform_pairs
        run(lambda part: pairs(key, rows[part], found[0][part], found[1][part] if times > 1 else None), parts)
        return found


def digested(key: str, rows: Rows) -> tuple[Floats, Floats]:
    """The same draws in plain Python, for where no loops were built."""
    found = np.empty((2, len(rows)))
    for place, row in enumerate(rows.tolist()):
        text = f"{key}:{row}".encode("utf-8", "surrogatepass")
        hexed = hashlib.md5(text, usedforsecurity=False).hexdigest()
        found[:, place] = int(hexed[:DIGITS], 16), int(hexed[DIGITS : 2 * DIGITS], 16)
    found *= 2.0**-52
    return found[0], found[1]
