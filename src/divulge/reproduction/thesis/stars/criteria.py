"""The criteria of the star tables as runs: releases that a good measure tells apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from divulge.reproduction.thesis.stars.readings import Columns, StarCase

PEOPLE, GROUP = 48, 12
MARGIN = 0.02  # by which a risk that is there has to read higher than one that is not
SAME = 1e-9
EPSILON = 1.0  # of the mechanism that made every release here
Compare = Callable[[float, float], bool]


@dataclass(frozen=True)
class StarCheck:
    """Pairs of releases, and how their readings have to lie to each other for a star."""

    criterion: str
    asks: str
    pairs: tuple[tuple[StarCase, StarCase], ...]
    compare: Compare


def more(first: float, second: float) -> bool:
    """Whether the first reading is higher beyond doubt."""
    return first > second + MARGIN


def same(first: float, second: float) -> bool:
    return abs(first - second) <= SAME


def no_more(first: float, second: float) -> bool:
    """Whether the first reading is not higher."""
    return first <= second + SAME


def checks(seed: int, merges: int) -> tuple[StarCheck, ...]:
    """A check for each star; groups are merged in so many ways."""
    rng = np.random.default_rng(seed)
    own, grouped = _ages(PEOPLE), _ages(0)
    shares = [_ages(people) for people in (PEOPLE, PEOPLE // 2, GROUP)]
    return (
        StarCheck("Link with re-id", "everyone can be found, or nobody can", ((own, grouped),), more),
        StarCheck("Link with re-id", "more people can be found", tuple(pairwise(shares)), more),
        StarCheck("Granularity", "one attribute alone reveals people", (_by_attribute(),), more),
        StarCheck("Granularity", "attributes do so together only", (_together(),), more),
        StarCheck("Granularity", "people with one value are at risk", (_by_value(),), more),
        StarCheck("Analytical", "renamed values read the same", ((_renamed(_moved()), _moved()),), same),
        StarCheck("Analytical", "merged groups never read higher", tuple(_merged(rng, merges)), no_more),
        StarCheck("Generality", "recoding, and exchanged values", ((own, grouped), _exchanged()), more),
        StarCheck("Generality", "numbers, and names without an order", ((own, grouped), _names()), more),
        StarCheck("Generality", "tables without common values", (_other_values(rng),), more),
        StarCheck("Appl/Scal", "the release alone is enough", ((_alone(own), _alone(grouped)),), more),
    )


def _release(
    released: Mapping[str, Sequence[Any]], original: Mapping[str, Sequence[Any]] | None, *keys: str
) -> StarCase:
    return StarCase(released, original, keys or tuple(released), epsilon=EPSILON)


def _ages(at_risk: int) -> StarCase:
    """People of different ages; those not at risk have the mean age of twelve people."""
    ages = _spread()
    released = [age if person < at_risk else _mean(ages, person) for person, age in enumerate(ages)]
    same_for_all = {"region": [1] * PEOPLE}
    return _release({"age": released, **same_for_all}, {"age": ages, **same_for_all})


def _spread() -> list[float]:
    """Ages that lie ever further apart, so that no two differences are alike."""
    return [round(18 + 0.02 * person + 0.03 * person**2, 2) for person in range(PEOPLE)]


def _mean(ages: Sequence[float], person: int) -> float:
    first = person // GROUP * GROUP
    return round(sum(ages[first : first + GROUP]) / GROUP, 2)


def _by_attribute() -> tuple[StarCase, StarCase]:
    """Ages are released as they are, incomes as the mean of twelve people."""
    ages = _spread()
    region = {"region": [1] * PEOPLE}
    original: Columns = {"age": ages, "income": ages, **region}
    released: Columns = {"age": ages, "income": [_mean(ages, person) for person in range(PEOPLE)], **region}
    return _release(released, original, "age", "region"), _release(released, original, "income", "region")


def _together() -> tuple[StarCase, StarCase]:
    """By age and income together people are unique; by one of them, with the region, they are not."""
    table = {
        "age": [person // GROUP for person in range(PEOPLE)],
        "income": [person % GROUP for person in range(PEOPLE)],
        "region": [1 + person % 2 for person in range(PEOPLE)],
    }
    return _release(table, table, "age", "income", "region"), _release(table, table, "age", "region")


def _by_value() -> tuple[StarCase, StarCase]:
    """People of the first region keep their ages, those of the second do not."""
    ages = _spread()
    half = PEOPLE // 2
    released = [age if person < half else _mean(ages, person) for person, age in enumerate(ages)]
    region = {"region": [1 + (person >= half) for person in range(PEOPLE)]}
    whole = _release({"age": released, **region}, {"age": ages, **region})
    return whole.of(range(half)), whole.of(range(half, PEOPLE))


def _moved() -> StarCase:
    """Everyone's age, moved nearly halfway towards the next younger person's."""
    ages = _spread()
    moved = [ages[0], *(round(age - 0.45 * (age - younger), 3) for younger, age in pairwise(ages))]
    region = {"region": [1] * PEOPLE}
    return _release({"age": moved, **region}, {"age": ages, **region})


def _renamed(one: StarCase) -> StarCase:
    """Every age under another name: by a rule that keeps the order and not the distances."""
    assert one.original is not None

    def other(ages: Sequence[float]) -> list[float]:
        return [round(float(np.exp(age / 3)), 6) for age in ages]

    return replace(
        one,
        released={**one.released, "age": other(one.released["age"])},
        original={**one.original, "age": other(one.original["age"])},
    )


def _merged(rng: np.random.Generator, times: int) -> Iterator[tuple[StarCase, StarCase]]:
    """Releases in groups of four, and the same with some neighbouring groups made one."""
    ages = _spread()
    region = {"region": [1] * PEOPLE}
    for _ in range(times):
        finer = [person // 4 for person in range(PEOPLE)]
        joined = np.cumsum([0, *(rng.random(PEOPLE // 4 - 1) < 0.5)])
        coarser = [int(joined[group]) for group in finer]
        before, after = (
            _release({"age": _means(ages, groups), **region}, {"age": ages, **region})
            for groups in (finer, coarser)
        )
        yield after, before


def _means(ages: Sequence[float], groups: Sequence[int]) -> list[float]:
    number = np.asarray(groups)
    mean = np.bincount(number, np.asarray(ages)) / np.bincount(number)
    return [round(float(value), 2) for value in mean[number]]


def _exchanged() -> tuple[StarCase, StarCase]:
    """One person in eight gets the values of another, or everyone does: the same values in both releases."""
    table = {
        "age": [20 + 10 * (person // GROUP) for person in range(PEOPLE)],
        "income": [1000 + 500 * (person % 3) for person in range(PEOPLE)],
    }
    few = np.arange(PEOPLE)
    few[::8] = np.roll(few[::8], 1)
    every = 29 * np.arange(PEOPLE) % PEOPLE
    one, other = (
        _release({name: [values[row] for row in rows] for name, values in table.items()}, table)
        for rows in (few.tolist(), every.tolist())
    )
    return one, other


def _names() -> tuple[StarCase, StarCase]:
    """Places by their names, or by the name of their region."""
    place = {
        "place": [f"place {person}" for person in range(PEOPLE)],
        "colour": [f"colour {person % 3}" for person in range(PEOPLE)],
    }
    region = {**place, "place": [f"region {person // GROUP}" for person in range(PEOPLE)]}
    return _release(place, place), _release(region, place)


def _other_values(rng: np.random.Generator) -> tuple[StarCase, StarCase]:
    """Ages are known, incomes are released, which rise with age; or those of somebody else.

    The partition is into four of equal size, by rank in each table.
    """
    ages = _spread()
    incomes = [
        round(9000 + 310 * age + float(noise), 2)
        for age, noise in zip(ages, rng.normal(0, 90, PEOPLE), strict=True)
    ]
    others = [incomes[row] for row in rng.permutation(PEOPLE).tolist()]
    releases = []
    for income in (incomes, others):
        partitions = {"original age": _quarters(ages), "released age": _quarters(income)}
        releases.append(replace(_release({"age": income}, {"age": ages}), partitions=partitions))
    return releases[0], releases[1]


def _quarters(numbers: Sequence[float]) -> list[str]:
    ranks = np.argsort(np.argsort(numbers))
    return [f"quarter {4 * int(rank) // len(numbers) + 1}" for rank in ranks]


def _alone(one: StarCase) -> StarCase:
    """The release without its original, and without what its maker says of it."""
    return replace(one, original=None, epsilon=None)
