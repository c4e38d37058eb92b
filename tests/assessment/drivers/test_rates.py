"""What attributes tell, of a table that is a sample: with what is known of it in the population."""

import numpy as np

import divulge as dv
from divulge.policy import Policy

RNG = np.random.default_rng(5)
AGE = RNG.integers(0, 6, 900)
TABLE = {
    "age": AGE.tolist(),
    "town": RNG.integers(0, 4, 900).tolist(),
    "ill": ((AGE + RNG.integers(0, 4, 900)) % 3).tolist(),
    "weight": RNG.integers(5, 30, 900).tolist(),
}
ROLES = {"age": "quasi-identifier", "town": "quasi-identifier", "ill": "sensitive", "weight": "other"}
KEYS, BOUND = ["age", "town"], {"k_anonymity": {"min": 2}}


def targets(population=None, **options):
    said = {} if population is None else {"population": population}
    audited = dv.audit(
        TABLE, Policy.of({"attributes": ROLES, "thresholds": BOUND, **said}), search=False, **options
    )
    return {one["target"]: one for one in audited.document["targets"]}


def in_population(target):
    return {
        one["measure"]: one["in_population"]
        for one in target["together"]["readings"]
        if "in_population" in one
    }


def test_rates_of_a_sample_have_the_intervals_that_measuring_gives():
    found = targets({"size": 9000})
    alone = {key["key"]: key["discrimination_rate"] for key in found["ill"]["keys"]}
    for key in KEYS:
        reading = dv.measure(TABLE, "discrimination_rate", keys=key, target="ill", interval=0.95)
        assert alone[key]["in_population"] == vars(reading.in_population)
    together = dv.measure(TABLE, "discrimination_rate", keys=KEYS, target="ill", interval=0.95)
    assert in_population(found["ill"])["discrimination_rate"] == vars(together.in_population)
    assert alone["age"]["in_population"]["kind"] == "interval"
    assert "in_population" not in found["ill"]["keys"][0]["itpr"]  # no method for it is known to hold


def test_shares_of_people_are_at_most_what_the_sample_shows():
    found = in_population(targets({"fraction": 0.1})["@record"])
    assert {one["kind"] for one in found.values()} == {"at most"}
    assert {*found} == {"uniqueness", "reidentification_risk"}


def test_weights_of_the_population_count():
    weighted = in_population(targets({"weight": "weight"})["ill"])["discrimination_rate"]
    data = dv.read(TABLE, weights="weight")
    reading = dv.measure(data, "discrimination_rate", keys=KEYS, target="ill", interval=0.95)
    assert weighted == vars(reading.in_population)
    assert weighted != in_population(targets({"size": 9000})["ill"])["discrimination_rate"]


def test_a_table_that_is_no_sample_has_none():
    found = targets()
    assert in_population(found["ill"]) == in_population(found["@record"]) == {}
    assert all("in_population" not in key["discrimination_rate"] for key in found["ill"]["keys"])


def test_of_very_many_questions_each_has_fewer_shuffles_and_says_how_many():
    """Two targets, each asked of 61 attributes and of all keys: 199 x 100 / 124 shuffles."""
    rng = np.random.default_rng(2)
    names = [f"a{i}" for i in range(60)]
    table = {name: rng.integers(0, 3, 3000) for name in [*names, "ill", "pay"]}
    found = dv.audit(table, quasi_identifiers=names[:2], sensitive=["ill", "pay"], search=False).document
    said = [one["itpr"]["chance_method"] for one in found["targets"][1]["keys"]]
    assert set(said) == {"160 shuffles"}
    assert found["targets"][1]["together"]["readings"][-1]["chance_method"] in ("exact", "199 shuffles")
