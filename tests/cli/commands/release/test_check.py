"""A given set of records held to the tests, as a user meets it."""

import json
import sys
from pathlib import Path

import pytest

from divulge import documents
from divulge.cli import main

GARRISONS = Path(__file__).parents[4] / "examples" / "garrisons.csv"
DEPENDENCY = ("--x", "Age", "--y", "Location", "--samples", "200")
EXPECTED = {"<20": 9, "20-29": 19, "30-39": 16, "40-49": 10, ">=50": 6}  # a tenth of the table


@pytest.fixture
def check(monkeypatch, capsys, tmp_path):
    def run(counts, *arguments):
        """Check a set given by its ages and locations."""
        rows = [cell for cell, number in counts.items() for _ in range(number)]
        (tmp_path / "out.csv").write_text("Age,Location\n" + "".join(f"{x},{y}\n" for x, y in rows))
        given = ["divulge", "release", "check", GARRISONS, tmp_path / "out.csv", *DEPENDENCY, *arguments]
        monkeypatch.setattr(sys, "argv", [*map(str, given)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return stopped.value.code or 0, printed.out, printed.err

    return run


def as_expected(*targets):
    return {(age, target): number for target in targets for age, number in EXPECTED.items()}


@pytest.mark.parametrize("test", ["mis", "kld", "cst", "seq", "mis,kld,seq"])
def test_a_set_like_the_baseline_passes(check, test):
    code, out, _ = check(as_expected("Arden", "Brook", "Cliff"), "--test", test)
    assert code == 0
    assert "All tests passed." in out


@pytest.mark.parametrize("test", ["mis", "kld", "cst", "seq"])
def test_a_set_with_one_target_of_another_age_does_not(check, test):
    counts = {**as_expected("Arden", "Brook"), (">=50", "Cliff"): 20, ("20-29", "Cliff"): 6}
    code, out, _ = check(counts, "--test", test)
    assert code == 1
    assert "Not passed: 1 of" in out


def test_the_document_has_exposures_and_critical_values(check):
    code, out, _ = check(as_expected("Arden", "Brook", "Cliff"), "--test", "kld,seq", "--json")
    found = json.loads(out)
    assert (code, found["document"], found["passes"]) == (0, "divulge release check", True)
    assert {one["test"] for one in found["exposures"]} == {"kld", "seq"}
    assert all(one["value"] < one["critical"] for one in found["exposures"])
    assert [one["records"] for one in found["by_target"]] == [60, 60, 60, 0]
    assert {one["critical"] for one in found["exposures"] if one["test"] == "seq"} == {5.0}
    described = documents.schema("release check")["$defs"]["ReleaseCheckDocument"]["properties"]
    assert found.keys() == described.keys() - {"also"}


def test_counts_below_five_and_what_says_them_are_hidden(check):
    counts = {**as_expected("Arden", "Brook"), ("<20", "Dale"): 2}
    _, out, _ = check(counts, "--test", "kld", "--json")
    found = json.loads(out)
    assert found["by_target"][3] == {"target": "target 4", "records": "<5"}
    unsaid = [one for one in found["exposures"] if "undefined" in one]
    assert "target 4" in [one["target"] for one in unsaid]
    assert {(one["value"], one["critical"]) for one in unsaid} == {(None, None)}
    _, out, _ = check(counts, "--test", "kld", "--json", "--exact-counts", "--show-values")
    assert json.loads(out)["by_target"][3] == {"target": "Dale", "records": 2}


def test_what_the_baseline_does_not_know_never_passes(check):
    code, out, _ = check({**as_expected("Arden"), ("99", "Arden"): 1, ("<20", "Nowhere"): 6}, "--test", "cst")
    assert code == 1
    assert "a value that the baseline does not expect: fewer than 5" in " ".join(out.split())
    assert "a target that the baseline does not have: 6" in " ".join(out.split())


@pytest.mark.parametrize("test", ["cst", "dqt"])
def test_tests_that_bound_nothing_alone_are_warned_of(check, test):
    _, out, _ = check(as_expected("Arden", "Brook", "Cliff"), "--test", test)
    assert "CST and DQT alone bound nothing" in " ".join(out.split())


def test_a_test_that_cannot_be_carried_out_yet_says_why(check):
    _, out, _ = check({("20-29", "Arden"): 20}, "--test", "dqt", "--json")
    [one] = json.loads(out)["exposures"]
    assert (one["value"], one["undefined"]) == (None, "too few records for this test")


def test_a_set_passes_if_it_does_under_every_dependency(check):
    """Locations hold ages to nothing, and ages locations."""
    counts = {**as_expected("Arden", "Brook"), (">=50", "Cliff"): 20, ("20-29", "Cliff"): 6}
    code, out, _ = check(counts, "--test", "mis", "--also", "Age:Location", "--json")
    found = json.loads(out)
    assert (code, found["passes"]) == (1, False)
    (other,) = found["also"]
    assert other["exposures"] == found["exposures"]
    code, out, _ = check(counts, "--test", "mis", "--also", "Location:Age")
    assert code == 1
    assert "5 targets of Age" in " ".join(out.split())


@pytest.mark.parametrize(("given", "says"), [("Age", "--also takes X:Y"), ("Age:Place", "Place")])
def test_a_dependency_that_cannot_be_read_is_refused(check, given, says):
    code, _, err = check(as_expected("Arden"), "--also", given)
    assert code == 2
    assert says in err
