"""Pairs are compared where the tables are, and come to the same on Spark as by DuckDB."""

from importlib.util import find_spec

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.alignment.tables import align
from divulge.attacks.text_linkage.fuzzy import fuzzy_linkage
from divulge.engines.pair_comparison import MEMORY, pair_database

pytest_plugins = ["spark_session"]
pytestmark = pytest.mark.skipif(
    find_spec("splink") is None, reason="Splink is not installed: pip install 'divulge[linkage]'"
)


@pytest.fixture(scope="module")
def tables():
    """Forty people with a name and a town; in the release every fourth name ends with another letter."""
    rng = np.random.default_rng(3)
    names, towns = (["".join(rng.choice(list("abcdefgh"), 7)) for _ in range(40)] for _ in range(2))
    original = {"id": list(map(str, range(40))), "name": names, "town": towns}
    mistyped = [f"{name[:-1]}x" if place % 4 == 0 else name for place, name in enumerate(names)]
    return original, {**original, "name": mistyped}


def linked(original, released):
    with exact_counts():
        return fuzzy_linkage(align(dv.read(original), dv.read(released), by="id"), ["name", "town"], seed=1)


def test_duckdb_compares_within_its_memory_and_loads_nothing(tables):
    with pair_database(dv.read(tables[0]).engine) as (database, name):
        asked = "SELECT name, value FROM duckdb_settings() WHERE name LIKE '%known_extensions'"
        settings = dict(database.duckdb_con.execute(asked).fetchall())
        [(limit,)] = database.duckdb_con.execute("SELECT current_setting('memory_limit')").fetchall()
    assert name == "DuckDB"
    assert set(settings.values()) == {"false"}
    assert float(limit.split()[0]) == pytest.approx(float(MEMORY.removesuffix("GB")), rel=0.1)  # in GiB


@pytest.mark.slow
def test_spark_compares_to_the_same(tables, spark):
    frames = [spark.createDataFrame(list(zip(*table.values(), strict=True)), list(table)) for table in tables]
    here, there = linked(*tables), linked(*frames)
    assert (here["engine"], there["engine"]) == ("DuckDB", "Spark")
    assert there["pairs"] == here["pairs"] == 1600
    assert there["share"] == here["share"] == 1
    for one, other in zip(here["levels"], there["levels"], strict=True):
        assert one["u"] == pytest.approx(other["u"], abs=1e-9)
        assert one["m"] == pytest.approx(other["m"], abs=1e-3)
