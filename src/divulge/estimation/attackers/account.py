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
from divulge._support.wording import number
from divulge.documents.attacker import AttackerDocument, BeliefEntry, CrowdEntry, CurvePoint, MixEntry
from divulge.errors import ParameterError
from divulge.estimation.attackers import beliefs
from divulge.estimation.attackers.account_entries import (
    believed_entry,
    candidate_numbers,
    confidence_entry,
    repeated_entries,
)
from divulge.estimation.attackers.error_units import error_unit
from divulge.estimation.attackers.moved_beliefs import MovedBeliefs, gain_by_information, moved_beliefs
from divulge.estimation.attackers.observation_lines import error_bins, observation_lines
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
CAPACITY = 2000  # letters up to which the capacity and what moves beliefs are worked out
CONFIDENCE = 0.95  # probability of the attacker's short list
CASES = ("prior", "worst", "average", "best", "reduction")
ORDERS = {"Hartley": 0.0, "Shannon": 1.0, "collision": 2.0, "min": math.inf}
LEAKAGES = (leakage.shannon_leakage, leakage.min_entropy_leakage)
BOUNDS = (bounds.information_by_divergence, bounds.divergence_by_disclosure, bounds.disclosure_by_epsilon)


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
    observations: int | None = None,
    believed: npt.ArrayLike | None = None,
    confidence: float = CONFIDENCE,
    orders: Sequence[float] = (),
    curve: Sequence[CurvePoint] | None = None,
    goal: str = "average",
    system_loss: float | None = None,
    crowd: CrowdEntry | None = None,
    mix: MixEntry | None = None,
    counts: npt.NDArray[Any] | None = None,
    records: int | None = None,
    seed: int = SEED,
) -> AttackerDocument:
    """What an attacker who sees the outputs still gets wrong, what leaks, and what bounds it.

    ``secret`` and ``observed`` say in words what is guessed, and from what. ``loss`` is what the system pays,
    by default the attacker's distortion. ``belief`` is what is drawn, by default the posterior of a channel.
    ``observations`` asks what so many independent ones of the same secret leave, ``believed`` what is left to
    an attacker with another prior, ``confidence`` how long the list of values with so much probability is,
    ``orders`` for further Rényi entropies. ``curve`` is a trade-off for a ``goal`` that was found before,
    ``system_loss`` what a system pays whose input is not the secret itself.
    ``show_values`` names inputs and outputs, which may be values of records. Where the channel was counted
    from a sample, ``counts`` are its cells: what they say about the population is then added, and a test.
    ``records`` says of how many records: observations of fewer than five are then one line.
    """
    room_for_account(len(channel.inputs), len(channel.outputs))
    judged = as_distortion(distortion)
    found = channel.privacy(judged, guesses=guesses, tolerance=tolerance, abstain=abstain)
    plain = guesses == 1 and tolerance is None and abstain is None
    if not plain and (observations is not None or believed is not None):
        raise ParameterError(
            "Many observations and a wrong prior are computed for one guess, without tolerance and without "
            "abstaining.",
            hint="Leave out --guesses, --tolerance and --abstain, or ask in two commands.",
        )
    moved = moved_beliefs(channel, judged) if plain and max(channel.matrix.shape) <= CAPACITY else None
    candidates = candidate_numbers(channel, confidence)
    contents = {
        "source": name,
        "secret": secret,
        "observed": list(observed),
        "inputs": len(channel.inputs),
        "outputs": len(channel.outputs),
        "distortion": judged.name,
        "error_unit": error_unit(judged, tolerance),
        "guesses": guesses,
        "tolerance": tolerance,
        "abstain": abstain,
        "shows_values": show_values,
        "privacy": {name: getattr(found, name) for name in CASES},
        "observations": observation_lines(found, candidates, moved, show_values=show_values, records=records),
        "distribution": error_bins(found, records),
        "repeated": None if observations is None else repeated_entries(channel, observations, judged),
        "believed": None if believed is None else believed_entry(channel, believed, judged),
        "confidence": confidence_entry(channel, candidates, confidence),
        "entropies": [
            _entropies(channel, label, order)
            for label, order in {**ORDERS, **{f"order {number(one)}": one for one in orders}}.items()
        ],
        "guessing_entropy": {
            "prior": entropy.guessing_entropy(channel.prior),
            "posterior": entropy.conditional_guessing_entropy(channel),
        },
        "leakage": [_entry(leaks(channel)) for leaks in LEAKAGES],
        "sampled": None if counts is None else _sampled(counts, seed),
        "maximal_leakage": leakage.maximal_leakage(channel),
        "capacity": _capacity(channel),
        "epsilon": _known(bounds.epsilon(channel)),
        "goal": goal,
        "curve": list(curve) if curve is not None else _curve(channel, judged, loss or judged),
        "operating_point": _operating_point(channel, found, loss or judged, system_loss),
        "crowd": crowd,
        "mix": mix,
        "belief": belief
        if belief or records is not None or not show_values
        else beliefs.every_belief(channel),
        "bounds": [_entry(bound) for bound in _bounds(channel, moved)],
    }
    return documents.headed("attacker", contents)


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


def _bounds(channel: Channel, moved: MovedBeliefs | None) -> list[bounds.Bound]:
    return [
        *(bound(channel) for bound in BOUNDS),
        *([] if moved is None else [gain_by_information(channel, moved)]),
    ]


def _operating_point(
    channel: Channel, found: Privacy, loss: str | Distortion, system_loss: float | None
) -> dict[str, float] | None:
    """What the channel costs the system, where it is known or what it discloses are values of the secret."""
    if system_loss is not None:
        return {"loss": settled(system_loss), "value": found.average}
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
