"""The summary of attacks."""

import pytest

from divulge.attacks import Outcome, summary


def outcome(attack, risk):
    return Outcome(attack, attack.title(), "something", risk=risk)


def test_the_loss_is_what_the_risk_leaves_and_the_overall_loss_a_mean_over_two_attacks():
    found = summary(
        [outcome("identity_white_box", 0.6), outcome("homogeneity", 0.2), outcome("similarity", 0.9)]
    )
    assert [line["information_loss"] for line in found["lines"]] == pytest.approx([0.4, 0.8, 0.1])
    assert found["overall_information_loss"] == pytest.approx(0.6)


def test_a_probability_has_no_information_loss():
    (line,) = summary([outcome("prosecutor", 0.2)])["lines"]
    assert line == {"attack": "prosecutor", "title": "Prosecutor", "risk": 0.2, "information_loss": None}


@pytest.mark.parametrize("risk", [None, 0.5])
def test_without_one_of_the_two_there_is_no_overall_loss(risk):
    outcomes = [outcome("identity_white_box", None if risk is None else risk)]
    outcomes += [outcome("homogeneity", 0.5)] if risk is None else []
    assert summary(outcomes)["overall_information_loss"] is None
