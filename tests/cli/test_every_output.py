"""No command says 1 to 4 of people, nor all but so many, nor their share: every number is looked at."""

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import divulge
from divulge._support.small_counts import PEOPLE
from in_process import run
from parsed_source import parsed
from planted import COUNTED, PEOPLE_OF, leaks, planted, shares, shares_in_words

SOURCE = Path(divulge.__file__).parent
KEYS = ("--quasi-identifiers", "zip,sex", "--sensitive", "disease")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("planted")
    lines = [",".join(row) for row in planted()]
    (found / "data.csv").write_text("\n".join(["zip,sex,disease", *lines]) + "\n")
    named = [f"p{place:03},{line}" for place, line in enumerate(lines)]
    (found / "ids.csv").write_text("\n".join(["id,zip,sex,disease", *named]) + "\n")
    shorter = [",".join((row[0][:1], *row[1:])) for row in planted()]
    (found / "released.csv").write_text("\n".join(["zip,sex,disease", *shorter]) + "\n")
    changed = [row.replace("cough", "gout") if place in (2, 5, 8) else row for place, row in enumerate(named)]
    (found / "changed.csv").write_text("\n".join(["id,zip,sex,disease", *changed]) + "\n")
    assert (len(lines), len({*changed} - {*named})) == (PEOPLE_OF, 3)
    (found / "everyone.csv").write_text("\n".join(["zip,sex,disease", *lines * 3, *lines[:9]]) + "\n")
    (found / "figures.toml").write_text(
        "[population]\nfraction = 0.1\n"
        '[attributes]\nzip = "quasi-identifier"\nsex = "quasi-identifier"\ndisease = "sensitive"\n'
        "[thresholds]\npopulation_unique = { max = 0 }\nmatch_chance = { max = 0.05 }\n"
        "expected_reidentifications = { max = 1 }\ndis_suda = { max = 0.05 }\n"
    )
    (found / "need.toml").write_text('[care]\ntarget = "disease"\nkeys = ["zip"]\n')
    times = Counter(row[2] for row in planted())
    few = next(disease for disease, people in times.items() if people < 5)
    groups = [f"{disease},{'other' if disease == few else disease}" for disease in times]
    (found / "groups.csv").write_text("\n".join(groups) + "\n")
    (found / "recipe.toml").write_text(
        'seed = 20170\n[[step]]\nmechanism = "recode"\nattributes = ["disease"]\nlevel = 1\n'
        'hierarchy = "groups.csv"\n'
    )
    (found / "policy.toml").write_text(
        '[attributes]\nzip = "quasi-identifier"\nsex = "quasi-identifier"\ndisease = "sensitive"\n'
        "[thresholds]\nk_anonymity = { min = 5 }\ndistinct_l_diversity = { min = 2 }\n"
        "uniqueness = { max = 0 }\n"
    )
    return found


