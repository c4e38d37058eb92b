"""Every command that reads a table offers every option of a table, and each of them arrives."""

import importlib
import json
import re
import sqlite3
from pathlib import Path
from typing import get_type_hints

import pytest
import typer

from command_line import run
from divulge.cli.app import app
from divulge.cli.parameters import left_out
from divulge.engines.opening import open_source
from divulge.engines.out_of_core.budget import parsed
from divulge.errors import SourceError
from divulge.explore.http import server
from divulge.policy import Policy
from divulge.source.options import OPTIONS, SourceOptions

ROOT = Path(__file__).parents[2]
NO_TABLE = {
    *("demo", "doctor", "guide", "report", "reproduce"),
    *(f"attacker {name}" for name in ("system", "trace", "typical", "epsilon")),
    *(f"attacker {name}" for name in ("crowds", "mix", "degrees", "location")),
    *(f"release {name}" for name in ("key", "serve", "witness", "request", "status", "verify")),
    *(f"release {name}" for name in ("export", "backup", "migrate", "reconcile")),
    *(f"release {name}" for name in ("policies", "propose", "approve")),
    *(f"release {name}" for name in ("signer", "rotate-key")),
    *(f"query {name}" for name in ("init", "ask", "serve", "status")),
}
VALUES = {"weights", "missing", "missing_values", "suppressed"}
LEFT_OUT = {
    "audit": set(),
    "check": VALUES,  # the policy says what values mean
    "watch": {*VALUES, "anatomy", "layout", "labels", "engine", "master", "memory"},  # as lines arrive
    "init": {"anatomy"},
    "measure": set(),
    "uniqueness": {"anatomy"},  # by the first table alone
    "estimate": set(),
    "link": {"table", "anatomy"},
    "compare": {"table", "anatomy"},  # several tables
    "anonymize": {"anatomy"},
    "table": {"anatomy"},
    "explore": {"anatomy", "weights"},  # a policy names weights
    "transform": {"anatomy", "weights", "missing"},  # the recipe says what weighs, and what is left out
    # few people are hidden by counting records
    "attacker read": {"anatomy", "weights"},
    "attacker optimize": {"anatomy", "weights"},
    "release simulate": {"anatomy", "weights", "suppressed"},  # records leave one at a time, as they are
    "release check": {"table", "anatomy", "weights", "suppressed"},  # two tables
    "release init": {"anatomy", "weights", "suppressed"},
    "release update": {"anatomy", "weights", "suppressed"},
}


def commands():
    """The commands by their names, without the groups that hold some."""
    found, held = {}, [("", typer.main.get_command(app))]
    while held:
        path, one = held.pop()
        inside = getattr(one, "commands", None)
        if inside is None:
            found[path] = one
        else:
            held += [(f"{path} {name}".strip(), child) for name, child in inside.items()]
    return found


COMMANDS = commands()


def test_it_is_known_of_every_command_whether_it_reads_a_table():
    assert COMMANDS.keys() == LEFT_OUT.keys() | NO_TABLE


@pytest.mark.parametrize("command", COMMANDS)
def test_what_answers_a_command_takes_its_request(command):
    module, _, function = COMMANDS[command].callback.where.rpartition(".")
    answers = getattr(importlib.import_module(f"divulge.cli.commands.{module}"), function)
    assert get_type_hints(answers) == {"asked": COMMANDS[command].callback.request, "return": type(None)}


@pytest.mark.parametrize("command", LEFT_OUT)
def test_a_command_offers_every_option_of_a_table_or_says_why_not(command):
    reasons = left_out(COMMANDS[command].callback.request)
    assert reasons.keys() == LEFT_OUT[command]
    offered = {flag: one for one in COMMANDS[command].params for flag in one.opts}
    for name, option in OPTIONS.items():
        if name not in reasons:
            assert offered[option.flag].help == option.help
            assert offered[option.flag].metavar == option.metavar
    for name, reason in reasons.items():
        assert reason
        code, _, err = run(*command.split(), OPTIONS[name].flag, "x")
        assert code == 2
        assert f"No such option: {OPTIONS[name].flag}. {reason}" in " ".join(err.split())


