"""Every compiled loop and its twin in NumPy or Python find the same on random tables."""

import csv
import io
import re
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge import _compiled
from divulge._compiled import counting as counting_loops
from divulge._compiled import draws as draw_loops
from divulge._compiled import generalization as generalization_loops
from divulge._compiled import lattice as lattice_loops
from divulge._compiled import library
from divulge._compiled import lines as line_loops
from divulge._compiled import microaggregation as group_loops
from divulge._compiled import minimal_uniques as unique_loops
from divulge._compiled import neighbours as neighbour_loops
from divulge._compiled import reading as reading_loops
from divulge._compiled import release as release_loops
from divulge._compiled import special as special_loops
from divulge._compiled import statistics as statistics_loops
from divulge._compiled import swapping as swap_loops
from divulge._support import special_functions
from divulge.assessment.inference.asked.asked_cells import AskedShares, reaching
from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.people import people
from divulge.assessment.people.people import CodedRows
from divulge.assessment.people.people_table import of_cells
from divulge.attacks.record_linkage.nearest import nearest
from divulge.counting import statistics
from divulge.counting.counts import JointCounts
from divulge.engines.lattice import rows as lattice_rows
from divulge.engines.lattice import search as lattice
from divulge.engines.memory import counting as local
from divulge.engines.memory import kept_room as kept_room_loops
from divulge.engines.memory import sparse
from divulge.engines.memory.cell_tables import summed
from divulge.engines.memory.engine import MemoryEngine
from divulge.engines.opening import open_source
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import probabilities
from divulge.estimation.information.leakage import mutual_information
from divulge.generalization.attribute_levels import AttributeLevels
from divulge.generalization.sliced_levels import SlicedLevels
from divulge.mechanisms.algorithms.microaggregation import mdav_groups, variable_groups
from divulge.mechanisms.algorithms.optimal_groups import univariate_optimal_groups
from divulge.mechanisms.algorithms.swapping import rank_swap_rows
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data
from divulge.readings import shuffling
from divulge.readings.null_mean import expected_mutual_information
from divulge.recipes.outputs.csv_lines import csv_lines
from divulge.recipes.outputs.dictionary_pages import plain_places
from divulge.safe_release import Guard, State, kernels, leaving, table_of
from divulge.safe_release.leaving import GuardedSet
from divulge.safe_release.rules import FORMS, MERGING, TESTS
from divulge.safe_release.statistics.sampling import surprises
from divulge.source import text_codes
from divulge.source.base import Columns
from divulge.source.dialect import Dialect
from divulge.table import packing
from divulge.table.codes import Codes, narrow
from divulge.table.schema import Schema
from divulge.uniques.minimal_uniques import minimal_uniques
from random_hierarchies import generalization_nodes, local_groups, number_groups
from random_tables import shapes

SOURCES = Path(_compiled.__file__).parent
MODULES = (
    draw_loops,
    *(line_loops, reading_loops),
    *(counting_loops, lattice_loops, release_loops),
    *(special_loops, statistics_loops, unique_loops, neighbour_loops, group_loops, swap_loops),
    *(generalization_loops, kept_room_loops),
)


def column(rng, rows, most=40):
    """Codes of up to so many values, few of them common."""
    values = int(rng.integers(1, most))
    return Codes(narrow(np.minimum(rng.geometric(min(0.9, 3 / values), rows), values), values), range(values))


def histogram(rng):
    rows = int(rng.choice([50, 1999]))  # from four for each cell on, several tables are filled in turns
    classes = local.RecordClasses(
        rng.integers(0, 9, rows).astype(rng.choice([np.uint8, np.uint16, np.int64])), 9
    )
    target = column(rng, rows) if rng.random() < 0.8 else None
    with patch.object(local, "THREADS_PAY", 10):
        return [local.table(classes, target), local.table(classes, target, rng.integers(0, 9, rows))]


