"""Synthetic numbers in the unit of the original ones, where they were released in another.

Nobody knows which records belong together, so it is the spread of a column that shows its unit: how its
quantiles lie beside those of the people it is about. An attacker who knows what incomes are sees thousands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.attacks.record_linkage.coordinates import are_numbers
from divulge.questions.data import Data
from divulge.table.codes import Codes

Floats = npt.NDArray[np.float64]
PARTS = np.linspace(0.02, 0.98, 97)
FEWEST = 20  # values, below which quantiles show nothing
SAME = 1e-6  # of the spread of the originals, that numbers may be apart and still be the same
APART = 2.0  # times as wide or as narrow, or as far away as they are wide: another unit
ELSEWHERE = 0.25  # of the variance, that squares of differences between quantiles are on average
ALIKE = 0.98  # of the variance of quantiles, explained by those in another unit
RELATED = 0.02  # sum of products of correlations, from which on these say which way round numbers go
ROUND = 0.03  # by which a factor may be off and still be the round one: quantiles of samples differ


def in_one_unit(
    original: Data, synthetic: Data, control: Data, attributes: Sequence[str]
) -> tuple[Data, list[str]]:
    """The synthetic data with numbers in the unit of the original, and which attributes were changed."""
    changed = list[str]()
    tables = (original, synthetic, control)
    numeric = [name for name in attributes if all(are_numbers(one, name) for one in tables)]
    for name in numeric:
        made, used, others = (one.numbers(name) for one in (synthetic, original, control))
        turned = _turned(original, synthetic, name, numeric)
        found = _in_unit(-made if turned else made, used, np.concatenate([used, others]), turned=turned)
        if found is not None:
            synthetic = synthetic.replacing(name, Codes.of([_plain(one) for one in found.tolist()]))
            changed.append(name)
    return synthetic, changed


def _turned(original: Data, synthetic: Data, name: str, numeric: Sequence[str]) -> bool:
    """Whether high numbers were made of low ones: by how they go with others, or lie among themselves."""
    made, used = synthetic.numbers(name), original.numbers(name)
    if _exact(-made, used) and not _exact(made, used):
        return True
    if not _elsewhere(made, used):
        return False
    agree = 0.0
    for other in numeric:
        beside = original.numbers(other), synthetic.numbers(other)
        if other != name and not _elsewhere(*beside):
            agree += _related(used, beside[0]) * _related(made, beside[1])
    if abs(agree) >= RELATED:
        return agree < 0
    here, there = (_quantiles(one[np.isfinite(one)]) for one in (made, used))
    return _another(here, there) and _left(-here[::-1], there) < _left(here, there) / 2


def _exact(made: Floats, used: Floats) -> bool:
    """Whether a factor and a shift make all quantiles those of the originals."""
    theirs, ours = (one[np.isfinite(one)] for one in (made, used))
    if min(len(theirs), len(ours)) < FEWEST or not theirs.std() or not ours.std():
        return False
    here, there = _quantiles(theirs), _quantiles(ours)
    factor, shift = _fitted(here, there)
    return bool(np.abs(factor * here + shift - there).max() <= SAME * float(ours.std()))


def _elsewhere(one: Floats, other: Floats) -> bool:
    """Whether values do not lie where those of another column do."""
    here, there = (side[np.isfinite(side)] for side in (one, other))
    if min(len(here), len(there)) < FEWEST:
        return False
    apart = float(((_quantiles(here) - _quantiles(there)) ** 2).mean())
    return apart > ELSEWHERE * min(float(here.var()), float(there.var()))


def _related(one: Floats, other: Floats) -> float:
    known = np.isfinite(one) & np.isfinite(other)
    if known.sum() < FEWEST or not one[known].std() or not other[known].std():
        return 0.0
    return float(np.corrcoef(one[known], other[known])[0, 1])


def _left(here: Floats, there: Floats) -> float:
    """The mean square that is left over by the best factor and shift."""
    factor, shift = _fitted(here, there)
    return float(((factor * here + shift - there) ** 2).mean())


def _in_unit(made: Floats, used: Floats, people: Floats, *, turned: bool) -> Floats | None:
    """The numbers in the unit of the people; None where they are in it."""
    ours, all_of_them, theirs = (one[np.isfinite(one)] for one in (used, people, made))
    if min(map(len, (ours, theirs))) < FEWEST or not ours.std() or not theirs.std():
        return None
    spread = float(ours.std())
    if _exact(theirs, ours):
        factor, shift = _fitted(_quantiles(theirs), _quantiles(ours))
        if not turned and abs(factor - 1) <= SAME and abs(shift) <= SAME * spread:
            return None
        return _snapped(factor * made + shift, all_of_them, spread)
    here, there = _quantiles(theirs), _quantiles(all_of_them)
    if not turned and not _another(here, there):
        return None
    factor, shift = _round(here, there)
    left = float(((factor * here + shift - there) ** 2).mean() / there.var())
    if left <= 1 - ALIKE:
        return _snapped(factor * made + shift, all_of_them, spread)
    return _by_rank(made, all_of_them)


def _quantiles(numbers: Floats) -> Floats:
    return np.asarray(np.quantile(numbers, PARTS, method="inverted_cdf"), np.float64)


def _fitted(here: Floats, there: Floats) -> tuple[float, float]:
    """The best factor and shift from one to the other."""
    if not here.std():
        return 0.0, float(there.mean())
    factor = float(np.cov(here, there, bias=True)[0, 1] / here.var())
    return factor, float(there.mean() - factor * here.mean())


def _another(here: Floats, there: Floats) -> bool:
    """Whether numbers spread far more or less than the people's, or lie elsewhere."""
    width, other = float(np.ptp(here)), float(np.ptp(there))
    if not width or not other:
        return False
    far = abs(float(np.median(here) - np.median(there))) > max(width, other)
    return far or max(width / other, other / width) > APART


def _round(here: Floats, there: Floats) -> tuple[float, float]:
    """A change of unit: a round factor alone where that fits, and otherwise factor and shift as they are."""
    factor = float(np.median(there) / np.median(here)) if np.median(here) else 0.0
    for digits in (1, 2) if factor > 0 else ():
        for one, back in ((factor, False), (1 / factor, True)):
            near = float(f"{one:.{digits - 1}e}")
            if abs(near / one - 1) <= ROUND:
                found = 1 / near if back else near
                if float(((found * here - there) ** 2).mean()) <= (1 - ALIKE) * float(there.var()):
                    return found, 0.0
    return _fitted(here, there)


def _snapped(numbers: Floats, people: Floats, spread: float) -> Floats:
    """Numbers that are those of people but for rounding, as they are spelled there."""
    known = np.unique(people)
    place = np.clip(np.searchsorted(known, numbers), 1, max(len(known) - 1, 1))
    low, high = known[place - 1], known[np.minimum(place, len(known) - 1)]
    near = np.where(numbers - low <= high - numbers, low, high)
    return np.where(np.abs(near - numbers) <= SAME * spread, near, numbers)


def _by_rank(numbers: Floats, people: Floats) -> Floats:
    """Numbers of which only the order is known, as those of the people in the same places."""
    known = np.sort(numbers[np.isfinite(numbers)])
    low, high = (np.searchsorted(known, numbers, side) for side in ("left", "right"))
    found = np.quantile(people, np.clip((low + high) / 2 / len(known), 0, 1), method="inverted_cdf")
    return np.where(np.isfinite(numbers), found, np.nan)


def _plain(number: float) -> float | int | None:
    if not np.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
