"""One face: the same thing has the same option, default, exit code and JSON key in every command."""

import ast
import collections
import importlib
import re
import types
import typing
from pathlib import Path

import pytest
import typer

import divulge
from command_line import run
from divulge import documents
from divulge.cli.app import app
from parsed_source import parsed

SOURCE = Path(divulge.__file__).parent
WIDE, HIGH = 80, 25  # of a terminal

#: Options that differ between commands, and why they have to.
DIFFERENT = {
    "--by": "matches records of two tables, and says what a published table is tabulated by",
    "--distortion": "places lie apart in space, where other secrets are right or wrong",
    "--policy": "tables are held to rules of their own",
    "--population": "compare and measure count people in a table of all of them; a number is not enough",
    "--port": "the service and its witness run on one machine, and a page of one person takes any port",
}
#: Python's name of what a command does, where it is not the same; none where it is for a terminal only.
IN_PYTHON = {
    "check": "audit",  # with a policy
    "estimate": "utility",
    "guide": "MEASURES",
    "init": "roles",
    "attacker": "channels",
    "release": "safe_release",
    "table": "tabulate",  # divulge.table is what a table is
    **dict.fromkeys(("query", "watch", "explore", "report", "reproduce", "demo", "doctor"), None),
}
#: Keys of documents that hold one thing here and another there, and why.
KEYS = {
    "best": "the best transformation of a search, and the best guess of a trace",
    "inputs": "a channel has so many, a mechanism that is found names them",
    "outputs": "as inputs",
    "keys": "attributes of one table, and of two where they may be called otherwise",
    "loss": "which loss a search keeps low, and how much a mechanism has",
    "original": "compared in full, or named",
    "policy": "repeated in full, or named",
    "records": "how many, of one table and of two",
    "regulators": "of one table, and of each release",
    "released": "a table's name, and how many records",
    "source": "an audit describes it, others name it",
    "values": "of an attribute, and how many there are",
}


def commands(one, path=()):
    """Every command by the words that lead to it."""
    inside = getattr(one, "commands", None)
    if inside is None:
        yield " ".join(path), one
    for name, command in (inside or {}).items():
        yield from commands(command, (*path, name))


ALL = dict(commands(typer.main.get_command(app)))


def gist(text):
    """What an option is about: its help up to the first stop, without defaults and special cases."""
    return re.split(r"[.:;](?:\s|$)", text)[0]


def options():
    """How each option is declared: metavar, default and gist, each with the commands that have it so."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for name, command in ALL.items():
        for one in command.params:
            if one.param_type_name == "option":
                for flag in one.opts:
                    found[flag][one.metavar, one.default, gist(one.help)].append(name)
    return found


def differing(found):
    """The options of which two declarations differ, with both."""
    return {flag: dict(said) for flag, said in found.items() if len(said) > 1}


def test_an_option_is_declared_alike_wherever_it_is():
    found = options()
    assert len(found) > 150
    assert {flag: said for flag, said in differing(found).items() if flag not in DIFFERENT} == {}
    assert set(DIFFERENT) <= set(differing(found)), "what no longer differs needs no reason"


def test_a_difference_would_be_seen():
    told = {
        "--seed": {("N", None, "Seed"): ["audit"], ("N", 1, "Seed"): ["link"]},
        "--k": {("N", 2, "k"): ["a"]},
    }
    assert list(differing(told)) == ["--seed"]
    assert gist("Seed of what is drawn, 0 or more. Default: 1.") == gist("Seed of what is drawn, 0 or more")


def test_two_options_that_are_about_the_same_have_the_same_name():
    names = collections.defaultdict(set)
    for flag, said in options().items():
        for _, _, about in said:
            if flag.startswith("--"):
                names[about].add(flag)
    assert {about: flags for about, flags in names.items() if len(flags) > 1} == {}


def test_a_single_letter_means_the_same_everywhere():
    assert {flag for flag in options() if not flag.startswith("--")} == {"-q", "-v"}


def test_help_fits_a_screen_and_has_every_command_once():
    _, said, _ = run("--help")
    lines = said.splitlines()
    assert len(lines) <= HIGH
    assert max(map(len, lines)) <= WIDE
    group = typer.main.get_command(app)
    wanted = [name for names in group.wanted.values() for name in names]
    assert sorted(wanted) == sorted(group.commands)
    assert list(group.wanted) == ["Look", "Decide", "Change", "Attack", "Release", "Reference"]


def test_what_a_command_does_has_the_same_name_in_python():
    names = {path.split()[0] for path in ALL}
    assert set(IN_PYTHON) <= names
    for name in names:
        home = IN_PYTHON.get(name, name)
        assert home is None or home in divulge.__all__, f"divulge {name} is nowhere in Python"
        assert name not in IN_PYTHON or name not in divulge.__all__, f"{name} needs no other name"


def literal_codes(tree):
    """Exits by a number that is written where it is used."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    exits = [node for node in calls if ast.unparse(node.func) in ("typer.Exit", "SystemExit", "sys.exit")]
    return [node.lineno for node in exits if any(isinstance(one, ast.Constant) for one in node.args)]


