"""A release in every form that a table is read from: written, read back, and found the same."""

import datetime as dt
import hashlib
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from divulge._compiled import library
from divulge.engines.opening import open_source
from divulge.errors import MissingLibrary, ParameterError, SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.files import file_digest, write_release
from divulge.recipes.outputs import csv_lines, forms, spreadsheets
from divulge.table.codes import Codes

TEXTS = {
    "zip": ["0815", "00012", "0815", None, "9", "10"],
    "city": ["Rome, Italy", 'the "Hague"', "Tromsø", " blank before", "two\nlines", None],
    "age": ["30", "40", "40", None, "30", "50"],
}
TYPED = {
    "age": [30, 41, None, 30],
    "far": [7, 2**40, -3, None],
    "paid": [1.5, None, 0.1, 1e300],
    "price": [Decimal("12.50"), Decimal("-0.05"), None, Decimal("3.00")],
    "born": [dt.date(1990, 2, 3), None, dt.date(2001, 12, 31), dt.date(1990, 2, 3)],
    "seen": [dt.datetime(2020, 5, 6, 7, 8, 9), None, dt.datetime(2021, 1, 1, 6), dt.datetime(2021, 1, 1, 6)],
    "member": [True, False, None, True],
    "note": ["*", "a", None, "30"],
    "mixed": [1, "*", None, 2],
}
CITIES = ["Rome, Italy", " two  blanks ", None, "two\nlines"]
PACKED = [f".csv{packing}" for packing in (".gz", ".bz2", ".xz", ".zst", ".zip")]
SPREADSHEETS = (".xlsx", ".ods")
STATISTICAL = (".sav", ".zsav", ".dta", ".xpt")
ENDINGS = [
    ending
    for form in forms.FORMS
    for ending in form.endings
    if not form.laid_out and ending not in (*SPREADSHEETS, *STATISTICAL)  # which have tests of their own
]


def working(columns):
    return WorkingTable.of({name: Codes.of(values) for name, values in columns.items()})


def read_back(path):
    source = open_source(str(path))
    return {name: column.values_of() for name, column in source.encode(source.attributes).items()}


@pytest.mark.parametrize("ending", [*ENDINGS, *PACKED, ".jsonl.gz", ".tsv.zip"])
def test_texts_come_back_from_every_form(ending, tmp_path):
    path = tmp_path / f"released{ending}"
    digest = write_release(working(TEXTS), path)
    assert read_back(path) == TEXTS
    assert digest == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.fixture(params=["with pyarrow", "without"])
def parquet_writer(request, monkeypatch):
    """Parquet is written by pyarrow where it is installed, and by DuckDB otherwise."""
    if request.param == "without":
        monkeypatch.setattr("divulge.recipes.outputs.parquet.find_spec", lambda name: None)


@pytest.mark.usefixtures("parquet_writer")
@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrows", ".orc"])
def test_typed_columns_keep_their_types(ending, tmp_path):
    path = tmp_path / f"released{ending}"
    write_release(working(TYPED), path)
    # What has several kinds of values is text.
    expected = {**TYPED, "mixed": ["1", "*", None, "2"]}
    found = read_back(path)
    assert found == expected
    assert [type(one) for values in found.values() for one in values] == [
        type(one) for values in expected.values() for one in values
    ]


def test_json_has_numbers_and_truth_values_and_the_rest_as_text(tmp_path):
    path = tmp_path / "released.json"
    write_release(working(TYPED), path)
    found = read_back(path)
    same = ("age", "far", "paid", "member", "note", "mixed")
    assert {name: found[name] for name in same} == {name: TYPED[name] for name in same}
    assert found["price"] == [12.5, -0.05, None, 3.0]
    assert found["born"] == ["1990-02-03", None, "2001-12-31", "1990-02-03"]


@pytest.mark.parametrize("ending", SPREADSHEETS)
def test_sheets_have_numbers_days_and_truth_values(ending, tmp_path):
    pytest.importorskip("python_calamine")
    path = tmp_path / f"released{ending}"
    columns = {**TYPED, "city": CITIES}
    write_release(working(columns), path)
    assert read_back(path) == {**columns, "price": [12.5, -0.05, None, 3]}


