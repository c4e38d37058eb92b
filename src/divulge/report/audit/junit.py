"""The audit as JUnit XML, for the test view of a pipeline: one test case for each check."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.wording import enumerated
from divulge.counting.counts import RECORD
from divulge.policy.demands import QUESTIONS

# What XML 1.0 cannot hold, not even escaped.
_IMPOSSIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def junit(document: Mapping[str, Any], *, strict: bool = False) -> str:
    """The document's checks as test cases; a warning passes with a note, or fails when strict.

    Where nothing was checked a single case reports that as an error: an empty file would look like success.
    """
    suite = ET.Element("testsuite", name=_clean(f"divulge {document['source']['name']}"))
    for name, check in zip(_names(document["checks"]), document["checks"], strict=True):
        _report(_case(suite, name), check, strict)
    if not document["checks"]:
        ET.SubElement(_case(suite, "checks"), "error", message=_clean(document["verdict"]["headline"]))
    for tag, attribute in (("testcase", "tests"), ("failure", "failures"), ("error", "errors")):
        suite.set(attribute, str(len(list(suite.iter(tag)))))
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'


def _names(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Measure and target; keys and a number only where that would not tell checks apart."""
    short = [_short(one) for one in checks]
    long = [
        f"{name} by {enumerated(one['keys'])}" if short.count(name) > 1 else name
        for name, one in zip(short, checks, strict=True)
    ]
    return [
        f"{name} #{long[:place].count(name) + 1}" if long.count(name) > 1 else name
        for place, name in enumerate(long)
    ]


def _short(check: Mapping[str, Any]) -> str:
    if check["measure"] in QUESTIONS:
        return check["measure"] if check["target"] == RECORD else f"{check['measure']} {check['target']}"
    return " ".join([check["measure"], *_said(check["parameters"]), check["target"]])


def _said(parameters: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value}" for name, value in parameters.items()]


def _case(suite: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname="divulge", name=_clean(name), time="0")


def _report(case: ET.Element, check: Mapping[str, Any], strict: bool) -> None:
    outcome = check["outcome"]
    if outcome == "pass":
        return
    message = check["sentence"] if check["measure"] in QUESTIONS else _compared(check)
    if (check.get("baseline") or {}).get("worse"):
        message += ", worse than the baseline"
    concerns = "" if check["measure"] in QUESTIONS else check["concerns"]  # its sentence says it
    details = "\n".join(filter(None, (concerns, check["why"], check["fix"])))
    if outcome == "not evaluated":
        note = ET.SubElement(case, "error", message=_clean(f"not evaluated: {check['undefined']}"))
    elif outcome == "fail" or strict:
        note = ET.SubElement(case, "failure", message=_clean(message))
    else:
        note = ET.SubElement(case, "system-out")
        details = f"warning: {message}\n{details}"
    note.text = _clean(details)


def _compared(check: Mapping[str, Any]) -> str:
    return f"{check['found_text']} (required: {check['asked']})"


def _clean(text: str) -> str:
    return _IMPOSSIBLE.sub("\ufffd", text)
