"""A sample of whole households: what estimates assume does not hold, so that none of them passes."""

import random

import divulge as dv

DICE = random.Random(2)
CELLS = [DICE.randrange(150) for _ in range(300)]
HOMES = [home for home in range(300) for _ in range(4)]
TABLE = {
    "home": [f"H{home}" for home in HOMES],
    "cell": [CELLS[home] for home in HOMES],
    "ill": [DICE.choice(["flu", "cold", "gout"]) for _ in HOMES],
}
ROLES = {"home": "other", "cell": "quasi-identifier", "ill": "sensitive"}
ASKED = {"singled_out": {"max": 0.001, "k": 3}, "k_map": {"min": 3}, "delta_presence": {"max": 0.9}}


def outcomes(table, **population):
    policy = {"attributes": ROLES, "thresholds": ASKED, "population": {"size": 60_000, **population}}
    found = dv.audit(table, policy, search=False)
    return {one.measure_name: (one.outcome, one.sentence) for one in found.checks}


def test_estimates_of_a_sample_of_households_pass_nothing():
    without, found = outcomes(TABLE), outcomes(TABLE, household="home")
    assert without["singled_out"][0] == "pass"
    assert "assumes that people were drawn independently of each other" in without["singled_out"][1]
    for name in ASKED:
        outcome, said = found[name]
        assert outcome == "not evaluated"
        assert "were drawn with their households" in said


def test_where_one_of_each_household_was_drawn_estimates_hold():
    alone = TABLE | {"home": [f"P{n}" for n in range(len(HOMES))]}
    for name in ASKED:
        assert outcomes(alone, household="home")[name] == outcomes(alone)[name]


def test_what_fails_by_estimates_fails_all_the_same():
    sample = {"size": 60_000, "household": "home"}
    policy = {"attributes": ROLES, "thresholds": {"k_map": {"min": 100_000}}, "population": sample}
    assert dv.audit(TABLE, policy, search=False).outcome == "fail"
