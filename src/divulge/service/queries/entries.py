"""What a log says of a guarded table: the entry with which it begins, and one for every query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

from divulge.queries.decision import Answered, Decision
from divulge.service.identities.persons import folded
from divulge.service.ledger.chain import Entry, digest

GUARDED, QUERY = "table guarded", "query"  # kinds of entries
ANSWERED, REFUSED = "answered", "refused"
FORM = "form"  # why a query is refused that is none of those that may be asked
CHANGED = "changed table"  # why all are, once the table is not the one that was guarded
PASSED, REPEATED = "passed", "repeated"  # why one is answered
CHECKER = "divulge.queries 2"  # named in every entry, and raised when decisions could change


class AskedQuery(NamedTuple):
    """A query as it came, by keyed digests of who asks: the log has no name of an analyst."""

    text: str
    analyst: str
    repeat: str  # of the analyst and the idempotency key
    asked: str  # of the text
    by_key: str | None = None  # with which it is asked
    own: str = ""  # the analyst by the name that was shown, which may be another one of the same person

    @classmethod
    def of(
        cls,
        key: bytes,
        table: str,
        text: str,
        person: str,
        idempotency: str,
        by_key: str | None = None,
        counted_as: str | None = None,
    ) -> AskedQuery:
        """``counted_as`` is the name under which a person's budget is kept, if it is another one."""
        analyst, own = (analyst_digest(key, table, one) for one in (counted_as or person, person))
        repeat = digest(key, "a query's repeat", folded(person), idempotency)
        return cls(text, analyst, repeat, digest(key, "a query", table, text), by_key, own)


def analyst_digest(key: bytes, table: str, person: str) -> str:
    """What stands for a person in the log of a table: all their keys spend one budget."""
    return digest(key, "an analyst", table, folded(person))


def table_digest(key: bytes, row: Iterable[object]) -> str:
    """How a guarded table is described: where it is, what it looked like, what queries are held to."""
    return digest(key, "a guarded table", *row)


def outcome_of(decision: Decision) -> dict[str, Any]:
    """What the log says of how a query was decided."""
    spent = {} if decision.left is None else {"spent": str(decision.spent), "left": str(decision.left)}
    told = {"query": decision.query.text, **spent}
    if decision.answer is None:
        said = {"message": decision.reason, "hint": decision.hint}
        return {**told, "verdict": REFUSED, "reason": decision.control, **said}
    reason = REPEATED if decision.repeated else PASSED
    return {**told, "verdict": ANSWERED, "reason": reason, "answer": decision.answer.document()}


def entry_of(asked: AskedQuery, decision: Decision | None, policy: str, span: int | None) -> dict[str, Any]:
    """What the log says of a query; of one that has none of the forms that may be asked, not its text.

    ``span`` is how many independent equations are outside with it.
    """
    told: dict[str, Any] = {"analyst": asked.analyst, "repeat": asked.repeat, "asked": asked.asked}
    told |= {"policy": policy, "checker": CHECKER, **({} if span is None else {"span": span})}
    return {**told, **({"verdict": REFUSED, "reason": FORM} if decision is None else outcome_of(decision))}


def answered_in(entry: Entry) -> Answered | None:
    """What an entry adds to what is known outside; None where nothing is new."""
    told = entry.fields if entry.kind == QUERY else {}
    if told.get("reason") != PASSED:
        return None
    known = {"query": told["query"], "asked_by": told["analyst"], "answer": told["answer"]}
    return Answered.of({**known, "spent": told.get("spent", "0")})


def told_of(entry: Entry) -> dict[str, Any]:
    """What an analyst is told: everything that the entry says of the query, nothing of who asked."""
    told = entry.fields
    names = ("reason", "query", "answer", "message", "hint", "spent", "left")
    known = {name: told[name] for name in names if told.get(name) is not None}
    return {"decision": told["verdict"], **known, "index": entry.index, "hash": entry.hash}


@dataclass(frozen=True)
class QueryTally:
    """What was answered, refused and spent, by analyst, as a log adds up."""

    answered: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)  # by analyst and reason
    spent: dict[str, Decimal] = field(default_factory=dict)
    records: int = field(default=0, repr=False)  # of the table
    span: int | None = None  # independent equations that are outside; None where that is not audited

    def after(self, entries: Iterable[Entry]) -> QueryTally:
        """The tally with some more entries."""
        found = replace(
            self, answered=Counter(self.answered), refused=Counter(self.refused), spent=dict(self.spent)
        )
        for entry in entries:
            told = entry.fields
            if entry.kind == QUERY:
                found._add(told)
                found = replace(found, span=told.get("span"))
            elif entry.kind == GUARDED:
                found = replace(found, records=told["records"])
        return found

    def _add(self, told: dict[str, Any]) -> None:
        analyst = told["analyst"]
        if told["verdict"] == REFUSED:
            self.refused[analyst, told["reason"]] += 1
            return
        self.answered[analyst] += 1
        self.spent[analyst] = self.spent.get(analyst, Decimal(0)) + Decimal(told.get("spent", "0"))

    @property
    def analysts(self) -> list[str]:
        return sorted({*self.answered, *(analyst for analyst, _ in self.refused)})

    def refused_by_reason(self, analyst: str | None = None) -> dict[str, int]:
        """How often each reason was given, to one analyst or to all."""
        found = Counter[str]()
        for (whose, reason), number in self.refused.items():
            found[reason] += number if analyst in (None, whose) else 0
        return {reason: number for reason, number in sorted(found.items()) if number}
