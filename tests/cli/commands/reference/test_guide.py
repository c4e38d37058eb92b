"""The guide as a user meets it."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from command_line import run
from divulge.cli.app import app
from divulge.generalization.losses import LOSSES
from divulge.measures.guide_attacks import ATTACK_FITS
from divulge.measures.guide_fits import FITS
from divulge.mechanisms.guide import MECHANISM_FITS
from divulge.mechanisms.guide_scenarios import SCENARIO_FITS

ATTACK_PAGE = Path(__file__).parents[4] / "docs" / "attack-catalogue.md"
KNOWN = ("--domain", "table", "--hamming", "--occurrences", "single", "--case", "best")
MESSAGES = ("--domain", "communication", *KNOWN[2:-1], "average")


def test_answers_as_options_name_the_measures_with_reasons():
    code, out, _ = run("guide", *KNOWN)
    assert code == 0
    assert "(k_anonymity)" in out
    assert all(len(line) <= 80 for line in (out + run("guide", *MESSAGES)[1]).splitlines())
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


def test_measures_attacks_and_mechanisms_come_with_the_command_to_run():
    found = json.loads(run("guide", *KNOWN, "--json")[1])
    assert found["advice"][0]["command"] == "divulge measure FILE --keys A,B --measure k_anonymity"
    assert [one["measure"] for one in found["attacks"]] == ["attacks.journalist"]
    assert found["mechanisms"][0]["command"].startswith("divulge anonymize FILE ")
    out = run("guide", *KNOWN)[1]
    assert "  $ divulge measure FILE --keys A,B --measure k_anonymity\n" in out
    assert out.index("Measures that fit") < out.index("Attacks to try") < out.index("Mechanisms that help")


def every_command():
    advice = [
        fit.advice_in(domain, distortion)
        for fit in FITS
        for domain in fit.domains
        for distortion in fit.distortions
    ]
    advice += [one.advice for one in (*ATTACK_FITS, *MECHANISM_FITS, *SCENARIO_FITS)]
    return sorted({one.command for one in advice})


@pytest.mark.parametrize("line", every_command())
def test_a_command_of_the_guide_has_the_options_it_is_named_with(line):
    program, *words = line.split()
    assert program == "divulge"
    command = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    command = command.commands["read"] if hasattr(command, "commands") else command
    offered = {flag for one in command.params for flag in one.opts}
    assert {word for word in words if word.startswith("--")} <= offered
    required = {one.opts[0] for one in command.params if one.required and one.opts[0].startswith("--")}
    assert required <= {*words}


def test_a_name_that_is_nearly_known_leads_to_one_and_another_to_the_lists():
    assert run("guide", "itrp")[2].endswith("'itrp'. Did you mean 'itpr'?\n")
    assert run("guide", "zzzz")[2].endswith(
        "List measures and mechanisms with: divulge guide measures, divulge guide mechanisms\n"
    )


def test_words_that_outputs_use_are_explained():
    """Rows of attacks, checks, losses and classes of identifiers, as they are printed."""
    attacks = re.findall(r"^## (.+)$", ATTACK_PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(attacks) >= 13
    printed = (
        *attacks,
        "Identity, white box",
        "singled_out",
        "learned",
        *LOSSES,
        "sketchy identifier",
        "k-anonymity",
    )
    for word in printed:
        code, out, err = run("guide", word)
        assert (code, err) == (0, ""), word
        assert len(out.splitlines()) >= 3
    code, out, _ = run("guide", "singled_out", "--json")
    assert json.loads(out)["word"] == "singled out"


def test_a_question_without_a_terminal_names_what_it_takes():
    assert "Answer with --domain table or communication or location or other." in run("guide")[2]
