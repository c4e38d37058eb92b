"""Special uniques as a document sums them up, so that no count that is hidden follows from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import FEW, SMALL, exact_counts_asked, hidden, hidden_part, to_tens
from divulge._support.threads import cached_property
from divulge.uniques.minimal_uniques import MinimalUniques
from divulge.uniques.sample import Sample
from divulge.uniques.special_scores import (
    Scale,
    SpecialScores,
    ValueContribution,
    records_by_size,
    value_contributions,
)

MOST_VALUES = 20  # values whose contribution is listed
FREE_RECORDS = 5  # records whose scores a rounded share has to leave open
STEPS = (0.01, 0.02, 0.05, 0.1)  # to which shares are rounded
SUMS_TELL = "shares and sums of scores are not shown, because a small number could be computed from them"


def not_scored(largest: int) -> str:
    """Why records that are unique have no score."""
    attributes = "attribute" if largest == 1 else "attributes"
    return (
        f"sets of more than {largest} {attributes} were not searched, and some unique records have no score"
    )


@dataclass(frozen=True, eq=False)
class SpecialSummary:
    """Records with a minimal set of attributes, what contributes to their scores, and who has no score."""

    sample: Sample
    minimal: MinimalUniques
    scores: SpecialScores
    scale: Scale = "published"

    @property
    def unscored(self) -> npt.NDArray[np.bool_]:
        """Units that are unique, though by no set that was searched: their score is not 0, but not known."""
        return np.asarray((self.sample.sizes == 1) & (np.diff(self.minimal.start) == 0), np.bool_)

    @cached_property
    def by_size(self) -> list[list[int | str]]:
        """Records by attribute and size of the minimal set; beside a count that is hidden, others in tens."""
        table = records_by_size(self.minimal)
        said = iter(_in_tens_beside_few(table.ravel().tolist(), self.scores.records))
        return [[next(said) for _ in row] for row in table]

    @property
    def hides(self) -> bool:
        """Whether some count by size is hidden, which exact shares and sums of scores could give."""
        return any(isinstance(count, str) for row in self.by_size for count in row)

    @property
    def step(self) -> float | None:
        """To what shares are rounded beside a hidden count; 0 beside none, None where no step hides it.

        Half of it is at least what five records of the largest score have of all scores: with these or
        without them, a rounded share can be the same. Only numbers as they are printed decide it.
        """
        if not self.hides:
            return 0.0
        held, total = FREE_RECORDS * float(self.scores.score.max()), float(self.scores.score.sum())
        return next((step for step in STEPS if held <= _rounded_sum(total, step) * step / 2), None)

    def to_dict(self, *, shows_values: bool, exact: bool = True) -> dict[str, Any]:
        """The part of a document about special uniques.

        Shares and sums of scores are ``exact``, as readings of a whole table are. In a document that is
        passed on they are rounded, or left out, where a count that is hidden could follow from them.
        """
        scores = self.scores
        some = scores.records >= (1 if exact_counts_asked() else SMALL)
        step = (0.0 if exact else self.step) if some else None
        missing = bool(self.unscored.any())
        reasons = [SUMS_TELL] * (some and step is None) + [not_scored(self.minimal.largest)] * missing
        listed = some and not (self.hides and self._follows())
        return {
            "largest": self.minimal.largest,
            "scores": self.scale,
            "records": self._records(),
            "unscored": self._unscored(),
            "undefined": "; ".join(reasons) or None,
            "score_sum": None if step is None else _rounded_sum(float(scores.score.sum()), step),
            "score_max": None if step is None else float(scores.score.max()),
            "dis_max": None if step is None or missing else to_step(float(scores.dis.max()), step),
            "by_attribute": {
                name: None if step is None else to_step(share, step)
                for name, share in zip(self.sample.keys, scores.by_attribute.tolist(), strict=True)
            },
            "by_size": {
                name: list(row) if listed else [None] * len(row)
                for name, row in zip(self.sample.keys, self.by_size, strict=True)
            },
            **self._by_value(shows_values, step),
        }

    def _follows(self) -> bool:
        """Whether hidden counts by size can follow from the number of records: few, or no count is large."""
        cells = [count for row in self.by_size for count in row if count]
        return self.scores.records < 2 * SMALL or all(count == FEW for count in cells)

    def _records(self) -> int | str:
        """Records with a score; all but a few of those that are unique are not said either."""
        count, unique = self.scores.records, int((self.sample.sizes == 1).sum())
        said = hidden(count, of=self.sample.units)
        return said if isinstance(said, str) else hidden_part(count, of=unique)

    def _unscored(self) -> int | str:
        count = int(self.unscored.sum())
        said = hidden(count)
        return said if isinstance(said, str) or not count or exact_counts_asked() else to_tens(count)

    def _by_value(self, shows_values: bool, step: float | None) -> dict[str, Any]:
        every = value_contributions(self.minimal, self.sample.columns, self.sample.keys, self.scale)
        counts = dict[int, int | str]()
        for name in self.sample.keys:
            places = [place for place, one in enumerate(every) if one.attribute == name]
            found = _in_tens_beside_few([every[place].records for place in places], self.sample.units)
            counts |= zip(places, found, strict=True)
        return {
            "by_value": [
                {
                    "attribute": one.attribute,
                    "value": self._value(one) if shows_values else None,
                    "share": None if step is None or counts[place] == FEW else to_step(one.share, step),
                    "records": counts[place],
                }
                for place, one in enumerate(every[:MOST_VALUES])
            ],
            "more_values": len(every[MOST_VALUES:]),
        }

    def _value(self, one: ValueContribution) -> str:
        value = self.sample.columns[self.sample.keys.index(one.attribute)].value(one.code)
        return "missing" if value is None else str(value)


def to_step(share: float, step: float) -> float:
    """A share to the nearest multiple of a step; what is neither nothing nor all is not rounded to it.

    >>> to_step(0.434, 0.05), to_step(0.002, 0.05), to_step(0.98, 0.1), to_step(0.434, 0)
    (0.45, 0.05, 0.9, 0.434)
    """
    if not step or share in (0, 1):
        return share
    return round(min(max(round(share / step), 1), round(1 / step) - 1) * step, 2)


def _rounded_sum(total: float, step: float) -> float:
    """A sum to as many digits as leave half a step of it open: two for hundredths, otherwise one."""
    return float(f"{total:.{2 if step == STEPS[0] else 1}g}") if step else total


def _in_tens_beside_few(counts: Sequence[int], of: int) -> list[int | str]:
    """Counts that overlap as they may be said: where one is hidden, the others to the nearest ten.

    >>> _in_tens_beside_few([3, 12, 0], of=40), _in_tens_beside_few([7, 12, 0], of=40)
    (['<5', '~10', 0], [7, 12, 0])
    """
    said = [hidden_part(count, of=of) for count in counts]
    if all(isinstance(one, int) for one in said):
        return said
    return [to_tens(one) if isinstance(one, int) and one else one for one in said]
