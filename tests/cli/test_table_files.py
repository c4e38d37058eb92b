"""Tables and records as files: CSV and Parquet, whole or not at all, and never over another file unasked."""

import csv
import os
import sqlite3
import stat
from pathlib import Path

import duckdb
import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.cli.table_files import csv_text, write_records
from divulge.errors import SourceError
from divulge.readings.frames import COUNT, FrameColumn

ROWS = "id,age,ill\n" + "".join(f"p{i},{30 + i // 6},{'abc'[i % 3]}\n" for i in range(31))
ROLES = ("--quasi-identifiers", "age", "--sensitive", "ill")
POLICY = """
[data]
source = "data/people.csv"
[attributes]
age = "quasi-identifier"
[thresholds]
k_anonymity = { min = 2 }
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/people.csv").write_text(ROWS)
    Path("divulge.toml").write_text(POLICY)
    return tmp_path


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_an_audit_under_a_policy_reads_the_table_that_it_names_and_writes_all_that_is_asked_for(place):
    records = ("--records", "risk.parquet", "--row-key", "id")
    code, out, err = run("audit", "--policy", "divulge.toml", "--csv-folder", "tables", *records)
    assert code == 1, err
    assert "Report: people-audit.html" in out
    assert "Risk of each record, to be kept with the data: risk.parquet" in out
    for name, column in {"checks": "title", "attributes": "name", "combinations": "keys"}.items():
        assert f"Table: tables/{name}.csv" in out
        assert rows_of(f"tables/{name}.csv")[0][column]
    found = duckdb.sql("FROM 'risk.parquet'")
    first = ["id", "counted", "group_size", "risk", "unique"]
    assert found.columns[:5] == first
    assert found.select(*first).fetchall()[29:] == [
        ("p29", True, 6, 1 / 6, False),
        ("p30", True, 1, 1.0, True),
    ]
    assert stat.S_IMODE(os.stat("risk.parquet").st_mode) == 0o600
    before = Path("risk.parquet").read_bytes()
    code, _, err = run("audit", "--policy", "divulge.toml", *records)
    assert (code, err) == (
        2,
        "divulge: risk.parquet is there already. Name another file, or allow it with --overwrite.\n",
    )
    assert Path("risk.parquet").read_bytes() == before


def test_a_check_writes_its_tables_and_the_file_is_that_of_the_policy(place):
    code, out, _ = run("check", "--policy", "divulge.toml", "--csv-folder", "tables")
    assert code == 1
    assert "people.csv: 31 records" in out
    assert sorted(os.listdir("tables")) == ["attributes.csv", "checks.csv"]
    assert [one["outcome"] for one in rows_of("tables/checks.csv")].count("fail") >= 1


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (["audit"], "No FILE was given. Name a table, or a policy that names one"),
        (["audit", "data/people.csv", "--row-key", "id"], "--row-key goes with --records."),
        (["audit", "data/people.csv", "--records", "risk.txt"], "The ending of risk.txt says no form"),
        (["audit", "data/people.csv", *ROLES, "--records", "r.csv", "--row-key", "no"], "No attribute 'no'"),
        (
            ["audit", "data/people.csv", "--records", "data/people.csv", "--overwrite"],
            "is already one of the files that are read",
        ),
        (
            ["audit", "data/people.csv", "--csv-folder", "divulge.toml"],
            "divulge.toml is a file, not a folder.",
        ),
        (
            ["check", "--policy", "divulge.toml", "--junit", "data/people.csv"],
            "people.csv does not end in .xml, which is what would be written.",
        ),
        (["audit", "data/people.csv", "--csv-folder", "tab.csv"], "tab.csv would be a folder, and its name"),
        (["audit", "data/people.csv", "--strict"], "--strict goes with --policy: without a policy"),
        (["check", "--policy", "divulge.toml", "--csv-folder", "no/such"], "there is no folder no."),
        (["measure", "data/people.csv", "--keys", "age", "--json", "--csv", "-"], "cannot both be printed"),
        (
            ["measure", "data/people.csv", "--keys", "age", "--csv", "data/people.csv"],
            "is already one of the files that are read",
        ),
    ],
    ids=lambda one: " ".join(one[-2:]) if isinstance(one, list) else "",
)
def test_what_cannot_be_meant_is_refused_with_a_sentence(asked, sentence, place):
    code, out, err = run(*asked)
    assert (code, out) == (2, "")
    assert sentence in err
    assert Path("data/people.csv").read_text() == ROWS


def test_records_of_a_database_have_no_order_and_the_exit_code_says_so(place):
    with sqlite3.connect("people.db") as database:
        database.execute("CREATE TABLE people (age, ill)")
        database.executemany("INSERT INTO people VALUES (?, ?)", [(20, "flu"), (30, "cold")])
    asked = ("audit", "sqlite:///people.db", "--table", "people", *ROLES, "--records", "r.csv")
    code, out, err = run(*asked)
    assert (code, out) == (3, "")
    assert "they have no order. Export the table to a file" in err
    assert not Path("r.csv").exists()


def test_readings_as_csv_are_those_of_the_frame(place):
    table = {"age": ["20", "20", "30"], "ill": ["flu", "cold", "flu"]}
    readings = dv.measure(table, ["k_anonymity", "discrimination_rate"], keys="age", target="ill")
    text = csv_text(readings.columns()).splitlines()
    assert text[0] == ",".join(readings.to_frame().columns)
    assert [line.split(",")[0] for line in text[1:]] == ["k_anonymity", "discrimination_rate"]


def test_what_is_missing_is_empty_and_few_people_are_in_a_column_of_their_own():
    columns = {"name": FrameColumn(str, ["a,b", None]), "people": FrameColumn(COUNT, ["<5", 7])}
    assert csv_text(columns) == 'name,people,people_hidden\n"a,b",,<5\n,7,\n'


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_records_are_written_as_they_are_in_their_order(ending, tmp_path):
    path = tmp_path / f"it's [new].{ending}"
    columns = {
        "record": FrameColumn(int, np.arange(1, 9)),
        "key": FrameColumn(str, np.array(["x", 'a "b"', "c,d", "e\nf", "1", "", "h", "i"], object)),
        "risk": FrameColumn(float, np.full(8, 1 / 3), np.arange(8) == 7),
        "unique": FrameColumn(bool, np.arange(8) == 6),
    }
    write_records(path, columns)
    quoted = str(path).replace("'", "''").replace("[", "[[]")
    types = "{'record': 'BIGINT', 'key': 'VARCHAR', 'risk': 'DOUBLE', 'unique': 'BOOLEAN'}"
    read = f"read_parquet('{quoted}')" if ending == "parquet" else f"read_csv('{quoted}', columns = {types})"
    found = duckdb.sql(f"FROM {read}").fetchall()
    assert [one[0] for one in found] == [*range(1, 9)]
    assert [one[1] for one in found][:5] == ["x", 'a "b"', "c,d", "e\nf", "1"]
    assert found[7] == (8, "i", None, False)
    assert found[6] == (7, "h", 1 / 3, True)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("place", ["os.replace", "duck.connect"])
def test_a_file_that_cannot_be_finished_leaves_the_one_before(place, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "risk.csv"
    path.write_text("before")
    monkeypatch.setattr(f"divulge.cli.table_files.{place}", full)
    with pytest.raises(SourceError, match=r"risk.csv cannot be written: .*\. Name another file"):
        write_records(path, {"record": FrameColumn(int, np.arange(5))})
    monkeypatch.undo()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["risk.csv"]
