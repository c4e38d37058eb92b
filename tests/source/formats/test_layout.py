"""Fixed width: a layout says where the columns are, and which codes mean missing."""

import gzip

import pytest

from divulge.engines.opening import open_source
from divulge.errors import SourceError
from divulge.source.formats.recognition import fitting_options
from divulge.source.options import SourceOptions
from file_formats import put

LAYOUT = """REGION 1 4 9999 9998
  <RECODABLE>
  <CODELIST> "Regio.cdl"
  <IDLEVEL> 1
SEX 5 1 9
WEIGHT 8 6
  <NUMERIC>
  <DECIMALS> 2
"""
LINES = "  361xx118.30\n00079xx  1.50\n99982xx      \n\n"
FREE = '<SEPARATOR> ","\nREGION 4 9999 9998\n  <RECODABLE>\nSEX 1 9\nWEIGHT 6\n'


def table(folder, lines, layout, **said):
    put(folder / "data.rda", layout)
    source = open_source(put(folder / "data.asc", lines), layout=str(folder / "data.rda"), **said)
    codes = source.encode(source.attributes)
    return {name: [["", *column.values][code] for code in column.codes] for name, column in codes.items()}


EXPECTED = {"REGION": ["36", "0007", ""], "SEX": ["1", "", "2"], "WEIGHT": ["118.30", "1.50", ""]}


def test_columns_are_cut_out_blanks_dropped_and_codes_for_missing_are_missing(tmp_path):
    assert table(tmp_path, LINES, LAYOUT) == EXPECTED


def test_without_fixed_places_there_is_a_separator(tmp_path):
    assert table(tmp_path, "36,1,118.30\n0007,9,1.50\n9998,2,\n", FREE) == EXPECTED


def test_positions_count_letters_in_any_encoding(tmp_path):
    layout = "name 1 4\nage 5 2\n"
    for encoding in ("utf-8", "cp1252", "utf-16"):
        found = table(tmp_path, "Zoë 30\nJörg31\n".encode(encoding), layout)
        assert found == {"name": ["Zoë", "Jörg"], "age": ["30", "31"]}


def test_lines_may_be_left_out(tmp_path):
    assert table(tmp_path, f"A title\n# a remark\n{LINES}", LAYOUT, skip=1, comment="#") == EXPECTED


WRONG = {
    r"Line 2 of data.asc has 5 characters where the layout needs 13": (f"{LINES[:14]}00079\n", LAYOUT),
    r"Line 1 of data.asc has 2 fields where the layout has 3": ("36,1\n", FREE),
    r"Line 2 of data.rda describes no column": (LINES, "REGION 1 4\nSEX five 1\n"),
    r"Line 1 of data.rda describes no column. ": (LINES, "REGION 0 4\n"),
    r"data.rda describes no column": (LINES, "<SAFE>\n"),
    r"more than one attribute called SEX": (LINES, "SEX 1 4\nSEX 5 1\n"),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_does_not_fit_is_told_by_its_line(said, tmp_path):
    with pytest.raises(SourceError, match=said.strip()):
        table(tmp_path, *WRONG[said])


def test_without_a_layout_the_option_is_named(tmp_path):
    lines = "Ann     34  flu\nRobert   7  flu\nJo      52  flu\n"
    with pytest.raises(SourceError, match=r"columns of fixed width.*--layout FILE.rda"):
        open_source(put(tmp_path / "data.asc", lines))


OTHERS = {
    "an SPSS file": b"$FL2@(#) SPSS DATA FILE",
    "a Stata file": b"<stata_dta><header>",
    "a Parquet file": b"PAR1\0\0",
    "a file of JSON or JSON lines": b'[{"REGION": "0036", "SEX": "1", "WEIGHT": 118.30}]\n',
    "an Arrow or Feather file": b"ARROW1\0\0",
    "an XML file": b"<people><person>0036</person></people>\n",
    "a CSV file": b"REGION,SEX,WEIGHT,name\n0036,1,118.30,Ann\n0007,2,1.50,Roberta\n",
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", OTHERS)
def test_a_layout_is_for_text_of_fixed_width_and_other_files_are_named(kind, packed, tmp_path):
    with pytest.raises(SourceError, match=f"data.asc is {kind}"):
        table(tmp_path, gzip.compress(OTHERS[kind]) if packed else OTHERS[kind], LAYOUT)


def test_compressed_text_of_fixed_width_is_unpacked_first(tmp_path):
    assert table(tmp_path, gzip.compress(LINES.encode()), LAYOUT) == EXPECTED


def test_what_is_said_of_a_file_of_fixed_width_holds_for_a_text_that_is_one(tmp_path):
    laid_out = SourceOptions(layout="a.rda")
    (tmp_path / "csv.txt").write_text("name,age\nAnn,34\nRobert,7\nBo,50\n")
    (tmp_path / "fixed.txt").write_text("Ann    34\nRobert  7\nBo     50\n")
    found = {
        name: fitting_options(laid_out, str(tmp_path / name), "people.asc").layout
        for name in ("csv.txt", "fixed.txt", "none.txt")
    }
    assert found == {"csv.txt": None, "fixed.txt": "a.rda", "none.txt": "a.rda"}
