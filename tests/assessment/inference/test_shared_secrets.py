"""Secrets that a group shares, however they are written: limits, units, intervals, parts, known values."""

import random

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.checks.measured import measured
from divulge.assessment.inference.asked.asked_cells import as_asked
from divulge.assessment.inference.asked.number_spellings import read_loosely
from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.inference.asked.text_parts import parts_of
from divulge.assessment.people.people_table import of_cells
from divulge.assessment.scope import Scope
from divulge.policy import USUAL

ILLS = ["flu", "cold", "asthma", "gout", "migraine", "eczema", "angina", "ulcer"]


def check(columns, **kw):
    data = dv.read(columns, quasi_identifiers="group", sensitive="secret", **kw)
    return learned(USUAL.learned, Scope(data))[0]


def told(value, groups=60, records=1800, told_to=10):
    """Groups of thirty; the first ten share a secret, ``value`` says what a record has."""
    dice = random.Random(3)
    group = [i % groups for i in range(records)]
    return {"group": group, "secret": [value(one < told_to, dice) for one in group]}


def salary(shared, dice):
    return (500_000 if shared else 20_000) + dice.randrange(10_000)


def listed(shared, dice):
    return sorted((["HIV"] if shared else []) + dice.sample(ILLS, 2 if shared else 3))


def test_a_limit_that_a_group_is_wholly_above_is_learned():
    rich = told(
        lambda shared, dice: dice.randrange(90, 150) if shared else dice.randrange(20, 90), told_to=20
    )
    found = check(rich)
    assert found.outcome == "fail"
    assert found.answer.sentence.startswith("group reveals the secret range of ")
    two = {**rich, "secret": ["high" if one >= 90 else "low" for one in rich["secret"]]}
    assert check(two).outcome == "fail"


def test_of_few_numbers_a_limit_is_learned_too():
    grades = told(lambda shared, dice: dice.randrange(5, 7) if shared else dice.randrange(1, 5), told_to=20)
    assert check(grades).outcome == "fail"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("size", [5, 30])
def test_numbers_and_lists_that_groups_say_nothing_of_are_not_learned(seed, size):
    dice = random.Random(seed)
    for value in (
        lambda: dice.gauss(0, 1),
        lambda: dice.randrange(8),
        lambda: None if dice.random() < 0.6 else dice.choice(ILLS),
        lambda: "; ".join(dice.sample(ILLS, 3)),
        lambda: f"{dice.choice(ILLS)}-{dice.randrange(300)}",
    ):
        columns = {"group": [i // size for i in range(900)], "secret": [value() for _ in range(900)]}
        found = check(columns)
        assert found.outcome != "fail"
        assert found.outcome == "pass" or "Chance alone" in found.answer.sentence


@pytest.mark.parametrize(
    "written",
    [
        "[{0}00, {1}00)".format,
        "{0}-{1}".format,
        lambda low, _: f"{low} p.a.",
        lambda low, _: f"{low} gross" if low % 4 else str(low),
        lambda low, _: f"see file {low}" if low % 8 == 0 else str(low),
    ],
)
def test_intervals_and_numbers_with_words_are_numbers(written):
    def value(shared, dice):
        low = salary(shared, dice)
        return written(low, low + 10)

    assert check(told(value)).outcome == "fail"


@pytest.mark.parametrize("mark", ["; ", ",", " | ", "/", "json"])
def test_what_all_lists_of_a_group_contain_is_learned(mark):
    def value(shared, dice):
        parts = listed(shared, dice)
        return str(parts).replace("'", '"') if mark == "json" else mark.join(parts)

    found = check(told(value))
    assert (found.outcome, found.concerned) == ("fail", 300)
    assert found.answer.sentence == (
        "group reveals a part of secret of 300 people (16.7%) with 90% certainty or more. "
        "16.7% of all people have this part."
    )


@pytest.mark.parametrize("mark", ["-", "_", ".", ""])
def test_codes_are_also_read_by_their_beginning(mark):
    def value(shared, dice):
        return f"{'HIV' if shared else dice.choice(['FLU', 'COL', 'AST', 'GOU'])}{mark}{dice.randrange(300)}"

    assert check(told(value)).outcome == "fail"


def test_signs_make_no_other_value():
    def value(shared, dice):
        return dice.choice(["HIV+", "HIV-pos", "hiv_pos"] if shared else ILLS)

    assert check(told(value)).outcome == "fail"


@pytest.mark.parametrize("missing", ["value", "wildcard", "drop"])
def test_what_those_with_a_known_value_share_is_learned(missing):
    def value(shared, dice):
        ill = "HIV" if shared else dice.choice(ILLS[:3])
        return ill if dice.random() < 0.3 else None

    found = check(told(value), missing=missing)
    assert found.outcome == "fail"


def test_texts_that_have_nothing_in_common_warn_where_most_differ():
    dice = random.Random(1)
    texts = ["".join(dice.choices("bcdfghjkl", k=12)) for _ in range(220)]
    columns = {"group": [i % 10 for i in range(300)], "secret": [texts[i % 220] for i in range(300)]}
    scope = Scope(dv.read(columns, quasi_identifiers="group", sensitive="secret"))
    said = measured(USUAL, scope, proposed=False).answer
    assert said.outcome == "warn"
    assert "single texts were compared, and not what they have in common" in said.sentence
    columns["secret"] = [f"{ILLS[i % 8]} {text}" for i, text in enumerate(columns["secret"])]
    scope = Scope(dv.read(columns, quasi_identifiers="group", sensitive="secret"))
    assert "single texts" not in measured(USUAL, scope, proposed=False).answer.sentence


def test_texts_with_numbers_in_them():
    found = read_loosely(["< 5", "5 to 7", "12 km", "Smith", "1:30"])
    assert found[:3].tolist() == pytest.approx([5, 6, 12])
    assert np.isnan(found[3])
    assert np.isnan(read_loosely(["ward 3"], units_only=True)).all()
    assert parts_of("E11.65") == {"e11", "e"}


def test_cells_up_to_a_limit_contain_each_other():
    # Two sets of four people each, with bands 0 0 1 2 and 1 2 2 2.
    table = of_cells(np.asarray([0, 1, 2, 6, 7]), np.asarray([2, 1, 1, 1, 3]), 5, 8)
    news = np.asarray([True, True, False, False, False])
    ways = {
        limit: as_asked(table, AskedValues(np.arange(5), 5, news, 3, limit=limit))
        for limit in ("at most", "at least")
    }
    most, least = ways["at most"], ways["at least"]
    assert most.count.tolist() == [2, 3, 4, 1, 4]
    assert most.having[:3].tolist() == [2, 4, 8]
    assert list(zip(least.owner.tolist(), least.value.tolist(), least.count.tolist(), strict=True)) == [
        (1, 2, 3),
        (1, 1, 4),
        (0, 2, 1),
        (0, 1, 2),
        (0, 0, 4),
    ]
    assert least.having[:3].tolist() == [8, 6, 4]
