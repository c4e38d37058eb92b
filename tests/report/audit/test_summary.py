"""The first screen in words: one line of verdict, and four numbers with what is required of them."""

import re

import pytest

from divulge.report.audit.class_charts import record_risk
from divulge.report.audit.page import page
from divulge.report.audit.summary import (
    passed,
    remarks,
    required_size,
    tiles,
    tone,
    unmeasured_attributes,
    verdict_line,
)
from divulge.report.audit.text import text
from report.example_document import QUASI, document


def with_checks(*checks, **verdict):
    """The example held to these checks alone."""
    found = document()
    found["checks"] = [{**found["checks"][0], "parameters": {}, "min": None, **check} for check in checks]
    found["verdict"] |= {"thresholds": "usual", **verdict}
    return found


SINGLED_OUT = {
    "measure": "singled_out",
    "outcome": "fail",
    "parameters": {"k": [3, 5]},
    "found_text": "60% of people",
}


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (SINGLED_OUT, "Do not release as it is: 60% of people can be singled out"),
        (
            {**SINGLED_OUT, "found_is_below": True},
            "Do not release as it is: fewer than 5 people can be singled out",
        ),
        (
            {"measure": "identifiers", "outcome": "fail", "keys": ["name", "email"]},
            "Do not release: direct identifiers found ('name' and 'email')",
        ),
        (
            {"measure": "learned", "outcome": "warn", "target": "income", "found_text": "2% of people"},
            "income of 2% of people can be inferred",
        ),
        (
            {**SINGLED_OUT, "outcome": "warn", "found_is_below": True},
            "Fewer than 5 people can be singled out",
        ),
        (
            {"measure": "t_closeness", "title": "t-closeness", "outcome": "not evaluated"},
            "t-closeness could not be evaluated",
        ),
        (
            {
                "measure": "itpr",
                "title": "ITPR",
                "outcome": "fail",
                "found_text": "0.9",
                "asked": "at most 0.5",
            },
            "Do not release as it is: ITPR: 0.9 (required: at most 0.5)",
        ),
    ],
)
def test_the_worst_finding_is_the_verdict_in_one_line(check, line):
    found = with_checks({"outcome": "pass"}, check, {"outcome": "warn", "measure": "measured"})
    assert verdict_line(found) == line
    assert len(line) < 90
    assert passed(found) == "2 of 3 checks do not pass"


def test_where_all_pass_the_line_says_how_many_were_asked():
    every = [{"measure": name, "outcome": "pass"} for name in ("identifiers", "k_anonymity", "measured")]
    assert verdict_line(with_checks(*every)) == "All 3 checks pass"
    assert passed(with_checks(*every)) == ""
    assert (
        verdict_line(with_checks(*every, thresholds="policy"))
        == "All 3 checks pass; the policy sets 1 of them"
    )
    assert verdict_line(with_checks(every[0], thresholds="policy")) == "The policy sets no bound"
    assert verdict_line(with_checks(headline="Nothing was checked")) == "Nothing was checked"


def test_four_numbers_with_what_is_required_and_how_much_is_predictable_beyond_chance():
    titles = [(tile.title, tile.text, tile.missed) for tile in tiles(document())]
    assert titles == [
        ("Unique people", "40.1%", False),
        ("Smallest group", "1", True),
        ("Average risk", "0.58", False),
        ("diagnosis predictable beyond chance", "26.4%", False),
    ]
    assert tiles(document())[1].meaning == "required: 5 or more"


def test_a_size_is_required_by_the_strictest_check_about_groups():
    assert required_size(document()["checks"], QUASI) == 5
    assert required_size([], QUASI) is None
    both = with_checks(SINGLED_OUT, {"measure": "k_anonymity", "min": 11})["checks"]
    assert required_size(both, QUASI) == 11
    without = with_checks({"measure": "uniqueness"})
    assert tiles(without)[1][2:] == ("the fewest records that share all quasi-identifiers", False)


def test_a_size_that_is_required_on_other_keys_does_not_stand_beside_the_smallest_group():
    """A policy with k_anonymity = { min = 2, keys = ["sex"] } says nothing of groups on all keys."""
    by_sex = {"measure": "k_anonymity", "min": 2, "keys": ["sex"], "outcome": "pass"}
    alone = with_checks(by_sex)
    assert tiles(alone)[1][2:] == ("the fewest records that share all quasi-identifiers", False)
    assert "required: 2" not in text(alone)
    assert tiles(with_checks(by_sex, SINGLED_OUT))[1].meaning == "required: 5 or more"
    assert record_risk(alone) == record_risk(with_checks({"measure": "uniqueness"}))


def test_nothing_beyond_chance_is_said_where_it_was_not_measured():
    found = document()
    for target in found["targets"][1:]:
        target["together"]["readings"][0]["adjusted"] = None
    assert tiles(found)[3][1:3] == ("–", "not measured: groups are too small to tell more from chance")
    found["targets"] = found["targets"][:1]
    assert tiles(found)[3][1:3] == ("–", "not measured: no sensitive attribute is given")


def test_a_rate_that_cannot_be_held_against_chance_is_not_said_to_be_beyond_it():
    found, why = document(), "fewer than 30 records share their key values with another"
    for target in found["targets"][1:]:
        target["together"]["readings"][0] |= {"adjusted": 1.0, "p_value": None, "p_undefined": why}
    assert tiles(found)[3][:3] == ("Predictable beyond chance", "–", f"not measured: {why}")


