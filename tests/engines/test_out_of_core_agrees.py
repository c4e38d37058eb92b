"""A file counted on disk gives the readings and the audit that it gives in memory."""

import functools
import math
from collections import Counter
from dataclasses import replace
from datetime import date
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.scope import Scope
from divulge.counting.counts import Beside, Cells, JointCounts
from divulge.engines.out_of_core import opening, querying
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.engines.target_structure import grounded
from divulge.measures import get
from divulge.policy import Policy
from divulge.questions.question import Question
from random_tables import VARIANTS, hierarchy, reading_of, shapes

POOLS = {
    "city": (pa.string(), ["Oslo", "Zürich", "東京", "*", 'a "quoted", one', "1", None]),
    "age": (pa.int64(), [20, 30, 41, -5, None]),
    "share": (pa.float64(), [0.0, -0.0, math.nan, 0.5, None]),
    "smokes": (pa.bool_(), [True, False, None]),
    "born": (pa.date32(), [date(1990, 1, 31), date(1890, 12, 1), None]),
    "paid": (pa.decimal128(9, 2), [Decimal("1.10"), Decimal("-2.00"), None]),
    "ill": (pa.string(), [*"abcdef", None]),
    "name": (pa.string(), ["Ann", "Bob", "Cid", None]),
    "weight": (pa.int64(), [1, 2, 5]),
}
KEYS = ["city", "age", "share", "smokes", "born", "paid"]


def a_table(pick, records):
    return pa.table({name: pa.array(pick(pool, records), kind) for name, (kind, pool) in POOLS.items()})


@st.composite
def tables(draw):
    return a_table(
        lambda pool, n: draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)),
        draw(st.integers(1, 25)),
    )


def drawn(records, seed=1):
    rng = np.random.default_rng(seed)
    return a_table(lambda pool, n: [pool[place] for place in rng.integers(0, len(pool), n)], records)


