"""Small subsets where combinations are too many to fetch: read from counts that they share, as in memory."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import divulge as dv
from divulge.assessment.drivers import shared_counts, subsets
from divulge.assessment.scope import Scope
from divulge.engines.external.engine import ExternalEngine
from divulge.engines.out_of_core import opening
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.engines.spark.table import SparkTable

pytest_plugins = ["spark_session"]

KEYS = [f"q{i}" for i in range(6)]
ROLES = {"quasi_identifiers": KEYS, "sensitive": ["ill", "one"]}


def table(records=900):
    rng = np.random.default_rng(4)
    columns = {
        key: rng.integers(0, most, records) for key, most in zip(KEYS, (2, 3, 5, 9, 30, 70), strict=True)
    }
    gaps = rng.random(records) < 0.1
    columns["q2"] = pa.array(columns["q2"], mask=gaps)
    return pa.table({**columns, "ill": rng.integers(0, 4, records), "one": np.ones(records, np.int8)})


def few(combinations_of, most):
    """Combinations of so many attributes at most come over."""
    return lambda self, names: combinations_of(self, names) if len(names) <= most else None


@pytest.fixture(params=["on disk", pytest.param("on Spark", marks=pytest.mark.slow)])
def there(request, tmp_path, monkeypatch):
    """The table where all combinations are too many, and how many grouped counts of several it was asked."""
    asked = []
    kind = SparkTable if request.param == "on Spark" else OutOfCoreTable
    bounded = few(kind.combinations, 5)

    def counting(self, names):
        asked.append(names)
        return bounded(self, names)

    monkeypatch.setattr(kind, "combinations", counting)
    monkeypatch.setattr(shared_counts, "CELLS", 40_000)
    if kind is SparkTable:
        return dv.read(request.getfixturevalue("spark").createDataFrame(table()), **ROLES), asked
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    pq.write_table(table(), tmp_path / "people.parquet")
    return dv.read(tmp_path / "people.parquet", memory="500MB", **ROLES), asked


def test_subsets_from_shared_counts_are_those_in_memory(there, monkeypatch):
    monkeypatch.setattr(shared_counts, "COVERED", 41)  # subsets of up to three of six
    data, asked = there
    found = subsets.search(Scope(data))
    here = subsets.search(Scope(dv.read(table(), **ROLES)))
    assert isinstance(data.engine, ExternalEngine)
    masks = [m for m in here.masks.tolist() if m.bit_count() <= 3]
    assert found.masks.tolist() == masks
    place = [here.masks.tolist().index(mask) for mask in masks]
    for name in ("classes", "k", "unique", "discrimination_rate", "itpr"):
        assert getattr(found, name) == pytest.approx(getattr(here, name)[place], rel=1e-12, abs=1e-12), name
    assert found.targets.keys() == here.targets.keys() == {"ill"}
    for mine, theirs in zip(found.targets["ill"], here.targets["ill"], strict=True):
        assert mine == pytest.approx(theirs[place], rel=1e-12, abs=1e-12)
    assert found.limited == "subsets of at most 3 attributes: there are too many combinations to fetch"
    several = [names for names in asked if len(names) > 2]
    assert len(several) < len(masks)  # of 82 counts, were each its own


def test_every_small_subset_is_covered_or_counted_alone():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = (2 ** rng.uniform(1, 15, 9)).astype(int).tolist()
        sets, alone = shared_counts.cover(values, 3, 20_000_000)
        assert all(shared_counts._cells(one, values) <= 20_000_000 for one in sets)
        assert all(shared_counts._cells(one, values) > 20_000_000 for one in alone)
        small = {one for size in (1, 2, 3) for one in combinations(range(9), size)}
        held = {one for size in (1, 2, 3) for chosen in sets for one in combinations(chosen, size)}
        assert held | set(alone) == small
        assert not held & set(alone)
