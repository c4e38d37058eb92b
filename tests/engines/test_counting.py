"""The local engine: tables, sorting and compiled loops give the same counts."""

from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge._compiled import library
from divulge.counting.statistics import (
    ALONE,
    DISCLOSURE,
    DISTINCT,
    DIVERGENCE,
    ENHANCED_GAIN,
    ENTROPY,
    GAIN,
    RISK,
    SIZE,
    TOP_SHARE,
    UNCERTAINTY,
    distance,
    dominance,
)
from divulge.engines.memory import counting as local
from divulge.engines.memory import sparse
from divulge.errors import EmptySource
from divulge.questions.question import Question
from divulge.table.codes import Codes
from random_tables import assert_readings_agree, cases, shapes

OF_SIZES = [SIZE, ALONE, RISK, UNCERTAINTY, ENTROPY, DISTINCT, TOP_SHARE, DIVERGENCE]
OF_TARGETS = [
    *OF_SIZES,
    DISCLOSURE,
    GAIN,
    ENHANCED_GAIN,
    distance("equal"),
    dominance(1),
    dominance(2),
    dominance(3),
]

#: Every way to the counts, by the thresholds that lead there.
WAYS = {
    "loops from the first record": {"LOOPS_PAY": 1, "LARGEST_TABLE": 1},
    "loops because a sample is mostly apart": {"LOOPS_PAY": 1, "SAMPLE": 4},
    "loops allowed and not needed": {"LOOPS_PAY": 1, "SAMPLE": 1 << 15},
    "loops where none were built": {"LOOPS_PAY": 1, "LARGEST_TABLE": 1, "built": False},
    "a table without the library": {"built": False},
    "sorting": {"LARGEST_TABLE": 1},
    "small tables": {"LARGEST_TABLE": 40},
}


@contextmanager
def way(*, built=True, **thresholds):
    """Counting with other thresholds, or as if no compiled loops had been built."""
    with ExitStack() as stack:
        for name, value in thresholds.items():
            stack.enter_context(patch.object(local, name, value))
        stack.enter_context(patch.object(library, "built", lambda: built))
        yield


def assert_same(one, other):
    """Classes, cells, target values and statistics, whatever the order and however often held."""
    assert shapes(one) == shapes(other)
    assert (one.records, one.classes, one.weight) == (other.records, other.classes, other.weight)
    assert one.entropy == pytest.approx(other.entropy, abs=1e-12)
    for statistic in OF_SIZES if one.cells is None else OF_TARGETS:
        mine, theirs = expanded(one, statistic), expanded(other, statistic)
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12), statistic.name


def expanded(counts, statistic):
    values = counts.statistic(statistic)
    return np.sort(values if counts.multiplicity is None else np.repeat(values, counts.multiplicity)).tolist()


@pytest.mark.parametrize("thresholds", WAYS.values(), ids=WAYS)
@settings(max_examples=20)
@given(case=cases(weights=False, identifiers=False, most=30))
def test_every_way_of_counting_gives_the_counts_of_the_plainest(thresholds, case):
    try:
        with way():
            plain = case.question.counts
    except EmptySource:
        return
    with way(**thresholds):
        assert_same(case.question.counts, plain)
        assert_same(case.question.classes, plain)


@pytest.mark.parametrize("thresholds", WAYS.values(), ids=WAYS)
@settings(max_examples=15)
@given(case=cases(pools=["mixed", "few", "apart"]))
def test_every_way_of_counting_agrees_with_the_reference(thresholds, case):
    if not case.joint.cells:
        return
    with way(**thresholds):
        question = case.question
        question.counts  # noqa: B018 - counted while the thresholds hold
        question.classes  # noqa: B018
        assert_readings_agree(question, case.joint)


@pytest.mark.parametrize("built", [True, False])
def test_a_few_records_are_counted_in_a_table(built):
    load = {"a": Codes.of([1, 1, 2])}.__getitem__
    filled = patch.object(local, "histogram", side_effect=local.histogram)
    with way(built=built), filled as fill, patch.object(sparse, "tally", side_effect=AssertionError):
        assert local.count(load, ["a"], Codes.of([1, 2, 3]), records=3, compact=True).size.tolist() == [2, 1]
    assert fill.called == built


