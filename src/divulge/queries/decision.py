"""What is decided about a query, what is answered, and what the log keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from divulge.queries.query import Query

Outcome = Literal["answered", "refused"]
Control = Literal["set size", "overlap", "differencing", "margin", "budget", "changed table", "no value"]


@dataclass(frozen=True)
class QueryAnswer:
    """What leaves: a number, or an interval that has it.

    ``value`` is exact for exact answers: a whole number or a fraction of decimals; ``low`` and ``high`` are
    the same for all but camouflage. ``error`` says in words how far the value may be from the truth.
    """

    kind: str  # as in the policy: "exact", "camouflage", "cell key", "differential privacy"
    low: Fraction
    high: Fraction
    error: str | None = None

    @property
    def value(self) -> Fraction:
        """The middle, which is the number itself where this is no interval."""
        return (self.low + self.high) / 2

    def document(self) -> dict[str, Any]:
        """For a log or an answer over HTTP: fractions as texts, exactly, and numbers to read."""
        exact = {"exact_low": str(self.low), "exact_high": str(self.high)}
        read = {"value": float(self.value), "low": float(self.low), "high": float(self.high)}
        return {"kind": self.kind, **read, **exact, **({"error": self.error} if self.error else {})}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> QueryAnswer:
        """The answer that a document has."""
        ends = Fraction(document["exact_low"]), Fraction(document["exact_high"])
        return cls(document["kind"], *ends, document.get("error"))


@dataclass(frozen=True)
class Answered:
    """An answered query as the log keeps it: enough to rebuild what the guard knows."""

    text: str  # canonical SQL
    asked_by: str
    answer: QueryAnswer
    spent: Decimal = Decimal(0)  # epsilon

    def document(self) -> dict[str, Any]:
        """For the log."""
        return {
            "query": self.text,
            "asked_by": self.asked_by,
            "answer": self.answer.document(),
            "spent": str(self.spent),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Answered:
        """What the log has."""
        answer = QueryAnswer.of(document["answer"])
        return cls(document["query"], document["asked_by"], answer, Decimal(document["spent"]))


@dataclass(frozen=True)
class Decision:
    """Whether a query is answered, and why not; ``answer`` must not leave before the log has it."""

    query: Query
    asked_by: str
    outcome: Outcome
    answer: QueryAnswer | None = None
    control: Control | None = None  # what refused it
    reason: str | None = None
    hint: str | None = None
    from_data: bool = False  # confidential values had a part in a refusal, so it tells something about them
    spent: Decimal = Decimal(0)  # epsilon, to be spent durably before the answer leaves
    left: Decimal | None = None  # of the analyst's epsilon, after this; None without differential privacy
    repeated: bool = False  # the same query was answered before: this is that answer, at no cost
    next_state: Any = field(default=None, repr=False, compare=False)  # read by QueryGuard.after

    @property
    def answered(self) -> Answered | None:
        """What the log keeps; None where the query was refused."""
        if self.answer is None:
            return None
        return Answered(self.query.text, self.asked_by, self.answer, self.spent)

    def document(self) -> dict[str, Any]:
        """For the log or an answer over HTTP."""
        found: dict[str, Any] = {"query": self.query.text, "asked_by": self.asked_by, "outcome": self.outcome}
        if self.answer is not None:
            found |= {"answer": self.answer.document(), "repeated": self.repeated}
        else:
            found |= {"control": self.control, "reason": self.reason, "hint": self.hint}
        if self.left is not None:
            found |= {"spent": str(self.spent), "left": str(self.left)}
        return found
