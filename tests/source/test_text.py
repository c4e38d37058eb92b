"""CSV files as people really write them."""

import codecs
import gzip
import traceback
from itertools import product

import numpy as np
import pytest

from divulge._compiled import library
from divulge.engines.opening import open_source
from divulge.engines.out_of_core import opening
from divulge.errors import DuplicateAttribute, EmptySource, SourceError
from divulge.source import text_codes
from divulge.source.dialect import detect
from divulge.source.options import SourceOptions


@pytest.fixture
def written(tmp_path):
    def write(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return open_source(path, **options)

    return write


def table(source):
    """The whole source as rows, missing as None."""
    columns = source.encode(source.attributes).values()
    return list(
        zip(*([None if c == 0 else x.values[c - 1] for c in x.codes.tolist()] for x in columns), strict=True)
    )


def test_everything_is_text_and_whitespace_stays(written):
    source = written("zip,sex\n01234, Male\n1234,Male\n1234 ,Male \n")
    assert table(source) == [("01234", " Male"), ("1234", "Male"), ("1234 ", "Male ")]


def test_an_empty_field_is_missing_quoted_or_not_and_words_are_not(written):
    source = written('a,b\n,""\nnan,NA\n"",?\nnull,None\n')
    assert table(source) == [(None, None), ("nan", "NA"), (None, "?"), ("null", "None")]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ", ", "; "])
def test_the_separator_is_told_from_the_rows(written, separator):
    rows = [["name", "age", "note"], ["Ann", "30", "1.5"], ["Bob", "31", "x"]]
    source = written("\n".join(separator.join(row) for row in rows))
    assert source.attributes == ("name", "age", "note")
    assert table(source) == [("Ann", "30", "1.5"), ("Bob", "31", "x")]


@pytest.mark.parametrize("spelled", ["tab", "\\t", "\t"])
def test_a_tab_may_be_named(written, spelled):
    assert table(written("a\tb\n1,5\t2\n", separator=spelled)) == [("1,5", "2")]


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_negative_zero_is_a_zero_and_other_texts_stay_as_they_are(written, monkeypatch, on_disk):
    monkeypatch.setattr(opening, "_fits", lambda *_: not on_disk)
    content = "a, b\n-0.0, -0\n0.0, 0\n-0., -0.00\n-0.5, -0x\n-, --0\n"
    source = written(content, memory="500MB" if on_disk else None)
    assert [a for a, _ in table(source)] == ["0.0", "0.0", "0.", "-0.5", "-"]
    assert [b for _, b in table(source)] == ["0", "0", "0.00", "-0x", "--0"]


def test_commas_inside_values_do_not_mislead(written):
    assert table(written("a;b\n1,5;2,5\n3,5;4,5\n")) == [("1,5", "2,5"), ("3,5", "4,5")]


def test_a_space_after_every_comma_belongs_to_the_separator(written):
    source = written('a, b, c\n1, "x, y", 3\n4, , 6\n')
    assert table(source) == [("1", "x, y", "3"), ("4", None, "6")]


def test_a_space_before_every_value_of_one_column_is_the_separators_too(written):
    # As in the UCI file of Adult: text after comma and space, numbers after a comma.
    source = written("age,work,hours\n39, State-gov,40\n50, ?,13\n38, ,20\n")
    assert table(source) == [("39", "State-gov", "40"), ("50", "?", "13"), ("38", None, "20")]


def test_a_space_is_kept_when_the_separator_was_named(written):
    assert table(written("a,b\n1, x\n2, y\n", separator=",")) == [("1", " x"), ("2", " y")]


def test_comma_and_space_can_be_named_for_a_file_that_has_both(written):
    assert table(written("a,b\n1, x\n2,x\n", separator=", ")) == [("1", "x"), ("2", "x")]


def test_a_row_that_breaks_the_comma_and_space_of_the_beginning_is_read_all_the_same(written):
    content = "a, b\n" + "1, x\n" * 20_000 + "2,y\n"
    assert table(written(content))[-1] == ("2", "y")


def test_quotes_hold_separators_line_ends_and_doubled_quotes(written):
    source = written('a,b\n"1,2","x\n\ny"\n"say ""hi""",\'quoted\'\n')
    assert table(source) == [("1,2", "x\n\ny"), ('say "hi"', "'quoted'")]


def test_apostrophes_quote_when_whole_fields_stand_between_them(written):
    assert table(written("'a','b'\n'1,2','it''s'\n'3','x'\n")) == [("1,2", "it's"), ("3", "x")]


