"""What is read while records arrive: a document for each reading."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Count, Headed, Outcome, PolicyEntry


class WatchedCheckEntry(TypedDict):
    """A check as it stands at a moment."""

    measure: Annotated[str, "a measure, or a question as `singled_out`"]
    title: str
    target: Annotated[str, "`@record` for re-identification, or attributes to be inferred"]
    severity: Annotated[Literal["fail", "warn"], "what follows if it does not hold"]
    outcome: Outcome
    asked: Annotated[str, "the requirement in words"]
    found: Annotated[float | None, "the value found; null where there is none or it is infinite"]
    found_text: Annotated[str, "the value in words"]
    undefined: Annotated[str | None, "why there is no value"]
    sentence: Annotated[str, "what was found"]


class WatchDocument(Headed[Literal["divulge watch"]]):
    """A line of `divulge watch --json`."""

    source: str
    policy: PolicyEntry
    time: Annotated[str, "when it was read, in UTC"]
    window: Annotated[str, "which records are assessed, in words"]
    records: Annotated[Count, "records in the window"]
    arrived: Annotated[Count, "records since the beginning"]
    malformed: Annotated[Count, "lines that are no records, since the beginning"]
    outside: Annotated[Count, "records left out because no group has one of their values"]
    judged: Annotated[bool, "false while there are too few records for a verdict"]
    verdict: Outcome
    checks: list[WatchedCheckEntry]
    said: Annotated[list[str], "what happened to the source since the last reading"]
    ended: Annotated[bool, "whether no more records will come"]
