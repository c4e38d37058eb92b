"""Checks of people on changed values: by who is linked to their own record, up to the bound and beyond it."""

from types import SimpleNamespace

import numpy as np
import pytest

from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.attacks.changed_values.nearest import RightLinks
from divulge.comparison.checks_by_truth import by_truth
from divulge.policy import Demands, SinglingOut

AGE = ("age",)


def answered(probability, *levels, people=None):
    """A check of who is singled out by age, when people are linked with these probabilities."""
    links = RightLinks(np.asarray(probability), np.arange(len(probability)), people or len(probability), 0.1)
    released = SimpleNamespace(records=10, schema=SimpleNamespace(quasi_identifiers=AGE))
    alignment = SimpleNamespace(released=released, rows=(np.arange(10), np.arange(10)))
    truth = SimpleNamespace(alignment=alignment, shared={})
    judge = SimpleNamespace(aligned=True, links=links, truth=truth)
    before = CheckAnswer("pass", 0.0, 0, 10, "")
    check = TableCheck("singled_out", "", AGE, (), "", 0.0, "", lambda scope: before, before)
    [found] = by_truth([check], Demands(singled_out=levels), judge)
    return found.answer


# Of ten people two are linked for certain, three with a risk of exactly 1 in 5, and five with less.
LINKED = [1.0] * 2 + [0.2] * 3 + [0.1] * 5


@pytest.mark.parametrize(("most", "outcome"), [(0.19, "fail"), (0.2, "pass"), (0.3, "pass")])
def test_a_share_of_people_that_is_exactly_the_maximum_is_allowed(most, outcome):
    found = answered(LINKED, SinglingOut(most, 5))
    assert (found.outcome, found.found, found.concerned) == (outcome, 0.2, 2)
    assert found.sentence.endswith("which is allowed.") == (outcome == "pass")


def test_a_risk_of_exactly_one_in_k_is_not_above_it():
    assert answered(LINKED, SinglingOut(0.0, 5)).concerned == 2
    assert answered(LINKED, SinglingOut(0.0, 6)).concerned == 5


def test_of_two_levels_the_one_that_fails_goes_before_the_one_that_warns():
    strict, mild = SinglingOut(0.1, 5), SinglingOut(0.0, 6, "warn")
    for levels in ((strict, mild), (mild, strict)):
        assert answered(LINKED, *levels).outcome == "fail"
    assert answered(LINKED, SinglingOut(0.2, 5), mild).outcome == "warn"


def test_a_sample_that_cannot_show_that_the_bound_is_kept_is_not_evaluated():
    # Of a thousand drawn nobody is linked: up to 0.3% of all may be, which 0.1% does not allow and 1% does.
    nobody = [0.1] * 1000
    found = answered(nobody, SinglingOut(0.001, 5), people=100_000)
    assert (found.outcome, found.found) == ("not evaluated", None)
    assert "at most 0.3%" in found.sentence
    assert answered(nobody, SinglingOut(0.01, 5), people=100_000).outcome == "pass"
    assert answered(nobody, SinglingOut(0.0, 5)).outcome == "pass"  # everybody was tried
    # Nobody is what a sample can never show: beside a bound that fails, one that warns is only said.
    both = answered(nobody, SinglingOut(0.01, 3), SinglingOut(0.0, 5, "warn"), people=100_000)
    assert both.outcome == "pass"
    assert "with 95% confidence at most 0.3%" in both.sentence
