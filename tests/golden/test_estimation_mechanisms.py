"""The best mechanisms and rate-distortion figures of the estimation-error paper, found by optimization.

Origin: Rebollo-Monedero et al. 2013; ``estimation_error.json`` has each figure with its closed form.
"""

import json
from pathlib import Path

import pytest

from divulge.estimation.mechanisms.optimal import optimal_mechanism

RECORDS = {
    record["id"]: record
    for record in json.loads((Path(__file__).parent / "estimation_error.json").read_text(encoding="utf-8"))
}
SOURCES = {"uniform4": [0.25] * 4, "uniform8": [0.125] * 8}


@pytest.mark.parametrize("name", [name for name in RECORDS if name.startswith("ee.rd.")])
def test_the_least_information_within_a_distortion_is_the_rate(name):
    record = RECORDS[name]
    prior = record["params"].get("prior") or SOURCES.get(name.split(".")[2], [0.5, 0.5])
    found = optimal_mechanism(prior, loss="hamming", budget=record["params"]["D"], goal="information")
    assert found.value == pytest.approx(record["computed"], abs=1e-7)


@pytest.mark.parametrize("name", [name for name in RECORDS if name.startswith("ee.binary.opt.")])
def test_the_most_average_privacy_for_a_utility_is_what_utility_gives_up(name):
    record = RECORDS[name]
    budget = 1 - record["params"]["u0"]
    found = optimal_mechanism([0.5, 0.5], loss="hamming", budget=budget)
    assert found.value == pytest.approx(record["computed"], abs=1e-9)