def test_the_pages_explain_every_option_and_what_commands_leave_out():
    policy, sources = ((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("policy", "sources"))
    assert set(re.findall(r"`(\w+)`", policy)) >= OPTIONS.keys()
    assert set(re.findall(r"`(--[\w-]+)`", sources)) >= {option.flag for option in OPTIONS.values()}
    exceptions = sources.partition("A few commands leave some out:")[2].partition("##")[0]
    said = [re.findall(r"`([^`]+)`", line) for line in exceptions.split("\n- ")]
    for command in (name for name, options in LEFT_OUT.items() if options):
        [line] = [line for line in said if command.removesuffix(" read") in line]
        flags = {OPTIONS[name].flag for name in LEFT_OUT[command]}
        assert flags & set(line)
        assert set(line) & {option.flag for option in OPTIONS.values()} <= flags


# -- each arrives -----------------------------------------------------------------------------------

SAID = {
    "table": "people",
    "separator": "~",
    "quote": "$",
    "encoding": "cp1251",
    "no_header": True,
    "names": ("id", "a,b"),
    "skip": 3,
    "comment": "#",
    "layout": "people.rda",
    "labels": "ignore",
    "anatomy": "sensitive.csv",
    "engine": "spark",
    "master": "local[7]",
    "memory": "600MB",
    "weights": "w",
    "missing": "drop",
    "missing_values": ("?", "none"),
    "suppressed": "-",
}
PEOPLE = [
    *[("20s", "грипп", "1"), ("20s", "грипп", "1"), ("20s", "катар", "2"), ("30s", "катар", "1")] * 3,
    *[("30s", "", "1"), ("*", "грипп", "1"), ("40s", "грипп", "3"), ("40s", "катар", "1")],
]
POLICY = """
[data]
source = "people.csv"
missing = "drop"
missing_values = ["?"]
suppressed = "-"
weights = "w"
[attributes]
age = "quasi-identifier"
ill = "sensitive"
[thresholds]
k_anonymity = { min = 2 }
"""
RECIPE = 'seed = 1\n[[step]]\nmechanism = "rounding"\nattributes = ["w"]\nbase = 2\n'
NEED = '[cure]\ntarget = "ill"\nkeys = ["age"]\n'
ODD = ["--separator", "~", "--quote", "$", "--encoding", "cp1251"]
VALUED = ["--missing", "drop", "--missing-value", "?"]
MARKED = [*VALUED, "--suppressed", "-"]
READ = {
    "audit": ["audit", "people.csv", "--quasi-identifiers", "age", "--sensitive", "ill"],
    "check": ["check", "people.csv", "--policy", "policy.toml"],
    "init": ["init", "people.csv", "--overwrite"],
    "measure": ["measure", "people.csv", "--keys", "age", "--target", "ill"],
    "compare": ["compare", "people.csv", "people.csv", "--quasi-identifiers", "age", "--sensitive", "ill"],
    "uniqueness": ["uniqueness", "people.csv", "--keys", "age,ill"],
    "link": ["link", "people.csv", "people.csv", "--by", "id", "--keys", "age,ill"],
    "estimate": ["estimate", "people.csv", "--where", "ill = грипп"],
    "anonymize": ["anonymize", "people.csv", "--quasi-identifiers", "age", "--k", "2", "--seed", "1"],
    "table": ["table", "people.csv", "--by", "age,ill"],
    "transform": [
        "transform",
        "people.csv",
        "--recipe",
        "recipe.toml",
        "--out",
        "released.csv",
        "--overwrite",
    ],
    "attacker read": ["attacker", "--file", "people.csv", "--keys", "age", "--target", "ill"],
    "attacker optimize": ["attacker", "optimize", "--file", "people.csv", "--attribute", "ill"],
    "release simulate": ["release", "simulate", "people.csv", "--x", "age", "--y", "ill", "--runs", "2"],
    "release check": ["release", "check", "people.csv", "people.csv", "--x", "age", "--y", "ill"],
    "release init": ["release", "init", "d.db", "people.csv", "--dataset", "n", "--id", "id", "--x", "age"],
    "release update": ["release", "update", "d.db", "people.csv", "--dataset", "n"],
}
READ["explore"] = ["explore", "people.csv", "--quasi-identifiers", "age", "--no-browser"]
READ["release init"] += ["--y", "ill", "--samples", "1000"]
READ["release simulate"] += ["--samples", "1000"]
READ["release check"] += ["--samples", "1000"]
READ["attacker optimize"] += ["--budget", "0.2"]
JSON = {
    name: ["--json"] for name in READ if name not in ("init", "explore", "release init", "release update")
}
WEIGHED = {name: ["--weights", "w"] for name, left in LEFT_OUT.items() if "weights" not in left}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the same people in a plain file and, in another folder, in an odd one."""
    for folder in ("plain", "odd"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "need.toml").write_text(NEED)
        (tmp_path / folder / "recipe.toml").write_text(RECIPE)
    rows = [("id", "age", "ill", "w"), *((f"p{n}", *row) for n, row in enumerate(PEOPLE))]
    (tmp_path / "plain" / "people.csv").write_text("\n".join(map(",".join, rows)) + "\n", "utf-8")
    marks = {"": "?", "*": "-"}
    odd = [[f"${marks.get(value, value)}$" for value in row] for row in rows]
    (tmp_path / "odd" / "people.csv").write_text("\n".join(map("~".join, odd)) + "\n", "cp1251")
    (tmp_path / "plain" / "policy.toml").write_text(POLICY.replace('"?"', '"unused"').replace('"-"', '"*"'))
    (tmp_path / "odd" / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path / "odd")
    # What the page would be told, in place of a page that would be there until somebody closes it.
    monkeypatch.setattr(server, "explore", lambda explorer, **_: print(json.dumps(explorer.now()["figures"])))
    return tmp_path


class Stop(SourceError):
    """Enough was seen."""


@pytest.mark.parametrize("command", sorted(LEFT_OUT.keys() - {"release update", "watch"}))
def test_each_option_arrives_where_the_table_is_opened(command, place, monkeypatch):
    heard = {}

    def opened(data, options=None, **given):
        heard.update((SourceOptions(**given) if options is None else options).given())
        return open_source({"id": ["a"], "age": ["20s"], "ill": ["flu"], "w": [1]})

    def last(*given, **options):
        opened(*given, **options)
        raise Stop("enough")

    monkeypatch.setattr("divulge.cli.tables.open_source", opened)
    monkeypatch.setattr("divulge.policy.policy.open_source", opened)
    monkeypatch.setattr("divulge.questions.data.open_source", last)
    offered = {name: value for name, value in SAID.items() if name not in LEFT_OUT[command]}
    typed = [
        text
        for name, value in offered.items()
        for one in (value if isinstance(value, tuple) else (value,))
        for text in (
            [OPTIONS[name].flag]
            if one is True
            else [OPTIONS[name].flag, f'"{one}"' if name == "names" else one]
        )
    ]
    code, _, err = run(*READ[command], *typed)
    assert (code, err) == (2, "divulge: enough\n")
    shared = {name: parsed(SAID["memory"]) // 2 for name in ("compare", "link")}  # among its tables
    expected = {**offered, "memory": shared.get(command, SAID["memory"])}
    assert {name: heard.get(name) for name in offered} == expected


def answered(folder, command, options, monkeypatch):
    """What a command says of the table in a folder, all that tells the folder apart left out."""
    monkeypatch.chdir(folder)
    if command == "release update":
        run(*READ["release init"], *options)
    code, out, err = run(*READ[command], *options, *JSON.get(command, []))
    assert code in (0, 1), err
    if command in JSON:
        said = {name: part for name, part in json.loads(out).items() if name != "provenance"}
        said = re.sub(r'"(source|name|explicit|digest|policy)": .*', "", json.dumps(said, indent=2))
        return said.replace('"?"', "")
    if command == "explore":
        return out
    if command == "init":
        return [many for many in Policy.read("divulge.toml").open().frequencies("ill")[1].tolist() if many]
    with sqlite3.connect("d.db") as database:
        return database.execute("SELECT id, x, y, body FROM record ORDER BY id").fetchall()


@pytest.mark.parametrize("command", sorted(LEFT_OUT.keys() - {"watch"}))  # whose policy may name no weights
def test_an_odd_file_gives_the_same_answer_once_it_is_described(command, place, monkeypatch):
    said = [] if command == "check" else MARKED if "suppressed" not in LEFT_OUT[command] else VALUED
    meant = [] if "missing" in LEFT_OUT[command] else ["--missing", "drop"]
    said = said if meant else said[2:]
    weighed = WEIGHED.get(command, [])
    odd = answered(place / "odd", command, [*ODD, *said, *weighed], monkeypatch)
    plain = answered(place / "plain", command, [*meant, *weighed], monkeypatch)
    if "suppressed" in LEFT_OUT[command] and command != "check":
        odd = json.loads(json.dumps(odd).replace('\\"-\\"', '\\"*\\"'))  # a mark is a value
        plain = json.loads(json.dumps(plain))
    assert odd == plain


def test_what_init_was_told_is_in_the_policy(place):
    code, _, err = run(*READ["init"], *ODD, *MARKED, "--weights", "w", "--memory", "600MB")
    assert code == 0, err
    told = ("separator", "quote", "encoding", "memory", "weights", "missing", "suppressed")
    said = {name: SAID[name] for name in told}
    assert Policy.read("divulge.toml").data.given() == {**said, "missing_values": ("?",)}
    assert run("check", "--policy", "divulge.toml")[0] in (0, 1)


def test_a_file_without_names_is_described_to_init_and_read_by_its_policy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{20 + place % 4},{'mf'[place % 2]},{'ab'[place % 3 % 2]}" for place in range(40)]
    Path("people.csv").write_text("# a title\nof two lines\n" + "\n".join(["#note", *lines]))
    said = ["--no-header", "--names", "age,sex,illness", "--skip", "2", "--comment", "#"]
    code, _, err = run("init", "people.csv", *said)
    assert code == 0, err
    policy = Policy.read("divulge.toml")
    assert policy.open().source.attributes == ("age", "sex", "illness")
    assert policy.open().records == 40
    code, out, err = run("audit", "people.csv", *said, "--no-report", "--json")
    assert code == 0, err
    again = json.loads(out)["roles"]["explicit"] if "roles" in json.loads(out) else out
    assert "--no-header --names age --names sex --names illness --skip 2" in " ".join(str(again).split())


def test_the_layout_of_a_file_is_found_from_its_policy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    lines = "".join(f"{20 + place % 4}{'mf'[place % 2]}\n" for place in range(20))
    Path("data/people.asc").write_text(lines)
    Path("data/people.rda").write_text("age 1 2 99\nsex 3 1\n")
    code, _, err = run("init", "data/people.asc", "--layout", "data/people.rda")
    assert code == 0, err
    monkeypatch.chdir(tmp_path / "data")
    assert Policy.read("../divulge.toml").open().records == 20


def test_weights_and_partitions_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age,ill,w\n20,flu,2\n35,flu,1\n36,cold,1\n")
    Path("need.toml").write_text(
        '[cure]\ntarget = "ill"\nkeys = ["age"]\npartitions = { age = { bins = [30] } }\n'
    )
    Path("groups.toml").write_text("[age]\nbins = [30]\n")
    _, out, _ = run("compare", "t.csv", "--need", "need.toml", "--weights", "w", "--json")
    assert json.loads(out)["tables"][0]["needs"][0]["utility"] == pytest.approx(1 - 0.5 / 0.8112781244591328)
    table = ["attacker", "--file", "t.csv", "--keys", "age", "--target", "ill"]
    _, out, _ = run(*table, "--json")
    assert json.loads(out)["privacy"]["average"] == pytest.approx(0)
    _, out, _ = run(*table, "--partitions", "groups.toml", "--json")
    assert json.loads(out)["privacy"] == pytest.approx(
        {"prior": 1 / 3, "worst": 0, "average": 1 / 3, "best": 1 / 2, "reduction": 0}
    )


def test_nothing_can_be_said_of_a_table_beside_a_channel(tmp_path):
    (tmp_path / "c.csv").write_text("x,a,b\ns,0.5,0.5\nt,0.1,0.9\n")
    code, _, err = run("attacker", tmp_path / "c.csv", "--separator", ";", "--keys", "a")
    assert code == 2
    both = "--keys, --separator"
    said = f"{both} cannot be given for a channel. Give --file FILE, or leave out {both}."
    assert err == f"divulge: {said}\n"


def test_a_word_for_a_number_is_refused_in_plain_words():
    code, _, err = run("anonymize", "people.csv", "--k", "three")
    assert code == 2
    assert "Invalid value for '--k': this is a whole number, such as 5." in " ".join(err.split())
