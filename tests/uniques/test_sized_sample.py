"""Uniqueness from class sizes alone, where records are too many to be looked at one by one."""

import pyarrow.parquet as pq
import pytest

import divulge as dv
from divulge.engines.out_of_core import opening
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.engines.spark.table import SparkTable
from divulge.errors import ParameterError
from divulge.uniques import sample
from divulge.uniques.account import uniqueness
from questions import assert_same_documents, drawn

pytest_plugins = ["spark_session"]

KEYS = ["city", "day", "fee", "score"]
TABLE = drawn(41, 300)
#: What only records one by one can say.
UNLIKE = (".source", ".population.loglinear_main_effects", ".population.loglinear_two_way", ".spread")


def few(combinations):
    return lambda self, names: combinations(self, names) if len(names) == 1 else None


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    monkeypatch.setattr(OutOfCoreTable, "combinations", few(OutOfCoreTable.combinations))
    pq.write_table(TABLE, tmp_path / "people.parquet")
    return lambda **given: dv.read(tmp_path / "people.parquet", memory="500MB", **given)


@pytest.mark.parametrize("asked", [{}, {"size": 5000}, {"fraction": 0.1}, {"fraction": 1.0}], ids=str)
def test_class_sizes_say_the_same_as_records(on_disk, asked):
    there = uniqueness(on_disk(missing="drop"), keys=KEYS, **asked).to_dict()
    here = uniqueness(dv.read(TABLE, missing="drop"), keys=KEYS, **asked).to_dict()
    assert_same_documents(there, here, unlike=UNLIKE)
    if asked == {"fraction": 0.1}:
        assert "needs their values" in there["population"]["loglinear_two_way"]["undefined"]


@pytest.mark.slow
def test_people_of_several_records_on_spark(spark, monkeypatch):
    monkeypatch.setattr(SparkTable, "combinations", few(SparkTable.combinations))
    given = {"identifiers": ["person"]}
    there = uniqueness(dv.read(spark.createDataFrame(TABLE), **given), keys=KEYS[:2], size=900)
    here = uniqueness(dv.read(TABLE, **given), keys=KEYS[:2], size=900)
    assert_same_documents(there.to_dict(), here.to_dict(), unlike=UNLIKE)


def test_records_that_are_at_hand_may_be_read_by_sizes_too(monkeypatch):
    monkeypatch.setattr(sample, "MOST_RECORDS", 10)
    found = uniqueness(dv.read(TABLE), keys=KEYS, size=5000)
    monkeypatch.undo()
    assert_same_documents(
        found.to_dict(), uniqueness(dv.read(TABLE), keys=KEYS, size=5000).to_dict(), unlike=UNLIKE
    )
    with pytest.raises(ParameterError, match="too many records to list"):
        found.records()


def test_what_needs_each_record_is_refused(on_disk):
    with pytest.raises(ParameterError, match="special uniques needs each of them"):
        uniqueness(on_disk(), keys=KEYS, special=True)
    with pytest.raises(ParameterError, match="household needs each of them"):
        uniqueness(on_disk(), keys=KEYS, household="person")
