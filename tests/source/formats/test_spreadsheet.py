"""Spreadsheets: one sheet, the first row its names; what a hostile one asks for is refused."""

import datetime as dt
import io
import zipfile

import openpyxl
import pytest

from divulge.engines.opening import open_source
from divulge.errors import MissingSource, SourceError, TooMuch, UnknownAttribute
from file_formats import as_excel, compound, ods_of, put


def book(path, *, hidden=(), **sheets):
    """A workbook with rows for each sheet."""
    held = openpyxl.Workbook()
    held.remove(held.active)
    for name, rows in sheets.items():
        sheet = held.create_sheet(name.replace("_", " "))
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in rows:
            sheet.append(row)
    held.save(path)
    return path


def table(given, **said):
    source = open_source(given, **said)
    codes = source.encode(source.attributes)
    held = [[None, *codes[name].values] for name in source.attributes]
    return {
        name: [values[code] for code in codes[name].codes]
        for name, values in zip(source.attributes, held, strict=True)
    }


@pytest.fixture
def two(tmp_path):
    return book(tmp_path / "a.xlsx", people=[["age"], [30]], the_rest=[["zip"], ["007"]])


def test_a_sheet_is_named_after_a_hash_or_as_a_table(two):
    assert table(f"{two}#the rest") == {"zip": ["007"]}
    assert table(two, table="people") == {"age": [30]}


def test_several_sheets_are_said(two):
    with pytest.raises(SourceError, match=r"a.xlsx has several sheets: people, the rest. Name one after #"):
        open_source(two)
    with pytest.raises(MissingSource, match=r"No sheet 'peple' in a.xlsx, which has.*Did you mean 'people'"):
        open_source(f"{two}#peple")


def test_a_hidden_sheet_is_not_passed_over_in_silence(tmp_path):
    path = book(tmp_path / "a.xlsx", people=[["age"], [30]], notes=[["x"], ["y"]], hidden=["notes"])
    with pytest.raises(SourceError, match=r"a.xlsx has 1 hidden sheet, which would go out.*Remove"):
        open_source(path)
    assert table(f"{path}#people") == {"age": [30]}


def test_a_file_whose_name_has_a_hash_is_that_file(tmp_path):
    assert open_source(book(tmp_path / "a#b.xlsx", people=[["age"], [30]])).records == 1


def test_cells_are_values_and_empty_ones_are_missing(tmp_path):
    day, moment = dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4)
    rows = [["id", "n", "d", None, "b"], ["007", 1.0, day, moment, True], [], ["x", 2.5, None, None, False]]
    assert table(book(tmp_path / "a.xlsx", people=rows)) == {
        "id": ["007", "x"],
        "n": [1, 2.5],
        "d": [day, None],
        "column 4": [moment, None],
        "b": [True, False],
    }


def test_titles_are_left_out_and_names_given(tmp_path):
    path = book(tmp_path / "a.xlsx", people=[["Survey of May"], [], ["age", "sex"], [30, "m"]])
    assert table(path, skip=2) == {"age": [30], "sex": ["m"]}
    assert table(path, skip=2, names=["years", "sex"]) == {"years": [30], "sex": ["m"]}
    assert table(path, skip=3, no_header=True) == {"column 1": [30], "column 2": ["m"]}
    with pytest.raises(SourceError, match="has 2 columns, and 1 name for them was given"):
        open_source(path, skip=2, names=["age"])


def test_a_first_row_that_is_a_record_is_refused(tmp_path):
    rows = [["ann@example.org", 30], ["bo@example.org", 31]]
    with pytest.raises(SourceError, match=r"seems to be a record.*--no-header"):
        open_source(book(tmp_path / "a.xlsx", people=rows))


def test_a_workbook_with_a_password_is_refused(tmp_path):
    with pytest.raises(SourceError, match="is protected by a password"):
        open_source(put(tmp_path / "a.xlsx", compound("EncryptedPackage", b"x" * 5000)))


def far(tmp_path, place):
    """A workbook whose second cell is far away."""
    content, target = as_excel(tmp_path).read_bytes(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as copy:
        for one in source.namelist():
            text = source.read(one)
            copy.writestr(one, text.replace(b'r="B1"', place) if "sheet1" in one else text)
    return put(tmp_path / "far.xlsx", target.getvalue())


@pytest.mark.parametrize("place", [b'r="XFD1048576"', b"r = '&#88;FD1048576'"])
def test_a_cell_that_is_far_away_ends_nothing(place, tmp_path):
    with pytest.raises((TooMuch, SourceError), match=r"far\.xlsx"):
        open_source(far(tmp_path, place))


def test_a_workbook_that_unpacks_to_more_than_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("divulge.limits.sizes.MOST_MEMORY", 1000)
    with pytest.raises(TooMuch, match=r"Unpacking table.xlsx would need about .* of memory"):
        open_source(as_excel(tmp_path))


def test_rows_that_are_empty_a_million_times_are_none(tmp_path):
    def cell(text):
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    lines = "".join(f"<table:table-row>{cell(text)}</table:table-row>" for text in ("name", "x"))
    none = '<table:table-cell table:number-columns-repeated="1024"/>'
    rest = f'<table:table-row table:number-rows-repeated="1048574">{none}</table:table-row>'
    path = put(tmp_path / "a.ods", ods_of(f'<table:table table:name="p">{lines}{rest}</table:table>'))
    assert table(path) == {"name": ["x"]}


def test_a_first_row_that_may_be_a_record_is_not_repeated(tmp_path):
    rows = [["ZQANN", "ZQOSLO"], ["Bo", "Rome"], ["Cy", "Bern"]]
    source = open_source(book(tmp_path / "a.xlsx", people=rows))
    with pytest.raises(UnknownAttribute, match="which has 2 attributes, whose names may be values") as caught:
        source.encode(["ZQAN"])
    assert "ZQANN" not in str(caught.value)


@pytest.mark.parametrize("above", [[["Extract 2025"]], [["Extract 2025"], []]])
def test_a_title_row_is_refused_with_the_rows_to_skip(tmp_path, above):
    rows = [*above, ["plz", "ill"], ["50667", "flu"], ["02826", "gout"]]
    path = book(tmp_path / "a.xlsx", people=rows)
    with pytest.raises(SourceError, match="has 1 filled field, as a title has") as caught:
        open_source(path)
    assert f"--skip {len(above)} " in caught.value.hint
    assert "Extract" not in str(caught.value)
    assert table(path, skip=len(above)) == {"plz": ["50667", "02826"], "ill": ["flu", "gout"]}