def tally(rng):
    """Classes of packed words beside those of sorted ones: sizes, cells and how often they are alike."""
    rows, keys = int(rng.integers(1, 300)), [f"k{i}" for i in range(int(rng.integers(1, 8)))]
    columns = {key: column(rng, rows) for key in keys}
    target = column(rng, rows) if rng.random() < 0.7 else None
    bits = int(rng.choice([64, 14]))
    with (
        patch.multiple(local, LOOPS_PAY=1, LARGEST_TABLE=1),
        patch.multiple(sparse, WORD_BITS=bits, PARTITION=int(rng.choice([2048, 4]))),
        patch.multiple(sparse, BLOCK=int(rng.choice([7, 1 << 18])), TALLIED_BITS=int(rng.choice([0, 9, 18]))),
    ):
        counts = local.count(columns.__getitem__, keys, target, records=rows, compact=True)
    return [shapes(counts)]


def subsets(rng):
    rows = int(rng.integers(1, 200))
    columns = [column(rng, rows, int(rng.choice([3, 20, 300]))) for _ in range(int(rng.integers(1, 8)))]
    targets = [column(rng, rows, 9) for _ in range(int(rng.integers(0, 4)))]
    times = rng.integers(1, 4, rows) if rng.random() < 0.3 else None
    largest = int(rng.integers(1, len(columns) + 1))
    with (
        patch.object(lattice_rows, "WORD_BITS", int(rng.choice([64, 20]))),
        patch.object(lattice_rows, "TAIL_BITS", int(rng.choice([15, 3]))),
        patch.object(lattice_rows, "TARGET_BITS", int(rng.choice([20, 5]))),
        patch.object(lattice_loops, "LARGEST_TABLE", int(rng.choice([1 << 22, 16]))),
    ):
        found = lattice.search(columns, targets=targets, times=times, largest=largest)
    left = [found.about_records, *found.targets]
    return [found.masks, found.classes, found.least, found.unique, *(one.total for one in left)] + [
        one.least for one in left
    ]


def class_statistics(rng):
    table = rng.integers(0, 4, (int(rng.integers(1, 40)), int(rng.integers(2, 7)))) ** 3
    table[:, 0] += 1
    counts = JointCounts.of_table(table)
    counts = counts.with_ground(order=rng.permutation(len(counts.target_values)).tolist())
    with patch.object(statistics, "COMPILED_PAYS", 1):
        return [counts.statistic(one) for one in statistics.STATISTICS if one.slot is not None]


def chance(rng):
    table = rng.geometric(0.05, (int(rng.integers(1, 9)), int(rng.integers(1, 9)))) ** int(rng.integers(1, 3))
    return [np.array(expected_mutual_information(JointCounts.of_table(table)))]


def simulated(rng):
    shares, targets = (rng.dirichlet(np.ones(int(rng.integers(1, 6)))) for _ in range(2))
    found = np.empty((7, 12))
    surprises(
        shares, targets, np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30]), 3, int(rng.integers(99)), found
    )
    return [found]


def decisions(rng):
    """What is read of a set, every verdict on it, and what a run of requests makes of it."""
    shape = int(rng.integers(2, 9)), int(rng.integers(3, 6))
    tests = [test for test in TESTS if rng.random() < 0.6] or ["mis"]
    options = {"degrees": str(rng.choice(["domain", "present"])), "merging": str(rng.choice(MERGING))}
    options["form"] = str(rng.choice(FORMS))
    options["known_counts"] = options["form"] != "mean" and bool(rng.random() < 0.5)
    guard = Guard.of(table_of(rng.integers(1, 40, shape)), tests, 0.1, samples=100, **options)
    state = State.of(guard, rng.integers(0, 9, shape))
    heads = np.where(
        rng.random(shape) < 0.5, rng.permutation(shape[0] * shape[1]).reshape(shape), release_loops.NEVER
    )
    blocked = rng.random(shape) < 0.1
    first = leaving.first_to_leave([GuardedSet(state.scratch(), state.limits, None, blocked)], heads)
    alone = state.scratch()
    verdicts = [
        (
            kernels.may_leave(alone, state.limits, x, y, state.exposed),
            kernels.leave(alone, state.limits, x, y, 0),
        )
        for x in range(shape[0])
        for y in range(shape[1])
    ]
    after, limits = state.scratch(), guard.limits(state.records + 40)
    kernels.put(after, limits, 1, 2, 3)
    xs, ys = (rng.integers(0, size, 30) for size in shape)
    left = leaving.run_cells(after, limits, xs, ys)
    kinds = rng.integers(0, shape[0] * shape[1], (2, 20))
    sets = [GuardedSet(state.scratch(), limits, cells) for cells in kinds]
    together = leaving.run(sets, rng.integers(0, 20, 30), 20)
    return [
        *(together, sets[0].outside.memory, sets[1].outside.memory),
        *(state.outside.memory, alone.memory, after.memory, left, blocked, np.array(verdicts)),
        np.array([first, state.exposed, state.safe, kernels.count_exposed(after, limits)]),
    ]


