"""Every subset in one search is what asking for it alone would give."""

import math
from itertools import combinations
from math import comb
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge._compiled import library
from divulge.counting.counts import RECORD
from divulge.engines.lattice import rows as lattice_rows
from divulge.engines.lattice import search as lattice
from divulge.engines.lattice import tables as lattice_tables
from divulge.errors import EmptySource, ParameterError, Undefined
from divulge.measures import get
from divulge.table.codes import Codes, narrow

ROUTES = pytest.mark.parametrize("built", [False, True], ids=["plain", "compiled"])


def search(columns, built=True, **given):
    """By compiled loops, or as if none had been built."""
    with patch.object(library, "built", lambda: built):
        return lattice.search(columns, **given)


def codes(numbers):
    """Codes of whole numbers from 0 (missing) on."""
    numbers = np.asarray(numbers)
    return Codes(narrow(numbers, int(numbers.max())), range(int(numbers.max())))


def read(name, counts):
    try:
        return get(name).compute(counts)
    except Undefined:
        return np.nan


def assert_as_asked(found, table, targets):
    """Each subset against the measures, for @record and for each target."""
    data = dv.read(table)
    keys = [name for name in table if name not in targets]
    for place, mask in enumerate(found.masks.tolist()):
        chosen = [key for i, key in enumerate(keys) if mask >> i & 1]
        counts = dv.ask(data, keys=chosen, target=RECORD).counts
        assert found.classes[place] == read("class_count", counts)
        assert found.least[place] == read("k_anonymity", counts)
        assert found.uniqueness[place] == pytest.approx(read("uniqueness", counts), abs=1e-12)
        for which, target in enumerate([RECORD, *targets]):
            counts = dv.ask(data, keys=chosen, target=target).counts
            asked = None if target == RECORD else which - 1
            for name in ("discrimination_rate", "itpr"):
                value = getattr(found, name)(asked)[place]
                assert value == pytest.approx(read(name, counts), abs=1e-9, nan_ok=True), (
                    name,
                    chosen,
                    target,
                )


@st.composite
def tables(draw):
    """Attributes a, b, ... and targets s, t of many kinds, with few records."""
    n = draw(st.integers(1, 14))
    kinds = {
        "few": st.sampled_from(["y", "z", None]),
        "many": st.integers(0, 9),
        "missing": st.none(),
        "constant": st.just("c"),
    }
    table = {}
    for name in "abcde"[: draw(st.integers(1, 5))]:
        kind = draw(st.sampled_from([*kinds, "apart", "again"]))
        if kind == "apart":
            table[name] = list(range(n))
        elif kind == "again" and table:
            table[name] = next(iter(table.values()))
        else:
            table[name] = draw(st.lists(kinds.get(kind, kinds["few"]), min_size=n, max_size=n))
    targets = ["s", "t"][: draw(st.integers(0, 2))]
    for name in targets:
        table[name] = draw(st.lists(kinds[draw(st.sampled_from(list(kinds)))], min_size=n, max_size=n))
    often = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n) | st.none())
    return table, targets, often


@ROUTES
@settings(max_examples=20)
@given(drawn=tables(), word_bits=st.sampled_from([64, 8]))
def test_every_subset_reads_as_if_asked_alone(built, drawn, word_bits):
    table, targets, often = drawn
    columns = {name: Codes.of(values) for name, values in table.items()}
    with patch.object(lattice_rows, "WORD_BITS", word_bits):
        found = search(
            [column for name, column in columns.items() if name not in targets],
            built,
            targets=[columns[name] for name in targets],
            times=None if often is None else np.array(often),
        )
    if often is not None:
        table = {name: np.repeat(np.array(v, object), often).tolist() for name, v in table.items()}
    assert found.records == len(next(iter(table.values())))
    assert len(found.targets) == len(targets)
    assert_as_asked(found, table, targets)


