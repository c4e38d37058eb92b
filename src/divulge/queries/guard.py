"""The guard: decides about one query after the other, from the policy, the table and what was answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from divulge.queries.answers import NoValue, answers_of
from divulge.queries.controls import (
    Bits,
    Family,
    QueryRefusal,
    audited,
    refused_overlap,
    refused_size,
    with_query,
)
from divulge.queries.decision import Answered, Decision, QueryAnswer
from divulge.queries.dependence import Audit
from divulge.queries.margins import require_solver
from divulge.queries.policy import Differencing, QueryPolicy
from divulge.queries.query import Query
from divulge.queries.span import QuerySpan
from divulge.queries.sql import Vocabulary, parse, require_parser
from divulge.queries.table import Flags, GuardedTable, TableChanged

ATTEMPTS = 5  # to read a table while nobody writes to it


@dataclass(frozen=True, eq=False)
class GuardState:
    """What has been answered, as far as decisions depend on it; never changed, only followed by another."""

    answers: Mapping[str, QueryAnswer] = field(default_factory=dict)  # by canonical text
    families: Mapping[str, Family] = field(default_factory=dict)  # by what is audited together
    sets: tuple[Bits, ...] = ()  # query sets, for the control of overlap
    spending: Mapping[str, Decimal] = field(default_factory=dict)  # epsilon by analyst

    @property
    def answered(self) -> int:
        """How many different queries were answered."""
        return len(self.answers)

    @property
    def spent(self) -> Decimal:
        """The epsilon of all analysts together."""
        return sum(self.spending.values(), Decimal(0))

    def spent_by(self, asked_by: str) -> Decimal:
        """The epsilon of one analyst."""
        return self.spending.get(asked_by, Decimal(0))


class QueryGuard:
    """Decides about queries on one table; what it knows of the past is in the state it is given."""

    def __init__(
        self, policy: QueryPolicy, table: GuardedTable, *, secret: bytes, fingerprint: str | None = None
    ) -> None:
        """``secret`` decides answers by cell key; ``fingerprint`` is what the table was known as at first."""
        if len(secret) < 16:
            raise ValueError("a secret has at least 16 bytes")
        require_parser()
        if policy.controls.differencing is not None and policy.controls.differencing.margin:
            require_solver()  # now, since others would wait while a first query is decided
        self._policy, self._table = policy, table
        self._changed = fingerprint is not None and not table.is_known_as(fingerprint)
        self._answers = answers_of(policy, table, secret)
        self._people: dict[str | None, int] = {None: table.people}
        for name, column in table.sums.items():
            self._people[name] = table.people_in(column.present)  # a sum is of those who have a value
        kinds = {name: table.kinds[name] for name in policy.conditions}
        self._names = Vocabulary(policy.table.name, kinds, frozenset(policy.summed))

    def parse(self, text: str) -> Query:
        """The query that a text asks; QueryError, a sentence, where it is not one that is answered."""
        return parse(text, self._names)

    def replay(self, answered: Iterable[Answered], state: GuardState | None = None) -> GuardState:
        """The state after queries that were answered, oldest first, from a state on where one is given.

        A table that has changed is not asked again: every query about it is refused.
        """
        entries, begun = list(answered), state or GuardState()
        for _ in range(ATTEMPTS):
            found, read = begun, False
            for entry in entries:
                query = parse(entry.text, self._names, canonical=True)
                if query.text not in found.answers and self._remembers(query) and not self._changed:
                    found, read = self._replayed(found, query), True
                found = _with_answer(found, entry)
            if not read or not self._table.check_unchanged():
                return found
        raise self._table.written_to()

    def _replayed(self, state: GuardState, query: Query) -> GuardState:
        members = self._members(query)
        families: dict[str, Family] = {}
        for audit in self._audits_of(query):
            family, factors = self._family(state, audit), audit.factors[query.column or ""]
            # What could not be audited closes the family: nothing more is answered in it.
            closed = replace(family, span=replace(family.span, determined=True))
            grown = with_query(family, members, self._scaled(query, members), factors)
            families[audit.name] = grown or closed
        return self._remembering(state, query, members, families)

    def decide(self, query: Query, asked_by: str, state: GuardState) -> Decision:
        """Whether a query is answered, and what with; nothing is changed.

        Without differential privacy the same question in the same state has the same decision.
        """
        try:
            if self._changed:
                raise TableChanged("The table is not the one that earlier answers are about.")
            if query.text in state.answers:
                self._table.check_unchanged()
                left = self._left(asked_by, state)
                given = state.answers[query.text]
                return Decision(
                    query, asked_by, "answered", given, left=left, repeated=True, next_state=state
                )
            return self._decide(query, asked_by, state)
        except TableChanged as error:
            hint = "Earlier answers are about the table as it was: begin a new log for the new table."
            refusal = QueryRefusal("changed table", error.message, error.hint or hint)
            return self._refused(query, asked_by, state, refusal)

    def after(self, state: GuardState, decision: Decision) -> GuardState:
        """The state after a decision that the log has."""
        return decision.next_state if isinstance(decision.next_state, GuardState) else state

    def equations(self, state: GuardState) -> int:
        """Independent equations that were answered; of audits of the same columns, by that of most parts."""
        found, counted = 0, set[str]()
        for audit in sorted(self._table.audits, key=lambda one: -one.parts):
            if audit.name in state.families and not counted & {*audit.columns}:
                found += len(state.families[audit.name].span.rows)
                counted |= {*audit.columns}
        return found

    def _decide(self, query: Query, asked_by: str, state: GuardState) -> Decision:
        spent = self._policy.answers.epsilon
        over = self._over_budget(asked_by, state, spent)
        if over is not None:
            return self._refused(query, asked_by, state, over)
        members = self._members_now(query)
        refusal = refused_size(self._policy, self._table.people_in(members), self._people[query.column])
        if refusal is None and query.column is not None:
            refusal = refused_overlap(self._policy, np.packbits(members), state.sets)
        if refusal is not None:
            return self._refused(query, asked_by, state, refusal)
        families: dict[str, Family] = {}
        rule = self._policy.controls.differencing or Differencing()
        for audit in self._audits_of(query):
            family, factors = self._family(state, audit), audit.factors[query.column or ""]
            grown = audited(rule, family, members, self._scaled(query, members), factors)
            if isinstance(grown, QueryRefusal):
                return self._refused(query, asked_by, state, grown)
            families[audit.name] = grown
        try:
            answer = self._answers.answer(query, members)
        except NoValue:
            why = QueryRefusal(
                "no value", "No record that meets the conditions has a value.", "Ask about others."
            )
            return self._refused(query, asked_by, state, why)
        entry = Answered(query.text, asked_by, answer, spent)
        following = _with_answer(self._remembering(state, query, members, families), entry)
        left = self._left(asked_by, following)
        return Decision(query, asked_by, "answered", answer, spent=spent, left=left, next_state=following)

    def _members_now(self, query: Query) -> Flags:
        """Who meets the conditions in the table that answers are about, not in what it was meanwhile."""
        for _ in range(ATTEMPTS):
            members = self._members(query)
            if not self._table.check_unchanged():
                return members
        raise self._table.written_to()

    def _members(self, query: Query) -> Flags:
        """Who meets the conditions, and has a value where that is taken to be known."""
        members = self._table.members(query.condition)
        if query.column is not None and self._policy.answers.kind != "differential privacy":
            members &= self._table.sums[query.column].present
        return members

    def _remembers(self, query: Query) -> bool:
        controls = self._policy.controls
        return query.column is not None and not (controls.overlap is None and controls.differencing is None)

    def _remembering(
        self, state: GuardState, query: Query, members: Flags, families: Mapping[str, Family]
    ) -> GuardState:
        """The state with the query's set in it."""
        sets = state.sets
        if self._policy.controls.overlap is not None and query.column is not None:
            sets = (*sets, np.packbits(members))
        return replace(state, sets=sets, families={**state.families, **families})

    def _audits_of(self, query: Query) -> list[Audit]:
        """In which audits the column of a query is."""
        if self._policy.controls.differencing is None:
            return []
        return [audit for audit in self._table.audits if query.column in audit.columns]

    def _family(self, state: GuardState, audit: Audit) -> Family:
        """The earlier queries that are audited together."""
        table = self._table
        return state.families.get(audit.name) or Family(
            QuerySpan.empty(table.records, table.persons, audit.kinds, audit.parts)
        )

    def _scaled(self, query: Query, members: Flags) -> Fraction:
        """The sum, if every value is moved and scaled from its bounds to 0 and 1."""
        assert query.column is not None
        bounds = self._policy.columns[query.column].bounds
        assert bounds is not None
        low, high = map(Fraction, bounds)
        total = self._table.sums[query.column].total(members)
        return (total - int(np.count_nonzero(members)) * low) / (high - low)

    def _over_budget(self, asked_by: str, state: GuardState, spent: Decimal) -> QueryRefusal | None:
        rule = self._policy.answers
        if rule.kind != "differential privacy":
            return None
        if state.spent_by(asked_by) + spent > rule.budget:
            left = rule.budget - state.spent_by(asked_by)
            return QueryRefusal(
                "budget",
                f"An answer costs an epsilon of {spent}, and {left} of your {rule.budget} is left.",
                "Queries that were answered before are answered again at no cost.",
            )
        if rule.total is not None and state.spent + spent > rule.total:
            return QueryRefusal(
                "budget",
                f"An answer costs an epsilon of {spent}, and {rule.total - state.spent} of the {rule.total} "
                "for all analysts is left.",
                "Queries that were answered before are answered again at no cost.",
            )
        return None

    def _left(self, asked_by: str, state: GuardState) -> Decimal | None:
        if self._policy.answers.kind != "differential privacy":
            return None
        return self._policy.answers.budget - state.spent_by(asked_by)

    def _refused(self, query: Query, asked_by: str, state: GuardState, why: QueryRefusal) -> Decision:
        left = self._left(asked_by, state)
        said = {"control": why.control, "reason": why.reason, "hint": why.hint, "from_data": why.from_data}
        return Decision(query, asked_by, "refused", left=left, next_state=state, **said)  # type: ignore[arg-type]


def _with_answer(state: GuardState, entry: Answered) -> GuardState:
    spending = {**state.spending}
    if entry.spent:
        spending[entry.asked_by] = state.spent_by(entry.asked_by) + entry.spent
    answers = state.answers if entry.text in state.answers else {**state.answers, entry.text: entry.answer}
    return replace(state, answers=answers, spending=spending)
