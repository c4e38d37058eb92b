"""May this record leave? A pure function of what is outside and of the record's cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.release import NEVER
from divulge._support.notebook import table_view
from divulge._support.threads import cached_property
from divulge.safe_release.domain import Cell
from divulge.safe_release.exposure import Exposure
from divulge.safe_release.state import State

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


class Reason(StrEnum):
    """Why a record may be released or not."""

    SAFE = "safe"
    PECULIAR = "peculiar"
    UNKNOWN_VALUE = "unknown value"
    UNKNOWN_TARGET = "unknown target"


SENTENCES = {
    Reason.SAFE: "With this record, the released data do not differ from the baseline by more than chance.",
    Reason.PECULIAR: (
        "With this record, the released data would differ from the baseline by more than chance."
    ),
    Reason.UNKNOWN_VALUE: (
        "This record's value does not occur in the baseline, so its release would be noticeable."
    ),
    Reason.UNKNOWN_TARGET: "The baseline has no such target, so there is nothing to compare it with.",
}


@dataclass(frozen=True, eq=False)
class ReleaseVerdict:
    """Whether a record may be released, why, and the test values with it."""

    released: bool
    reason: Reason
    cell: Cell
    state: State  # what was outside when it was decided
    following: State  # what is outside once the verdict is carried out

    def __repr__(self) -> str:
        return (
            f"Verdict({'released' if self.released else 'waits' if self.waits else 'refused'}: {self.reason})"
        )

    def _repr_html_(self) -> str:
        outcome = "released" if self.released else "waits" if self.waits else "refused"
        return table_view("Release decision", ["outcome", "reason"], [[outcome, self.sentence]])

    @property
    def waits(self) -> bool:
        """Whether the record may leave once others have; what the baseline does not know never may."""
        return self.reason is Reason.PECULIAR

    @property
    def sentence(self) -> str:
        return SENTENCES[self.reason]

    @cached_property
    def exposures(self) -> tuple[Exposure, ...]:
        """For each test the exposure nearest to its limit, had the record left; none for one outside."""
        if self.reason in (Reason.UNKNOWN_VALUE, Reason.UNKNOWN_TARGET):
            return ()
        return (self.following if self.released else self.state.after(self.cell)).worst()


def decide(state: State, record: Cell | Mapping[str, Any]) -> ReleaseVerdict:
    """Whether a record may be released: it may if the released set passes all tests with it.

    A record is its cell, or a mapping from attributes to values. A value that the baseline does not expect
    and a target it does not have are never released.
    """
    cell = record if isinstance(record, Cell) else state.guard.cell(record)
    unknown = state.unknown(cell)
    if unknown is not None:
        reason = Reason.UNKNOWN_TARGET if unknown == "target" else Reason.UNKNOWN_VALUE
        return ReleaseVerdict(False, reason, cell, state, state)
    following = state.joined_by(cell)
    if following is None:
        return ReleaseVerdict(False, Reason.PECULIAR, cell, state, state)
    return ReleaseVerdict(True, Reason.SAFE, cell, state, following)


def typical(state: State, requested: int = 100, draws: int = 10) -> dict[str, float]:
    """How many of the next records could leave, if they are as the baseline expects; a mean over draws."""
    rng = np.random.default_rng(state.guard.rules.seed)
    released = sum(len(state.run(state.guard.drawn(rng, requested))) for _ in range(draws))
    return {"requested": requested, "released": released / draws}


def next_to_leave(state: State, heads: IntArray, blocked: BoolArray | None = None) -> Cell | None:
    """The first waiting request that may be released now, by its cell; None if there is none.

    ``heads`` has the number of the first arrival of each cell, and ``NEVER`` where nobody waits. ``blocked``
    has the cells that need not be tried, and learns those that cannot leave until their target changes.
    """
    found = state.first_to_leave(heads, state.never() if blocked is None else blocked)
    return None if found < 0 else Cell(*divmod(found, heads.shape[1]))


def stuck(state: State) -> list[BoolArray]:
    """By dependency, of which targets that its baseline expects no record could leave, whatever its value."""
    return [
        np.array(
            [
                bool(cells.any()) and next_to_leave(state, np.where(cells, 0, NEVER)) is None
                for cells in targets
            ]
        )
        for targets in state.of_targets()
    ]