@ROUTES
def test_subsets_come_by_size_and_then_in_the_order_of_attributes(built):
    rng = np.random.default_rng(5)
    columns = [codes(rng.integers(0, values, 50)) for values in (2, 9, 3, 30, 5, 2)]
    found = search(columns, built, largest=4)
    expected = [sum(1 << i for i in one) for size in (1, 2, 3, 4) for one in combinations(range(6), size)]
    assert found.masks.tolist() == expected
    assert found.largest == 4


@ROUTES
def test_four_records_by_hand(built):
    age, sex = Codes.of([20, 20, 30, 30]), Codes.of(["f", "m", "f", "f"])
    found = search([age, sex], built, targets=[Codes.of(["flu", "cold", "flu", "cold"])])
    assert found.classes.tolist() == [2, 2, 3]
    assert found.least.tolist() == [2, 1, 1]
    assert found.unique.tolist() == [0, 1, 2]
    # n log2 n: 2 + 2; 3 log2 3; 2. Of the target: classes of one flu and one cold have 2 bits.
    assert found.about_records.total.tolist() == pytest.approx([4, 3 * np.log2(3), 2])
    assert found.about_records.least.tolist() == [2, 0, 0]
    assert found.targets[0].total.tolist() == pytest.approx([4, 3 * np.log2(3) - 2, 2])
    assert found.targets[0].least.tolist() == [2, 0, 0]
    assert found.discrimination_rate().tolist() == pytest.approx([0.5, 1 - 3 * np.log2(3) / 8, 0.75])
    assert found.itpr(0).tolist() == [0, 1, 1]


#: Values of each attribute, the largest subset, and values of the target.
CASES = {
    "all subsets of nine": ([400, 90, 40, 12, 7, 5, 3, 2, 1], 9, 7),
    "pairs of sixteen, more than a thread takes at once": ([60] * 8 + [2] * 8, 2, 4),
    "threes of fifteen": ([900, 900, *range(2, 15)], 3, 3),
    "a target of many values": ([2500, 30, 20, 2], 4, 2500),
    "many values, a target of many and nothing to add": ([2500, 30, 3, 2], 1, 2500),
    "a tail beside tables that are too large": ([2500] * 6 + [2, 2], 2, 2100),
    "few combinations, each of many records": ([4, 3, 3, 2, 2, 2, 2], 7, 3),
}


@pytest.mark.parametrize(("values", "largest", "of_target"), CASES.values(), ids=CASES)
def test_both_ways_find_the_same_of_thousands_of_rows(values, largest, of_target):
    rng = np.random.default_rng(11)

    def column(values):
        skewed = np.minimum(rng.geometric(min(0.9, 3 / values), 3000), values)
        return codes(skewed if values < 2000 else rng.permutation(3000) % values)

    columns, target = [column(one) for one in values], column(of_target)
    plain = search(columns, False, targets=[target], largest=largest)
    compiled = search(columns, targets=[target], largest=largest)
    assert len(plain.masks) == lattice.subsets(len(values), largest)
    for name in ("masks", "classes", "least", "unique"):
        assert np.array_equal(getattr(plain, name), getattr(compiled, name)), name
    for asked in (None, 0):
        assert plain.discrimination_rate(asked) == pytest.approx(
            compiled.discrimination_rate(asked), abs=1e-12
        )
        assert plain.itpr(asked) == pytest.approx(compiled.itpr(asked), abs=1e-12)


