"""Weights that are released with a sample, and what they say to someone who knows how it was drawn."""

import random

import pytest

import divulge as dv

DICE = random.Random(5)
N = 1200
AGES = [DICE.randrange(6) for _ in range(N)]
SEXES = [DICE.choice("mf") for _ in range(N)]
ILLS = [DICE.choice(["flu", "cold", "gout", "asthma"]) for _ in range(N)]


def said_of(weights, ills=ILLS, population=None, **policy):
    table = {"age": AGES, "sex": SEXES, "ill": ills, "w": weights}
    if population or policy:
        roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}
        asked = {"attributes": roles, "thresholds": {"k_anonymity": {"min": 2}}, **policy}
        found = dv.audit(table, asked | ({"population": population} if population else {}), search=False)
    else:
        roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}
        found = dv.audit(table, weights="w", search=False, **roles)
    [check] = [one for one in found.checks if one.name == "Gaps in what was measured"]
    return check.sentence


OWN = [f"{DICE.uniform(40, 900):.4f}" for _ in range(N)]
STRATA = [DICE.randrange(240) for _ in range(N)]
BY_STRATUM = [f"{50 + stratum * 3.25:.2f}" for stratum in STRATA]
RARE = ["HIV" if n % 20 == 0 else ill for n, ill in enumerate(ILLS)]
BY_ILLNESS = ["2.5" if ill == "HIV" else "50" for ill in RARE]


@pytest.mark.parametrize("population", [None, {"weight": "w"}])
def test_weights_that_are_unique_or_of_small_strata_are_said(population):
    assert "'w' are released" in said_of(OWN, population=population)
    assert "1,200 records (100%) are unique by it" in said_of(OWN, population=population)
    assert "in groups smaller than 3 by it, age and sex" in said_of(BY_STRATUM, population=population)


def test_weights_that_give_an_illness_away_are_said():
    assert "it gives away ill of 60 records (5%)" in said_of(BY_ILLNESS, RARE)


def test_weights_of_a_few_large_strata_and_those_that_the_policy_allows_are_not():
    few = [("100", "250", "400")[n % 3] for n in range(N)]
    assert "weights" not in said_of(few)
    assert "weights" not in said_of([("2.5", "50")[n % 7 > 0] for n in range(N)], RARE)
    allowed = said_of(OWN, population={"weight": "w"}, allow={"identifiers": ["w"]})
    assert "'w' are released" not in allowed


def test_that_no_gap_weakens_a_result_is_not_said_of_what_someone_knows_as_well():
    towns = [f"town {DICE.randrange(45)}" for n in range(N)]
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}

    def said(values, **more):
        table = {"age": AGES, "sex": SEXES, "ill": ILLS, "v7": values}
        found = dv.audit(table, search=False, **roles, **more)
        return next(one.sentence for one in found.checks if one.name == "Gaps in what was measured")

    assert "This holds where nobody knows more than the quasi-identifiers" in said(towns)
    assert "with 'v7', which no check counts." in said(towns)
    assert "nobody knows more" not in said(towns, population=100_000)
    assert "nobody knows more" not in said([f"town {n % 3}" for n in range(N)])
