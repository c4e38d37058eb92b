"""Draws by key and row, and tables drawn cell by cell, by compiled loops."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
KEY = 32  # characters of a key
MOST = 10**9  # records, below which NumPy draws from them


def uniform_pairs(key: str, rows: Array, first: Array, second: Array | None) -> None:
    """One or two draws for each row, from 0 up to 1."""
    letters = np.frombuffer(key.encode("ascii"), np.uint8)
    if len(rows) and int(rows.min()) < 0:
        raise ValueError("a loop was given rows below 0")
    function("draws_uniform", "ppipp")(
        address(letters, np.uint8, KEY),
        address(rows, np.int64, len(rows)),
        len(rows),
        *_places(first, second, len(rows)),
    )


def text_pairs(key: str, texts: Array, first: Array, second: Array | None) -> None:
    """The same for rows that are called by texts, an array of objects."""
    letters = np.frombuffer(key.encode("ascii"), np.uint8)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    start = np.concatenate([[0], np.cumsum([len(one) for one in encoded])]).astype(np.int64)
    joined = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
    function("draws_of_texts", "pppipp")(
        address(letters, np.uint8, KEY),
        address(joined, np.uint8, len(joined)),
        address(start, np.int64, len(texts) + 1),
        len(texts),
        *_places(first, second, len(texts)),
    )


def _places(first: Array, second: Array | None, length: int) -> tuple[int, int | None]:
    """Where draws are written to; None where no second ones are asked for."""
    after = None if second is None else address(second, np.float64, length, write=True)
    return address(first, np.float64, length, write=True), after


@lru_cache(maxsize=1)
def _hypergeometric() -> int | None:
    """Where NumPy's own way to draw from records is, so that loops draw the same; None where it is hidden."""
    try:
        found = ctypes.CDLL(np.random._generator.__file__).random_hypergeometric
    except (AttributeError, OSError):
        return None
    return ctypes.cast(found, ctypes.c_void_p).value


def draws_tables(records: int) -> bool:
    """Whether tables of so many records can be drawn by a loop."""
    return library.built() and records < MOST and _hypergeometric() is not None


def tables(sizes: Array, places: Array, targets: Array, times: int, rng: np.random.Generator) -> Array:
    """Tables of classes by target values, drawn without replacement, smallest classes first.

    Classes may be the smallest of more. ``targets`` is how many records there are of each value, ``places``
    the column of each.
    """
    rows, values = len(sizes), len(targets)
    sizes, places, targets = (np.asarray(one, np.int64) for one in (sizes, places, targets))
    order = np.argsort(sizes, kind="stable").astype(np.int64)
    within(places, values)
    if int(sizes.sum()) > int(targets.sum()) or min(int(sizes.min()), int(targets.min())) < 0:
        raise ValueError("a loop was given classes of other records than target values")
    left = np.repeat(targets, times)
    out, room = np.empty((times, rows, values), np.int64), np.empty(2 * times, np.int64)
    generator = rng.bit_generator
    with generator.lock:
        function("draws_tables", "ppppipiipppp")(
            _hypergeometric(),
            generator.ctypes.bit_generator,
            address(sizes, np.int64, rows),
            address(order, np.int64, rows),
            rows,
            address(places, np.int64, values),
            *(values, times),
            address(left, np.int64, values * times, write=True),
            address(room[:times], np.int64, times, write=True),
            address(room[times:], np.int64, times, write=True),
            address(out.reshape(-1), np.int64, out.size, write=True),
        )
    return out
