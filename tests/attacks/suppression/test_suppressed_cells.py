"""Suppressed cells in attacks: they tell nothing, they fit anything, and they do not shrink the whole."""

import numpy as np
import pytest

import divulge as dv
from divulge import attacks
from divulge.alignment.tables import align
from divulge.attacks.questions import ask, ask_alone
from divulge.attacks.suppression.suppressed_cells import least_distances


def released(table, keys=("age", "sex"), **more):
    return dv.read(table, quasi_identifiers=list(keys), sensitive="ill", **more)


def test_who_is_who_is_told_by_the_cells_that_are_shown():
    # By hand: of eight, two classes of two are shown. They tell 4 log 4 - 2 (2 log 2) = 4 of 8 log 8 = 24.
    table = {"age": ["2*", "2*", "3*", "3*", *"****"], "sex": ["f"] * 8, "ill": ["a", "b"] * 4}
    found = attacks.identity_black_box(released(table))
    assert found.readings[0].discrimination_rate == pytest.approx(4 / 24)
    assert found.risk == pytest.approx((4 / 24 + 0) / 2)


def test_a_constant_key_tells_nothing_whichever_of_its_cells_are_suppressed():
    table = {"age": ["2*"] * 6 + ["*"] * 2, "sex": [*"ffmmffmm"], "ill": ["a"] * 6 + ["b"] * 2}
    data = released(table)
    assert ask_alone(data, "age").rate == 0
    assert ask_alone(data, "age", "ill").rate == 0


def test_a_sensitive_attribute_is_told_to_the_share_that_is_shown():
    # By hand: age tells the illness of all 2,000; half of the cells are suppressed, in every class alike.
    table = {"age": ["2*", "3*"] * 500 + ["*", "*"] * 500, "sex": ["f"] * 2000, "ill": ["a", "b"] * 1000}
    assert ask_alone(released(table), "age", "ill").rate == pytest.approx(0.5)


def test_an_accident_among_few_shown_cells_is_not_told():
    # By hand: of 40 records two are shown, one of each kind: without the others that looks like all.
    table = {"age": ["2*", "3*"] + ["*"] * 38, "sex": ["f"] * 40, "ill": ["a", "b"] * 20}
    data = released(table)
    assert ask_alone(data, "age", "ill").rate == 0
    assert dv.measure(table, "discrimination_rate", keys="age", target="ill").value == 1


def test_the_white_box_reads_originals_of_which_some_are_suppressed():
    original = dv.read({"age": ["20", "21", "30", "31"]}, quasi_identifiers="age")
    table = {"age": ["2*", "2*", "3*", "*"]}
    found = attacks.identity_white_box(align(original, dv.read(table)))
    # By hand: the two 2* take 20 and 21, so the suppressed one is 30 or 31, as 3* is: one of two bits.
    assert found.risk == pytest.approx(0.5)
    as_sets = found.details["as_sets"][0]["discrimination_rate"]
    assert (
        as_sets <= attacks.identity_white_box(align(original, dv.read({"age": ["2*"] * 2 + ["3*"] * 2}))).risk
    )


def test_a_record_is_alone_only_if_no_other_could_be_the_same():
    table = {"age": ["20", "20", "30", "*"], "sex": ["f", "m", "m", "m"], "ill": ["a", "b", "b", "a"]}
    found = attacks.identity_black_box(released(table))
    # By hand: the fourth could be the second or the third; only the first is alone.
    assert (found.people, found.details["k"]) == (1, 1)
    assert found.details["average_risk"] == pytest.approx((1 + 1 / 2 + 1 / 2 + 1 / 3) / 4)
    assert attacks.marketer(released(table)).risk == found.details["average_risk"]
    assert attacks.prosecutor(released(table), thresholds=[0.4]).people == 3


def test_a_value_is_certain_only_if_all_who_fit_have_it():
    table = {"age": ["20", "20", "30", "30", "*"], "sex": [*"ffmmm"], "ill": ["a", "a", "b", "b", "a"]}
    found = attacks.homogeneity(released(table))
    # By hand: the fifth fits the men of 30, who have b; the women have a for certain.
    assert (found.people, found.of) == (2, 5)
    assert attacks.background_knowledge(released(table)).people == 5


