"""The utility figures of Sondeck's thesis (Tables 6.4, 6.8 and 6.9), read through needs as users write them.

Each record of ``discrimination.json`` for these tables is a line, or the whole, of one of the needs below;
``test_discrimination.py`` says where the records come from and why they are trusted.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.utility import needs_of, read_needs, utility

HERE = Path(__file__).parent
RECORDS = [
    record
    for record in json.loads((HERE / "discrimination.json").read_text(encoding="utf-8"))
    if record["id"].startswith(("thesis.t6_4.", "thesis.t6_8.", "thesis.t6_9."))
]

NEEDS = {
    "tables/thesis_table6_3.csv": """
        ["treatment by age"]
        target = "Disease"
        keys = ["Age*"]
        at_least = 0.6
    """,
    "tables/thesis_table6_6.csv": """
        ["(1)(a)"]
        target = "Salary*"
        keys = "Age"
        partitions = { "Salary*" = { "[0K, 5K[" = ["4K"], "[5K, 10K[" = ["8K"], "[10K, 15K[" = ["13K"] } }

        ["(1)(b)"]
        target = "Salary*"
        keys = ["ZIP Code", "Age"]
        partitions = { "Salary*" = { "[0K, 5K[" = ["4K"], "[5K, 10K[" = ["8K"], "[10K, 15K[" = ["13K"] } }

        ["(1)(c)"]
        target = "Salary*"
        keys = "Age"
        [ "(1)(c)".partitions ]
        Age = { bins = [35] }
        "Salary*" = { "[0K, 5K[" = ["4K"], "[5K, 10K[" = ["8K"], "[10K, 15K[" = ["13K"] }
    """,
    "tables/thesis_table6_7.csv": """
        ["(2)(a)"]
        target = "Salary**"
        keys = "Age"

        ["(2)(b)"]
        target = "Salary**"
        keys = ["ZIP Code", "Age"]

        ["(2)(c)"]
        target = "Salary**"
        keys = "Age"
        partitions = { Age = { bins = [35] } }
    """,
}
BINS = {"< 35": "< 35", "≥ 35": "[35, inf)"}  # the thesis's names and those of bins


@cache
def readings(table):
    data = dv.read(HERE / table)
    with exact_counts(True):
        return [utility(data, need, show_values=True) for need in needs_of(tomllib.loads(NEEDS[table]))]


def reading_of(record):
    grouped = record["key_partition"] is not None
    [found] = [
        one
        for one in readings(record["table"])
        if list(one.keys) == record["Y"] and one.name.endswith("(c)") == grouped
    ]
    assert found.target == record["X"]
    return found


def line_of(found, record):
    label = ", ".join(BINS.get(value, value) for value in record["y"])
    [line] = [line for line in found.lines if line.label == label]
    return line.utility


def test_the_three_tables_have_42_figures():
    assert len(RECORDS) == 42


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_a_need_gives_the_figure(record):
    found = reading_of(record)
    value = found.utility if record["y"] is None else line_of(found, record)
    assert value == pytest.approx(record["computed"], abs=1e-9)


def test_every_value_of_the_tables_has_its_line():
    told = sum(1 + len(found.lines) for table in NEEDS for found in readings(table))
    assert told == len(RECORDS)


def test_treatment_by_age_reads_the_printed_six_tenths_from_a_file(tmp_path):
    path = tmp_path / "need.toml"
    path.write_text(NEEDS["tables/thesis_table6_3.csv"], encoding="utf-8")
    [need] = read_needs(path)
    found = utility(dv.read(HERE / "tables/thesis_table6_3.csv"), need)
    assert f"{found.utility:.1f}" == "0.6"
    assert found.enough
