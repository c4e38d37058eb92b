"""A log in which every entry seals all before it: changing one breaks the chain where it was changed."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring as _text
from json.encoder import encode_basestring_ascii as _in_ascii
from typing import Any

from divulge.service.ledger.canonical_json import LARGEST, canonical

# JSON in ASCII: how keyed digests and policies are spelled, which only the holder has to make again, and how
# entries were before they were spelled by RFC 8785
in_ascii = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
).encode
BLOCK = 64  # bytes of SHA-256
START = "0" * 64  # the hash before the first entry
# what reading a mangled row ends in
ODD = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class Entry:
    """One thing that was decided or done, with the hash of the chain up to it and the holder's seal."""

    chain: str
    index: int  # from 1 on
    at: str
    kind: str
    body: str  # JSON in its one spelling
    hash: str
    seal: str

    @property
    def fields(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def row(self) -> tuple[Any, ...]:
        """As the table of entries has it."""
        return tuple(vars(self).values())

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "body": self.fields}

    def exported(self) -> dict[str, Any]:
        """The entry as a file has it: its body as text where others could not spell it again by RFC 8785."""
        try:
            again = canonical(self.fields) == self.body
        except (TypeError, ValueError):
            again = False
        return self.to_dict() if again else {**vars(self)}

    @classmethod
    def of_dict(cls, given: Mapping[str, Any], spelled: Callable[[Any], str] = canonical) -> Entry:
        body = given["body"]
        return cls(**{**given, "body": body if isinstance(body, str) else spelled(body)})


@dataclass(frozen=True)
class Fault:
    """The first place where a log is not what it was."""

    index: int
    sentence: str


def hashed(previous: str, chain: str, index: int, at: str, kind: str, body: str) -> str:
    """The hash of the chain with one more entry."""
    if type(index) is int and 0 < index <= LARGEST:
        try:
            text = f"[{_text(previous)},{_text(chain)},{index},{_text(at)},{_text(kind)},{_text(body)}]"
            return hashlib.sha256(text.encode()).hexdigest()
        except TypeError:
            pass  # a mangled row, which is spelled as well
    text = canonical([previous, chain, index, at, kind, body])
    return hashlib.sha256(text.encode()).hexdigest()


def digest(key: bytes, *parts: object) -> str:
    """A keyed digest: the same for the same parts, and revealing nothing of them without the key."""
    return sealed(key, f"[{','.join([_in_ascii(str(one)) for one in parts])}]")  # as in_ascii has it


def sealed(key: bytes, value: str) -> str:
    """The holder's seal of an entry, which only the key can make."""
    inner, outer = _keyed(key)
    within, around = inner(), outer()
    within.update(value.encode())
    around.update(within.digest())
    return around.hexdigest()


@lru_cache(8)
def _keyed(key: bytes) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """HMAC with SHA-256 as begun by a key: a third of its time, and a decision needs a dozen.

    Both parts are copied with every use.
    """
    padded = (key if len(key) <= BLOCK else hashlib.sha256(key).digest()).ljust(BLOCK, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in padded) for pad in (0x36, 0x5C))
    return hashlib.sha256(inner).copy, hashlib.sha256(outer).copy


def entry_after(
    previous: str, chain: str, index: int, at: str, kind: str, body: Mapping[str, Any], key: bytes
) -> Entry:
    """The next entry of a chain."""
    text = canonical(body)
    value = hashed(previous, chain, index, at, kind, text)
    return Entry(chain, index, at, kind, text, value, sealed(key, value))


def fault_in(entries: Iterable[Entry], key: bytes | None = None, after: Entry | None = None) -> Fault | None:
    """The first entry that was changed, left out, put in or moved; None for a whole chain.

    With the key, an entry that was rewritten together with all hashes after it is found as well. A part of
    a chain is held to the entry that comes before it.
    """
    previous, expected = (START, 1) if after is None else (after.hash, after.index + 1)
    for entry in entries:
        if entry.index != expected:
            return Fault(
                expected, f"Entry {expected} is missing or out of place: entry {entry.index} is there."
            )
        found = hashed(previous, entry.chain, entry.index, entry.at, entry.kind, entry.body)
        if not same(found, entry.hash):
            return Fault(expected, f"Entry {expected} does not follow from the entries before it.")
        if key is not None and not same(sealed(key, found), entry.seal):
            return Fault(expected, f"Entry {expected} was not written by the holder: its seal is wrong.")
        previous, expected = entry.hash, expected + 1
    return None


def same(one: str, other: object) -> bool:
    """Whether something is this text; how long it takes says nothing of where they differ."""
    return isinstance(other, str) and hmac.compare_digest(one.encode(), other.encode())
