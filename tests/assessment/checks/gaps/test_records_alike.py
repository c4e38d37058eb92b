"""Several records of one person, whom nobody named: a pseudonym, a table pasted, records alike."""

import random

import pytest

import divulge as dv
from divulge.assessment.checks.measured import measured
from divulge.assessment.scope import Scope
from divulge.policy import USUAL


def gaps(columns, keys):
    sensitive = "ill"
    scope = Scope(dv.read(columns, quasi_identifiers=keys, sensitive=sensitive))
    return measured(USUAL, scope, proposed=False).answer


@pytest.mark.parametrize("visits", [10, 25, 40])
def test_a_pseudonym_is_noticed_however_many_records_each_has(visits):
    dice = random.Random(1)
    cards = [f"C{dice.randrange(10**8, 10**9)}" for _ in range(100)] * visits
    columns = {
        "card": cards,
        "clinic": [dice.randrange(12) for _ in cards],
        "day": [dice.randrange(7) for _ in cards],
        "ill": [dice.choice("abcd") for _ in cards],
    }
    found = gaps(columns, ["clinic", "day"])
    assert found.outcome == "warn"
    assert "'card' may distinguish people who have several records" in found.sentence
    if visits < 20:  # few records of a town are linked by it as those of a person are
        return
    towns = {**columns, "card": [f"town of {card[1:3]}" for card in cards]}
    assert "several records" not in gaps(towns, ["clinic", "day"]).sentence


@pytest.mark.parametrize("extra", [[("z", "a")], [("0", "b"), ("1", "b"), ("z", "a")]])
def test_a_few_records_more_do_not_hide_that_a_table_was_pasted(extra):
    dice = random.Random(9)
    rows = [(str(dice.randrange(50)), dice.choice("abcdef")) for _ in range(600)] * 6 + extra
    said = gaps({"age": [age for age, _ in rows], "ill": [ill for _, ill in rows]}, ["age"]).sentence
    assert "nearly all occur a multiple of 6 times" in said


def of_people(people, rows, grouped=False):
    dice = random.Random(4)
    born = [
        f"{dice.randrange(1930, 2015)}-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}"
        for _ in range(people)
    ]
    place = [dice.randrange(10_000, 99_999) for _ in range(people)]
    sex = [dice.choice("mf") for _ in range(people)]
    columns = {"zip": [], "born": [], "sex": [], "ill": []}
    for one in range(people * rows):
        columns["zip"].append(place[one % people] // (10_000 if grouped else 1))
        columns["born"].append(born[one % people][: 3 if grouped else 10] + ("0s" if grouped else ""))
        columns["sex"].append(sex[one % people])
        columns["ill"].append(dice.choice("abcdef"))
    return columns


def test_records_alike_by_full_dates_of_birth_may_be_of_one_person():
    keys = ["zip", "born", "sex"]
    said = gaps(of_people(200, 5), keys)
    assert said.outcome == "warn"
    assert "Are they several records of one person?" in said.sentence
    assert "one person" not in gaps(of_people(200, 5, grouped=True), keys).sentence
    assert "one person" not in gaps(of_people(1000, 1), keys).sentence


def test_an_attribute_of_which_all_is_suppressed_ends_no_audit():
    columns = of_people(200, 5)
    columns["zip"] = ["*"] * len(columns["zip"])
    found = dv.audit(columns, quasi_identifiers=["zip", "born", "sex"], sensitive=["ill"])
    assert found.outcome in ("pass", "warn")
    assert "one person" not in gaps(columns, ["zip", "born", "sex"]).sentence  # by two keys chance may do it


@pytest.mark.parametrize(
    ("code", "visits", "noticed"),
    [("{a}{b}{n:02}", 25, True), ("{a}{b}{n:02}", 60, False), ("{a}{n:02}.{b}", 25, False)],
)
def test_initials_and_a_year_are_a_pseudonym_of_someone_with_a_few_records(code, visits, noticed):
    dice = random.Random(1)
    own = [code.format(a="ABCDEFGHKL"[n % 10], b="MNPRSTVWXYZ"[n % 11], n=30 + n % 60) for n in range(100)]
    columns = {
        "code": own * visits,
        "clinic": [dice.randrange(12) for _ in own * visits],
        "day": [dice.randrange(7) for _ in own * visits],
        "ill": [dice.choice("abcd") for _ in own * visits],
    }
    assert ("several records" in gaps(columns, ["clinic", "day"]).sentence) == noticed
