"""A class of four, a homogeneous class of three, someone alone, two suppressed: no output says how many."""

import json
import re
from pathlib import Path

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts, hidden, hide_counts
from divulge._support.wording import people, records, share_of, some_of
from divulge.assessment.drivers.distributions import SizeBin, without_few
from divulge.report.audit.notebook import notebook
from in_process import run
from planted import COUNTED, planted, shares_in_words

KEYS = ("--quasi-identifiers", "zip,sex", "--sensitive", "disease")
# Readings that are said as they are: t-closeness; the average risk, of two classes; a p-value; the ITPR of
# a class of twelve; what an attacker gains.
READ = {"0.989", "0.9888", "0.9889", "98.9%", "0.007", "0.7%", "0.985", "0.004", "0.0112"}
READ |= {"0.015", "1.5%"}  # what a link tells of the disease by chance
READ |= {"0.0037"}  # the average risk where everybody is in one class
NEED = '[care]\ntarget = "disease"\nkeys = ["zip"]\n'
UNIQUE = {"attributes": {"zip": "quasi-identifier", "sex": "quasi-identifier"}}
UNIQUE |= {"thresholds": {"uniqueness": {"max": 0}}}
POLICY = """
[attributes]
zip = "quasi-identifier"
sex = "quasi-identifier"
disease = "sensitive"
[thresholds]
k_anonymity = { min = 5 }
distinct_l_diversity = { min = 2 }
discrimination_rate = { max = 0.2, adjusted = true }
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = planted()
    for name, zips in (("data.csv", 8), ("released.csv", 1)):
        lines = [",".join((row[0][:zips], *row[1:])) for row in rows]
        Path(name).write_text("\n".join(["zip,sex,disease", *lines]) + "\n")
    lines = [",".join(row) for row in rows]
    lines[:9] = [line.replace("cough", "gout") for line in lines[:9]]  # three of them
    Path("changed.csv").write_text("\n".join(["zip,sex,disease", *lines]) + "\n")
    Path("need.toml").write_text(NEED)
    Path("policy.toml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def ask(place, monkeypatch, capsys):
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


TEXTS = {
    "audit": ("audit", "data.csv", *KEYS, "--no-report"),
    "audit as Markdown": ("audit", "data.csv", *KEYS, "--markdown", "-"),
    "audit by a policy": ("audit", "data.csv", "--policy", "policy.toml", "--no-report"),
    "audit without missing": (
        "audit",
        "data.csv",
        *KEYS,
        "--missing-value",
        "gout",
        "--missing",
        "drop",
        "--no-report",
    ),
    "audit with values": ("audit", "data.csv", *KEYS, "--show-values", "--no-report"),
    "check": ("check", "data.csv", "--policy", "policy.toml"),
    "measure": ("measure", "data.csv", "--keys", "zip,sex", "--target", "disease", "--by-value"),
    "measure without missing": (
        "measure",
        "data.csv",
        "--keys",
        "zip",
        "--missing-value",
        "gout",
        "--missing",
        "drop",
    ),
    "compare": ("compare", "data.csv", "released.csv", *KEYS, "--no-report"),
    "compare few changed": ("compare", "data.csv", "changed.csv", *KEYS, "--no-report"),
    "compare few changed as Markdown": ("compare", "data.csv", "changed.csv", *KEYS, "--markdown", "-"),
    "compare with itself": ("compare", "data.csv", "data.csv", *KEYS, "--no-report"),
    "compare as Markdown": ("compare", "data.csv", "data.csv", *KEYS, "--markdown", "-"),
    "utility": ("compare", "data.csv", "--need", "need.toml", "--show-values"),
    "anonymize": ("anonymize", "data.csv", *KEYS, "--k", "5", "--suppress", "5%"),
    "anonymize by groups": ("anonymize", "data.csv", *KEYS, "--k", "5", "--suppress", "5%", "--local"),
}


@pytest.mark.parametrize("command", TEXTS)
def test_no_text_says_how_few(command, ask):
    _, out, err = ask(*TEXTS[command])
    assert out
    assert not COUNTED.findall(out + err)
    assert {*shares_in_words(out + err)} <= READ


def test_no_page_says_how_few(place, ask):
    ask(
        "audit", "data.csv", *KEYS, "--report", "audit.html", "--junit", "audit.xml", "--markdown", "audit.md"
    )
    ask("compare", "data.csv", "changed.csv", *KEYS, "--report", "compare.html", "--markdown", "compare.md")
    asked = ("--file", "data.csv", "--keys", "zip,sex", "--target", "disease")
    ask("attacker", "read", *asked, "--report", "attacker.html")
    simulated = ("--runs", "2", "--samples", "200", "--x", "sex", "--y", "disease", "--test", "kld")
    ask("release", "simulate", "data.csv", *simulated, "--report", "release.html")
    found = ("--k", "5", "--suppress", "5%", "--report", "search.html", "--markdown", "search.md")
    ask("anonymize", "data.csv", *KEYS, *found)
    pages = ("audit.html", "audit.xml", "audit.md", "compare.html", "compare.md", "search.html", "search.md")
    for name in (*pages, "attacker.html", "release.html"):
        text = re.sub(
            r"<svg.*?</svg>|<style.*?</style>|<[^>]*>", " ", Path(name).read_text("utf-8"), flags=re.DOTALL
        )
        assert not COUNTED.findall(text), name
        # A simulation has exposures, and the share of all requests that it releases, whatever their values.
        assert {*shares_in_words(text)} <= READ or name == "release.html", name


def test_no_notebook_says_how_few(place):
    columns = dict(zip(("zip", "sex", "disease"), map(list, zip(*planted(), strict=True)), strict=True))
    data = dv.read(columns, quasi_identifiers=["zip", "sex"], sensitive="disease", suppressed="*")
    compared = dv.compare(data, dv.read(columns, suppressed="*"))
    for shown in (notebook(dv.audit(data).document), compared._repr_html_(), str(compared)):
        text = re.sub(r"<[^>]*>", " ", shown)
        assert not COUNTED.findall(text)
        assert {*shares_in_words(text)} <= READ


def test_no_representation_says_how_few(place):
    data = dv.read("data.csv", quasi_identifiers=["zip", "sex"], sensitive="disease", suppressed="*")
    reading = dv.measure(data, "uniqueness", keys=["zip", "sex"])
    assert repr(reading) == "Reading(uniqueness: <0.019, target @record)"
    assert (reading.to_dict()["value"], reading.to_dict(exact_counts=True)["value"]) == (None, 1 / 269)
    assert reading.value == 1 / 269  # who asks for the number gets it
    found = dv.audit(data, UNIQUE, search=False)
    place = next(place for place, one in enumerate(found.checks) if one.name == "Uniqueness")
    assert repr(found.checks[place]) == "Check(Uniqueness: fail, <0.019)"
    said = found.to_dict()["checks"][place]
    assert (said["found"], said["found_is_below"], said["records"], said["share"]) == (
        0.019,
        True,
        "<5",
        None,
    )
    assert dv.measure(data, ["uniqueness", "reidentification_risk"], keys=["zip"]).plot()


def test_what_is_left_out_does_not_follow_from_what_is_counted(ask):
    source = json.loads(ask("audit", "data.csv", *KEYS, "--json")[1])["source"]
    assert (source["records"], source["suppressed"], source["counted"]) == (271, "<5", ">266")
    data = json.loads(ask("measure", "data.csv", "--keys", "zip,sex", "--json")[1])["data"]
    assert (data["records"], data["suppressed"], data["counted"]) == (271, "<5", ">266")


def test_shares_of_unique_records_do_not_say_how_few_they_are(ask):
    def shares(*more):
        found = json.loads(ask("audit", "data.csv", *KEYS, "--json", *more)[1])
        combinations, (first, *_) = found["combinations"], found["helps"]
        return (
            next(one["value"] for one in found["numbers"] if one["name"] == "uniqueness"),
            combinations["subsets"][-1]["uniqueness"],
            *combinations["by_size"][-1]["uniqueness"],
            combinations["map"][-1][-1],
            first["before"]["uniqueness"],
        )

    assert shares() == (None,) * 7
    assert shares("--exact-counts") == pytest.approx((1 / 269,) * 7)


def test_the_headline_is_one_line_wherever_it_is_read(ask):
    verdict = json.loads(ask("audit", "data.csv", *KEYS, "--json")[1])["verdict"]
    assert verdict["headline"] == "Do not release as it is: fewer than 5 people can be singled out"
    assert verdict["sentences"][0].startswith("Fewer than 5 of more than 266 people are in groups")
    out = ask("audit", "data.csv", *KEYS, "--no-report")[1]
    assert f"FAIL: {verdict['headline']}" in out


def test_exact_counts_are_printed_when_asked_for(ask):
    found = json.loads(ask("audit", "data.csv", *KEYS, "--json", "--exact-counts")[1])
    assert (found["source"]["suppressed"], found["source"]["counted"]) == (2, 269)
    assert found["homogeneous"][0]["records"] == 3
    _, out, _ = ask("measure", "data.csv", "--keys", "zip,sex", "--by-value", "--exact-counts")
    assert re.search(r"four +m +4 ", out)
    assert not isinstance(hidden(3), int)  # and only there


def test_classes_of_few_people_are_put_together_until_none_can_be_told():
    def bins(*records):
        ends = ((1, 1), (2, 2), (3, 4), (5, 9), (10, None))
        return [SizeBin("", *end, r and 1, r, r / 100) for end, r in zip(ends, records, strict=True)]

    def told(found):
        return [(one.low, one.high, one.records) for one in without_few(found)]

    assert told(bins(20, 30, 40, 0, 10)) == [(1, 1, 20), (2, 2, 30), (3, 4, 40), (5, 9, 0), (10, None, 10)]
    assert told(bins(1, 0, 7, 0, 92)) == [(1, 4, 8), (5, 9, 0), (10, None, 92)]
    assert told(bins(0, 0, 4, 0, 96)) == [(1, 1, 0), (2, 2, 0), (3, None, 100)]
    assert told(bins(3, 0, 0, 0, 0)) == [(1, None, 3)]


def test_sentences_and_shares():
    assert records(4, of=1000) == "fewer than 5 records (<0.5%)"
    assert records(0, of=1000) == "0 records (0%)"
    assert records(1000, of=1000) == "1,000 records (100%)"
    assert records(3, of=4) == "fewer than 5 records"
    assert (records(996, of=1000), people(996, of=1000)) == (
        "more than 995 records (>99.5%)",
        "more than 995 people",
    )
    assert (some_of(1, 2), some_of(3, 40), some_of(37, 40)) == (
        "fewer than 5",
        "fewer than 5 of 40",
        "more than 35 of 40",
    )
    assert share_of(5, 1000) == "0.5%"
    assert hide_counts({"records": 4, "of": 9, "share": 4 / 9}) == {"records": "<5", "of": 9, "share": None}
    with exact_counts():
        assert records(4, of=1000) == "4 records (0.4%)"
