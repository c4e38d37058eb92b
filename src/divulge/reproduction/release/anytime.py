"""Observers who may look at any time: the sequential test beside the four tests of the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, Tabulation
from divulge.reproduction.release.observers import OBSERVERS, largest_odds, odds_of_targets
from divulge.reproduction.release.paper import LOCATIONS, PAPER, soldiers
from divulge.safe_release import Guard, HolderTable, State, leaving

IntArray = npt.NDArray[np.int64]
Odds = list[dict[str, float]]  # ln of the largest odds by observer, order by order
ALPHA = 0.2
FIRST_LOOK = 8  # records released when an observer first looks
# In full and in small: orders and requests of each, draws of chance and records of each.
ORDERS, REQUESTS = {True: 20, False: 1}, {True: 10_000, False: 2000}
DRAWS, LOOKS = {True: 200, False: 4}, {True: 5000, False: 500}
POINTS = 120  # of a curve
NO_TEST = "no test"
KNOWN: Mapping[str, Any] = {"tests": "seq", "known_counts": True}
#: Every guard by its name: the test and its options.
GUARDS: Mapping[str, Mapping[str, Any]] = {
    "MIS": {"tests": "mis"},
    "KLD": {"tests": "kld"},
    "CST": {"tests": "cst"},
    "DQT": {"tests": "dqt"},
    "SEQ each": {"tests": "seq", "form": "each"},
    "SEQ mean": {"tests": "seq", "form": "mean"},
    "SEQ joint": {"tests": "seq", "form": "joint"},
    "SEQ each, known counts": {**KNOWN, "form": "each"},
    "SEQ joint, known counts": {**KNOWN, "form": "joint"},
}
REPEATED = ("MIS", "KLD", "SEQ each", "SEQ mean", "SEQ joint", "SEQ joint, known counts")
DRAWN = ("SEQ each", "SEQ joint", "MIS", "KLD", "CST", "DQT")


class Released(NamedTuple):
    """Records in the order in which they left: places of values and of targets."""

    x: IntArray
    y: IntArray


@PAPER.add(
    "anytime",
    "Observers who may look at any time",
    "beyond the paper",
    takes="some minutes",
    caveat="The paper has no sequential test. It tests after every request as if that were the only look.",
)
def anytime(conditions: Conditions) -> Findings:
    """Repeated looks make the tests of the paper alarm by chance; odds below 1/alpha hold at every look."""
    table = soldiers()
    seen = {
        name: [released(table, name, order, conditions) for order in range(ORDERS[conditions.full])]
        for name in (*GUARDS, NO_TEST)
    }
    odds = {name: [largest_odds(table, one.x, one.y) for one in sets] for name, sets in seen.items()}
    alarms = {
        name: [false_alarms(table, name, alpha, conditions) for alpha in (ALPHA, 0.05)] for name in REPEATED
    }
    return Findings(
        claims=_claims(seen, odds, alarms, conditions),
        figures=[_over_time(table, seen)],
        tables=[
            Tabulation(
                f"Released of {REQUESTS[conditions.full]:,} requests, alpha {ALPHA}, mean over orders",
                ["guard", *LOCATIONS, "all"],
                [[name, *_means(sets), _total(sets)] for name, sets in seen.items() if name != NO_TEST],
            ),
            Tabulation(
                f"False alarms of chance alone within {LOOKS[conditions.full]:,} records, % of draws",
                ["test", f"alpha {ALPHA}", "alpha 0.05"],
                [[name, *(round(100 * share, 1) for share in shares)] for name, shares in alarms.items()],
            ),
            Tabulation(
                "What other observers see: largest ln of their odds at any time, median over orders",
                ["guard", *OBSERVERS],
                [
                    [name, *(round(_median(found, one), 2) for one in OBSERVERS)]
                    for name, found in odds.items()
                ],
            ),
        ],
        notes=[
            f"ln of 1/alpha is {math.log(1 / ALPHA):.2f}. An observer with odds above it finds what the "
            "guard does not look for.",
            "A false alarm is counted from the eighth record on, if the test does not pass at any later one.",
        ],
    )


def _guard(table: HolderTable, name: str, alpha: float = ALPHA) -> Guard:
    return Guard.of(table, alpha=alpha, limits="chi-square", **GUARDS[name])


def released(table: HolderTable, name: str, order: int, conditions: Conditions) -> Released:
    """What leaves if everyone asks in a random order, under a guard or without any test."""
    xs, ys = _records(table)
    asked = np.random.default_rng([conditions.seed + 1, order]).permutation(len(xs))
    asked = asked[: REQUESTS[conditions.full]]
    xs, ys = xs[asked], ys[asked]
    if name == NO_TEST:
        return Released(xs, ys)
    guard = _guard(table, name)
    left = leaving.run_cells(State.start(guard).scratch(), guard.limits(len(xs)), xs, ys)
    return Released(xs[left], ys[left])


def _records(table: HolderTable) -> tuple[IntArray, IntArray]:
    values, targets = np.nonzero(table.counts)
    often = table.counts[values, targets]
    return np.repeat(values, often), np.repeat(targets, often)


def false_alarms(table: HolderTable, name: str, alpha: float, conditions: Conditions) -> float:
    """In which part of draws a test ever does not pass, where values and targets are unrelated.

    Values are those of the table in random order, without replacement where observers know its counts.
    """
    guard, looks = _guard(table, name, alpha), LOOKS[conditions.full]
    limits, values, start = guard.limits(looks), _records(table)[0], FIRST_LOOK - 1
    found = 0
    for draw in range(DRAWS[conditions.full]):
        rng = np.random.default_rng([conditions.seed + 2, draw])
        ys = rng.choice(len(LOCATIONS), looks, p=guard.baseline.target_shares)
        xs = rng.permutation(values)[:looks] if guard.rules.known_counts else rng.choice(values, looks)
        counts = np.zeros(guard.domain.shape, np.int64)
        np.add.at(counts, (xs[:start], ys[:start]), 1)
        left = leaving.run_cells(State.of(guard, counts).scratch(), limits, xs[start:], ys[start:])
        found += not np.array_equal(left, np.arange(looks - start))
    return found / DRAWS[conditions.full]


def _means(sets: list[Released]) -> list[float]:
    counts = [np.bincount(one.y, minlength=len(LOCATIONS)) for one in sets]
    return [round(mean, 1) for mean in np.mean(counts, axis=0).tolist()]


def _total(sets: list[Released]) -> float:
    return round(float(np.mean([len(one.x) for one in sets])), 1)


def _median(found: Odds, observer: str) -> float:
    return float(np.median([one[observer] for one in found]))


def _most(found: Odds, observer: str) -> float:
    return max(one[observer] for one in found)


def _claims(
    seen: Mapping[str, list[Released]],
    odds: Mapping[str, Odds],
    alarms: Mapping[str, list[float]],
    conditions: Conditions,
) -> list[Claim]:
    limit = math.log(1 / ALPHA)
    sequential = [shares for name, shares in alarms.items() if name in ("SEQ mean", "SEQ joint")]
    kept = Claim(
        "At no time does the test that guards a release show odds of 1/alpha.",
        all(_most(odds[f"SEQ {form}"], form) < limit for form in ("each", "mean", "joint"))
        and _most(odds["SEQ joint, known counts"], "joint, known counts") < limit,
    )
    if not conditions.full:  # a few draws and orders are too few for what follows
        return [kept]
    return [
        kept,
        Claim(
            "Repeated looks make KLD alarm by chance nearly always, and the sequential test seldom.",
            alarms["KLD"][0] > 0.9 and all(shares[0] <= ALPHA for shares in sequential),
        ),
        Claim(
            "KLD at every step is stricter than the sequential test by target: it releases less.",
            all(_total(seen["KLD"]) < _total(seen[f"SEQ {form}"]) for form in ("each", "mean")),
        ),
        Claim(
            "Each form bounds its own odds only: a release held to one of them shows more of the others.",
            _median(odds["SEQ each"], "joint") > limit and _median(odds["SEQ joint"], "each") > limit,
        ),
        Claim(
            "A release under CST or DQT shows other observers more than a million times the odds of 1/alpha.",
            min(_median(odds[name], "each") for name in ("CST", "DQT")) > limit + math.log(1e6),
        ),
        Claim(
            "A release under CST shows other observers more than one without any test.",
            _median(odds["CST"], "each") > _median(odds[NO_TEST], "each"),
        ),
    ]


def _over_time(table: HolderTable, seen: Mapping[str, list[Released]]) -> Figure:
    """The odds of the most unusual location as records leave, in the first order."""
    curves = []
    for name in (*DRAWN, NO_TEST):
        first = seen[name][0]
        worst = np.maximum.accumulate(odds_of_targets(table, first.x, first.y))
        places = np.unique(np.geomspace(1, len(worst), POINTS).astype(int)) - 1
        curves.append(Curve(name, [(float(place + 1), float(worst[place])) for place in places]))
    return Figure(
        "Largest odds so far of any location, by guard",
        "records released",
        "ln of the odds against the baseline",
        curves,
        logarithmic="x",
    )
