"""People beyond the table in an audit: the figures of `uniqueness`, in the audit's own groups."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.engines.out_of_core import opening
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.errors import DivulgeError, ParameterError
from divulge.policy import Policy
from questions import assert_same_documents

# Thesis table 3.5: records 2, 4, 5, 6 and 9 are unique on all three.
THESIS = {
    "ZIP": [35510, 35511, 35510, 35512, 35512, 35510, 35512, 35512, 35510],
    "Age": [22, 27, 22, 36, 43, 41, 30, 30, 25],
    "Disease": ["flu", "flu", "flu", "cold", "flu", "cold", "flu", "flu", "flu"],
}
RNG = np.random.default_rng(7)
PEOPLE = {
    "age": RNG.integers(20, 70, 2000).tolist(),
    "sex": RNG.choice(["f", "m"], 2000).tolist(),
    "town": RNG.integers(1, 9, 2000).tolist(),
    "ill": RNG.choice(["flu", "cold"], 2000).tolist(),
    "house": (np.arange(2000) // 2).tolist(),
}
KEYS = ["age", "sex", "town"]
SAMPLE = {name: values[:300] for name, values in PEOPLE.items()}
WEIGHTED = {**SAMPLE, "weight": (RNG.integers(2, 9, 300)).tolist()}
ROLES = {"quasi_identifiers": KEYS, "sensitive": "ill", "search": False}
SAME = ("population_size", "fraction", "population", "spread", "known", "match", "risk", "keys", "counted")


def beyond(data=SAMPLE, policy=None, **said):
    with exact_counts():
        roles = ROLES if policy is None else {"search": False}
        return dv.audit(data, policy, **roles, **said).document["people_beyond_table"]


def account(data=SAMPLE, **said):
    with exact_counts():
        return dv.uniqueness(data, keys=KEYS, special=True, **said).to_dict()


@pytest.mark.parametrize(
    ("in_audit", "alone", "way"),
    [
        ({"population": 2000}, {"size": 2000}, "size"),
        ({"fraction": 0.15, "household": "house"}, {"fraction": 0.15, "household": "house"}, "fraction"),
        ({"population": PEOPLE}, {"population": PEOPLE}, "table"),
    ],
)
def test_the_audit_has_the_figures_of_the_account(in_audit, alone, way):
    found, expected = beyond(**in_audit), account(**alone)
    assert found["declared"] == way
    for name in SAME:
        assert found[name] == expected[name], name
    assert found["special"]["score_sum"] == expected["special"]["score_sum"]
    assert found["special"]["dis_max"] == expected["special"]["dis_max"]
    assert found["special"]["by_size"] == expected["special"]["by_size"]
    assert found["sample"] | {"in_pairs": expected["sample"]["in_pairs"]} == expected["sample"]


def test_weights_say_it_whether_they_weigh_the_measures_or_not():
    expected = account(dv.read(WEIGHTED, weights="weight"))
    attributes = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    bounds = {"attributes": attributes, "thresholds": {"singled_out": {"k": 2}}}
    for policy in (
        {**bounds, "population": {"weight": "weight"}},
        {**bounds, "data": {"weights": "weight"}},
    ):
        found = beyond(WEIGHTED, Policy.of(policy))
        assert found["declared"] == "weights"
        assert {name: found[name] for name in SAME} == {name: expected[name] for name in SAME}


def test_where_nothing_says_what_the_table_is_a_sample_of_nothing_is_estimated():
    found = beyond()
    assert (found["declared"], found["population_size"], found["population"]) == (None, None, {})
    assert (found["match"], found["spread"], found["special"]["dis_max"]) == (None, None, None)
    assert found["special"]["score_sum"] == account()["special"]["score_sum"]


def test_values_are_counted_in_the_groups_of_the_policy_here_and_in_the_population():
    attributes = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    attributes["age"] = {"role": "quasi-identifier", "bins": [30, 50]}
    policy = Policy.of({"attributes": attributes, "thresholds": {"k_map": {"min": 2}}})

    def grouped(table):
        bands = [(age >= 30) + int(age >= 50) for age in table["age"]]
        return {**table, "age": bands}

    expected = account(grouped(SAMPLE), population=grouped(PEOPLE))
    found = beyond(SAMPLE, policy, population=PEOPLE)
    assert (found["known"], found["risk"]) == (expected["known"], expected["risk"])


def test_a_population_that_is_known_decides_who_is_singled_out():
    drawn = {"age": [22, 22, 35, 41], "ill": ["a", "b", "a", "b"]}
    everyone = {"age": [22, 22, 22, 22, 22, 35, 35, 41]}
    found = dv.audit(drawn, quasi_identifiers="age", sensitive="ill", population=everyone, search=False)
    risks = found.records(kind="pandas")
    assert risks["risk"].tolist() == [0.2, 0.2, 0.5, 1.0]
    assert risks["people"].tolist() == [5, 5, 2, 1]
    assert found.document["source"]["population"]["size"] == 8
    assert found.document["provenance"]["files"][1]["role"] == "population"


def test_each_record_has_its_scores_and_minimal_sets():
    found = dv.audit(THESIS, quasi_identifiers=list(THESIS), fraction=0.5, search=False)
    columns = found.columns("records", exact_counts=True)
    said = {place + 1: text for place, text in enumerate(columns["minimal_sets"].values) if text}
    assert said == {
        2: "ZIP; Age",
        4: "Age; ZIP+Disease",
        5: "Age",
        6: "Age; ZIP+Disease",
        9: "Age",
    }
    own = dv.uniqueness(THESIS, keys=list(THESIS), fraction=0.5, special=True)
    assert columns["suda_score"].values.tolist() == own.scores.score.tolist()
    assert columns["dis"].values.tolist() == own.scores.dis.tolist()
    assert columns["people"].values.tolist() == (own.sample.sizes / 0.5).tolist()
    assert columns["population_risk"].values.tolist() == own.risk.tolist()
    hidden = found.columns("records")
    assert hidden["suda_score"].missing[1]


def test_a_household_is_as_risky_as_all_its_people():
    found = dv.audit(SAMPLE, **ROLES, fraction=0.1, household="house")
    own = dv.uniqueness(SAMPLE, keys=KEYS, fraction=0.1, household="house")
    assert found.columns("records", exact_counts=True)["household_risk"].values.tolist() == (
        own.household_risk.tolist()
    )
    with pytest.raises(DivulgeError, match="hous"):
        dv.audit(SAMPLE, **ROLES, household="hous")


def test_copies_of_a_record_count_once_as_in_the_checks():
    numbered = {**SAMPLE, "number": list(range(300))}
    copied = {name: [*values, *values[:30]] for name, values in numbered.items()}
    once = dv.audit(numbered, **ROLES, population=2000).document["people_beyond_table"]
    twice = dv.audit(copied, **ROLES, population=2000).document["people_beyond_table"]
    assert (twice["sample"], twice["match"]) == (once["sample"], once["match"])


def test_where_groups_overlap_nothing_is_counted_and_the_reason_is_given():
    found = beyond({**SAMPLE, "age": [None, *SAMPLE["age"][1:]]}, missing="wildcard", population=2000)
    assert set(found) == {"declared", "undefined"}
    assert "overlap" in found["undefined"]


def test_weights_below_one_are_no_number_of_people():
    low = {**WEIGHTED, "weight": [0.5, *WEIGHTED["weight"][1:]]}
    attributes = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    bounds = {"attributes": attributes, "thresholds": {"singled_out": {"k": 2}}}
    with pytest.raises(ParameterError, match="weight below 1"):
        beyond(low, Policy.of({**bounds, "population": {"weight": "weight"}}))
    found = beyond(low, Policy.of({**bounds, "data": {"weights": "weight"}}))  # weights of measures may be
    assert "below 1" in found["undefined"]
    gone = {**WEIGHTED, "weight": [None, *WEIGHTED["weight"][1:]]}
    with pytest.raises(DivulgeError, match="must be positive numbers"):
        beyond(gone, Policy.of({**bounds, "population": {"weight": "weight"}}))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"fraction": 0}, "sampled fraction is 0"),
        ({"fraction": 1.5}, "sampled fraction is 1.5"),
        ({"population": 0}, "The population is 0 people"),
        ({"population": 200}, "200 people, and the table has 300"),
        ({"population": 2000, "fraction": 0.1}, "and by a fraction"),
        ({"population": {"age": [22]}}, "population table lacks sex, town"),
        (
            {"population": {name: values[200:] for name, values in PEOPLE.items()}},
            "lacks people of the sample",
        ),
    ],
)
def test_what_cannot_be_the_population_is_refused(said, why):
    with pytest.raises(ParameterError, match=why):
        beyond(**said)


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    """The sample in a file whose combinations are too many to be brought over."""
    counted = OutOfCoreTable.combinations
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)
    monkeypatch.setattr(
        OutOfCoreTable, "combinations", lambda self, names: counted(self, names) if len(names) == 1 else None
    )
    pq.write_table(pa.table(SAMPLE), tmp_path / "people.parquet")
    return dv.read(tmp_path / "people.parquet", memory="500MB")


BY_RECORD = ("population", "spread", "special", "undefined")


def test_records_elsewhere_are_judged_by_the_sizes_of_their_groups(on_disk):
    there, here = beyond(on_disk, fraction=0.15), beyond(fraction=0.15)
    assert_same_documents(there, here, unlike=tuple(f".{name}" for name in BY_RECORD))
    assert there["special"] is None
    for model, found in there["population"].items():
        if model.startswith("loglinear"):
            assert "needs their values" in found["undefined"]
        else:
            assert_same_documents(found, here["population"][model])


def test_a_bound_on_who_is_unique_in_the_population_is_checked_by_sizes_of_groups(on_disk):
    attributes = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    bounds = {"population_unique": {"max": 0.001}, "match_chance": {"max": 0.9}}
    policy = Policy.of({"attributes": attributes, "thresholds": bounds, "population": {"size": 2000}})
    told = [dv.audit(data, policy, search=False).document["checks"] for data in (on_disk, SAMPLE)]
    (there, match), (here, same) = ([one for one in checks if one["measure"] in bounds] for checks in told)
    assert (match["outcome"], match["found"]) == (same["outcome"], pytest.approx(same["found"], rel=1e-12))
    assert (there["outcome"], here["outcome"]) == ("fail", "fail")


def test_without_some_models_a_bound_between_what_others_say_and_who_is_unique_here_is_not_evaluated(on_disk):
    # 46 % by the largest of the models that sizes of groups are enough for; more are unique in the sample.
    policy = Policy.of(
        {
            "attributes": {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"},
            "thresholds": {"population_unique": {"max": 0.6}},
            "population": {"size": 2000},
        }
    )
    checks = dv.audit(on_disk, policy, search=False).document["checks"]
    [check] = [one for one in checks if one["measure"] == "population_unique"]
    assert check["outcome"] == "not evaluated"
    assert "log-linear models need each record" in check["undefined"]


def test_households_elsewhere_are_not_known_by_sizes_of_groups(on_disk):
    found = beyond(on_disk, population=2000, household="house")
    assert "not at hand one by one" in found["undefined"]
