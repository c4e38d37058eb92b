"""What proposed rules would do to a dataset, before anybody approves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.safe_release.decision import stuck
from divulge.safe_release.state import Guard, State
from divulge.service.decisions.held_state.held import Held
from divulge.service.store.connection import Transaction

MOST_TICKETS = 1000  # that are named


def dry_run(connection: Transaction, dataset: str, held: Held, guard: Guard) -> dict[str, Any]:
    """Who of those waiting would leave if a guard on the same domain were in force, and what would be stuck.

    Nothing is written. Those waiting are tried in the order in which they came, and again after each release.
    """
    state = guard.state(held.state.counts)
    sql = """SELECT record, MIN(arrived), x, y FROM request WHERE dataset = ? AND status = 'waiting'
        GROUP BY record, x, y ORDER BY 2"""
    waiting = connection.rows(sql, (dataset,))
    cells = np.array([(x, y) for _, _, x, y in waiting], np.int64).reshape(-1, 2)
    possible = np.flatnonzero(~state.never()[cells[:, 0], cells[:, 1]])
    asked = cells[possible, 0] * guard.domain.shape[1] + cells[possible, 1]
    left = possible[state.run(asked)]
    tickets = "SELECT ticket FROM request WHERE dataset = ? AND record = ? AND status = 'waiting'"
    named = connection.several([(tickets, (dataset, waiting[place][0])) for place in left[:MOST_TICKETS]])
    counts = held.state.counts.copy()
    np.add.at(counts, (cells[left, 0], cells[left, 1]), 1)
    return {
        "waiting": len(waiting),
        "would_leave": len(left),
        "tickets": [ticket for rows in named for (ticket,) in rows],
        "within_limits": state.safe,
        "warnings": guard.rules.warnings,
        **stuck_summary(guard.state(counts)),
    }


def stuck_summary(state: State) -> dict[str, int]:
    """Of how many targets no record could leave, whatever its value, and how many there are."""
    found = stuck(state)
    expected = [int((part.baseline.target_shares > 0).sum()) for part in state.guard.parts]
    return {"stuck_targets": sum(int(one.sum()) for one in found), "expected_targets": sum(expected)}
