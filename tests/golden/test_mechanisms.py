"""Mechanisms make the tables of the thesis, and queries on them give its numbers."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import DivulgeError
from divulge.recipes.transform import transform
from divulge.utility.estimated_count import estimated_count

TABLES = Path(__file__).parent / "tables"
GOLDEN = {one["id"]: one for one in json.loads((TABLES.parent / "discrimination.json").read_text("utf-8"))}
AGES = [22, 22, 22, 45, 63, 40, 35, 35, 32]
BEHIND = {"Age*": {"≤ 32": range(18, 33), "> 32": range(33, 100)}}


def table(name):
    """A table of the thesis; salaries, printed as 4K, as numbers."""
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        name: [int(row[name].removesuffix("K")) if name.startswith("Salary") else row[name] for row in rows]
        for name in rows[0]
    }


def made(original, *steps):
    return transform(original, steps, keep_order=True).data


def test_recoding_makes_table_2_2_of_table_2_1(tmp_path):
    lines = [f"{age};{'≤ 32' if age <= 32 else '> 32'};*" for age in sorted(set(AGES))]
    (tmp_path / "age.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = made(
        table("thesis_table2_1.csv"),
        {"mechanism": "prefix", "attributes": ["ZIP Code"], "keep": 2},
        {
            "mechanism": "recode",
            "attributes": ["Age"],
            "hierarchy": str(tmp_path / "age.csv"),
            "level": 1,
        },
        {"mechanism": "remove", "attributes": ["Salary"]},
    )
    printed = table("thesis_table2_2.csv")
    assert set(zip(*found.values(), strict=True)) == set(zip(*printed.values(), strict=True))


def test_microaggregation_makes_table_2_6_of_table_2_1():
    original, printed = table("thesis_table2_1.csv"), table("thesis_table2_6.csv")
    original["Age"] = AGES
    step = {"mechanism": "microaggregation", "attributes": ["Age", "Salary"], "k": 3}
    found = made(original, {**step, "standardize": False})
    ages = [float(age) for age in found["Age"]]
    assert ages == pytest.approx([float(age) for age in printed["Age"]], abs=0.005)
    assert [round(float(one)) for one in found["Salary"]] == printed["Salary"]
    # Squared errors: of ages 298.667 (45, 63, 40 and 35, 35, 32 around their means), of salaries 19.333.
    lost = sum((np.asarray(AGES) - np.asarray(ages)) ** 2)
    salaries = np.asarray(original["Salary"], float)
    lost_too = sum((salaries - np.asarray([float(one) for one in found["Salary"]])) ** 2)
    assert (lost, lost_too) == (pytest.approx(298.667, abs=0.02), pytest.approx(19.333, abs=0.02))
    total = np.var(AGES) * 9 + np.var(salaries) * 9
    assert (lost + lost_too) / total == pytest.approx(0.2142, abs=5e-5)


def test_microaggregation_makes_table_6_6_of_table_6_5():
    original, printed = table("thesis_table6_5.csv"), table("thesis_table6_6.csv")
    found = made(original, {"mechanism": "microaggregation", "attributes": ["Salary"], "k": 3})
    assert [int(float(one)) for one in found["Salary"]] == printed["Salary*"]
    single = {"mechanism": "microaggregation", "attributes": ["Salary"], "k": 3, "method": "univariate"}
    assert made(original, single)["Salary"] == found["Salary"]


def test_the_query_of_section_2_5_4_on_the_generalized_table():
    released, ill = TABLES / "thesis_table2_2.csv", {"Disease": lambda one: one == "aids"}
    asked = {"Age*": lambda age: age >= 35, **ill}
    as_printed = estimated_count(released, asked, BEHIND, "one of the group")
    golden = GOLDEN["thesis.s2_5_4.generalized"]
    assert as_printed == pytest.approx(golden["computed"])
    assert golden["reading"] == "2 (aids values) * 1/(number of records with Age* > 32)"
    # Of the ages 33 to 99 behind '> 32' all but 33 and 34 fit: two people, each with 65 of 67.
    even = estimated_count(released, asked, BEHIND)
    assert even == pytest.approx(2 * 65 / 67)
    assert abs(even - GOLDEN["thesis.s2_5_4.true_count"]["computed"]) < 0.1


def test_an_estimate_needs_to_know_what_values_stand_for():
    with pytest.raises(DivulgeError, match="not said what some values of 'Age\\*' stand for"):
        estimated_count(TABLES / "thesis_table2_2.csv", {"Age*": bool}, {"Age*": {"> 32": [33]}})