def test_an_apostrophe_inside_a_name_is_no_quote(written):
    rows = [("'s-Hertogenbosch", "O'Brien"), ("Rock 'n'", "x")]
    assert table(written("city,name\n's-Hertogenbosch,O'Brien\nRock 'n',x\n")) == rows


def test_a_quote_can_be_named_or_left_out(written):
    assert table(written("a,b\n'1,2',x\n3,4\n", quote="'")) == [("1,2", "x"), ("3", "4")]
    assert table(written('a,b\n"1,x"\n3,4\n', quote="")) == [('"1', 'x"'), ("3", "4")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines(written, end):
    source = written(end.join(["", "a,b", "", "1,2", "", "", "3,4", "", ""]))
    assert source.attributes == ("a", "b")
    assert table(source) == [("1", "2"), ("3", "4")]


def test_mixed_line_ends(written):
    assert table(written(b"a,b\r\n1,2\n3,4\r\n5,6")) == [("1", "2"), ("3", "4"), ("5", "6")]


def test_one_column_is_a_table_and_its_blank_lines_are_no_records(written):
    assert table(written('a\nx\n\n""\ny\n')) == [("x",), (None,), ("y",)]


def test_a_header_with_a_line_end_inside(written):
    source = written('"a\nb",c\n1,2\n')
    assert source.attributes == ("a\nb", "c")
    assert table(source) == [("1", "2")]


def test_a_space_before_every_name_of_the_header_is_the_separators(written):
    assert written("a, b, c\n1,2,3\n4,5,6\n").attributes == ("a", "b", "c")


def test_a_header_longer_than_the_usual_sample(written):
    names = tuple(f"attribute {number:05} of the second questionnaire" for number in range(1600))  # 77 kB
    source = written(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    assert source.attributes == names


def test_a_column_without_a_name_gets_one(written):
    assert written(",age\n1,30\n2,31\n").attributes == ("column 1", "age")


def test_a_separator_at_the_end_of_records_adds_nothing(written):
    assert table(written("a,b\n1,2,\n3,4,\n")) == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_the_encoding_is_told_from_the_bytes(written, encoding):
    source = written('"näme",b\nJürgen,€\n'.encode(encoding))
    assert source.attributes == ("näme", "b")
    assert table(source) == [("Jürgen", "€")]


def test_utf_16_and_utf_32_of_the_other_order(written):
    assert table(written(codecs.BOM_UTF16_BE + "a,b\nŁ,2\n".encode("utf-16-be"))) == [("Ł", "2")]
    assert table(written(codecs.BOM_UTF32_BE + "a,b\nŁ,2\n".encode("utf-32-be"))) == [("Ł", "2")]


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_32_without_a_mark_is_suggested_and_read_when_named(written, order):
    content = "a,b\nŁ,2\n".encode(f"utf-32-{order}")
    with pytest.raises(SourceError, match=f"UTF-32: name the encoding, with --encoding utf-32-{order}"):
        written(content)
    assert table(written(content, encoding=f"utf-32-{order}")) == [("Ł", "2")]


def test_a_line_of_another_encoding_in_a_file_of_utf_8_is_refused(written):
    content = "a,b\nZürich,1\nGenève,2\nBern,3\n".encode() + "Zürich,4\n".encode("cp1252")
    with pytest.raises(SourceError, match="is written in utf-8 but for 1 line of its beginning"):
        written(content)
    assert table(written(content, encoding="cp1252"))[-1] == ("Zürich", "4")


def test_a_late_letter_of_cp1252_is_still_read(written):
    content = b"a,b\n" + b"1,2\n" * 40_000 + b"J\xfcrgen,3\n"
    assert table(written(content))[-1] == ("Jürgen", "3")


def test_an_encoding_can_be_named(written):
    assert table(written("a,b\nŁódź,2\n".encode("iso8859-2"), encoding="iso8859-2")) == [("Łódź", "2")]
    assert table(written("a,b\nŁ,2\n".encode("utf-16-le"), encoding="utf-16-le")) == [("Ł", "2")]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [("a,b\nü,2\n".encode("cp1252"), "utf-8"), ("a,é\n".encode() + b"1,2\n" * 40_000 + b"\xfc,3\n", None)],
    ids=["named", "late"],
)
def test_bytes_of_another_encoding_are_refused_in_words(written, content, encoding):
    with pytest.raises(SourceError, match="is not written in utf-8"):
        written(content, encoding=encoding)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
def test_a_name_in_quotes_may_have_a_line_end_of_another_kind(written, end, inside):
    found = written(f'"age{inside}in years",ill{end}20,flu{end}30,"co{inside}ld"{end}')
    assert found.attributes == (f"age{inside}in years", "ill")
    assert table(found) == [("20", "flu"), ("30", f"co{inside}ld")]


def test_a_file_without_a_mark_is_not_in_utf_16(written):
    with pytest.raises(SourceError) as wrong:
        written("age,ill\n20,flu\n30,cold\n", encoding="utf-16")
    assert str(wrong.value) == (
        "table.csv is not written in utf-16. Name its encoding, such as utf-16-le or utf-8."
    )


@pytest.mark.parametrize("encoding", ["klingon", "base64", "idna", "punycode", "undefined", "unicode_escape"])
def test_an_unknown_encoding_is_refused(written, encoding):
    with pytest.raises(SourceError, match=f"Unknown text encoding: '{encoding}'"):
        written("a\n1\n", encoding=encoding)


@pytest.mark.parametrize(
    "options", [{"separator": "::"}, {"separator": ""}, {"separator": "\n"}, {"quote": "''"}]
)
def test_impossible_marks_are_refused(written, options):
    with pytest.raises(SourceError, match="is one character"):
        written("a,b\n1,2\n", **options)


PLAIN = [("1", "x"), ("2", "y")]


def test_a_first_line_that_is_a_record_is_one_where_it_is_said(written):
    source = written("1,x\n2,y\n", no_header=True)
    assert source.attributes == ("column 1", "column 2")
    assert table(source) == PLAIN
    assert written("1,x\n2,y\n", no_header=True, names=["a", "b"]).attributes == ("a", "b")


def test_names_replace_those_in_the_file(written):
    source = written("a,b\n1,x\n2,y\n", names=["age", "note"])
    assert source.attributes == ("age", "note")
    assert table(source) == PLAIN


def test_names_do_not_swallow_a_record(written):
    with pytest.raises(SourceError, match=r"seems to be a record.*--no-header"):
        written("1,5\n2,6\n3,7\n", names=["a", "b"])
    with pytest.raises(SourceError, match="has 2 columns, and 3 names for them were given"):
        written("a,b\n1,x\n2,y\n", names=["a", "b", "c"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_lines_before_the_header_and_comments_are_left_out(written, end, encoding):
    lines = ["Größe: one, two and three", "#", "a,b", "# note, of old", "1,x", "#", "2,y", ""]
    source = written(end.join(lines).encode(encoding), skip=1, comment="#")
    assert source.attributes == ("a", "b")
    assert table(source) == PLAIN
    assert table(written(end.join([lines[0], "a,b", "1,x", "2,y", ""]).encode(encoding), skip=1)) == PLAIN


def test_a_line_is_numbered_as_it_is_in_the_file(written):
    with pytest.raises(SourceError, match=r"Line 6 of table.csv has 1 field where the header has 2"):
        written("title\n#\na,b\n1,2\n#\n3\n", skip=1, comment="#")


@pytest.mark.parametrize("memory", ["500MB", None])
def test_a_described_file_is_read_within_a_budget_as_well(written, monkeypatch, memory):
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    source = written("title\n#\n1,x\n2,y\n", skip=1, comment="#", no_header=True, memory=memory)
    assert table(source) == PLAIN


def test_a_compressed_file(written):
    assert table(written(gzip.compress(b"a;b\n1;2\n"), "table.csv.gz")) == [("1", "2")]
    assert table(written(gzip.compress("a;b\n1;ü\n".encode("cp1252")), "table.csv.gz")) == [("1", "ü")]


def test_a_compressed_file_that_was_cut_off(written):
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % pair for pair in product(range(300), repeat=2)))
    with pytest.raises(SourceError, match=r"(damaged|cannot be read to its end)"):
        written(whole[:-2000], "table.csv.gz")


@pytest.mark.parametrize(
    ("content", "line", "fields"),
    [
        ("a,b\n1,2\nMARKER\n", 3, "1 field"),
        ("a,b\n1,2\n\n3,4,MARKER\n", 4, "3 fields"),
        ('a,b\n"1\n\nx",2\n3,4\nMARKER,,5\n', 6, "3 fields"),
        ("a;b\nMARKER;;1\n".encode("utf-16"), 2, "3 fields"),
        ("a,b\n" + "1,2\n" * 30_000 + "MARKER\n", 30_002, "1 field"),
    ],
)
def test_a_ragged_row_is_named_by_line_and_counts_and_not_quoted(written, content, line, fields):
    with pytest.raises(SourceError) as caught:
        written(content)
    assert f"Line {line} of table.csv has {fields} where the header has 2." in str(caught.value)
    assert "MARKER" not in str(caught.value)
    assert "MARKER" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("content", ['a,b\n1,2\n"MARKER,3\n4,5\n', 'a,b\n1,2\n"MARKER"x,3\n'])
def test_a_quote_gone_wrong_is_named_by_line_and_not_quoted(written, content):
    with pytest.raises(SourceError, match="from line 3 on") as caught:
        written(content)
    assert "MARKER" not in str(caught.value)


def test_a_field_of_millions_of_letters_is_a_value(written):
    long = "MARKER" * 500_000
    assert table(written(f"a,b\n1,{long}\n2,x\n")) == [("1", long), ("2", "x")]


def test_a_long_field_that_is_not_closed_is_not_quoted(written):
    with pytest.raises(SourceError, match="from line 3 on: a quoted field is not closed") as caught:
        written('a,b\n1,2\n3,"' + "MARKER" * 500_000 + "\n")
    assert "MARKER" not in str(caught.value)


def test_a_wrong_separator_is_answered_by_the_one_that_the_file_looks_to_have(written):
    with pytest.raises(SourceError, match="The file looks separated by ';': give --separator ';'"):
        written("a;b;c\n1;2,5;3,5\n", separator=",")
    with pytest.raises(SourceError, match="Correct that line"):
        written("a,b\n1;2,5,3\n", separator=",")


def test_a_title_is_left_out_by_skipping_it(written):
    with pytest.raises(SourceError, match="Give --skip 1"):
        written("A report\na;b\n1;2\n")


def test_a_title_above_the_header_is_an_error_and_no_table(written):
    for separator in (",", ";"):
        with pytest.raises(SourceError, match="line 2 looks like the names of its 2 columns"):
            written(f"A report\na{separator}b\n1{separator}2\n")


def test_a_name_that_stands_twice_is_refused(written):
    with pytest.raises(DuplicateAttribute, match="called age"):
        written("age,sex,age\n1,2,3\n")


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "a,b\n\n\n"])
def test_a_header_without_records_is_refused(written, content):
    with pytest.raises(EmptySource, match=r"table.csv has a header but no records"):
        written(content)


