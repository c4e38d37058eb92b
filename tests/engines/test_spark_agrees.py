"""Spark and memory give the same where combinations are too many: by kinds of classes, sums and extremes."""

import numpy as np
import pytest

import divulge as dv
from divulge.counting.counts import Cells, JointCounts
from divulge.counting.statistics import (
    DISCLOSURE,
    ENTROPY,
    SIZE,
    STATISTICS,
    TOP_SHARE,
    UNCERTAINTY,
    dominance,
)
from divulge.engines.external import engine
from divulge.engines.external.aggregate_counts import AggregateCounts, CellsNeeded, riskiest
from divulge.engines.opening import open_source
from divulge.engines.spark import querying
from divulge.engines.spark.table import SparkTable
from divulge.errors import Undefined
from questions import (
    COUNTED_OTHERWISE,
    QUESTIONS,
    assert_same_documents,
    assert_same_records,
    drawn,
    near,
    one_class,
    readings,
    unique,
)
from random_tables import VARIANTS, shapes

pytest_plugins = ["spark_session"]

EVERYTHING = [one for one in STATISTICS if one.sql is not None or one.of_size]


# -- where combinations are too many -----------------------------------------------------------------

TABLES = {
    "a table": (drawn(21), ["city", "score"], "ill"),
    "a sparse table": (drawn(22), ["city", "score", "smoker", "day"], "grade"),
    "a truth value": (drawn(23), ["day", "city"], "smoker"),
    "many records": (drawn(24, 5000), ["city", "score", "day"], "ill"),
    "all unique": (unique(), ["city"], "ill"),
    "all unique, by each other": (unique(), ["city"], "grade"),
    "one class": (one_class(), ["city"], "ill"),
    "one target value": (one_class(), ["city"], "grade"),
}


def in_memory(table, keys, target):
    return dv.ask(dv.read(table, suppressed=None), keys=keys, target=target).counts


def of_kinds(found, target):
    """Joint counts of classes held once for each kind."""
    if found.start is None:
        return JointCounts(found.count, None, multiplicity=found.times)
    cells = Cells(found.start, found.place, found.count, found.count)
    size = cells.per_class(found.count)
    return JointCounts(size, cells, found.values, multiplicity=found.times, target=target)


def of_sums(source, keys, target):
    """Joint counts of which sums and extremes are known."""
    return AggregateCounts.of_sizes(source.aggregates(keys, target), keys=tuple(keys), target=target)


def value_of(measure, counts, parameters):
    try:
        return measure.compute(counts, parameters)
    except CellsNeeded:
        raise
    except Undefined as undefined:
        return undefined.message


def assert_readings_agree(counts, expected):
    """Every measure in every variant, except those that a reduced count refuses by its own words."""
    refused = set()
    for measure, parameters in VARIANTS:
        if not measure.applies(counts, parameters):
            continue
        value = value_of(measure, expected, parameters)
        try:
            found = value_of(measure, counts, parameters)
        except CellsNeeded:
            refused.add(measure.name)
            continue
        assert found == (value if isinstance(value, str) else near(value)), measure.name
    return refused


#: Tables whose sums are added up on Spark only where there is time for everything.
LONG = {"many records", "all unique, by each other", "one target value"}


@pytest.mark.parametrize(("table", "keys", "target"), TABLES.values(), ids=TABLES)
def test_kinds_of_classes_give_the_same_readings(spark, table, keys, target):
    source = open_source(spark.createDataFrame(table))
    for about in (target, None):
        expected = in_memory(table, keys, about or "@record")
        counts = of_kinds(source.class_kinds(keys, about), target)
        assert shapes(counts) == shapes(expected)
        if about is not None:
            order = expected.ground.get("order")
            places = [expected.target_values.index(value) for value in counts.target_values]
            if order is not None:
                counts = counts.with_ground(order=[places.index(place) for place in order])
            assert not assert_readings_agree(counts, expected)


@pytest.mark.parametrize(
    ("table", "keys", "target"),
    [
        pytest.param(*one, id=name, marks=[pytest.mark.slow] if name in LONG else [])
        for name, one in TABLES.items()
    ],
)
def test_sums_and_extremes_give_the_same_readings(spark, table, keys, target):
    counts = of_sums(open_source(spark.createDataFrame(table)), keys, target)
    expected = in_memory(table, keys, target)
    for statistic in EVERYTHING:
        of_classes = expected.statistic(statistic)
        assert counts.total(statistic) == near(float(of_classes.sum())), statistic
        assert counts.least(statistic) == near(float(of_classes.min())), statistic
        assert counts.most(statistic) == near(float(of_classes.max())), statistic
        assert counts.over_records(statistic) == near(float((of_classes * expected.size).sum())), statistic
    assert counts.entropy == near(expected.entropy)
    assert (counts.records, counts.classes, counts.weight) == (
        (expected.records, expected.classes, expected.weight)
    )
    assert dict(zip(counts.target_values, counts.target_weight, strict=True)) == (
        dict(zip(expected.target_values, expected.target_weight, strict=True))
    )
    refused = assert_readings_agree(counts, expected)
    assert not refused


