"""The doctor tells what is here, tests each engine, and fails only where one does not do what it should."""

import json
import os
import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from array_modules import counted_by
from divulge._compiled import library
from divulge.cli.app import app
from divulge.cli.commands import doctor, self_tests
from divulge.cli.commands.self_tests import ENGINES, SelfTest, SelfTestReading
from divulge.engines.gpu import arrays
from divulge.engines.memory import sparse
from divulge.engines.opening import open_source
from divulge.errors import SourceError

pytest_plugins = ["spark_session"]

RIGHT = SelfTestReading(0.5, 2, 2)


def asked(*arguments):
    result = CliRunner().invoke(app, ["doctor", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


def engine(name="tested", parts=("NumPy",), answer=lambda folder: RIGHT):
    return SelfTest(name, parts, answer)


@pytest.fixture
def engines(monkeypatch):
    """Sets the engines that the doctor knows."""

    def known(*engines):
        monkeypatch.setattr(doctor, "ENGINES", engines)

    return known


@pytest.fixture
def without(monkeypatch):
    """Takes packages away, as far as the doctor can see."""
    there = doctor.version

    def gone(*names):
        def version(package):
            if package in names:
                raise PackageNotFoundError(package)
            return there(package)

        monkeypatch.setattr(doctor, "version", version)

    return gone


@pytest.fixture
def java(monkeypatch, tmp_path):
    """Puts a Java into JAVA_HOME that says what it is told to say."""

    def saying(text):
        command = tmp_path / "bin" / "java"
        command.parent.mkdir()
        command.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{text}\nEND\n")
        command.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    return saying


# -- self-tests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tested", ENGINES[:3], ids=lambda engine: engine.name)
def test_an_engine_reads_what_is_right_by_hand(tested):
    assert tested.test().wrong is None


@pytest.mark.slow
def test_spark_reads_what_is_right_by_hand_and_a_session_of_others_goes_on(spark):
    assert ENGINES[3].test().wrong is None
    assert spark.range(3).count() == 3


@pytest.mark.parametrize("fails", [False, True])
def test_a_spark_that_was_started_for_the_test_is_stopped(monkeypatch, fails):
    stopped = []

    class SparkContext:
        _active_spark_context = None

        def stop(self):
            stopped.append(self)

    def open_spark(path, master):
        assert master == "local[1]"
        SparkContext._active_spark_context = SparkContext()
        if fails:
            raise SourceError("It is broken.")
        return open_source(path)

    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace(SparkContext=SparkContext))
    monkeypatch.setattr("divulge.engines.spark.opening.open_spark", open_spark)
    assert ENGINES[3].test().wrong == ("It is broken." if fails else None)
    assert len(stopped) == 1


def test_kernels_count_in_the_local_test(monkeypatch):
    tallied, tally = [], sparse.tally

    def watched(*given, **options):
        tallied.append(given)
        return tally(*given, **options)

    monkeypatch.setattr(sparse, "tally", watched)
    assert ENGINES[0].test().wrong is None
    assert tallied


def test_the_out_of_core_test_fails_where_records_are_held_in_memory(monkeypatch):
    monkeypatch.setattr(self_tests, "RECORDS", 1 << 17)
    wrong = ENGINES[1].test().wrong
    assert wrong == "131072 records were in memory; they should stay on disk."


def test_an_answer_is_right_to_twelve_digits():
    assert SelfTestReading(0.5 + 1e-13, 2, 2).wrong is None
    assert "correct are 0.5 and 2" in SelfTestReading(0.5 + 1e-11, 2, 2).wrong
    assert "k = 3; correct" in SelfTestReading(0.5, 3, 2).wrong


def test_nothing_is_left_of_a_test():
    seen = []

    def answer(folder):
        (folder / "some").write_text("thing")
        seen.append(folder)
        raise ValueError("secret")

    assert engine(answer=answer).test().wrong == "ValueError was raised."
    assert not seen[0].exists()


# -- the command -----------------------------------------------------------------------------------


def test_all_engines_that_work_are_healthy(engines):
    engines(engine("one"), engine("two"))
    code, text = asked()
    assert code == 0
    assert "one     works" in text
    assert "with known results" in text


def test_a_failing_self_test_is_told_and_fails(engines):
    def answer(folder):
        raise SourceError("The disk is full.", hint="Make room.")

    engines(
        engine("one"),
        engine("two", answer=answer),
        engine("three", answer=lambda folder: SelfTestReading(0.4, 2, 2)),
    )
    code, text = asked()
    assert code == 1
    assert "two: The disk is full. Make room." in text
    assert "gives a discrimination rate of 0.4 and k = 2" in " ".join(text.split())
    assert "Do not use here: two; three." in text


def test_an_optional_part_that_is_missing_is_no_failure(engines, without):
    without("sqlalchemy")
    engines(engine("one"), engine("database", ("SQLAlchemy", "SQLite"), answer=None))
    code, text = asked()
    assert code == 0
    assert "SQLAlchemy  not installed (pip install 'divulge[database]')" in text
    assert "database: It needs SQLAlchemy (pip install 'divulge[database]')." in text
    assert "Where divulge is a checkout, write '.[NAME]' in place of 'divulge[NAME]'." in " ".join(
        text.split()
    )


def test_a_part_that_always_comes_is_a_failure_if_it_is_missing(engines, without):
    without("duckdb")
    engines(engine("local", ("DuckDB",), answer=None))
    code, text = asked()
    assert code == 1
    assert "It needs DuckDB (pip install divulge)." in text


def test_quick_leaves_out_what_java_starts(engines, java):
    java('openjdk version "21.0.1" 2023-10-17')
    engines(engine("spark", ("Java",), answer=None))
    code, text = asked("--quick")
    assert code == 0
    assert "left out" in text


def test_the_document_holds_all_that_is_told(engines):
    engines(engine("one"), engine("two", answer=lambda folder: SelfTestReading(0.5, 1, 2)))
    code, text = asked("--json")
    found = json.loads(text)
    assert code == 1
    assert found["document"] == "divulge doctor"
    assert found["healthy"] is False
    assert found["machine"].keys() == {
        "cores",
        "memory",
        "memory_available",
        "temporary_folder",
        "disk_free",
    }
    assert [part["name"] for part in found["parts"]] == [
        *doctor.PACKAGES,
        *("loops in C", "SQLite", "Java", "GPU"),
    ]
    assert [one["outcome"] for one in found["engines"]] == ["works", "fails"]
    assert found["engines"][0]["seconds"] >= 0


def test_without_compiled_loops_it_says_that_all_is_slower_and_how_to_get_them(engines, monkeypatch):
    engines(engine())
    assert "loops in C  built" in asked()[1]
    monkeypatch.setattr(library, "built", lambda: False)
    code, text = asked()
    assert code == 0
    assert "loops in C  not installed (a C compiler, then reinstall divulge)" in text
    assert "the same numbers, more slowly" in " ".join(text.split())


def test_a_page_fits_a_terminal(engines, java):
    java('openjdk version "17.0.15" 2025-04-15')
    engines(*(engine(one.name, one.parts) for one in ENGINES))
    assert max(map(len, asked()[1].splitlines())) <= 80


def test_a_page_of_what_is_missing_fits_too(engines, without, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    without(*(package for package, _ in doctor.PACKAGES.values()))
    engines(*ENGINES)
    code, text = asked()
    assert code == 1
    assert max(map(len, text.splitlines())) <= 80


# -- a graphics card -------------------------------------------------------------------------------


def test_a_card_is_told_with_its_memory(monkeypatch):
    monkeypatch.setattr(arrays, "found_card", lambda: arrays.Card("NVIDIA H200", 150 * 10**9, "14.2.0"))
    assert doctor.card() == doctor.Part("GPU", "NVIDIA H200, 150.0 GB, CuPy 14.2.0")


def test_what_a_card_takes_is_told_and_is_no_failure(engines, monkeypatch):
    def none():
        raise arrays.CardProblem("There is none.", "an NVIDIA card and its driver", hint="Get one.")

    monkeypatch.setattr(arrays, "found_card", none)
    engines(ENGINES[4])
    code, text = asked()
    assert code == 0
    assert "GPU         not installed (an NVIDIA card and its driver)" in text
    assert "gpu: It needs GPU (an NVIDIA card and its driver)." in text


def test_the_engine_for_cards_reads_what_is_right_by_hand():
    with counted_by(np):
        assert ENGINES[4].test().wrong is None


# -- Java ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "version"),
    [('openjdk version "17.0.15" 2025-04-15', "17.0.15"), ('java version "21" 2023-09-19 LTS', "21")],
)
def test_the_version_of_java_is_what_it_says(java, said, version):
    java(said)
    assert doctor.java() == doctor.Part("Java", version)


@pytest.mark.parametrize("said", ['openjdk version "11.0.2" 2019-01-15', 'java version "1.8.0_292"'])
def test_an_old_java_is_told_with_what_is_needed(java, said):
    java(said)
    assert doctor.java().version == said.split('"')[1]
    assert doctor.java().get == "17 or newer; on Debian: apt install default-jre-headless"


def test_of_what_java_says_nothing_but_the_version_is_told(java, engines):
    java('Picked up JAVA_TOOL_OPTIONS: -Dpassword=hunter2\nopenjdk version "17.0.1" 2021-10-19')
    engines()
    assert "hunter2" not in asked()[1] + asked("--json")[1]
    assert doctor.java().version == "17.0.1"


def test_a_java_home_without_java_is_told(monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert doctor.java() == doctor.Part("Java", None, "17 or newer; JAVA_HOME points to no Java")


def test_no_java_is_told_with_how_to_get_it(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert doctor.java().get == "17 or newer; on Debian: apt install default-jre-headless"


# -- memory ----------------------------------------------------------------------------------------


@pytest.fixture
def meminfo(tmp_path):
    path = tmp_path / "meminfo"
    path.write_text("MemTotal:        8000 kB\nMemFree:          100 kB\nMemAvailable:    6000 kB\n")
    return path


def test_memory_is_what_the_system_says(meminfo, tmp_path):
    assert doctor.memory(meminfo, tmp_path) == (8000 * 1024, 6000 * 1024)


def test_a_container_may_have_less_and_files_it_keeps_can_be_dropped(meminfo, tmp_path):
    (tmp_path / "memory.max").write_text("4000000\n")
    (tmp_path / "memory.current").write_text("3000000\n")
    (tmp_path / "memory.stat").write_text("anon 100\ninactive_file 500000\n")
    assert doctor.memory(meminfo, tmp_path) == (4_000_000, 1_500_000)


def test_a_container_without_a_limit_has_what_the_system_has(meminfo, tmp_path):
    (tmp_path / "memory.max").write_text("max\n")
    assert doctor.memory(meminfo, tmp_path) == (8000 * 1024, 6000 * 1024)


@pytest.mark.skipif("SC_PHYS_PAGES" not in os.sysconf_names, reason="the system does not tell its memory")
def test_without_such_files_the_memory_in_use_is_not_known(tmp_path):
    total, available = doctor.memory(tmp_path / "none", tmp_path)
    assert total > 0
    assert available is None
