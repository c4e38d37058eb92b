"""The papers' figures again, as the compare and utility commands print them.

``test_attacks.py`` asks the attacks themselves; here a user asks on the command line, and finds the figure
in the document that is printed. Origin and trust are those of ``test_discrimination.py``.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

import divulge as dv
from divulge.cli import app as cli

HERE = Path(__file__).parent
RECORDS = {r["id"]: r for r in json.loads((HERE / "discrimination.json").read_text(encoding="utf-8"))}
EXACT = 1e-9
ATTACKS = {
    **dict.fromkeys(["sedr.t5", "sedr.t7", "thesis.t4_6"], "homogeneity"),
    **dict.fromkeys(["sedr.t6", "thesis.t4_5"], "identity_white_box"),
    **dict.fromkeys(["sedr.t8", "thesis.t4_7"], "background_knowledge"),
    **dict.fromkeys(["sedr.t10", "sedr.t11", "sedr.t12", "sedr.t13"], "similarity"),
    **dict.fromkeys(["thesis.t5_4", "thesis.t5_6", "thesis.t5_7", "thesis.t5_8"], "similarity"),
}
#: Tables of the thesis in which one key is suppressed on every record, and what both keys tell. By hand: in
#: the first, one class of three is certain and in the others a value comes twice; in the second none does.
STARRED = [
    ("thesis_table3_2.csv", ("email address*", "Age*"), "Disease", 0.6900169132793237),
    ("thesis_table4_4.csv", ("ZIP Code*", "Age*"), "location 1", 0.19746194512152226),
]
NEEDS = ("thesis.t6_4", "thesis.t6_8", "thesis.t6_9")
FULL = (
    "--show-values",
    "--exact-counts",
)  # nine people: rates beside hidden counts have few digits otherwise


def of_tables(prefixes):
    return [name for name in RECORDS if ".".join(name.split(".")[:2]) in prefixes]


def ask(*arguments) -> dict:
    result = CliRunner().invoke(cli.app, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("commands")


def header(table: str) -> list[str]:
    with (HERE / table).open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def roles(names):
    keys = [name for name in names if name.startswith(("ZIP", "Age"))]
    sensitive = [name for name in names if name.startswith(("Salary", "Disease", "location"))]
    given = ["--quasi-identifiers", ",".join(keys)]
    return given + (["--sensitive", ",".join(sensitive)] if sensitive else [])


@cache
def attacked(folder: Path, table: str, partition: str | None):
    """The attacks on a table of the papers, beside itself: what is read is the release alone."""
    mark = "*****" if table == "tables/thesis_table4_3.csv" else "*"
    more = []
    if partition is not None:
        target, domains = json.loads(partition)
        path = folder / f"partition{len(list(folder.iterdir()))}.toml"
        lines = [f"domain{i} = {json.dumps(values)}" for i, values in enumerate(domains)]
        path.write_text("\n".join([f"[{json.dumps(target)}]", *lines]), "utf-8")
        more = ["--partitions", f"SP={path}"]
    path = HERE / table
    document = ask("compare", path, path, *roles(header(table)), "--suppressed", mark, *FULL, *more)
    return {one["attack"]: one for one in document["releases"][0]["attacks"]}


@cache
def white_box(folder: Path, table: str, here: str, there: str):
    """The two sides of a table that has original and generalized columns, compared as two files."""
    with (HERE / table).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, column in (("original", here), ("released", there)):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[column], *([row[column]] for row in rows)])
    document = ask(
        "compare",
        folder / "original.csv",
        folder / "released.csv",
        *("--quasi-identifiers", here, "--column", f"{here}={there}", *FULL),
    )
    return {one["attack"]: one for one in document["releases"][0]["attacks"]}


@pytest.mark.parametrize("name", of_tables(ATTACKS))
def test_the_compare_command_prints_the_figure(name, folder):
    record, attack = RECORDS[name], ATTACKS[".".join(name.split(".")[:2])]
    if attack == "identity_white_box":
        found = white_box(folder, record["table"], record["X"], record["Y"][0])[attack]
    else:
        partition = json.dumps([record["X"], record["partition"]]) if attack == "similarity" else None
        found = attacked(folder, record["table"], partition)[attack]
    target = f"{record['X']} (SP)" if attack == "similarity" else record["X"]
    if attack == "background_knowledge":
        lines, value, by_value = found["details"]["lacks"], "lacks", "lacks"
    else:
        lines, value, by_value = found["readings"], "discrimination_rate", "discrimination_rate"
    (one,) = [line for line in lines if line["keys"] == record["Y"] and line["target"] == target]
    if record["y"] is not None:
        (one,) = [line for line in one["values"] if line["label"] == ", ".join(record["y"])]
        value = by_value
    assert one[value] == pytest.approx(record["computed"], rel=0, abs=EXACT)


@pytest.mark.parametrize("name", of_tables(NEEDS))
def test_the_utility_command_prints_the_figure(name, folder):
    record = RECORDS[name]
    lines = ["[need]", f"target = {json.dumps(record['X'])}", f"keys = {json.dumps(record['Y'])}"]
    domains_of = {f"domain {i}": values for i, values in enumerate(record["partition"] or ())}
    for attribute, domains in {record["X"]: domains_of, **(record["key_partition"] or {})}.items():
        if domains:
            named = ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in domains.items())
            lines.append(f"partitions.{json.dumps(attribute)} = {{ {named} }}")
    need = folder / "need.toml"
    need.write_text("\n".join(lines), "utf-8")
    (table,) = ask("compare", HERE / record["table"], "--need", need, "--show-values", "--exact-counts")[
        "tables"
    ]
    (found,) = table["needs"]
    if record["y"] is None:
        value = found["utility"]
    else:
        (value,) = [line["utility"] for line in found["lines"] if line["label"] == ", ".join(record["y"])]
    assert value == pytest.approx(record["computed"], rel=0, abs=EXACT)


# -- thesis, section 4.6.1: risks that the compare command sums up ---------------------------------


def summed(document, attack):
    return next(one for one in document["releases"][0]["summary"]["lines"] if one["attack"] == attack)


@pytest.mark.parametrize(
    ("table", "key", "figure"),
    [("tables/thesis_table4_3.csv", "Age*", "haa"), ("tables/thesis_table4_4.csv", "ZIP Code*", "had")],
)
def test_the_summary_of_the_compare_command_has_the_risk_of_homogeneity(table, key, figure):
    roles = ("--quasi-identifiers", key, "--sensitive", "location 1,location 2")
    line = summed(ask("compare", HERE / table, HERE / table, *roles), "homogeneity")
    assert line["risk"] == pytest.approx(RECORDS[f"thesis.s4_6_1.dr_{figure}"]["computed"], abs=EXACT)
    assert line["information_loss"] == pytest.approx(
        RECORDS[f"thesis.s4_6_1.il_{figure}"]["computed"], abs=EXACT
    )


def test_the_summary_of_the_compare_command_has_the_risk_of_identity_disclosure(folder):
    with (HERE / "tables/thesis_table4_2.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, columns in (("before", ["ZIP Code", "Age"]), ("after", ["ZIP Code*", "Age*"])):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *([row[column] for column in columns] for row in rows)])
    files = (folder / "before.csv", folder / "after.csv")
    line = summed(ask("compare", *files, "--quasi-identifiers", "ZIP Code,Age"), "identity_white_box")
    assert line["risk"] == pytest.approx(RECORDS["thesis.s4_6_1.dr_id"]["computed"], abs=EXACT)
    assert line["information_loss"] == pytest.approx(RECORDS["thesis.s4_6_1.il_id"]["computed"], abs=EXACT)


@pytest.mark.parametrize(("table", "keys", "target", "rate"), STARRED)
def test_a_key_suppressed_throughout_tells_nothing_on_the_command_line_as_in_python(
    table, keys, target, rate
):
    path = HERE / "tables" / table
    measured = ask("measure", path, "--keys", ",".join(keys), "--target", target)
    readings = {one["measure"]: one["value"] for one in measured["readings"]}
    assert readings["discrimination_rate"] == pytest.approx(rate, abs=EXACT)
    assert dv.measure(path, "discrimination_rate", keys=keys, target=target).value == pytest.approx(rate)
    assert measured["data"]["counted"] == 9
    hidden = next(key for key in keys if set(columns(path)[key]) == {"*"})
    assert measured["identifier_classes"][hidden] == "zero identifier"
    audited = ask("audit", path, "--quasi-identifiers", ",".join(keys), "--sensitive", target)
    (found,) = [one for one in audited["targets"] if one["target"] == target]
    alone = {one["key"]: one["discrimination_rate"]["value"] for one in found["keys"]}
    assert alone[hidden] == pytest.approx(0, abs=EXACT)
    assert alone[next(key for key in keys if key != hidden)] == pytest.approx(rate)


def columns(path):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}
