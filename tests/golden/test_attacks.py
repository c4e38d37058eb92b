"""The figures that the SeDR paper and the thesis print for attacks, each found again by the attack itself.

Origin and trust are those of ``test_discrimination.py``. There each figure is a reading of a question, here
it is what an attack says of a table. Where the print is an erratum, the attack gives the corrected value.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import divulge as dv
from divulge import attacks
from divulge._support.small_counts import exact_counts
from divulge.alignment.tables import align

HERE = Path(__file__).parent
EXACT = 1e-9
ATTACKS = {
    **dict.fromkeys(["sedr.t5", "sedr.t7", "thesis.t4_6", "thesis.s5_4_4"], "homogeneity"),
    **dict.fromkeys(["sedr.t6", "sedr.s4_3", "thesis.t4_5"], "identity_white_box"),
    **dict.fromkeys(["sedr.t8", "thesis.t4_7"], "background_knowledge"),
    **dict.fromkeys(["sedr.t10", "sedr.t11", "sedr.t12", "sedr.t13"], "similarity"),
    **dict.fromkeys(["thesis.t5_4", "thesis.t5_6", "thesis.t5_7", "thesis.t5_8"], "similarity"),
}
RECORDS = {r["id"]: r for r in json.loads((HERE / "discrimination.json").read_text(encoding="utf-8"))}
CHOSEN = [name for name in RECORDS if ".".join(name.split(".")[:2]) in ATTACKS]


@cache
def columns(table: str) -> dict[str, list[str]]:
    with (HERE / table).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


@cache
def released(table: str) -> dv.Data:
    """A table of the papers with the roles it has there; *****, a postcode of nothing, is suppressed."""
    names = columns(table)
    keys = [name for name in names if name.startswith(("ZIP", "Age"))]
    sensitive = [name for name in names if name.startswith(("Salary", "Disease", "location"))]
    mark = "*****" if table == "tables/thesis_table4_3.csv" else "*"
    return dv.read(names, quasi_identifiers=keys, sensitive=sensitive, suppressed=mark)


@cache
def white_box(table: str, counterparts: tuple[tuple[str, str], ...]):
    """Both sides of a table that has original and generalized columns, as two tables."""
    names = columns(table)
    original = dv.read(
        {one: names[one] for one, _ in counterparts}, quasi_identifiers=[x for x, _ in counterparts]
    )
    release = dv.read({other: names[other] for _, other in counterparts})
    with exact_counts(True):
        return attacks.identity_white_box(align(original, release), show_values=True)


@cache
def outcome(attack: str, name: str):
    record = RECORDS[name]
    if attack == "identity_white_box":
        return white_box(record["table"], ((record["X"], record["Y"][0]),))
    data = released(record["table"])
    if attack == "similarity":
        partition = {f"domain {place}": values for place, values in enumerate(record["partition"])}
        with exact_counts(True):
            return attacks.similarity(data, partitions={record["X"]: {"SP": partition}}, show_values=True)
    with exact_counts(True):
        return getattr(attacks, attack)(data, show_values=True)


def found(attack: str, name: str) -> float:
    record = RECORDS[name]
    target = f"{record['X']} (SP)" if attack == "similarity" else record["X"]
    one = next(
        one
        for one in outcome(attack, name).readings
        if one.keys == tuple(record["Y"]) and one.target == target
    )
    if record["y"] is None:
        return one.discrimination_rate
    (line,) = [line for line in one.values if line.label == ", ".join(record["y"])]
    return line.discrimination_rate


def lacking(name: str) -> float:
    record = RECORDS[name]
    lacks = outcome("background_knowledge", name).details["lacks"]
    (one,) = [one for one in lacks if one["keys"] == record["Y"] and one["target"] == record["X"]]
    if record["y"] is None:
        return one["lacks"]
    (line,) = [line for line in one["values"] if line["label"] == ", ".join(record["y"])]
    return line["lacks"]


def test_the_tables_on_attacks_have_167_figures():
    assert len(CHOSEN) == 167


@pytest.mark.parametrize("name", CHOSEN)
def test_an_attack_gives_the_figure(name):
    attack = ATTACKS[".".join(name.split(".")[:2])]
    value = lacking(name) if attack == "background_knowledge" else found(attack, name)
    assert value == pytest.approx(RECORDS[name]["computed"], rel=0, abs=EXACT)


# -- thesis, section 4.6.1 -------------------------------------------------------------------------

IDENTITY = (("ZIP Code", "ZIP Code*"), ("Age", "Age*"))


@cache
def summed_up(treatment: str):
    """The summary of the thesis: identity on its table of generalizations, homogeneity on a treated table."""
    identity = white_box("tables/thesis_table4_2.csv", IDENTITY)
    table = {"3-anonymity": "tables/thesis_table4_3.csv", "3-diversity": "tables/thesis_table4_4.csv"}[
        treatment
    ]
    found = attacks.homogeneity(released(table))
    # The other key is suppressed throughout, and the thesis does not count it.
    return attacks.summary([identity, replace(found, risk=found.details["risk_of_other_keys"])])


@pytest.mark.parametrize(
    ("figure", "treatment", "line", "what", "printed"),
    [
        ("dr_id", "3-anonymity", 0, "risk", 0.58),
        ("il_id", "3-anonymity", 0, "information_loss", 0.42),
        ("dr_haa", "3-anonymity", 1, "risk", 0.46),
        ("il_haa", "3-anonymity", 1, "information_loss", 0.54),
        ("dr_had", "3-diversity", 1, "risk", 0.1),
        ("il_had", "3-diversity", 1, "information_loss", 0.90),
    ],
)
def test_the_summary_gives_risk_and_loss_of_each_attack(figure, treatment, line, what, printed):
    value = summed_up(treatment)["lines"][line][what]
    assert value == pytest.approx(RECORDS[f"thesis.s4_6_1.{figure}"]["computed"], rel=0, abs=EXACT)
    assert round(value, 2) == printed


def test_the_summary_gives_the_overall_loss():
    # Printed 0.46 for 3-anonymity, from the right two terms: (0.42 + 0.54) / 2 is 0.48.
    for treatment, figure, value in (("3-anonymity", "anon", 0.4803), ("3-diversity", "div", 0.6619)):
        overall = summed_up(treatment)["overall_information_loss"]
        record = RECORDS[f"thesis.s4_6_1.overall_{figure}"]
        assert overall == pytest.approx(record["computed"], rel=0, abs=EXACT)
        assert overall == pytest.approx(value, abs=5e-5)


def test_as_sets_the_generalization_table_tells_as_much_as_record_by_record():
    # No original value fits two generalized ones, so not knowing which rows belong together costs nothing.
    found_ = white_box("tables/thesis_table4_2.csv", IDENTITY)
    rates = {one.target: one.discrimination_rate for one in found_.readings}
    for one in found_.details["as_sets"]:
        assert one["discrimination_rate"] == pytest.approx(rates[one["target"]], abs=1e-12)


def test_the_close_table_is_weaker_than_the_diverse_one_under_the_partition_that_names_its_classes():
    rate = {table: found("similarity", f"sedr.t12.{table}.zipcodex") for table in ("ldiv", "tclose")}
    assert rate["tclose"] == pytest.approx(1.0)
    assert rate["ldiv"] == pytest.approx(0.5794, abs=5e-5)
