"""The library is that of the sources, any compiler builds it, and it is given nothing it could run over."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from divulge import _compiled
from divulge._compiled import (
    building,
    counting,
    lattice,
    lines,
    microaggregation,
    reading,
    release,
    special,
    statistics,
    swapping,
)

ROOT = Path(__file__).parents[2]
SOURCES = Path(_compiled.__file__).parent
WORDS = np.zeros(4, np.uint64)


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A folder of the sources alone, for which a library is built."""
    for path in SOURCES.glob("*.[ch]"):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(building, "FOLDER", tmp_path)
    return tmp_path


def test_a_library_is_named_for_its_sources(copied):
    before = building.library()
    with (copied / "counting.c").open("a") as file:
        file.write("/* another */\n")
    assert building.library() != before


def test_without_a_compiler_nothing_is_built_and_the_reason_is_said(copied, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert building.build() == "no-such-compiler cannot be run: No such file or directory"
    assert not building.library().exists()


def test_what_a_compiler_says_is_told(copied):
    (copied / "counting.c").write_text("this is no C\n")
    assert "error" in building.build("-O0")
    assert not building.library().exists()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler: apt install gcc libc6-dev")
def test_sources_compile_without_a_warning_and_replace_an_older_library(copied):
    (copied / f"loops_00000000{building.SUFFIX}").touch()
    assert building.build("-O0", "-Wall", "-Wextra", "-Werror") is None
    assert [path.name for path in copied.glob("loops_*")] == [building.library().name]


def classes(start, rows=4, times=1):
    often = np.full(rows, times, np.uint32)
    return lattice.RowClasses(np.zeros(rows, np.uint64), often, np.array(start, np.int32))


def blocks(*, starts=(0, 4), shift=1, parts=1, rows=None):
    """Four words in two partitions."""
    numbers = None if rows is None else np.array(rows, np.uint32)
    made = counting.Blocks(WORDS.copy(), numbers, np.array(starts), shift, parts)
    made.part_words(slice(0, len(starts) - 1))
    return made


def loops():
    one = np.array([0], np.uint64)
    none = np.zeros(0, np.int64)
    parts = one, np.array([3], np.uint64), np.array([2, 0]), np.arange(1, dtype=np.int64)
    return lattice.SubsetLoops(4, *parts, np.zeros(lattice.SMALL), none, none, 0)


def limits(tests=1):
    numbers = {"tests": tests, "small": 5, "degrees": 1, "merging": 0, "present": False}
    numbers |= {"form": 0, "counts_known": False}
    names = "shares bits mutual distance fits joint by_degrees ratios nats priors wholes known odds"
    tables = dict.fromkeys(names.split(), np.ones(2))
    return SimpleNamespace(**numbers, **tables)


def dependency(cells):
    tables = release.LimitTables.of(limits(), (2, 2))
    kinds = None if cells is None else np.array(cells)
    return release.DependencyArrays(np.zeros(12, np.int64), (2, 2), tables, kinds, np.zeros(4, bool))


def told(owner=(0, 1), value=(0, 1), count=(1, 1), number=None, bands=0, way="each"):
    """Two cells of two sets, and two numbers."""
    cells = tuple(np.array(one) for one in (owner, value, count))
    numbers = None if number is None else np.array(number)
    return statistics.reaching(np.ones(2, np.int64), cells, numbers, None, np.zeros(2), bands, way)


#: Calls that would read or write where there is nothing.
REFUSED = {
    "a prior of other letters": lambda: special.best_guess(np.ones(2), np.ones((3, 2))),
    "probabilities of another kind": lambda: special.are_probabilities(np.ones((2, 2), np.float32)),
    "a channel column by column": lambda: special.information(np.ones(2), np.ones((3, 2)).T),
    "a class beyond the table": lambda: counting.histogram(
        np.array([0, 3], np.uint8), None, 1, np.zeros(3, np.uint32)
    ),
    "a target beyond the width": lambda: counting.histogram(
        np.zeros(2, np.uint8), np.array([0, 2], np.uint8), 2, np.zeros(4, np.uint32)
    ),
    "a class beyond many cells": lambda: counting.histogram(
        np.array([0, 5], np.uint16), np.zeros(2, np.uint8), 1000, np.zeros(5000, np.uint32)
    ),
    "one of many classes beyond the table": lambda: counting.histogram(
        np.repeat(np.array([0, 3], np.uint8), 9), np.zeros(18, np.uint8), 1, np.zeros(3, np.uint32)
    ),
    "one of many targets beyond the width": lambda: counting.histogram(
        np.zeros(18, np.uint8), np.repeat(np.array([0, 2], np.uint8), 9), 2, np.zeros(4, np.uint32)
    ),
    "less room than pages": lambda: reading.joined_pages(
        np.zeros(20, np.uint8), 1, 1, np.zeros(11, np.uint8)
    ),
    "a negative class": lambda: counting.histogram(np.array([-1]), None, 1, np.zeros(3, np.uint32)),
    "a table of other numbers": lambda: counting.histogram(np.zeros(1, np.uint8), None, 1, np.zeros(1)),
    "fewer times than rows": lambda: counting.sums(
        np.zeros(2, np.uint8), None, 1, np.ones(1, np.int64), np.zeros(1, np.int64)
    ),
    "a class beyond the sums": lambda: counting.sums(
        np.ones(1, np.uint8), np.zeros(1, np.uint8), 2, np.ones(1, np.int64), np.zeros(3, np.int64)
    ),
    "a table with gaps": lambda: counting.histogram(
        np.zeros(1, np.uint8), None, 1, np.zeros(4, np.uint32)[::2]
    ),
    "too few codes": lambda: counting.pack(WORDS.copy(), [np.zeros(3, np.uint8)], [2]),
    "codes that are no whole numbers": lambda: counting.pack(WORDS.copy(), [np.zeros(4)], [2]),
    "words that are not to be written": lambda: counting.pack(
        np.frombuffer(bytes(8), np.uint64), [np.zeros(1, np.uint8)], [1]
    ),
    "more bits than a word has": lambda: counting.pack(
        WORDS.copy(), [np.zeros(4, np.uint8)] * 3, [31, 31, 31]
    ),
    "no columns": lambda: counting.PackedColumns([], []),
    "more bits than a word of columns has": lambda: counting.PackedColumns(
        [np.zeros(4, np.uint8)] * 3, [31] * 3
    ),
    "columns of several lengths": lambda: counting.PackedColumns(
        [np.zeros(4, np.uint8), np.zeros(3, np.uint8)], [1, 1]
    ),
    "too many bits": lambda: blocks(shift=33),
    "too many partitions": lambda: blocks(parts=25),
    "blocks beyond the words": lambda: blocks(starts=(0, 5)),
    "blocks that overlap": lambda: blocks(starts=(0, 3, 2, 4)),
    "other rows than words": lambda: blocks(rows=[0, 1]),
    "other records than words": lambda: blocks().part(
        counting.PackedColumns([np.zeros(3, np.uint8)], [1]), slice(0, 1)
    ),
    "partitions that are not there": lambda: blocks().tally(
        slice(0, 3), counting.TalliedClasses.of_target(1, 9), np.zeros((2, 2), np.int64)
    ),
    "too few singles": lambda: blocks(shift=2).tally(
        slice(0, 2), counting.TalliedClasses.of_target(1, 9), np.zeros((2, 2), np.int64)
    ),
    "places beyond the classes": lambda: blocks().expand(
        *(slice(0, 2), np.array([[2, 1], [0, 0]]), np.zeros((2, 2), np.int64), np.zeros(2, np.int64)),
        *([np.zeros(1, np.int64)] * 2, [np.zeros(1, np.int64)] * 2),
    ),
    "more cells than words": lambda: blocks().expand(
        *(slice(0, 2), np.array([[1, 9], [0, 0]]), np.zeros((2, 2), np.int64), np.zeros(2, np.int64)),
        *([np.zeros(9, np.int64)] * 2, [np.zeros(9, np.int64)] * 2),
    ),
    "rows beyond the targets": lambda: blocks(rows=[0, 1, 2, 9]).group(
        slice(0, 2), np.zeros(4, np.uint8), np.zeros(1, np.int64), np.zeros((2, 2), np.int64)
    ),
    "rows beyond their room": lambda: blocks(rows=[0, 1, 2, 3]).gather(
        *(slice(0, 2), np.array([[1, 2], [0, 0]]), np.zeros((2, 2), np.int64)),
        *(np.zeros(1, np.uint32), np.zeros(1, np.uint64)),
    ),
    "words above their bound": lambda: counting.ranks_by_marks(np.array([0, 64], np.uint32), 64),
    "a set that is not there": lambda: told(owner=(0, 2)),
    "a value that is not there": lambda: told(value=(0, 2)),
    "a value without a number": lambda: told(number=[0]),
    "a number that is not there": lambda: told(number=[0, 2]),
    "a table of other rows": lambda: counting.cells(np.zeros(4, np.uint32), 3, None),
    "a table of narrow numbers": lambda: counting.cells(np.zeros(4, np.uint16), 2, None),
    "fewer codes than a table has": lambda: counting.cells(np.zeros(4, np.uint32), 2, np.zeros(1, np.int64)),
    "fewer counts than cells": lambda: told(count=(1,)),
    "more bands than numbers": lambda: told(bands=3, way="at most"),
    "words of two bytes": lambda: counting.ranks_by_marks(np.zeros(2, np.uint16), 64),
    "classes that overlap": lambda: classes([0, 3, 2, 4]).given(),
    "classes without all rows": lambda: classes([0, 3]).given(),
    "rows that stand for nobody": lambda: classes([0, 4], times=0).given(),
    "more records than can be counted": lambda: classes([0, 4], times=1 << 30).given(),
    "codes that an attribute lacks": lambda: loops().refine(
        classes([0, 4]), lattice.Settled(), np.array([0, 1, 2, 4], np.int32), loops().room(0)
    ),
    "a room that is too small": lambda: loops().explore(
        *(classes([0, 4]), lattice.Settled(), 0, 1),
        *(SimpleNamespace(classes=np.zeros(2, np.int64)), loops().room(1)),
    ),
    "no place for a subset": lambda: loops().explore(
        *(classes([0, 4]), lattice.Settled(), 0, 1),
        *(SimpleNamespace(classes=np.zeros(1, np.int64)), loops().room(9)),
    ),
    "cells beyond the targets": lambda: statistics.scan(
        *(np.array([0, 1]), np.array([2]), np.ones(1, int), np.ones(1), np.ones(1), np.ones(2)),
        *(np.zeros(0, np.int64), np.zeros(0), np.zeros((10, 1))),
    ),
    "statistics without room": lambda: statistics.scan(
        *(np.array([0, 1]), np.array([0]), np.ones(1, int), np.ones(1), np.ones(1), np.ones(2)),
        *(np.zeros(0, np.int64), np.zeros(0), np.zeros((10, 3))[:, ::2]),
    ),
    "weights of another kind": lambda: statistics.scan(
        *(np.array([0, 1]), np.array([0]), np.ones(1, int), np.ones(1, np.float32), np.ones(1), np.ones(2)),
        *(np.zeros(0, np.int64), np.zeros(0), np.zeros((10, 1))),
    ),
    "a class of more records than there are": lambda: statistics.expected_information(
        np.array([9]), np.array([1]), np.array([2]), np.array([1]), 5
    ),
    "likelihood ratios of fewer priors": lambda: release.LimitTables.of(limits(tests=16), (2, 2)),
    "limits of a smaller domain": lambda: release.LimitTables.of(limits(), (3, 2)),
    "counts of another domain": lambda: release.ask(
        release.READ_ALL, np.zeros(12, np.int64), (2, 3), release.LimitTables.of(limits(), (2, 2))
    ),
    "a cell that is not there": lambda: release.ask(
        release.PUT, np.zeros(12, np.int64), (2, 2), release.LimitTables.of(limits(), (2, 2)), 2, 0, 1
    ),
    "a request that is not there": lambda: release.run([dependency(None)], np.array([0, 4]), 4),
    "a kind of records without a cell": lambda: release.run([dependency([0, 4])], np.array([0]), 2),
    "fewer kinds than cells": lambda: release.run([dependency(None)], np.array([0]), 2),
    "weights that do not reach": lambda: release.surprises(
        *(np.ones(1), (np.ones(1), np.zeros(4, np.int64)), (np.ones(1), np.zeros(4, np.int64))),
        *(np.array([5]), np.zeros(6), 0, 0, np.zeros((1, 1))),
    ),
    "more points than are left": lambda: microaggregation.RemainingPoints(np.ones((2, 1))).take(0, 3, 0),
    "a point that is not there": lambda: microaggregation.RemainingPoints(np.ones((2, 1))).assign(2, 0),
    "fewer values than a group has": lambda: microaggregation.sizes_of_least_squares(np.ones(2), 3),
    "a number that is no chance": lambda: swapping.swap_ranks(
        np.arange(2, dtype=np.uint32), np.array([0.5, 1.0]), 1
    ),
    "a rank of a record that is not there": lambda: swapping.swap_ranks(
        np.array([0, 2], np.uint32), np.zeros(2), 1
    ),
    "a tie that is no chance": lambda: swapping.rank_order(np.zeros(1, np.uint32), np.ones(1)),
    "a separator of two bytes": lambda: reading.LineReader(2, b", ", b'"'),
    "a code without a place": lambda: lines.packed_places(
        np.array([2], np.uint8), np.zeros(2, np.uint16), 1, missing=False
    ),
    "a place of too many bits": lambda: lines.packed_places(
        np.zeros(1, np.uint8), np.array([2], np.uint16), 1, missing=True
    ),
    "places of no bits": lambda: lines.packed_places(
        np.zeros(1, np.uint8), np.zeros(1, np.uint16), 0, missing=True
    ),
    "codes that may be negative": lambda: lines.packed_places(
        np.zeros(1, np.int8), np.zeros(1, np.uint16), 1, missing=True
    ),
    "no lines": lambda: reading.LineReader(2, b",", b'"').read(bytearray(), 1),
    "a column that no line has": lambda: reading.LineReader(2, b",", b'"').texts(2),
    "texts that do not reach": lambda: reading.ordered(
        reading.Texts(np.zeros(3, np.uint8), np.array([2, 2]))
    ),
    "a code without a number": lambda: reading.renumber(
        np.zeros(2, np.uint32), np.array([2], np.uint8), np.zeros(1, np.uint8)
    ),
    "a number too large for its place": lambda: reading.renumber(
        np.array([0, 256], np.uint32), np.array([1], np.uint8), np.zeros(1, np.uint8)
    ),
    "numbers of different lengths": lambda: special.beta(np.ones(2), np.ones(2), np.ones(1)),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_a_loop_would_run_over_is_refused(call):
    with pytest.raises((ValueError, IndexError), match=r"a loop |no cell "):
        call()


WATCHED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Runs the pairs in a copy of the package whose library watches every address and every number."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "loops_*"))
    folder = tmp_path / "src" / "divulge" / "_compiled"
    monkeypatch.setattr(building, "FOLDER", folder)

    def run(**changes):
        for name, (before, after) in changes.items():
            source = folder / f"{name}.c"
            assert source.read_text().count(before) == 1
            source.write_text(source.read_text().replace(before, after))
        assert building.build(*WATCHED) is None
        asan = subprocess.run(
            ["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
        )
        given = {"PYTHONPATH": str(tmp_path / "src"), "LD_PRELOAD": asan.stdout.strip()}
        options = {"ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
        command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-s", "-p", "no:cacheprovider"]
        return subprocess.run(
            [*command, "tests/_compiled/test_pairs.py", "tests/source/test_parquet_pages.py"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, **given, **options},
            check=False,
        )

    return run


@pytest.mark.slow
def test_no_loop_reads_or_writes_where_it_should_not(watched):
    done = watched()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_loop_that_did_would_be_seen(watched):
    done = watched(tallying=("cell_count[at] = count;", "cell_count[-1] = count;"))
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stdout + done.stderr


@pytest.mark.parametrize("placed", [True, False])
def test_where_the_numbers_of_an_array_begin_is_found_for_each_kind_of_array(placed, monkeypatch):
    monkeypatch.setattr(special, "_PLACED", placed)
    whole = np.arange(24.0).reshape(4, 6)
    fixed = whole.copy()
    fixed.setflags(write=False)
    for array in (
        whole,
        whole[2:],
        whole[1, 2:],
        whole.reshape(-1),
        fixed,
        fixed[3:],
        np.frombuffer(bytes(32)),
    ):
        assert special._begin(array) == array.ctypes.data


def test_a_place_that_is_not_as_in_the_interface_is_not_read(monkeypatch):
    assert special._placed(np.ones(2)) == (sys.implementation.name == "cpython")
    monkeypatch.setattr(special, "_HEAD", special._HEAD + 8)
    assert not special._placed(np.ones(2))
