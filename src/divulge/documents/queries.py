"""Documents of guarded queries: one answer, and how guarded tables stand ([queries](queries.md))."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Headed


class AnswerEntry(TypedDict):
    """What left: a number, or an interval that has it."""

    kind: Annotated[str, "as in the policy"]
    value: Annotated[float, "the number, or the middle of the interval"]
    low: float
    high: float
    exact_low: Annotated[str, "the same without rounding, as a fraction"]
    exact_high: str
    error: NotRequired[Annotated[str, "how far the value may be from the truth"]]


class CheckpointEntry(TypedDict):
    """A signed statement of how far a log has come."""

    chain: str
    epoch: Annotated[int, "raised by every loss that was accepted"]
    count: Annotated[int, "entries"]
    head: Annotated[str, "hash of the last entry"]
    at: str
    signature: str
    root: NotRequired[Annotated[str, "of the tree over the log"]]


class ConsistencyEntry(TypedDict):
    """The proof that a log goes on from what was seen before."""

    since: Annotated[int, "entries that were seen"]
    path: list[str]


class QueryAnswerDocument(Headed[Literal["divulge query answer"]]):
    """`divulge query ask --json`; the answer over HTTP is the same without its head."""

    decision: Literal["answered", "refused"]
    reason: Annotated[str, "`passed` or `repeated`; else the control that refused it, or `form`"]
    query: NotRequired[Annotated[str, "in its canonical form"]]
    answer: NotRequired[AnswerEntry]
    message: NotRequired[Annotated[str, "why it was refused"]]
    hint: NotRequired[str]
    spent: NotRequired[Annotated[str, "epsilon of this answer"]]
    left: NotRequired[Annotated[str, "epsilon that the analyst has left"]]
    index: Annotated[int, "its entry of the log"]
    hash: Annotated[str, "of that entry"]
    proof: Annotated[list[str], "that the entry is in the log of the checkpoint"]
    checkpoint: CheckpointEntry
    consistency: NotRequired[ConsistencyEntry]
    hand_overs: NotRequired[Annotated[list[dict[str, str | int]], "of the holder's key"]]


class AnalystEntry(TypedDict):
    """What one analyst asked and spent."""

    analyst: Annotated[str, "a digest that stands for the person in this log"]
    person: Annotated[str | None, "null where no key of theirs is known"]
    answered: int
    refused: int
    spent: Annotated[float, "epsilon"]
    left: Annotated[float | None, "epsilon; null without a budget"]


class GuardedTableEntry(TypedDict):
    """How a guarded table stands."""

    dataset: str
    table: Annotated[str, "its name in its database"]
    kind: Annotated[str, "of answers"]
    records: int
    entries: Annotated[int, "entries of the log"]
    hash: Annotated[str, "of the last entry"]
    policy: Annotated[str, "digest of the policy"]
    answered: int
    refused: int
    refused_by_reason: dict[str, int]
    span: Annotated[int | None, "independent equations that were answered; null without that audit"]
    budget: Annotated[float | None, "epsilon of each analyst; null without differential privacy"]
    total_budget: Annotated[float | None, "epsilon of all analysts; null where it is not limited"]
    spent: Annotated[float, "epsilon of all analysts"]
    analysts: list[AnalystEntry]
    read_only: Annotated[str | None, "why nothing can be decided now"]
    unreadable: Annotated[str | None, "why the table cannot be asked now"]


class QueryStatusDocument(Headed[Literal["divulge query status"]]):
    """`divulge query status --json`."""

    tables: list[GuardedTableEntry]