@pytest.mark.parametrize("built", [True, False])
def test_loops_are_used_where_thresholds_say_so_and_they_were_built(built):
    load = {"a": Codes.of([1, 1, 2]), "b": Codes.of([1, 1, 2])}.__getitem__
    tallied = patch.object(sparse, "tally", side_effect=sparse.tally)
    with way(**WAYS["loops from the first record"], built=built), tallied as tally:
        local.count(load, ["a", "b"], Codes.of([1, 2, 3]), records=3, compact=True)
    assert tally.called == built


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("built", [False, True], ids=["blocks", "loop"])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
def test_a_table_is_filled_by_any_number_of_threads(kind, built, threads):
    keys = Codes(np.tile(np.array([0, 1, 1, 2, 1], kind), 20), range(2))
    target = Codes(np.tile(np.array([1, 0, 0, 1, 1], np.uint8), 20), range(1))
    spread = patch.object(local, "run", wraps=local.run)
    with way(THREADS_PAY=1, cores=lambda: threads, built=built), spread as run:
        counts = local.count({"a": keys}.__getitem__, ["a"], target, records=100)
    assert counts.matrix().tolist() == [[0, 20], [40, 20], [0, 20]]
    assert len(run.call_args.args[1]) == threads


def test_classes_held_once_cannot_be_named():
    load = {"a": Codes.of([1, 2, 3]), "b": Codes.of([1, 2, 3])}.__getitem__
    with way(LOOPS_PAY=1, LARGEST_TABLE=1):
        counts = local.count(load, ["a", "b"], Codes.of(["x", "x", "y"]), records=3, compact=True)
    assert counts.decode is None
    assert counts.multiplicity.tolist() == [2, 1]
    assert counts.classes == 3


def test_weighted_records_as_targets_are_told_apart():
    load = {"a": Codes.of(["p", "p", "q"])}.__getitem__
    counts = local.count(load, ["a"], None, records=3, weights=np.array([1.0, 3.0, 4.0]))
    assert counts.cells.weight.tolist() == [1, 3, 4]
    # H(X) of 1/8, 3/8 and 1/2.
    assert counts.entropy == pytest.approx(3 / 8 + 3 / 8 * np.log2(8 / 3) + 1 / 2)


def test_more_combinations_than_a_word_holds_are_sorted_in_steps():
    wide = Codes(np.array([1, 2, 1, 1], np.uint32), range(2**31))
    load = {str(i): wide for i in range(5)}.__getitem__
    counts = local.count(load, [str(i) for i in range(5)], None, records=4)
    assert counts.size.tolist() == [3, 1]
    assert counts.decode(np.array([1]))[0]["0"] == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30))
def test_numbered_classes_and_targets_are_tabulated_as_they_are(pairs):
    owner = np.unique([y for y, _ in pairs], return_inverse=True)[1]
    values, dealt = np.unique([x for _, x in pairs], return_inverse=True)
    classes = local.RecordClasses(owner.astype(np.uint32), int(owner.max()) + 1)
    counts = local.tabulate(classes, Codes((dealt + 1).astype(np.uint32), values.tolist()))
    expected = np.zeros((owner.max() + 1, len(values)), int)
    np.add.at(expected, (owner, dealt), 1)
    assert counts.matrix().tolist() == expected.tolist()


# -- at their real size -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """More records than the loops need, of five keys that leave most alone and one that does not."""
    n, rng = 600_000, np.random.default_rng(3)
    columns = {f"k{i}": Codes(rng.integers(0, 64, n).astype(np.uint8), range(64)) for i in range(5)}
    columns["wide"] = Codes(rng.integers(0, 1 << 20, n).astype(np.uint32), range(1 << 30))
    columns["few"] = Codes(rng.integers(0, 9, n).astype(np.uint8), list("abcdefgh"))
    return n, columns, Codes(rng.integers(0, 6, n).astype(np.uint8), list("vwxyz"))


@pytest.mark.parametrize(
    "keys", [["k0", "k1", "k2", "k3"], ["k0", "k1", "k2", "k3", "k4", "wide"], ["few", "k0"]]
)
@pytest.mark.parametrize("about_records", [False, True])
def test_600_000_records_give_the_same_counts_by_loops_and_by_sorting(many, keys, about_records):
    records, columns, target = many
    aim = None if about_records else target
    quick = local.count(columns.__getitem__, keys, aim, records=records, compact=True)
    with way(LOOPS_PAY=1 << 40):
        plain = local.count(columns.__getitem__, keys, aim, records=records, compact=True)
    assert plain.multiplicity is None
    assert (quick.multiplicity is not None) == ("few" not in keys)
    assert (quick.records, quick.classes) == (plain.records, plain.classes) == (records, quick.classes)
    for statistic in OF_SIZES if about_records else OF_TARGETS:
        assert quick.total(statistic) == pytest.approx(plain.total(statistic), rel=1e-9), statistic.name
        assert quick.least(statistic) == pytest.approx(plain.least(statistic), rel=1e-12), statistic.name
        assert quick.most(statistic) == pytest.approx(plain.most(statistic), rel=1e-12), statistic.name


