"""Missing keys that match anything: classes overlap, and only some measures have a value."""

import numpy as np
import pytest
from hypothesis import given

import divulge as dv
from divulge.counting import wildcard
from divulge.errors import EmptySource, SchemaError, Undefined
from divulge.measures import MEASURES
from random_tables import assert_counts_agree, assert_readings_agree, cases

# Without an age one matches those of 20 and of 30, who do not match each other.
AGES = {"age": [20, 20, 30, None], "ill": ["flu", "cold", "flu", "cold"]}


def read(table, **conventions):
    return dv.read(table, missing="wildcard", **conventions)


@given(cases(missing=["wildcard"], identifiers=False))
def test_overlapping_classes_agree_with_the_reference(case):
    table = case.joint
    if not table.cells:
        with pytest.raises(EmptySource):
            case.question.counts  # noqa: B018
        return
    question = case.question
    assert_counts_agree(question.classes, table)
    assert_readings_agree(question, table)


def test_matching_is_not_transitive():
    counts = dv.ask(read(AGES), keys="age").counts
    assert counts.overlapping
    assert sorted(counts.size.tolist()) == [2, 3, 4]
    assert (counts.records, counts.classes) == (4, 3)


def test_a_record_with_missing_keys_lifts_the_k_of_those_it_could_be():
    assert dv.measure(AGES, "k_anonymity", keys="age").value == 1
    assert dv.measure(read(AGES), "k_anonymity", keys="age").value == 2


def test_two_missing_keys_match_where_the_others_agree():
    table = {"a": [1, None, 2], "b": [None, 5, 6]}
    # (1, ?) and (?, 5) could be one another; (2, 6) is nobody else.
    by_value = {
        tuple(v.key.values()): v.value
        for v in dv.measure(read(table), "k_anonymity", keys=["a", "b"]).by_value
    }
    assert by_value == {(1, None): 2, (None, 5): 2, (2, 6): 1}


def test_a_record_without_any_key_matches_everyone():
    table = {"a": [1, None, 2], "b": [3, None, 4]}
    assert sorted(dv.ask(read(table), keys=["a", "b"]).counts.size.tolist()) == [2, 2, 3]


def test_shares_by_record_count_each_record_once():
    # Sizes 3, 3, 2 and 4 for the four records: (1/3 + 1/3 + 1/2 + 1/4) / 4.
    reading = dv.measure(read(AGES), "reidentification_risk", keys="age", kind="average")
    assert reading.value == pytest.approx((2 / 3 + 1 / 2 + 1 / 4) / 4)


def test_the_whole_table_is_not_counted_twice_in_distances():
    # The class of 30 holds flu and cold, like the table; that of 20 has 1 flu and 2 cold.
    by_value = {
        v.key["age"]: v.value
        for v in dv.measure(read(AGES), "t_closeness", keys="age", target="ill").by_value
    }
    assert by_value == {20: pytest.approx(1 / 6), 30: 0, None: 0}


def test_rates_that_need_shares_that_add_up_are_undefined_with_the_reason():
    reading = dv.measure(read(AGES), "discrimination_rate", keys="age", target="ill")
    assert reading.value is None
    assert "overlap" in reading.undefined
    assert reading.by_value == []
    with pytest.raises(Undefined, match="overlap"):
        dv.identifier_class(read(AGES), keys="age", target="ill")


def test_all_measures_that_apply_have_a_value():
    readings = dv.measure(read(AGES), keys="age", target="ill")
    assert {r.measure.name for r in readings} == {m.name for m in MEASURES.values() if m.reads_overlap}
    assert all(reading.value is not None for reading in readings)


def test_without_missing_values_wildcards_change_nothing():
    table = {"age": [20, 20, 30], "ill": ["flu", "cold", "flu"]}
    for name in ("k_anonymity", "uniqueness", "t_closeness", "distinct_l_diversity", "kl_closeness"):
        plain = dv.measure(table, name, keys="age", target="ill").value
        assert dv.measure(read(table), name, keys="age", target="ill").value == plain


def test_a_person_on_several_records_is_refused():
    data = read({"who": ["Ann", "Ann"], "age": [20, None]}, identifiers="who")
    with pytest.raises(SchemaError, match="several records"):
        dv.measure(data, "k_anonymity", keys="age").value  # noqa: B018


def test_nothing_overlaps_where_no_key_is_missing():
    table = {"age": [20, 20, 30], "zip": ["1", None, "2"], "ill": ["flu", "cold", "flu"]}
    data = dv.read(table, missing="wildcard")
    assert not dv.ask(data, keys="age", target="ill").counts.overlapping
    assert dv.ask(data, keys=["age", "zip"], target="ill").counts.overlapping
    plain = dv.measure(table, "discrimination_rate", keys="age", target="ill").value
    assert dv.measure(data, "discrimination_rate", keys="age", target="ill").value == plain


@pytest.mark.parametrize("held", [1 << 31, 0], ids=["bits are remembered", "bits are made anew"])
def test_many_kinds_of_gaps_are_compared_bit_by_bit(monkeypatch, held):
    rng = np.random.default_rng(1)
    table = {
        name: [None if gap else int(value) for gap, value in zip(*drawn, strict=True)]
        for name in "abc"
        for drawn in [(rng.random(150) < 0.4, rng.integers(0, 4, 150))]
    }
    plain = dv.ask(read(table), keys=["a", "b", "c"]).counts
    for name, value in {"FEW_KINDS": 0, "AT_ONCE": 500, "HELD": held}.items():
        monkeypatch.setattr(wildcard, name, value)
    found = dv.ask(read(table), keys=["a", "b", "c"]).counts
    assert found.size.tolist() == plain.size.tolist()
    fits = [
        sum(all(x is None or y is None or x == y for x, y in zip(one, other, strict=True)) for other in rows)
        for rows in [list(zip(*table.values(), strict=True))]
        for one in rows
    ]
    assert sorted(np.repeat(found.size, found.own).tolist()) == sorted(fits)


def test_too_many_that_could_be_the_same_are_not_compared(monkeypatch):
    counts = dv.ask(dv.read(AGES), keys="age").classes
    column = dv.ask(dv.read(AGES), keys="age").column("age")
    with pytest.raises(Undefined, match="too many records"):
        wildcard.overlap(counts, {"age": column}, anything={"age": [0]}, most=2)
    monkeypatch.setattr(wildcard, "FEW_KINDS", 0)
    monkeypatch.setattr(wildcard, "MOST_CLASSES", 2)
    with pytest.raises(Undefined, match="too many records"):
        wildcard.overlap(counts, {"age": column}, anything={"age": [0]}, most=100)
