"""How often what is said of a population holds: known populations, several sampled shares, weights, people.

An interval of 95 % is to hold the truth in at least 90 of 100 samples wherever it is printed.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from divulge.readings.population_interval import (
    information_in_population,
    rate_in_population,
    share_in_population,
)
from divulge.readings.sample_cells import SampleCells
from known_populations import by_person, by_share, by_weight, census, classes, visits

KEYS = (["sex"], ["sex", "race"], ["married"], ["school"], ["sex", "age", "race", "married"])
SHARES = (0.5, 0.2, 0.05, 0.02)


class Register:
    """A population whose people have one record each, or several, and the samples drawn from it."""

    def __init__(self, table, keys, rng):
        self.rng = rng
        self.owner, self.target = classes(table, keys), table["salary"]
        self.several = visits(self.owner, self.target, rng)

    def sample(self, how, share):
        if how == "people":
            return SampleCells.of_units(*by_person(*self.several, share, self.rng))
        draw = by_weight if how == "weights" else by_share
        return SampleCells.of_units(*draw(self.owner, self.target, share, self.rng))

    def truth(self, how):
        _, owner, target = self.several if how == "people" else (None, self.owner, self.target)
        return SampleCells.of_units(np.arange(len(owner)), owner, target, np.ones(len(owner)))


def held(people, samples, shares, level=0.95, seed=1, keys=KEYS):
    """How often each kind of statement holds, by how people were drawn."""
    rng = np.random.default_rng(seed)
    table, found = census(people, rng), defaultdict(list)
    for one in keys:
        register = Register(table, one, rng)
        for how in ("alike", "weights", "people"):
            truth = register.truth(how)
            for share in shares:
                for _ in range(samples):
                    sample = register.sample(how, share)
                    rate = rate_in_population(sample, level=level)
                    bits = information_in_population(sample, level)
                    for said, true, name in (
                        (rate, truth.rate, rate.kind),
                        (bits, truth.information / np.log(2), "information"),
                    ):
                        if said.low is not None:
                            found[how, name].append(said.low - 1e-9 <= true <= said.high + 1e-9)
    return {key: (float(np.mean(one)), len(one)) for key, one in found.items()}


def test_what_is_said_holds_in_a_register_with_weights_and_with_people():
    found = held(6000, 6, (0.3, 0.1), keys=(["sex"], ["married"], ["sex", "age"]))
    for (how, kind), (share, samples) in found.items():
        assert share >= (0.85 if samples >= 20 else 0.7), (how, kind)  # 0.95 less three standard errors
    assert {kind for _, kind in found} >= {"interval", "bracket"}


def test_records_that_are_taken_for_people_promise_too_much():
    """What people with several alike records need: the same records one by one say far too narrow a thing."""
    rng = np.random.default_rng(5)
    owner, target = rng.integers(0, 20, 150), rng.integers(0, 3, 150)
    person = np.repeat(np.arange(150), 12)
    by_record, by_people = (
        rate_in_population(SampleCells.of_units(unit, owner[person], target[person], np.ones(1800)))
        for unit in (np.arange(1800), person)
    )
    assert by_record.low > 0.02  # nothing is related to anything
    assert by_people.low == 0


@pytest.mark.slow
def test_what_is_said_holds_in_90_of_100_samples_at_every_sampled_share():
    """Whatever is printed, and intervals by themselves where they are usual.

    Where the truth is so small that one sample in twenty has an interval, that one has it because it
    overstates: of those few alone nothing is promised.
    """
    for share in SHARES:
        found = held(30_000, 40, (share,), seed=int(1000 * share))
        for how in ("alike", "weights", "people"):
            kinds = [found[one] for one in found if one[0] == how and one[1] != "information"]
            rates, samples = zip(*kinds, strict=True)
            assert np.average(rates, weights=samples) >= 0.93, (share, how)
        for (how, kind), (rate, samples) in found.items():
            assert rate >= 0.90 or samples < 60, (share, how, kind, samples)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.8, 0.99])
def test_other_levels_hold_too(level):
    for (how, kind), (rate, samples) in held(20_000, 25, (0.2, 0.05), level, seed=9).items():
        assert rate >= level - 0.05 - (0.05 if samples < 100 else 0), (how, kind, samples)


@pytest.mark.slow
def test_unique_people_and_the_average_risk_are_at_most_what_is_said():
    for seed in range(150):
        rng = np.random.default_rng(seed)
        table = census(int(rng.integers(4000, 20_000)), rng)
        register = Register(table, [["age", "race"], ["age", "married", "school", "country"]][seed % 2], rng)
        for how in ("alike", "weights", "people"):
            truth, sample = register.truth(how), register.sample(how, rng.uniform(0.02, 0.5))
            for risk in (lambda people: (people == 1) * 1.0, lambda people: 1 / people):
                person = register.several[0] if how == "people" else np.arange(len(register.owner))
                owner = register.several[1] if how == "people" else register.owner
                pairs = np.unique(person * (owner.max() + 1) + owner)
                people = np.bincount(pairs % (owner.max() + 1), minlength=owner.max() + 1)[owner]
                here = np.bincount(sample.owner, weights=sample.classes.first)[sample.owner]
                top = share_in_population(
                    sample.mean(risk(here)), sample.effective, sample.error(risk(here))
                ).high
                assert top >= risk(people).mean(), (seed, how)
            assert truth.records == len(owner)
