"""A table may be piped into a command, in any format, and is called standard input."""

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from file_formats import FORMATS, csv_text
from in_process import run

ROWS = {
    "age": [30 + place % 5 for place in range(60)],
    "sex": ["mf"[place % 2] for place in range(60)],
    "illness": ["abc"[place % 3] for place in range(60)],
}
POLICY = '[attributes]\nage = "quasi-identifier"\n[thresholds]\nk_anonymity = { min = 2 }\n'


@pytest.fixture
def pipe(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(POLICY)

    def piped(content, *arguments, terminal=False):
        buffer = io.BytesIO(content)
        buffer.isatty = lambda: terminal
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=buffer, isatty=buffer.isatty))
        return run(monkeypatch, capsys, *arguments)

    return piped


CSV = csv_text(ROWS).encode()
ROLES = ("--quasi-identifiers", "age,sex", "--sensitive", "illness")


def test_audit_names_standard_input(pipe):
    code, out, err = pipe(CSV, "audit", "-", *ROLES, "--no-report")
    assert code == 0, err
    assert "standard input: 60 records" in out


def test_measure_and_check_read_it(pipe):
    code, out, _ = pipe(CSV, "measure", "-", "--keys", "age")
    assert (code, out.splitlines()[0]) == (0, "standard input: 60 records")
    assert pipe(CSV, "check", "-", "--policy", "policy.toml")[0] == 0


def test_init_writes_a_policy_that_reads_it_again(pipe):
    assert pipe(CSV, "init", "-")[0] == 0
    assert 'source = "-"' in Path("divulge.toml").read_text()
    code, out, err = pipe(CSV, "check", "--policy", "divulge.toml", "--json")
    assert code in {0, 1}, err
    assert json.loads(out)["source"]["name"] == "standard input"


@pytest.mark.parametrize("form", ["Parquet", "SPSS", "CSV in xz", "CSV in zip"])
def test_it_may_be_of_any_format(form, pipe, tmp_path):
    content = FORMATS[form][0](tmp_path).read_bytes()
    code, out, err = pipe(content, "measure", "-", "--keys", "age")
    assert code == 0, err
    assert out.startswith("standard input: 24 records")


def test_it_may_be_described(pipe):
    said = ("--no-header", "--names", "age,sex,illness")
    code, out, _ = pipe(csv_text(ROWS, names=False).encode(), "measure", "-", "--keys", "age", *said)
    assert (code, out.splitlines()[0]) == (0, "standard input: 60 records")


def test_what_is_wrong_with_it_is_told_and_nothing_of_it_repeated(pipe):
    for content, said in (
        (b"", "standard input is empty"),
        (b"ZQPLANTED,30\nZQPLANTED,31\n", "first line of standard input"),
        (b"a,b\nZQPLANTED\n", "Line 2 of standard input"),
        (b"\x1f\x8bZQPLANTED", "standard input is compressed and damaged"),
    ):
        code, out, err = pipe(content, "measure", "-", "--keys", "a")
        assert (code, said in err) == (2, True), err
        assert "ZQPLANTED" not in out + err


def test_a_terminal_is_not_waited_for(pipe):
    code, _, err = pipe(CSV, "audit", "-", terminal=True)
    assert code == 2
    assert "Nothing is piped into standard input. Write: divulge audit - < people.csv" in err


def test_one_of_several_tables_may_be_piped(pipe):
    Path("table.csv").write_bytes(CSV)
    code, out, err = pipe(CSV, "compare", "table.csv", "-", *ROLES, "--json")
    assert code == 0, err
    assert "standard input" in out