def distributions(rng):
    a, b = 10 ** rng.uniform(-1, 5, (2, 20))
    near, share = a + np.sqrt(a) * rng.normal(0, 3, 20), a / (a + b)
    x = np.clip(share + np.sqrt(share * (1 - share) / (a + b)) * rng.normal(0, 3, 20), 0, 1)
    below, above = special_functions.gamma_below(a, near), special_functions.gamma_above(a, near)
    return [below, above, special_functions.beta_below(a, b, x), special_functions.normal_below(near)]


def uniques(rng):
    rows = int(rng.integers(1, 200))
    columns = [column(rng, rows, int(rng.choice([3, 20, 300]))) for _ in range(int(rng.integers(1, 7)))]
    with patch.object(unique_loops, "FEW", int(rng.choice([1, 4096]))):
        found = minimal_uniques(columns, int(rng.integers(1, len(columns) + 1)))
    return [found.start, found.sets]


def neighbours(rng):
    sides = int(rng.integers(1, 5))
    points, asked = (rng.integers(0, 9, (int(rng.integers(1, 120)), sides)) / 10 for _ in range(2))
    return [*nearest(points, asked), *nearest(points, asked, "sum")]


def groups(rng):
    """Groups of points on a grid, where ties abound, and of points anywhere."""
    rows, sides, k = (int(rng.integers(1, most)) for most in (120, 5, 6))
    points = rng.integers(0, 9, (rows, sides)) / 10 if rng.random() < 0.5 else rng.normal(size=(rows, sides))
    k, gamma = min(k, rows), float(rng.choice([0, 0.2, 1.1, 9]))
    with patch.object(group_loops, "ORDER_PAYS", int(rng.choice([8, 0]))):
        found = [mdav_groups(points, k), variable_groups(points, k, gamma)]
    return [*found, univariate_optimal_groups(points[:, 0], k)]


def swapped_ranks(rng):
    rows = int(rng.choice([rng.integers(2, 200), rng.integers(3900, 4500)]))
    ranks, drawn = rng.integers(0, rng.integers(1, 60), rows).astype(np.uint32), rng.random(rows)
    percent = float(rng.uniform(101 / rows, 100))
    ties = rng.choice([rng.random(rows), rng.integers(0, 9, rows) / 9])
    return [rank_swap_rows(ranks, percent, drawn), rank_swap_rows(ranks, percent, drawn, tie_order=ties)]


def drawn(rng):
    rows = rng.integers(0, 1 << 60, int(rng.integers(1, 60)))
    draws = Draws(int(rng.integers(0, 100)), 1)
    texts = np.array([f"p{'ü' * int(row % 90)}{row}" for row in rows.tolist()], object)
    return [
        *(draws.uniforms("a", rows), draws.normals("a", rows), draws.uniforms("a", texts)),
        *(draws.order("a", rows), draws.order("a", np.arange(999, 999 + len(rows)))),
    ]


