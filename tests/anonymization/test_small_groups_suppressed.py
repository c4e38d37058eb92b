"""Who would be singled out is suppressed, as far as the search may, and what warns or is late is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import divulge as dv
from divulge.generalization.criteria import Criteria, Kind, SmallClasses
from divulge.generalization.deadline import Deadline
from divulge.generalization.search import search
from divulge.policy import Demands, SinglingOut
from divulge.report.anonymization.markdown import markdown
from divulge.report.anonymization.page import page
from divulge.report.anonymization.text import text
from random_hierarchies import lattice_of, random_case
from report import anonymization_document

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}
NOTHING = Criteria((), (), ())


def table(rare=("hiv", "flu", "cold", "gout")):
    """Forty people of each of four ages, and single ones whose ages nobody shares."""
    ages = [str(20 + place % 4) for place in range(160)] + [str(60 + place) for place in range(len(rare))]
    ill = [["flu", "cold", "gout"][place // 4 % 3] for place in range(160)] + list(rare)
    return {"age": ages, "sex": ["f"] * len(ages), "ill": ill}


def policy(**thresholds):
    return {"attributes": ROLES, "thresholds": {"singled_out": {"max": 0.001, "k": 3}, **thresholds}}


def asked(*levels, suppress):
    return NOTHING.asking(Demands(singled_out=levels), ["age"], plainly=True, suppress=suppress)


def test_people_in_small_groups_are_suppressed_up_to_the_share_that_may_be():
    found = dv.anonymize(table(), policy(), suppress="5%")
    assert (found.best.suppressed, found.best.levels["age"]) == (4, 0)
    assert found.loss < dv.anonymize(table(), policy()).loss
    assert {check.outcome for check in found.checks} <= {"pass", "warn"}
    assert not [note for note in found.to_dict()["notes"] if "No record" in note]


def test_the_recipe_suppresses_the_same_records_again(tmp_path):
    frame = pd.DataFrame(table())
    found = dv.anonymize(frame, policy(), suppress="5%", keep_order=True)
    found.save(tmp_path / "recipe.toml")
    again = dv.transform(frame, tmp_path / "recipe.toml", keep_order=True).data
    assert "k = 3" in (tmp_path / "recipe.toml").read_text()
    assert (again["age"] == "*").sum() == 4
    pd.testing.assert_frame_equal(again, found.table)


def test_suppressed_people_of_whom_all_is_learned_are_left_out():
    found = dv.anonymize(
        table(["hiv"] * 5), policy(learned={"max": 0, "certain": 0.9, "chance": False}), suppress="5%"
    )
    assert found.left_out
    assert found.application.table.records == 160


@pytest.mark.parametrize(("suppress", "sizes", "rest"), [(0, [], [3]), (0.001, [3], []), (0.0005, [], [3])])
def test_small_groups_are_suppressed_where_as_many_may_be_as_may_stay(suppress, sizes, rest):
    found = asked(SinglingOut(0.001, 3), suppress=suppress)
    assert [round(one.bound) for one in found.of_classes if one.kind is Kind.SIZE] == sizes
    assert [one.few for one in found.of_rest if isinstance(one, SmallClasses)] == rest
    assert not found.by_release


def test_of_several_levels_those_that_suppression_does_not_reach_are_counted():
    found = asked(SinglingOut(0, 3), SinglingOut(0.5, 20), SinglingOut(0, 9, "warn"), suppress=0.05)
    assert [round(one.bound) for one in found.of_classes] == [3]
    assert found.of_rest == (SmallClasses(20, 0.5),)
    assert not found.by_release
    assert asked(SinglingOut(0, 3), SinglingOut(0.01, 5), suppress=0.05).size == 1


def test_where_all_are_not_evaluated_a_good_one_is_looked_for_before_time_is_over(monkeypatch):
    """Releases that are refused in the order of their loss would leave no time for one that is not."""
    lattice = lattice_of(*random_case(np.random.default_rng(4), {"k_anonymity": {"min": 2}}), 0.0)
    monkeypatch.setattr("divulge.generalization.search.MOST_WORK", 0)
    top = tuple(wide - 1 for wide in lattice.table.shape)
    looked = []

    class AfterSome(Deadline):
        """Time that is over once some releases were looked at."""

        @property
        def over(self):
            return len(looked) >= 8

        def half(self):
            return self

    def accept(levels):
        looked.append(levels)
        return sum(top) - sum(levels) <= 2

    lattice = replace(lattice, criteria=replace(lattice.criteria, of_classes=(), questions=True))
    found = search(lattice, accept, deadline=AfterSome(60.0))
    assert looked[0] == top
    assert found.best[0].loss < lattice.costs.floor(top)
    assert found.certificate.stopped == "time"


LEVELS = {
    "singled_out": [{"max": 0.1, "k": 3}, {"max": 0, "k": 50, "severity": "warn"}],
    "learned": [{"max": 0, "certain": 0.9}, {"max": 0, "certain": 0.5, "severity": "warn"}],
}


def test_every_level_has_its_own_line_the_same_before_and_after():
    found = dv.anonymize(table(), policy(**LEVELS))
    rows = [one for one in found.to_dict()["checks"] if one["measure"] in LEVELS]
    assert [one["asked"].partition(":")[0] for one in rows] == ["fails", "warns"] * 2
    people = len(table()["age"])
    alone, few = rows[:2]
    assert (alone["before"]["outcome"], alone["after"]["outcome"]) == ("pass", "pass")
    assert alone["before"]["found"] == pytest.approx(5 / people)  # fewer than five are not counted
    assert few["before"]["found"] == few["after"]["found"] == 1


def test_checks_that_warn_are_said_first_in_every_form():
    found = dv.anonymize(table(), policy(**LEVELS))
    document = found.to_dict()
    warns = sum(one.outcome == "warn" for one in found.checks)
    said = f"{warns} check{'' if warns == 1 else 's'} warn"
    assert warns
    first = " ".join(text(document).split("Loss: ")[0].split())
    assert f"{said}{'s' if warns == 1 else ''}; the search enforces only those that fail." in first
    assert all(said in form(document) for form in (markdown, page))
    assert "proved best" in markdown(document).splitlines()[0].lower()


def test_that_time_was_over_before_anything_better_was_found_is_said_first():
    late = anonymization_document.stopped("time")
    late["best"] |= {"classes": 1, "loss": 1.0}
    assert "Nothing better was found in time." in text(late).splitlines()[0]
    assert all("nothing better was found in time" in form(late).lower() for form in (markdown, page))
    assert "found in time" not in text(anonymization_document.stopped("time"))


def test_a_share_that_is_below_what_is_printed_is_so_once():
    ages = [str(20 + place % 4) for place in range(8000)] + ["90"]
    columns = {"age": ages, "sex": ["f"] * 8001, "ill": ["flu", "cold", "gout"] * 2667}
    checks = dv.anonymize(columns, policy()).to_dict()["checks"]
    [row] = [one for one in checks if one["measure"] == "singled_out"]
    assert row["before"]["found_text"] == "<0.1% of people"
