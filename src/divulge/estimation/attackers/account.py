"""Everything there is to say of a channel for one attacker, as plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge import documents
from divulge._support.seeds import SEED
from divulge._support.small_counts import (
    SMALL,
    blurred,
    given_away,
    hidden,
    hidden_among,
    said_share,
    sum_says_few,
)
from divulge.documents.attacker import AttackerDocument, BeliefEntry
from divulge.estimation.attackers import beliefs
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion, as_distortion
from divulge.estimation.channels.memory import room_for_account
from divulge.estimation.channels.privacy import Privacy
from divulge.estimation.channels.probabilities import settled
from divulge.estimation.information import bounds, capacity, entropy, leakage
from divulge.estimation.information.samples import (
    constant,
    corrected_information,
    told_apart,
    zero_leakage_test,
)
from divulge.estimation.mechanisms.optimal import tradeoff_curve
from divulge.readings.population_interval import population_rate
from divulge.readings.sample_cells import SampleCells

CURVE, POINTS = 12, 9  # secrets up to which the trade-off is worked out, and its points
REPEATS, AFFORDABLE = 199, 50_000_000  # shuffles, and the cells or records they may touch
CAPACITY = 2000  # letters up to which the capacity is worked out
MOST_LINES = 50
ROUNDING = 1e-9  # errors no further apart, in parts of the largest, are the same
BINS = (10, 5, 2, 1)  # as many as leave none with very few records
OTHERS = f"other observations (fewer than {SMALL} records each)"
CASES = ("prior", "worst", "average", "best", "reduction")
ORDERS = {"Hartley": 0.0, "Shannon": 1.0, "collision": 2.0, "min": math.inf}
LEAKAGES = (leakage.shannon_leakage, leakage.min_entropy_leakage)
BOUNDS = (bounds.information_by_divergence, bounds.divergence_by_disclosure, bounds.disclosure_by_epsilon)
UNITS = {
    "hamming": "probability of a wrong guess",
    "squared": "unit of the secret, squared",
    "absolute": "unit of the secret",
    "euclidean": "distance",
}


def account(
    channel: Channel,
    distortion: str | Distortion = "hamming",
    *,
    name: str = "a channel",
    secret: str = "the secret",
    observed: Sequence[str] = ("the observation",),
    loss: str | Distortion | None = None,
    belief: BeliefEntry | None = None,
    show_values: bool = True,
    guesses: int = 1,
    tolerance: float | None = None,
    abstain: float | None = None,
    counts: npt.NDArray[Any] | None = None,
    records: int | None = None,
    seed: int = SEED,
) -> AttackerDocument:
    """What an attacker who sees the outputs still gets wrong, what leaks, and what bounds it.

    ``secret`` and ``observed`` say in words what is guessed, and from what. ``loss`` is what the system pays,
    by default the attacker's distortion. ``belief`` is what is drawn, by default the posterior of a channel.
    ``show_values`` names inputs and outputs, which may be values of records. Where the channel was counted
    from a sample, ``counts`` are its cells: what they say about the population is then added, and a test.
    ``records`` says of how many records: observations of fewer than five are then one line.
    """
    room_for_account(len(channel.inputs), len(channel.outputs))
    found = channel.privacy(distortion, guesses=guesses, tolerance=tolerance, abstain=abstain)
    contents = {
        "source": name,
        "secret": secret,
        "observed": list(observed),
        "inputs": len(channel.inputs),
        "outputs": len(channel.outputs),
        "distortion": as_distortion(distortion).name,
        "error_unit": _unit(as_distortion(distortion), tolerance),
        "guesses": guesses,
        "tolerance": tolerance,
        "abstain": abstain,
        "shows_values": show_values,
        "privacy": {name: getattr(found, name) for name in CASES},
        "observations": _observations(found, show_values, records),
        "distribution": _distribution(found, records),
        "entropies": [_entropies(channel, label, order) for label, order in ORDERS.items()],
        "guessing_entropy": {
            "prior": entropy.guessing_entropy(channel.prior),
            "posterior": entropy.conditional_guessing_entropy(channel),
        },
        "leakage": [_entry(leaks(channel)) for leaks in LEAKAGES],
        "sampled": None if counts is None else _sampled(counts, seed),
        "maximal_leakage": leakage.maximal_leakage(channel),
        "capacity": _capacity(channel),
        "epsilon": _known(bounds.epsilon(channel)),
        "curve": _curve(channel, distortion, loss or distortion),
        "operating_point": _operating_point(channel, found, loss or distortion),
        "belief": belief if belief or records is not None else beliefs.every_belief(channel),
        "bounds": [_entry(bound(channel)) for bound in BOUNDS],
    }
    return documents.headed("attacker", contents)


def _unit(distortion: Distortion, tolerance: float | None) -> str:
    """What the attacker's error is counted in."""
    if tolerance is not None:
        return UNITS["hamming"]
    return UNITS.get(distortion.name, "unit of the distortion")


