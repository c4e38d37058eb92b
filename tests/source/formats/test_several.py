"""Folders and patterns: several files as one table, with the partitions of their folders."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.engines.opening import open_source
from divulge.errors import DuplicateAttribute, MissingSource, SourceError
from divulge.source.formats import several
from file_formats import put


def rows(given, **said):
    source = open_source(given, **said)
    codes = source.encode(source.attributes)
    held = [[[None, *column.values][code] for code in column.codes] for column in codes.values()]
    return source.attributes, sorted(zip(*held, strict=True), key=repr)


def folder(root, **files):
    """CSV files by their paths, __ for a slash and _ for an equals sign."""
    for name, content in files.items():
        path = root / f"{name.replace('__', '/').replace('_', '=')}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, content)
    return root


def test_files_are_read_one_below_the_other_columns_by_name(tmp_path):
    root = folder(tmp_path / "t", a="age,sex\n30,m\n31,f\n", b="sex,age\nm,32\n")
    expected = (("age", "sex"), [("30", "m"), ("31", "f"), ("32", "m")])
    assert rows(root) == expected
    assert rows(root / "*.csv") == expected
    assert rows(str(root / "[ab].csv")) == expected
    assert open_source(root).name == "t"


def test_folders_name_partitions(tmp_path):
    root = folder(tmp_path, year_2020__sex_m__a="age\n30\n", year_2021__sex_f__a="age\n31\n")
    put(root / "_SUCCESS", "")
    expected = (("age", "year", "sex"), [("30", "2020", "m"), ("31", "2021", "f")])
    assert rows(root) == expected
    assert rows(root / "**" / "*.csv") == expected


def test_partitions_of_typed_files_are_numbers_or_texts_or_missing(tmp_path):
    for part in ("year=2020/zip=007", "year=2021/zip=__HIVE_DEFAULT_PARTITION__", "year=2021/zip=a%2Fb"):
        (tmp_path / part).mkdir(parents=True)
        pq.write_table(pa.table({"age": [30]}), tmp_path / part / "part.parquet")
    assert rows(tmp_path) == (
        ("age", "year", "zip"),
        [(30, 2020, "007"), (30, 2021, "a/b"), (30, 2021, None)],
    )


def test_a_partition_that_is_a_column_as_well_is_refused(tmp_path):
    with pytest.raises(DuplicateAttribute, match="more than one attribute called year"):
        open_source(folder(tmp_path, year_2020__a="year,age\n2020,30\n"))


def test_columns_that_may_be_records_are_counted(tmp_path):
    root = folder(tmp_path, a="name,place\nAnn,Oslo\n", b="ZQANN,ZQOSLO\nBo,Rome\n")
    with pytest.raises(SourceError, match=r"different columns. Not in all of them: 4 columns\.") as caught:
        open_source(root)
    assert "ZQ" not in str(caught.value)


def test_different_columns_are_refused_by_their_names(tmp_path):
    root = folder(tmp_path, a="age,sex\n30,m\n", b="age,zip\n31,ZQPLANTED\n")
    with pytest.raises(SourceError, match=r"different columns. Not in all of them: sex, zip\.") as caught:
        open_source(root)
    assert "ZQPLANTED" not in str(caught.value)


def test_text_in_some_files_and_numbers_in_others_is_refused(tmp_path):
    for name, ages in (("a", [30]), ("b", ["30"])):
        pq.write_table(pa.table({"age": ages}), tmp_path / f"{name}.parquet")
    with pytest.raises(SourceError, match="hold text and in others not: age"):
        open_source(tmp_path)


def test_files_of_several_kinds_are_refused(tmp_path):
    root = folder(tmp_path, a="age\n30\n")
    pq.write_table(pa.table({"age": [30]}), root / "b.parquet")
    with pytest.raises(SourceError, match="holds CSV files and Parquet files"):
        open_source(root)
    assert rows(root / "*.parquet") == (("age",), [(30,)])
    put(root / "b.parquet", "").rename(root / "README.md")
    with pytest.raises(SourceError, match="holds 1 file of another kind than CSV and Parquet"):
        open_source(root)


def test_a_delta_table_is_refused_for_it_holds_what_was_deleted(tmp_path):
    folder(tmp_path, _delta_log__a="x\n1\n")
    (tmp_path / "=delta=log").rename(tmp_path / "_delta_log")
    with pytest.raises(SourceError, match="is a Delta table"):
        open_source(tmp_path)


def test_nothing_is_found_where_nothing_is(tmp_path):
    with pytest.raises(MissingSource, match="has no table files"):
        open_source(tmp_path)
    with pytest.raises(MissingSource, match=r"No file matches .*\*\.csv"):
        open_source(tmp_path / "*.csv")


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(several, "MOST_FILES", 1)
    with pytest.raises(SourceError, match="has 2 files, and the limit is 1"):
        open_source(folder(tmp_path, a="age\n30\n", b="age\n31\n"))


def test_a_memory_budget_is_for_one_file(tmp_path):
    said = "and a memory budget can be given for one CSV or Parquet file only"
    with pytest.raises(SourceError, match=f"matches several files, {said}"):
        open_source(folder(tmp_path, a="age\n30\n"), memory="1GB")
    with pytest.raises(SourceError, match=f"a.json is a file of JSON or JSON lines, {said}"):
        open_source(put(tmp_path / "a.json", '{"a": 1}'), memory="1GB")


def test_a_folder_without_permission_is_not_said_to_be_empty(tmp_path, monkeypatch):
    monkeypatch.setattr(several.os, "access", lambda path, mode: False)  # root may read anything
    with pytest.raises(SourceError, match="No permission to read"):
        open_source(tmp_path)
