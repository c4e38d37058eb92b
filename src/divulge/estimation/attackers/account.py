"""Everything there is to say of a channel for one attacker, as plain values."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge import documents
from divulge._support.seeds import SEED
from divulge.documents.attacker import AttackerDocument
from divulge.estimation.attackers.observations import distribution, observations
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion, as_distortion
from divulge.estimation.channels.memory import room_for_account
from divulge.estimation.channels.probabilities import settled
from divulge.estimation.information import bounds, capacity, entropy, leakage, population
from divulge.estimation.information.samples import (
    constant,
    corrected_information,
    told_apart,
    zero_leakage_test,
)
from divulge.estimation.mechanisms.optimal import tradeoff_curve

CURVE, POINTS = 12, 9  # secrets up to which the trade-off is worked out, and its points
REPEATS, AFFORDABLE = 199, 50_000_000  # shuffles, and the cells or records they may touch
CAPACITY = 2000  # letters up to which the capacity is worked out
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
    show_values: bool = True,
    guesses: int = 1,
    tolerance: float | None = None,
    abstain: float | None = None,
    counts: npt.NDArray[Any] | None = None,
    records: int | None = None,
    seed: int = SEED,
) -> AttackerDocument:
    """What an attacker who sees the outputs still gets wrong, what leaks, and what bounds it.

    ``show_values`` names inputs and outputs, which may be values of records. Where the channel was counted
    from a sample, ``counts`` are its cells: what they say about the population is then added, and a test.
    ``records`` says of how many records: observations of fewer than five are then one line.
    """
    room_for_account(len(channel.inputs), len(channel.outputs))
    found = channel.privacy(distortion, guesses=guesses, tolerance=tolerance, abstain=abstain)
    contents = {
        "source": name,
        "inputs": len(channel.inputs),
        "outputs": len(channel.outputs),
        "distortion": as_distortion(distortion).name,
        "error_unit": _unit(as_distortion(distortion), tolerance),
        "guesses": guesses,
        "tolerance": tolerance,
        "abstain": abstain,
        "shows_values": show_values,
        "privacy": {name: getattr(found, name) for name in CASES},
        "observations": observations(found, show_values, records),
        "distribution": distribution(found, records),
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
        "curve": _curve(channel, distortion),
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
        interval = population.population_rate(counts)
        if max(counts.size, int(counts.sum())) * REPEATS <= AFFORDABLE:
            test = zero_leakage_test(counts, permutations=REPEATS, rng=np.random.default_rng(seed))
    bracket = None if interval is None else interval.kind
    chance = None if test is None else test.expected
    return {
        "rate": population.SampleCells.of(counts).rate,
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


def _curve(channel: Channel, distortion: str | Distortion) -> list[dict[str, float]] | None:
    """The most error that mechanisms on the same secrets could leave, for their loss; of few secrets only."""
    if not 2 <= len(channel.inputs) <= CURVE or as_distortion(distortion).name not in ("hamming", "absolute"):
        return None
    found = tradeoff_curve(
        channel.prior, loss=distortion, privacy=distortion, points=POINTS, inputs=channel.inputs
    )
    return [{name: getattr(one, name) for name in ("loss", "value", "price")} for one in found]


def _entry(found: bounds.Bound | leakage.Leakage) -> dict[str, Any]:
    return {name: _known(value) for name, value in asdict(found).items()}


def _known(value: Any) -> Any:
    """A value that JSON can hold: infinity is null."""
    return None if isinstance(value, float) and math.isinf(value) else value
