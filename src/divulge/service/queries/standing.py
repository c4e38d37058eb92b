"""How a guarded table stands, for those who see to it: counts and budgets, no value of any record."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from divulge.service.decisions.keys import KeyRole, all_keys
from divulge.service.queries.entries import analyst_digest
from divulge.service.queries.held_tables import HeldTable
from divulge.service.store.connection import Transaction

SHOWN = 12  # characters of a digest that stand for an analyst


def standing(held: HeldTable, read_only: str | None) -> dict[str, Any]:
    """What was answered, refused and spent, in all and by analyst."""
    tally, policy = held.tally, held.row.policy
    budget = policy.answers.budget if policy.answers.kind == "differential privacy" else None
    refused = tally.refused_by_reason()
    return {
        "dataset": held.row.name,
        "table": policy.table.name,
        "records": tally.records,
        "kind": policy.answers.kind,
        "entries": held.head.entries,
        "hash": held.head.hash,
        "policy": held.row.policy_digest,
        "answered": tally.answered.total(),
        "refused": sum(refused.values()),
        "refused_by_reason": refused,
        "span": tally.span,
        "budget": None if budget is None else float(budget),
        "total_budget": None if policy.answers.total is None else float(policy.answers.total),
        "spent": float(sum(tally.spent.values(), Decimal(0))),
        "analysts": [_analyst(held, analyst, budget) for analyst in tally.analysts],
        "read_only": read_only,
    }


def _analyst(held: HeldTable, analyst: str, budget: Decimal | None) -> dict[str, Any]:
    spent = held.tally.spent.get(analyst, Decimal(0))
    return {
        "analyst": analyst[:SHOWN],
        "answered": held.tally.answered[analyst],
        "refused": sum(held.tally.refused_by_reason(analyst).values()),
        "spent": float(spent),
        "left": None if budget is None else float(max(budget - spent, Decimal(0))),
    }


def persons_of(connection: Transaction, name: str, key: bytes) -> dict[str, str]:
    """Who may be behind the digests of analysts, by the keys that were made; for the operator alone."""
    persons = {one.person or one.id for one in all_keys(connection) if one.role is KeyRole.REQUESTER}
    return {analyst_digest(key, name, person)[:SHOWN]: person for person in sorted(persons)}
