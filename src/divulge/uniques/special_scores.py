"""How special each unique record is: SUDA and DIS scores, and what attributes and values contribute to them.

A record that few attributes make unique is special: it is likely to be unique in the population as well. Each
of its minimal sets counts, and smaller sets count more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb, prod
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError, not_among
from divulge.table.codes import Codes
from divulge.uniques.minimal_uniques import MinimalUniques

Floats = npt.NDArray[np.float64]
Scale = Literal["published", "scaled"]
FRACTION = 0.01  # of the population that is sampled, where nobody said


def named_scale(given: str) -> Scale:
    """A way to weigh minimal sets by its name; anything else is refused."""
    if given not in get_args(Scale):
        words, hint = not_among(given, get_args(Scale), "kind of scores")
        raise ParameterError(words, hint=hint)
    return cast(Scale, given)


@dataclass(frozen=True, eq=False)
class SpecialScores:
    """Scores of every record: 0 where no set of attributes makes it unique."""

    score: Floats
    dis: Floats
    by_attribute: Floats  # share of all scores that sets with the attribute have

    @property
    def records(self) -> int:
        """Records with a score."""
        return int(np.count_nonzero(self.score))


def set_weights(attributes: int, largest: int, scale: Scale = "published") -> list[float]:
    """What a minimal set of each size counts, from size 1 on.

    As Elliot, Manning and Ford (2002) have it: the product of (attributes - i) from the size of the set up to
    the largest size searched; (attributes - size)! where all were. The scaled variant of sdcMicro counts the
    share of larger sets that contain it.

    >>> set_weights(4, 4)
    [6.0, 2.0, 1.0, 1.0]
    >>> set_weights(4, 4, "scaled")
    [1.75, 0.5, 0.25, 0.0]
    """
    sizes = range(1, largest + 1)
    if scale == "scaled":
        return [(2 ** (attributes - size) - 1) / comb(attributes, size) for size in sizes]
    last = min(largest, attributes - 1)
    return [float(prod(attributes - i for i in range(size, last + 1))) for size in sizes]


def special_scores(
    found: MinimalUniques,
    class_sizes: npt.NDArray[np.int64],
    *,
    fraction: float = FRACTION,
    scale: Scale = "published",
) -> SpecialScores:
    """SUDA and DIS scores of every record, from its minimal sets and its class size on all attributes."""
    weight = np.array([0.0, *set_weights(found.attributes, found.largest, scale)])[found.sizes]
    score = np.bincount(found.owner, weights=weight, minlength=found.records).astype(np.float64)
    total = score.sum()
    inside = [(found.sets >> np.uint64(a) & np.uint64(1)).astype(bool) for a in range(found.attributes)]
    by_attribute = np.array([weight[one].sum() for one in inside]) / (total or 1.0)
    return SpecialScores(score, dis_scores(score, class_sizes, found.attributes, fraction), by_attribute)


def dis_scores(
    score: Floats, class_sizes: npt.NDArray[np.int64], attributes: int, fraction: float = FRACTION
) -> Floats:
    """The chance that a match with each unique record is right: DIS, spread over records by their scores.

    Skinner and Elliot's estimate for a unique record at random, U d / (U d + P (1 - d)) with U unique
    records, P records in pairs and the sampled fraction d, is dealt out so that special records get more of
    it.
    """
    unique, pairs = int((class_sizes == 1).sum()), int((class_sizes == 2).sum())
    scored = score > 0
    dis = np.zeros(len(score))
    if not scored.any():
        return dis
    match = unique * fraction / (unique * fraction + pairs * (1 - fraction))
    power = 1 + (8 - attributes) / 20
    spread = score[scored] ** power
    dis[scored] = 1 / (1 + (unique / match - unique) / (spread * (1 / spread).sum()))
    return dis


def _each_once(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The different ones of numbers in order; sets come by record, and those of a record by size."""
    return numbers[np.concatenate([[True], numbers[1:] != numbers[:-1]])] if len(numbers) else numbers


def records_by_size(found: MinimalUniques) -> npt.NDArray[np.int64]:
    """How many records have a minimal set of each size with each attribute: a row for each attribute.

    >>> from divulge.uniques.minimal_uniques import minimal_uniques
    >>> ages, sexes = Codes.of([22, 22, 35]), Codes.of(["f", "m", "m"])
    >>> records_by_size(minimal_uniques([ages, sexes])).tolist()
    [[1, 1], [1, 1]]
    """
    sizes, owner = found.sizes, found.owner
    rows = []
    for attribute in range(found.attributes):
        inside = (found.sets >> np.uint64(attribute) & np.uint64(1)).astype(bool)
        once = _each_once(owner[inside] * (found.largest + 1) + sizes[inside])
        rows.append(np.bincount(once % (found.largest + 1), minlength=found.largest + 1)[1:])
    return np.array(rows, np.int64)


@dataclass(frozen=True)
class ValueContribution:
    """The share of all scores that sets with one value of an attribute have, and on how many records."""

    attribute: str
    code: int
    share: float
    records: int = field(repr=False)


def value_contributions(
    found: MinimalUniques, columns: Sequence[Codes], names: Sequence[str], scale: Scale = "published"
) -> list[ValueContribution]:
    """What each value contributes, largest first."""
    weight = np.array([0.0, *set_weights(found.attributes, found.largest, scale)])[found.sizes]
    total = weight.sum() or 1.0
    contributions = []
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        inside = (found.sets >> np.uint64(place) & np.uint64(1)).astype(bool)
        owner = found.owner[inside]
        shares = (
            np.bincount(column.codes[owner], weights=weight[inside], minlength=column.cardinality) / total
        )
        records = np.bincount(column.codes[_each_once(owner)], minlength=column.cardinality)
        contributions += [
            ValueContribution(name, code, float(shares[code]), int(records[code]))
            for code in np.flatnonzero(records).tolist()
        ]
    return sorted(contributions, key=lambda one: (-one.share, one.attribute, one.code))
