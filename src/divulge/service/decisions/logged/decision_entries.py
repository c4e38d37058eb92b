"""What the log says of a decision, spelled in one go: the same text as the one spelling of its fields.

Names are in the order of RFC 8785. Digests, tickets, reasons and verdicts have no character to be escaped.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge.service.ledger.canonical_json import canonical

ANSWERED = ("decision", "ticket", "index", "hash")
DRAWN, BYTES, LENGTH = 16, 12, 16  # tickets that are drawn at once; bytes and characters of each


def tickets() -> Iterator[str]:
    """New tickets, as ``secrets.token_urlsafe`` makes them, of which several are drawn at once."""
    while True:
        drawn = base64.urlsafe_b64encode(os.urandom(DRAWN * BYTES)).decode()
        for start in range(0, len(drawn), LENGTH):
            yield drawn[start : start + LENGTH]


def outside_text(standing: Mapping[str, Any]) -> str:
    """The fields that change only when a record leaves; in every entry they are side by side."""
    return (
        f'"checker":{canonical(standing["checker"])},"counts":"{standing["counts"]}",'
        f'"digest":"{standing["digest"]}","exposures":{canonical(standing["exposures"])},'
        f'"outside":{standing["outside"]}'
    )


def decision_text(
    outside: str,
    policy: int,
    waiting: int,
    record: str,
    cell: str,
    reason: str,
    verdict: str,
    ticket: str,
    owner: str,
    asked: str,
    body: str | None,
) -> str:
    """The body of an entry about a request; ``body`` is there where the record is released."""
    released = "" if body is None else f'"body":"{body}",'
    return (
        f'{{"asked":"{asked}",{released}"cell":"{cell}",{outside},"owner":"{owner}","policy":{policy},'
        f'"reason":"{reason}","record":"{record}","tickets":["{ticket}"],"verdict":"{verdict}",'
        f'"waiting":{waiting}}}'
    )


def left_text(
    outside: str,
    policy: int,
    waiting: int,
    record: str,
    cell: str,
    reason: str,
    listed: Sequence[str],
    body: str,
) -> str:
    """The body of an entry about a record that had been waited for; tickets may be of earlier versions."""
    return (
        f'{{"body":"{body}","cell":"{cell}",{outside},"policy":{policy},"reason":"{reason}",'
        f'"record":"{record}","tickets":{canonical(listed)},"waiting":{waiting}}}'
    )


def answer_text(answer: Mapping[str, Any]) -> str:
    """An answer as its row has it: what ``json.dumps`` makes of it, at once if it has just these fields."""
    if tuple(answer) != ANSWERED:
        return json.dumps(answer)
    decision, ticket, index, value = answer.values()
    return f'{{"decision": "{decision}", "ticket": "{ticket}", "index": {index}, "hash": "{value}"}}'