def drawn_tables(rng):
    """Tables with given margins, and how the generator goes on."""
    rows, values, records = (int(rng.integers(1, most)) for most in (9, 7, rng.choice([40, 10**5])))
    sizes = rng.multinomial(records, rng.dirichlet(np.ones(rows)))
    targets = rng.multinomial(records, rng.dirichlet(np.full(values, 0.3)))
    own = np.random.default_rng(int(rng.integers(1 << 40)))
    return [shuffling.drawn_tables(sizes, rng.permutation(values), targets, 5, own), [own.random()]]


def written(rng):
    rows = int(rng.integers(1, 80))
    columns = {
        f"column {place}": Codes.of([VALUES[one] for one in rng.integers(0, len(VALUES), rows)])
        for place in range(int(rng.integers(1, 4)))
    }
    text = b"".join(map(bytes, csv_lines(WorkingTable.of(columns))))
    return [np.frombuffer(text, np.uint8)]


def written_pages(rng):
    """Places of few and of many bits, with and without missing values."""
    bits, rows = int(rng.integers(1, line_loops.MOST_BITS + 1)), int(rng.integers(1, 80))
    places = rng.permutation(1 << bits)[: int(rng.integers(1, 300))].astype(np.uint16)
    kind = rng.choice([np.uint16, np.uint32, *([np.uint8] if len(places) <= 256 else [])])
    codes = rng.integers(0, len(places), rows).astype(kind)
    pack = line_loops.packed_places if library.built() else plain_places
    return list(pack(codes, places, bits, missing=bool(rng.integers(0, 2))))


def read(rng):
    """Cells written by Python's csv module in blocks that cut lines anywhere, and what that module reads."""
    width, end = int(rng.integers(1, 4)), str(rng.choice(["\n", "\r\n"]))
    rows = [[CELLS[one] for one in rng.integers(0, len(CELLS), width)] for _ in range(rng.integers(1, 80))]
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows(rows)
    if not library.built():
        columns = zip(*csv.reader(io.StringIO(text.getvalue(), newline="")), strict=True)
        return [np.array(column) for column in columns]
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(text_codes, "BLOCK", int(rng.integers(9, 999))),
    ):
        path = Path(folder, "cells.csv")
        path.write_bytes(text.getvalue().encode())
        found = text_codes.read_codes(path, Dialect("utf-8", ",", '"', ("x",) * width, 0, True, headed=False))
    columns = [found.column(place) for place in range(width)]
    assert all(one.values == sorted(set(one.values)) for one in columns)
    return [np.array(["", *one.values])[one.codes] for one in columns]