def test_what_checks_and_changes_say_is_not_said_again():
    found = document()
    found["verdict"]["sentences"] = [
        *(found["checks"][0][field] for field in ("sentence", "fix")),
        found["helps"][0]["sentence"],
        "Not measured: much.",
    ]
    assert remarks(found) == ["Not measured: much."]


def test_the_terminal_has_verdict_numbers_and_checks_first_and_the_command_last():
    found = document()
    lines = text(found, report="clinic.html").splitlines()
    assert lines[0] == "clinic.csv: 4,000 records, 14 attributes; 3 without a role, not measured"
    assert lines[2] == "FAIL: Do not release as it is: k-anonymity: 1 record (required: at least 5"
    order = ["Unique people", "Checks", "What would help", "What drives the risk", "Roles (suggested"]
    places = [next(n for n, line in enumerate(lines) if line.strip().startswith(part)) for part in order]
    assert places == sorted(places)
    assert lines[-3] == f"  {found['roles']['explicit']}"
    assert lines[-1] == "Report: clinic.html"
    assert "Not measured" not in "".join(lines)


def test_the_terminal_puts_failed_checks_first_as_the_page_does():
    checks = [{"outcome": one, "sentence": f"It is {one}."} for one in ("pass", "warn", "fail")]
    lines = text(with_checks(*checks)).splitlines()
    shown = [
        line.split()[0] for line in lines if line.strip().endswith(tuple(one["sentence"] for one in checks))
    ]
    assert shown == ["FAIL", "WARN", "pass"]


@pytest.mark.parametrize(
    ("report", "helps", "drivers"),
    [
        ("a.html", "... and 4 more in the report, 5 more with --json", "... and 1 more with --json"),
        (None, "... and 9 more with --json", "... and 1 more with --json"),
    ],
)
def test_what_is_left_out_is_counted_where_it_is_to_be_found(report, helps, drivers):
    found = document()
    found["plan"] = None
    found["helps"] = [found["helps"][0] | {"matters": True, "sentence": f"Change {n}."} for n in range(12)]
    found["drivers"] = [found["drivers"][0] | {"kind": "attribute"}] * 4
    said = text(found, report=report)
    assert [line.strip() for line in said.splitlines() if "... and" in line][:2] == [helps, drivers]
    shown = re.search(r'<table class="helps">.*?<tbody>(.*?)</tbody>', page(found), re.DOTALL)
    assert shown is not None
    assert shown[1].count("<tr") == 1 + 3 + 4


def test_a_sample_that_is_judged_by_the_people_outside_requires_no_group():
    found = with_checks(SINGLED_OUT)
    assert any(one.meaning == "required: 5 or more" for one in tiles(found))
    found["source"]["population"] = {"size": 80_000, "weight": None, "fraction": None}
    assert not any(one.meaning.startswith("required") for one in tiles(found))
    four = {"measure": "k_anonymity", "min": 4, "keys": ["age"]}
    assert required_size([four], ["age"], sampled=True) == 4


def test_what_is_not_measured_stands_among_the_checks_as_a_note():
    found = with_checks(SINGLED_OUT, sentences=["Not measured: much."])
    assert "  note  Not measured: much." in text(found).splitlines()


def test_attributes_that_are_not_measured_or_have_no_name_are_said_at_the_top():
    found = document()
    for one in found["roles"]["attributes"][:3]:
        one["role"] = "other"
    before = unmeasured_attributes(found)
    assert before[0].endswith(" without a role, not measured")
    assert len(before) == 1
    found["roles"]["attributes"][1]["name"] = "column 2"
    assert unmeasured_attributes(found)[1] == "column 2 has no name in the file"
    assert "column 2 has no name in the file" in " ".join(text(found).split("\n")[:3])


@pytest.mark.parametrize(
    ("estimated", "expected"), [("0.2% to 99.8%", "risky"), ("0.1% to 4.8%", "pass"), (">99.9%", "risky")]
)
def test_a_verdict_that_passes_is_not_green_beside_an_estimated_risk_above_what_is_allowed(
    estimated, expected
):
    keys = [one["name"] for one in document()["roles"]["attributes"] if one["role"] == "quasi-identifier"]
    found = with_checks({**SINGLED_OUT, "outcome": "pass", "keys": keys}, outcome="pass")
    found["source"]["population"] = {"size": 80_000_000}
    for number in found["numbers"]:
        if number["name"] == "reidentification_risk":
            number["text"] = estimated
    assert tone(found) == expected
    assert [tile.missed for tile in tiles(found)] == [False, False, expected == "risky", False]
    head = re.search(
        r'<div class="verdict ([a-z-]+)">\s*<p class="kind"><span class="outcome ([a-z-]+)"', page(found)
    )
    assert head.groups() == (expected, expected)


def test_a_verdict_that_passes_is_not_green_beside_a_group_smaller_than_required():
    keys = [one["name"] for one in document()["roles"]["attributes"] if one["role"] == "quasi-identifier"]
    found = with_checks({**SINGLED_OUT, "outcome": "pass", "keys": keys}, outcome="pass")
    for number in found["numbers"]:
        if number["name"] == "k_anonymity":
            number["value"] = 2
    assert tone(found) == "risky"