def test_excel_opens_what_is_written(tmp_path):
    import openpyxl

    path = tmp_path / "released.xlsx"
    write_release(working({**TYPED, "bell": ["a\x07", "<&>", None, "]]>"]}), path)
    rows = list(openpyxl.load_workbook(path).active.iter_rows(values_only=True))
    assert rows[0] == (*TYPED, "bell")
    assert rows[1][:5] == (30, 7, 1.5, 12.5, dt.datetime(1990, 2, 3))
    assert [row[-1] for row in rows[1:]] == ["a_x0007_", "<&>", None, "]]>"]


@pytest.mark.parametrize("ending", STATISTICAL)
def test_spss_stata_and_sas_have_numbers_and_days(ending, tmp_path):
    pytest.importorskip("pyreadstat")
    path = tmp_path / f"released{ending}"
    columns = {name: TYPED[name] for name in ("age", "far", "born", "note")} | {"zip": TEXTS["zip"][:4]}
    write_release(working({**columns, "large": [2**60 + 1, None, 3, 4]}), path)
    assert read_back(path) == {**columns, "large": [str(2**60 + 1), None, "3", "4"]}


def test_a_statistical_file_needs_a_library_of_frames(tmp_path, monkeypatch):
    pytest.importorskip("pyreadstat")
    monkeypatch.setattr("divulge.recipes.outputs.statistical.find_spec", lambda name: None)
    with pytest.raises(MissingLibrary, match="Writing an SPSS file needs the package 'pandas'"):
        write_release(working({"age": [1]}), tmp_path / "released.sav")


def test_a_name_that_stata_does_not_know_is_refused_by_name(tmp_path):
    pytest.importorskip("pyreadstat")
    with pytest.raises(SourceError, match="A Stata file cannot have a column called 'marital-status'"):
        write_release(working({"marital-status": ["a"]}), tmp_path / "released.dta")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".csv", ".json", ".xlsx", ".csv.gz", ".csv.zip"])
def test_the_same_release_gives_the_same_bytes(ending, tmp_path):
    one, other = (tmp_path / name / f"released{ending}" for name in ("one", "other"))
    for path in (one, other):
        path.parent.mkdir()
        write_release(working(TYPED), path)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.usefixtures("parquet_writer")
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_columns_of_many_values_come_back(ending, tmp_path):
    # More values than a list of them is made for: texts, numbers and dates are handed over otherwise.
    numbers = np.random.default_rng(1).permutation(5000)
    columns = {
        "text": [f"value {one}" if one else None for one in numbers.tolist()],
        "number": [one * 10**9 if one else None for one in numbers.tolist()],
        "part": [one / 8 if one else None for one in numbers.tolist()],
        "day": [dt.date(2000, 1, 1) + dt.timedelta(one) if one else None for one in numbers.tolist()],
    }
    path = tmp_path / f"released{ending}"
    write_release(working(columns), path)
    expected = columns
    if ending == ".csv":
        expected = {
            name: [None if one is None else str(one) for one in held] for name, held in columns.items()
        }
    assert read_back(path) == expected


