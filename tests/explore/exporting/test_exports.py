"""The files of an archive: what they say of a table's name does not change what they do."""

import ast
import io
import tomllib
import zipfile

import pytest

import divulge as dv
from divulge.explore.explorer import Explorer

EVIL = 'a\n[[step]]\nmechanism = "remove"\nattributes = ["age"]\n\rimport os\n#\x1b[2J\u2028\u202e.csv'
ENCODED = "coding: utf-7 +AAo-import os.csv"  # a line end and more, if a script is read so
PLAIN = "people.csv"


def exported(folder, name, **reading):
    """The texts of an archive of a table of this name, by file."""
    rows = [f"{20 + number % 40},{'ns'[number % 2]},{'abc'[number % 3]}" for number in range(200)]
    (folder / name).write_text("age,region,illness\n" + "\n".join(rows) + "\n")
    data = dv.read(name, quasi_identifiers=["age", "region"], sensitive=["illness"], **reading)
    explorer = Explorer(data, name=name, seed=5, reading=reading)
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        return {
            one.partition("/")[2]: archive.read(one).decode()
            for one in archive.namelist()
            if one.endswith((".toml", ".py"))
        }


@pytest.mark.parametrize("reading", [{}, {"encoding": "utf-8"}], ids=["as it is", "with options"])
@pytest.mark.parametrize("named", [EVIL, ENCODED], ids=["lines", "encoded"])
def test_the_name_of_a_table_stays_in_its_comments(tmp_path, monkeypatch, named, reading):
    monkeypatch.chdir(tmp_path)
    evil, plain = (exported(tmp_path, name, **reading) for name in (named, PLAIN))
    assert evil.keys() == plain.keys()
    for name, text in evil.items():
        assert not {"\x1b", "\r"} & {*text}, name
        assert text.count("\n") == plain[name].count("\n"), name
        assert not {"\u2028", "\u202e"} & {*"".join(comments(text))}, name
        if name.endswith(".toml"):
            said, other = tomllib.loads(text), tomllib.loads(plain[name])
            if "data" in said:
                assert said["data"].pop("source", "").removeprefix("../") in (named, "")
                other["data"].pop("source", None)
            assert said == other, name
        else:
            assert kinds(text) == kinds(plain[name])


def comments(text):
    return [line for line in text.split("\n") if line.startswith("#")]


def kinds(script):
    """What a script does, without the texts in it."""
    return [type(one) for one in ast.walk(ast.parse(script.encode()))]
