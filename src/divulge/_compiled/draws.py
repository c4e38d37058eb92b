"""Draws by key and row, by compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function

Array = npt.NDArray[Any]
KEY = 32  # characters of a key


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