def test_parquet_needs_neither_pandas_nor_arrow(tmp_path):
    code = f"""
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
from pathlib import Path
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.files import write_release
from divulge.table.codes import Codes
table = WorkingTable.of({{"age": Codes.of([30, None, 50]), "city": Codes.of(["Oslo", "Rome", None])}})
write_release(table, Path({str(tmp_path / "released.parquet")!r}))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert read_back(tmp_path / "released.parquet") == {"age": [30, None, 50], "city": ["Oslo", "Rome", None]}


def test_lines_are_the_same_without_compiled_loops(monkeypatch):
    table = working(TEXTS)
    compiled = b"".join(map(bytes, csv_lines.csv_lines(table)))
    monkeypatch.setattr(library, "built", lambda: False)
    assert b"".join(csv_lines.csv_lines(table)) == compiled


# -- fixed width --------------------------------------------------------------------------------------

LAYOUT = "zip 1 5 99999\nage 7 3\ncity 10 12\n"


def test_a_layout_places_columns_and_a_removed_one_leaves_blanks(tmp_path):
    layout = tmp_path / "people.rda"
    layout.write_text(LAYOUT)
    table = working({"city": ["Oslo", None], "zip": [None, "0815"]})
    write_release(table, tmp_path / "released.asc", layout=str(layout))
    assert (tmp_path / "released.asc").read_text() == "99999    Oslo        \n0815                 \n"
    source = open_source(str(tmp_path / "released.asc"), layout=str(layout))
    assert source.encode(["city", "zip"])["zip"].values_of() == [None, "0815"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"age": ["1000"]}, "'age' has released values of 4 characters, and the layout has room for 3"),
        ({"income": ["1"]}, "The layout has no place for the attribute 'income'"),
    ],
)
def test_what_a_layout_has_no_room_for_is_refused(columns, said, tmp_path):
    (tmp_path / "people.rda").write_text(LAYOUT)
    with pytest.raises(SourceError, match=said):
        write_release(working(columns), tmp_path / "released.asc", layout=str(tmp_path / "people.rda"))
    assert not (tmp_path / "released.asc").exists()


def test_fixed_width_needs_a_layout(tmp_path):
    with pytest.raises(SourceError, match="no layout says where its columns are"):
        write_release(working(TEXTS), tmp_path / "released.asc")


# -- what cannot be written ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("released", "Name a file such as released.csv."),
        ("released.doc", "is of no form"),
        ("released.xls", "Write .xlsx"),
        ("released.sas7bdat", "Write .xpt"),
        ("released.parquet.gz", "A Parquet file is not compressed as a whole"),
    ],
)
def test_an_ending_that_says_no_form_is_refused(name, said):
    with pytest.raises(ParameterError) as refused:
        forms.writer_for(Path(name))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("released.feather", "pyarrow", "arrow"),
        ("released.orc", "pyarrow", "arrow"),
        ("released.sav", "pyreadstat", "statistical"),
        ("released.csv.zst", "zstandard", "zstd"),
    ],
)
def test_a_form_whose_library_is_missing_says_which(name, package, extra, monkeypatch):
    for module in ("forms", "packing"):
        monkeypatch.setattr(f"divulge.recipes.outputs.{module}.find_spec", lambda asked: None)
    with pytest.raises(MissingLibrary) as missing:
        forms.writer_for(Path(name))
    assert str(missing.value).startswith("Writing a")
    assert (missing.value.package, missing.value.extra) == (package, extra)


def test_a_sheet_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "MOST_ROWS", 6)
    with pytest.raises(SourceError, match="A sheet has room for 5 records"):
        write_release(working(TEXTS), tmp_path / "released.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_tables_beside_go_to_files_beside(tmp_path):
    pair = WorkingTable(
        working({"group": ["1"]}).columns,
        None,
        beside={"sensitive": working({"group": ["1"], "ill": ["flu"]})},
    )
    write_release(pair, tmp_path / "released.csv")
    assert (tmp_path / "released-sensitive.csv").read_text() == "group,ill\n1,flu\n"
    (tmp_path / "released.csv").unlink()
    with pytest.raises(ParameterError, match=r"released-sensitive\.csv is there already"):
        write_release(pair, tmp_path / "released.csv")
    assert not (tmp_path / "released.csv").exists()
    assert file_digest(tmp_path / "released-sensitive.csv").startswith("sha256:")


def test_lines_of_many_records_that_are_made_by_several_threads_are_in_order(tmp_path):
    numbers = [(number * 7919) % 100_003 for number in range(70_000)]
    texts = [None if number % 11 == 0 else f"a,{number % 5}" for number in numbers]
    table = WorkingTable.of({"n": Codes.of(numbers), "t": Codes.of(texts)})
    write_release(table, tmp_path / "many.csv")
    cells = ("" if text is None else f'"{text}"' for text in texts)
    expected = [f"{number},{cell}" for number, cell in zip(numbers, cells, strict=True)]
    assert (tmp_path / "many.csv").read_text("utf-8").splitlines() == ["n,t", *expected]


def test_arrow_writes_bounds_of_numbers_and_none_of_texts(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    from divulge.recipes.outputs.arrow_files import write_parquet

    table = WorkingTable.of({"age": Codes.of(range(31, 45)), "town": Codes.of(["Oslo", "Rome"] * 7)})
    write_parquet(table, tmp_path / "few.parquet")
    age, town = (pq.ParquetFile(tmp_path / "few.parquet").metadata.row_group(0).column(i) for i in (0, 1))
    assert (age.statistics.min, age.statistics.max) == (31, 44)
    assert town.statistics is None
