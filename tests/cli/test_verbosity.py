"""Quiet and verbose: what a command says beside its result."""

from pathlib import Path

import pytest

from command_line import besides_progress, run
from divulge.cli import progress, verbosity
from divulge.cli.progress import Progress

MEASURE = ("measure", "people.csv", "--keys", "age", "--measure", "k_anonymity")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,ill\n20,flu\n20,cold\n30,flu\n")


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_quietly_nothing_is_printed_but_files_are_written_and_the_exit_code_stays(flag):
    code, out, err = run(*MEASURE, flag, "--csv", "out.csv")
    assert (code, out, err) == (0, "", "")
    assert Path("out.csv").read_text().splitlines()[1].startswith("k_anonymity,k_anonymity,1")


def test_quietly_what_was_asked_for_is_printed_and_errors_are():
    assert run(*MEASURE, "-q", "--csv", "-")[1].startswith("reading,measure,value,")
    assert '"divulge readings"' in run(*MEASURE, "-q", "--json")[1]
    code, out, err = run("measure", "people.csv", "--keys", "zip", "-q")
    assert (code, out) == (2, "")
    assert err.startswith("divulge: No attribute 'zip'")


def test_quietly_no_progress_is_shown(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with verbosity.speaking(quiet=True, verbose=False, printed=False), progress.progress("Counting"):
        pass
    assert capsys.readouterr().err == ""


def test_verbosely_it_is_said_what_was_read_what_counts_it_and_how_long_stages_took():
    code, out, err = run(*MEASURE, "-v")
    assert code == 0
    assert out == run(*MEASURE)[1]
    opened, *stages = besides_progress(err).splitlines()
    assert opened == "Opened people.csv: 3 records, 2 attributes; engine: memory"
    assert [line.split(":")[0] for line in stages] == ["Counting"]


def test_each_stage_is_told_once_it_ended():
    times, told = iter([0.0, 2.0, 2.0, 5.0]), []
    stage = Progress("Reading", lambda: next(times), lambda *ended: told.append(ended))
    stage("Counting")
    stage.end()
    assert told == [("Reading", 2.0), ("Counting", 3.0)]


def test_both_contradict_each_other():
    code, _, err = run(*MEASURE, "-q", "-v")
    assert code == 2
    assert "--quiet and --verbose contradict each other" in err
