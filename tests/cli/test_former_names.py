"""Names that were there before 1.0 still lead to what they meant."""

import pytest
import typer

from command_line import besides_progress, run
from divulge.cli.app import app
from divulge.cli.names.former_names import (
    _COMMANDS,
    _OF_THE_SERVICE,
    _OPTIONS,
    _SILENT,
    said_of_options,
    with_options,
)

ALL = typer.main.get_command(app)


def flags(command):
    found = ALL
    for word in command.split():
        found = found.commands[word]
    return {flag for one in found.params for flag in one.opts}


@pytest.mark.parametrize("command", _OPTIONS)
def test_what_an_option_is_called_now_exists(command):
    assert set(_OPTIONS[command].values()) <= flags(command)


def test_commands_of_the_service_have_what_theirs_are_called_now():
    there = set().union(*(flags(f"release {name}") for name in ALL.commands["release"].commands))
    assert set(_OF_THE_SERVICE.values()) <= there


def test_a_name_that_a_command_still_has_means_what_it_means_there():
    assert with_options("release key", ["--name", "ann"], sorted(flags("release key"))) == ["--name", "ann"]


def test_nothing_after_two_dashes_is_taken_for_an_option():
    assert with_options("watch", ["--", "--strict"], ["--all-lines"]) == ["--", "--strict"]


@pytest.mark.parametrize(
    ("former", "now"),
    [
        (("measures",), ("guide", "measures")),
        (("measures", "itpr"), ("guide", "itpr")),
        (("mechanisms", "--json"), ("guide", "mechanisms", "--json")),
        (
            ("utility", "examples/patients.csv", "--need", "examples/need.toml"),
            ("compare", "examples/patients.csv", "--need", "examples/need.toml"),
        ),
    ],
)
def test_a_former_name_does_the_same(former, now):
    assert run(*former) == run(*now)
    assert set(_COMMANDS.values()) <= set(ALL.commands)


def commands(found, path=()):
    """All commands that do something, by what is typed to reach them."""
    if not hasattr(found, "commands"):
        return {" ".join(path): found}
    parts = (commands(one, (*path, name)) for name, one in found.commands.items())
    return {name: one for part in parts for name, one in part.items()}


def test_a_former_name_that_another_command_has_is_never_silent():
    today = {flag for name in commands(ALL) for flag in flags(name)}
    former = {name for names in (*_OPTIONS.values(), _OF_THE_SERVICE) for name in names}
    assert former - today == set(_SILENT)
    for command, names in _OPTIONS.items():
        for name, now in names.items():
            said = said_of_options(command, [name], [now])
            assert len(said) == (name not in _SILENT), (command, name)


def test_what_a_former_name_is_taken_for_is_said_beside_the_answer():
    asked = ("examples/patients.csv", "--keys", "Age", "--target", "Disease")
    code, answer, said = run("attacker", "--table", *asked)
    assert (code, answer) == run("attacker", "--file", *asked)[:2]
    assert besides_progress(said) == (
        "divulge: --table of attacker read is --file now; --table of other commands is another option.\n"
    )
