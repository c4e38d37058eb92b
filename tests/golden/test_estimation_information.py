"""What the paper on the attacker's estimation error says of entropies, leakage and bounds, computed again.

Origin: Rebollo-Monedero, Parra-Arnau, Diaz and Forné, On the Measurement of Privacy as an Attacker's
Estimation Error, sections V and VI-B. ``estimation_error.json`` holds what the paper prints (``published``)
or defines, and its value worked out apart from this package (``computed``), with the other readings of what
the text leaves open (``alternatives``).
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.bounds import (
    delta_disclosure,
    divergence_by_disclosure,
    epsilon,
    information_by_divergence,
    kl_divergence,
    maximum_divergence,
    pinsker,
    reduction,
    reduction_as_printed,
    reduction_by_information,
    reduction_by_total_variation,
    total_variation,
    total_variation_by_divergence,
)
from divulge.estimation.information.entropy import (
    ConfidenceSet,
    hartley_entropy,
    map_error,
    min_entropy,
    posterior_entropies,
    renyi_entropy,
    shannon_entropy,
    uniform_error,
)
from divulge.estimation.information.leakage import mutual_information, shannon_leakage

HERE = Path(__file__).parent
RECORDS = {r["id"]: r for r in json.loads((HERE / "estimation_error.json").read_text(encoding="utf-8"))}
LN2 = math.log(2)
AGES = {"old": "40-50", "young": "<40"}
IN_NATS = "nat"
IN_BITS_LOOSER = "D in bits (valid, looser)"
EMD = "EMD with equal ground distance (t of the original t-closeness), i.e. max TV"


def those(beginning, *ends):
    return sorted(i for i in RECORDS if i.startswith(beginning) and i.rsplit(".", 1)[-1] in ends)


def near(value):
    return pytest.approx(value, abs=1e-12, rel=1e-12)


def exactly(identifier):
    computed = RECORDS[identifier]["computed"]
    return near(math.inf if computed == "inf" else computed)


@cache
def health(path):
    """From the health condition to the age that a released table shows, both in the order of the alphabet."""
    with (HERE / path).open(encoding="utf-8", newline="") as file:
        counts = Counter((row["Health Condition"], row["Age"]) for row in csv.DictReader(file))
    conditions, ages = (sorted({pair[i] for pair in counts}) for i in (0, 1))
    return Channel.of_table([[counts[x, y] for y in ages] for x in conditions], conditions, ages)


def about(identifier):
    """The channel of a figure and the posterior of the group that a record is about."""
    channel = health(RECORDS[identifier]["data_file"])
    group = identifier.split(".")[2]
    return channel, channel.posterior[channel.outputs.index(AGES[group])] if group in AGES else None


def channel_of(identifier):
    params = RECORDS[identifier]["params"]
    return Channel(params["prior"], params["channel"])


CHANNELS = those("ee.binary.", "mi", "t", "delta", "tv", "epsilon") + those("ee.general.", "mi", "t", "delta")


@pytest.mark.parametrize("identifier", CHANNELS)
def test_what_a_channel_tells(identifier):
    channel = channel_of(identifier)
    found = {
        "mi": mutual_information,
        "t": maximum_divergence,
        "delta": delta_disclosure,
        "tv": lambda c: max(total_variation(row, c.prior) for row in c.posterior),
        "epsilon": lambda c: epsilon(c.matrix),
    }[identifier.rsplit(".", 1)[-1]]
    assert found(channel) == exactly(identifier)


@pytest.mark.parametrize(
    "identifier", those("ee.crowds.", "h_inf", "h_1", "h_2", "h_0", "order", "mi", "privacy")
)
def test_the_entropies_of_a_crowd_by_its_channel(identifier):
    n, p = (RECORDS[identifier]["params"][name] for name in ("n", "p"))
    channel = Channel(np.full(n, 1 / n), np.full((n, n), (1 - p) / n) + p * np.eye(n))
    posterior = channel.posterior[0]
    entropies = [min_entropy(posterior), shannon_entropy(posterior), hartley_entropy(posterior)]
    found = {
        "h_inf": entropies[0],
        "h_1": entropies[1],
        "h_2": renyi_entropy(posterior, 2),
        "h_0": entropies[2],
        "order": entropies == sorted(entropies),
        "mi": shannon_leakage(channel).additive,
        "privacy": map_error(posterior),
    }
    what = identifier.rsplit(".", 1)[-1]
    assert found[what] == exactly(identifier)
    if what in ("h_inf", "h_1", "h_2", "h_0"):
        order = {"h_inf": math.inf, "h_1": 1, "h_2": 2, "h_0": 0}[what]
        assert posterior_entropies(channel, order) == pytest.approx(np.full(n, found[what]))


GROUPS = (
    "h_inf",
    "h_1",
    "h_0",
    "distinct_l",
    "entropy_l",
    "kl",
    "tv",
    "delta_p",
    "bound_tv",
    "bound_kl",
    "privacy",
)


@pytest.mark.parametrize("identifier", [i for i in those("ee.fig", *GROUPS) if i.split(".")[2] in AGES])
def test_a_group_of_a_released_table(identifier):
    channel, posterior = about(identifier)
    hamming = 1 - np.eye(len(channel.prior))
    found = {
        "h_inf": min_entropy(posterior),
        "h_1": shannon_entropy(posterior),
        "h_0": hartley_entropy(posterior),
        "distinct_l": 2 ** hartley_entropy(posterior),
        "entropy_l": 2 ** shannon_entropy(posterior),
        "privacy": map_error(posterior),
        "kl": kl_divergence(posterior, channel.prior),
        "tv": total_variation(posterior, channel.prior),
        "delta_p": reduction(posterior, channel.prior, hamming),
        "bound_tv": reduction_as_printed(posterior, channel.prior, hamming).right,
        "bound_kl": total_variation_by_divergence(posterior, channel.prior, hamming).right,
    }
    what = identifier.rsplit(".", 1)[-1]
    assert found[what] == exactly(identifier)
    alternatives = RECORDS[identifier]["alternatives"] or {}
    if IN_NATS in alternatives:
        assert found[what] * LN2 == near(alternatives[IN_NATS])
    if IN_BITS_LOOSER in alternatives:
        assert found[what] / math.sqrt(LN2) == near(alternatives[IN_BITS_LOOSER])


@pytest.mark.parametrize("identifier", those("ee.fig", "mi", "t", "delta"))
def test_a_released_table_on_the_whole(identifier):
    channel, _ = about(identifier)
    found = {"mi": mutual_information, "t": maximum_divergence, "delta": delta_disclosure}
    value = found[identifier.rsplit(".", 1)[-1]](channel)
    assert value == exactly(identifier)
    alternatives = RECORDS[identifier]["alternatives"] or {}
    if IN_NATS in alternatives:
        assert value * LN2 == near(alternatives[IN_NATS])
    if EMD in alternatives:
        assert max(total_variation(row, channel.prior) for row in channel.posterior) == near(
            alternatives[EMD]
        )
    if "maximum over p(x|y) > 0 only" in alternatives:
        finite = delta_disclosure(channel, possible_only=True)
        assert finite == near(alternatives["maximum over p(x|y) > 0 only"])


@pytest.mark.parametrize("identifier", those("ee.fig", "order", "mi_bound"))
def test_the_bounds_of_a_released_table_hold(identifier):
    channel, _ = about(identifier)
    if identifier.endswith("order"):
        assert information_by_divergence(channel).holds
        assert divergence_by_disclosure(channel).holds
    else:
        bound = reduction_by_information(channel, 1 - np.eye(len(channel.prior)))
        params = RECORDS[identifier]["params"]
        assert bound.holds
        assert (bound.left, bound.right) == near((params["left side"], params["right side, nats"]))
    assert RECORDS[identifier]["computed"] is True


@pytest.mark.parametrize("figure", ["ee.fig1", "ee.fig6", "ee.fig7"])
def test_k_records_alike_leave_an_error_of_one_minus_one_over_k(figure):
    with (HERE / RECORDS[f"{figure}.k"]["data_file"]).open(encoding="utf-8", newline="") as file:
        k = min(Counter((row["Age"], row["Nationality"]) for row in csv.DictReader(file)).values())
    assert k == exactly(f"{figure}.k")
    assert uniform_error(k) == exactly(f"{figure}.identity.privacy")
    assert map_error([1 / k] * k) == exactly(f"{figure}.identity.privacy")


def test_the_caption_of_figure_five_by_three_records_alike():
    assert 1 - uniform_error(3) == exactly("ee.fig5.bound")


@pytest.mark.parametrize("identifier", those("ee.confidence.", "c2", "c3", "c5", "c10"))
def test_a_uniform_confidence_set(identifier):
    size = RECORDS[identifier]["params"]["cardinality"]
    assert ConfidenceSet(tuple(range(size)), 1.0).error == exactly(identifier)


def test_the_unit_in_which_pinsker_is_sharp():
    record = RECORDS["ee.bound.pinsker_base10"]
    p, q = record["params"]["p"], record["params"]["q"]
    bound = pinsker(p, q)
    assert bound.holds is RECORDS["ee.bound.pinsker_nat"]["computed"]
    assert bound.right - bound.left == pytest.approx(record["alternatives"]["nat"], abs=1e-12)
    for unit, nats in (("bit", LN2), ("ten", math.log(10))):
        expected = record["computed"] if unit == "ten" else record["alternatives"][unit]
        assert bound.right / math.sqrt(nats) - bound.left == pytest.approx(expected, abs=1e-12)


def test_the_bound_on_the_reduction_holds_for_bayes_estimates_and_not_for_the_likeliest_values():
    record = RECORDS["ee.bound.map_counterexample.delta_p"]
    x, posterior, prior = (np.array(record["params"][name]) for name in ("x", "posterior", "prior"))
    distances = np.abs(np.subtract.outer(x, x))
    bound = reduction_as_printed(posterior, prior, distances)
    assert bound.left == near(record["alternatives"]["Delta P(y) with Bayes estimates"])
    assert bound.right == near(record["alternatives"]["4 d_max TV"])
    expected = posterior @ distances
    assert expected[prior.argmax()] - expected[posterior.argmax()] == near(record["computed"])
    assert record["computed"] > bound.right


def test_random_cases_keep_the_printed_bound_and_the_sharper_one():
    rng = np.random.default_rng(0)
    for _ in range(300):
        p, q = rng.dirichlet(np.ones(4), 2)
        distances = rng.random((4, 4))
        assert reduction_as_printed(p, q, distances).holds is RECORDS["ee.bound.bayes_ok"]["computed"]
        assert reduction_by_total_variation(p, q, distances).holds


def test_t_is_a_divergence_here_and_not_an_earth_movers_distance():
    assert RECORDS["ee.notation.t"]["status"] == "ambiguous"
    channel = health("tables/estimation_fig7b.csv")
    worst = max(kl_divergence(row, channel.prior) for row in channel.posterior)
    assert maximum_divergence(channel) == near(worst)