@pytest.fixture
def ask(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


SIMULATE = ("release", "simulate", "data.csv", "--runs", "2", "--samples", "200")
DOCUMENTS = {
    "audit": ("audit", "data.csv", *KEYS),
    "check": ("check", "data.csv", "--policy", "policy.toml"),
    "measure": ("measure", "data.csv", "--keys", "zip,sex", "--target", "disease", "--by-value"),
    "measure records": ("measure", "data.csv", "--keys", "zip,sex", "--by-value"),
    "measure a sample": (
        *("measure", "data.csv", "--keys", "zip,sex", "--target", "disease"),
        *("--interval", "0.9", "--population", "data.csv"),
    ),
    "audit with values": ("audit", "data.csv", *KEYS, "--show-values"),
    "audit of a sample": ("audit", "data.csv", *KEYS, "--population", "2710", "--show-values"),
    "audit of a known population": ("audit", "data.csv", *KEYS, "--population", "everyone.csv"),
    "check figures": ("check", "data.csv", "--policy", "figures.toml"),
    "compare": ("compare", "data.csv", "released.csv", *KEYS),
    "compare by id": ("compare", "ids.csv", "ids.csv", "--by", "id", *KEYS),
    "compare few changed": ("compare", "ids.csv", "changed.csv", "--by", "id", *KEYS, "--show-values"),
    "uniqueness": ("uniqueness", "data.csv", "--keys", "zip,sex", "--special", "--fraction", "0.1"),
    "uniqueness known": ("uniqueness", "data.csv", "--keys", "zip,sex", "--population", "everyone.csv"),
    "utility": ("compare", "data.csv", "--need", "need.toml", "--show-values"),
    "attacker": ("attacker", "read", "--file", "data.csv", "--keys", "zip,sex", "--target", "disease"),
    "optimize": ("attacker", "optimize", "--file", "data.csv", "--attribute", "disease", "--budget", "0.2"),
    "anonymize": ("anonymize", "data.csv", *KEYS, "--k", "5", "--suppress", "5%"),
    "transform": ("transform", "data.csv", "--recipe", "recipe.toml", "--out", "made.csv", "--overwrite"),
    "table": ("table", "data.csv", "--by", "zip,disease"),
    "simulate": (*SIMULATE, "--x", "sex", "--y", "disease", "--test", "kld"),
    "release check": (
        *("release", "check", "data.csv", "data.csv", "--samples", "200"),
        *("--x", "sex", "--y", "disease", "--test", "mis,kld,seq"),
    ),
}


@pytest.mark.parametrize("command", DOCUMENTS)
def test_no_document_says_how_few(command, ask):
    _, out, err = ask(*DOCUMENTS[command], "--json")
    assert list(leaks(json.loads(out))) == []
    assert list(shares(json.loads(out))) == []
    assert not COUNTED.findall(err)


def test_no_text_of_the_simulation_says_how_few(ask):
    _, out, _ = ask(*DOCUMENTS["simulate"])
    figures = [line.split()[2:] for line in out.splitlines() if line.startswith("target")]
    assert not [line for line in figures if set(line) & set("1234")]
    assert ["<5", "–", "–", "–", "–", "–"] in figures


def test_no_policy_that_is_drafted_says_how_few(ask, folder):
    _, out, err = ask("init", "data.csv", "--out", "new.toml", "--overwrite")
    assert not COUNTED.findall(out + err + (folder / "new.toml").read_text())


def test_a_leak_would_be_seen():
    told = {"found": 1, "checks": [{"ill": 4, "k": 1}], "rest": 267, "share": 0.5}
    told["said"] = ["Fewer than 5 people are alone.", "3 people are alone.", "268 of 271 people", "9 of 269"]
    assert list(leaks(told)) == [
        ("checks.ill", 4),
        ("rest", 267),
        ("said", "3 people are alone."),
        ("said", "268 of 271 people"),
        ("said", "9 of 269"),
    ]


def test_a_share_of_few_would_be_seen():
    told = {"loss": [{"changed": 3 / 271}, {"changed": 0.5}], "uniqueness": 4 / 269, "right": [268 / 269]}
    told["checks"] = [{"measure": "t_closeness", "found": 266 / 269}]  # a reading, which is said
    assert [place for place, _ in shares(told)] == ["loss.changed", "uniqueness", "right"]
    assert shares_in_words("1.1% of 271, 0.996, but 4.1%, <1.9%, 10.996 and 0.012") == ["0.996", "1.1%"]


# -- lists by value ------------------------------------------------------------------------------


@pytest.fixture
def lone_rest(folder):
    """Three people apart from classes of fifty and a hundred: what those leave of all would be three."""
    rows = ["a,flu"] * 25 + ["a,cold"] * 25 + ["b,flu"] * 60 + ["b,cold"] * 40 + ["c,flu"] * 3
    (folder / "three.csv").write_text("\n".join(["zip,disease", *rows]) + "\n")
    return "three.csv"


def test_a_list_by_value_does_not_leave_the_hidden_one(ask, lone_rest):
    asked = ("measure", lone_rest, "--keys", "zip", "--target", "disease", "--by-value")
    for one in json.loads(ask(*asked, "--json")[1])["readings"]:
        if one.get("by_value"):
            told = {line["key"]["zip"]: line["records"] for line in one["by_value"]}
            assert told == {"a": "~50", "b": 100, "c": "<5"}
    assert re.search(r"^a +~50 ", ask(*asked)[1], flags=re.MULTILINE)
    assert re.search(r"^c +3 ", ask(*asked, "--exact-counts")[1], flags=re.MULTILINE)


def test_what_goes_by_the_size_of_a_class_is_not_said_where_the_size_is_not(ask, lone_rest):
    asked = (
        "measure",
        lone_rest,
        "--keys",
        "zip",
        "--measure",
        "reidentification_risk",
        "--by-value",
        "--json",
    )
    one, _ = json.loads(ask(*asked)[1])["readings"]  # highest and average
    assert {line["key"]["zip"]: line["value"] for line in one["by_value"]} == {
        "a": None,
        "b": 0.01,
        "c": None,
    }
    one, _ = json.loads(ask(*asked, "--exact-counts")[1])["readings"]
    assert {line["key"]["zip"]: line["value"] for line in one["by_value"]} == {
        "a": 0.02,
        "b": 0.01,
        "c": 1 / 3,
    }


# -- the only way --------------------------------------------------------------------------------

NUMBERS = PEOPLE | {"suppressed_records", "dropped_records", "missing_records", "affected", "alone"}
AS_THEY_ARE = {"many", "number", "str", "counted", "quantity"}  # they print what they are given
# Tables whose records are all of them, which is printed: see docs/conventions.md.
TABLES = {"data", "original", "released", "release", "document", "source", "_held"}
# No count of people, or one that is hidden before: the place and what is printed there.
REASONED = {
    ("_compiled/counting.py", "columns.records"): "all records of the table",
    ("engines/external/brought_over.py", "records"): "all records of the table",
    ("engines/spark/pairs.py", "own"): "a query",
    ("attacks/counted_outcomes.py", "own"): "hidden: a text",
    ("attacks/changed_values/nearest.py", "self.people"): "everybody in the table",
    ("comparison/checks_by_truth.py", "links.people"): "everybody in the table",
    ("assessment/checks/gaps/alike_outside.py", "one.counted"): "everybody who is counted",
    ("comparison/notices.py", "people"): "a phrase about the population",
    ("report/comparison/text.py", "attack['people']"): "hidden: a text",
    ("policy/population.py", "people"): "everybody in the table",
    ("queries/controls.py", "people"): "everybody in the table",
    ("cli/commands/self_tests.py", "people"): "a made-up table",
    ("questions/data.py", "self.records"): "all records of the table",
    ("questions/data.py", "missing"): "what a missing value is",
    ("demo.py", "records"): "a made-up table",
    ("source/anatomy.py", "made.records"): "all rows of the table",
    ("cli/commands/estimate.py", "data.people"): "everybody in the table",
    ("cli/commands/estimate.py", "original.people"): "everybody in the table",
    ("engines/base.py", "records"): "all records of the table",
    ("report/comparison/markdown.py", "shown.left_out"): "releases",
    ("report/attacker/beliefs.py", "found['left_out']"): "secrets of a model",
    ("report/release/distributions.py", "found['records']"): "records released in a made-up run",
    ("report/release/page.py", "records"): "all records of the table",
    ("report/release/text.py", "left_out"): "targets",
    ("report/release/wording.py", "moment['records']"): "records outside in a made-up run",
    ("service/operations/logs.py", "missing"): "entries of a log",
    ("engines/out_of_core/sql.py", "records"): "SQL",
    ("engines/spark/table.py", "self.records"): "all records of the table",
    ("engines/spark/sql.py", "records"): "SQL",
    ("engines/spark/class_sql.py", "people"): "SQL",
    ("engines/spark/class_sql.py", "records"): "SQL",
    ("engines/spark/class_sql.py", "own"): "SQL",
    ("engines/out_of_core/table.py", "counted"): "SQL",
    ("utility/learning.py", "records"): "a made-up name",
    ("uniques/size_counts.py", "self.records"): "everybody in the table",
}


def printed_as_they_are(tree):
    """Numbers of people that stand in a text of a module without having been hidden."""
    for one in ast.walk(tree):
        if isinstance(one, ast.FormattedValue):
            value = one.value
            while isinstance(value, ast.Call) and named(value.func) in AS_THEY_ARE and value.args:
                value = value.args[0]
            whole = named(value) == "records" and named(getattr(value, "value", None)) in TABLES
            if named(value) in NUMBERS and not whole:
                yield ast.unparse(value)


def represented(tree):
    """Numbers of people that the representation of a dataclass would show."""
    for kind in ast.walk(tree):
        if isinstance(kind, ast.ClassDef) and any("dataclass" in ast.unparse(d) for d in kind.decorator_list):
            own = any(getattr(one, "name", "") == "__repr__" for one in kind.body)
            fields = [] if own else [one for one in kind.body if isinstance(one, ast.AnnAssign)]
            counts = [one for one in fields if ast.unparse(one.annotation) in ("int", "int | None")]
            for one in counts:
                if named(one.target) in PEOPLE and "repr=False" not in ast.unparse(one):
                    yield kind.name, named(one.target)


def named(value):
    """The last name of what is written: of data.records, records."""
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return value.slice.value
    return getattr(value, "attr", getattr(value, "id", None))


@pytest.fixture(scope="module")
def modules():
    """The modules in which a number of people may be printed or held."""
    word = "|".join(sorted(NUMBERS))
    may_be = re.compile(rf"\{{[^{{}}]*\b(?:{word})\b|^    (?:{word}): int", flags=re.MULTILINE)
    found = [path for path in SOURCE.rglob("*.py") if may_be.search(path.read_text())]
    return {path.relative_to(SOURCE).as_posix(): parsed(path) for path in found}


def test_numbers_of_people_are_printed_by_the_functions_that_hide_them(modules):
    found = {(path, said) for path, tree in modules.items() for said in printed_as_they_are(tree)}
    assert found - REASONED.keys() == set()


def test_a_number_that_is_printed_as_it_is_would_be_seen():
    text = """f"{people}, {many(self.suppressed)}, {str(one['unique'])}, {data.records}, {records(lone)}" """
    assert list(printed_as_they_are(ast.parse(text))) == ["people", "self.suppressed", "one['unique']"]


# All records of a table or of a query; releases; what is outside.
WHOLE = {
    "ArrowBatches",
    "Chunk",
    "Columns",
    "DatabaseTable",
    "DuckTable",
    "PeopleTable",
    "Parquet",
    "OutOfCoreTable",
    "SeveralFiles",
    "Text",
    "OutOfCoreQueries",
    "OutOfCoreClasses",
}
WHOLE |= {
    "Lattice",
    "Subsets",
    "NeedReading",
    "State",
    "SideBySide",
    "Parts",
    "Shown",
    "SparkQueries",
}


def test_representations_do_not_count_people(modules):
    found = {one for tree in modules.values() for one in represented(tree)}
    assert {one for one in found if one[0] not in WHOLE} == set()


def test_a_representation_that_counts_people_would_be_seen():
    text = "@dataclass\nclass Found:\n  people: int\n  lone: int = field(repr=False)\n  other: int = 0"
    assert list(represented(ast.parse(text))) == [("Found", "people")]
