"""Attributes that the original lacks and that tell what it says: a release is held to what they show."""

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(9)
N = 1000
AGE, REGION = RANDOM.integers(1, 41, N), RANDOM.integers(1, 21, N)
SEX = RANDOM.choice(["m", "f"], N).tolist()
ILL = RANDOM.choice(["flu", "cold", "gout", "asthma"], N).tolist()
PEOPLE = {"age": AGE.tolist(), "region": REGION.tolist(), "sex": SEX, "ill": ILL}
KEYS = ["age", "region", "sex"]


def compared(released, original=PEOPLE, keys=KEYS, sensitive="ill", **given):
    data = dv.read(original, quasi_identifiers=keys, sensitive=sensitive)
    found = dv.compare(data, released, **given).to_dict()
    [entry] = found["releases"]
    return entry, found["recommendation"]["release"]


def outcome(entry, measure):
    return [one["outcome"] for one in entry["checks"] if one["measure"] == measure]


def without(*names):
    return {name: column for name, column in PEOPLE.items() if name not in names}


def noted(entry):
    return " ".join(entry["alignment"]["notes"])


BEST = compared(PEOPLE)[0]["readings"]["average_risk"]


@pytest.mark.parametrize(
    "new",
    [
        (100 - AGE).tolist(),
        [f"K{age * 7 % 41:02}" for age in AGE.tolist()],
        [f"K{age * 7 % 41:02}-{some}" for age, some in zip(AGE.tolist(), range(N), strict=True)],
        (AGE * 10 + RANDOM.integers(0, 10, N)).tolist(),
        (AGE + RANDOM.random(N)).round(6).tolist(),
    ],
    ids=["turned", "labels", "labels of each record", "digits behind", "fractions"],
)
@pytest.mark.parametrize("rest", [{}, {"age": ["*"] * N}, {"age": [f"{x // 20}" for x in AGE]}])
def test_an_attribute_that_goes_out_under_a_new_name_counts_as_itself(new, rest):
    entry, recommended = compared({**without("age"), **rest, "q7": new})
    if isinstance(new[0], str) and len(set(new)) == N:  # nothing tells these from any names
        assert "read so" not in noted(entry)
        return
    assert entry["readings"]["average_risk"] == pytest.approx(BEST, abs=0.01)
    assert outcome(entry, "singled_out") == ["fail"]
    assert recommended is None
    assert "q7, which the original does not have, tells age" in noted(entry)


def test_one_new_column_may_tell_two_attributes():
    both = (AGE * 100 + REGION).tolist()
    entry, _ = compared({**without("age", "region"), "q7": both})
    assert entry["readings"]["average_risk"] == pytest.approx(BEST, abs=0.01)
    assert "tells age and region" in noted(entry)


@pytest.mark.parametrize(
    "new",
    [
        list(range(N)),
        [f"r{place}" for place in RANDOM.permutation(N).tolist()],
        RANDOM.integers(0, 300, N).tolist(),
        RANDOM.integers(0, 3, N).tolist(),
        ["x"] * N,
        (AGE // 10).tolist(),
        (AGE + RANDOM.normal(0, 20, N)).round(3).tolist(),
    ],
    ids=["rows", "names", "codes", "arms", "constant", "decades", "noise"],
)
def test_a_new_column_that_tells_no_values_changes_nothing(new):
    plain, _ = compared(without("age"))
    entry, _ = compared({**without("age"), "q7": new})
    assert entry["readings"] == plain["readings"]
    assert outcome(entry, "singled_out") == outcome(plain, "singled_out")
    assert "read so" not in noted(entry)


@pytest.mark.parametrize(
    ("new", "gap"),
    [
        ((AGE // 10).tolist(), True),
        ([f"group {x // 10}" for x in AGE.tolist()], True),
        ((100 - AGE + RANDOM.normal(0, 3, N)).round(3).tolist(), True),
        (RANDOM.integers(0, 4, N).tolist(), False),
        (RANDOM.permutation(AGE).tolist(), False),
        ((AGE + RANDOM.normal(0, 30, N)).round(3).tolist(), False),
    ],
    ids=["decades", "labels of decades", "little noise", "arms", "shuffled", "large noise"],
)
def test_a_new_column_that_follows_from_a_dropped_one_is_a_gap(new, gap):
    entry, _ = compared({**without("age"), "q7": new})
    assert outcome(entry, "measured") == ["warn"] * gap
    if gap:
        [said] = [one["sentence"] for one in entry["checks"] if one["measure"] == "measured"]
        assert "--column age=q7" in said
    assert outcome(compared({**PEOPLE, "q7": new})[0], "measured") == []


def test_nearly_everybody_having_one_value_is_nothing_told():
    rare = np.where(RANDOM.random(N) < 0.002, "HIV", "none").tolist()
    original = {**PEOPLE, "rare": rare}
    codes = RANDOM.integers(0, 100, N).tolist()
    entry, _ = compared({**PEOPLE, "q7": codes}, original, [*KEYS, "rare"])
    assert "read so" not in noted(entry)


# -- sensitive values ------------------------------------------------------------------------------

GROUP = np.arange(3000) % 60
SECRET = np.where(GROUP < 10, "HIV", RANDOM.choice(["flu", "cold", "gout"], 3000))
CODE = RANDOM.permutation(1000)
PLACE = np.select([SECRET == "HIV", SECRET == "flu", SECRET == "cold"], [250, 0, 500], 750)
MANY_CODES = CODE[PLACE + RANDOM.integers(0, 250, 3000)]
SICK = {"group": GROUP.tolist(), "ill": SECRET.tolist()}


@pytest.mark.parametrize("name", ["ill", "v3"])
@pytest.mark.parametrize(
    "codes",
    [
        [{"HIV": "k", "flu": "l", "cold": "m", "gout": "n"}[one] for one in SECRET.tolist()],
        [f"{code:03}" for code in MANY_CODES.tolist()],
        [f"c{code}" for code in MANY_CODES.tolist()],
        MANY_CODES.tolist(),
    ],
    ids=["one code each", "digits", "labels", "numbers"],
)
def test_a_code_for_a_sensitive_value_is_that_value_however_many_codes_there_are(name, codes):
    released = {"group": GROUP.tolist(), name: codes}
    entry, recommended = compared(released, SICK, "group")
    plain, _ = compared(SICK, SICK, "group")
    assert outcome(entry, "learned") == outcome(plain, "learned") == ["fail"]
    assert recommended is None


def test_codes_that_do_not_tell_the_value_hide_it():
    codes = RANDOM.permutation(MANY_CODES).tolist()
    entry, _ = compared({"group": GROUP.tolist(), "ill": codes}, SICK, "group")
    assert outcome(entry, "learned") != ["fail"]
    assert "under other names" not in noted(entry)


# -- records that are not matched ------------------------------------------------------------------


def test_a_new_column_beside_records_that_are_not_matched_is_a_gap():
    order = RANDOM.permutation(N - 1)
    released = {name: [column[row] for row in order] for name, column in without("age").items()}
    plain, _ = compared(released)
    assert outcome(plain, "measured") == []
    entry, _ = compared({**released, "q7": [100 - PEOPLE["age"][row] for row in order]})
    assert outcome(entry, "measured") == ["warn"]
    [said] = [one["sentence"] for one in entry["checks"] if one["measure"] == "measured"]
    assert "q7" in said
    assert "--by" in said
