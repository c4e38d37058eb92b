"""Numbers and days as people write them are asked in the same bands as plain ones."""

from datetime import date, timedelta

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.inference.asked.number_spellings import read_alike
from divulge.assessment.scope import Scope
from divulge.policy import USUAL

INCOMES = [40_000 + 10 * place for place in range(15)] + [1_000 * place + 7 for place in range(5, 305)]
TOWNS = ["a"] * 15 + [f"t{place % 6}" for place in range(300)]


def english(number):
    return f"{number:,}"


def continental(number):
    return f"{number:,}".replace(",", ".")


SPELLINGS = {
    "thousands": english,
    "points": lambda n: continental(n) + ",00",
    "decimal comma": lambda n: f"{n},00",
    "euro": lambda n: f"€{n}",
    "dollar": lambda n: f"${english(n)}.00",
    "code": lambda n: f"{continental(n)} EUR",
    "spaces": lambda n: english(n).replace(",", "\u202f") + " kr",
    "thousand": lambda n: f"{n / 1000:.3f}K",
    "million": lambda n: f"{n / 1e6:.6f} m",
    "percent": lambda n: f"{n / 1000} %",
    "d/m/y": lambda n: (date(1900, 1, 1) + timedelta(n // 10)).strftime("%d/%m/%Y"),
    "d.m.y": lambda n: (date(1900, 1, 1) + timedelta(n // 10)).strftime("%d.%m.%Y"),
    "m/d/y": lambda n: (date(1900, 1, 1) + timedelta(n // 10)).strftime("%m/%d/%Y"),
    "time": lambda n: (date(1900, 1, 1) + timedelta(n // 10)).strftime("%Y-%m-%dT10:15:00"),
}


def outcome(texts):
    data = dv.read({"town": TOWNS, "income": texts}, quasi_identifiers="town", sensitive="income")
    (found,) = learned(USUAL.learned, Scope(data))
    return found.outcome, found.concerned


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_band_is_learned_however_its_numbers_are_written(spelling):
    plain = [n // 10 for n in INCOMES] if spelling in ("d/m/y", "d.m.y", "m/d/y", "time") else INCOMES
    expected = outcome(plain)
    assert expected[0] == "fail"
    assert outcome([SPELLINGS[spelling](n) for n in INCOMES]) == expected


def test_one_way_reads_all_values():
    days = ["01/02/2020", "25/12/2020", "03/04/2021"]  # 25 is no month
    found = read_alike(days)
    assert found.tolist() == [date(2020, 2, 1).toordinal(), date(2020, 12, 25).toordinal(), 737883]
    assert date.fromordinal(737883) == date(2021, 4, 3)
    assert read_alike(["1.234,50", "999,00", "12"]).tolist() == [1234.5, 999, 12]
    assert read_alike(["1,234", "999"]).tolist() == [1234, 999]
    assert read_alike(["(5)", "+-5", "1,2,3", "B20", "31/02/2020x"]).tolist() != [5] * 5
    assert np.isnan(read_alike(["+-5", "1,2,3", "B20", "30.02.2020", "$", "K"])).all()
    assert read_alike(["-$1,000", "$-20", "−3.5"]).tolist() == [-1000, -20, -3.5]
