"""What the paper on the attacker's estimation error says of privacy and distortion, computed again.

Origin: Rebollo-Monedero, Parra-Arnau, Diaz and Forné, On the Measurement of Privacy as an Attacker's
Estimation Error. ``estimation_error.json`` holds what the paper prints (``published``) or defines, and its
value worked out apart from this package with exact fractions (``computed``); the tables are the paper's own.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import HAMMING, SQUARED, Among

HERE = Path(__file__).parent
RECORDS = {r["id"]: r for r in json.loads((HERE / "estimation_error.json").read_text(encoding="utf-8"))}
AGES = {"old": "40-50", "young": "<40"}
EXACT = 1e-12


def those(beginning, *ends):
    return sorted(i for i in RECORDS if i.startswith(beginning) and i.rsplit(".", 1)[-1] in ends)


def exactly(identifier):
    return pytest.approx(RECORDS[identifier]["computed"], abs=EXACT, rel=EXACT)


def figure(identifier):
    """The table a record is about."""
    return HERE / RECORDS[identifier]["data_file"]


@cache
def health(path):
    """From the health condition to the age and nationality that a released table shows."""
    return Channel.of_columns(path, keys="Age", target="Health Condition")


def aligned(channel, probabilities, support):
    return [probabilities[channel.inputs.index(value)] for value in support]


@pytest.mark.parametrize("identifier", those("ee.binary.", "p_avg", "p_min", "p_cond", "distortion"))
def test_a_uniform_bit_that_is_flipped_now_and_then(identifier):
    params = RECORDS[identifier]["params"]
    channel = Channel(params["prior"], params["channel"])
    privacy = channel.privacy(HAMMING)
    found = {
        "p_avg": [privacy.average],
        "p_min": [privacy.worst],
        "p_cond": privacy.conditional.tolist(),
        "distortion": [channel.distortion(HAMMING)],
    }
    assert all(value == exactly(identifier) for value in found[identifier.rsplit(".", 1)[-1]])
    assert privacy.estimates == (0, 1)


GENERAL = {"Hamming": "hamming", "absolute": "absolute", "squared": Among(SQUARED), "squared_real": "squared"}


@pytest.mark.parametrize("identifier", those("ee.general.", "y0", "y1", "y2", "min", "avg"))
def test_three_unequal_values_under_each_distortion(identifier):
    params = RECORDS[identifier]["params"]
    channel = Channel(params["prior"], params["channel"], inputs=params["x_values"])
    _, _, distortion, what = identifier.split(".")
    privacy = channel.privacy(GENERAL[distortion])
    found = {
        "min": privacy.worst,
        "avg": privacy.average,
        **dict(zip(("y0", "y1", "y2"), privacy.conditional, strict=True)),
    }
    assert found[what] == exactly(identifier)


@pytest.mark.parametrize("identifier", those("ee.crowds.", "posterior_hit", "posterior_miss", "privacy"))
def test_who_began_a_message_that_a_crowd_passed_on(identifier):
    n, p = RECORDS[identifier]["params"]["n"], RECORDS[identifier]["params"]["p"]
    channel = Channel(np.full(n, 1 / n), np.full((n, n), (1 - p) / n) + p * np.eye(n))
    privacy = channel.privacy(HAMMING)
    found = {
        "posterior_hit": [channel.posterior[0, 0]],
        "posterior_miss": [channel.posterior[0, 1]],
        "privacy": [privacy.worst, privacy.average, privacy.best],
    }
    assert all(value == exactly(identifier) for value in found[identifier.rsplit(".", 1)[-1]])


@pytest.mark.parametrize("identifier", those("ee.fig", "posterior", "privacy"))
def test_what_a_released_table_leaves_unknown_in_a_group(identifier):
    _, _, group, what = identifier.split(".")
    if group == "identity":
        privacy = Channel.of_columns(figure(identifier), keys="Age").privacy(HAMMING)
        assert privacy.worst == exactly(identifier)
        assert privacy.average == exactly(identifier)
    elif group == "aids":
        channel = health(figure(identifier))
        row = channel.posterior[channel.outputs.index(RECORDS[identifier]["target"])]
        assert row[channel.inputs.index("AIDS")] == exactly(identifier)
    else:
        channel = health(figure(identifier))
        place = channel.outputs.index(AGES[group])
        if what == "posterior":
            row = aligned(channel, channel.posterior[place], RECORDS[identifier]["params"]["support"])
            assert row == exactly(identifier)
        else:
            assert channel.privacy(HAMMING).conditional[place] == exactly(identifier)


@pytest.mark.parametrize(
    "identifier", those("ee.fig", "privacy_min", "privacy_avg", "prior", "prior_privacy")
)
def test_what_a_released_table_leaves_unknown_as_a_whole(identifier):
    channel, what = health(figure(identifier)), identifier.rsplit(".", 1)[-1]
    privacy = channel.privacy(HAMMING)
    if identifier == "ee.fig7.aids.prior":
        assert channel.prior[channel.inputs.index("AIDS")] == exactly(identifier)
    elif what == "prior":
        assert aligned(channel, channel.prior, RECORDS[identifier]["params"]["support"]) == exactly(
            identifier
        )
    else:
        found = {"privacy_min": privacy.worst, "privacy_avg": privacy.average, "prior_privacy": privacy.prior}
        assert found[what] == exactly(identifier)


def test_whether_it_is_hepatitis_is_certain_in_the_older_group():
    identifier = "ee.fig1.old.similarity"
    channel = health(figure(identifier))
    privacy = channel.privacy(HAMMING, predicate=lambda condition: condition.startswith("Hepatitis"))
    assert privacy.conditional[channel.outputs.index("40-50")] == exactly(identifier)


def test_the_identity_in_a_group_of_three_is_ascertained_one_time_in_three():
    privacy = Channel.of_columns(HERE / "tables" / "estimation_fig1b.csv", keys="Age").privacy(HAMMING)
    assert 1 - privacy.worst == exactly("ee.fig5.bound")


@pytest.mark.parametrize("identifier", those("ee.confidence.", "c2", "c3", "c5", "c10"))
def test_a_uniform_confidence_set_leaves_one_in_its_size_right(identifier):
    size = RECORDS[identifier]["params"]["cardinality"]
    assert Channel(np.full(size, 1 / size), np.ones((size, 1))).privacy(HAMMING).average == exactly(
        identifier
    )


def gaussian(variance, noise, points=241, reach=6.0):
    """A Gaussian number under Gaussian noise, cut and made discrete."""
    x = np.linspace(-reach, reach, points) * variance**0.5
    y = np.linspace(-reach, reach, points) * (variance + noise) ** 0.5
    prior = np.exp(-(x**2) / (2 * variance))
    matrix = np.exp(-((y - x[:, None]) ** 2) / (2 * noise))
    return Channel(prior / prior.sum(), matrix / matrix.sum(axis=1, keepdims=True), inputs=x, outputs=y)


@pytest.mark.parametrize("identifier", those("ee.gauss.", "d1", "d2"))
def test_the_mean_squared_error_of_a_gaussian_place_under_gaussian_noise(identifier):
    params = RECORDS[identifier]["params"]
    average = gaussian(params["sigma_x2"], params["sigma_n2"]).privacy(SQUARED).average
    # Coordinates are independent, so their errors add up.
    assert params["dimensions"] * average == pytest.approx(RECORDS[identifier]["computed"], rel=1e-3)


def test_the_mean_squared_error_of_an_almost_flat_prior_is_the_variance_of_the_noise():
    noise = RECORDS["ee.gauss.flat"]["params"]["sigma_n2"]
    average = gaussian(900.0, noise, points=801).privacy(SQUARED).average
    assert average == pytest.approx(RECORDS["ee.gauss.flat"]["computed"], rel=2e-3)