def test_records_suppressed_from_end_to_end_count_in_the_whole_and_in_no_class():
    table = {"age": ["20", "20", "30", "*"], "sex": ["f", "f", "m", "*"], "ill": ["a", "a", "b", "b"]}
    data = released(table)
    found = attacks.homogeneity(data)
    assert (found.people, found.of) == (3, 4)
    assert attacks.marketer(data).risk == pytest.approx(2 / 4)
    assert attacks.prosecutor(data).details["average"] == pytest.approx(2 / 4)


def test_where_too_many_could_be_the_same_the_mark_is_a_value(monkeypatch):
    table = {"age": ["20", "20", "30", "*"], "sex": ["f", "m", "m", "m"], "ill": ["a", "b", "b", "a"]}
    monkeypatch.setattr("divulge.questions.question.MOST_PAIRS", 1)
    assert attacks.identity_black_box(released(table)).people == 4


def test_people_of_several_records_count_once():
    # By hand: p has three records, two of them in the class of certain a; q and r share the class of a and b.
    table = {
        "who": ["p", "p", "p", "q", "r", "q"],
        "age": ["20", "20", "30", "30", "30", "20"],
        "ill": ["a", "a", "a", "b", "a", "a"],
    }
    data = dv.read(table, identifiers="who", quasi_identifiers="age", sensitive="ill")
    found = attacks.homogeneity(data)
    assert (found.people, found.of) == (2, 3)
    assert found.details["certain"][0]["in_company"] == 2
    assert attacks.background_knowledge(data).people == 3
    grouped = attacks.similarity(data, partitions={"ill": {"each": {"A": ["a"], "B": ["b"]}}})
    assert (grouped.people, grouped.of) == (2, 3)


def test_one_person_with_many_records_is_one_certain_person():
    table = {"who": ["p"] * 6 + ["q", "r"], "age": ["20"] * 6 + ["30"] * 2, "ill": ["a"] * 6 + ["a", "b"]}
    data = dv.read(table, identifiers="who", quasi_identifiers="age", sensitive="ill")
    found = attacks.homogeneity(data)
    assert (found.people, found.of) == (1, 3)
    assert found.details["certain"][0]["in_company"] == 0
    assert "fewer than 5 people" in found.sentence


def by_hand(surely, perhaps, prior):
    """The least total variation over all ways to take whole records of what may belong to a class."""
    ways = np.stack(np.meshgrid(*(np.arange(n + 1) for n in perhaps)), axis=-1).reshape(-1, len(perhaps))
    counts = surely + ways
    return np.maximum(counts / counts.sum(axis=1, keepdims=True) - prior, 0).sum(axis=1).min()


@pytest.mark.parametrize("seed", range(6))
def test_the_least_distance_is_below_that_of_every_way_to_fill_a_class(seed):
    rng = np.random.default_rng(seed)
    surely, perhaps = rng.integers(0, 20, 3) + np.array([1, 0, 0]), rng.integers(0, 25, 3)
    prior = rng.dirichlet(np.ones(3))
    (found,) = least_distances(np.zeros(3, int), surely.astype(float), perhaps.astype(float), prior)
    least = by_hand(surely, perhaps, prior)
    # Fractions of records come a little lower than whole ones, and not lower than that.
    assert least - 0.03 <= found <= least + 1e-9


def test_skewness_holds_whoever_of_those_that_fit_belongs_to_a_class():
    original = {"age": ["20"] * 4 + ["30"] * 4, "sex": ["f"] * 8, "ill": [*"aabbbbbb"]}
    known = released(original)
    plain = attacks.skewness(align(known, dv.read(original)))
    assert plain.risk == pytest.approx(0.25)  # a: 2/4 against 2/8
    hidden = attacks.skewness(align(known, dv.read(original | {"age": ["20"] * 4 + ["*"] * 4})))
    # By hand: if all four who could be 20 are, the class is the table.
    assert hidden.risk == pytest.approx(0, abs=1e-9)
    assert ask(hidden_data(original), ("age", "sex"), "ill").fitting.overlapping


def hidden_data(original):
    return released(original | {"age": ["20"] * 4 + ["*"] * 4})


def test_suppressed_cells_of_records_that_are_dropped_are_nowhere_to_be_found():
    table = {"age": ["20", "20", "30", "*"], "sex": [*"fmfm"], "ill": ["a", "b", "b", None]}
    data = released(table, missing="drop")
    alone = ask_alone(data, "age", "ill")
    assert alone.hidden is None
    assert alone.rate == dv.measure(data, "discrimination_rate", keys="age", target="ill").value
