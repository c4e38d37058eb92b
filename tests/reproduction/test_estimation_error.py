"""The paper on the attacker's estimation error: its formulas, and what it claims about them."""

import pytest

from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import paper

EVERY = [pytest.param(one, id=one.item) for one in paper("estimation")]


@pytest.mark.parametrize("experiment", EVERY)
def test_every_number_agrees_and_every_claim_holds(experiment):
    found = experiment.run(Conditions(full=False))
    assert all(number.agrees in (True, None) for number in found.numbers)
    assert all(claim.holds for claim in found.claims)


def test_what_is_wrong_with_a_formula_is_noticed():
    (number, *_) = paper("estimation")["figure-10"].run(Conditions(full=False)).numbers
    assert number.agrees
    assert not type(number)(number.what, number.printed + 1e-6, number.ours, tolerance=1e-9).agrees
