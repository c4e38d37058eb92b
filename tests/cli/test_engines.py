"""The commands on every engine: a file, a file within a memory budget, a database, Spark."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from databases import sqlite_file
from divulge.cli.app import app
from divulge.engines.out_of_core import opening
from divulge.engines.out_of_core.budget import LEAST

pytest_plugins = ["spark_session"]

HEAD = "person,zip,age,sex,ill"
POLICY = """
[attributes]
person = "identifier"
zip = "quasi-identifier"
age = { role = "quasi-identifier", bins = [30, 50] }
sex = "quasi-identifier"
ill = "sensitive"
[thresholds]
k_anonymity = { min = 30 }
discrimination_rate = { target = "ill", max = 0.9 }
"""


def rows(seed, records=300):
    rng = np.random.default_rng(seed)
    for person in range(records):
        yield [
            str(person),
            ["01", "02", "1", ""][rng.integers(4)],
            str(rng.integers(20, 70)),
            "fm"[rng.integers(2)],
            ["flu", "cold", "Übelkeit", ""][rng.integers(4)],
        ]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The same two tables as files and in a database."""
    folder = tmp_path_factory.mktemp("engines")
    tables = {"original": [*rows(1)], "released": [[*row[:2], f"{row[2][0]}*", *row[3:]] for row in rows(1)]}
    columns = f"{HEAD.replace(',', ' TEXT, ')} TEXT"
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text("\n".join([HEAD, *map(",".join, table)]) + "\n")
    known = {name: [[value or None for value in row] for row in table] for name, table in tables.items()}
    sqlite_file(folder / "all.db", {name: (columns, rows) for name, rows in known.items()})
    (folder / "divulge.toml").write_text(POLICY)
    return folder


ENGINES = {
    "within a budget": (lambda folder, name: [f"{folder}/{name}.csv"], ["--memory", str(2 * LEAST)]),
    "database": (lambda folder, name: [f"sqlite:///{folder}/all.db#{name}"], []),
    "spark": (lambda folder, name: [f"{folder}/{name}.csv"], ["--engine", "spark"]),
}
ROLES = ["--identifiers", "person", "--quasi-identifiers", "zip,age,sex", "--sensitive", "ill"]


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    if request.param == "spark":
        request.getfixturevalue("spark")
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    return ENGINES[request.param]


def document(*command, code=0):
    done = CliRunner().invoke(app, [*map(str, command), "--json"], catch_exceptions=False)
    assert done.exit_code == code, done.stderr
    return json.loads(done.stdout)


def assert_same(mine, theirs, place=""):
    if place.endswith((".source", ".explicit", ".name", "sentence", ".provenance")):
        return
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys(), place
        for key in theirs:
            assert_same(mine[key], theirs[key], f"{place}.{key}")
    elif isinstance(theirs, list):
        assert len(mine) == len(theirs), place
        for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            assert_same(one, other, f"{place}[{number}]")
    elif isinstance(theirs, float):
        assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12), place
    else:
        assert mine == theirs, place


def test_measure(places, engine):
    name, options = engine
    asked = ["--keys", "zip,age", "--target", "ill"]
    there = document("measure", *name(places, "original"), *asked, *options)
    assert_same(there, document("measure", places / "original.csv", *asked))


# Spark answers a command above, and audits agree with it in tests/engines.
MOST_ENGINES = pytest.mark.parametrize(
    "engine",
    ["within a budget", "database", pytest.param("spark", marks=pytest.mark.slow)],
    indirect=True,
)


@MOST_ENGINES
def test_audit(places, engine):
    name, options = engine
    there = document("audit", *name(places, "original"), *ROLES, "--no-report", *options)
    assert_same(there, document("audit", places / "original.csv", *ROLES, "--no-report"))


@MOST_ENGINES
def test_check(places, engine):
    name, options = engine
    policy = ["--policy", places / "divulge.toml"]
    there = document("check", *name(places, "original"), *policy, *options, code=1)
    assert_same(there, document("check", places / "original.csv", *policy, code=1))


@MOST_ENGINES
def test_compare(places, engine):
    assert_compared_alike(places, engine, ROLES)


@MOST_ENGINES
def test_compare_by_one_key(places, engine):
    assert_compared_alike(places, engine, ["--quasi-identifiers", "age", "--sensitive", "ill"])


def assert_compared_alike(places, engine, roles):
    name, options = engine
    tables = [*name(places, "original"), *name(places, "released")]
    there = document("compare", *tables, *roles, "--no-report", *options)
    files = [places / "original.csv", places / "released.csv"]
    here = document("compare", *files, *roles, "--no-report")
    assert_same(there["releases"], here["releases"])


@MOST_ENGINES
def test_utility_and_attacker(places, engine, tmp_path):
    name, options = engine
    (tmp_path / "need.toml").write_text('[cure]\ntarget = "ill"\nkeys = ["zip", "sex"]\n')
    need = ["--need", tmp_path / "need.toml"]
    there = document("compare", *name(places, "original"), *need, *options)
    here = document("compare", places / "original.csv", *need)
    assert_same(there["tables"][0]["needs"], here["tables"][0]["needs"])
    asked = ["--keys", "zip,sex", "--target", "ill", *options]
    there = document("attacker", "--file", *name(places, "original"), *asked)
    here = document("attacker", "--file", places / "original.csv", *asked[:4])
    assert_same(there["privacy"], here["privacy"])
    assert_same(there["entropies"], here["entropies"])


@MOST_ENGINES
def test_a_release_is_simulated(places, engine):
    name, options = engine
    asked = ["--x", "zip", "--y", "ill", "--runs", "2", "--samples", "1000"]
    there = document("release", "simulate", *name(places, "original"), *asked, *options)
    here = document("release", "simulate", places / "original.csv", *asked)
    assert_same({**there, "source": ""}, {**here, "source": ""})
