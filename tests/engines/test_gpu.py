"""The engine for graphics cards: with NumPy for arrays everywhere, and on the card where there is one.

``make test-gpu`` runs these on a machine with a card, where neither DuckDB nor a database need be.
"""

import functools
import math
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pyarrow
import pytest

import divulge as dv
from array_modules import counted_by, module
from divulge.engines.base import Conventions, SubsetSearch
from divulge.engines.gpu import (
    arrays,
    cells,
    counting,
    engine,
    field_rows,
    frames,
    held_rows,
    kernels,
    levels,
    subsets,
    words,
)
from divulge.engines.gpu.chains import chains
from divulge.engines.gpu.engine import GpuEngine
from divulge.engines.gpu.words import CardColumns, condensed, in_order, packed, ranked
from divulge.engines.lattice import search as lattice
from divulge.engines.opening import engine_for
from divulge.errors import MissingLibrary, SourceError, TooMuch
from divulge.generalization.deadline import Deadline
from divulge.generalization.encoding import encoded
from divulge.generalization.search import search
from divulge.measures.information import mutual_information
from divulge.readings.shuffling import shuffles
from divulge.table.codes import Codes, narrow
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition
from questions import QUESTIONS, assert_same_documents, assert_same_readings, readings
from random_hierarchies import OF_GROUPS, lattice_of, random_case


@pytest.fixture(params=["numpy", "cupy"])
def xp(request):
    return module(request.param)


def column(rng, values, records):
    """Skewed codes, as attributes of people are."""
    codes = np.minimum(rng.geometric(min(0.9, 4 / values), records), values)
    return Codes(narrow(codes, values), range(values))


def people(records=2000, seed=3):
    rng = np.random.default_rng(seed)
    return {
        name: column(rng, many, records).codes for name, many in {"a": 40, "b": 9, "c": 3, "x": 5}.items()
    }


# -- questions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_on_the_card_as_here(question):
    cupy, (table, asked) = module("cupy"), QUESTIONS[question]
    columns = {name: table[name].to_pylist() for name in table.column_names}
    with counted_by(cupy):
        there = readings(columns, where={"engine": "gpu"}, **asked)
    assert_same_readings(there, readings(columns, **asked))


@pytest.mark.parametrize("target", ["x", "@record"])
@pytest.mark.parametrize("kinds", [0, 1 << 16], ids=["kinds of classes", "classes"])
def test_classes_that_are_alike_are_held_once(xp, target, kinds):
    asked = {"keys": ["a", "b", "c"], "target": target}
    with counted_by(xp), patch.object(cells, "KINDS_PAY", kinds):
        question = dv.ask(dv.read(people(), engine="gpu"), **asked)
        there = question.counts
        assert question.data.engine.kind == "gpu"
    here = dv.ask(dv.read(people()), **asked).counts
    assert there.classes == here.classes
    assert len(there.size) < here.classes
    assert there.records == here.records == 2000
    assert there.entropy == pytest.approx(here.entropy, abs=1e-12)


def test_classes_of_different_kinds_whose_hashes_are_the_same_stay_apart(xp):
    asked = {"keys": ["a", "b"], "target": "x"}
    with counted_by(xp), patch.object(cells, "_mixed", lambda signs: signs * np.uint64(0)):
        there = dv.measure(dv.read(people(), engine="gpu"), ["discrimination_rate", "itpr"], **asked)
    here = dv.measure(dv.read(people()), ["discrimination_rate", "itpr"], **asked)
    assert [one.value for one in there] == pytest.approx([one.value for one in here], abs=1e-12)


def test_keys_that_do_not_fit_one_word_are_ranked(xp):
    rng = np.random.default_rng(5)
    columns = [(xp.asarray(rng.integers(0, 3, 500)), 1 << 30) for _ in range(5)]
    words = packed(xp, columns, 500)
    rows = np.stack([arrays.fetched(xp, codes) for codes, _ in columns], axis=1)
    _, expected = np.unique(rows, axis=0, return_inverse=True)
    assert arrays.fetched(xp, ranked(xp, words.words).words).tolist() == expected.ravel().tolist()


