"""How many people of a population share what rows show, in whatever groups they are counted."""

from collections import Counter

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.people.everyone import Everyone
from divulge.assessment.people.people import rows_of
from divulge.table.partition import Partition
from divulge.uniques.account import uniqueness

RNG = np.random.default_rng(3)
PEOPLE = {"age": RNG.integers(20, 40, 400).tolist(), "sex": RNG.choice(["f", "m"], 400).tolist()}
DRAWN = {name: values[:60] for name, values in PEOPLE.items()}
BANDS = Partition.bins([25, 30], attribute="age")


def alike(drawn, people, keys, partitions=None, **roles):
    data = dv.read(drawn, quasi_identifiers=list(keys), **roles)
    rows = rows_of(data, partitions or {}, list(keys))
    numbers, bound = rows.sets(keys)
    return Everyone.beside(dv.read(people), data).alike(rows, keys, numbers, bound)[numbers].tolist()


def counted(drawn, people, keys, seen=lambda name, value: value):
    def shown(table):
        return list(zip(*([seen(key, value) for value in table[key]] for key in keys), strict=True))

    times = Counter(shown(people))
    return [times[row] for row in shown(drawn)]


@pytest.mark.parametrize("keys", [["age"], ["age", "sex"]])
def test_people_are_counted_as_by_hand(keys):
    assert alike(DRAWN, PEOPLE, keys) == counted(DRAWN, PEOPLE, keys)


def test_so_are_they_in_groups_of_values():
    def band(name, value):
        return value if name == "sex" else (value >= 25) + int(value >= 30)

    found = alike(DRAWN, PEOPLE, ["age", "sex"], {"age": BANDS})
    assert found == counted(DRAWN, PEOPLE, ["age", "sex"], band)


def test_groups_of_the_tables_own_values_leave_other_values_of_the_population_out():
    young = sorted({age for age in DRAWN["age"] if age < 30})
    old = sorted({age for age in DRAWN["age"] if age >= 30})
    partition = Partition.of({"young": young, "old": old}, attribute="age")
    more = {"age": [*PEOPLE["age"], 19, 77, None], "sex": [*PEOPLE["sex"], "f", "f", "f"]}
    known = {*DRAWN["age"]}
    people = Counter(age >= 30 for age in PEOPLE["age"] if age in known)
    assert alike(DRAWN, more, ["age"], {"age": partition}) == [people[age >= 30] for age in DRAWN["age"]]


def test_people_with_several_records_count_once():
    drawn = {"id": [1, 2], "age": [22, 35]}
    people = {"id": [1, 1, 1, 2, 3, 4], "age": [22, 22, 35, 35, 22, 50]}
    assert alike(drawn, people, ["age"], identifiers="id") == [2, 2]
    assert Everyone.beside(dv.read(people), dv.read(drawn, identifiers="id")).people == 4


def test_nobody_has_what_a_row_does_not_show():
    assert alike({"age": ["*", "22"]}, {"age": ["22", "35"]}, ["age"]) == [0, 1]


YEARS = {name: values * 10 for name, values in PEOPLE.items()}
NUMBERED = YEARS | {"person": [f"P{n:04}" for n in range(400)] * 10}


@pytest.mark.parametrize("declared", [(), ("person",)])
def test_the_rows_of_a_person_in_a_register_are_one_person(declared):
    sample = dv.read(DRAWN, quasi_identifiers=["age", "sex"])
    assert Everyone.beside(dv.read(NUMBERED), sample, declared).people == 400
    assert alike(DRAWN, NUMBERED, ["age", "sex"]) == counted(DRAWN, PEOPLE, ["age", "sex"])
    doctors = YEARS | {"doctor": [f"D{n % 7}" for n in range(4000)]}
    assert Everyone.beside(dv.read(doctors), sample).people == 4000
    called = {("code" if name == "person" else name): values for name, values in NUMBERED.items()}
    assert Everyone.beside(dv.read(called), sample, ["code"]).people == 400


def test_a_population_that_was_pasted_or_has_a_row_for_each_year_is_a_gap():
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}
    table = DRAWN | {"ill": RNG.choice(["flu", "cold"], 60).tolist()}

    def gap(people):
        found = dv.audit(table, population=dv.read(people), search=False, **roles)
        return next(one.sentence for one in found.checks if one.name == "Gaps in what was measured")

    dated = YEARS | {"year": [2010 + n // 400 for n in range(4000)]}
    for people in (YEARS, dated):
        assert "occur a multiple of 10 times" in gap(people)
    assert "population table" not in gap(PEOPLE)
    assert "population table" not in gap(NUMBERED)


def test_figures_of_the_population_count_people_of_a_register_too():
    roles = {"quasi_identifiers": ["age", "sex"]}
    fewest = min(counted(DRAWN, PEOPLE, ["age", "sex"]))
    asked = {
        "attributes": dict.fromkeys(["age", "sex"], "quasi-identifier"),
        "thresholds": {"k_map": {"min": 5}},
    }
    numbered = {name: values for name, values in NUMBERED.items() if name != "person"}
    for person in ("person", "code"):
        rule = {"attributes": asked["attributes"] | {"code": "identifier"}}
        policy = asked | rule if person == "code" else asked
        people = dv.read(numbered | {person: NUMBERED["person"]})
        drawn = DRAWN | ({"code": NUMBERED["person"][:60]} if person == "code" else {})
        found = dv.audit(drawn, policy, population=people, search=False)
        [check] = [one for one in found.checks if one.measure_name == "k_map"]
        assert check.found == fewest
    assert uniqueness(dv.read(DRAWN, **roles), population=dv.read(NUMBERED)).known.people == 400