@pytest.mark.parametrize(
    "statistic",
    [
        *(SIZE, UNCERTAINTY, DISCLOSURE),
        *(pytest.param(one, marks=pytest.mark.slow) for one in (ENTROPY, TOP_SHARE, dominance(2))),
    ],
)
def test_the_riskiest_classes_come_with_their_names(spark, statistic):
    table, keys, target = TABLES["a table"]
    source = open_source(spark.createDataFrame(table))
    found = riskiest(source, of_sums(source, keys, target), statistic, 4, target)
    classes = dv.ask(dv.read(table, suppressed=None), keys=keys, target=target).classes
    values = classes.statistic(statistic)
    names = classes.decode(np.arange(len(classes.size)))
    by_name = dict(zip(map(str, names), zip(values, classes.size, strict=True), strict=True))
    mine = found.statistic(statistic)
    low = statistic in (SIZE, UNCERTAINTY, ENTROPY)
    assert sorted(mine) == [
        near(float(v)) for v in sorted(np.sort(values if low else -values)[:4] * (1 if low else -1))
    ]
    for name, value, size in zip(found.decode(range(4)), mine, found.size, strict=True):
        assert by_name[str(name)] == (near(float(value)), size)
    assert (found.classes, found.records, found.entropy) == (
        (classes.classes, classes.records, near(classes.entropy))
    )


def test_what_needs_every_class_is_undefined_with_its_reason(spark):
    table, keys, target = TABLES["a table"]
    source = open_source(spark.createDataFrame(table))
    counts = of_sums(source, keys, target)
    for ask in (
        lambda: counts.statistic(UNCERTAINTY),
        lambda: counts.most(dominance(3)),
        lambda: riskiest(source, counts, dominance(3), 2, target),
        lambda: counts.in_cells(),
        lambda: counts.in_cells().matrix(),
    ):
        with pytest.raises(Undefined, match="there are too many groups to fetch"):
            ask()


def test_chance_is_worked_out_from_sizes_and_targets(spark):
    from divulge.readings.chance import association, expected_mutual_information

    table, keys, target = TABLES["many records"]
    counts, expected = (
        of_sums(open_source(spark.createDataFrame(table)), keys, target),
        in_memory(table, keys, target),
    )
    assert expected_mutual_information(counts) == near(expected_mutual_information(expected))
    assert association(counts).p_value == near(association(expected).p_value)


def test_kinds_and_sums_by_spark_connect(connected):
    table, keys, target = TABLES["a table"]
    source = open_source(connected.createDataFrame(table))
    expected = in_memory(table, keys, target)
    assert shapes(of_kinds(source.class_kinds(keys, target), target)) == shapes(expected)
    counts = of_sums(source, keys, target)
    assert counts.total(UNCERTAINTY) == near(expected.total(UNCERTAINTY))
    assert riskiest(source, counts, SIZE, 1, target).size.tolist() == [expected.least(SIZE)]


# -- questions whose combinations stay on the cluster -------------------------------------------------

FAR = {**QUESTIONS, **COUNTED_OTHERWISE}


#: What is asked of each way to count there, unless there is time for everything.
FEWER = {"an attribute", "an ordered attribute", "missing dropped", "a hierarchy", "partitions", "all unique"}
ONLY_KINDS = {
    "kinds": {"re-identification", "all suppressed but some", "people with weights", "wildcards and weights"},
    "sums": {"people to be found, with weights"},
}


@pytest.fixture(params=["kinds", "sums"])
def too_many(request, monkeypatch):
    """Combinations are too many to be brought over; as sums, kinds of classes are as well."""
    monkeypatch.setattr(querying, "SAMPLE", 1)
    monkeypatch.setattr(SparkTable, "combinations", only_single(SparkTable.combinations))
    monkeypatch.setattr(engine, "MOST_CELLS", 0)
    if request.param == "sums":
        monkeypatch.setattr(SparkTable, "class_kinds", only_sizes(SparkTable.class_kinds))
    return request.param


def only_single(combinations):
    return lambda self, attributes: combinations(self, attributes) if len(attributes) == 1 else None


def only_sizes(alike):
    return lambda self, keys, target: alike(self, keys, target) if target is None else None


