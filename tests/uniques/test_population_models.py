"""Population models against ARX's figures where these are right, against simulation, and at the edges."""

import json
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import ParameterError
from divulge.uniques.pitman import pitman_fit, sum_reciprocals
from divulge.uniques.population_models import MODELS, estimates, shlosser
from divulge.uniques.size_counts import SizeCounts

PEER = json.loads(
    (Path(__file__).parents[1] / "golden" / "peers" / "population_uniqueness.json").read_text()
)["cases"]


def counted(case):
    sizes, classes = np.array(case["class_size_histogram"]).T
    return SizeCounts(sizes, classes, case["population"])


def said(counts):
    return {one.model: one for one in estimates(counts)}


@pytest.mark.parametrize("case", PEER, ids=lambda case: f"{case['qi']}-{case['every']}-{case['population']}")
def test_estimates_are_those_of_the_peer_where_it_is_right(case):
    found = said(counted(case))
    for model in ("pitman", "zayatz"):
        assert found[model].uniques == pytest.approx(case["arx"][model], rel=1e-6)
    # The peer's own solution has two slips: this is the definition, solved independently.
    assert found["snb"].uniques == pytest.approx(case["independent"]["snb_corrected"], rel=1e-6)
    for name, value in case["independent"]["snb_corrected_parameters"].items():
        own = {"K": "classes", "alpha": "alpha", "beta": "beta"}[name]
        assert found["snb"].parameters[own] == pytest.approx(value, rel=1e-6)


def test_the_rule_chooses_by_the_sampled_share():
    small = said(SizeCounts(np.array([1, 2, 3, 9]), np.array([300, 90, 40, 20]), 1e5))
    assert small["dankar"].uniques == small["pitman"].uniques
    large = said(SizeCounts(np.array([1, 2, 3, 9]), np.array([300, 90, 40, 20]), 2000))
    assert large["dankar"].uniques == min(large["zayatz"].uniques, large["snb"].uniques)


def test_a_table_that_is_the_population_has_the_uniques_it_has():
    found = said(SizeCounts(np.array([1, 5]), np.array([7, 3]), 22))
    assert {one.uniques for one in found.values()} == {7}


@pytest.mark.parametrize(("sizes", "classes"), [([1], [50]), ([50], [1]), ([3, 4], [5, 6])])
def test_what_has_no_solution_is_undefined_and_never_zero(sizes, classes):
    found = said(SizeCounts(np.array(sizes), np.array(classes), 10_000))
    assert any(one.undefined for one in found.values())
    for one in found.values():
        assert (one.uniques is None) == (one.undefined is not None)


def test_a_likelihood_highest_at_the_end_of_its_range_is_said():
    """Every tenth of a population of few large classes: alpha is 0, which is the model of Ewens."""
    counts = SizeCounts(np.array([1, 10, 20, 30]), np.array([1, 20, 20, 20]), 12_010)
    found = said(counts)["pitman"]
    assert found.parameters["alpha"] == 0
    assert found.uniques == pytest.approx(found.parameters["theta"], rel=1e-9)
    assert "alpha = 0" in found.note


def test_parameters_are_those_that_a_sample_was_drawn_with():
    """The process that Pitman's model describes, with theta 50 and alpha 0.5."""
    rng, theta, alpha = np.random.default_rng(4), 50.0, 0.5
    sizes = [1]
    for people in range(1, 8000):
        if rng.random() < (theta + alpha * len(sizes)) / (theta + people):
            sizes.append(1)
        else:
            weight = np.array(sizes) - alpha
            sizes[np.searchsorted(np.cumsum(weight), rng.random() * weight.sum())] += 1
    fit = pitman_fit(SizeCounts.of(np.array(sizes), 80_000))
    assert fit.alpha == pytest.approx(alpha, abs=0.05)
    assert fit.theta == pytest.approx(theta, rel=0.4)


def test_long_sums_are_those_added_one_by_one():
    terms = 300_000
    by_hand = float((1 / (3.7 + 0.3 * np.arange(1, terms + 1))).sum())
    assert sum_reciprocals(3.7, 0.3, terms) == pytest.approx(by_hand, rel=1e-13)


def test_shlosser_sees_all_classes_of_a_population_that_was_counted_whole():
    assert shlosser(SizeCounts(np.array([1, 2]), np.array([4, 3]), 10.0001)) == pytest.approx(7, abs=1e-3)


def test_a_population_smaller_than_the_table_is_refused():
    with pytest.raises(ParameterError, match="10 people, and the table has 20"):
        SizeCounts(np.array([2]), np.array([10]), 10)


def test_every_model_says_when_it_applies():
    assert all(model.applies and model.reference for model in MODELS.values())


def test_very_large_classes_do_not_overflow():
    """(1 - q)^i ((1 + q)^i - 1) as a difference of powers below one."""
    counts = SizeCounts(np.array([1, 2, 5, 8000]), np.array([60, 20, 10, 2]), 32_300)
    found = said(counts)["snb"]
    assert found.undefined is None
    assert 0 < found.uniques < 200
