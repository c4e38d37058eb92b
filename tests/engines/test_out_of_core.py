"""Files that are counted on disk: the same values as from memory, and nothing left behind."""

import gc
import gzip
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, namedtuple
from datetime import date, datetime
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from divulge.engines.external.table import ExternalTable, ValueRecoding
from divulge.engines.opening import open_source
from divulge.engines.out_of_core import file_rows, opening, querying, sampled_sizes
from divulge.engines.out_of_core import table as out_of_core_table
from divulge.engines.out_of_core.budget import CELL
from divulge.engines.out_of_core.session import BudgetedDuckDB
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.errors import EmptySource, SourceError, UnknownAttribute
from divulge.source.parquet import Parquet
from divulge.source.text import Text

TABLE = {
    "city": ["Oslo", None, "Łódź", "Oslo", ""],
    "zip": ["01234", "01234", "1234", None, " 1234"],
    "age": [30, None, -2, 30, 2**40],
    "share": [0.0, -0.0, math.nan, 0.5, None],
    "smoker": [True, False, None, True, True],
    "born": [date(1990, 1, 31), None, date(1890, 12, 1), date(1990, 1, 31), date(2020, 2, 29)],
    "paid": [Decimal("1.10"), None, Decimal("2.00"), Decimal("1.10"), Decimal("0.00")],
    "seen": [datetime(2020, 1, 1, 12), None, datetime(2020, 1, 1, 12, 0, 0, 1), None, None],
    "blob": [b"\xff", b"", None, b"\xff", None],
    "nothing": [None] * 5,
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The place of temporary files; every file is taken to be too large for memory."""
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    return spare


@pytest.fixture
def parquet(tmp_path, folder):
    place = tmp_path / "table.parquet"
    columns = {
        name: pa.array(values, pa.string() if name == "nothing" else None) for name, values in TABLE.items()
    }
    pq.write_table(pa.table(columns), place, row_group_size=2)
    return place


def opened(path, **options):
    source = open_source(path, memory="500MB", **options)
    assert isinstance(source, OutOfCoreTable)
    assert isinstance(source, ExternalTable)
    return source


def rows(source):
    """The whole source row by row, missing as None."""
    columns = source.encode(source.attributes).values()
    return list(
        zip(*([None if c == 0 else x.values[c - 1] for c in x.codes.tolist()] for x in columns), strict=True)
    )


def combinations(source, attributes=None):
    """How many records have which combination."""
    held, times = source.combinations(attributes or source.attributes)
    found = rows(held)
    assert len(set(found)) == len(found)
    return Counter(dict(zip(found, times.tolist(), strict=True)))


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("arrow", [True, False])
def test_values_of_parquet_come_as_they_come_in_memory(parquet, arrow, monkeypatch):
    expected = rows(open_source(parquet))
    monkeypatch.setattr(file_rows, "find_spec", lambda name: arrow or None)
    source = opened(parquet)
    assert (source.attributes, source.records) == (tuple(TABLE), 5)
    for place, attribute in enumerate(TABLE):
        found = combinations(source, [attribute])
        assert found == Counter((row[place],) for row in expected)
        assert {type(value) for (value,) in found} == {type(row[place]) for row in expected}
    assert combinations(source) == Counter(expected)


def test_nan_is_missing_though_the_file_says_that_it_has_none(tmp_path, folder):
    pq.write_table(pa.table({"a": [0.5, math.nan, -0.0, 0.0]}), tmp_path / "t.parquet")
    source = opened(tmp_path / "t.parquet")
    assert combinations(source) == {(0.5,): 1, (None,): 1, (0.0,): 2}
    assert source.distinct(["a"]) == 3
    assert source.summary("a", 9).present == 3
    assert sorted(source.class_kinds(["a"], None).count.tolist()) == [1, 2]


CSV = {
    "empty is missing and words are not": 'a,b\n,""\nnan,NA\n"",?\n',
    "whitespace stays": "zip,sex\n01234, Male\n1234,Male\n1234 ,Male \n",
    "a space after every comma": 'a, b, c\n1, "x, y", 3\n4, , 6\n',
    "a space before every value of one column": "age,work,hours\n39, State-gov,40\n50, ?,13\n38, ,20\n",
    "quotes": 'a;b\n"1;2";"x\n\ny"\n"say ""hi""";\'quoted\'\n',
    "a separator at the end of records": "a,b\n1,2,\n3,4,\n",
    "one column with blank lines": 'a\nx\n\n""\ny\n',
    "names that differ by case": "Age,age\n1,2\n1,3\n",
    "latin letters": "a,b\nü,2\nß,2\n".encode("cp1252"),
    "latin letters after the beginning": b"a,b\n" + b"x,y\n" * 20_000 + "ü,2\n".encode("cp1252"),
    "two bytes a letter": "a,b\nü,2\n東,2\n".encode("utf-16"),
    "compressed": gzip.compress(b"a,b\n1,2\n1,2\n"),
}


