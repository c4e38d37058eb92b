"""Input that somebody made to do harm, or that a machine mangled: a sentence, exit code 2, and no more."""

import csv
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from divulge._support.wording import flattened, one_line, visible
from divulge.assessment import audit
from divulge.cli import running
from divulge.engines.opening import open_source
from divulge.errors import SchemaError, SourceError
from divulge.policy import Policy
from divulge.questions.data import read
from divulge.roles.proposal import propose
from in_process import run

ROWS = "age,sex,diagnosis\n" + "".join(f"{30 + i % 5},{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(60))
POLICY = '[attributes]\nage = "quasi-identifier"\n[thresholds]\nk_anonymity = { min = 2 }\n'
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(ROWS)
    Path("policy.toml").write_text(POLICY)
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


HOSTILE_TOML = {
    "a number of 5,000 digits": f"[thresholds]\nk_anonymity = {{ min = {'9' * 5000} }}\n",
    "5,000 lists": f"x = {'[' * 5000}{']' * 5000}\n",
    "5,000 tables": f"x = {'{a=' * 5000}1{'}' * 5000}\n",
    "a key of 900 parts": f"{'.'.join('a' * 900)} = 1\n",
    "a day that never was": "x = 2021-02-30\n",
    "zeros": "x = 1\0\n",
}


@pytest.mark.parametrize("hostile", HOSTILE_TOML)
def test_a_policy_that_cannot_be_parsed_is_no_failed_check(hostile, ask):
    Path("bad.toml").write_text(HOSTILE_TOML[hostile])
    for command in (
        ("check", "data.csv", "--policy", "bad.toml"),
        ("measure", "data.csv", "--keys", "age", "--partitions", "bad.toml"),
        ("compare", "data.csv", "--need", "bad.toml"),
    ):
        code, out, err = ask(*command)
        assert (code, out) == (2, ""), command
        assert err.startswith("divulge: ")
        assert err.count("\n") == 1
        assert "not expected" not in err


@pytest.mark.parametrize("text", ["[" * 100_000, f"[{'9' * 5000}]", '{"document": "divulge audit"}', "{}"])
def test_a_baseline_that_cannot_be_parsed_is_refused(text, ask):
    Path("last.json").write_text(text)
    code, _, err = ask("check", "data.csv", "--policy", "policy.toml", "--earlier", "last.json")
    assert code == 2
    assert "not expected" not in err


def test_an_error_that_nobody_foresaw_is_neither_a_verdict_nor_a_traceback(ask, monkeypatch):
    def broken(**_):
        raise ZeroDivisionError("ZQVALUE of a record")

    monkeypatch.setattr(running, "app", broken)
    code, out, err = ask("check", "data.csv", "--policy", "policy.toml")
    assert (code, out) == (2, "")
    assert "ZeroDivisionError" in err
    assert "ZQVALUE" not in err
    assert "Traceback" not in err


def test_too_little_memory_is_a_sentence(ask, monkeypatch):
    def broken(**_):
        raise MemoryError

    monkeypatch.setattr(running, "app", broken)
    code, _, err = ask("audit", "data.csv")
    assert (code, "not enough memory" in err) == (2, True)


@pytest.mark.parametrize("command", [
    ("audit", "PIPE"),
    ("measure", "PIPE", "--keys", "age"),
    ("compare", "data.csv", "PIPE"),
    ("check", "data.csv", "--policy", "PIPE"),
    ("compare", "data.csv", "--need", "PIPE"),
    ("measure", "data.csv", "--keys", "age", "--partitions", "PIPE"),
    ("attacker", "PIPE"),
    ("audit", "/dev/zero"),
])  # fmt: skip
def test_a_pipe_is_refused_and_not_waited_for(command, ask):
    os.mkfifo("pipe")
    code, _, err = ask(*("pipe" if word == "PIPE" else word for word in command))
    assert (code, "is a pipe, a device or a socket" in err) == (2, True)


POLICY = '[attributes]\nage = "quasi-identifier"\n[thresholds]\nk_anonymity = { min = 2 }\n'


@pytest.mark.parametrize("output", ["--junit", "--markdown"])
def test_an_output_that_waits_for_a_reader_is_refused(output, ask):
    os.mkfifo("pipe")
    Path("divulge.toml").write_text(POLICY)
    code, _, err = ask("check", "data.csv", "--policy", "divulge.toml", output, "pipe")
    assert (code, "pipe is a pipe, and writing to it may wait for ever" in err) == (2, True)


@pytest.mark.skipif(not os.path.exists("/proc/kmsg"), reason="a file of Linux")
def test_a_file_that_the_system_makes_while_it_is_read_is_refused(ask):
    code, _, err = ask("audit", "/proc/kmsg")
    assert (code, "/proc/kmsg is a pipe, a device or a socket" in err) == (2, True)


def test_a_name_that_no_file_can_have_is_said_to_be_one(ask):
    for more in ((), ("--no-report",)):
        code, _, err = ask("audit", 5_000 * "a", *more)
        assert (code, "file name too long" in err.lower(), "unexpected" in err) == (2, True, False)


@pytest.mark.parametrize("command", ["audit", "check"])
def test_an_empty_name_is_not_the_current_folder(command, ask):
    Path("divulge.toml").write_text(POLICY)
    more = ["--policy", "divulge.toml"] if command == "check" else []
    code, _, err = ask(command, "", *more)
    assert (code, "No file is named" in err) == (2, True)


def test_too_many_attributes_are_refused_before_they_are_counted(monkeypatch, tmp_path):
    columns = {f"c{place}": ["a", "b"] for place in range(1_001)}
    monkeypatch.setattr("divulge.assessment.assessment.all_rates", None)  # counting would end otherwise
    policy = {"attributes": {"c0": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    with pytest.raises(SchemaError, match="1,001 attributes have no role"):
        audit(columns, policy)


@pytest.mark.parametrize("columns", [5_001, 100_000])
def test_too_many_columns_are_refused_with_their_number(columns, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{place}" for place in range(columns)) + "\n" + ",".join("1" * columns) + "\n")
    with pytest.raises(SourceError, match=r"wide.csv has [\d,]+ columns, and the limit is 5,000"):
        open_source(path)


def test_no_roles_are_suggested_for_thousands_of_attributes():
    with pytest.raises(SchemaError, match="1,001 attributes have no role"):
        propose(read({f"c{place}": [1, 2] for place in range(1001)}))


def test_a_cell_of_ten_megabytes_is_a_value(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text('a,b\n1,"' + "x" * 10_000_000 + '"\n2,y\n')
    source = open_source(path)
    assert source.records == 2
    assert sorted(len(value) for value in source.encode(["b"])["b"].values) == [1, 10_000_000]


PASSED = "PASS: nobody looked"
NAMES = {
    "of a terminal": "sex\x1b[31m\x07",
    "of eight bits": "sex\x9b31m",
    "of direction": "sex\u202excod.exe",
    "isolating": "sex\u2066a\u2069",
    "of another line": f"sex\r\n{PASSED}",
    "of Python": "__class__",
    "of records": "@record",
    "of all": "*",
    "of HTML": "</script><script>alert(1)</script>",
    "of Markdown": "](http://x) | ![a](b) `c`",
    "of XML": "]]><x>&amp;",
    "of SQL": 'x"; DROP TABLE records; --',
    "of a spreadsheet": "=1+1",
    "of nothing": " ",
    "of a template": "{{ 7 * 7 }}",
    "long": "n" * 290,
}


def test_names_reach_no_output_as_commands(ask):
    names = [*NAMES.values(), "age", "diagnosis"]
    lines = [names, *([str(i % 5 + k % 3) for k in range(len(names))] for i in range(60))]
    with open("names.csv", "w", newline="") as file:
        csv.writer(file).writerows(lines)
    known = [name for kind, name in NAMES.items() if kind not in {"of another line", "of HTML"}][:6]
    roles = [word for name in known for word in ("--quasi-identifiers", name)]
    for command in (
        (
            "audit",
            "names.csv",
            *roles,
            "--sensitive",
            NAMES["of another line"],
            "--report",
            "r.html",
            "--markdown",
            "r.md",
            "--junit",
            "r.xml",
        ),
        ("audit", "names.csv", *roles, "--sensitive", NAMES["of HTML"], "--no-report"),
        ("measure", "names.csv", *(word for name in names for word in ("--keys", name)), "--by-value"),
        ("measure", "names.csv", "--keys", NAMES["of a terminal"], "--json"),
        ("init", "names.csv", "--out", "new.toml"),
        ("measure", "names.csv", "--keys", "nobody"),
    ):
        code, out, err = ask(*command)
        assert code == (2 if command[-1] == "nobody" else 0), err
        assert not CONTROLS.search(out + err), command
        assert not re.search(f"^{PASSED}", out + err, re.MULTILINE), command
    for path in ("r.html", "r.md", "r.xml", "new.toml"):
        assert not CONTROLS.search(Path(path).read_text("utf-8")), path
    assert "<script>alert" not in Path("r.html").read_text("utf-8")
    assert "<script>alert" not in Path("r.md").read_text("utf-8")
    ElementTree.parse("r.xml")
    assert set(Policy.read("new.toml").attributes) == set(names)


def test_a_file_may_be_called_anything(ask):
    Path("a\x1b[31m\u202e.csv").write_text(ROWS)
    for command in (("audit", "a\x1b[31m\u202e.csv", "--no-report"), ("audit", "b\x1b[31m.csv")):
        _, out, err = ask(*command)
        assert out + err
        assert not CONTROLS.search(out + err)


def test_a_json_document_says_the_same_with_its_controls_shown():
    document = {"name": "a\x1b\u202e\U000e0041b", "plain": "ü\t"}
    text = visible(json.dumps(document, ensure_ascii=False))
    assert not CONTROLS.search(text)
    assert json.loads(text) == document


def test_letters_of_other_scripts_stay():
    words = "naïve Ångström שלום سلام می‌خواهم 日本語 👩‍⚕️"
    assert visible(words) == words


def test_a_document_in_lines():
    assert one_line("a\r\nb") == "a\\r\\nb"
    assert flattened({"a\n": ["b\n", 1, None]}) == {"a\\n": ["b\\n", 1, None]}


BROKEN = {
    "nothing but zeros": b"\0" * 100,
    "UTF-16 without a mark": "age,sex\n30,m\n31,f\n".encode("utf-16-le"),
    "a lone quote": b'"',
    "a mark alone": b"\xef\xbb\xbf",
    "names alone": b"age,sex",
    "names twice": b"age,age\n30,31\n",
    "separators alone": b",,,\n,,,\n",
    "a name of 100,000 letters": b"n" * 100_000 + b",b\n1,2\n",
    "noise": bytes(range(256)) * 50,
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_file_is_a_sentence(broken, ask):
    Path("broken.csv").write_bytes(BROKEN[broken])
    code, out, err = ask("audit", "broken.csv", "--no-report")
    assert code in {0, 2, 3}
    assert "not expected" not in err
    assert "Traceback" not in err
    assert len(out + err) < 5000


def test_utf_16_without_a_mark_is_recognised(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(BROKEN["UTF-16 without a mark"])
    with pytest.raises(SourceError, match="--encoding utf-16-le"):
        open_source(path)
    assert open_source(path, encoding="utf-16-le").records == 2


@pytest.mark.parametrize("cut", [5, 50, 200])
def test_a_parquet_file_cut_short_or_of_nonsense_is_a_sentence(cut, tmp_path, ask):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"age": [30, 31, 32]}), tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    Path("cut.parquet").write_bytes(content[:cut])
    Path("odd.parquet").write_bytes(content[:-cut] + b"\xff" * (cut - 4) + b"PAR1")
    for name in ("cut.parquet", "odd.parquet"):
        code, _, err = ask("measure", name, "--keys", "age")
        assert (code, "cannot be read as a Parquet file" in err) == (2, True)
