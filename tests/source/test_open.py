"""Which objects are sources, and what is said about those that are not."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from divulge.engines.opening import open_source
from divulge.errors import MissingSource, SourceError
from divulge.source.files import DataFile


def test_opening_imports_no_library_that_is_not_needed():
    script = """
import sys
sys.modules["divulge"] = type(sys)("divulge")
sys.modules["divulge"].__path__ = [sys.argv[1]]
from divulge.engines.opening import open_source
open_source({"a": [1, None]}).encode(["a"])
print(*sorted({"duckdb", "pyarrow", "pandas", "polars", "sqlalchemy", "scipy"} & set(sys.modules)))
"""
    package = str(__import__("divulge.errors").__path__[0])
    done = subprocess.run([sys.executable, "-c", script, package], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("data", [3, None, [1, 2], b"a,b", object()])
def test_anything_else_is_refused_with_what_is_accepted(data):
    with pytest.raises(
        SourceError, match=f"An? {type(data).__name__} cannot be read as a table. Give a path"
    ):
        open_source(data)


def test_a_name_alone_makes_no_frame():
    class DataFrame:
        pass

    with pytest.raises(SourceError, match="cannot be read as a table"):
        open_source(DataFrame())


def test_a_frame_of_a_class_made_from_pandas_is_one():
    import pandas as pd

    class Survey(pd.DataFrame):
        pass

    assert open_source(Survey({"a": [1]})).attributes == ("a",)


def test_a_missing_file_is_named_with_its_neighbour(tmp_path):
    (tmp_path / "patients.csv").touch()
    with pytest.raises(MissingSource, match=r"No file .*patient\.csv\. Did you mean 'patients\.csv'\?"):
        open_source(tmp_path / "patient.csv")
    with pytest.raises(MissingSource, match="There is no folder"):
        open_source(str(tmp_path / "nowhere" / "patients.csv"))


def test_a_directory_without_files_is_no_table(tmp_path):
    with pytest.raises(MissingSource, match="has no table files"):
        open_source(tmp_path)


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    def refuse(self, *args, **options):
        raise PermissionError

    (tmp_path / "table.csv").write_text("a\n1\n")
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(SourceError, match="No permission to read"):
        open_source(tmp_path / "table.csv")


def test_options_of_another_kind_of_source_are_refused():
    with pytest.raises(SourceError, match="for a CSV file only"):
        open_source({"a": [1]}, separator=";")
    with pytest.raises(SourceError, match="for a database only"):
        open_source({"a": [1]}, table="people")


def test_an_option_of_another_kind_of_file_is_refused_with_the_kind(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": 1}]')
    with pytest.raises(
        SourceError, match=r"a.json is a file of JSON.* --names can be given for a CSV or Excel"
    ):
        open_source(tmp_path / "a.json", names=["b"])
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(SourceError, match=r"--table can be given for a database or an Excel file only"):
        open_source(tmp_path / "a.csv", table="people")


def test_what_is_said_of_a_csv_file_may_stand_beside_another_kind(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": 1}]')
    assert open_source(tmp_path / "a.json", separator=";", encoding="cp1252", labels="ignore").records == 1


def test_sources_tell_their_names(tmp_path):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    (tmp_path / "adult.csv").write_text("a\n1\n")
    names = {
        "adult.csv": tmp_path / "adult.csv",
        "a pandas frame": pd.DataFrame({"a": [1]}),
        "a Polars frame": pl.DataFrame({"a": [1]}),
        "an Arrow table": pa.table({"a": [1]}),
    }
    assert {name: open_source(data).name for name, data in names.items()} == {name: name for name in names}


def test_a_file_shows_nothing_of_its_content(tmp_path):
    (tmp_path / "a.csv").write_text("age\nZQPLANTED\n")
    assert "ZQPLANTED" not in repr(DataFile.at(tmp_path / "a.csv"))


def test_an_int_is_called_by_its_article():
    with pytest.raises(SourceError, match=r"^An int cannot be read as a table\."):
        open_source(3)


def test_a_page_is_not_suggested_for_a_table(tmp_path):
    (tmp_path / "people.html").write_text("a report")
    with pytest.raises(MissingSource) as refused:
        open_source(tmp_path / "people.csv")
    assert "people.html" not in str(refused.value)


def test_a_link_to_nothing_is_not_suggested_in_its_own_place(tmp_path):
    (tmp_path / "gone.csv").symlink_to("nowhere")
    with pytest.raises(MissingSource, match=r"gone\.csv is a link to a file that is not there"):
        open_source(tmp_path / "gone.csv")
    with pytest.raises(MissingSource, match=r"gona\.csv\. Check the path"):
        open_source(tmp_path / "gona.csv")


@pytest.mark.parametrize(("asked", "said"), [({}, "'adults 2012'"), ({"table": "people"}, "people")])
def test_a_file_of_sqlite_is_named_by_its_address_and_its_tables(tmp_path, asked, said):
    path = tmp_path / "a b.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE people (age INT)")
        database.execute('CREATE TABLE "adults 2012" (age INT)')
    with pytest.raises(SourceError) as caught:
        open_source(path, **asked)
    assert caught.value.message == "a b.db is an SQLite database with the tables adults 2012, people."
    assert caught.value.hint.endswith(f"'sqlite:///{path}' --table {said}")