@pytest.mark.parametrize("content", ["", "\n\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_a_file_without_anything_is_refused(written, content):
    with pytest.raises(EmptySource):
        written(content)


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"\x7fELF\x00\x01", "looks like a binary file.*CSV or Parquet"),
        (b"SQLite format 3\x00", "is an SQLite database.*sqlite:///.*--table"),
    ],
)
def test_a_binary_file_is_refused(written, content, hint):
    with pytest.raises(SourceError, match=hint):
        written(content)


def test_no_copy_is_left_behind(written, tmp_path, monkeypatch):
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    written("a,b\nü,2\n".encode("cp1252"))
    with pytest.raises(SourceError):
        written("a,b\nü\n".encode("cp1252"))
    assert list(spare.iterdir()) == []


def test_the_file_is_read_once(written, tmp_path):
    source = written("a,b\n1,2\n")
    (tmp_path / "table.csv").unlink()
    assert table(source) == [("1", "2")]
    assert table(source) == [("1", "2")]


def test_names_of_files_with_stars_and_quotes(written):
    assert table(written("a,b\n1,2\n", "it's [1]*.csv")) == [("1", "2")]


def test_names_that_differ_by_case_are_two_attributes(written):
    source = written("Age,age\n1,2\n")
    assert table(source) == [("1", "2")]


