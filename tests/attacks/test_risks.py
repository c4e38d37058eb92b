"""Prosecutor, journalist and marketer, counted by hand."""

import pytest

import divulge as dv
from divulge import attacks

#: Classes of 1, 4, 5 and 10 records.
SIZES = {"a": 1, "b": 4, "c": 5, "d": 10}
TABLE = {"key": [name for name, size in SIZES.items() for _ in range(size)]}
#: As many people again of each class but the first, and some of whom nobody is in the release.
POPULATION = {
    "key": [name for name, size in {"a": 1, "b": 8, "c": 10, "d": 20, "e": 3}.items() for _ in range(size)]
}


def released(table=TABLE):
    return dv.read(table, quasi_identifiers="key")


def test_the_prosecutor_names_one_of_a_class():
    found = attacks.prosecutor(released())
    assert found.risk == found.details["highest"] == 1
    assert found.details["average"] == pytest.approx(4 / 20)
    # Above 0.2 are classes below 5, above 0.1 those below 10, above 0.05 all of them.
    assert [(one["threshold"], one["records"], one["share"]) for one in found.details["above"]] == [
        (0.2, 5, 0.25),
        (0.1, 10, 0.5),
        (0.05, 20, 1),
    ]
    assert (found.people, found.of) == (5, 20)
    assert "above 0.2 for 5 records (25%)" in found.sentence


def test_the_journalist_names_one_of_the_population():
    found = attacks.journalist(released(), dv.read(POPULATION))
    assert found.risk == 1
    assert found.details["average"] == pytest.approx((1 + 4 / 8 + 5 / 10 + 10 / 20) / 20)
    assert [one["records"] for one in found.details["above"]] == [1, 5, 10]
    assert found.details["population"] == 42


def test_the_marketer_links_everyone():
    alone = attacks.marketer(released())
    assert (alone.risk, alone.people, alone.of) == (pytest.approx(4 / 20), 4, 20)
    among = attacks.marketer(released(), dv.read(POPULATION))
    assert among.risk == pytest.approx((1 + 4 / 8 + 5 / 10 + 10 / 20) / 20)
    assert "12.5% of 20 records are linked to the right person if all are linked." in among.sentence


def test_a_population_is_matched_with_what_released_values_may_stand_for():
    data = dv.read({"Age": ["2*", "2*", "3*"]}, quasi_identifiers="Age")
    found = attacks.journalist(data, dv.read({"age": [21, 22, 23, 24, 30, 55]}))
    assert found.details["on"] == {"age": "Age"}
    assert found.details["average"] == pytest.approx((1 / 4 + 1 / 4 + 1) / 3)


def test_a_released_record_that_nobody_of_the_population_fits_is_no_risk_and_said():
    data = dv.read({"age": ["2*", "9*"]}, quasi_identifiers="age")
    population = dv.read({"age": [21, 22, 95]})
    assert attacks.journalist(data, population).details["without_a_match"] == 0
    lacking = attacks.marketer(data, dv.read({"age": [21, 22]}))
    assert lacking.details["unrecognised"] == 1
    assert (lacking.risk, lacking.of) == (pytest.approx(1 / 2), 1)


def test_a_population_that_lacks_people_of_the_release_makes_no_risk_above_that_of_the_release():
    found = attacks.journalist(released(), dv.read({"key": ["b"]}))
    assert found.risk == pytest.approx(1 / 4)
    assert found.of == 4


def test_people_with_several_records_count_once():
    table = {"key": ["x", "x", "x"], "name": ["a", "a", "b"]}
    data = dv.read(table, quasi_identifiers="key", identifiers="name")
    assert attacks.prosecutor(data).risk == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    "attack",
    [attacks.prosecutor, attacks.marketer, lambda data: attacks.journalist(data, dv.read(POPULATION))],
    ids=["prosecutor", "marketer", "journalist"],
)
def test_an_attack_that_cannot_be_tried_says_why(attack):
    for data in (dv.read(TABLE), dv.read({"key": ["*"]}, quasi_identifiers="key")):
        found = attack(data)
        assert found.risk is None
        assert found.undefined


def test_a_population_without_the_keys_is_of_no_use():
    nothing = dv.read({"other": ["a"]})
    for found in (attacks.journalist(released(), nothing), attacks.marketer(released(), nothing)):
        assert found.undefined == "the population table has none of the quasi-identifiers of the release"
