"""What an audit says of each record: group, risk, and which values are revealed."""

import math
import sqlite3

import numpy as np
import polars
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.assessment.record_facts import record_columns, record_facts
from divulge.assessment.scope import Scope
from divulge.engines.out_of_core import opening
from divulge.errors import ParameterError, Undefined
from divulge.policy import USUAL, Population
from divulge.readings.frames import frame

# Two groups of three: in the first everyone has asthma, which three of seven have; 50 is unique.
TABLE = {
    "id": ["a", "b", "c", "d", "e", "f", "g"],
    "age": [20, 20, 20, 30, 30, 30, 50],
    "ill": ["asthma", "asthma", "asthma", "flu", "cold", "cold", "gout"],
}
ROLES = {"quasi_identifiers": "age", "sensitive": "ill"}


def facts(table=TABLE, *, population=None, **more):
    data = dv.read(table, **{**ROLES, **more})
    return record_facts(Scope(data, population=population), USUAL)


def test_each_record_has_its_group_and_risk_in_the_order_of_the_table():
    found = dv.audit(polars.DataFrame(TABLE), **ROLES, search=False).records()
    facts = ["record", "counted", "group_size", "risk", "unique", "ill_revealed"]
    assert found.columns == [*facts, "suda_score", "minimal_sets"]
    assert found["record"].to_list() == [1, 2, 3, 4, 5, 6, 7]
    assert found["group_size"].to_list() == [3, 3, 3, 3, 3, 3, 1]
    assert found["risk"].to_list() == [1 / 3] * 6 + [1]
    assert found["unique"].to_list() == [False] * 6 + [True]


def test_a_value_is_revealed_where_nine_in_ten_of_the_group_have_it_and_a_third_more_than_the_table():
    # By hand: 3 of 3 have asthma, in the table 3 of 7. At 30 no value has nine in ten; gout is 1 of 1.
    assert facts().revealed["ill"].tolist() == [True] * 3 + [False] * 3 + [True]
    everyone = {**TABLE, "ill": ["flu"] * 6 + ["gout"]}
    assert facts(everyone).revealed["ill"].tolist() == [False] * 6 + [True]  # flu is no news


def test_people_are_counted_where_an_identifier_groups_records():
    # Ann has all three records at 20, so she is alone there.
    found = facts({**TABLE, "id": ["ann", "ann", "ann", "d", "e", "f", "g"]}, identifiers="id")
    assert found.group_size.tolist() == [1, 1, 1, 3, 3, 3, 1]
    assert found.risk.tolist() == [1, 1, 1, 1 / 3, 1 / 3, 1 / 3, 1]


def test_the_risk_in_a_sample_is_that_of_the_check():
    found = facts(population=Population(size=7000))
    assert found.group_size.tolist() == [3, 3, 3, 3, 3, 3, 1]
    assert found.risk[0] == pytest.approx(0.001 / 2.001)  # by hand: a / (n - 1 + a), a one in a thousand


def test_records_that_are_left_out_have_no_group():
    found = facts({**TABLE, "age": [20, 20, 20, 30, 30, 30, None]}, missing="drop").columns()
    assert found["counted"].values.tolist() == [True] * 6 + [False]
    assert all(found[name].missing[6] for name in ("group_size", "risk", "unique"))


def test_a_key_names_the_records_instead_of_their_numbers():
    data = dv.read({**TABLE, "risk": TABLE["id"]}, **ROLES)
    found = facts().columns()
    assert frame(record_columns(data, found, "id"), "", "polars")["id"].to_list() == TABLE["id"]
    assert frame(record_columns(data, found, "age"), "", "pandas")["age"].tolist() == TABLE["age"]
    with pytest.raises(dv.DivulgeError, match="No attribute 'name'"):
        record_columns(data, found, "name")
    with pytest.raises(ParameterError, match="'risk' is called like a column of the records"):
        record_columns(data, found, "risk")


