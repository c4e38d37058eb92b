"""Records are taken from sources while they are written, whatever happens to the file meanwhile."""

import json
import os
import sqlite3
import time
from contextlib import ExitStack, closing

import psycopg
import pytest

from divulge.errors import EmptySource, MissingSource, ParameterError, SourceError
from divulge.source.options import SourceOptions
from divulge.streams import arrivals, database_arrivals
from divulge.streams.arrivals import GrowingFile, StandardInput
from divulge.streams.database_arrivals import GrowingTable

PLAIN = SourceOptions()


@pytest.fixture
def growing():
    with ExitStack() as held:

        def opened(path, options=PLAIN, **how):
            return held.enter_context(closing(GrowingFile(path, options, sleep=lambda seconds: None, **how)))

        yield opened


def asked(path, *statements):
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


def taken(source, times=4):
    """What a source gives in some polls: records as rows, lines that were none, and what it said."""
    rows, malformed, said = [], 0, []
    for _ in range(times):
        arrived = source.poll(0.0)
        rows += zip(*arrived.columns.values(), strict=True)
        malformed += arrived.malformed
        said += arrived.said
    return rows, malformed, said


def test_lines_that_are_added_come_once_they_are_whole(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n4")
    with path.open("a") as file:
        source = growing(path)
        assert source.attributes == ("age", "ill")
        assert taken(source) == ([("31", "flu")], 0, [])
        file.write("0,cold\n50,")
        file.flush()
        assert taken(source) == ([("40", "cold")], 0, [])
        file.write("\n")
        file.flush()
        assert taken(source) == ([("50", None)], 0, [])


def test_a_quoted_line_end_is_part_of_its_value(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text('age,ill\n31,"flu\n')
    source = growing(path)
    assert taken(source)[0] == []
    with path.open("a") as file:
        file.write('and cold"\n32,flu\n')
    assert taken(source)[0] == [("31", "flu\nand cold"), ("32", "flu")]


def test_a_quote_that_never_ends_costs_one_line(tmp_path, monkeypatch, growing):
    monkeypatch.setattr(arrivals, "LONGEST", 100)
    path = tmp_path / "log.csv"
    path.write_text('age,ill\n31,flu\n5,"cold\n' + "32,flu\n" * 30)
    rows, malformed, _ = taken(growing(path))
    assert rows == [("31", "flu")] + [("32", "flu")] * 30
    assert malformed == 1


@pytest.mark.parametrize("strays", [(10,), (10, 50), (10, 50, 51), (998,), (10, 900, 950, 990)])
@pytest.mark.parametrize("follow", [True, False])
def test_quotes_that_never_end_cost_a_line_each_up_to_the_end(tmp_path, growing, strays, follow):
    lines = [f"{20 + place % 7},flu\n" for place in range(3000)]
    for place in strays:
        lines[place] = lines[place].replace(",", ',"')
    lines[70] = '44,"flu, and\ncold"\n'
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n" + "".join(lines))
    rows, malformed, _ = taken(growing(path, follow=follow))
    assert (len(rows), malformed) == (3000 - len(strays), len(strays))
    assert ("44", "flu, and\ncold") in rows


def test_a_quote_within_a_field_is_part_of_it(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text('size,ill\n5"2,flu\n6"1,cold\n"x"y,flu\n5"3,flu\n"7,flu\n')
    rows, malformed, _ = taken(growing(path, follow=False))
    assert rows == [('5"2', "flu"), ('6"1', "cold"), ("xy", "flu"), ('5"3', "flu")]
    assert malformed == 1


def test_a_quote_that_never_ends_takes_no_longer_for_more_lines(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text('age,ill\n5,"cold\n' + "32,flu\n" * 50_000)
    began = time.process_time()
    assert len(taken(growing(path))[0]) == 50_000
    assert time.process_time() - began < 2.0  # 5 s where every line end is counted from the beginning


def test_a_line_without_an_end_is_one_line(tmp_path, monkeypatch, growing):
    monkeypatch.setattr(arrivals, "LONGEST", 100)
    monkeypatch.setattr(arrivals, "BLOCK", 64)
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n" + "x" * 1000 + ",y\n32,cold\n")
    assert taken(growing(path), 40) == ([("31", "flu"), ("32", "cold")], 1, [])


def test_lines_that_are_no_records_are_counted(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_bytes(b"age,ill\n31,flu\n1,2,3\n\n\xff\xfe,flu\nx\n32,cold\n")
    source = growing(path, SourceOptions(encoding="utf-8"))
    assert taken(source) == ([("31", "flu"), ("32", "cold")], 3, [])


def test_a_file_that_is_cut_off_is_read_from_its_beginning(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n32,flu\n")
    source = growing(path)
    assert len(taken(source)[0]) == 2
    path.write_text("age,ill\n40,flu\n")
    rows, malformed, said = taken(source)
    assert (rows, malformed) == ([("40", "flu")], 0)
    assert said == ["log.csv was cut off: it is read from its beginning."]


def test_a_file_that_was_cut_off_and_has_grown_since_is_read_from_its_beginning(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n" + "31,flu\n" * 10)
    source = growing(path)
    assert len(taken(source)[0]) == 10
    position = {**source.position, "attributes": ["age", "ill"]}
    path.write_text("age,ill\n" + "4444,chickenpox\n" * 40)
    rows, malformed, said = taken(source)
    assert (rows, malformed) == ([("4444", "chickenpox")] * 40, 0)
    assert said == ["log.csv was cut off: it is read from its beginning."]
    rows, malformed, said = taken(growing(path, position=position))
    assert (len(rows), malformed) == (40, 0)
    assert said == ["log.csv is another file than before: it is read from its beginning."]


@pytest.mark.parametrize(
    ("end", "more", "rows", "malformed"),
    [
        ("32,cold", "\n33,flu\n", [("33", "flu")], 0),
        ("32,cold", "s\n33,flu\n", [("33", "flu")], 1),
        ("3", "2,cold\n33,flu\n", [("33", "flu")], 1),
        ("32,cold", "", [], 0),
    ],
)
def test_a_line_that_was_taken_before_it_was_whole_is_not_taken_again(
    tmp_path, growing, end, more, rows, malformed
):
    path = tmp_path / "log.csv"
    path.write_text(f"age,ill\n31,flu\n{end}")
    source = growing(path, follow=False)
    taken(source)
    position = source.position
    with path.open("a") as file:
        file.write(more)
    assert taken(growing(path, follow=False, position=position)) == (rows, malformed, [])


def test_a_file_that_is_replaced_is_read_to_its_end_and_the_new_one_from_its_beginning(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n")
    source = growing(path)
    assert len(taken(source)[0]) == 1
    with path.open("a") as file:
        file.write("32,flu\nhalf")
    os.rename(path, tmp_path / "log.csv.1")
    rows, _, said = taken(source)
    assert (rows, said) == ([("32", "flu")], [])  # and no word while there is no new one
    path.write_text("ill,age\ncold,50\n")
    rows, malformed, said = taken(source)
    assert (rows, malformed) == ([("cold", "50")], 1)
    assert said == ["log.csv was replaced: the new file is read from its beginning."]


def test_a_file_that_is_replaced_by_one_of_other_columns_is_refused(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n")
    source = growing(path)
    taken(source)
    path.write_text("a\n1\n")
    with pytest.raises(SourceError, match="other columns"):
        taken(source)


def test_json_lines_have_types_and_what_is_no_object_is_counted(tmp_path, growing):
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"age": 31, "ill": "flu"}\n[1]\n{"age": {"x": 1}}\n{"ill": null, "age": 32, "more": 1}\nx\n'
    )
    source = growing(path)
    assert source.attributes == ("age", "ill")
    assert taken(source) == ([(31, "flu"), (32, None)], 3, [])


def test_a_file_that_is_not_followed_ends_with_its_last_line(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n32,cold")
    source = growing(path, follow=False)
    rows = []
    while not (arrived := source.poll(0.0)).ended:
        rows += zip(*arrived.columns.values(), strict=True)
    rows += zip(*arrived.columns.values(), strict=True)
    assert rows == [("31", "flu"), ("32", "cold")]


def test_nothing_is_no_source(tmp_path, growing):
    with pytest.raises(MissingSource):
        growing(tmp_path / "none.csv")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(EmptySource):
        _ = growing(tmp_path / "empty.csv", follow=False).attributes
    (tmp_path / "bad.jsonl").write_text("no object\n")
    with pytest.raises(SourceError, match="no JSON object"):
        _ = growing(tmp_path / "bad.jsonl").attributes


def test_a_position_is_where_another_left_off(tmp_path, growing):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n31,flu\n32,fl")
    first = growing(path)
    taken(first)
    position = {**first.position, "attributes": list(first.attributes)}
    with path.open("a") as file:
        file.write("u\n33,flu\n")
    assert taken(growing(path, position=position))[0] == [("32", "flu"), ("33", "flu")]
    path.unlink()
    path.write_text("age,ill\n40,flu\n")
    rows, _, said = taken(growing(path, position={**position, "file": -1}))
    assert rows == [("40", "flu")]
    assert "another file" in said[0]


def test_standard_input_is_read_until_it_ends():
    read, write = os.pipe()
    with os.fdopen(read, "rb") as stream:
        source = StandardInput(PLAIN, stream)
        os.write(write, b"age,ill\n31,flu\n3")
        assert source.attributes == ("age", "ill")
        os.write(write, b"2,cold")
        os.close(write)
        rows, ended = [], False
        while not ended:
            arrived = source.poll(1.0)
            rows += zip(*arrived.columns.values(), strict=True)
            ended = arrived.ended
    assert rows == [("31", "flu"), ("32", "cold")]


def test_a_table_is_read_by_a_key_that_grows(tmp_path):
    path = tmp_path / "log.db"
    asked(
        path,
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, age INTEGER, ill TEXT)",
        "INSERT INTO visit VALUES (3, 31, 'flu'), (7, 32, NULL)",
    )
    source = GrowingTable(f"sqlite:///{path}", "visit", "id", sleep=lambda seconds: None)
    assert taken(source)[0] == [(3, 31, "flu"), (7, 32, None)]
    asked(path, "INSERT INTO visit VALUES (9, 33, 'flu')")
    assert taken(source)[0] == [(9, 33, "flu")]
    again = GrowingTable(f"sqlite:///{path}", "visit", "id", follow=False, position={"key": 7})
    assert taken(again)[0] == [(9, 33, "flu")]
    with pytest.raises(ParameterError, match="no column 'ID'"):
        GrowingTable(f"sqlite:///{path}", "visit", "ID")
    source.close()
    again.close()


KEYS = {
    "timestamptz": "timestamptz '2026-01-01 10:00+02' + n * interval '1.5 hour'",
    "date": "date '2026-01-01' + n",
    "numeric(9, 2)": "n / 8.0",
    "uuid": "lpad(n::text, 32, '0')::uuid",
    "text": "lpad(n::text, 3, '0')",
    "double precision": "n / 7.0",
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_table_is_followed_by_keys_of_any_kind_and_after_a_restart(kind, postgresql, monkeypatch):
    monkeypatch.setattr(database_arrivals, "AT_ONCE", 10)
    address = postgresql.fresh()
    with psycopg.connect(address) as connection:
        connection.execute(f"CREATE TABLE visit (at {kind}, n integer)")
        connection.execute(f"INSERT INTO visit SELECT {KEYS[kind]}, n FROM generate_series(1, 35) n")
        connection.execute("INSERT INTO visit VALUES (NULL, 99)")
    with closing(GrowingTable(address, "visit", "at", sleep=lambda seconds: None)) as source:
        first = taken(source, 2)[0]
        position = json.loads(json.dumps(source.position))
    with closing(GrowingTable(address, "visit", "at", follow=False, position=position)) as source:
        rows = first + taken(source, 6)[0]
    assert [number for _, number in rows] == list(range(1, 36))  # none twice, none of no key


def test_records_of_one_key_are_read_together_however_many(tmp_path, monkeypatch):
    monkeypatch.setattr(database_arrivals, "AT_ONCE", 10)
    path = tmp_path / "visits.db"
    keys = [1] * 3 + [2] * 9 + [3] * 37 + [4]
    asked(path, "CREATE TABLE visit (day)", *(f"INSERT INTO visit VALUES ({key})" for key in keys))
    with closing(GrowingTable(f"sqlite:///{path}", "visit", "day", sleep=lambda seconds: None)) as source:
        assert [key for (key,) in taken(source, 8)[0]] == keys


def test_a_byte_order_mark_is_no_part_of_the_first_name(growing, tmp_path):
    (tmp_path / "people.csv").write_bytes(b"\xef\xbb\xbfage,sex\n31,f\n")
    source = growing(tmp_path / "people.csv", follow=False)
    assert source.attributes == ("age", "sex")
    assert taken(source)[0] == [("31", "f")]


def test_a_folder_and_a_binary_file_are_not_watched(growing, tmp_path):
    with pytest.raises(MissingSource, match="is a folder"):
        growing(tmp_path)
    (tmp_path / "people.xlsx").write_bytes(b"PK\x03\x04\0\0\0\n\0")
    with pytest.raises(SourceError, match="looks like a binary file"):
        growing(tmp_path / "people.xlsx", follow=False).attributes  # noqa: B018
