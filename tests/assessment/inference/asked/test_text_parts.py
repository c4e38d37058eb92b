"""What texts share is learned, be it a year, a number with a letter after it, or a word without spaces."""

import random
from datetime import date, timedelta

import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.scope import Scope
from divulge.policy import USUAL

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
ILLS = ["流感", "痛风", "哮喘", "糖尿病", "艾滋病"]


def outcome(value):
    dice = random.Random(3)
    group = [i % 60 for i in range(1800)]
    columns = {"group": group, "secret": [value(one < 10, dice) for one in group]}
    data = dv.read(columns, quasi_identifiers="group", sensitive="secret")
    (found,) = learned(USUAL.learned, Scope(data))
    return found.outcome, found.concerned


def year(shared, dice):
    return 2019 if shared else dice.randrange(1950, 2020)


def day(shared, dice):
    return date(year(shared, dice), 1, 1) + timedelta(dice.randrange(365))


def staged(shared, dice):
    return ["IVA", "IVB", "IV"] if shared else ["IA", "I", "IIA", "IIB", "IIIA", "IIIB", "IVA", "IVB", "IV"]


TOLD = {
    "day": lambda s, d: (lambda one: f"{one.day} {MONTHS[one.month - 1]} {one.year}")(day(s, d)),
    "American": lambda s, d: (lambda one: f"{MONTHS[one.month - 1]} {one.day}, {one.year}")(day(s, d)),
    "month": lambda s, d: f"{d.choice(MONTHS)} {year(s, d)}",
    "quarter": lambda s, d: f"Q{d.randrange(1, 5)} {year(s, d)}",
    "quarter last": lambda s, d: f"{year(s, d)} Q{d.randrange(1, 5)}",
    "week": lambda s, d: f"week {d.randrange(1, 53)} of {year(s, d)}",
    "one month": lambda s, d: f"{'Mar' if s else d.choice(MONTHS)} {d.randrange(1950, 2020)}",
    "stage": lambda s, d: f"Stage {d.choice(staged(s, d))}",
    "grade": lambda s, d: f"grade {4 if s else d.randrange(1, 6)}{d.choice(['', 'a', 'b'])}",
    "Chinese": lambda s, d: (
        d.choice(["患者有", "病人确诊"]) + (ILLS[4] if s else d.choice(ILLS)) + d.choice("。!;")
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_all_texts_of_a_group_have_in_common_is_learned(name):
    assert outcome(TOLD[name]) == ("fail", 300)


@pytest.mark.parametrize("name", TOLD)
def test_what_a_group_does_not_share_is_not(name):
    assert outcome(lambda _, dice: TOLD[name](False, dice))[0] == "pass"