def _entropies(channel: Channel, label: str, order: float) -> dict[str, Any]:
    """A Rényi entropy in bits before observing, and after it on average (Arimoto)."""
    return {
        "name": label,
        "order": _known(order),
        "prior": entropy.renyi_entropy(channel.prior, order),
        "posterior": entropy.conditional_entropy(channel, order),
    }


def _sampled(counts: npt.NDArray[Any], seed: int) -> dict[str, Any]:
    """What this table tells, exactly, and what that says of its population; no test where it takes long.

    Where target or keys are constant there is no information, exactly, and no test to make: ``undefined``
    says why.
    """
    undefined, interval, test = constant(counts), None, None
    if undefined is None:
        interval = population_rate(counts)
        if max(counts.size, int(counts.sum())) * REPEATS <= AFFORDABLE:
            test = zero_leakage_test(counts, permutations=REPEATS, rng=np.random.default_rng(seed))
    bracket = None if interval is None else interval.kind
    chance = None if test is None else test.expected
    return {
        "rate": SampleCells.of(counts).rate,
        **asdict(told_apart(corrected_information(counts), counts, bracket, chance)),
        "method": "miller_madow",
        "interval": None if interval is None else asdict(interval),
        "test": None if test is None else asdict(test),
        "undefined": undefined,
    }


def _capacity(channel: Channel) -> dict[str, float] | None:
    if max(channel.matrix.shape) > CAPACITY:
        return None
    found = capacity.capacity(channel)
    return {"value": settled(found.value), "gap": settled(found.gap)}


def _operating_point(channel: Channel, found: Privacy, loss: str | Distortion) -> dict[str, float] | None:
    """What the channel costs the system, where what it discloses are values of the secret."""
    if not set(channel.outputs) <= set(channel.inputs):
        return None
    return {"loss": settled(channel.distortion(loss)), "value": found.average}


def _curve(
    channel: Channel, distortion: str | Distortion, loss: str | Distortion
) -> list[dict[str, float]] | None:
    """The most error that mechanisms on the same secrets could leave, for their loss; of few secrets only."""
    if not 2 <= len(channel.inputs) <= CURVE or as_distortion(distortion).name not in ("hamming", "absolute"):
        return None
    found = tradeoff_curve(channel.prior, loss=loss, privacy=distortion, points=POINTS, inputs=channel.inputs)
    return [{name: getattr(one, name) for name in ("loss", "value", "price")} for one in found]


def _entry(found: bounds.Bound | leakage.Leakage) -> dict[str, Any]:
    return {name: _known(value) for name, value in asdict(found).items()}


def _known(value: Any) -> Any:
    """A value that JSON can hold: infinity is null."""
    return None if isinstance(value, float) and math.isinf(value) else value


# -- the observations that tell most; those that very few records make are one line -------------------------