@ROUTES
@pytest.mark.parametrize("about", [[], [4], [4, 1, 9]], ids=["records", "a target", "three targets"])
@pytest.mark.parametrize("repeated", [False, True], ids=["once", "several times"])
def test_tables_of_small_subsets_find_the_same(built, about, repeated):
    rng = np.random.default_rng(3)
    columns = [codes(np.minimum(rng.geometric(3 / n, 3000), n)) for n in (8, 7, 30, 5, 4)]
    columns.append(codes(rng.integers(0, 3, 3000) * 50))  # most codes do not occur
    targets = [codes(rng.integers(0, n, 3000) + 1) for n in about]
    times = rng.integers(1, 5, 3000) if repeated else None
    given = {"targets": targets, "largest": 2, "times": times}
    sorted_rows = search(columns, **given)
    with (
        patch.object(lattice, "TABLES_PAY", 0),
        patch.object(lattice, "tabulate", None),
        patch.multiple(lattice_tables, CELLS=3000, BLOCK=1000),
    ):
        tabled = search(columns, built, different=[3000] * max(len(about), 1), **given)
    for name in ("masks", "classes", "least", "unique", "records"):
        assert np.array_equal(getattr(tabled, name), getattr(sorted_rows, name)), name
    for asked in (None, *range(len(about))):
        for rate in ("discrimination_rate", "itpr"):
            found, expected = (getattr(one, rate)(asked) for one in (tabled, sorted_rows))
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), rate


@pytest.mark.parametrize(("largest", "width"), [(1, 1), (2, 12), (3, 5), (4, 1)])
def test_groups_of_attributes_hold_every_subset_and_are_few(largest, width):
    sizes = [2, 95, 60, 12, 6, 8, 40, 9]
    found = lattice_tables.groups(sizes, largest, width)
    held = {one for group in found for one in combinations(group, largest)}
    assert held == set(combinations(range(8), largest))
    assert len(found) <= comb(8, largest) / 2
    for group in found:
        cells = math.prod(sizes[place] for place in group) * width
        assert cells <= lattice_tables.CELLS or len(group) == largest


def test_more_records_than_loops_count_are_searched_all_the_same():
    columns, target = [Codes.of([1, 1, 2]), Codes.of(["f", "m", "m"])], Codes.of(["flu", "cold", "flu"])
    found = lattice.search(columns, targets=[target], times=np.array([1 << 33, 1 << 33, 5]))
    assert found.records == (1 << 34) + 5
    assert found.least.tolist() == [5, 1 << 33, 5]
    assert found.targets[0].total[0] == pytest.approx(1 << 34)  # one bit for each of two times 2^33


@ROUTES
def test_rows_that_stand_for_nobody_are_in_no_class(built):
    columns = [Codes.of([1, 1, 2, 3]), Codes.of(["f", "m", "m", "f"])]
    with_nobody = search(columns, built, targets=[columns[1]], times=np.array([2, 0, 3, 0]))
    assert with_nobody.classes.tolist() == [2, 2, 2]
    assert with_nobody.least.tolist() == [2, 2, 2]
    assert with_nobody.targets[0].total.tolist() == [0, 0, 0]


def test_targets_of_many_values_are_searched_in_several_goes():
    rng = np.random.default_rng(2)
    columns = [codes(rng.integers(0, v, 500)) for v in (40, 7, 3)]
    targets = [codes(rng.integers(0, v, 500)) for v in (300, 2, 300, 300, 1, 9)]
    assert [len(some) for some in lattice_rows.batches(targets)] == [3, 3]
    together = search(columns, targets=targets)
    for place, target in enumerate(targets):
        alone = search(columns, targets=[target])
        assert together.discrimination_rate(place) == pytest.approx(
            alone.discrimination_rate(0), abs=1e-12, nan_ok=True
        )
        assert together.targets[place].least == pytest.approx(alone.targets[0].least, abs=1e-12)


def test_a_rare_target_loses_no_digits():
    rng = np.random.default_rng(3)
    columns = [codes(rng.integers(0, v, 200_000)) for v in (40, 30, 7, 3)]
    rare = np.zeros(200_000, np.int64)
    rare[[7, 70_000]] = 1
    found = search(columns, targets=[codes(rare)])
    table = {f"a{i}": column.codes for i, column in enumerate(columns)}
    data = dv.read({**table, "x": rare})
    for place in (0, 5, 14):
        keys = [f"a{i}" for i in range(4) if int(found.masks[place]) >> i & 1]
        asked = get("discrimination_rate").compute(dv.ask(data, keys=keys, target="x").counts)
        assert found.discrimination_rate(0)[place] == pytest.approx(asked, abs=1e-9)


