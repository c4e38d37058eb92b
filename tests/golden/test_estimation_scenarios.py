"""What the paper on the attacker's estimation error says of Crowds and of locations, from the closed forms.

Origin: Rebollo-Monedero, Parra-Arnau, Diaz and Forné, On the Measurement of Privacy as an Attacker's
Estimation Error, section VI. ``computed`` was worked out apart from this package, with exact fractions and
the Markov chain of the protocol.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from divulge.estimation.scenarios.crowds import Crowd
from divulge.estimation.scenarios.location import GaussianPlace

HERE = Path(__file__).parent
RECORDS = {r["id"]: r for r in json.loads((HERE / "estimation_error.json").read_text(encoding="utf-8"))}


def those(beginning):
    return sorted(identifier for identifier in RECORDS if identifier.startswith(beginning))


def exactly(identifier):
    return pytest.approx(RECORDS[identifier]["computed"], abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("identifier", those("ee.crowds."))
def test_a_crowd_of_any_size_and_probability(identifier):
    params = RECORDS[identifier]["params"]
    crowd = Crowd(params["n"], params["p"])
    found = {
        "posterior_hit": crowd.hit,
        "posterior_miss": crowd.miss,
        "privacy": crowd.privacy,
        "h_inf": crowd.min_entropy,
        "h_1": crowd.shannon_entropy,
        "h_2": crowd.entropy(2),
        "h_0": crowd.hartley_entropy,
        "order": crowd.min_entropy <= crowd.shannon_entropy <= crowd.hartley_entropy,
        "mi": crowd.mutual_information,
    }
    assert found[identifier.rsplit(".", 1)[-1]] == exactly(identifier)


@pytest.mark.parametrize("identifier", those("ee.gauss."))
def test_a_normal_place_under_normal_noise(identifier):
    params = RECORDS[identifier]["params"]
    place = GaussianPlace(float(params["sigma_x2"]), params["sigma_n2"], params["dimensions"])
    found = place.mutual_information if identifier.endswith(".mi") else place.privacy
    assert found == exactly(identifier)