@pytest.mark.parametrize("content", CSV.values(), ids=CSV)
def test_a_csv_file_is_read_as_into_memory(tmp_path, folder, content):
    path = tmp_path / "it's [1]*.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    plain, source = open_source(path), opened(path)
    assert source.attributes == plain.attributes
    assert rows(source) == rows(plain)
    assert combinations(source) == Counter(rows(plain))


def test_what_is_said_about_a_csv_file_holds(tmp_path, folder):
    (tmp_path / "t.csv").write_text("a,b\n1, x\n2, y\n")
    assert combinations(opened(tmp_path / "t.csv", separator=",")) == {("1", " x"): 1, ("2", " y"): 1}


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("a,b\n", EmptySource, "no records"),
        ("a,a\n1,2\n", SourceError, "more than one attribute called a"),
        ("a,b\n1,2\n3\n", SourceError, r"Line 3 of t\.csv has 1 field where the header has 2"),
        ("7713,20,20\n7714,30,31\n", SourceError, "seems to be a record"),
    ],
)
def test_a_csv_file_is_refused_for_the_same_reasons(tmp_path, folder, content, kind, message):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(kind, match=message):
        opened(tmp_path / "t.csv")
    assert list(folder.iterdir()) == []


def test_texts_of_many_values_are_counted_as_they_are(parquet, monkeypatch):
    expected = Counter(rows(open_source(parquet, memory="500MB")))
    monkeypatch.setattr(file_rows, "_FEW", 1)
    assert combinations(opened(parquet)) == expected


def test_lists_are_no_values(tmp_path, folder):
    pq.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "t.parquet")
    with pytest.raises(SourceError, match="'a' holds values of type"):
        opened(tmp_path / "t.parquet").combinations(["a"])


def test_an_unknown_attribute_is_named(parquet):
    for ask in (opened(parquet).combinations, opened(parquet).distinct, opened(parquet).encode):
        with pytest.raises(UnknownAttribute, match=r"'town'"):
            ask(["town"])


# -- numbers ---------------------------------------------------------------------------------------


@pytest.fixture
def patients(tmp_path, folder):
    """Classes by a and b: twice {flu: 1, cold: 1}, twice {missing: 1}, once {flu: 2}."""
    place = tmp_path / "patients.csv"
    lines = ["1,x,flu", "1,x,cold", ",x,cold", ",x,flu", "2,y,", "3,y,", "3,x,flu", "3,x,flu"]
    place.write_text("\n".join(["a,b,ill", *lines]))
    return place


def kinds(found):
    """How many classes hold which numbers of which values."""
    cells = [
        frozenset((found.values[p], int(n)) for p, n in zip(found.place[i:j], found.count[i:j], strict=True))
        for i, j in zip(found.start, found.start[1:], strict=False)
    ]
    return dict(zip(cells, found.times.tolist(), strict=True))