@pytest.mark.parametrize("often", [False, True], ids=["records", "rows that stand for several"])
@pytest.mark.parametrize("target", ["x", "@record"])
def test_a_table_larger_than_the_card_is_counted_in_parts(xp, target, often):
    table, asked = people(), {"keys": ["a", "b", "c"], "target": target}
    times = np.random.default_rng(1).integers(1, 4, 2000) if often else None
    columns = {name: Codes(codes, range(40)) for name, codes in table.items()}
    keys, about = {key: columns[key] for key in asked["keys"]}, None if target == "@record" else columns["x"]
    with counted_by(xp):
        whole = counting.joint_counts(CardColumns(xp), keys, about, times=times, compact=True)
        with patch.object(counting, "free_bytes", lambda xp: 70_000):
            parts = counting.joint_counts(CardColumns(xp), keys, about, times=times, compact=True)
    assert sorted(parts.size.tolist()) == sorted(whole.size.tolist())
    assert (parts.records, parts.classes) == (whole.records, whole.classes)
    assert parts.entropy == whole.entropy


def test_a_limit_on_the_memory_of_the_card_is_kept():
    cupy, rng = module("cupy"), np.random.default_rng(1)
    table = {name: column(rng, many, 6_000_000).codes for name, many in {"a": 40, "b": 9, "x": 5}.items()}
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    asked = {"keys": ["a", "b"], "target": "x"}
    pool.set_limit(size=pool.used_bytes() + (128 << 20))  # of the 260 MB that all records would take
    try:
        there = dv.ask(dv.read(table, engine="gpu"), **asked).counts
    finally:
        pool.set_limit(size=0)
    here = dv.ask(dv.read(table), **asked).counts
    assert (there.classes, there.records) == (here.classes, here.records)
    assert there.entropy == pytest.approx(here.entropy, abs=1e-12)


def test_what_does_not_fit_the_card_is_said_with_its_size(xp):
    with counted_by(xp), patch.object(counting, "free_bytes", lambda xp: 20_000):
        data = dv.read(people(), engine="gpu")
        with pytest.raises(TooMuch, match=r"2,000 .* GB on the graphics card, which has 0.0 GB free"):
            dv.ask(data, keys=["a", "b", "c"], target="x").counts  # noqa: B018
        with pytest.raises(TooMuch, match="graphics card"):
            dv.ask(data, keys=["a"], target="x").classes  # noqa: B018


def test_values_are_counted_and_told_apart(xp):
    table = people()
    with counted_by(xp):
        data = dv.read(table, engine="gpu")
        assert data.frequencies("a")[1].tolist() == dv.read(table).frequencies("a")[1].tolist()
        assert data.distinct(["a", "b"]) == dv.read(table).distinct(["a", "b"])


def test_two_runs_give_the_same_bits(xp):
    def run():
        with counted_by(xp):
            data = dv.read(people(), engine="gpu", quasi_identifiers=["a", "b", "c"], sensitive="x")
            return [one.value for one in dv.measure(data, keys=["a", "b"], target="x")]

    assert run() == run()


def test_targets_are_assigned_at_random_on_the_card(xp):
    table, asked = people(4000), {"keys": ["a", "b", "c"], "target": "x", "permutations": 60}
    measures = ["t_closeness", "worst_posterior", "attacker_error"]
    with counted_by(xp), patch.object(counting, "DEALT_PAY", 0):
        question = dv.ask(dv.read(table, engine="gpu"), keys=asked["keys"], target="x")
        [one, two], [same, _] = ([*shuffles(question.counts, 2, 5, question.data.dealing)] for _ in range(2))
        there = dv.measure(dv.read(table, engine="gpu"), measures, **asked)
    for shuffled in (one, two):
        assert shuffled.classes == question.counts.classes
        assert shuffled.target_weight.tolist() == question.counts.target_weight.tolist()
        assert shuffled.members.tolist() != []
    assert one.cells.count.tolist() == same.cells.count.tolist()
    assert mutual_information(one) != mutual_information(two)
    for found, here in zip(there, dv.measure(dv.read(table), measures, **asked), strict=True):
        chance, other = found.at_chance, here.at_chance
        assert found.value == pytest.approx(here.value, abs=1e-12)
        assert chance.expected == pytest.approx(other.expected, abs=5 * math.hypot(chance.error, other.error))


