"""Help: by -h too, in sections, with summaries that are whole."""

from functools import cache

import pytest
import typer

from command_line import run
from divulge.cli.app import app
from divulge.cli.help_sections import SECTIONS, WHOLE


def commands(one, path=()):
    """Every command and group below one, with the words that lead to it."""
    for name, inside in getattr(one, "commands", {}).items():
        yield (*path, name), inside
        yield from commands(inside, (*path, name))


@cache
def helped(*path):
    return run(*path, "--help")[1]


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_summary_is_one_short_sentence_and_listed_whole(path):
    summary = COMMANDS[path].get_short_help_str(WHOLE)
    assert len(summary) < 50
    assert summary.endswith(".")
    listed = helped(*path[:-1])
    assert f"  {path[-1]} " in listed
    assert summary in listed


@pytest.mark.parametrize("path", [(), ("audit",), ("attacker",), ("release", "key")], ids=" ".join)
def test_help_is_one_letter_away(path):
    code, said, _ = run(*path, "-h")
    assert (code, said) == run(*path, "--help")[:2]
    assert code == 0


def test_options_are_listed_in_sections_by_what_they_are_about():
    _, said, _ = run("audit", "-h")
    lines = said.splitlines()
    found = [lines.index(f"{name}:") for name in SECTIONS]
    assert found == sorted(found)
    by_section = {
        name: "\n".join(lines[at:]).split("\n\n")[0] for name, at in zip(SECTIONS, found, strict=True)
    }
    for section, option in {
        "Arguments": "FILE",
        "Options": "--policy",
        "Roles": "--sensitive",
        "Output": "--records",
        "Source": "--separator",
        "Engine": "--memory",
    }.items():
        assert f"  {option} " in by_section[section]


def test_the_usage_names_arguments_as_they_are_typed():
    for path, usage in {
        "audit": "divulge audit [OPTIONS] [FILE]",
        "measure": "divulge measure [OPTIONS] FILE",
        "compare": "divulge compare [OPTIONS] ORIGINAL [RELEASED...]",
    }.items():
        assert run(path, "-h")[1].startswith(f"Usage: {usage}\n")


def test_the_file_of_records_is_said_to_hold_facts_about_people():
    assert "facts about single people" in " ".join(run("audit", "-h")[1].split())
