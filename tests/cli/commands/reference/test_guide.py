"""The guide as a user meets it."""

import json
import os
import pty
import subprocess
import sys

import pytest

from command_line import run

KNOWN = ("--domain", "table", "--hamming", "--occurrences", "single", "--case", "best")


def test_answers_as_options_name_the_measures_with_reasons():
    code, out, _ = run("guide", *KNOWN)
    assert code == 0
    assert "(k_anonymity)" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    found = json.loads(run("guide", *KNOWN, "--json")[1])
    assert found["advice"][0]["measure"] == "k_anonymity"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Answer with --domain"),
        (("--domain", "foo"), "table, communication"),
        (("--domain", "table", "--by-degrees"), "--distance-known"),
        ((*KNOWN[:-1], "middle"), "worst"),
    ],
)
def test_a_question_left_open_says_how_to_answer_it(arguments, said):
    code, out, err = run("guide", *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_on_a_terminal_the_questions_are_asked():
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from divulge.cli import main; main()", "guide", "--json"]
    child = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    os.write(ours, b"1\n1\n1\n3\n")  # a table, right or wrong, one observation, the best case
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert json.loads(out)["answers"] == {
        "domain": "table",
        "hamming": True,
        "occurrences": "single",
        "case": "best",
    }
