"""Whether an answer's entry is in the log that was signed, and whether that goes on from an earlier one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge.service.ledger.chain import START, Entry, hashed
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.hand_overs import HolderKeys
from divulge.service.ledger.log_tree import leaf_of
from divulge.service.ledger.merkle import EMPTY, is_consistent, is_included

HASH = re.compile(r"[0-9a-f]{64}")
OUTCOMES = {"left": "released", "withdrawn": "withdrawn"}  # by kind of entry; others have a verdict


@dataclass(frozen=True)
class Consistency:
    """The proof that a log goes on from where it was after so many entries."""

    since: int
    path: tuple[bytes, ...]

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> Consistency:
        if type(given["since"]) is not int:
            raise TypeError("a whole number is wanted")
        return cls(given["since"], hashes_in(given["path"]))

    def fault(self, earlier: Checkpoint | None, later: Checkpoint) -> str | None:
        """Why a later checkpoint of a log does not go on from an earlier one, in a sentence."""
        count, root = (0, EMPTY.hex()) if earlier is None else (earlier.count, earlier.root)
        if earlier is not None and earlier.chain != later.chain:
            return f"The log is '{later.chain}', not '{earlier.chain}'."
        if root is None or later.root is None:
            return "A checkpoint without a tree proves nothing."
        if later.count < count:
            return f"The log had {count} entries, and now has {later.count}: it was turned back."
        before, after = bytes.fromhex(root), bytes.fromhex(later.root)
        if self.since != count or not is_consistent(count, later.count, self.path, before, after):
            return f"The log of {later.count} entries does not go on from that of {count}: it was rewritten."
        return None


@dataclass(frozen=True)
class ProvedAnswer:
    """What an answer says of its entry, and how it proves it."""

    index: int
    hash: str
    path: tuple[bytes, ...]
    checkpoint: Checkpoint
    decision: Any = None  # what it says of the entry, which the proof does not cover
    ticket: Any = None

    def fault(self, keys: HolderKeys) -> str | None:
        """Why an answer proves nothing, in a sentence."""
        signed = self.checkpoint
        if (unsigned := keys.fault(signed)) is not None:
            return f"The checkpoint {unsigned}."
        if signed.root is None:
            return "The checkpoint has no tree: it was signed by an earlier version."
        root = bytes.fromhex(signed.root)
        if not is_included(leaf_of(self.hash), self.index - 1, signed.count, self.path, root):
            return f"Entry {self.index} is not in the log that was signed after {signed.count} entries."
        return None

    def contradicted(self, previous: str, entry: Entry) -> str | None:
        """What a log's entry, after the hash before it, says otherwise than the answer, in a sentence."""
        made = hashed(previous, entry.chain, entry.index, entry.at, entry.kind, entry.body)
        if made != self.hash:
            return f"Entry {self.index} of the log is not the answer's."
        told = entry.fields
        outcome, tickets = OUTCOMES.get(entry.kind, told.get("verdict")), told.get("tickets") or ()
        if self.decision is None and outcome is not None:
            return f"The answer has no decision, and entry {self.index} has one."
        if self.decision != outcome:
            return f"The answer's decision is not what entry {self.index} says."
        if self.ticket is None and tickets:
            return f"The answer has no ticket, and entry {self.index} has one."
        if self.ticket is not None and self.ticket not in tickets:
            return f"The answer's ticket is not in entry {self.index}."
        return None


def held_to_log(answers: Sequence[ProvedAnswer], log: Iterable[Entry]) -> tuple[ProvedAnswer, str] | None:
    """The first answer that a log contradicts, or has no entry for, and why in a sentence."""
    wanted: dict[int, list[ProvedAnswer]] = {}
    for one in answers:
        wanted.setdefault(one.index, []).append(one)
    previous = START
    for entry in log:
        for one in wanted.pop(entry.index, ()):
            if (fault := one.contradicted(previous, entry)) is not None:
                return one, fault
        previous = entry.hash
    for one, *_ in wanted.values():
        return one, f"The log has no entry {one.index}."
    return None


def proofs_in(answer: Mapping[str, Any]) -> list[ProvedAnswer]:
    """The proofs of an answer or of a batch of them; an error of ``ODD`` where there are none."""
    signed = Checkpoint.of_dict(answer["checkpoint"])
    if signed.root is not None:
        _hash(signed.root)
    listed = [one for one in answer["answers"] if not is_error(one)] if "answers" in answer else [answer]
    for one in listed:
        if type(one["index"]) is not int:
            raise TypeError("a whole number is wanted")
    return [
        ProvedAnswer(
            one["index"],
            _hash(one["hash"]),
            hashes_in(one["proof"]),
            signed,
            one.get("decision"),
            one.get("ticket"),
        )
        for one in listed
    ]


def is_error(one: Mapping[str, Any]) -> bool:
    """Whether a line of a batch is an error and nothing else: no entry tells of it."""
    return "error" in one and one.keys() <= {"error", "message"}


def hashes_in(given: Sequence[str]) -> tuple[bytes, ...]:
    """The hashes of a proof, from their digits; an error of ``ODD`` where they are none."""
    return tuple(bytes.fromhex(_hash(one)) for one in given)


def _hash(given: str) -> str:
    if not HASH.fullmatch(given):
        raise ValueError("not a hash")
    return given