@pytest.mark.parametrize("parts", [1, 3])
def test_classes_alike_are_one_kind_in_however_many_parts_they_are_counted(patients, monkeypatch, parts):
    monkeypatch.setattr(querying, "spilling", lambda *given, **more: (parts, 0))
    source = opened(patients)
    assert kinds(source.class_kinds(["a", "b"], "ill")) == {
        frozenset({("flu", 1), ("cold", 1)}): 2,
        frozenset({(None, 1)}): 2,
        frozenset({("flu", 2)}): 1,
    }
    sizes = source.class_kinds(["a", "b"], None)
    assert dict(zip(sizes.count.tolist(), sizes.times.tolist(), strict=True)) == {2: 3, 1: 2}
    assert source.distinct(["a", "b"]) == 5
    assert source.distinct(["a"]) == 4
    found = source.summary("a", 9)
    assert (found.present, found.distinct, found.lone) == (6, 3, 1)
    assert set(found.sample) <= {"1", "2", "3"}


def test_a_summary_has_at_most_so_many_values(patients):
    source = opened(patients)
    assert sorted(source.summary("a", 9).sample) == ["1", "2", "3"]
    assert len(source.summary("a", 2).sample) == 2
    assert source.summary("a", 0).sample == []


def test_rows_keep_together_where_there_are_many(tmp_path, folder):
    n = 140_000  # more than a thread takes at a time
    pq.write_table(pa.table({"a": range(n), "b": [f"t{i}" for i in range(n)]}), tmp_path / "t.parquet")
    held, times = opened(tmp_path / "t.parquet").combinations(["a", "b"])
    assert times.sum() == n
    assert all(b == f"t{a}" for a, b in rows(held))


# -- fewer records, coarser values -----------------------------------------------------------------


def test_values_are_seen_as_the_domains_they_are_put_into(patients):
    grouped = ValueRecoding(["1", "2", "3", "not there"], np.array([0, 1, 2, 2, 1]), [("one",), "more"])
    source = opened(patients).prepared({"a": grouped})
    assert source.records == 8
    assert combinations(source, ["a", "b"]) == {
        (("one",), "x"): 2,
        (None, "x"): 2,
        ("more", "y"): 2,
        ("more", "x"): 2,
    }
    assert kinds(source.class_kinds(["a"], "ill"))[frozenset({("flu", 2), (None, 2)})] == 1
    assert rows(source)[:3] == [(("one",), "x", "flu"), (("one",), "x", "cold"), (None, "x", "cold")]
    found = source.summary("a", 9)
    assert (found.present, found.distinct, found.lone) == (6, 2, 0)


def test_missing_values_can_have_a_domain_and_values_none(patients):
    source = opened(patients).prepared(
        {"a": ValueRecoding(["1", "2", "3"], np.array([2, 0, 1, 1]), ["old", "?"])}
    )
    assert combinations(source, ["a"]) == {(None,): 2, ("?",): 2, ("old",): 4}


@pytest.mark.parametrize("attribute", ["share", "smoker", "born", "paid", "seen", "blob", "age"])
def test_values_of_every_type_are_found_again(parquet, attribute):
    source = opened(parquet)
    values = [value for (value,) in combinations(source, [attribute]) if value is not None]
    places = np.arange(len(values) + 1)
    domains = [f"number {place}" for place in places[1:]]
    found = combinations(source.prepared({attribute: ValueRecoding(values, places, domains)}), [attribute])
    named = dict(zip([None, *values], [None, *domains], strict=True))
    assert found == {(named[value],): n for (value,), n in combinations(source, [attribute]).items()}


def test_records_that_lack_a_value_are_left_out_after_recoding(patients):
    source = opened(patients)
    assert source.prepared({}, without_missing=["a", "ill"]).records == 4
    without = source.prepared(
        {"a": ValueRecoding(["1", "2", "3"], np.array([1, 0, 1, 1]), ["other"])}, without_missing=["a"]
    )
    assert without.records == 6
    assert combinations(without, ["ill"]) == {("flu",): 3, ("cold",): 1, (None,): 2}
    assert without.prepared({}, without_missing=["ill"]).records == 4
    assert without.encode(["b"])["b"].codes.tolist() == [1, 1, 2, 2, 1, 1]


