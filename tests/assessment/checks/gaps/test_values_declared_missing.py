"""What is declared missing is looked at where it may be values: it stays in the file."""

import random
import sqlite3

import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.assessment.checks.gaps.values_declared_missing import values_declared_missing
from divulge.assessment.scope import Scope
from divulge.roles.declared_missing import declared_missing

N = 600
DATES = [f"{1930 + n // 12 % 80}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(N)]
FIRST = ["Anna", "Bernd", "Clara", "David", "Elena", "Frank", "Greta", "Hans", "Irene", "Jonas"]
NAMES = [f"{FIRST[n % 10]} {chr(65 + n // 26 % 26)}{chr(97 + n % 26)}rn" for n in range(N)]
PLAIN = {
    "age": ["20-34", "35-49", "50-64", "65+"] * (N // 4),
    "sex": ["m", "f", "f"] * (N // 3),
    "ill": ["flu", "cold", "gout", "none", "none"] * (N // 5),
}
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}


def audited(columns, declared, roles=ROLES):
    policy = {
        "data": {"missing_values": declared},
        "attributes": roles,
        "thresholds": {"k_anonymity": {"min": 5}},
    }
    return audit(PLAIN | columns, policy, search=False)


def check(found, name):
    return next((one for one in found.checks if getattr(one, "measure_name", "") == name), None)


def test_quasi_identifiers_that_are_declared_missing_have_no_verdict():
    found = audited({"age": DATES}, sorted(set(DATES)))
    own = check(found, "declared_missing")
    assert (found.outcome, own.outcome) == ("not evaluated", "not evaluated")
    assert "600 in 'age'" in own.sentence
    assert "empty in the file" in own.sentence
    assert found.verdict.headline == "Values declared missing could not be evaluated"


def test_names_that_are_declared_missing_name_people():
    found = audited({"q7": NAMES}, sorted(set(NAMES)))
    assert check(found, "identifiers").sentence == "'q7' names people."
    assert check(found, "declared_missing").outcome == "warn"
    assert "different texts" in check(found, "declared_missing").sentence.lower()


def test_a_release_is_held_to_what_it_has_as_written():
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "ill"}
    release = PLAIN | {"q7": NAMES}
    document = dv.compare(release, release, missing_values=sorted(set(NAMES)), **roles).to_dict()
    outcomes = {one["measure"]: one["outcome"] for one in document["releases"][0]["checks"]}
    assert (outcomes["identifiers"], outcomes["declared_missing"]) == ("fail", "warn")


@pytest.mark.parametrize(
    "declared",
    [
        ["NA", "?", "-9", "99", "unknown", "8888", "n/a"],
        ["-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8"],
        ["6", "7", "8", "9", "66", "77", "88", "99", "1900-01-01", "9999-12-31", "not collected"],
    ],
)
def test_the_usual_texts_are_quiet(declared):
    draw = random.Random(1)
    odd = {"age": [draw.choice(declared) if draw.random() < 0.2 else one for one in PLAIN["age"]]}
    odd["told"] = [draw.choice(declared) if draw.random() < 0.7 else "yes" for _ in range(N)]
    assert check(audited(odd, declared), "declared_missing") is None


def test_what_no_attribute_has_and_what_covers_most_values():
    declared = [f"code {n}" for n in range(40)]
    assert check(audited({}, declared), "declared_missing") is None
    assert check(audited({}, ["20-34", "35-49", "50-64"]), "declared_missing").outcome == "not evaluated"
    assert check(audited({"age": [n % 90 for n in range(N)]}, [*map(str, range(60, 90))]), "declared_missing")


def test_the_answer_is_the_same_in_a_database(tmp_path):
    with sqlite3.connect(tmp_path / "people.sqlite") as there:
        there.execute("CREATE TABLE people (age TEXT, sex TEXT)")
        there.executemany("INSERT INTO people VALUES (?, ?)", [*zip(DATES, PLAIN["sex"], strict=True)])
    there.close()
    path, texts = f"sqlite:///{tmp_path}/people.sqlite", sorted(set(DATES))
    there = declared_missing(dv.read(path, table="people", missing_values=texts))
    assert [(one.attribute, one.texts) for one in there] == [("age", len(texts))]


def test_leaving_the_attribute_out_makes_it_pass():
    data = dv.read(
        PLAIN | {"age": DATES}, missing_values=sorted(set(DATES)), quasi_identifiers=["age", "sex"]
    )
    scope = Scope(data)
    (own,) = values_declared_missing(scope, scope.keys)
    assert (own.outcome, own.ask(scope.without("age")).outcome) == ("not evaluated", "pass")