def test_more_values_than_an_enumeration_is_good_for(written, monkeypatch):
    monkeypatch.setattr(library, "built", lambda: False)
    monkeypatch.setattr("divulge.source.duck._FEW", 3)
    content = "a\n" + "".join(f"{value}\n" for value in "dbcaabcd") + '""\n'
    assert [row[0] for row in table(written(content))] == [*"dbcaabcd", None]


NAMED = {
    "running text": "Ann Lee lives in the street and she has flu.\nThen came Bo Li, who has nothing.\n",
    "an HTML page": "<table><tr><td>Ann</td></tr></table>\n",
    "an HTML page ": '<?xml version="1.0"?>\n<!-- a page -->\n<html><p>Ann</p></html>\n',
    "an XML file": "<people><p>Ann</p></people>\n",
    "a document in rich text": "{\\rtf1 Ann}",
    "a file of labels and values": "[Ann]\nage=34\nillness=flu\n",
    "a file of labels and values ": 'name="Ann"\nillness="flu"\n',
    "a file of labels and values  ": "From: Ann\nTo: Bo\nSubject: flu\n\nHello Bo\n",
}


@pytest.mark.parametrize("kind", NAMED)
def test_what_is_no_table_is_called_by_its_name(kind, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(NAMED[kind])
    with pytest.raises(SourceError, match=f"table.csv is {kind.strip()}"):
        open_source(path)


def test_a_file_without_a_header_is_told_without_its_values(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("7713,20,20\n7714,30,31\n")
    with pytest.raises(SourceError, match=r"bare\.csv \(3 fields\) seems to be a record") as caught:
        open_source(path)
    assert "20" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "zip,sex\n01234, Male\n1234,\n,Male\n1234,Male",
        'a,b\n"x, y","two\n\nlines"\n"say ""hi""",""\n',
        "\ufeffa,b\r\n\r\nÅ,z\r\nZ,é\r\n\r\n",
        'a\nx\n\n""\ny\n',
        "a,b\r\n1,2\n\r\n3,4\n\n5,6",
        "a;b\n" + "".join(f"{number % 7};{number * 7919 % 70001}\n" for number in range(70_001)),
    ],
    ids=["plain", "quoted", "long line ends", "one column", "mixed line ends", "many values"],
)
def test_loops_and_duckdb_read_the_same_codes(written, monkeypatch, content):
    loops = written(content)
    monkeypatch.setattr(library, "built", lambda: False)
    plain = written(content)
    assert loops.attributes == plain.attributes
    for one, other in zip(*(each.encode(each.attributes).values() for each in (loops, plain)), strict=True):
        assert one.values == other.values
        assert one.codes.dtype == other.codes.dtype
        assert np.array_equal(one.codes, other.codes)