def test_records_go_whose_marks_are_all_there(patients, parquet):
    source = opened(patients)
    assert source.prepared({}, suppressed={"a": "3", "b": "x"}).records == 6
    assert source.prepared({}, suppressed={"a": "3", "b": "*"}) is source
    grouped = source.prepared({"a": ValueRecoding(["1", "2", "3"], np.array([0, 1, 1, 2]), ["*", "rest"])})
    assert grouped.prepared({}, suppressed={"a": "*"}).records == 5
    assert grouped.prepared({}, suppressed={"a": "none"}) is grouped
    assert opened(parquet).prepared({}, suppressed={"age": "30"}).records == 3
    assert opened(parquet).prepared({}, suppressed={"age": "*", "city": "Oslo"}).records == 5


def test_nothing_may_be_left(patients):
    source = opened(patients).prepared({"a": ValueRecoding([], np.array([0]), [])}, without_missing=["a"])
    assert source.records == 0


# -- classes that stay on disk ---------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 3])
def test_statistics_come_by_size(patients, monkeypatch, parts):
    monkeypatch.setattr(querying, "spilling", lambda *given, **more: (parts, 0))
    found = opened(patients).aggregates(["a", "b"], "ill")
    assert (found.values, found.margin.tolist()) == ((None, "cold", "flu"), [2, 2, 4])
    order = np.argsort(found.by_size["size"])
    told = {name: column[order].tolist() for name, column in found.by_size.items()}
    assert (told["size"], told["times"]) == ([1, 2], [2, 3])
    assert (told["distinct_total"], told["distinct_most"]) == ([2, 5], [1, 2])
    assert (told["uncertainty_total"], told["uncertainty_least"]) == ([0, 4], [0, 0])
    assert told["top_share_total"] == [2, 2]
    # By hand: a class all missing lies 3/4 from the table, one all flu 1/2, one of flu and cold 1/4.
    assert told["distance_total"] == [1.5, 1.0]
    assert told["dominance_most"] == [math.inf, math.inf]


@pytest.mark.parametrize("parts", [1, 3])
def test_the_worst_classes_come_with_their_names(patients, monkeypatch, parts):
    monkeypatch.setattr(querying, "spilling", lambda *given, **more: (parts, 0))
    source = opened(patients)
    smallest = source.worst(["a", "b"], None, "size", 2, highest=False)
    assert (smallest.count.tolist(), smallest.start.tolist()) == ([1, 1], [0, 1, 2])
    assert sorted(names(smallest)) == [("2", "y"), ("3", "y")]
    found = source.worst(["a", "b"], "ill", "uncertainty", 2, highest=True)
    assert sorted(names(found), key=str) == [("1", "x"), ("1", "x"), (None, "x"), (None, "x")]
    assert (found.start.tolist(), found.place.tolist(), found.count.tolist()) == (
        [0, 2, 4],
        [1, 2] * 2,
        [1] * 4,
    )


def names(found):
    columns = found.keys.values()
    return list(
        zip(*([None if c == 0 else x.values[c - 1] for c in x.codes.tolist()] for x in columns), strict=True)
    )


# -- the budget ------------------------------------------------------------------------------------


def test_a_file_that_fits_is_read_as_ever(parquet, patients, monkeypatch):
    monkeypatch.undo()
    assert isinstance(open_source(parquet, memory="500MB"), Parquet)
    assert isinstance(open_source(patients, memory="500 MB"), Text)


@pytest.mark.parametrize("name", ["parquet", "patients"])
def test_a_file_that_would_take_more_is_counted_on_disk(request, name, monkeypatch):
    path = request.getfixturevalue(name)
    monkeypatch.undo()
    monkeypatch.setattr(sampled_sizes, "_COUNTING", 10**9)
    assert isinstance(open_source(path, memory="1GB"), OutOfCoreTable)


@pytest.mark.parametrize("memory", ["much", "5MB"])
def test_a_budget_that_is_none_is_refused(parquet, memory):
    with pytest.raises(SourceError, match=r"4GB or 500MiB"):
        open_source(parquet, memory=memory)


def test_a_budget_is_for_files():
    with pytest.raises(SourceError, match="A memory budget can be given for a CSV or Parquet file only"):
        open_source({"a": [1]}, memory="1GB")


