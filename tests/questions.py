"""Questions that every engine must answer alike: odd tables, and what is asked of them."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import divulge as dv
from random_tables import hierarchy


def drawn(seed, records=60):
    """A table of every kind of value, with gaps, NaN, -0.0 and names from all over."""
    rng = np.random.default_rng(seed)

    def column(pool, kind):
        picked = [pool[place] for place in rng.integers(0, len(pool), records)]
        return pa.array(picked, kind)

    days = [dt.date(2020, 1, 1), dt.date(2021, 2, 28), None]
    return pa.table(
        {
            "city": column(["Oslo", "oslo", "Zürich", "東京", "*", "", " ", None], pa.string()),
            "score": column([0.0, -0.0, math.nan, 1.5, None], pa.float64()),
            "smoker": column([True, False, None], pa.bool_()),
            "day": column(days, pa.date32()),
            "fee": column([Decimal("10.00"), Decimal("20.50"), None], pa.decimal128(10, 2)),
            "ill": column([*"abcdef", None], pa.string()),
            "grade": column([1, 2, 3, 10], pa.int32()),
            "person": column([f"p{place}" for place in range(25)], pa.string()),
        }
    )


def starred(seed, shown=0, records=60):
    """The same with a key that is suppressed on all records but some; of some, city is suppressed as well."""
    hidden = pa.array([f"k{place % 2}" for place in range(shown)] + ["*"] * (records - shown))
    return drawn(seed, records).append_column("hidden", hidden)


def unique(records=40):
    numbers = list(range(records))
    return pa.table({"city": numbers, "ill": [f"{'abcdef'[n % 6]}" for n in numbers], "grade": numbers})


def one_class(records=12):
    return pa.table({"city": ["Rome"] * records, "ill": [*"aabbbc"] * (records // 6), "grade": [7] * records})


QUESTIONS = {
    "an attribute": (drawn(1), {"keys": ["city", "score"], "target": "ill"}),
    "an ordered attribute": (drawn(2), {"keys": ["smoker", "day"], "target": "grade"}),
    "re-identification": (drawn(3), {"keys": ["city", "score", "day", "fee"]}),
    "two targets": (drawn(4), {"keys": ["day"], "target": ["ill", "smoker"]}),
    "missing dropped": (drawn(5), {"keys": ["city", "score"], "target": "smoker", "missing": "drop"}),
    "missing as wildcard": (
        drawn(6, 30),
        {"keys": ["city", "day"], "target": "grade", "missing": "wildcard"},
    ),
    "a mark for missing": (drawn(7), {"keys": ["city"], "target": "ill", "missing_values": ["Oslo", "a"]}),
    "weights": (drawn(8), {"keys": ["city", "fee"], "target": "ill", "weights": "grade"}),
    "re-identification with weights": (drawn(15), {"keys": ["city"], "weights": "grade"}),
    "people": (drawn(9), {"keys": ["city", "day"], "target": "ill", "identifiers": "person"}),
    "people to be found": (drawn(10), {"keys": ["city", "day"], "identifiers": "person"}),
    "a hierarchy": (
        drawn(11).filter(pc.field("ill").is_valid()),
        {"keys": ["city"], "target": "ill", "hierarchies": {"ill": hierarchy("ill")}},
    ),
    "partitions": (
        drawn(12),
        {
            "keys": ["grade", "city"],
            "target": "ill",
            "partitions": {
                "ill": {"one": ["a", "b"], "two": ["c", "d", "e", "f"]},
                "grade": {"bins": [2, 5]},
            },
        },
    ),
    "all suppressed but some": (
        drawn(16),
        {"keys": ["city"], "target": "ill", "partitions": {"ill": {"x": [*"abc", ""], "y": [*"def"]}}},
    ),
    "a key suppressed throughout": (starred(17), {"keys": ["city", "hidden"], "target": "ill"}),
    "a key suppressed on most records": (starred(18, 9), {"keys": ["city", "hidden"], "target": "ill"}),
    "all unique": (unique(), {"keys": ["city"], "target": "ill"}),
    "all unique, by each other": (unique(), {"keys": ["city"], "target": "grade"}),
    "one class": (one_class(), {"keys": ["city"], "target": "ill"}),
    "one target value": (one_class(), {"keys": ["city"], "target": "grade"}),
}


#: Records that weigh, belong to people or fit several classes, in every combination that has an answer.
COUNTED_OTHERWISE = {
    "people with weights": (
        drawn(31),
        {"keys": ["city", "day"], "target": "ill", "identifiers": "person", "weights": "grade"},
    ),
    "people to be found, with weights": (
        drawn(32),
        {"keys": ["city"], "identifiers": "person", "weights": "grade"},
    ),
    "people of whom some have no name": (
        drawn(33),
        {
            "keys": ["smoker"],
            "target": ["ill", "day"],
            "identifiers": ["person"],
            "missing_values": ["p1", "p2", "a"],
        },
    ),
    "people with missing dropped": (
        drawn(34),
        {"keys": ["city", "day"], "target": "smoker", "identifiers": "person", "missing": "drop"},
    ),
    "wildcards and re-identification": (
        drawn(35),
        {"keys": ["city", "day", "score", "fee"], "missing": "wildcard"},
    ),
    "wildcards and weights": (
        drawn(36),
        {"keys": ["city", "day"], "target": "ill", "missing": "wildcard", "weights": "grade"},
    ),
    "wildcards in domains": (
        drawn(37),
        {
            "keys": ["grade", "day"],
            "target": ["ill", "smoker"],
            "missing": "wildcard",
            "partitions": {"grade": {"bins": [2, 5]}},
        },
    ),
    "wildcards without a gap": (
        drawn(38),
        {"keys": ["grade"], "target": "ill", "missing": "wildcard", "identifiers": "person"},
    ),
}


def near(value):
    return value if value is None or math.isinf(value) else pytest.approx(value, rel=1e-12, abs=1e-12)


def readings(source, *, keys, target="@record", partitions=None, where=None, **conventions):
    """All that applies; ``where`` says how the source is opened."""
    data = dv.read(source, **(where or {}), **conventions)
    return dv.measure(data, keys=keys, target=target, partitions=partitions, permutations=3)


def assert_same_readings(there, here):
    """Values, chance, values by class, records left out, kinds of identifiers: all the same."""
    assert [one.name for one in there] == [one.name for one in here]
    for mine, theirs in zip(there, here, strict=True):
        assert mine.value == near(theirs.value), mine.name
        assert mine.undefined == theirs.undefined, mine.name
        assert mine.chance == near(theirs.chance), mine.name
        found = {str(line.key): line for line in mine.by_value}
        assert len(found) == len(theirs.by_value)
        for line in theirs.by_value:
            assert found[str(line.key)].records == line.records, mine.name
            assert found[str(line.key)].value == near(line.value), mine.name
    assert there.identifier_classes == here.identifier_classes
    assert_same_records(there.question, here.question)


def assert_same_records(mine, theirs):
    assert (mine.records, mine.suppressed_records, mine.dropped_records) == (
        (theirs.records, theirs.suppressed_records, theirs.dropped_records)
    )
    for key in mine.keys:
        assert mine.missing_records(key) == theirs.missing_records(key)


def assert_same_documents(mine, theirs, place="", unlike=(".source.name", ".roles.explicit", ".provenance")):
    """Two documents alike in every word, and in numbers to twelve digits."""
    if place in unlike:
        return
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys(), place
        for key, value in theirs.items():
            assert_same_documents(mine[key], value, f"{place}.{key}", unlike)
    elif isinstance(theirs, list | tuple):
        assert len(mine) == len(theirs), place
        for one, other in zip(mine, theirs, strict=True):
            assert_same_documents(one, other, f"{place}[]", unlike)
    elif isinstance(theirs, float):
        assert mine == near(theirs), place
    else:
        assert mine == theirs, place
