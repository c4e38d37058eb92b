"""The simulations of the safe-release paper, run again: Figures 16 and 19.

``safe_release.json`` has averages of a hundred random orders (``computed``) and how much orders differ
(``sd``); so have we, and two such averages lie within a few standard errors of their difference. The total of
a column is an erratum in print, and is compared with that of the simulation.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest

from divulge.safe_release import Guard
from divulge.safe_release.simulation import simulate
from safe_release.military import RECORDS, soldiers

pytestmark = pytest.mark.slow

ORDERS = 100
FAR = 3.5  # standard errors
LEVELS = {"fig16a": 0.2, "fig16b": 0.05}


def those(pattern):
    return [name for name in RECORDS if re.fullmatch(rf"sr\.{pattern}", name)]


@cache
def simulated(test, alpha, requests, limits="chi-square"):
    guard = Guard.of(soldiers(), test.lower(), alpha, limits=limits)
    return simulate(soldiers(), guard, runs=ORDERS, requests=requests, seed=16)


@pytest.mark.parametrize("name", those(r"fig16[ab]\.\w+\.L\d"))
def test_as_many_are_released_on_average(name):
    record, (_, figure, test, target) = RECORDS[name], name.split(".")
    found = simulated(test, LEVELS[figure], 10_000).released_by_target[target]
    assert abs(found - record["computed"]) <= FAR * record["sd"] * math.sqrt(2 / ORDERS)


@pytest.mark.parametrize("name", those(r"fig16a\.(MIS|KLD)\.L\d"))
def test_limits_without_a_step_release_as_many_as_the_paper_prints(name):
    record, (_, _, test, target) = RECORDS[name], name.split(".")
    found = simulated(test, 0.2, 10_000, "moments").released_by_target[target]
    error = FAR * record["sd"] * math.sqrt(1 / ORDERS + 1 / 20)  # the paper averages over 20 orders
    within = {"MIS": 0.008, "KLD": 0.002}[test] * record["published_value"]
    assert abs(found - record["published_value"]) <= within + error


@pytest.mark.parametrize("name", those(r"fig16[ab]\.\w+\.total"))
def test_as_many_are_released_in_all(name):
    record, (_, figure, test, _) = RECORDS[name], name.split(".")
    totals = simulated(test, LEVELS[figure], 10_000).released.sum(axis=1)
    error = np.std(totals, ddof=1) * math.sqrt(2 / ORDERS)
    assert abs(totals.mean() - record["alternatives"]["simulation"]) <= FAR * error + 0.05


@pytest.mark.parametrize("name", those(r"fig19\..*"))
def test_as_many_sets_released_by_one_test_pass_another(name):
    record, (_, _, test, other) = RECORDS[name], name.split(".")
    found = simulated(test, 0.2, 5_000).passing(other.lower())
    assert abs(found - record["computed"]) <= record["tolerance"]