def test_combinations_beyond_the_budget_are_not_brought_over(patients, monkeypatch):
    source = opened(patients)
    monkeypatch.setattr(OutOfCoreTable, "most", lambda self, attributes: 5)
    assert source.combinations(["a", "b"]) is not None
    monkeypatch.setattr(OutOfCoreTable, "most", lambda self, attributes: 4)
    assert source.combinations(["a", "b"]) is None
    monkeypatch.setattr(out_of_core_table, "_SURELY", 0)  # as where their number is told to be far too many
    assert source.combinations(["a"]) is None


@pytest.mark.parametrize("most", [2, 3])
def test_kinds_or_cells_beyond_the_budget_are_not_brought_over(patients, monkeypatch, most):
    source = opened(patients)
    monkeypatch.setattr(BudgetedDuckDB, "left", 4 * CELL)
    assert len(source.class_kinds(["a", "b"], "ill").times) == 3
    monkeypatch.setattr(BudgetedDuckDB, "left", most * CELL)
    assert source.class_kinds(["a", "b"], "ill") is None


def test_records_beyond_the_budget_are_refused_with_what_to_try(patients, monkeypatch):
    source = opened(patients)
    monkeypatch.setattr(sampled_sizes, "_COUNTING", 10**9)
    with pytest.raises(
        SourceError,
        match=r"Counting a, ill of patients\.csv.* takes about 8 GB of memory; .* 500 MB.*--memory",
    ):
        source.encode(["a", "ill"])


def test_what_was_handed_out_counts_as_long_as_it_is_held(patients):
    source = opened(patients)
    before = source.session.left
    held = [source.combinations(["a"]), source.encode(["b"]), source.class_kinds(["a"], "ill")]
    assert source.session.left < before
    held.clear()
    gc.collect()
    assert source.session.left == before


def test_more_memory_than_duckdb_has_is_told_without_its_words(patients):
    source = opened(patients)
    with (
        pytest.raises(SourceError, match=r"takes more than the 140 MB that DuckDB has.*--memory") as caught,
        source.session.cursor("patients.csv"),
    ):
        raise duckdb.OutOfMemoryException("flu did not fit")
    assert "flu" not in str(caught.value)
    assert caught.value.__suppress_context__


# -- the disk --------------------------------------------------------------------------------------


@pytest.fixture
def full(monkeypatch):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage(free=10))


def test_a_csv_file_for_which_the_disk_has_no_room_is_not_even_read(patients, folder, full, monkeypatch):
    monkeypatch.setattr(opening.text, "_load", None)
    with pytest.raises(
        SourceError, match=r"Reading patients\.csv may take 65 bytes of disk, and .* 10 bytes free"
    ):
        opened(patients)
    assert list(folder.iterdir()) == []


def test_a_count_for_which_the_disk_has_no_room_does_not_begin(parquet, full, monkeypatch):
    source = opened(parquet)
    assert source.distinct(["city", "age"]) == 4  # fits into memory
    monkeypatch.setattr(querying, "spilling", lambda *given, **more: (1, 2 * 10**9))
    for ask in (lambda: source.distinct(["city", "age"]), lambda: source.class_kinds(["city", "age"], "zip")):
        with pytest.raises(SourceError, match=r"Counting city, age of table\.parquet may take 2 GB of disk"):
            ask()


def test_a_file_that_vanishes_is_told_without_the_words_of_the_database(parquet):
    source = opened(parquet)
    parquet.unlink()
    with pytest.raises(SourceError, match=r"table\.parquet cannot be counted\..* removed meanwhile"):
        source.combinations(["age"])


def test_nothing_is_left_once_the_source_is_gone(parquet, patients, folder):
    sources = [opened(parquet), opened(patients)]
    assert len(list(folder.iterdir())) == 2
    sources[1].distinct(["a"])
    sources.clear()
    gc.collect()
    assert list(folder.iterdir()) == []