@pytest.mark.parametrize(
    ("too_many", "question"),
    [
        pytest.param(way, one, marks=[] if one in FEWER | ONLY_KINDS[way] else [pytest.mark.slow])
        for way in ("kinds", "sums")
        for one in FAR
    ],
    indirect=["too_many"],
)
def test_a_question_is_answered_on_the_cluster(spark, too_many, question):
    table, asked = FAR[question]
    there, here = readings(spark.createDataFrame(table), **asked), readings(table, **asked)
    assert there.question.rows_at_hand is None
    assert [one.name for one in there] == [one.name for one in here]
    for mine, theirs in zip(there, here, strict=True):
        if too_many == "sums" and mine.undefined and "too many" in mine.undefined:
            assert mine.name in {"t_closeness ordered", "t_closeness hierarchical"}
            continue
        assert mine.value == near(theirs.value), mine.name
        if "identifiers" not in asked:  # whose records are where is not known here
            assert mine.chance == near(theirs.chance), mine.name
    assert there.identifier_classes == here.identifier_classes
    assert_same_records(there.question, here.question)


MEASURES_BY_VALUE = ["discrimination_rate", "itpr", "k_anonymity", "worst_posterior", "beta_likeness"]


@pytest.mark.parametrize(
    ("too_many", "names"),
    [
        ("kinds", ["k_anonymity", "beta_likeness"]),
        ("sums", ["discrimination_rate", "worst_posterior"]),
        pytest.param("kinds", MEASURES_BY_VALUE, marks=pytest.mark.slow, id="kinds-all"),
        pytest.param("sums", MEASURES_BY_VALUE, marks=pytest.mark.slow, id="sums-all"),
    ],
    indirect=["too_many"],
)
def test_the_riskiest_values_come_over_from_the_cluster(spark, too_many, names):
    table, asked = QUESTIONS["partitions"]
    there, here = readings(spark.createDataFrame(table), **asked), readings(table, **asked)
    for name in names:
        mine, theirs = there[name], here[name]
        found, expected = mine.riskiest(3), theirs.by_value
        assert [line.value for line in found] == [near(line.value) for line in expected[:3]], mine.name
        by_key = {str(line.key): line for line in expected}
        for line in found:
            assert line.records == by_key[str(line.key)].records
            assert line.value == near(by_key[str(line.key)].value)


#: Whose worst classes are told by people, weights or all who may fit.
OTHERWISE = ["people", "people to be found", "weights", "re-identification with weights", "two targets"]
OTHERWISE += ["missing as wildcard", *COUNTED_OTHERWISE]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("too_many", "question"), [("sums", one) for one in OTHERWISE], indirect=["too_many"]
)
def test_the_riskiest_values_of_people_and_weights(spark, too_many, question):
    table, asked = FAR[question]
    there, here = readings(spark.createDataFrame(table), **asked), readings(table, **asked)
    read = 0
    for mine, theirs in zip(there, here, strict=True):
        if mine.name not in {"k_anonymity", "discrimination_rate", "worst_posterior", "kl_closeness"}:
            continue
        read += 1
        expected = {str(line.key): line for line in theirs.by_value}
        found = mine.riskiest(3)
        assert [line.value for line in found] == [near(line.value) for line in theirs.by_value[:3]], mine.name
        for line in found:
            same = expected[str(line.key)]
            assert (line.records, near(line.value)) == (same.records, same.value), mine.name
    assert read > 1


@pytest.mark.parametrize(
    ("too_many", "keys", "records"),
    [
        ("sums", ("city", "day"), 100),
        pytest.param("kinds", ("city", "day"), 100, marks=pytest.mark.slow),
        pytest.param("sums", ("city", "smoker", "day"), 400, marks=pytest.mark.slow),
        pytest.param("kinds", ("city", "smoker", "day"), 400, marks=pytest.mark.slow),
    ],
    indirect=["too_many"],
)
def test_an_audit_whose_combinations_stay_on_the_cluster(spark, too_many, keys, records):
    table = drawn(14, records).select([*keys, "ill"])
    # Suppressed cells fit any value where rows are at hand, and are a value on the cluster, which says so.
    given = {"quasi_identifiers": list(keys), "sensitive": ["ill"], "suppressed": None}
    there = dv.audit(dv.read(spark.createDataFrame(table), **given), show_values=True).to_dict()
    here = dv.audit(dv.read(table, **given), show_values=True).to_dict()
    # Leaving out records is not tried on the cluster, so the sentence on what would help is another.
    assert "not tried: records are counted where they are" in there["not_tried"][0]
    parts = ["class_sizes", "record_risk", "homogeneous", "hints", "warnings"]
    if too_many == "kinds":
        assert there["verdict"]["headline"] == here["verdict"]["headline"]
        parts.append("numbers")
    for part in parts:
        assert_same_documents(there[part], here[part])
    for mine, theirs in zip(there["checks"], here["checks"], strict=True):
        if too_many == "sums" and mine["measure"] == "learned":
            assert mine["outcome"] == "not evaluated"  # it needs kinds of classes, and says so
            assert "needs more than sums and extremes" in mine["undefined"]
            continue
        assert (mine["title"], mine["outcome"], mine["found"]) == (
            (theirs["title"], theirs["outcome"], near(theirs["found"]))
        )
    assert {str(one["records"]) for one in there["classes"]} == {
        str(one["records"]) for one in here["classes"]
    }
