"""A key of the holder that takes the place of another: both sign it, so that others can follow."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.durable import sync_folder
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.ledger.secrets import raw
from divulge.service.store.connection import Transaction

HANDED_OVER = "key handed over"  # the kind of the entry, in the log of the service
FILE = "hand-overs.jsonl"  # beside checkpoints
_NUMBERS = ("epoch", "count")


@dataclass(frozen=True)
class HandOver:
    """The last that a key says of a chain: after so many entries, another key signs."""

    chain: str
    epoch: int
    count: int
    head: str
    root: str
    at: str
    old: str  # public keys, in hexadecimal digits
    new: str
    signature: str  # of the old key
    countersignature: str  # of the new key, over the old one's signature too

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self)}

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> HandOver:
        told = {one.name: given[one.name] for one in fields(cls)}
        if not all(type(value) is (int if name in _NUMBERS else str) for name, value in told.items()):
            raise TypeError("a hand-over has two whole numbers and texts")
        return cls(**told)

    @classmethod
    def signed(cls, old: Ed25519PrivateKey, new: Ed25519PrivateKey, last: Checkpoint) -> HandOver:
        """The hand-over from one key to another at a state of a chain, signed by both."""
        keys = raw(old.public_key()).hex(), raw(new.public_key()).hex()
        plain = cls(last.chain, last.epoch, last.count, last.head, last.root or "", last.at, *keys, "", "")
        once = replace(plain, signature=old.sign(plain._said()).hex())
        return replace(once, countersignature=new.sign(once._said("signature")).hex())

    def _said(self, *more: str) -> bytes:
        """What is signed: all but signatures, but for those that are named."""
        left_out = {"signature", "countersignature"} - {*more}
        return canonical({name: value for name, value in vars(self).items() if name not in left_out}).encode()

    @property
    def is_whole(self) -> bool:
        """Whether both keys have signed it."""
        try:
            key_of(self.old).verify(bytes.fromhex(self.signature), self._said())
            key_of(self.new).verify(bytes.fromhex(self.countersignature), self._said("signature"))
        except (InvalidSignature, ValueError):
            return False
        return True

    @property
    def end(self) -> tuple[int, int]:
        """The last epoch and number of entries that the old key signs."""
        return self.epoch, self.count

    @property
    def state(self) -> Checkpoint:
        """What it says of the chain."""
        return Checkpoint(self.chain, self.epoch, self.count, self.head, self.at, "", self.root)


def key_of(digits: str) -> Ed25519PublicKey:
    """A public key from its hexadecimal digits."""
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(digits))


class Tenure(NamedTuple):
    """From which state of a chain to which a key signs it; the last key has no end."""

    key: Ed25519PublicKey
    first: tuple[int, int]  # epoch and entries
    last: tuple[int, int] | None


NEVER = (-1, -1)  # the end of a key that was handed over before a chain began


class HolderKeys:
    """The keys with which a holder has signed, one after the other, from one of them that somebody trusts.

    A key is followed to the next by its own signature, and to the one before by that of the new one. A key
    that was handed over to two others is followed to neither, and is not believed after either's beginning.
    """

    def __init__(self, trusted: Ed25519PublicKey, hand_overs: Iterable[HandOver] = ()) -> None:
        self.trusted = trusted
        self.hand_overs = tuple({one: None for one in hand_overs if one.is_whole})
        self._lines: dict[str, list[HandOver]] = {}
        self._tenures: dict[str, list[Tenure]] = {}  # every decision asks for them
        self._current: bytes | None = None

    def with_more(self, hand_overs: Iterable[HandOver]) -> HolderKeys:
        """The same with what is shown besides; a key that is known to be handed over goes to no other."""
        after: dict[str, set[str]] = {}
        for one in self.hand_overs:
            after.setdefault(one.old, set()).add(one.new)
        more = (one for one in hand_overs if one.new in after.get(one.old, {one.new}))
        return HolderKeys(self.trusted, (*self.hand_overs, *more))

    def line(self, chain: str) -> list[HandOver]:
        """The hand-overs that concern a chain, from the first key to the last.

        A chain that was begun after a hand-over has none of its own: that of the service counts.
        """
        if chain not in self._lines:
            links = _links(self.hand_overs, chain)
            before = {one.new: one for one in links}
            here, seen = raw(self.trusted).hex(), set[str]()
            found: list[HandOver] = []
            while here in before and here not in seen:
                seen.add(here)
                found.insert(0, before[here])
                here = before[here].old
            here = raw(self.trusted).hex()
            while len(after := [one for one in links if one.old == here]) == 1 and after[0] not in found:
                found += after
                here = after[0].new
            self._lines[chain] = found
        return self._lines[chain]

    def contested(self, chain: str) -> list[HandOver]:
        """The hand-overs of the last key to several others, none of which is followed."""
        last = self._last(self.line(chain))
        given = [one for one in _links(self.hand_overs, chain) if one.old == last]
        return given if len(given) > 1 else []

    def tenures(self, chain: str) -> list[Tenure]:
        """Who signs which part of a chain: no key after its hand-over, or after that of a later key."""
        if chain not in self._tenures:
            self._tenures[chain] = self._found_tenures(chain)
        return self._tenures[chain]

    def _found_tenures(self, chain: str) -> list[Tenure]:
        line, first, found = self.line(chain), (0, 0), []
        ends = [one.end if one.chain == chain else NEVER for one in line]
        for place, (one, end) in enumerate(zip(line, ends, strict=True)):
            least = min((later for later in ends[place:] if later != NEVER), default=NEVER)
            found.append(Tenure(key_of(one.old), first, NEVER if end == NEVER else least))
            first = max(first, end)
        contested = [one.end if one.chain == chain else NEVER for one in self.contested(chain)]
        return [*found, Tenure(key_of(self._last(line)), first, min(contested, default=None))]

    def _last(self, line: Sequence[HandOver]) -> str:
        return line[-1].new if line else raw(self.trusted).hex()

    def leads_through(self, chain: str, *keys: str) -> bool:
        """Whether one of these, in hexadecimal digits, is or was the holder's, by the key that is trusted."""
        return any(raw(tenure.key).hex() in keys for tenure in self.tenures(chain))

    def current(self, chain: str = SERVICE) -> Ed25519PublicKey:
        """The key that signs now."""
        return self.tenures(chain)[-1].key

    def current_raw(self) -> bytes:
        """Its bytes, found once: every decision asks for them."""
        if self._current is None:
            self._current = raw(self.current())
        return self._current

    def fault(self, checkpoint: Checkpoint) -> str | None:
        """Why a checkpoint does not count, as the end of a sentence about it."""
        state = checkpoint.epoch, checkpoint.count
        for key, first, last in reversed(self.tenures(checkpoint.chain)):
            if checkpoint.is_signed_by(key):
                if last == NEVER:
                    return "was signed with a key that was handed over before this log began"
                if last is not None and state > last:
                    return f"was signed with a key that was handed over after {last[1]} entries"
                if state >= first:
                    return None
        return "was not signed by the holder"

    def has_signed(self, checkpoint: Checkpoint) -> bool:
        return self.fault(checkpoint) is None

    def shown(self, chain: str) -> dict[str, Any]:
        """What others need to follow the keys of a chain, beside a checkpoint; nothing where there is one."""
        found = [one.to_dict() for one in self.line(chain)]
        return {"hand_overs": found} if found else {}


