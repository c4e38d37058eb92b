"""What somebody signs, and what may be named on the page before values are shown."""

import html
import io
import json
import re
import time
import zipfile

import numpy as np
import pytest

import divulge as dv
from divulge.explore.explorer import Explorer
from divulge.report.audit.headline import ORDER

KEYS = ["age", "zip"]
RNG = np.random.default_rng(1)
TABLE = {
    "age": RNG.integers(18, 90, 400).tolist(),
    "zip": RNG.choice(["1001", "1002", "2101", "2102"], 400).tolist(),
    "ill": RNG.choice(["flu", "gout"], 400).tolist(),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explorer_of(place, columns=TABLE, **said):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    (place / "people.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    data = dv.read("people.csv", quasi_identifiers=KEYS, sensitive=["ill"], **said)
    return Explorer(data, name="people.csv", seed=5)


def summary_of(explorer):
    """The text of the summary to be signed."""
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        return html.unescape(archive.read("keep/summary.html").decode())


def finished(ask):
    told = ask()
    while told["comparing"]:
        time.sleep(0.01)
        told = ask()
    return told


def test_the_summary_says_what_further_steps_do(place):
    explorer = explorer_of(place)
    steps = [
        {"mechanism": "rounding", "attributes": ["age"], "base": 30},
        {"mechanism": "remove", "attributes": ["ill"]},
    ]
    explorer.change({"roles": {"ill": "other"}})
    explorer.change({"steps": steps})
    summary = summary_of(explorer)
    assert "changed by step 1" in summary
    assert "not released" in summary


def test_the_summary_says_what_the_attacker_is_assumed_to_know_and_what_who_knows_all_finds(place):
    explorer = explorer_of(place)
    told = explorer.change({"levels": {"age": 3}, "known": ["zip"], "population": {"fraction": 0.1}})[
        "figures"
    ]
    assert told["assumed"] == (
        "The attacker knows zip of a person (1 of 2 quasi-identifiers). "
        "10% of the population is in the table."
    )
    summary = summary_of(explorer)
    head, body = summary.split('id="checks"')
    assert told["assumed"] in head
    every = explorer.change({"known": ["age", "zip"]})["figures"]
    assert f"Who knows all 2 quasi-identifiers: {every['sentence']}" in head
    assert all(one["text"] in body for one in every["risks"])
    assert "Who knows all" not in summary_of(explorer)


def test_no_value_of_a_few_people_shows_however_many_records_they_have(place):
    columns = {name: np.repeat(values, 6).tolist() for name, values in TABLE.items()}
    columns["who"] = np.repeat(np.arange(400), 6).tolist()
    columns["zip"][6:12], columns["age"][6:12] = ["Secretville"] * 6, [104] * 6
    explorer = explorer_of(place, columns, identifiers=["who"])
    explorer.change({"thresholds": {"k_anonymity": {"min": 2}}})
    explorer.edit("zip", "add", level=0)
    explorer.edit("age", "add", level=0)
    told = [explorer.now()["attributes"], finished(explorer.compared)["distributions"]]
    assert "2101" in json.dumps(told)  # of many people
    assert "Secretville" not in json.dumps(told)
    assert "104" not in json.dumps(told)


def explored(place, columns):
    """A session on a table of which nothing is said."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    (place / "people.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return Explorer(dv.read("people.csv"), name="people.csv", seed=5)


def sheet_and_audit(explorer, place):
    """The text of the sheet, the tone of its headline, and an audit of the released file."""
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        archive.extractall(place)
    sheet = (place / "keep" / "summary.html").read_text()
    [tone] = re.findall(r'<section class="verdict ([a-z-]*)"', sheet)
    return html.unescape(sheet), tone, dv.audit("publish/released.csv", search=False)


def people(of_a_group=10):
    """People by age and sex, of whom the women of 37 all have one illness."""
    rows = [(age, sex) for age in range(20, 60) for sex in "fm" for _ in range(of_a_group)]
    ills = RNG.choice(["flu", "cold", "asthma"], len(rows)).tolist()
    return {
        "age": [age for age, _ in rows],
        "sex": [sex for _, sex in rows],
        "diagnosis": ["HIV" if row == (37, "f") else ill for row, ill in zip(rows, ills, strict=True)],
    }


def found_best(explorer):
    explorer.best()
    told = {"searching": True}
    while told["searching"]:
        time.sleep(0.01)
        told = explorer.searched()
    return told


def test_a_release_whose_groups_share_a_diagnosis_is_not_green_on_the_sheet(place):
    explorer = explored(place, people())
    told = explorer.now()["figures"]["thresholds"]
    assert {one["name"] for one in told} >= {
        "Attributes that name people",
        "People who can be singled out",
        "What is learned about diagnosis",
        "Gaps in what was measured",
    }
    sheet, tone, audit = sheet_and_audit(explorer, place)
    assert audit.verdict.outcome == tone == "fail"
    head = sheet.split('id="checks"')[0]
    assert "diagnosis of 1.2% of people can be inferred" in head


def test_the_best_release_of_a_page_without_a_policy_passes_an_audit(place):
    explorer = explored(place, people())
    found_best(explorer)
    _, tone, audit = sheet_and_audit(explorer, place)
    assert (audit.verdict.outcome, tone) == ("pass", "pass")


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"thresholds": {"uniqueness": {"max": 0.1}}},
        {"roles": {"sex": "other"}},
        {"roles": {"diagnosis": "other"}},
        {"roles": {"sex": "sensitive"}},
        {"levels": {"age": 3}},
    ],
)
def test_the_sheet_is_never_better_than_an_audit_of_the_released_file(place, chosen):
    explorer = explored(place, people(4))
    explorer.change({"thresholds": {"k_anonymity": {"min": 2}}, "suppress": 1.0})
    explorer.change(chosen)
    _, tone, audit = sheet_and_audit(explorer, place)
    assert ORDER.index(tone or "warn") <= ORDER.index(audit.verdict.outcome)


def test_the_headline_names_what_was_not_checked_and_the_page_shows_it_as_a_risk(place):
    columns = people()
    columns["surname"] = [f"Name{'abcdefghij'[number % 10]}{number // 10}" for number in range(800)]
    columns["cost"] = RNG.integers(1, 9, 800).tolist()
    explorer = explored(place, columns)
    explorer.change({"roles": {"surname": "other", "cost": "other"}, "levels": {"age": 3}})
    [first, second] = explorer.now()["figures"]["as_it_is"]
    assert (first["attribute"], first["risk"], second["attribute"], second["risk"]) == (
        "surname",
        True,
        "cost",
        False,
    )
    sheet, tone, _ = sheet_and_audit(explorer, place)
    [answer] = re.findall(r'<h2 id="answer">(.*?)</h2>', sheet)
    assert "Not checked: surname and cost are released as they are." in answer
    assert tone != "pass"


def test_a_single_group_is_one_group(place):
    explorer = explored(place, people())
    explorer.change({"levels": {"sex": 1}})
    assert "level 1 of 1, 1 group<" in summary_of(explorer)