def compared(table, given):
    release = {**table, "a": table["a"] // 4}
    roles = {"quasi_identifiers": ["a", "b"], "sensitive": "x", **given}
    return dv.compare(dv.read(table, **roles), {"release": dv.read(release, **roles)}).to_dict()


def anonymized(table, given):
    return dv.anonymize(dv.read(table, quasi_identifiers=["a", "b"], sensitive="x", **given), k=3).to_dict()


@pytest.mark.parametrize("work", [compared, anonymized])
def test_what_is_made_of_counts_is_the_same(xp, work):
    with counted_by(xp):
        there = work(people(300), {"engine": "gpu"})
    assert_same_documents(there, work(people(300), {}))


def test_what_is_made_of_a_table_is_looked_at_row_by_row(xp):
    with counted_by(xp), patch.object(engine, "ROW_BY_ROW", 100), patch.object(held_rows, "COMBINATIONS", 10):
        table = dv.read(people(300), engine="gpu").source
        made = engine_for(dv.read(people(200)).source, table)
        assert made.kind == "gpu"
        assert made.looked_at(["a", "b"], Conventions()) is made
        assert engine_for(table).looked_at(["a", "b"], Conventions()) is None


class Handed:
    """An array of another library, which hands it over by DLPack and lets nobody else read it."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


@pytest.mark.parametrize("wrapped", [lambda array: array, Handed], ids=["arrays", "DLPack"])
def test_columns_on_the_card_are_read_there(xp, wrapped):
    rng = np.random.default_rng(4)
    table = {
        "near": rng.integers(-3, 9, 400),
        "far": rng.integers(0, 5, 400) * 10**12,
        "part": rng.choice([0.0, -0.0, np.nan, 1.5], 400),
        "said": rng.integers(0, 2, 400).astype(bool),
    }
    asked = {"keys": ["near", "far", "part"], "target": "said"}
    with counted_by(xp):
        there = readings(
            {k: wrapped(xp.asarray(v)) for k, v in table.items()}, where={"engine": "gpu"}, **asked
        )
        for name in table:
            assert dv.ask(there.question.data, keys=[name]).counts.classes == len(np.unique(table[name]))
    assert_same_readings(there, readings(table, **asked))


class CudfSeries:
    """What divulge uses of a column of cuDF, which is not installed here: its array, and Arrow."""

    def __init__(self, values, array=None):
        self.to_arrow = lambda: pyarrow.array(values)
        for name in ("__array_interface__", "__cuda_array_interface__"):
            if array is not None and hasattr(array, name):
                setattr(self, name, getattr(array, name))
        self.array = array


class CudfFrame(dict):
    columns = property(list)

    def __len__(self):
        return len(self["near"].to_arrow())

    def to_arrow(self, preserve_index):
        return pyarrow.table({name: one.to_arrow() for name, one in self.items()})


DataFrame = type("DataFrame", (CudfFrame,), {"__module__": "cudf.core.dataframe"})


@pytest.mark.parametrize("engine", ["gpu", None])
def test_a_frame_of_cudf_is_read_where_it_is(xp, engine):
    rng = np.random.default_rng(4)
    near, text = rng.integers(-3, 9, 400), rng.choice(["x", "y", None], 400).tolist()
    gaps = [None if one > 6 else one for one in near.tolist()]
    frame = DataFrame(near=CudfSeries(near, xp.asarray(near)), text=CudfSeries(text), gaps=CudfSeries(gaps))
    there = frames.shared(xp, frame["near"])
    assert (there.data.ptr if arrays.is_card(xp) else there.ctypes.data) == (
        frame["near"].array.data.ptr if arrays.is_card(xp) else frame["near"].array.ctypes.data
    )
    masked = CudfSeries(gaps)
    masked.__array_interface__ = masked.__cuda_array_interface__ = {"typestr": "<i8", "mask": near}
    assert frames.shared(xp, masked) is None
    asked = {"keys": ["near", "gaps"], "target": "text"}
    with counted_by(xp):
        found = readings(frame, where={} if engine is None else {"engine": engine}, **asked)
    assert_same_readings(found, readings({"near": near, "text": text, "gaps": gaps}, **asked))


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"a": np.zeros((2, 2))}, "'a' is no column of numbers"),
        ({"a": np.zeros(2), "b": np.zeros(3)}, r"differ in length: \[2, 3\]"),
        ({"a": np.zeros(0)}, "no records"),
    ],
)
def test_columns_on_the_card_that_are_no_table_are_refused(xp, columns, says):
    with counted_by(xp), pytest.raises(SourceError, match=says):
        dv.read({name: xp.asarray(column) for name, column in columns.items()}, engine="gpu")


# -- subsets ------------------------------------------------------------------------------------------


def test_chains_hold_every_subset_once():
    found = [
        frozenset(one.elements[:end])
        for one in chains(6)
        for end in range(len(one.begin), len(one.elements) + 1)
    ]
    assert len(found) == len(set(found)) == 2**6


#: Values of each attribute, of the target, records, and whether rows stand for several.
TABLES = {
    "attributes of people": ((40, 3, 20, 5, 7, 2, 9, 2, 4), 6, 3000, False),
    "rows that stand for several": ((30, 20, 10, 8, 7, 6, 5, 3), 2, 2000, True),
    "no target": ((40, 3, 20, 5, 7, 2, 9), None, 2000, False),
    "large classes": ((2, 3), 600, 20000, False),
    "few combinations": ((4, 3, 2, 1), 3, 3000, True),
}


@functools.cache
def searched(name, largest):
    values, of_target, records, often = TABLES[name]
    rng = np.random.default_rng(7)
    columns = [column(rng, one, records) for one in values]
    targets = [] if of_target is None else [column(rng, of_target, records)]
    given = {"targets": targets, "times": rng.integers(1, 5, records) if often else None, "largest": largest}
    return columns, given, lattice.search(columns, **given)


@pytest.mark.parametrize("largest", [None, 2])
@pytest.mark.parametrize("name", TABLES)
def test_every_subset_is_found_as_here(xp, name, largest):
    columns, given, here = searched(name, largest)
    card = CardColumns(xp)
    own = SubsetSearch(functools.partial(subsets.subset_sums, card), 10**12)
    with patch.object(lattice, "_at_hand", None):
        there = lattice.search(columns, **given, own=own)
    for what in ("masks", "classes", "least", "unique"):
        assert np.array_equal(getattr(there, what), getattr(here, what)), what
    for asked in (None, *range(len(given["targets"]))):
        for rate in ("discrimination_rate", "itpr"):
            found, expected = (getattr(one, rate)(asked) for one in (there, here))
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), rate


def test_a_rare_target_loses_no_digits(xp):
    rng = np.random.default_rng(3)
    columns = [column(rng, many, 200_000) for many in (40, 30, 7)]
    rare = np.zeros(200_000, np.uint8)
    rare[[7, 70_000]] = 1
    own = SubsetSearch(functools.partial(subsets.subset_sums, CardColumns(xp)), 10**12)
    target = [Codes(rare + np.uint8(1), range(2))]
    found, expected = (lattice.search(columns, targets=target, own=one) for one in (own, None))
    assert found.discrimination_rate(0) == pytest.approx(expected.discrimination_rate(0), abs=1e-11)


@pytest.mark.parametrize("why", ["attributes", "bits", "memory"])
def test_what_the_card_does_not_search_is_searched_here(xp, why):
    rng = np.random.default_rng(2)
    columns = [column(rng, 12, 300) for _ in range(5)]
    own = SubsetSearch(functools.partial(subsets.subset_sums, CardColumns(xp)), 10**12)
    cut = {
        "attributes": patch.object(subsets, "MOST", 4),
        "bits": patch.object(field_rows, "WORD_BITS", 16),
        "memory": patch.object(subsets, "free_bytes", lambda xp: 300),
    }
    with cut[why]:
        assert subsets.subset_sums(CardColumns(xp), columns, None, None, 2) is None
        found = lattice.search(columns, largest=2, own=own)
    assert found.masks.tolist() == [1 << i for i in range(5)] + [
        1 << i | 1 << j for i, j in combinations(range(5), 2)
    ]


def test_prefixes_of_sorted_words_by_hand(xp):
    words = xp.asarray(np.array([0b000, 0b001, 0b001, 0b110, 0b111], np.uint64))
    sums = arrays.fetched(xp, kernels.prefix_sums(xp, words, None, [1, 0], 1.0))
    assert sums[0, :5].tolist() == [0, 0, 1, 1, 0]  # 00 three times, 11 twice
    assert sums[1, :5].tolist() == [0, 3, 1, 0, 0]
    before = xp.asarray(np.array([0, 1, 2, 602, 603, 1303]))  # records before each word, and all
    sums = arrays.fetched(xp, kernels.prefix_sums(xp, words, before, [1], 1.0))
    assert sums[0, 0] == 2  # large classes: of 602 and of 701 records
    assert sums[0, -1] == 602
    assert sums[0, -2] == round(602 * np.log2(602)) + round(701 * np.log2(701))


# -- levels -------------------------------------------------------------------------------------------


def every_node(lattice, own=None):
    """What is found of every node, as far as it is defined, and whether an engine's own way found it."""
    lattice = replace(lattice, table=replace(lattice.table, own=own))
    found = lattice.room()
    assert [*lattice.whole(found)][-1] == lattice.table.nodes
    capped = found._replace(suppressed=np.minimum(found.suppressed, lattice.limit + 1))
    return capped, lattice.by_engine is not None


@pytest.mark.parametrize("seed", range(30))
def test_every_combination_of_levels_is_found_as_here(xp, seed):
    rng = np.random.default_rng(seed)
    case, loss = random_case(rng), str(rng.choice(OF_GROUPS))
    lattice = lattice_of(*case, float(rng.choice([0, 0.1, 0.5, 1])), loss)
    counter = GpuEngine(dv.read({"a": [1]}).source, card=CardColumns(xp))
    together = int(rng.choice([1, 60, 1 << 25]))  # attributes raised one by one, some of them, all at once
    with patch.object(levels, "PAYS", 0), patch.object(levels, "TOGETHER", together):
        there, own = every_node(lattice, counter.level_search)
    kinds = {int(one.kind) for one in lattice.criteria.of_classes if one.target >= 0}
    assert own == (kinds <= kernels.KINDS_ON_CARD)
    here, _ = every_node(lattice)
    for name, one, other in zip(here._fields, there, here, strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-9), name


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_the_search_finds_the_same_release(xp, share):
    lattice = lattice_of(*random_case(np.random.default_rng(4), {"k_anonymity": {"min": 3}}), share)
    counter = GpuEngine(dv.read({"a": [1]}).source, card=CardColumns(xp))
    with patch.object(levels, "PAYS", 0):
        own = replace(lattice, table=replace(lattice.table, own=counter.level_search))
        there, here = (search(one, lambda levels: True, deadline=Deadline()) for one in (own, lattice))
    assert there.certificate.proved
    assert there.certificate.evaluated == lattice.table.nodes
    assert [one.levels for one in there.best[:1]] == [one.levels for one in here.best[:1]]
    assert there.best[0].loss == pytest.approx(here.best[0].loss, abs=1e-12)


def test_classes_and_their_cells_are_numbered_as_here(xp):
    rng = np.random.default_rng(9)
    tree = Hierarchy.of([(str(i), str(i // 4), "*") for i in range(40)], attribute="a")
    table = {"a": rng.integers(0, 40, 3000), "b": rng.integers(0, 7, 3000), "x": rng.integers(0, 5, 3000)}
    other = Hierarchy.of([(str(i), "*") for i in range(7)], attribute="b")
    trees = {"a": tree, "b": other}
    with counted_by(xp), patch.object(held_rows, "PAYS", 0):
        there = encoded(dv.read(table, engine="gpu"), trees, [("x",)], {})
    here = encoded(dv.read(table), trees, [("x",)], {})
    for one, two in zip(
        (there.keys, there.class_of, *there.cells[0]), (here.keys, here.class_of, *here.cells[0]), strict=True
    ):
        assert np.array_equal(one, two)
        assert one is two or one.dtype == two.dtype


# -- audits -------------------------------------------------------------------------------------------


def audited(table, given):
    data = dv.read(table, quasi_identifiers=["a", "b", "c"], sensitive="x", **given)
    return dv.audit(data).to_dict()


def test_combinations_stand_for_many_records_in_an_audit(xp):
    table = {name: codes % 4 for name, codes in people(600).items()}
    with counted_by(xp), patch.object(engine, "ROW_BY_ROW", 100):
        held = dv.read(table, engine="gpu").looked_at(["a", "b", "c", "x"])
        assert held.source.records < held.records == 600
        there = audited(table, {"engine": "gpu"})
    here = audited(table, {})
    assert_same_documents(there, here)


def test_what_is_too_much_to_bring_over_is_counted_on_the_card_and_said(xp):
    table = people(600)
    with (
        counted_by(xp),
        patch.object(engine, "ROW_BY_ROW", 100),
        patch.object(held_rows, "COMBINATIONS", 10),
    ):
        assert dv.read(table, engine="gpu").looked_at(["a", "b"]) is None
        there = audited(table, {"engine": "gpu"})
    here = audited(table, {})
    assert [one["outcome"] for one in there["checks"]] == [one["outcome"] for one in here["checks"]]
    assert_same_documents(there["combinations"], here["combinations"])
    assert any("counted where they are" in one for one in there["not_tried"])
    assert there["plan"]["failing"] == 0
    assert not any(step["records_changed"] for step in there["plan"]["steps"])
    assert "graphics card" in there["people_beyond_table"]["undefined"]


@pytest.mark.parametrize(("most", "identifiers"), [(10, "own"), (10**6, "shared")])
def test_records_are_listed_one_by_one_all_the_same(xp, most, identifiers):
    rng = np.random.default_rng(3)
    table = people(400) | {"own": np.arange(400), "shared": rng.integers(0, 150, 400)}
    roles = {"quasi_identifiers": ["a", "b"], "sensitive": "x", "identifiers": identifiers}
    with (
        counted_by(xp),
        patch.object(engine, "ROW_BY_ROW", 100),
        patch.object(held_rows, "COMBINATIONS", most),
    ):
        there = dv.audit(dv.read(table, engine="gpu", **roles), search=False).columns("records")
    here = dv.audit(dv.read(table, **roles), search=False).columns("records")
    for name in ("group_size", "risk", "x_revealed"):
        assert there[name].values.tolist() == here[name].values.tolist()


def test_groups_of_values_are_looked_up_on_the_card(xp):
    table, groups = people(), Partition.of({"few": range(1, 4), "many": range(4, 41)}, attribute="a")
    asked = {"keys": ["a", "b"], "target": "x", "partitions": {"a": groups}}
    with counted_by(xp):
        question = dv.ask(dv.read(table, engine="gpu"), **asked)
        column = question.column("a")
        assert question.counts.classes == dv.ask(dv.read(table), **asked).counts.classes
        assert "codes" not in vars(column)  # nobody asked for them here
    assert column.codes.tolist() == groups.apply(dv.read(table).column("a"), attribute="a").codes.tolist()


# -- whether there is a card --------------------------------------------------------------------------


class FakeCupy:
    """CuPy as it is where something is wrong."""

    __version__ = "14.0"

    class CUDARuntimeError(RuntimeError):
        def __init__(self, status):
            super().__init__(f"status {status}")
            self.status = status

    def __init__(self, devices, total=6):
        self.cuda = self.runtime = self
        self._devices, self._total = devices, total

    def getDeviceCount(self):  # noqa: N802
        if isinstance(self._devices, Exception):
            raise self._devices
        return self._devices

    def arange(self, length):
        if self._total is None:
            raise RuntimeError("a library of CUDA could not be loaded")
        return np.array([self._total - 3] + [0] * (length - 1)) if self._total != 6 else np.arange(length)


WRONG = {
    "no CuPy": (None, MissingLibrary, "needs the package 'cupy'"),
    "no card": (FakeCupy(0), SourceError, "There is no NVIDIA graphics card"),
    "no device": (FakeCupy(FakeCupy.CUDARuntimeError(100)), SourceError, "There is no NVIDIA graphics card"),
    "old driver": (FakeCupy(FakeCupy.CUDARuntimeError(35)), SourceError, "missing, or too old for CuPy"),
    "another CUDA": (FakeCupy(1, total=None), SourceError, "cannot use the CUDA of this machine"),
    "not to be loaded": (ImportError("libnvrtc"), SourceError, "cannot use the CUDA of this machine"),
    "wrong sums": (FakeCupy(1, total=8), SourceError, "adds 1, 2 and 3 up to another number"),
}


def load(given):
    if isinstance(given, Exception):
        raise given
    return given


@pytest.mark.parametrize(("given", "kind", "says"), WRONG.values(), ids=WRONG)
def test_what_is_missing_is_said_before_anything_is_read(given, kind, says):
    there = patch.object(arrays, "find_spec", lambda name: None if given is None else name)
    with there, patch.object(arrays, "import_module", lambda name: load(given)):
        with pytest.raises(kind, match=says) as error:
            dv.read("no-such-file.csv", engine="gpu")
        assert error.value.hint


@pytest.mark.parametrize(
    ("source", "given", "says"),
    [
        ("people.csv", {"memory": "4GB"}, "memory budget cannot be given with the engine 'gpu'"),
        ("sqlite:///people.db#people", {}, "counted by 'database'"),
        ("people.csv", {"master": "local"}, "--master needs the engine 'spark'"),
    ],
)
def test_what_cannot_be_counted_on_a_card_is_said(source, given, says):
    with counted_by(np), pytest.raises(SourceError, match=says):
        dv.read(source, engine="gpu", **given)


REMOVED = [{"mechanism": "remove", "attributes": ["a"]}]


def test_what_is_made_of_a_table_is_counted_where_that_is():
    with counted_by(np):
        data = dv.read(people(), engine="gpu")
        for made in (data.taking(np.arange(50)), dv.transform(data, REMOVED).data):
            assert made.engine.kind == "gpu"
    assert dv.read(people()).engine.kind == "memory"


def test_the_engine_loads_without_duckdb_typer_or_numba():
    blocked = "import sys; sys.modules.update(dict.fromkeys(['duckdb', 'typer', 'numba'])); "
    run = f"{blocked}import bench.gpu, divulge.engines.gpu.engine"
    subprocess.run([sys.executable, "-c", run], check=True, cwd=dv.__path__[0] + "/../..")


def test_few_possible_words_are_tallied_as_they_are_sorted(xp):
    rng = np.random.default_rng(4)
    given = xp.asarray(rng.integers(0, 900, 5_000).astype(np.uint64))
    sorted_rows = condensed(xp, in_order(xp, given, None, 10))
    with patch.object(words, "TALLY_PAYS", 1):
        tallied = in_order(xp, given, None, 10)
    assert len(tallied.words) < 900 < len(given)
    assert (arrays.fetched(xp, tallied.words) == arrays.fetched(xp, sorted_rows.words)).all()
    assert (arrays.fetched(xp, tallied.times) == arrays.fetched(xp, sorted_rows.times)).all()


def test_questions_are_answered_alike_where_words_are_tallied(xp, monkeypatch):
    monkeypatch.setattr(words, "TALLY_PAYS", 1)
    monkeypatch.setattr(counting, "ALIKE_PAY", 1)
    for target in ("x", "@record"):
        asked = {"keys": ["a"], "target": target}
        with counted_by(xp):
            there = readings(people(), where={"engine": "gpu"}, **asked)
        assert_same_readings(there, readings(people(), **asked))