def shown(table, *, exact):
    with exact_counts(exact):
        return frame(facts(table).columns(), "", "polars")


def test_without_exact_counts_small_groups_hide_all_that_follows_from_them():
    found = shown({"age": [20] * 6 + [50], "ill": ["asthma", "flu"] * 3 + ["gout"]}, exact=False)
    assert found["group_size_hidden"].to_list() == [None] * 6 + ["<5"]
    for name in ("group_size", "risk", "unique", "ill_revealed"):
        assert found[name].to_list().index(None) == 6
    assert found["group_size"].to_list()[:6] == [6] * 6


def test_all_but_few_records_with_a_revealed_value_are_not_counted_out():
    table = {"age": [20] * 9 + [30] * 8 + [40, 41, 41], "ill": ["a"] * 9 + ["b"] * 8 + ["c", "d", "e"]}
    # By hand: all 9 a and 8 b are revealed in groups that may be counted, and c in one that may not.
    assert shown(table, exact=True)["ill_revealed"].sum() == 18
    assert shown(table, exact=False)["ill_revealed"].null_count() == 20


@pytest.mark.parametrize("given", [{"weights": "w"}, {"fraction": 0.25}, {"population": 600}])
def test_one_sample_has_one_risk_however_it_is_said(given):
    # 150 people in 200 groups of three: each has a record in four of them, and stands for four people.
    places = [
        (3 * group + person, f"{group}-{visit}")
        for group in range(50)
        for person in range(3)
        for visit in range(4)
    ]
    table = {
        "id": [who for who, _ in places],
        "z": [z for _, z in places],
        "ill": ["abcde"[n % 5] for n in range(600)],
    }
    table |= {"w": [4.0] * 600} if "weights" in given else {}
    with exact_counts():
        audit = dv.audit(table, quasi_identifiers="z", sensitive="ill", identifiers="id", **given)
        found = polars.DataFrame(audit.records())[
            ["group_size", "risk", "people", "population_risk"]
        ].unique()
    # By hand: n = 3 of F = 12 and a = 1/4, so a / (n - 1 + a); E(1/F) is r3 = p/q (1/2 - r2) with p = 1/4.
    r2 = (1 - math.log(4) / 3) / 3
    assert found.height == 1
    assert found.row(0) == pytest.approx((3, 1 / 9, 12, (1 / 2 - r2) / 3))
    [check] = [one for one in audit.checks if one.measure_name == "singled_out"]
    # Groups of three may have fewer than five people in so small a population, and nobody here is unique.
    assert (check.outcome, audit.to_dict()["numbers"][2]["value"]) == ("warn", pytest.approx(1 / 9))


def test_a_file_counted_on_disk_gives_the_same_records(tmp_path, monkeypatch):
    rows = [f"{20 + n % 7},{'abc'[n % 3]},{'xyz'[n % 5 % 3]},{n}" for n in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,ill,note", *rows]) + "\n")
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "ill"}
    here = facts(tmp_path / "people.csv", **roles)
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    on_disk = dv.read(tmp_path / "people.csv", **roles, memory="500MB")
    assert not on_disk.has_each_record()
    found = record_facts(Scope(on_disk), USUAL)
    for name in ("group_size", "risk"):
        assert np.array_equal(getattr(found, name), getattr(here, name))
    assert np.array_equal(found.revealed["ill"], here.revealed["ill"])
    column = record_columns(on_disk, found.columns(), "note")["note"]
    assert list(map(str, column.values[:3])) == ["0", "1", "2"]


def test_records_of_a_database_have_no_order(tmp_path):
    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people (age, ill)")
        database.executemany("INSERT INTO people VALUES (?, ?)", zip(TABLE["age"], TABLE["ill"], strict=True))
    with pytest.raises(Undefined, match="in a database or in Spark: they have no order"):
        facts(f"sqlite:///{tmp_path}/people.db#people")