def read_pages(rng):
    """Columns of a Parquet file that pyarrow writes in one of many ways, and reads without loops."""
    records, values = int(rng.integers(1, 400)), int(rng.choice([1, 2, 50, 100, 300]))
    numbers = np.repeat(rng.integers(0, values, records), rng.integers(1, 30, records))[:records]
    gone = rng.random(records) < rng.choice([0, 0.2])
    columns = {"number": pa.array(numbers - 9, mask=gone), "text": pa.array(numbers.astype(str), mask=gone)}
    options = {
        "compression": str(rng.choice(["none", "snappy", "zstd"])),
        "data_page_version": str(rng.choice(["1.0", "2.0"])),
        "use_dictionary": bool(rng.integers(0, 4)),
        "row_group_size": int(rng.integers(1, 500)),
        "max_rows_per_page": int(rng.integers(20, 500)),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        pq.write_table(pa.table(columns), path, **options)
        found = open_source(path).encode(list(columns))
    return [np.array([str(value) for value in codes.values_of()]) for codes in found.values()]


CELLS = (
    *("", "flu", "cold", "a,b", 'say "no"', '"', " x", "two\nlines", "é", "-0"),
    *("eight 88", "nine 9999", "nine 9998", "sixteen letters.", "seventeen letters", "seventeen letterz"),
    *(str(number) for number in range(300)),
)
VALUES = (None, "flu", "a,b", 'say "no"', " x", "two\nlines", "", 7, 2.5, True)


#: What is found by each pair, and whether the order of summation is the same, so that every bit is.
def ranks(rng):
    bits = int(rng.integers(0, 64))
    numbers = rng.integers(0, 1 << bits, int(rng.integers(0, 200)), endpoint=True, dtype=np.uint64)
    again = numbers[rng.integers(0, len(numbers), 50)] if len(numbers) else numbers
    words = np.concatenate([numbers, again]).astype(rng.choice([np.uint32, np.uint64]))
    words = np.sort(words) if rng.random() < 0.3 else words  # which are not sorted again
    with patch.object(packing, "LOOPS_PAY", 0):
        return (*packing.told_apart(words), packing.ranked(words >> np.uint8(1))[0])


def few_cells(rng):
    rows = int(rng.integers(1, 300))
    columns = {name: column(rng, rows, most) for name, most in (("a", 40), ("b", 9), ("t", 5))}
    source = Columns("made", tuple(columns), rows, columns.__getitem__)
    times = rng.integers(1, 1000, rows) if rng.random() < 0.5 else None
    roles = Schema(source.attributes, (), ("a", "b"), ("t",))
    held = CodedRows(Data(MemoryEngine(source, times), roles), {})
    keys = ["a", "b"][: int(rng.integers(1, 3))]
    with patch.object(people, "FEW_CELLS", int(rng.choice([0, 1 << 14]))):
        found = held.few_cells(keys, "t") if library.built() else None
    if found is None:
        found = held.table(*held.sets(keys), columns["t"].codes, columns["t"].cardinality, slice(None))
    wider = rng.integers(0, 3, columns["t"].cardinality)
    grouped = found.regrouped(wider, 3).together
    names = "size", "times", "owner", "value", "count", "having"
    return [getattr(one, name) for one in (found, grouped) for name in names]


def added_up(rng):
    """A table of any shape, over some of its axes."""
    shape = rng.integers(1, 9, int(rng.integers(1, 5)))
    table = rng.integers(0, 1000, shape).astype(np.uint32)
    return [summed(table, [axis for axis in range(len(shape)) if rng.random() < 0.5]).ravel()]


def shares_of_sets(rng):
    """What is a large share of sets, in every way to ask; of some, people have several values."""
    values, asked = int(rng.integers(3, 90)), int(rng.integers(3, 60))
    cell = np.flatnonzero(rng.random(values * int(rng.integers(1, 40))) < rng.choice([0.05, 0.5]))
    counts = rng.integers(1, int(rng.choice([2, 9])), len(cell))
    table = of_cells(cell, counts, values, int(counts.sum()))
    if rng.random() < 0.2:
        table = replace(table, size=np.maximum(table.size // 2, 1))
    number = rng.integers(0, asked, values) if rng.random() < 0.7 else np.arange(values)
    numbers = max(asked, values)
    news, bands = rng.random(numbers) < 0.9, int(rng.integers(2, numbers))
    unknown = rng.integers(0, numbers, 2) if rng.random() < 0.4 else None
    found = []
    for banded, limit in ((0, ""), (bands, ""), (bands, "at most"), (bands, "at least")):
        ways = AskedValues(
            number, numbers, news, banded, limit=limit, unknown=unknown, known=unknown is not None
        )
        grouped = table.regrouped(number, numbers)
        told = reaching(grouped, ways, rng.choice([0.0, 0.3, 1.0, 2.0], numbers))
        shares = AskedShares.of(grouped, ways)
        found += [told.sizes, told.owner, told.value, told.count, told.size, told.after]
        found += [shares.having, [shares.people], shares.news]
    return [one for one in found if one is not None]


def sliced(rng):
    rows = int(rng.integers(50, 400))
    attributes = []
    for name, most in (("a", 40), ("b", 9), ("c", 300)):
        codes = narrow(rng.integers(0, most, rows), most)
        used, place = np.unique(codes, return_inverse=True)
        fine, wide = np.arange(len(used)), np.zeros(len(used), np.int64)
        of_code = np.zeros(most, np.int64)
        of_code[used] = fine
        sizes = [np.bincount(one) for one in (fine, wide)], [np.bincount(one[place]) for one in (fine, wide)]
        attributes.append(
            AttributeLevels(name, codes, of_code, (fine, wide), *map(tuple, sizes), domain=len(used))
        )
    found = SlicedLevels(tuple(attributes), rows, 3, int(rng.integers(0, rows)))
    return [np.array([(loss, share, *levels) for loss, share, levels in found.by_loss()])]


def channels(rng):
    """What is said of channels, with letters that never occur, cells of nothing and guesses nearly sure."""
    rows, columns = (int(one) for one in rng.integers(1, 9, 2))
    matrix = rng.dirichlet(np.full(columns, float(rng.choice([0.01, 0.3, 5]))), rows)
    prior = rng.dirichlet(np.full(rows, float(rng.choice([0.05, 1]))))
    if rng.random() < 0.3:
        matrix = np.tile(matrix[:1], (rows, 1))  # an observation that tells nothing
    channel = Channel(prior, np.asfortranarray(matrix))
    found = channel.privacy("hamming")
    return [
        *(channel.prior, channel.matrix, found.probabilities, np.nan_to_num(found.conditional, nan=-1.0)),
        *(found.average, found.prior, [mutual_information(channel)]),
        *(probabilities(prior, "The prior", 1), probabilities(matrix, "The channel", 2)),
        [hash(found.estimates) % 1000, sum(map(len, found.ties))],
    ]


def kept_rooms(rng):
    """Arrays that come and go, of one size or of another; what was in a room before is in none after."""
    found, sizes = [], rng.choice([1 << 22, 4_500_000], 3)
    with kept_room_loops.kept_room():
        for size in sizes:
            ones, zeros = np.ones(size, np.uint8), np.zeros(size, np.uint8)
            found += [[zeros.any(), zeros.size], ones[:: int(rng.integers(999, 9999))].copy()]
            ones.resize(size // int(rng.integers(1, 3)) + 5, refcheck=False)
            found.append(np.concatenate([ones[:9], ones[-9:]]))
            del ones, zeros
    return found


PAIRS = {
    "channels": (channels, False),
    "histogram": (histogram, True),
    "tally": (tally, True),
    "subsets": (subsets, False),
    "class statistics": (class_statistics, False),
    "chance": (chance, False),
    "simulated releases": (simulated, True),
    "decisions": (decisions, True),
    "distributions": (distributions, False),
    "minimal uniques": (uniques, True),
    "neighbours": (neighbours, True),
    "groups": (groups, True),
    "swapped ranks": (swapped_ranks, True),
    "draws": (drawn, True),
    "drawn tables": (drawn_tables, True),
    "lines": (written, True),
    "places": (written_pages, True),
    "cells": (read, True),
    "pages": (read_pages, True),
    "generalizations": (generalization_nodes, False),
    "local recodings": (local_groups, False),
    "numbers split": (number_groups, False),
    "ranks": (ranks, True),
    "few cells": (few_cells, True),
    "sums over axes": (added_up, True),
    "shares of sets": (shares_of_sets, True),
    "levels judged by a part": (sliced, False),
    "kept rooms": (kept_rooms, True),
}


def found_by(name, seed, built):
    with patch.object(library, "built", lambda: built):
        return PAIRS[name][0](np.random.default_rng(seed))


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 40))
def test_a_loop_and_its_twin_find_the_same(name, seed):
    compiled, plain = (found_by(name, seed, built) for built in (True, False))
    assert len(compiled) == len(plain)
    for one, other in zip(compiled, plain, strict=True):
        if PAIRS[name][1]:
            assert np.array_equal(one, other)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_every_loop_is_in_a_pair():
    called = set()

    def noted(name, *given):
        called.add(name)
        return library.function(name, *given)

    with ExitStack() as stack:
        for module in MODULES:
            stack.enter_context(patch.object(module, "function", noted))
        for name in PAIRS:
            for seed in range(12):
                found_by(name, seed, built=True)
    sources = "".join(path.read_text() for path in SOURCES.glob("*.c"))
    assert called == set(re.findall(r"^(?:WIDER )?EXPORTED \w+ \*?(\w+)\(", sources, re.MULTILINE))
