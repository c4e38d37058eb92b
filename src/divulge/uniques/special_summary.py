"""Special uniques as a document sums them up, so that no count that is hidden follows from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import (
    FEW,
    SMALL,
    exact_counts_asked,
    hidden,
    hidden_part,
    to_tens,
    two_digits,
)
from divulge.uniques.minimal_uniques import MinimalUniques
from divulge.uniques.sample import Sample
from divulge.uniques.special_scores import (
    SpecialScores,
    ValueContribution,
    records_by_size,
    value_contributions,
)

MOST_VALUES = 20  # values whose contribution is listed
FREE_RECORDS, FREE_SHARE = 5, 0.005  # records whose scores a share to hundredths has to leave open
SUMS_TELL = "shares and sums of scores would tell how few records a count is about"


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

    @property
    def unscored(self) -> npt.NDArray[np.bool_]:
        """Units that are unique, though by no set that was searched: their score is not 0, but not known."""
        return np.asarray((self.sample.sizes == 1) & (self.scores.score == 0), np.bool_)

    @cached_property
    def by_size(self) -> list[list[int | str]]:
        """Records by attribute and size of the minimal set; beside a count that is hidden, others in tens."""
        table = records_by_size(self.minimal)
        said = iter(_in_tens_beside_few(table.ravel().tolist(), self.scores.records))
        return [[next(said) for _ in row] for row in table]

    @property
    def rounded(self) -> bool:
        """Whether some count is hidden, which exact shares and sums of scores would give."""
        return any(isinstance(count, str) for row in self.by_size for count in row)

    @property
    def tells_few(self) -> bool:
        """Whether even rounded shares would give it: each record is much of all scores."""
        score = self.scores.score
        return self.rounded and FREE_RECORDS * score.max() > FREE_SHARE * score.sum()

    def to_dict(self, *, shows_values: bool) -> dict[str, Any]:
        """The part of a document about special uniques."""
        scores, units = self.scores, self.sample.units
        some = isinstance(hidden(scores.records, of=units), int) and scores.records > 0
        listed = some and not (self.rounded and self._follows())
        said, missing = some and not self.tells_few, bool(self.unscored.any())
        reasons = [SUMS_TELL] * (some and not said) + [not_scored(self.minimal.largest)] * missing
        sums = float(scores.score.sum())
        return {
            "largest": self.minimal.largest,
            "records": self._records(),
            "unscored": self._unscored(),
            "undefined": "; ".join(reasons) or None,
            "score_sum": (float(f"{sums:.2g}") if self.rounded else sums) if said else None,
            "score_max": float(scores.score.max()) if said else None,
            "dis_max": self._rate(float(scores.dis.max())) if said and not missing else None,
            "by_attribute": {
                name: self._rate(share) if said else None
                for name, share in zip(self.sample.keys, scores.by_attribute.tolist(), strict=True)
            },
            "by_size": {
                name: list(row) if listed else [None] * len(row)
                for name, row in zip(self.sample.keys, self.by_size, strict=True)
            },
            **self._by_value(shows_values, said=said),
        }

    def _follows(self) -> bool:
        """Whether hidden counts by size can follow from the number of records: few, or no count is large."""
        cells = [count for row in self.by_size for count in row if count]
        return self.scores.records < 2 * SMALL or all(count == FEW for count in cells)

    def _rate(self, share: float) -> float:
        return two_digits(share) if self.rounded else share

    def _records(self) -> int | str:
        """Records with a score; all but a few of those that are unique are not said either."""
        count, unique = self.scores.records, int((self.sample.sizes == 1).sum())
        said = hidden(count, of=self.sample.units)
        return said if isinstance(said, str) else hidden_part(count, of=unique)

    def _unscored(self) -> int | str:
        count = int(self.unscored.sum())
        said = hidden(count)
        return said if isinstance(said, str) or not count or exact_counts_asked() else to_tens(count)

    def _by_value(self, shows_values: bool, *, said: bool) -> dict[str, Any]:
        every = value_contributions(self.minimal, self.sample.columns, self.sample.keys)
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
                    "share": self._rate(one.share) if said and isinstance(counts[place], int) else None,
                    "records": counts[place],
                }
                for place, one in enumerate(every[:MOST_VALUES])
            ],
            "more_values": len(every[MOST_VALUES:]),
        }

    def _value(self, one: ValueContribution) -> str:
        value = self.sample.columns[self.sample.keys.index(one.attribute)].value(one.code)
        return "missing" if value is None else str(value)


def _in_tens_beside_few(counts: Sequence[int], of: int) -> list[int | str]:
    """Counts that overlap as they may be said: where one is hidden, the others to the nearest ten.

    >>> _in_tens_beside_few([3, 12, 0], of=40), _in_tens_beside_few([7, 12, 0], of=40)
    (['<5', '~10', 0], [7, 12, 0])
    """
    said = [hidden_part(count, of=of) for count in counts]
    if all(isinstance(one, int) for one in said):
        return said
    return [to_tens(one) if isinstance(one, int) and one else one for one in said]
