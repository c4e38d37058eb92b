"""Attacks on synthetic data: the interval arithmetic of the peer, copies, fresh draws, and edges."""

import json
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.attacks.synthetic_data.account import synthetic_attacks
from divulge.attacks.synthetic_data.attacks import inference, linkability, membership, singling_out
from divulge.attacks.synthetic_data.predicates import ConditionTable
from divulge.attacks.synthetic_data.success_rates import SuccessRate, beyond
from divulge.attacks.synthetic_data.tables import AttackTables
from divulge.errors import SchemaError, Undefined

PEER = json.loads((Path(__file__).parents[2] / "golden" / "peers" / "anonymeter.json").read_text())


def people(seed, rows=400):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    return {
        "age": age.tolist(),
        "income": (rng.normal(30, 8, rows) + age / 5).round(2).tolist(),
        "place": rng.choice(list("abcdefgh"), rows).tolist(),
        "disease": rng.choice(["flu", "cold", "gout", "none"], rows).tolist(),
    }


def tables(synthetic):
    return AttackTables.of(*(dv.read(one) for one in (people(1), synthetic, people(2))))


@pytest.fixture(scope="module")
def copied():
    return tables(people(1))


@pytest.fixture(scope="module")
def fresh():
    return tables(people(3))


@pytest.mark.parametrize("case", PEER["wilson"], ids=str)
def test_rates_and_their_errors_are_those_of_the_peer(case):
    found = SuccessRate.of(case["success"], case["n"])
    assert (found.value, found.error) == pytest.approx((case["value"], case["error"]), rel=1e-12)


def test_what_is_left_beyond_the_control_is_that_of_the_peer():
    case = PEER["residual"]
    found = beyond(*(SuccessRate.of(case[name][1], case[name][0]) for name in ("attack", "control")))
    assert (found.value, found.error) == pytest.approx((case["value"], case["error"]), rel=1e-12)


def test_a_copy_is_open_to_every_attack(copied):
    assert singling_out(copied, attacks=100).success.value > 0.9
    assert linkability(copied, ["age", "income"], ["income", "place"]).risk.value > 0.9
    assert inference(copied, ["age", "income", "place"], "disease").success.value > 0.95
    found = membership(copied)
    assert found.risk > 0.9
    assert found.equal == 1


def test_a_fresh_draw_tells_nothing_about_those_used(fresh):
    for found in (
        linkability(fresh, ["age", "income"], ["place", "disease"]),
        inference(fresh, ["age", "income", "place"], "disease"),
    ):
        low, _ = found.risk.interval
        assert low < 0.05
    assert membership(fresh).risk < 0.1


def test_an_attack_no_better_than_a_guess_has_no_risk_but_a_reason(fresh):
    held = (people(1), people(3), people(2))
    found = {one["attack"]: one for one in synthetic_attacks(*held, secrets=["disease"])}
    assert set(found) == {"singling out", "linkability", "inference of disease", "membership"}
    said = found["inference of disease"]
    assert (said["risk"], said["undefined"]) == (None, "the attack is no better than a guess")


def test_conditions_hold_for_the_records_they_say():
    table = ConditionTable(dv.read(people(1)), ("age", "place"))
    one = table.condition("age", 5)
    ages = np.array(people(1)["age"])
    held = ages >= one.number if one.kind == "at least" else ages <= one.number
    assert table.count((one,)) == held.sum()
    assert table.condition("place", 0).text == people(1)["place"][0]


def test_too_few_records_and_other_attributes_are_refused():
    few = {name: column[:10] for name, column in people(1).items()}
    held = AttackTables.of(*(dv.read(one) for one in (few, people(3), people(2))))
    with pytest.raises(Undefined, match="fewer than 20"):
        inference(held, ["age"], "disease")
    with pytest.raises(SchemaError, match="no attribute in common"):
        AttackTables.of(*(dv.read(one) for one in (people(1), people(3), {"x": [1]})))