def test_a_budget_leaves_out_whole_sizes_but_never_single_attributes():
    columns = [codes(np.arange(100) >> i) for i in range(6)]
    rows = 100
    assert search(columns, budget=rows * 63).largest == 6
    kept = search(columns, budget=rows * 63 - 1)
    assert (kept.largest, len(kept.masks)) == (5, 62)
    assert len(search(columns, budget=rows * 21).masks) == 21
    assert search(columns, budget=0).largest == 1
    with_targets = search(columns, budget=rows * 63, targets=[columns[0], columns[1]])
    assert with_targets.largest == 2  # both targets: 2 * 21 subsets, and 2 * 41 would be too many


def test_a_budget_counts_rows_that_are_alike_once():
    columns = [codes(np.arange(1000) % 10), codes(np.arange(1000) % 5), codes(np.arange(1000) % 2)]
    assert search(columns, budget=70).largest == 3


@pytest.mark.parametrize("attributes", [1, 5, 12])
def test_how_many_subsets_there_are(attributes):
    assert lattice.subsets(attributes, attributes) == 2**attributes - 1
    assert lattice.subsets(attributes, 1) == attributes
    assert lattice.subsets(12, 3) == 12 + comb(12, 2) + comb(12, 3)


@ROUTES
def test_rates_of_what_cannot_be_told_are_not_numbers(built):
    one = search([Codes.of(["a"])], built)
    assert np.isnan(one.discrimination_rate()).all()
    assert np.isnan(one.itpr()).all()
    assert one.uniqueness.tolist() == [1.0]
    constant = search([Codes.of([1, 1, 2])], built, targets=[Codes.of(["x"] * 3)])
    assert np.isnan(constant.discrimination_rate(0)).all()
    assert constant.targets[0].least.tolist() == [0.0]


def test_what_cannot_be_searched_is_said():
    column = Codes.of([1, 2])
    with pytest.raises(ParameterError, match="Subsets of 0 attributes cannot be searched"):
        lattice.search([])
    with pytest.raises(ParameterError, match="between 1 and 64"):
        lattice.search([column] * 65)
    with pytest.raises(ParameterError, match="at most 0 attributes"):
        lattice.search([column], largest=0)
    with pytest.raises(EmptySource, match="no record"):
        lattice.search([Codes.of([])])
    with pytest.raises(ParameterError, match="have 2, 3 rows"):
        lattice.search([column], targets=[Codes.of([1, 2, 3])])
    with pytest.raises(ParameterError, match="have 1, 2 rows"):
        lattice.search([column], times=np.array([5]))


def test_sixty_four_attributes_fit_a_mask():
    column = Codes.of([1, 2, 2])
    found = search([column] * 64, largest=1)
    assert found.masks.tolist() == [1 << i for i in range(64)]


def test_sums_over_many_records_are_exact_to_fourteen_digits():
    """Each row adds its own share: without care rounding would reach the thirteenth digit here."""
    rng = np.random.default_rng(3)
    columns = [Codes(narrow(rng.integers(1, most + 1, 300_000), most), range(most)) for most in (97, 53, 60)]
    *keys, target = columns
    found = search(keys, targets=[target]).discrimination_rate(0)
    classes = keys[0].codes.astype(np.int64) * 64 + keys[1].codes
    of_target = np.bincount(target.codes)

    def bits(counts):
        return math.fsum(n * math.log2(n) for n in counts[counts > 0].tolist())

    records = len(classes)
    whole = records * math.log2(records) - bits(of_target)
    left = bits(np.bincount(classes)) - bits(np.bincount(classes * 64 + target.codes))
    assert min(abs(found - (1 - left / whole))) < 1e-14