@pytest.mark.parametrize(
    "content",
    [
        *("a,b\r1,2\r", "a,b\n1,2\r3\n", "a,b\n1\n", "a,b\n1,2,3\n", "a,b\n1,2,\n"),
        *('a,b\n1,x"y\n', 'a,b\n1, "y"\n', 'a,b\n"1"x,2\n', 'a,b\n1,"2\n', "a,b\n1,\0\n", "a,b\n1,2\n1,"),
        *('a,b\n1,"\0"\n', '"a\nb",c\n1,2\n', "a, b\n1, 2\n"),
    ],
)
def test_what_can_be_read_in_several_ways_is_left_to_a_reader_that_says_so(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_text(content, newline="")
    assert text_codes.read_codes(path, detect("table.csv", content.encode(), SourceOptions())) is None


def test_a_first_record_with_another_line_end_in_quotes(written):
    assert table(written('a,b\n"x\r\ny",1\nz,2\n')) == [("x\r\ny", "1"), ("z", "2")]


def test_lines_that_are_cut_by_blocks_of_several_threads_are_whole(written, monkeypatch):
    monkeypatch.setattr(text_codes, "BLOCK", 64)
    monkeypatch.setattr(text_codes, "cores", lambda: 3)
    rows = [(f"row {number}", f"line\n{number % 5}") for number in range(500)]
    assert table(written("a,b\n" + "".join(f'{a},"{b}"\n' for a, b in rows))) == rows


@pytest.mark.parametrize("title", ["Extract 2025", "Extract 2025;", "# 2025\nExtract 2025;\n"])
def test_a_title_line_is_refused_with_the_lines_to_skip(written, title):
    text = f"{title}\nplz;ill\n50667;flu\n02826;gout\n"
    above = text.split("plz")[0].count("\n")
    with pytest.raises(SourceError, match="has 1 filled field, as a title has") as caught:
        written(text, comment="#")
    assert f"--skip {above} " in caught.value.hint
    assert "Extract" not in str(caught.value)
    assert written(text, skip=above).attributes == ("plz", "ill")


def test_a_title_may_be_the_name_of_a_column_that_someone_gives(written):
    text = "Extract 2025;\nplz;ill\n50667;flu\n02826;gout\n"
    assert written(text, names=["a", "b"]).records == 3
