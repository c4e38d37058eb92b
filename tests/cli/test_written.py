"""Where outputs go: refused before the work begins, kept elsewhere after it; options that nearly exist."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest

from command_line import run_apart
from divulge.cli.streams import Edge
from divulge.report.shared import writing
from in_process import run

ROWS = "age,sex,diagnosis\n" + "".join(f"{30 + i % 5},{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(60))
POLICY = '[attributes]\nage = "quasi-identifier"\n[thresholds]\nk_anonymity = { min = 2 }\n'


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(ROWS)
    Path("policy.toml").write_text(POLICY)
    Path("channel.csv").write_text("x,a,b\ns,0.5,0.5\nt,0.1,0.9\n")
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


@pytest.fixture
def idle(monkeypatch):
    """No table is opened: what is refused is refused before."""

    def opened(*_, **__):
        raise AssertionError("the work began")

    for place in ("divulge.cli.tables.open_source", "divulge.questions.data.open_source"):
        monkeypatch.setattr(place, opened)


WRITING = {
    "audit": ("audit", "data.csv", "--report"),
    "audit, summary": ("audit", "data.csv", "--markdown"),
    "audit, tests": ("audit", "data.csv", "--junit"),
    "audit, records": ("audit", "data.csv", "--records"),
    "measure": ("measure", "data.csv", "--keys", "age", "--csv"),
    "check, summary": ("check", "data.csv", "--policy", "policy.toml", "--markdown"),
    "check, tests": ("check", "data.csv", "--policy", "policy.toml", "--junit"),
    "compare": ("compare", "data.csv", "data.csv", "--report"),
    "compare, summary": ("compare", "data.csv", "data.csv", "--markdown"),
    "init": ("init", "data.csv", "--out"),
    "attacker": ("attacker", "--file", "data.csv", "--keys", "age", "--target", "sex", "--report"),
    "simulate": ("release", "simulate", "data.csv", "--x", "age", "--y", "sex", "--report"),
}


@pytest.mark.parametrize("command", WRITING)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(command, ask, idle, tmp_path):
    (tmp_path / "folder").mkdir()
    for output in ("no/such/place.x", "folder", "x" * 300, "data.csv/x"):
        code, out, err = ask(*WRITING[command], output)
        assert code == 2, output
        assert out == ""
        assert "cannot be written" in err or "is a folder" in err or "is there already" in err
    assert sorted(os.listdir()) == ["channel.csv", "data.csv", "folder", "policy.toml"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_is_refused(ask, idle, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    code, _, err = ask("audit", "data.csv", "--report", "closed/r.html")
    assert (code, "permission denied" in err) == (2, True)


@pytest.mark.parametrize("command", ["audit", "audit, summary", "check, tests", "compare", "init"])
def test_no_output_replaces_the_data(command, ask, idle):
    options = ["--overwrite"] if command == "init" else []
    code, _, err = ask(*WRITING[command], "./data.csv", *options)
    assert (code, "data.csv" in err) == (2, True)
    assert Path("data.csv").read_text() == ROWS


def test_two_outputs_are_two_files(ask, idle):
    code, _, err = ask("audit", "data.csv", "--markdown", "a", "--junit", "a")
    assert (code, "another output" in err) == (2, True)


def full(kept):
    """A disk that takes nothing but what is kept."""
    before = Path.write_text

    def write_text(self, *arguments, **options):
        if self.suffix in kept:
            return before(self, *arguments, **options)
        raise OSError(errno.ENOSPC, "No space left on device")

    return write_text


def test_a_report_that_cannot_be_written_in_the_end_is_kept_in_the_current_folder(ask, monkeypatch, tmp_path):
    (tmp_path / "reports").mkdir()
    monkeypatch.setattr(Path, "write_text", full(()))
    code, out, err = ask("audit", "data.csv", "--report", "reports/r.html")
    kept = tmp_path / "r.html"
    assert code == 2
    assert f"reports/r.html cannot be written; it is in {kept} instead." in err
    assert kept.read_text().startswith("<!DOCTYPE html>")
    assert f"Report: {kept}" in out


def test_what_cannot_be_written_beside_us_is_kept_in_the_temporary_folder(ask, monkeypatch, tmp_path):
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    monkeypatch.setattr(Path, "write_text", full(()))
    code, out, err = ask("audit", "data.csv", "--report", "r.html", "--json", "--junit", "t.xml")
    names = sorted(path.suffix for path in spare.iterdir())
    assert (code, names) == (2, [".html", ".xml"])
    assert json.loads(out)["document"] == "divulge audit"
    assert all(str(path) in err for path in spare.iterdir())
    assert all(path.stat().st_mode & 0o077 == 0 for path in spare.iterdir())


def test_a_file_that_is_there_is_not_replaced_by_one_that_had_to_go_elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.html").write_text("mine")
    (tmp_path / "reports").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "reports"))
    monkeypatch.setattr(Path, "write_text", full(()))
    landed = writing.land(Path("reports/r.html"), "new")
    assert landed.parent == tmp_path / "reports"
    assert (tmp_path / "r.html").read_text() == "mine"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_a_document_that_cannot_be_printed_is_kept(ask, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open("/dev/full", "w") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        code, _, err = ask("measure", "data.csv", "--keys", "age", "--json")
    (kept,) = tmp_path.glob("divulge-output-*")
    assert (code, str(kept) in err) == (2, True)
    assert json.loads(kept.read_text())


def test_a_reader_that_goes_away_does_not_change_the_verdict(tmp_path):
    class Gone:
        def write(self, _=None):
            raise BrokenPipeError

        def fileno(self):
            raise OSError

        flush = write

    edge = Edge(Gone())
    assert edge.write("much") == 4
    edge.flush()


OPTIONS = [
    (("audit", "data.csv", "--output", "x"), "--report"),
    (("audit", "data.csv", "-o", "x"), "--report"),
    (("init", "data.csv", "--output", "x"), "--out"),
    (("audit", "data.csv", "--qi", "age"), "--quasi-identifiers"),
    (("measure", "data.csv", "--delimiter", ";"), "--separator"),
    (("measure", "data.csv", "--sep", ";"), "--separator"),
    (("audit", "data.csv", "--identifer", "age"), "--identifiers"),
    (("audit", "data.csv", "--sensitive-attribute", "age"), "--sensitive"),
    (("check", "data.csv", "--polcy", "x"), "--policy"),
    (("compare", "data.csv", "data.csv", "--on", "id"), "--by"),
    (("release", "simulate", "data.csv", "--output", "x"), "--report"),
    (("attacker", "epsilon", "--eps", "1"), "--epsilon"),
]


@pytest.mark.parametrize(("command", "meant"), OPTIONS)
def test_an_unknown_option_names_the_nearest(command, meant, ask):
    code, _, err = ask(*command)
    assert code == 2
    assert f"Did you mean {meant}?" in err


@pytest.mark.parametrize(("asked", "meant"), [("adit", "audit"), ("diff", "compare"), ("validate", "check")])
def test_an_unknown_command_names_the_nearest(asked, meant, ask):
    code, _, err = ask(asked)
    assert (code, f"Did you mean '{meant}'?" in err) == (2, True)


def test_nonsense_is_not_guessed_at(ask):
    code, _, err = ask("audit", "data.csv", "--frobnicate")
    assert (code, "No such option: --frobnicate." in err, "Did you mean" in err) == (2, True, False)


def test_the_program_itself_refuses_a_folder_that_is_not_there(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text(ROWS)
    code, out, err = run_apart("audit", data, "--report", tmp_path / "no" / "r.html")
    assert (code, out) == (2, "")
    assert "cannot be written: there is no folder" in err


@pytest.mark.parametrize(
    ("asked", "ending"),
    [
        (("audit", "data.csv", "--report", "divulge.toml"), ".html"),
        (("audit", "data.csv", "--report", "report.pdf"), ".html"),
        (("audit", "data.csv", "--markdown", "divulge.toml"), ".md"),
        (("audit", "data.csv", "--junit", "divulge.toml"), ".xml"),
        (("measure", "data.csv", "--keys", "age", "--csv", "divulge.toml"), ".csv"),
        (("compare", "data.csv", "data.csv", "--report", "divulge.toml"), ".html"),
    ],
    ids=lambda one: one[-2].lstrip("-") + one[-1] if isinstance(one, tuple) else one,
)
def test_a_file_of_another_kind_is_not_replaced(tmp_path, monkeypatch, capsys, asked, ending):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("age,sex\n" + "30,f\n40,m\n" * 9)
    (tmp_path / "divulge.toml").write_text("# a policy\n")
    ended, printed, said = run(monkeypatch, capsys, *asked)
    assert ended == 2
    assert printed == ""
    assert f"{asked[-1]} does not end in {ending}, which is what would be written." in said
    assert (tmp_path / "divulge.toml").read_text() == "# a policy\n"
    assert {one.name for one in tmp_path.iterdir()} == {"data.csv", "divulge.toml"}