@pytest.mark.parametrize("target", [None, Codes(np.array([5, 5, 0, 2, 5, 5], np.uint8), list("abcdefgh"))])
def test_codes_that_do_not_occur_change_no_count(target):
    # Six records in a range of a thousand by a hundred values: by those that occur they are 3 by 2.
    columns = {
        "a": Codes(np.array([900, 900, 7, 7, 900, 0], np.uint16), range(1000)),
        "b": Codes(np.array([99, 1, 1, 1, 99, 99], np.uint8), range(100)),
    }
    times = np.array([1, 2, 3, 4, 5, 6])
    plain = local.count(columns.__getitem__, ["a", "b"], target, records=6, times=times)
    with patch.object(local, "THREADS_PAY", 1):
        found = local.count(columns.__getitem__, ["a", "b"], target, records=6, times=times)
    assert found.size.tolist() == plain.size.tolist() == [6, 7, 2, 6]
    assert found.decode(np.arange(4)) == plain.decode(np.arange(4))
    if target is not None:
        assert found.cells.count.tolist() == plain.cells.count.tolist() == [6, 3, 4, 2, 6]
        assert found.target_values == plain.target_values == [None, "b", "e"]


def test_classes_that_were_counted_with_a_target_are_not_counted_again():
    rng = np.random.default_rng(5)
    columns = {name: Codes(rng.integers(1, 30, 400).astype(np.uint8), range(40)) for name in "abt"}
    asked = columns.__getitem__, ["a", "b"]
    with patch.multiple(local, LOOPS_PAY=1, LARGEST_TABLE=1):
        known = local.ClassSizes()
        plain = local.count(*asked, None, records=400, compact=True)
        local.count(*asked, columns["t"], records=400, compact=True, sizes=known)
        with patch.object(sparse, "tally", side_effect=AssertionError("counted again")):
            found = local.count(*asked, None, records=400, compact=True, sizes=known)
    assert found.size.tolist() == plain.size.tolist()
    assert found.multiplicity.tolist() == plain.multiplicity.tolist()


def test_sizes_of_classes_are_shared_by_targets_only_where_groups_and_records_are_the_same():
    rng = np.random.default_rng(6)
    table = {name: rng.integers(0, 30, 300) for name in "abt"}
    table["u"] = [None if row % 3 else "x" for row in range(300)]
    coarse = dv.Partition.of({str(i): range(10 * i, 10 * i + 10) for i in range(3)}, attribute="a")
    for missing in ("value", "drop"):
        with patch.multiple(local, LOOPS_PAY=1, LARGEST_TABLE=1):
            data = dv.read(table, quasi_identifiers=["a", "b"], sensitive=["t", "u"], missing=missing)
            found = []
            for part in ({}, {"a": coarse}):
                _ = Question(data, ("a", "b"), ("u",), part).counts.size
                found.append(Question(data, ("a", "b"), ("@record",), part).counts)
        for counts, values in zip(found, (table["a"], table["a"] // 10), strict=True):
            sizes = np.unique(np.unique(values * 100 + table["b"], return_counts=True)[1], return_counts=True)
            assert [counts.size.tolist(), counts.multiplicity.tolist()] == [one.tolist() for one in sizes]


@pytest.mark.parametrize(
    ("size", "often", "expected"),
    [
        ([2, 1, 2, 3], [1, 5, 1, 1], {1: 5, 2: 2, 3: 1}),
        ([1 << 40, 7, 1 << 40], [1, 2, 3], {7: 2, 1 << 40: 4}),  # a table of all sizes would not fit
        ([], [], {}),
    ],
)
def test_sizes_that_occur_and_how_many_classes_have_each(size, often, expected):
    found, times = local._size_counts(np.array(size, np.int64), np.array(often, np.int64))
    assert dict(zip(found.tolist(), times.tolist(), strict=True)) == expected
