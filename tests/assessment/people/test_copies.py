"""Records that are copies are found, and looked for only where they could be."""

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

import divulge as dv
from divulge.assessment.people import copies as looked
from divulge.assessment.people.copies import TELLING, copies, look_copied
from divulge.table.schema import Schema


def data(numbers, **columns):
    return dv.read({"number": numbers, **columns}, quasi_identifiers=["age", "zip"], sensitive=["ill"])


@pytest.mark.parametrize("values", [4, 10, 40])
@pytest.mark.parametrize("times", [1, 2])
def test_a_look_at_two_attributes_finds_no_fewer_copies(values, times):
    """With and without that look: 40 records, once or twice, and numbers that tell 4, 10 or all apart."""
    rng = np.random.default_rng(values)
    columns = {"age": rng.integers(0, 3, 40), "zip": rng.integers(0, 3, 40), "ill": rng.integers(0, 2, 40)}
    columns = {name: np.tile(column, times).tolist() for name, column in columns.items()}
    numbers = np.tile(np.arange(40) % values, times).tolist()
    found = copies(data(numbers, **columns))
    with patch.object(looked, "_different_at_least", return_value=0):
        plain = copies(data(numbers, **columns))
    assert (found is None) == (plain is None) == (values < 40 or times == 1)
    assert found is None or found.tolist() == plain.tolist()


def test_records_are_not_compared_where_two_attributes_tell_more_of_them_apart():
    """Nine combinations of age and zip, and numbers from 0 to 3, which cannot tell all records apart."""
    ages, zips = np.repeat(np.arange(3), 30), np.tile(np.arange(3), 30)
    given = data((np.arange(90) % 4).tolist(), age=ages.tolist(), zip=zips.tolist(), ill=[0, 1] * 45)
    with patch.object(looked, "_mixed", side_effect=AssertionError("records were compared")):
        assert copies(given) is None


@pytest.mark.parametrize("pasted", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_what_never_looks_copied_does_not_whichever_records_are_left_out(seed, pasted):
    """Whole sets of records alike left out, up to a fifth of all, in many ways."""
    rng = np.random.default_rng(seed)
    kinds, times = int(rng.integers(20, 60)), int(rng.integers(1, 4))
    often = times + rng.integers(0, int(rng.integers(1, 4)), kinds)
    if pasted:
        often = often * 3 + (rng.random(kinds) < rng.choice([0, 0.02, 0.1, 0.5]))
    number = np.repeat(np.arange(kinds), often)
    columns = {"age": number % 7, "zip": number // 7, "ill": number % 2}
    given = dv.read(
        {"number": number if seed % 2 else number % 5, **columns},
        quasi_identifiers=["age", "zip"],
        sensitive=["ill"],
    )
    never = looked.never_copied(given, 0.2)
    for _ in range(30):
        chosen = np.ones(kinds, bool)
        chosen[rng.permutation(kinds)[: int(rng.integers(0, kinds))]] = False
        left = np.flatnonzero(chosen[number])
        if len(left) >= 0.8 * len(number):
            rest = given.taking(left)
            assert not (never and (copies(rest) is not None or looked.look_copied(rest) is not None))


@pytest.mark.parametrize(("odd", "never"), [(0, False), (2, False), (8, True)])
def test_records_pasted_may_look_so_once_a_few_are_left_out(odd, never):
    """Sets of 3, 6 and 9 records, of some of them one more: a twentieth, two such sets, can go."""
    often = 3 * (1 + np.arange(40) % 3)
    often[:odd] += 1
    number = np.repeat(np.arange(40), often)
    columns = {"age": number % 7, "zip": number // 7, "ill": number % 2}
    given = dv.read(columns, quasi_identifiers=["age", "zip"], sensitive=["ill"])
    assert looked.never_copied(given, 0.05) == never
    left = looked.look_copied(given.taking(np.flatnonzero(number >= odd)))
    assert left is not None
    assert left[:2] == (40 - odd, 3)


def test_records_that_all_differ_are_never_copies():
    rng = np.random.default_rng(3)
    columns = {name: rng.integers(0, 100, 5000) for name in ("age", "zip", "ill")}
    given = dv.read(columns, quasi_identifiers=["age", "zip"], sensitive=["ill"])
    assert looked.never_copied(given, 0.05)


def test_values_that_no_record_has_do_not_hide_what_tells_records_apart():
    """Dictionaries of 100 values each, of which few occur: two keys tell more apart than the number does."""
    rng = np.random.default_rng(5)
    names = pa.array([str(i) for i in range(100)])
    drawn = {"number": 4, "age": 10, "zip": 20, "ill": 3}
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, many, 20_000).astype(np.int16)), names)
        for name, many in drawn.items()
    }
    given = dv.read(pa.table(columns), quasi_identifiers=["age", "zip"], sensitive=["ill"])
    with patch.object(looked, "_mixed", side_effect=AssertionError("records were compared")):
        assert copies(given) is None


@pytest.mark.parametrize("kinds", [60, 3000])
def test_marks_of_hashes_say_how_many_records_differ_at_least(kinds, monkeypatch):
    rng = np.random.default_rng(kinds)
    mixed = rng.integers(0, 1 << 63, kinds, np.uint64)[rng.integers(0, kinds, 5000)] * np.uint64(2)
    exact = looked._different(mixed)
    monkeypatch.setattr(looked, "MANY", 1)
    assert 0.9 * exact < looked._different(mixed) <= exact == len(set(mixed.tolist()))


def test_of_rows_that_are_left_only_columns_that_may_tell_records_apart_are_taken():
    rng = np.random.default_rng(7)
    table = {f"answer {i}": rng.integers(0, 3, 400) for i in range(20)}
    data = dv.read({**table, "ill": rng.integers(0, 3, 400)}, quasi_identifiers="answer 0", sensitive="ill")
    left = data.taking(np.arange(300))
    assert copies(left) is None
    assert look_copied(left) is None
    assert len(left.engine._columns) <= TELLING
    assert [left.cardinality(name) for name in table] == [data.column(name).cardinality for name in table]
    starred = left.starring("answer 1", np.arange(300) < 3)
    assert starred.cardinality("answer 1") == starred.column("answer 1").cardinality


def test_what_a_plan_leaves_out_tells_no_records_apart():
    """Two of 40 records are alike in all. Leaving out a key that told the others apart shows nothing more."""
    number, half = [0, *range(39)], [0, 0, *[i % 2 for i in range(38)]]
    whole = dv.read({"number": number, "age": half, "ill": half}, quasi_identifiers=["number", "age"])
    assert copies(whole) is None
    without = whole.without("number")
    assert copies(without) is None
    assert copies(without.taking(np.arange(39))) is None


def test_copies_are_looked_for_again_where_roles_are_others():
    number, half = [0, *range(39)], [0, 0, *[i % 2 for i in range(38)]]
    keys = dv.read({"number": number, "age": half}, quasi_identifiers=["number", "age"])
    assert copies(keys) is None
    found = copies(keys.with_roles(Schema(("number", "age"), (), ("age",))))
    assert found is not None
    assert len(set(found.tolist())) == 39
