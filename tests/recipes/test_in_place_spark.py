"""One seed, one release: in memory and on Spark."""

import pytest

import divulge as dv

pytest_plugins = ["spark_session"]

PEOPLE = {
    "id": [f"p{n:03}" for n in range(60)],
    "city": [None if n % 41 == 0 else ("Oslo", "Rome", "Zürich", "o'Hara")[n % 4] for n in range(60)],
    "ill": [("flu", "cold", "gout")[n * n % 7 % 3] for n in range(60)],
    "age": [20 + n * 7 % 40 for n in range(60)],
}
DRAWN = [
    {"mechanism": "pram", "attributes": ["ill"], "retention": 0.6},
    {"mechanism": "remove", "attributes": ["id"]},
]
ALL = [
    {"mechanism": "rounding", "attributes": ["age"], "base": 5},
    {"mechanism": "random_rounding", "attributes": ["age"], "base": 10},
    {"mechanism": "pram", "attributes": ["city"], "retention": 0.6},
    {"mechanism": "suppress_records", "attributes": ["city"], "k": 10},
    {"mechanism": "noise", "attributes": ["age"], "alpha": 0.3},
    {"mechanism": "laplace_noise", "attributes": ["age"], "sensitivity": 1, "epsilon": 0.5},
    {"mechanism": "sample", "fraction": 0.5, "strata": ["ill"]},
    *DRAWN,
]


def compared(spark, steps, place):
    """A recipe on Spark: the folder it writes and the manifest say the same as in memory."""
    recipe = {"seed": 20170, "row_key": "id", "step": steps}
    frame = spark.createDataFrame(list(zip(*PEOPLE.values(), strict=True)), list(PEOPLE))
    released, manifest, _ = dv.transform(frame, recipe, out=place / "released.parquet")
    here, expected, _ = dv.transform(PEOPLE, recipe)
    rows = list(zip(*here.values(), strict=True))
    assert released.columns == list(here)
    written = spark.read.parquet(str(place / "released.parquet"))
    assert sorted(map(str, map(tuple, written.collect()))) == sorted(map(str, rows))
    assert [one.name for one in place.iterdir()] == ["released.parquet"]
    assert (manifest.engine, manifest.records_out) == ("spark", len(rows))
    assert [one.cells for one in manifest.changes] == [one.cells for one in expected.changes]
    return frame, released, rows


def test_spark_gives_the_same_release(spark, tmp_path):
    frame, _, _ = compared(spark, DRAWN, tmp_path)
    with pytest.raises(dv.DivulgeError, match="is there already"):
        dv.transform(frame, DRAWN, out=tmp_path / "released.parquet")
    with pytest.raises(dv.DivulgeError, match="have no order by which they could draw"):
        dv.transform(frame, DRAWN)


@pytest.mark.slow
def test_spark_gives_the_same_release_by_every_step_it_knows(spark, tmp_path):
    _, released, rows = compared(spark, ALL, tmp_path)
    assert [tuple(row) for row in released.collect()] == rows


@pytest.mark.slow
def test_what_needs_all_records_comes_over_from_spark_and_goes_back(spark):
    frame = spark.createDataFrame(list(zip(*PEOPLE.values(), strict=True)), list(PEOPLE))
    steps = [{"mechanism": "rank_swapping", "attributes": ["age"], "percent": 5}]
    recipe = {"seed": 1, "row_key": "id", "step": steps}
    released, *_ = dv.transform(frame, recipe)
    here = dv.transform(PEOPLE, recipe).data
    assert sorted(row.age for row in released.collect()) == sorted(here["age"])
    assert released.dtypes == [("id", "string"), ("city", "string"), ("ill", "string"), ("age", "bigint")]
