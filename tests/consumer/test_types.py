"""A user's type checker knows what the package gives: py.typed, overloads, typed documents."""

import re
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import get_overloads, get_type_hints

import pytest

import divulge as dv
from divulge.api import measure

CONSUMER = Path(__file__).with_name("consumer.py")
ROOT = Path(__file__).parents[2]


def test_the_package_says_that_it_is_typed():
    assert (resources.files("divulge") / "py.typed").is_file()


def test_one_name_is_a_reading_and_otherwise_there_are_several():
    one, several = get_overloads(measure)
    assert get_type_hints(one)["return"] is dv.Reading
    assert get_type_hints(several)["return"] is dv.Readings


@pytest.mark.slow
def test_a_type_checker_reads_a_users_file_as_it_says():
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-pretty", str(CONSUMER)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    said: dict[int, list[str]] = {}
    for line in checked.stdout.splitlines():
        found = re.match(r".*consumer\.py:(\d+): (?:note|error): (.*)", line)
        if found:
            said.setdefault(int(found[1]), []).append(found[2])
    expected = {
        number: line.partition("  # ")[2]
        for number, line in enumerate(CONSUMER.read_text().splitlines(), 1)
        if "  # " in line
    }
    assert said.keys() == expected.keys(), checked.stdout + checked.stderr
    for number, words in expected.items():
        told = re.sub(r"\b(?:\w+\.)+(?=\w)", "", " ".join(said[number]))
        assert words.removeprefix("error: ") in told, f"line {number}: {told}"