def _observations(found: Privacy, show_values: bool, records: int | None = None) -> list[dict[str, Any]]:
    """The observations that tell most, the attacker's estimate beside each if values may be shown.

    ``records`` says how many records a table had, whose observations of fewer than five are one line.
    """
    times, few, kept = _times(found, records)
    lines = [
        {
            "label": str(found.outputs[place]) if show_values else f"observation {rank}",
            "probability": float(found.probabilities[place]),
            "privacy": float(found.conditional[place]),
            "estimate": str(found.estimates[place]) if show_values else None,
            "ties": len(found.ties[place]),
        }
        for rank, place in enumerate(kept, 1)
    ]
    if records is None:
        return lines
    shown = _shown(found, records)
    said = [_said(line, shown[place], records) for line, place in zip(lines, kept, strict=True)]
    return [_folded(found, few, [times[place] for place in few]), *said] if few else said


def _times(found: Privacy, records: int | None) -> tuple[dict[int, int], list[int], list[int]]:
    """How many records make each observation, those of few records, and the others as far as they are listed.

    What tells most is first.
    """
    order = [
        place for place in np.argsort(found.conditional, kind="stable") if found.probabilities[place] > 0
    ]
    times = {place: round(float(found.probabilities[place]) * (records or 0)) for place in order}
    few = [place for place in order if isinstance(hidden(times[place]), str)]
    folded = {*few}
    return times, few, [place for place in order if place not in folded][:MOST_LINES]


def _shown(found: Privacy, records: int) -> dict[int, int | str]:
    """The records of each observation that is listed, as they may be said."""
    times, few, kept = _times(found, records)
    places = (*few, *kept)
    return dict(zip(places, hidden_among([times[place] for place in places], records), strict=True))


def _folded(found: Privacy, few: list[int], times: list[int]) -> dict[str, Any]:
    """One line for all of few records; neither how probable nor what is left where that says how many."""
    probability = float(found.probabilities[few].sum())
    left = float(found.probabilities[few] @ found.conditional[few]) / probability
    told = given_away(times)
    return {
        "label": OTHERS,
        "probability": None if told else probability,
        "privacy": None if told else blurred(left, sum(times)),
        "estimate": None,
        "ties": 0,
    }


def _said(line: dict[str, Any], count: int | str, records: int) -> dict[str, Any]:
    """The line of so many records, without what would say how few of them are guessed wrong, or right.

    Where their number is rounded, because the others would leave what is not said, so is what is left.
    """
    if isinstance(count, int):
        return {**line, "privacy": said_share(line["privacy"], count)}
    about = int(count[1:])
    return {**line, "probability": about / records, "privacy": blurred(line["privacy"], about)}


def _distribution(found: Privacy, records: int | None = None) -> list[dict[str, float]]:
    """How much probability lies on observations of about the same conditional privacy.

    Of a table there are as many bins as do not give away what is hidden of the observations in them.
    """
    seen = found.probabilities > 0
    values, weights = found.conditional[seen], found.probabilities[seen]
    least, most = float(values.min()), float(values.max())
    if most - least <= ROUNDING * most:
        return [{"low": least, "high": most, "probability": float(weights.sum())}]
    for bins in BINS:
        mass, edges = np.histogram(values, bins=bins, range=(least, most), weights=weights)
        if records is None or not _gives_away(found, edges, records):
            break
    return [
        {"low": float(low), "high": float(high), "probability": float(one)}
        for low, high, one in zip(edges, edges[1:], mass, strict=False)
    ]


def _gives_away(found: Privacy, edges: npt.NDArray[Any], records: int) -> bool:
    """Whether the records in a bin are few, or leave what is not said of the observations in it."""
    times, shown = _times(found, records)[0], _shown(found, records)
    last = len(edges) - 2
    bins = np.minimum(np.searchsorted(edges, found.conditional, side="right") - 1, last)
    for one in range(last + 1):
        inside = [place for place in times if bins[place] == one]
        counts, said = [times[place] for place in inside], [shown.get(place) for place in inside]
        if last and (isinstance(hidden(sum(counts)), str) or sum_says_few(counts, said)):
            return True
    return False
