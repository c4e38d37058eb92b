"""From a table and a policy to a release that passes its checks, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge.anonymization.made_hierarchies import made_hierarchy
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.scope import Scope
from divulge.errors import DivulgeError, ParameterError, RecipeError
from random_hierarchies import random_case

AGES = {"age": [31, 32, 33, 51, 52, 53], "sex": ["f", "m", "f", "m", "f", "m"]}
KEYS = {"quasi_identifiers": ["age", "sex"]}


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1 << 40), share=st.sampled_from([0, 0.2, "50%"]), leave_out=st.booleans())
def test_a_release_that_is_read_back_passes_its_policy(seed, share, leave_out, tmp_path_factory):
    table, _, policy = random_case(np.random.default_rng(seed))
    try:
        found = dv.anonymize(table, policy, suppress=share, leave_out=leave_out)
    except ParameterError:  # nothing meets the policy
        return
    path = tmp_path_factory.mktemp("release") / "released.csv"
    found.save(path)
    checks = every_check(Scope(policy.open(path), policy.partitions), policy)
    assert {check.outcome for check in checks} <= {"pass", "warn"}
    released = dv.read(path)
    assert found.left_out or not leave_out  # they also are where a group of them would reveal a value
    assert released.records == len(table["s"]) - (found.best.suppressed if found.left_out else 0)


def test_a_recipe_makes_the_release_again():
    found = dv.anonymize(AGES, k=3, seed=1, keep_order=True, **KEYS)
    again = dv.transform(AGES, found.recipe, keep_order=True).data
    assert again == found.table
    assert len(set(zip(again["age"], again["sex"], strict=True))) == found.best.classes


def test_suppressed_records_keep_their_other_values():
    table = {"age": [30] * 5 + [99], "ill": ["flu", "cold"] * 3}
    found = dv.anonymize(
        table, k=2, suppress="20%", keep_order=True, quasi_identifiers="age", sensitive="ill"
    )
    assert found.table == {"age": [30, 30, 30, 30, 30, "*"], "ill": ["flu", "cold"] * 3}
    assert found.to_dict()["best"]["suppressed"] == "<5"


def test_identifiers_leave_and_the_policy_still_fits():
    table = {**AGES, "name": ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]}
    attributes = {"age": "quasi-identifier", "sex": "quasi-identifier", "name": "identifier"}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": {"k_anonymity": {"min": 3}}})
    found = dv.anonymize(table, policy)
    assert "name" not in found.table
    assert {check.outcome for check in dv.audit(found.table, policy, search=False).checks} <= {"pass", "warn"}


@pytest.mark.parametrize(
    "asked",
    [
        {"singled_out": {"max": 0, "k": 3}},
        {"learned": {"max": 0, "certain": 0.9}, "k_anonymity": {"min": 2}},
        {"discrimination_rate": {"max": 0.3, "adjusted": True}, "k_anonymity": {"min": 2}},
        {"k_anonymity": [{"min": 2}, {"min": 6, "keys": ["sex"]}]},
        {"discrimination_rate": {"max": 0.2, "target": "ill"}, "k_anonymity": {"min": 2}},
    ],
)
def test_what_counts_of_nodes_do_not_decide_is_decided_on_the_release(asked):
    table = {
        "age": [20, 20, 21, 22, 31, 32, 33, 34, 51, 52, 53, 54],
        "sex": ["f", "m"] * 6,
        "ill": ["flu", "flu", "flu", "cold", "gout", "cold", "flu", "gout", "cold", "gout", "gout", "flu"],
    }
    sensitive = {"role": "sensitive", "partition": {"short": ["flu", "cold"], "long": ["gout"]}}
    attributes = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": sensitive}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": asked})
    if "discrimination_rate" in asked:  # chance needs records enough
        table = {name: values * 10 for name, values in table.items()}
    found = dv.anonymize(table, policy, suppress="20%")
    checks = every_check(Scope(policy.open(found.table), policy.partitions), policy)
    assert {check.outcome for check in checks} <= {"pass", "warn"}
    assert 0 < found.best.loss < 1


def test_attributes_that_matter_more_stay_finer():
    sums = {}
    for weight in (0.01, 100):
        found = dv.anonymize(AGES, k=2, weights={"sex": weight}, **KEYS)
        sums[weight] = found.best.levels["sex"]
    assert sums[0.01] > sums[100]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"k": 3, "suppress": "120%"}, "120% is above 100%"),
        ({"k": 3, "suppress": 5}, "5 is above 100%"),
        ({"k": 3, "time": "soon"}, "is no time"),
        ({"k": 3, "loss": "granularty"}, "Unknown loss"),
        ({"k": 3, "weights": {"zip": 1}}, "no quasi-identifier"),
        ({"k": 3, "weights": {"age": 0, "sex": 0}}, "All weights are 0"),
        ({}, "Nothing is asked"),
        ({"k": 7}, r"No group of 7 can be made, because the table has 6 records"),
        ({"k": 3, "weights": {"age": -1}}, "must be a number from 0 on"),
        ({"k": 3, "missing": "wildcard"}, "makes groups overlap"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(DivulgeError, match=said):
        dv.anonymize(AGES, **KEYS, **given)


def test_thresholds_that_fail_together_are_said_with_how_near_one_comes():
    table = {"age": ["a"] * 3 + ["b"] * 2, "ill": ["x", "y", "x", "x", "x"]}
    tree = dv.Hierarchy.of([("a", "a!"), ("b", "b!")], attribute="age")
    asked = {"k_anonymity": {"min": 2}, "distinct_l_diversity": {"min": 2}}
    with pytest.raises(
        ParameterError, match=r"Distinct l-diversity of ill is 1 value \(required: at least 2 values\)"
    ):
        dv.anonymize(
            table, thresholds=asked, hierarchies={"age": tree}, quasi_identifiers="age", sensitive="ill"
        )


def test_the_share_that_has_to_be_suppressed_is_in_the_hint_and_enough():
    table = {"age": ["a"] * 30 + ["b"] * 10, "ill": ["x", "y", "z"] * 10 + ["x"] * 10}
    tree = dv.Hierarchy.of([("a", "a!"), ("b", "b!")], attribute="age")
    asked = {"thresholds": {"distinct_l_diversity": {"min": 2}}, "hierarchies": {"age": tree}}
    roles = {"quasi_identifiers": "age", "sensitive": "ill"}
    with pytest.raises(ParameterError, match=r"--suppress 25%\)") as error:
        dv.anonymize(table, **asked, **roles)
    assert "Distinct l-diversity of ill is 1 value" in str(error.value)
    assert dv.anonymize(table, **asked, **roles, suppress="25%").best.suppressed == 10
    with pytest.raises(ParameterError, match="No group of 7 can be made, because the table has 6 records"):
        dv.anonymize(AGES, k=7, suppress="50%", **KEYS)


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([18, 19, 23, 34, 61], [{"15-19", "20-24", "30-34", "60-64"}, {"0-19", "20-39", "60-79"}]),
        (["1984-05-17", "1984-05-30", "1984-08-02"], [{"1984-05", "1984-08"}]),
        (["1984-05-17", "1984-06-30", "1991-01-02"], [{"1984 Q2", "1991 Q1"}]),
        (["47677", "47602", "47905"], [{"476**", "479**"}]),
        (["red"] * 300 + ["blue"] * 300 + ["teal"] * 2 + ["puce"], [{"red", "blue", "(other)"}]),
        (["red", "blue"], []),
    ],
)
def test_hierarchies_are_made_from_values_and_each_level_merges_some(values, groups):
    tree = made_hierarchy(dv.read({"x": values}), "x")
    found = [set(level) for level in tree.groups]
    assert found[: len(groups)] == groups
    assert found[-1] == {"*"}
    assert [len(level) for level in found] == sorted({len(level) for level in found}, reverse=True)


def test_a_written_recipe_carries_the_texts_that_mean_missing(tmp_path):
    ages = ["NA" if n % 7 == 0 else 30 + n % 6 for n in range(120)]
    lines = ["age,sex,ill", *(f"{age},{'mf'[n % 2]},{'abc'[n % 3]}" for n, age in enumerate(ages))]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    (tmp_path / "policy.toml").write_text(
        '[data]\nsource = "people.csv"\nmissing_values = ["NA"]\n'
        '[attributes]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nill = "sensitive"\n'
        "[thresholds]\nk_anonymity = { min = 18 }\n"
    )
    found = dv.anonymize(policy=tmp_path / "policy.toml", keep_order=True)
    assert found.best.levels["age"] > 0
    found.save(tmp_path / "recipe.toml")
    recipe = dv.Recipe.read(tmp_path / "recipe.toml")
    assert recipe.missing_values == {"NA"}
    found.save(tmp_path / "a.csv")
    dv.transform(tmp_path / "people.csv", recipe, out=tmp_path / "b.csv", keep_order=True)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    assert "NA" not in (tmp_path / "b.csv").read_text()


def test_texts_that_mean_missing_in_a_recipe_are_texts():
    step = {"mechanism": "rounding", "attributes": ["age"], "base": 10}
    with pytest.raises(RecipeError, match="missing_values: this must be a text"):
        dv.Recipe.of({"missing_values": [9], "step": [step]})


def test_where_all_were_counted_those_that_were_not_checked_are_said_and_none_is_left():
    found = dv.anonymize({"age": [31, 32, 41, 42]}, k=2, quasi_identifiers="age")
    nodes = found.certificate.transformations
    stopped = replace(
        found.certificate, evaluated=nodes, excluded={}, proved=False, bound=0.1, stopped="time"
    )
    said = replace(found, result=replace(found.result, certificate=stopped)).sentence
    assert said.endswith(
        "evaluated. Not all of these were held to every check, and they could have a loss as low as 0.1."
    )
