from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import ParameterError
from divulge.estimation.mechanisms.optimal import tradeoff_curve

PRIOR = [0.4, 0.3, 0.2, 0.1]


@pytest.mark.parametrize("goal", ["average", "worst", "information", "epsilon"])
def test_a_curve_never_gets_worse_with_more_budget(goal):
    curve = tradeoff_curve(PRIOR, loss="absolute", goal=goal, points=8)
    gained = np.diff([one.value for one in curve])
    assert len(curve) == 8
    assert ((gained if goal in ("average", "worst") else -gained) > -1e-8).all()


@pytest.mark.parametrize(("goal", "bends"), [("average", -1), ("information", 1)])
def test_average_privacy_is_concave_and_information_convex_in_the_budget(goal, bends):
    curve = tradeoff_curve(PRIOR, loss="squared", goal=goal, points=10)
    assert (bends * np.diff([one.value for one in curve], 2) > -1e-8).all()


def test_the_price_lies_between_the_slopes_on_either_side():
    curve = tradeoff_curve(PRIOR, loss="absolute", goal="information", points=9)
    slopes = -np.diff([one.value for one in curve]) / np.diff([one.budget for one in curve])
    for before, one, after in zip(slopes[:-1], curve[1:-1], slopes[1:], strict=True):
        assert after - 1e-9 <= one.price <= before + 1e-9


def test_a_curve_ends_where_nothing_more_is_gained():
    curve = tradeoff_curve(PRIOR, loss="hamming", points=5)
    assert curve[0].value == pytest.approx(0, abs=1e-12)
    assert curve[-1].value == pytest.approx(0.6)
    assert curve[-1].budget == pytest.approx(0.6)


def test_budgets_may_be_given():
    curve = tradeoff_curve(PRIOR, loss="hamming", budgets=[0.1, 0.3])
    assert [one.value for one in curve] == pytest.approx([0.1, 0.3])


def test_a_curve_of_one_point_is_refused():
    with pytest.raises(ParameterError, match="at least 2 points"):
        tradeoff_curve(PRIOR, loss="hamming", points=1)
