"""Section 7.2: the discrimination rate of data with Laplace noise, beside noise alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.api import measure
from divulge.recipes.transform import transform
from divulge.reproduction.experiment import (
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    Tabulation,
    rises,
)
from divulge.reproduction.thesis.paper import PAPER

YOUNGEST, OLDEST = 18, 90
RANGES = 6  # of equally many people, in the original and in the release
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
NOISED, NOISE = "noised ages", "noise alone"
#: Each rate by its name: whether ages are in ranges, and about what it is.
RATES = {
    "DR about age": (False, "age"),
    "SeDR about age": (True, "age"),
    "DR about income": (False, "income"),
    "SeDR about income": (True, "income"),
}


@PAPER.add(
    "dp-7.2",
    "Data with differential privacy, by partitions that suit them",
    "Section 7.2, first perspective",
    caveat="The thesis only says that it can be done. People are made up: incomes are high more often at "
    "middle ages. Every age gets Laplace noise of scale 72 / epsilon, 72 being what ages can differ by.",
)
def dp_7_2(conditions: Conditions) -> Findings:
    """Without partitions noise alone reads as risky as noised ages; with partitions it reads nothing."""
    records, epsilons = (4000, EPSILONS) if conditions.full else (600, EPSILONS[::2])
    rng = np.random.default_rng(conditions.seed)
    ages = rng.integers(YOUNGEST, OLDEST + 1, records)
    rich = rng.random(records) < np.where(abs(ages - 50) < 15, 0.7, 0.15)
    people = {"age": ages.tolist(), "income": np.where(rich, "high", "low").tolist()}
    nobody = np.full(records, (YOUNGEST + OLDEST) // 2)
    read: dict[tuple[str, str], list[float]] = {(name, of): [] for name in RATES for of in (NOISED, NOISE)}
    for place, epsilon in enumerate(epsilons):
        for of, before in ((NOISED, ages), (NOISE, nobody)):
            noised = _noised(before, epsilon, conditions.seed + place)
            for name, (ranged, target) in RATES.items():
                read[name, of].append(_rate(people, noised, target, ranged=ranged))
    return Findings(
        claims=_claims(read),
        figures=[
            Figure(
                f"What released ages say about {target}",
                "epsilon",
                "rate",
                [
                    Curve(f"{name.split()[0]}, {of}", list(zip(epsilons, values, strict=True)))
                    for (name, of), values in read.items()
                    if RATES[name][1] == target
                ],
                logarithmic="x",
            )
            for target in ("age", "income")
        ],
        tables=[
            Tabulation(
                "Rates",
                ["epsilon", *(f"{name}, {of}" for name, of in read)],
                [
                    [epsilon, *(values[place] for values in read.values())]
                    for place, epsilon in enumerate(epsilons)
                ],
            )
        ],
        notes=[
            "Nearly every noised age is a value of its own, so that the plain rate is near 1 whatever it "
            f"says. The semantic rate has {RANGES} ranges of equally many people, of the original ages and "
            "of the released ones, each by its own order.",
            "Epsilon bounds what one record can change; the rate says what a release gives away on average.",
        ],
    )


def _noised(ages: npt.NDArray[np.int64], epsilon: float, seed: int) -> list[float]:
    step = {
        "mechanism": "laplace_noise",
        "attributes": ["age"],
        "sensitivity": OLDEST - YOUNGEST,
        "epsilon": epsilon,
        "decimals": 6,
    }
    found: Mapping[str, Sequence[Any]] = transform(
        {"age": ages.tolist()}, [step], seed=seed, keep_order=True
    ).data
    return [float(age) for age in found["age"]]


def _rate(
    people: Mapping[str, Sequence[Any]], noised: Sequence[float], target: str, *, ranged: bool
) -> float:
    of_age = target == "age"
    columns: dict[str, Sequence[Any]] = {
        "released": _ranges(noised) if ranged else noised,
        "about": _ranges(people[target]) if ranged and of_age else people[target],
    }
    return measure(columns, "discrimination_rate", keys=["released"], target="about").value or 0.0


def _ranges(numbers: Sequence[float]) -> list[int]:
    """The range that each number lies in, ranges having equally many people."""
    edges = np.quantile(numbers, np.arange(1, RANGES) / RANGES)
    return np.searchsorted(edges, numbers, side="right").tolist()


def _claims(read: Mapping[tuple[str, str], Sequence[float]]) -> list[Claim]:
    plain = [
        abs(one - other)
        for name in ("DR about age", "DR about income")
        for one, other in zip(read[name, NOISED], read[name, NOISE], strict=True)
    ]
    chance = max(*read["SeDR about age", NOISE], *read["SeDR about income", NOISE])
    weakest = read["SeDR about age", NOISED][0]
    return [
        Claim(
            "Without partitions noise alone reads as high as noised ages.",
            max(plain) < 0.1,
            f"They differ by {max(plain):.2g} at most." if max(plain) > 0 else "They are the same.",
        ),
        Claim(
            "With suited partitions noise alone reads next to nothing.",
            chance < 0.05,
            f"{chance:.2g} at most, by chance.",
        ),
        Claim(
            "With suited partitions the rate about age rises with epsilon.",
            rises(read["SeDR about age", NOISED][1:]),
        ),
        Claim(
            "The strongest noise reads no more than noise alone.",
            weakest <= chance + 0.02,
            f"{weakest:.2g} against {chance:.2g}.",
        ),
    ]
