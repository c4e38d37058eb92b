"""Roughly known is known: narrow bands of numbers, years of dates, and spellings of one value."""

import random
from datetime import date, timedelta

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.inference.asked.approximate_questions import asked_roughly, folded
from divulge.assessment.inference.asked.sensitive_questions import SensitiveAnswers
from divulge.assessment.scope import Scope
from divulge.policy import USUAL
from divulge.table.codes import Codes

REGIONS = "NSEW"


def check(columns, sensitive="income"):
    keys = [name for name in columns if name != sensitive]
    return learned(USUAL.learned, Scope(dv.read(columns, quasi_identifiers=keys, sensitive=sensitive)))[0]


def by_region(value, records=400):
    """Four regions of equal size, and what a region says about a person."""
    dice = random.Random(5)
    region = [REGIONS[i % 4] for i in range(records)]
    return {
        "region": region,
        "sex": [dice.choice("mf") for _ in region],
        "income": [value(REGIONS.index(one) + 1, dice) for one in region],
    }


@pytest.mark.parametrize(
    "value",
    [
        lambda r, dice: 20000 * r + dice.randrange(10),
        lambda r, dice: 20000 * r + dice.randrange(4),  # sixteen numbers
        lambda r, dice: f"€{20000 * r + dice.randrange(1000):,}",
        lambda r, dice: 500 + dice.random() if r == 1 else dice.uniform(20000, 80000),
        lambda r, dice: 0 if r == 1 and dice.random() < 0.05 else 10**r * dice.uniform(1, 1.05),
    ],
    ids=["close", "few", "money", "a quarter", "ratios"],
)
def test_a_number_that_keys_give_almost_exactly_is_learned(value):
    found = check(by_region(value))
    assert found.outcome == "fail"
    assert found.answer.sentence.startswith("region reveals the income range of ")


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d.%m.%Y"])
def test_a_date_of_which_keys_give_the_year_is_learned(written):
    def day(r, dice):
        return (date(2009 + r, 1, 1) + timedelta(dice.randrange(365))).strftime(written)

    assert check(by_region(day)).outcome == "fail"

    def any_day(r, dice):
        return day(dice.randrange(1, 5), dice)

    assert check(by_region(any_day)).outcome == "pass"


@pytest.mark.parametrize("regions", [2, 4])
@pytest.mark.parametrize("skew", [0, 0.5, 1, 1.5])
def test_numbers_that_differ_by_a_standard_deviation_between_regions_are_not_learned(regions, skew):
    rng = np.random.default_rng(regions)
    region, sex = rng.integers(0, regions, 2000), rng.integers(0, 2, 2000)
    scale = rng.normal(size=2000) + region
    income = np.exp(10 + skew * scale) if skew else 30000 + 8000 * scale
    columns = {"region": region.tolist(), "sex": sex.tolist(), "income": income.round(2).tolist()}
    assert check(columns).outcome == "pass"


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)])
def test_unrelated_skewed_numbers_never_fail(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(200, 1200))
        keys = {name: rng.integers(0, most, n).tolist() for name, most in (("region", 12), ("age", 8))}
        income = rng.lognormal(10, (0.5, 1, 1.5, 2)[seed % 4], n).round(2).tolist()
        assert check(keys | {"income": income}).outcome != "fail"


def test_spellings_of_one_value_are_one():
    ills = {1: "hiv", 2: "flu", 3: "cold", 4: "gout"}

    def spelled(r, dice):
        ill = ills[r]
        return dice.choice([ill, ill.upper(), ill.title(), f" {ill}", f"{ill}\u200b", f"{ill}  "])

    found = check(by_region(spelled))
    assert (found.outcome, found.concerned) == ("fail", 400)

    def unrelated(r, dice):
        return spelled(dice.randrange(1, 5), dice)

    assert check(by_region(unrelated)).outcome == "pass"
    assert folded("\uff28\uff29\uff36") == "hiv"
    assert folded("h\u0456v") != "hiv"  # a letter of another script that looks alike


def test_what_differs_in_more_than_spelling_is_asked_once():
    def ways(values):
        column = Codes(np.arange(1, len(values) + 1), tuple(values))
        return asked_roughly(SensitiveAnswers(column, np.ones(len(values) + 1)))

    assert ways(["a", "b", "c"]) == []
    assert [one.limit for one in ways([1, 2, 3])] == ["at most", "at least"]  # a band of its own for each
    (one,) = ways(["a", "A", "unknown", "Unknown"])
    assert one.news.tolist() == [False, True]
