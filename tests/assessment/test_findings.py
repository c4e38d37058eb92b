"""Warnings and hints: each is found where it was planted, and not where it was not."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.assessment import _profiles
from divulge.assessment.drivers.rates import all_rates
from divulge.assessment.findings import hints, warnings
from scenes import scope


def look(table, **reading):
    asked = scope(table, **reading)
    rates = all_rates(asked)
    profiles = _profiles(asked, None)
    found = warnings(asked.data, profiles, rates)
    return (
        [(one.kind, one.attributes) for one in found],
        [(one.kind, one.attribute, one.values, one.records) for one in hints(asked.data, profiles)],
    )


def table(**columns):
    ill = [("flu", "flu", "cold", "flu", "cold")[i // 10 % 5] for i in range(200)]
    plain = {"age": [str(20 + i % 10) for i in range(200)], "ill": ill}
    return plain | columns


def test_a_plain_table_gives_no_warning_and_no_hint():
    assert look(table(), keys="age") == ([], [])


def test_a_constant_a_duplicate_and_a_gap():
    double = [{"flu": "J11", "cold": "J00"}[v] for v in table()["ill"]]
    gap = [None if i % 3 else "yes" for i in range(200)]
    found, _ = look(table(country=["NO"] * 200, code=double, gap=gap), keys="age")
    assert found == [
        ("proxy", ("code", "ill")),
        ("duplicate", ("ill", "code")),
        ("constant", ("country",)),
        ("missing", ("gap",)),
    ]


def test_values_with_the_same_frequencies_are_no_duplicate_unless_they_go_together():
    found, _ = look(table(other=["a", "b", "a", "b", "a"] * 40), keys="age")
    assert found == []


@pytest.mark.parametrize(("twice", "kind"), [(1, "nearly unique"), (0, "unique")])
def test_a_nearly_unique_attribute(twice, kind):
    readings = [str(i / 7)[:6] for i in range(200 - twice)]
    data = dv.read(table(reading=readings + readings[:twice]), quasi_identifiers="age")
    said = [one for one in dv.audit(data, search=False).warnings if one.attributes == ("reading",)]
    assert [one.kind for one in said] == [kind]
    assert said[0].sentence.startswith(f"reading is {kind}: {200 - twice} values on 200 records.")


def test_a_lone_value_a_misspelling_and_a_number_far_out():
    job = ["teacher", "plumber"] * 100
    job[7], job[8] = "teachr", "astronaut"
    age = list(table()["age"])
    age[3] = "412"
    _, found = look(table(job=job, age=age), keys=("age", "job"))
    assert found == [
        ("lone value", "age", 1, 1),
        ("outlier", "age", 1, 1),
        ("lone value", "job", 2, 2),
        ("spelling", "job", 1, 1),
    ]


@pytest.mark.parametrize("odd", ["Teacher", " teacher", "teacher "])
def test_case_and_spaces_are_a_matter_of_spelling(odd):
    job = ["teacher", "plumber"] * 100
    job[0] = odd
    assert ("spelling", "job", 1, 1) in look(table(job=job), keys=("age", "job"))[1]


def test_numbers_are_not_misspelled():
    assert look(table(zip=["10115", "10117"] * 99 + ["10119", "10178"]), keys=("age", "zip"))[1] == [
        ("lone value", "zip", 2, 2)
    ]


def test_what_a_sparse_attribute_tells_by_chance_gives_nothing_away():
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        codes, ill = rng.integers(0, 3000, 200), rng.choice(["flu", "cold"], 200, p=[0.8, 0.2])
        unrelated = {"age": rng.integers(20, 30, 200).tolist(), "code": codes.tolist(), "ill": ill.tolist()}
        reading = dv.measure(unrelated, "discrimination_rate", keys="code", target="ill")
        found += (reading.adjusted or 0) >= 0.5
        assert "proxy" not in {kind for kind, _ in look(unrelated, keys=("age", "code"))[0]}
    assert found > 2  # by the adjusted rate alone these would be said to give it away


def test_a_proxy_says_how_far_unrelated_data_reach():
    double = [{"flu": "J11", "cold": "J00"}[v] for v in table()["ill"]]
    asked = scope(table(code=double), keys="age")
    found = warnings(asked.data, _profiles(asked, None), all_rates(asked))
    [said] = [one.sentence for one in found if one.kind == "proxy"]
    assert said.startswith("code predicts ill: it gives 100% of the information about it; unrelated data ")
    assert "give 0.4% on average and up to 2.5%." in said


def test_a_constant_that_is_called_a_weight_may_be_one():
    rows = {"sampling_weight": [100] * 30, "age": [*range(30)]}
    (found,) = [one for one in dv.audit(dv.read(rows)).warnings if one.kind == "constant"]
    assert found.sentence.endswith("with --weights sampling_weight, or in a policy as weights under [data].")
