"""A dataset as it stood at one entry of its log: what is outside, and who waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.release import NEVER
from divulge.safe_release import State
from divulge.service.decisions.logged.content_digests import cell_sum
from divulge.service.decisions.policies import PolicyVersion
from divulge.service.ledger.log_writer import Head
from divulge.service.store.connection import Row, Transaction

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Held:
    """A dataset as it stood at one entry of its log: kept between transactions, checked before it is used."""

    head: Head
    policy: PolicyVersion
    state: State
    total: int  # the sum over all cells, whose digest is in the log
    heads: IntArray  # the first arrival of each cell
    waiting: int  # requests
    blocked: BoolArray  # cells that cannot leave until their target changes, as far as is known
    outside: str | None = None  # how entries spell what is outside, where one has

    @classmethod
    def read(
        cls, connection: Transaction, dataset: str, head: Head, policy: PolicyVersion, key: bytes
    ) -> Held:
        """The dataset as the database has it."""
        return HeldRows.read(connection, dataset, head, policy).held(dataset, key)


class HeldRows(NamedTuple):
    """What the database has of it, read at one moment; to make something of it needs no transaction."""

    head: Head
    policy: PolicyVersion
    cells: Sequence[Row]  # with how many are outside
    lines: Sequence[Row]  # cells in which somebody waits: since when, and how many

    @classmethod
    def read(cls, connection: Transaction, dataset: str, head: Head, policy: PolicyVersion) -> HeldRows:
        cells = "SELECT x, y, released FROM cell WHERE dataset = ? AND released <> 0"
        lines = """SELECT x, y, MIN(arrived), COUNT(*) FROM request
            WHERE dataset = ? AND status = 'waiting' GROUP BY x, y"""
        return cls(head, policy, *connection.several([(cells, (dataset,)), (lines, (dataset,))]))

    def held(self, dataset: str, key: bytes) -> Held:
        """The dataset as these rows say, held to its policy."""
        guard = self.policy.guard
        counts = np.zeros(guard.domain.shape, np.int64)
        for x, y, released in self.cells:
            counts[x, y] = released
        heads = np.full(counts.shape, NEVER)
        for x, y, arrived, _ in self.lines:
            heads[x, y] = arrived
        waiting = sum(requests for *_, requests in self.lines)
        state, total = guard.state(counts), cell_sum(key, dataset, counts)
        return Held(self.head, self.policy, state, total, heads, waiting, state.never())
