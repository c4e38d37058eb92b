"""The audit as test cases: what a pipeline counts as passed, failed and broken."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from divulge.report.audit.junit import junit


def check(outcome="pass", **more):
    return {
        "measure": "k_anonymity",
        "parameters": {},
        "keys": ["age", "sex"],
        "target": "@record",
        "outcome": outcome,
        "asked": "at least 5 records",
        "found_text": "1 record",
        "undefined": None,
        "concerns": "812 records are in a class below 5",
        "why": "Whoever knows age and sex finds them.",
        "fix": "Suppressing age would give 6.",
        **more,
    }


def suite(*checks, strict=False, name="clinic.csv"):
    verdict = {"outcome": "not evaluated", "headline": "nothing was checked"}
    text = junit({"source": {"name": name}, "verdict": verdict, "checks": list(checks)}, strict=strict)
    return ET.fromstring(text.encode("utf-8"))


def counts(found):
    return tuple(int(found.get(word)) for word in ("tests", "failures", "errors"))


def test_every_check_is_a_test_case_named_by_measure_and_target():
    found = suite(check(), check(measure="itpr", target="ill"))
    assert found.tag == "testsuite"
    assert found.get("name") == "divulge clinic.csv"
    assert [(case.get("classname"), case.get("name")) for case in found] == [
        ("divulge", "k_anonymity @record"),
        ("divulge", "itpr ill"),
    ]
    assert [len(case) for case in found] == [0, 0]
    assert counts(found) == (2, 0, 0)


def test_a_check_that_fails_is_a_failure_with_what_to_do():
    found = suite(check("fail"), check())
    assert counts(found) == (2, 1, 0)
    failure = found[0].find("failure")
    assert failure.get("message") == "1 record (required: at least 5 records)"
    assert failure.text.splitlines() == [
        "812 records are in a class below 5",
        "Whoever knows age and sex finds them.",
        "Suppressing age would give 6.",
    ]


def test_a_check_that_became_worse_says_so():
    found = suite(check("fail", baseline={"found": 3, "worse": True}))
    assert found[0][0].get("message").endswith("(required: at least 5 records), worse than the baseline")


def test_a_warning_passes_with_a_note_unless_strict():
    found = suite(check("warn", fix=""))
    assert counts(found) == (1, 0, 0)
    assert found[0].find("system-out").text.splitlines() == [
        "warning: 1 record (required: at least 5 records)",
        "812 records are in a class below 5",
        "Whoever knows age and sex finds them.",
    ]
    strict = suite(check("warn"), strict=True)
    assert counts(strict) == (1, 1, 0)
    assert strict[0].find("failure") is not None


def test_what_was_not_evaluated_is_an_error_strict_or_not():
    for strict in (False, True):
        found = suite(check("not evaluated", undefined="H(X) = 0", concerns=""), strict=strict)
        assert counts(found) == (1, 0, 1)
        assert found[0].find("error").get("message") == "not evaluated: H(X) = 0"


def test_nothing_checked_is_an_error_and_not_an_empty_success():
    found = suite()
    assert counts(found) == (1, 0, 1)
    assert found[0].find("error").get("message") == "nothing was checked"


def test_checks_of_one_measure_are_told_apart():
    found = suite(
        check(measure="t_closeness", parameters={"ground": "equal"}, target="ill"),
        check(measure="t_closeness", parameters={"ground": "ordered"}, target="ill"),
        check(),
        check(keys=["zip"]),
        check(keys=["zip"]),
    )
    assert [case.get("name") for case in found] == [
        "t_closeness ground=equal ill",
        "t_closeness ground=ordered ill",
        "k_anonymity @record by age and sex",
        "k_anonymity @record by zip #1",
        "k_anonymity @record by zip #2",
    ]


@pytest.mark.parametrize("odd", ["\x00", "\x1b", "\ud800", "\ufffe", "\x0c"])
def test_signs_that_xml_cannot_hold_are_replaced(odd):
    name = f"a{odd}b"
    found = suite(
        check("fail", target=name, concerns=name, asked=name),
        check("warn", why=name),
        check("not evaluated", undefined=name),
        name=name,
    )
    assert found.get("name") == "divulge a\ufffdb"
    assert found[0].get("name") == "k_anonymity a\ufffdb"
    assert found[0][0].text.startswith("a\ufffdb\n")


@pytest.mark.parametrize("name", ['<x y="z">&amp;', "]]>", "naïve ☃ 𝄞", "'quoted'"])
def test_a_name_comes_back_as_it_was(name):
    found = suite(check("fail", target=name, concerns=name, why="", fix=""))
    assert found[0].get("name") == f"k_anonymity {name}"
    assert found[0][0].text == name