def one_class(records):
    return pa.table({"city": ["Oslo"] * records, "age": [30] * records, "ill": ["a", "b"] * (records // 2)})


def all_unique(records):
    numbers = list(range(records))
    return pa.table({"city": [f"c{n}" for n in numbers], "age": numbers, "ill": [*"abcdef"] * (records // 6)})


def written(table, folder, form):
    path = folder / f"table.{form}"
    if form == "csv":
        pa.csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=7)
    return path


def on_disk(path, **given):
    with patch.object(opening, "_fits", lambda needed, budget: False):
        data = dv.read(path, memory="500MB", **given)
    assert isinstance(data.source, OutOfCoreTable)
    return data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("spilled")


def near(value):
    return value if value is None or math.isinf(value) else pytest.approx(value, rel=1e-12, abs=1e-12)


def readings(data, **asked):
    """Every reading that applies: its value, why it has none, and the values of its classes."""
    try:
        found = dv.measure(data, **asked)
    except dv.DivulgeError as error:
        return {"refused": (type(error).__name__, None, {})}
    return {
        reading.name: (
            reading.value,
            reading.undefined,
            {tuple(one.key.items()): (one.records, one.value) for one in reading.by_value},
        )
        for reading in found
    }


def assert_same_readings(found, expected):
    assert found.keys() == expected.keys()
    for name, (value, undefined, classes) in expected.items():
        assert found[name][1] == undefined, name
        assert found[name][0] == (value if isinstance(value, str) else near(value)), name
        assert found[name][2].keys() == classes.keys(), name
        for key, (records, of_class) in classes.items():
            assert found[name][2][key] == (records, near(of_class)), name


def records(codes):
    """Records as rows of values."""
    columns = [[None, *one.values] for one in codes.values()]
    rows = zip(*(one.codes.tolist() for one in codes.values()), strict=True)
    return [tuple(column[code] for column, code in zip(columns, row, strict=True)) for row in rows]


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("name", ["drawn", "one class", "all unique"])
def test_columns_are_the_same_record_by_record_and_in_numbers(folder, form, name):
    table = {"drawn": drawn(300), "one class": one_class(30), "all unique": all_unique(60)}[name]
    path = written(table, folder, form)
    plain, found = dv.read(path), on_disk(path)
    names = table.column_names
    expected = records(plain.source.encode(names))
    assert records(found.source.encode(names)) == expected
    held, times = found.source.combinations(names)
    rows = dict(zip(records(held.encode(names)), times.tolist(), strict=True))
    assert rows == Counter(expected)
    for width in (1, 2, len(names)):
        assert found.source.distinct(names[:width]) == len({row[:width] for row in expected})
    for name in names:
        one, other = found.summary(name, 100), plain.summary(name, 100)
        assert replace(one, sample=[]) == replace(other, sample=[])
        assert Counter(one.sample) == Counter(other.sample)


CONVENTIONS = {
    "plain": {},
    "missing dropped": {"missing": "drop"},
    "missing as wildcard": {"missing": "wildcard"},
    "a marker for missing": {"missing_values": ["1", "30"]},
    "repeated identifiers": {"identifiers": "name"},
    "weights": {"weights": "weight", "suppressed": None},
    "a hierarchy": {"hierarchies": {"ill": hierarchy("ill")}},
}


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("conventions", CONVENTIONS.values(), ids=CONVENTIONS)
@settings(max_examples=3)
@given(
    table=tables(),
    keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True),
    target=st.sampled_from(["ill", "@record"]),
)
def test_random_tables_give_the_same_readings(folder, form, conventions, table, keys, target):
    path = written(table, folder, form)
    expected = readings(dv.read(path, **conventions), keys=keys, target=target)
    assert_same_readings(readings(on_disk(path, **conventions), keys=keys, target=target), expected)


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("target", ["ill", "@record"])
def test_groups_of_values_give_the_same_readings(folder, form, target):
    path = written(drawn(60), folder, form)
    groups = {"age": {"bins": [25]}} | (
        {"ill": {"mild": [*"abc"], "severe": [*"def"]}} if target == "ill" else {}
    )
    asked = {"keys": ["age", "smokes"], "target": target, "partitions": groups}
    assert_same_readings(readings(on_disk(path), **asked), readings(dv.read(path), **asked))


# -- kinds of classes ------------------------------------------------------------------------------


def of_kinds(source, question):
    """The counts of a question, made of the kinds of classes that the file has."""
    target = None if question.about_records else question.target[0]
    found = source.class_kinds(question.keys, target)
    if target is None:
        return JointCounts(found.count, None, multiplicity=found.times, keys=question.keys)
    cells = Cells(found.start, found.place, found.count, found.count)
    counts = JointCounts(
        cells.per_class(found.count),
        cells,
        found.values,
        multiplicity=found.times,
        keys=question.keys,
        target=question.target_name,
    )
    return counts.with_ground(**grounded(counts, question.request, question.column))


def assert_kinds_agree(path, keys, target, **given):
    plain = dv.read(path, suppressed=None, **given)
    expected, question = (dv.ask(plain, keys=keys, target=target) for _ in range(2))
    counts = of_kinds(on_disk(path).source, question)
    assert shapes(counts) == shapes(expected.counts)
    question.__dict__["counts"] = counts
    for measure, parameters in VARIANTS:
        reading, other = (reading_of(one, measure.name, **parameters) for one in (question, expected))
        assert reading.value == near(other.value), measure.name
        assert reading.undefined == other.undefined, measure.name


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("parts", [1, 3])
@settings(max_examples=4)
@given(
    table=tables(),
    keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True),
    target=st.sampled_from(["ill", "@record"]),
)
def test_kinds_of_classes_give_the_same_readings(folder, form, parts, table, keys, target):
    path = written(table, folder, form)
    given = {"hierarchies": {"ill": hierarchy("ill")}}
    with patch.object(querying, "spilling", lambda *given, **more: (parts, 0)):
        assert_kinds_agree(path, keys, target, **given)


@pytest.mark.parametrize("target", ["ill", "@record"])
@pytest.mark.parametrize("table", [one_class(30), all_unique(30), drawn(3000)], ids=["one", "unique", "many"])
def test_kinds_of_extreme_tables_give_the_same_readings(folder, table, target):
    assert_kinds_agree(written(table, folder, "parquet"), ["city", "age"], target)


@pytest.mark.parametrize("most", [10**6, 0], ids=["combinations", "too many combinations"])
@pytest.mark.parametrize("shown", [0, 40])
def test_a_key_that_is_mostly_suppressed_is_read_the_same(folder, most, shown):
    table = drawn(300).append_column("hidden", pa.array(["k1", "k2"] * (shown // 2) + ["*"] * (300 - shown)))
    path = written(table, folder, "parquet")
    asked = {"keys": ["city", "hidden"], "target": "ill"}
    with patch.object(OutOfCoreTable, "most", lambda self, attributes: most):
        assert dv.measure(on_disk(path), **asked).identifier_classes == (
            dv.measure(dv.read(path), **asked).identifier_classes
        )
        for keys in (["city"], ["hidden"]):
            there, here = (
                Question(data, tuple(keys), ("ill",), among=("city", "hidden"))
                for data in (on_disk(path), dv.read(path))
            )
            assert shapes(there.counts) == shapes(here.counts)
            assert there.suppressed_records == here.suppressed_records


# -- audits ----------------------------------------------------------------------------------------


def flat(document, at=""):
    """The document as places and what stands there."""
    if isinstance(document, dict | list):
        parts = document.items() if isinstance(document, dict) else enumerate(document)
        return {place: value for key, part in parts for place, value in flat(part, f"{at}.{key}").items()}
    return {at: document}


AUDITS = {
    "ordinary": (drawn(300), {}),
    "repeated identifiers": (drawn(300, seed=2), {"identifiers": ["name"]}),
    "one class": (one_class(30), {}),
    "all unique": (all_unique(60), {}),
}


def without_helps(places):
    """All but what would help, and how it is said elsewhere."""
    parts = (".helps", ".plan", ".not_tried", ".verdict.sentences")
    return {
        place: value for place, value in places.items() if not place.startswith(parts) and ".fix" not in place
    }


@pytest.fixture(scope="module")
def audited(folder):
    """What audits one of the tables on disk, of which so many combinations come over; each once."""

    @functools.cache
    def audited(name, most):
        path, given = audited_file(folder, name, most)
        with patch.object(
            OutOfCoreTable, "most", lambda self, attributes: most if len(attributes) > 1 else 10**6
        ):
            return dv.audit(on_disk(path, **given))

    return audited


def audited_file(folder, name, most):
    table, roles = AUDITS[name]
    keys = [name for name in KEYS[:3] if name in table.column_names]
    given = {"quasi_identifiers": keys, "sensitive": ["ill"], "suppressed": "*" if most else None}
    place = folder / f"{name} {most}"
    place.mkdir(exist_ok=True)
    return written(table, place, "parquet"), given | roles


def test_what_cannot_be_tried_on_disk_is_said(audited):
    found = audited("ordinary", 0)
    assert found.not_tried == [
        "Leaving out records and suppressing cells were not tried: records are counted where they are."
    ]
    assert {one.change.action for one in found.remedies}.isdisjoint({"records", "cells"})
    assert found.remedies


def audits():
    """Every table as combinations or without; by both ways only among the slow tests."""
    return [
        pytest.param(name, most, id=f"{name}-{how}", marks=[pytest.mark.slow] * (place % 2 != bool(most)))
        for place, name in enumerate(AUDITS)
        for most, how in ((10**6, "combinations"), (0, "too many combinations"))
    ]


@pytest.mark.parametrize(("name", "most"), audits())
def test_an_audit_tells_the_same(folder, audited, name, most):
    path, given = audited_file(folder, name, most)
    expected, found = flat(dv.audit(dv.read(path, **given)).to_dict()), flat(audited(name, most).to_dict())
    if not most:  # leaving out records is not tried there, so other changes are said to help
        found, expected = without_helps(found), without_helps(expected)
        missing = next(place for place in expected if "with_missing" in str(place))
        assert found.pop(missing) in (None, 0)  # of several attributes together it is not counted there
        del expected[missing]
        assert "not at hand" in found[".people_beyond_table.undefined"]
        found, expected = (
            {place: value for place, value in one.items() if not place.startswith(".people_beyond_table")}
            for one in (found, expected)
        )
    assert found.keys() == expected.keys()
    for place, value in expected.items():
        assert found[place] == (near(value) if isinstance(value, float) else value), place


@pytest.fixture
def sums_only(folder, monkeypatch):
    """A file of which only sums and extremes come over: combinations and kinds of classes are too many."""
    kinds = OutOfCoreTable.class_kinds
    monkeypatch.setattr(OutOfCoreTable, "most", lambda _, attributes: 0 if len(attributes) > 1 else 10**6)
    monkeypatch.setattr(
        OutOfCoreTable, "class_kinds", lambda *asked: None if asked[-1] is not None else kinds(*asked)
    )
    return written(drawn(300), folder, "parquet")


def test_what_is_learned_where_kinds_of_classes_are_too_many_is_not_passed_in_silence(sums_only):
    given = {"quasi_identifiers": KEYS[:2], "sensitive": ["ill"], "suppressed": None}
    (check,) = [one for one in dv.audit(on_disk(sums_only, **given)).checks if one.target == ("ill",)]
    assert check.outcome in ("not evaluated", "fail")
    assert NEEDS_CELLS in (check.undefined or NEEDS_CELLS)


NEEDS_CELLS = "there are too many groups to fetch, and this needs more than sums and extremes"


def test_what_needs_every_class_says_why_it_has_no_value(sums_only):
    data = on_disk(sums_only, suppressed=None)
    readings = dv.measure(data, ["t_closeness"], keys=["city", "share"], target="weight", permutations=0)
    equal, ordered = (
        readings[name].to_dict(by_value=True, most=2) for name in ("t_closeness", "t_closeness ordered")
    )
    assert equal["value"] is not None
    assert len(equal["by_value"]) == 2
    assert (ordered["value"], ordered["undefined"]) == (None, NEEDS_CELLS)
    assert (ordered["by_value"], ordered["by_value_undefined"]) == ([], NEEDS_CELLS)


def test_whom_a_threshold_concerns_is_said_or_why_not(sums_only):
    scope = Scope(on_disk(sums_only, quasi_identifiers=KEYS[:3], sensitive="ill", suppressed=None))
    asked = {"min": 3, "keys": KEYS[:3], "target": "ill"}
    (found,) = evaluate(Policy.of({"thresholds": {"distinct_l_diversity": asked}}).thresholds, scope)
    assert (found.outcome, found.concerned) == ("fail", None)
    assert found.concerns == f"how many records it concerns is not known: {NEEDS_CELLS}"


def test_classes_on_disk_are_compared_with_another_table(folder, monkeypatch):
    monkeypatch.setattr(OutOfCoreTable, "most", lambda _, attributes: 0 if len(attributes) > 1 else 10**6)
    path = written(drawn(300), folder, "parquet")
    other = Beside("another table", {"a": 3.0, "b": 1.0, "c": 2.0, "zz": 4.0, None: 1.0})
    found = {}
    for read in (on_disk, dv.read):
        asked = Question(read(path, suppressed=None), ("city", "share"), ("ill",), beside=other)
        assert (asked.rows_at_hand is None) == (read is on_disk)
        found[read] = [get(name).compute(asked.counts) for name in ("t_closeness", "kl_closeness")]
    assert found[on_disk] == [near(value) for value in found[dv.read]]


def test_copies_are_noticed_on_disk(folder):
    table = {"age": [1, 2] * 100, "ill": ["a", "b"] * 100, "lab": [i / 7 for i in range(100)] * 2}
    path = folder / "copies.parquet"
    pq.write_table(pa.table(table), path)
    given = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    for read in (dv.read, on_disk):
        assert "100 records are copies of others" in dv.audit(read(path, **given)).checks[-1].sentence


def test_an_audit_that_proposes_roles_proposes_the_same(folder):
    path = written(drawn(300), folder, "csv")
    expected, found = (dv.audit(read(path)).to_dict()["roles"] for read in (dv.read, on_disk))
    assert found == expected
