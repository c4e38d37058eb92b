"""Who is counted where nobody said whose records are whose: no suggestion makes a check pass."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.assessment.remedies.changes import dropped
from divulge.assessment.remedies.trial import Trial

RNG = np.random.default_rng(5)
ILLS = ["flu", "cold", "gout", "burn"]


def visits(people, records, name, spelled="Dr. {}"):
    """Two towns and two sexes; in one of the four groups nearly every record has hiv."""
    town, sex = (["A", "B"] * 2 * records)[: 4 * records], np.repeat(["f", "m"], 2 * records).tolist()
    ills = [
        "hiv" if (here, whose) == ("A", "f") and place % 17 else ILLS[n]
        for place, (here, whose, n) in enumerate(zip(town, sex, RNG.integers(0, 4, 4 * records), strict=True))
    ]
    who = [spelled.format(n) for n in RNG.integers(0, people, 4 * records)]
    return {"sex": sex, "town": town, "diagnosis": ills} | ({name: who} if name else {})


def said(table, *names):
    found = {one.measure_name: one for one in audit(table, search=False).checks}
    return [(found[name].outcome, found[name].sentence) for name in names]


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("doctor", "Dr. {}"), ("note", "write to ida{}@example.org about it"), ("name", "Ida {}")],
)
def test_an_identifier_that_was_suggested_and_repeats_changes_no_count(name, spelled):
    table = visits(60, 300, name, spelled)
    bare = {key: column for key, column in table.items() if key != name}
    checks = ("singled_out", "learned")
    assert said(table, *checks) == said(bare, *checks)
    assert said(table, "learned")[0][0] == "fail"
    assert said(table, "identifiers")[0][0] in ("warn", "fail")


def test_a_suggested_number_of_people_is_used_and_the_gaps_warn():
    table = visits(60, 300, "patient_id", "P{}")
    [(outcome, sentence)] = said(table, "measured")
    assert outcome == "warn"
    assert sentence == (
        "Records with the same 'patient_id' count as one person, and that role was only suggested. "
        "If it is right, give the roles."
    )
    given = dv.read(table, identifiers="patient_id", quasi_identifiers=["sex", "town"], sensitive="diagnosis")
    assert "only suggested" not in audit(given, search=False).checks[-1].sentence


def test_leaving_out_an_identifier_is_judged_as_the_table_is_without_it():
    table = visits(60, 300, "patient_id", "P{}")
    found = audit(table, search=False)
    before = {one.measure_name: one.outcome for one in found.checks}
    assert before["learned"] == "pass"  # of most people some record has another diagnosis
    made = Trial(found.scope, found.checks).remedy(dropped("patient_id"))
    bare = {key: column for key, column in table.items() if key != "patient_id"}
    failing = [one for one in audit(bare, search=False).checks if one.outcome != "pass"]
    assert [one.measure_name for one in failing] == ["learned"]
    assert made.failing == 1
    assert not any(
        "makes all checks pass" in one.sentence for one in found.remedies if one.attribute == "patient_id"
    )
