"""What a service has answered of a guarded table, judged from its log by counting everything anew."""

from __future__ import annotations

from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any

import numpy as np

from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.chain import Entry
from divulge.service.ledger.log_writer import entries_of
from divulge.service.operations.logs import Log
from service.queries_scene import CLINIC, chosen, patients


def faults(decider: DecisionService, answers: dict[str, dict[str, Any]], budget: Decimal | None) -> list[str]:
    """Everything that should not be: answers that no entry has, budgets overspent, people determined."""
    entries = decider.database.read(lambda connection: entries_of(connection, CLINIC))
    log = Log(CLINIC, entries, decider.secrets.digest)
    signed = sorted(decider.anchors.kept(CLINIC), key=lambda one: one.count)
    broken = log.fault or log.against(signed)
    if broken is not None:
        return [broken.sentence]
    told = [entry for entry in entries if entry.kind == "query"]
    found = [*_given(told, answers), *_spent(told, budget)]
    repeats = Counter(one.fields["repeat"] for one in told)
    if repeats and max(repeats.values()) > 1:
        found.append("A query was decided twice.")
    return found + (["The answers determine somebody."] if budget is None and determined(told) else [])


def _given(entries: list[Entry], answers: dict[str, dict[str, Any]]) -> list[str]:
    """Answers that are not those of the log."""
    logged = {one.index: one for one in entries}
    found = []
    for key, answer in answers.items():
        entry = logged.get(answer["index"])
        if entry is None or entry.hash != answer["hash"]:
            found.append(f"The entry of the answer under {key} is lost.")
        elif (entry.fields["verdict"], entry.fields.get("answer")) != (
            answer["decision"],
            answer.get("answer"),
        ):
            found.append(f"The answer under {key} is not what its entry says.")
    return found


def _spent(entries: list[Entry], budget: Decimal | None) -> list[str]:
    spent: dict[str, Decimal] = defaultdict(Decimal)
    for one in entries:
        spent[one.fields["analyst"]] += Decimal(one.fields.get("spent", "0"))
    over = budget is not None and any(one > budget for one in spent.values())
    return ["An analyst has spent more than the budget."] if over else []


def determined(entries: list[Entry]) -> bool:
    """Whether the sums that were answered together determine the value of one patient, by plain algebra."""
    texts = {one.fields["query"] for one in entries if one.fields["verdict"] == "answered"}
    rows = [chosen(text) for text in sorted(texts)]
    if not rows:
        return False
    matrix = np.array(rows, float)
    rank = np.linalg.matrix_rank(matrix)
    wanted = np.eye(len(patients()))
    return any(np.linalg.matrix_rank(np.vstack([matrix, one])) == rank for one in wanted)
