"""Who is unique: known populations, estimates, households, special uniques, and what is refused."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.errors import ParameterError, SchemaError
from divulge.uniques.individual_risk import expected_reciprocal

PEOPLE = {
    "age": [22, 22, 22, 35, 35, 40, 41, 41],
    "sex": ["f", "f", "m", "m", "m", "f", "f", "m"],
}
DRAWN = {name: [values[row] for row in (0, 2, 3, 5)] for name, values in PEOPLE.items()}
KEYS = ["age", "sex"]


def document(*arguments, **options):
    with exact_counts():
        return dv.uniqueness(*arguments, keys=KEYS, **options).to_dict()


def test_a_known_population_says_what_each_group_is_worth():
    found = dv.uniqueness(DRAWN, keys=KEYS, population=PEOPLE)
    assert found.people.tolist() == [2, 1, 2, 1]
    assert found.risk.tolist() == [0.5, 1, 0.5, 1]
    with exact_counts():
        said = found.to_dict()
    # Of the groups of 41-year-olds nobody is in the table.
    assert said["known"] == {
        "unique": 2,
        "unique_in_population": 4,  # and both of 41 years
        "k_map": 1,
        "delta_presence": {"least": 0.0, "largest": 1.0},
    }
    assert said["match"]["value"] == 4 / 6
    assert (said["population_size"], said["fraction"]) == (8, 0.5)
    assert said["risk"]["expected"] == 3


def test_how_few_unique_people_of_the_population_are_not_in_the_table_is_not_said():
    """Fifty ages that nobody shares, of which two are not in the table."""
    everyone = {"age": [*range(50), *[99] * 20]}
    drawn = {"age": [*range(48), 99, 99]}
    said = dv.uniqueness(drawn, keys="age", population=everyone).to_dict()["known"]
    assert (said["unique"], said["unique_in_population"]) == (">45", "<53")
    with exact_counts():
        said = dv.uniqueness(drawn, keys="age", population=everyone).to_dict()["known"]
    assert (said["unique"], said["unique_in_population"]) == (48, 50)


def test_tables_in_a_database_are_read_record_by_record(tmp_path):
    with closing(sqlite3.connect(tmp_path / "people.db")) as base:
        for name, table in (("drawn", DRAWN), ("people", PEOPLE)):
            base.execute(f"CREATE TABLE {name} (age INTEGER, sex TEXT)")
            base.executemany(f"INSERT INTO {name} VALUES (?, ?)", list(zip(*table.values(), strict=True)))
        base.commit()
    drawn, people = (dv.read(f"sqlite:///{tmp_path / 'people.db'}", table=one) for one in ("drawn", "people"))
    assert sorted(dv.uniqueness(people, keys=KEYS).sample.sizes.tolist()) == [1, 1, 1, 1, 2, 2, 2, 2]
    found = dv.uniqueness(drawn, keys=KEYS, population=people, household="sex")
    assert sorted(found.people.tolist()) == [1, 1, 2, 2]


def test_values_are_the_same_in_both_tables_where_they_read_the_same():
    as_text = {"age": [str(age) for age in PEOPLE["age"]], "sex": PEOPLE["sex"]}
    assert dv.uniqueness(DRAWN, keys=KEYS, population=as_text).people.tolist() == [2, 1, 2, 1]


def test_a_population_that_lacks_people_of_the_sample_is_refused():
    fewer = {name: values[1:2] for name, values in PEOPLE.items()}
    with exact_counts(), pytest.raises(ParameterError, match="3 groups have fewer people"):
        dv.uniqueness(DRAWN, keys=KEYS, population=fewer)
    with pytest.raises(SchemaError, match="lacks sex"):
        dv.uniqueness(DRAWN, keys=KEYS, population={"age": PEOPLE["age"]})


def test_weights_say_how_many_people_a_group_stands_for():
    data = dv.read({**PEOPLE, "w": [4, 6, 2, 5, 5, 9, 1, 3]}, weights="w")
    found = dv.uniqueness(data, keys=KEYS)
    assert found.people.tolist() == [10, 10, 2, 10, 10, 9, 1, 3]
    sizes = np.array([2, 2, 1, 2, 2, 1, 1, 1])
    np.testing.assert_allclose(found.risk, expected_reciprocal(sizes, sizes / found.people))
    assert found.to_dict()["population_size"] == 35


def test_how_many_were_left_out_does_not_follow_from_the_share_that_is_in_the_table():
    """Two of 102 are suppressed: all were drawn, and 102 people are 0.16 of 638, and 0.102 of 1,001."""
    table = {"age": [*range(50), *range(50), "*", "*"]}
    found = dv.uniqueness(table, keys=["age"], fraction=0.16).to_dict()
    assert (found["counted"], found["population_size"], found["fraction"]) == (">97", 640, 0.16)
    found = dv.uniqueness(table, keys=["age"], size=1001).to_dict()
    assert (found["population_size"], found["fraction"]) == (1001, 0.1)


def test_suppressed_records_were_drawn_and_do_not_lower_the_risk_of_the_others():
    """100 of 1,000 were drawn, of which 80 are suppressed: 20 records in 4 groups stand for 200 people."""
    left = [age for age in (30, 40, 50, 60) for _ in range(5)]
    shown = dv.uniqueness({"age": left}, keys="age", fraction=0.1)
    starred = dv.uniqueness({"age": [*left, *["*"] * 80]}, keys="age", size=1000)
    assert (starred.population, starred.fraction, starred.counts.population) == (1000, 0.1, 200)
    np.testing.assert_allclose(starred.risk, shown.risk)
    assert starred.to_dict()["estimated"] == shown.to_dict()["estimated"]


def test_a_fraction_and_a_size_are_two_ways_to_say_the_same():
    assert document(PEOPLE, fraction=0.25) == document(PEOPLE, size=32)


def test_ends_come_without_a_number_and_what_a_model_says_has_its_own_name():
    """Everybody is unique: E(1/F) says seven people, and at least so many groups must be there."""
    found = dv.uniqueness({"age": [*range(990), *[2000] * 10]}, keys="age", fraction=0.001)
    risk = found.to_dict()["risk"]
    low, high = risk["interval"]
    assert risk["model"]["expected"] == pytest.approx(found.risk.sum())
    assert not low <= risk["model"]["expected"] <= high
    assert (risk["expected"], risk["average"], risk["largest"]) == (None, None, None)
    assert risk["undefined"]
    assert ("Benedetti" in risk["method"], "Benedetti" in risk["model"]["method"]) == (False, True)
    whole = dv.uniqueness({"age": [*range(90), *[2000] * 10]}, keys="age", fraction=1.0).to_dict()["risk"]
    assert (whole["expected"], whole["average"]) == (91, 0.91)


def test_without_a_population_the_risk_is_the_upper_bound():
    said = document(PEOPLE)
    assert said["population"] == {}
    assert said["spread"] is None
    assert said["match"] is None
    assert said["risk"]["expected"] == pytest.approx(2 * 0.5 + 2 * 0.5 + 4)
    assert "upper bound" in said["risk"]["method"]


def test_people_with_several_records_are_counted_once():
    table = {"id": [1, 1, 2, 3], "age": [22, 22, 22, 35]}
    found = dv.uniqueness(dv.read(table, identifiers="id"), keys="age")
    assert found.records()["group_size"] == [2, 2, 2, 1]
    assert found.sample.units == 3


def test_a_household_is_as_risky_as_all_its_people():
    table = {**PEOPLE, "home": ["a", "a", "b", "b", "c", "c", "d", "d"]}
    found = dv.uniqueness(table, keys=KEYS, household="home")
    assert found.records()["household_risk"] == [0.75, 0.75, 1, 1, 1, 1, 1, 1]
    assert found.to_dict()["risk"]["expected_by_household"] == 7.5


def test_each_record_says_which_sets_make_it_unique():
    found = dv.uniqueness(PEOPLE, keys=KEYS, special=True)
    assert found.sets_of(5) == [["age"]]
    assert found.sets_of(2) == [["age", "sex"]]
    assert found.sets_of(0) == []
    records = found.records()
    assert records["row"] == [*range(1, 9)]
    assert records["minimal_sets"][5] == [["age"]]
    assert records["score"] == [0, 0, 1, 0, 0, 1, 1, 1]


def test_values_are_named_where_that_is_asked():
    quiet, told = (document(PEOPLE, special=True, show_values=wanted)["special"] for wanted in (False, True))
    assert {one["value"] for one in quiet["by_value"]} == {None}
    assert {one["value"] for one in told["by_value"]} >= {"40", "f", "m"}
    assert sum(one["share"] for one in told["by_value"] if one["attribute"] == "age") == pytest.approx(
        told["by_attribute"]["age"]
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fraction": 0.0}, "sampled fraction is 0"),
        ({"fraction": 1.5}, "sampled fraction is 1.5"),
        ({"size": 3}, "3 people, and the table has 8"),
        ({"size": 30, "fraction": 0.1}, "its size and by a fraction"),
    ],
)
def test_what_cannot_be_a_population_is_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        dv.uniqueness(PEOPLE, keys=KEYS, **options)


def test_weights_below_one_are_refused():
    with pytest.raises(ParameterError, match="weight below 1"):
        dv.uniqueness(dv.read({**PEOPLE, "w": [0.5] + [1] * 7}, weights="w"), keys=KEYS)


def test_one_record_and_records_all_alike_have_reasons_instead_of_numbers():
    one = document({"age": [30], "sex": ["f"]}, fraction=0.1)
    alike = document({"age": [30] * 5, "sex": ["f"] * 5}, fraction=0.1)
    for said in (one, alike):
        for model in ("pitman", "snb"):
            assert said["population"][model]["uniques"] is None
            assert said["population"][model]["undefined"]


def test_the_chance_of_a_match_lies_in_its_interval():
    """Adult-like: 10 % of a known population; the truth lies between the ends in most draws."""
    rng = np.random.default_rng(2)
    ages, places = rng.integers(0, 60, 20_000), rng.zipf(1.6, 20_000) % 400
    held = 0
    for seed in range(20):
        rows = np.random.default_rng(seed).choice(20_000, 2000, replace=False)
        sample = {"age": ages[rows].tolist(), "place": places[rows].tolist()}
        found = dv.uniqueness(
            sample, keys=["age", "place"], population={"age": ages.tolist(), "place": places.tolist()}
        )
        estimated = dv.uniqueness(sample, keys=["age", "place"], fraction=0.1)
        held += estimated.match.low <= found.match.value <= estimated.match.high
    assert held >= 17


def test_records_that_are_left_out_do_not_shift_weights_rows_or_households():
    table = {
        "age": [22, None, 35, 22],
        "w": [2.0, 7.0, 3.0, 4.0],
        "home": ["a", "b", "c", "a"],
    }
    found = dv.uniqueness(dv.read(table, missing="drop", weights="w"), keys="age", household="home")
    assert found.records()["row"] == [1, 3, 4]
    assert found.people.tolist() == [6, 3, 6]
    first, other, last = found.records()["household_risk"]
    assert first == last != other


def test_few_unique_people_are_not_told_by_what_follows_from_them():
    table = {"age": [*range(3), *[40, 41, 42, 43, 44, 45] * 20]}
    said = dv.uniqueness(table, keys="age", fraction=0.1, special=True).to_dict()
    assert said["sample"]["unique"] == said["special"]["records"] == "<5"
    assert said["match"] is None
    assert {one["uniques"] for one in said["population"].values()} == {None}
    assert said["special"]["score_sum"] is said["special"]["dis_max"] is None
    assert {one["share"] for one in said["special"]["by_value"]} == {None}


def test_models_of_equal_chances_say_nothing_where_weights_differ():
    table = {"age": [*range(20), *[30] * 20], "w": [*[1.0] * 20, *[9.0] * 20]}
    said = dv.uniqueness(dv.read(table, weights="w"), keys="age").to_dict()
    assert said["match"] is None
    assert "weights differ" in said["population"]["zayatz"]["undefined"]
    assert said["risk"]["expected"] > 0


def test_a_population_counts_people_where_identifiers_say_who_they_are():
    people = {"id": [1, 1, 2, 3, 3], "age": [22, 22, 35, 35, 35]}
    data = dv.read({"id": [1, 1], "age": [22, 22]}, identifiers="id")
    found = dv.uniqueness(data, keys="age", population=people)
    assert found.people.tolist() == [1]
    assert found.population == 3
    twice = {"id": [*range(200)] * 2, "age": [*range(100)] * 4}
    assert dv.uniqueness(dv.read(twice, identifiers="id"), keys="age", fraction=0.5).population == 400


def test_a_person_weighs_the_mean_of_their_records_in_whatever_order_these_come():
    table = {"id": [1, 1, 2, 3, 3], "age": [22, 22, 22, 35, 40], "w": [9.0, 2.0, 4.0, 3.0, 5.0]}
    for order in ([0, 1, 2, 3, 4], [1, 0, 2, 3, 4], [4, 3, 2, 0, 1]):
        turned = {name: [values[row] for row in order] for name, values in table.items()}
        found = dv.uniqueness(dv.read(turned, identifiers="id", weights="w"), keys="age")
        # By hand: 5.5 + 4 + 4 people; 5.5 + 4 of them are 22, and 4 are 35 and 40.
        assert (found.population, sorted(found.people.tolist())) == (13.5, [4, 4, 9.5, 9.5])


def test_a_population_is_of_people_however_many_groups_these_are_in():
    visits = {"id": [1, 1, 2, 2, 3, 3], "age": [20, 21, 20, 21, 20, 21]}
    data = dv.read(visits, identifiers="id")
    for given in ({"size": 4}, {"fraction": 0.75}):
        found = dv.uniqueness(data, keys="age", **given)
        assert (found.population, found.fraction, found.people.tolist()) == (4, 0.75, [4.0] * 6)
    with pytest.raises(ParameterError, match="The population is 2 people, and the table has 3"):
        dv.uniqueness(data, keys="age", size=2)


def test_a_table_of_everyone_is_of_people_however_many_groups_these_are_in():
    everyone = {"id": [1, 1, 1, 2, 2, 3, 3, 4, 4], "age": [20, 21, 88, 20, 21, 20, 21, 99, 98]}
    visits = {"id": [1, 1, 1, 2, 2, 4, 4], "age": [20, 21, 88, 20, 21, 99, 98]}
    found = dv.uniqueness(dv.read(visits, identifiers="id"), keys="age", population=everyone)
    # Four people, three of them here; 1 and 4 are unique, the latter by two groups.
    assert (found.population, found.fraction) == (4, 0.75)
    assert (found.known.unique, found.known.unique_here) == (2, 2)
    assert sorted(found.people.tolist()) == [1, 1, 1, 3, 3, 3, 3]


def test_records_of_one_person_do_not_hide_each_other():
    table = {"id": [1, 1, 2, 3], "age": [22, 22, 35, 35], "sex": ["f", "f", "m", "f"]}
    found = dv.uniqueness(dv.read(table, identifiers="id"), keys=["age", "sex"], special=True)
    assert found.sets_of(0) == found.sets_of(1) == [["age"]]


def test_a_missing_value_that_fits_anything_is_refused():
    with pytest.raises(ParameterError, match="fits any value"):
        dv.uniqueness(dv.read({"age": [1, None]}, missing="wildcard"), keys="age")


def test_people_without_a_household_live_alone():
    table = {"age": [1, 1, 2, 2, 3, 3], "home": [None, None, None, None, "a", "a"]}
    found = dv.uniqueness(table, keys="age", household="home")
    assert found.records()["household_risk"] == [0.5, 0.5, 0.5, 0.5, 0.75, 0.75]