def test_an_interrupt_while_cleaning_up_leaves_nothing_either(patients, folder, monkeypatch):
    source = opened(patients)
    removed = shutil.rmtree

    def interrupted(*given, **more):
        monkeypatch.setattr("shutil.rmtree", removed)
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        source.session.close()
    assert list(folder.iterdir()) == []


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background takes it
from divulge.engines.opening import open_source
from divulge.engines.out_of_core import opening
opening._fits = lambda needed, budget: False
def opened(): return open_source(sys.argv[1], memory="500MB")
source = opened()
source.encode(source.attributes)  # imports are done with: some libraries take an interrupt for a failure
print("opened", flush=True)
{then}
"""


def ran(path, folder, then, *, interrupted=False):
    """The code and the complaints of a process that counts; its folder must be empty in the end."""
    environment = os.environ | {"TMPDIR": str(folder)}
    command = [sys.executable, "-c", SCRIPT.format(then=then), str(path)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "opened\n"
            if interrupted:
                time.sleep(0.3)
                assert [*folder.glob("*/records.duckdb")]
                process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        finally:
            process.kill()
    assert list(folder.iterdir()) == []
    return process.returncode, said


def test_nothing_is_left_at_the_end(patients, folder):
    then = "assert source.distinct(['a']) == 4 and list(source.session.folder.iterdir())"
    assert ran(patients, folder, then) == (0, "")


def test_nothing_is_left_after_an_error(patients, folder):
    code, said = ran(patients, folder, "source.distinct(['a']); 1 / 0")
    assert code == 1
    assert "ZeroDivisionError" in said


ENDLESS = "SELECT count(DISTINCT hash(a.range, b.range)) FROM range(1000000) AS a, range(1000000) AS b"
IN_THE_MIDDLE = {
    "of reading": ("csv", "sources = []\nwhile True: sources.append(opened())"),
    "of kinds": ("csv", "while True: source.class_kinds(['a', 'b'], 'c')"),
    "of combinations": ("parquet", "while True: source.combinations(['a', 'b'])"),
    "of records": ("parquet", "while True: source.encode(['a', 'b'])"),
    "of a long query": ("parquet", f"source.session.connection.execute({ENDLESS!r})"),
}


@pytest.mark.parametrize(
    ("form", "then"),
    [
        pytest.param(*then, id=when, marks=[pytest.mark.slow] * (when != "of a long query"))
        for when, then in IN_THE_MIDDLE.items()
    ],
)
def test_an_interrupt_in_the_middle_leaves_nothing(tmp_path, folder, form, then):
    n = 20_000
    table = pa.table({"a": range(n), "b": [f"t{i}" for i in range(n)], "c": [i % 7 for i in range(n)]})
    path = tmp_path / f"t.{form}"
    (pa.csv.write_csv if form == "csv" else pq.write_table)(table, path)
    code, said = ran(path, folder, then, interrupted=True)
    assert code in (-signal.SIGINT, 130)
    assert "KeyboardInterrupt" in said


def test_few_combinations_of_parquet_are_counted_from_its_pages_as_by_duckdb(tmp_path, folder, monkeypatch):
    rng = np.random.default_rng(3)
    texts = np.array(["Oslo", "Łódź", "", "Bergen"], object)[rng.integers(0, 4, 900)]
    texts[rng.integers(0, 900, 50)] = None
    table = pa.table({"city": texts, "age": rng.integers(-3, 60, 900), "ward": rng.integers(0, 5, 900)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=200)
    asked = []

    def counted(source):
        columns, times = source.combinations(["city", "age", "ward"])
        encoded = columns.encode(["city", "age", "ward"]).values()
        rows = zip(*([one.value(int(code)) for code in one.codes] for one in encoded), strict=True)
        return Counter(dict(zip(rows, times.tolist(), strict=True)))

    straight = out_of_core_table.counted_groups
    monkeypatch.setattr(
        out_of_core_table, "counted_groups", lambda *given: asked.append(straight(*given)) or asked[-1]
    )
    found = counted(opened(tmp_path / "t.parquet"))
    assert asked[0] is not None
    monkeypatch.setattr(out_of_core_table, "counted_groups", lambda *given: None)
    assert found == counted(opened(tmp_path / "t.parquet"))
    assert found.total() == 900