def test_exit_codes_are_said_in_one_place():
    found = {path.name: literal_codes(parsed(path)) for path in (SOURCE / "cli").rglob("*.py")}
    assert {name: lines for name, lines in found.items() if lines} == {}
    assert literal_codes(ast.parse("raise typer.Exit(1)")) == [1]


@pytest.mark.parametrize("name", [name for name in ALL if "Exit codes:" in (ALL[name].help or "")])
def test_exit_codes_mean_the_same_everywhere(name):
    said = " ".join(ALL[name].help.split()).partition("Exit codes:")[2]
    meant = {
        "0": r"passed|found|works|not changed|answered|can be asked",
        "1": "fail|not all passed|changed|refused|one cannot",
        "2": "cannot|nothing meets",
    }
    meant |= {"3": "could not be", "130": "stopped"}
    for code, words in re.findall(r"\b(\d+) ([^,.]+)", said):
        assert re.search(meant[code], words), f"{name}: {code} {words}"


def form(kind):
    """The broad form of a value in JSON: null aside, and a hidden count is a number too."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        forms = {form(one) for one in typing.get_args(kind)} - {"null"}
        return "number" if forms == {"number", "text"} else "/".join(sorted(forms))
    origin = typing.get_origin(kind) or kind
    if origin is typing.Literal:
        return form(type(typing.get_args(kind)[0]))
    names = {bool: "truth", int: "number", float: "number", str: "text", list: "list", type(None): "null"}
    return names.get(origin, "object")


def test_a_key_of_a_document_holds_the_same_kind_of_thing_in_all():
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for kind, (module, name) in documents.DOCUMENTS.items():
        described = getattr(importlib.import_module(f"divulge.documents.{module}"), name)
        for key, type_ in typing.get_type_hints(described).items():
            found[key][form(type_)].append(kind)
    several = {key: dict(forms) for key, forms in found.items() if len(forms) > 1}
    assert {key: forms for key, forms in several.items() if key not in KEYS} == {}
    assert set(KEYS) == set(several), "what no longer differs needs no reason"


#: Modules that name options of other programs, or of none.
OTHERS = {"suggestions.py", "former_names.py", "cuda_source.py", "backups.py", "places.py", "draw.py"}


def test_an_option_that_a_sentence_or_a_page_names_is_there():
    known = {
        flag for one in ALL.values() for given in one.params for flag in (*given.opts, *given.secondary_opts)
    }
    known |= {"--help", "--version", "--install-completion", "--show-completion"}
    named = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]\b")
    pages = [
        SOURCE.parents[1] / "README.md",
        *(path for path in SOURCE.rglob("*.py") if path.name not in OTHERS),
    ]
    found = {(path.name, flag) for path in pages for flag in named.findall(path.read_text("utf-8"))}
    assert len(found) > 300
    assert {one for one in found if one[1] not in known} == set()
