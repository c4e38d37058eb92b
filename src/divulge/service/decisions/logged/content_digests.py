"""Keyed digests of what a decision uses: records, counts, requesters. Only the holder's key can make them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _text

import numpy as np
import numpy.typing as npt

from divulge.service.ledger.chain import digest, in_ascii, sealed

MODULUS = 1 << 256  # of sums of digests
# What every request needs is spelled at once, in half the time: as ``digest`` spells the same parts.


def record_seal(
    key: bytes, dataset: str, record: str, x: int, y: int, body: str, released: int | None
) -> str:
    """What stands beside a record in its table: all of its row, sealed."""
    told = f"{_text(str(x))},{_text(str(y))},{_text(str(body))},{_text(str(released))}"
    return sealed(key, f'["a record",{_text(str(dataset))},{_text(str(record))},{told}]')


def body_digest(key: bytes, dataset: str, record: str, body: str) -> str:
    """What the log says of a record that is released: which content left."""
    return digest(key, "a body", dataset, record, body)


def owner_digest(key: bytes, ticket: str, owner: str) -> str:
    """Whose request it was; two requests of one requester have different digests."""
    return sealed(key, f'["an owner",{_text(str(ticket))},{_text(str(owner))}]')


def answer_digest(key: bytes, ticket: str, owner: str, idempotency: str) -> str:
    """Under which idempotency key of whom a request was made."""
    return sealed(key, f'["an answer",{_text(str(ticket))},{_text(str(owner))},{_text(str(idempotency))}]')


def repeat_digest(key: bytes, owner: str, idempotency: str) -> str:
    """What is left of an idempotency key whose answer was removed, so that a repeat of it is known."""
    return sealed(key, f'["a repeat",{_text(str(owner))},{_text(str(idempotency))}]')


def removal_seal(key: bytes, repeat: str, dataset: str, index: int) -> str:
    """What stands beside that: all of its row, sealed."""
    return digest(key, "a removed answer", repeat, dataset, index)


def description_digest(key: bytes, row: Iterable[object]) -> str:
    """How a dataset is described: its identifier, its dependency, and whether its baseline follows it."""
    return digest(key, "a dataset", *row)


def key_digest(key: bytes, identity: str, name: str, hashed: str, *more: str | None) -> str:
    """What the log says of a key: whose it is, which secret fits; and, since they are kept, its person,
    scope and subject."""
    return digest(key, "a key", identity, name, hashed, *([in_ascii(more)] if more else []))


def sum_digest(key: bytes, dataset: str, kind: str, total: int) -> str:
    """What stands for a sum in the log, so that nobody learns what one more row adds to it."""
    return digest(key, "a sum", dataset, kind, total)


@lru_cache(4096)  # what a release takes away from the sum is what the one before it from the same cell added
def cell_weight(key: bytes, dataset: str, x: int, y: int, released: int) -> int:
    """What a cell adds to the sum over all cells; nothing, where nothing of it is outside."""
    return int(digest(key, "a cell", dataset, x, y, released), 16) if released else 0


def cell_sum(key: bytes, dataset: str, counts: npt.NDArray[np.int64]) -> int:
    """The sum over all cells. One release changes one cell of it, so that it is not made anew each time."""
    places = np.argwhere(counts).tolist()
    return sum(cell_weight(key, dataset, x, y, int(counts[x, y])) for x, y in places) % MODULUS


def cell_sum_after(key: bytes, dataset: str, total: int, x: int, y: int, released: int) -> int:
    """The sum after one more release from a cell, of which so many are outside then."""
    more = cell_weight(key, dataset, x, y, released) - cell_weight(key, dataset, x, y, released - 1)
    return (total + more) % MODULUS