def _links(hand_overs: Sequence[HandOver], chain: str) -> list[HandOver]:
    """From each key to each next one a hand-over: the chain's own, the service's, or any; the earliest."""
    found: dict[tuple[str, str], HandOver] = {}
    for one in sorted(hand_overs, key=lambda one: (one.chain != chain, one.chain != SERVICE, one.end)):
        found.setdefault((one.old, one.new), one)
    return list(found.values())


# -- where they are kept ----------------------------------------------------------------------------


def hand_overs_in(given: Mapping[str, Any]) -> list[HandOver]:
    """The hand-overs beside a checkpoint, or in an entry; an error of ``ODD`` where they are none."""
    return [HandOver.of_dict(one) for one in given.get("hand_overs", ())]


def logged_hand_overs(connection: Transaction) -> list[HandOver]:
    """The hand-overs in the log of a service; what cannot be read proves nothing, and is left out."""
    sql = "SELECT body FROM entry WHERE chain = ? AND kind = ? ORDER BY idx"
    found: list[HandOver] = []
    for (body,) in connection.rows(sql, (SERVICE, HANDED_OVER)):
        with suppress(*ODD):
            found += hand_overs_in(json.loads(body))
    return found


def read_hand_overs(folder: Path) -> list[HandOver]:
    """The hand-overs in a folder; what cannot be read proves nothing, and is left out."""
    try:
        lines = (folder / FILE).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []
    found = []
    for line in lines:
        with suppress(*ODD):
            found.append(HandOver.of_dict(json.loads(line)))
    return found


def keep_hand_overs(folder: Path, given: Iterable[HandOver]) -> None:
    """Add hand-overs to those in a folder, on disk before this returns."""
    known = read_hand_overs(folder)
    new = [one for one in given if one not in known]
    if new:
        with (folder / FILE).open("a", encoding="utf-8") as file:
            # begins a line even where the last one was not written to its end
            file.write("".join("\n" + canonical(one.to_dict()) + "\n" for one in new))
            file.flush()
            os.fsync(file.fileno())
        sync_folder(folder)
