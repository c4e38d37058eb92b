"""Who is counted: people with several records, records without a gap, records with weights."""

import itertools

import numpy as np
import pytest

import divulge as dv
from divulge.anonymization.release import of_groups_alone, passes, people_checks, release_checks
from divulge.errors import DivulgeError, ParameterError
from divulge.recipes.recipe import Recipe
from random_hierarchies import random_hierarchy

ASKED = {
    "people": (
        {"k_anonymity": {"min": 3}},
        {"reidentification_risk": {"max": 0.4}, "uniqueness": {"max": 0.2}},
        {"worst_posterior": {"max": 0.6, "target": "@record"}, "distinct_l_diversity": {"min": 2}},
        {"reidentification_risk": {"max": 0.45, "kind": "average"}, "class_count": {"max": 5}},
    ),
    "drop": ({"k_anonymity": {"min": 3}}, {"distinct_l_diversity": {"min": 2}, "t_closeness": {"max": 0.4}}),
    "weights": (
        {"k_anonymity": {"min": 2}, "t_closeness": {"max": 0.35}},
        {"entropy_l_diversity": {"min": 1.7}},
        {"worst_posterior": {"max": 0.7}, "discrimination_rate": {"max": 0.4}},
        {"k_anonymity": {"min": 3}, "discrimination_rate": {"max": 0.7, "target": "@record"}},
    ),
}


def case(rng, how, asked):
    """A table of two keys with what makes its counting special, hierarchies, and a policy."""
    records = int(rng.integers(10, 26))
    values = {key: [f"{key}{one}" for one in range(3)] for key in ("a", "b")}
    table = {key: rng.choice(some, records).tolist() for key, some in values.items()}
    table["s"] = rng.choice(["x", "y", "z"], records).tolist()
    trees = {key: random_hierarchy(rng, key, some) for key, some in values.items()}
    attributes = {key: {"role": "quasi-identifier", "hierarchy": tree} for key, tree in trees.items()}
    attributes["s"], data = {"role": "sensitive"}, {}
    if how == "people":
        table["name"] = rng.integers(0, records // 2, records).tolist()
        attributes["name"] = {"role": "identifier"}
    elif how == "drop":
        table["a"] = [
            None if gap else value for gap, value in zip(rng.random(records) < 0.2, table["a"], strict=True)
        ]
        data["missing"] = "drop"
    else:
        table["w"] = rng.choice([0.5, 1.0, 4.0], records).tolist()
        data["weights"] = "w"
    return table, trees, dv.Policy.of({"data": data, "attributes": attributes, "thresholds": asked})


def by_trying(table, trees, policy, share):
    """The least loss of a release that passes, by making every release there is."""
    data, least = policy.open(table), None
    whole = [row for row in range(len(table["s"])) if table["a"][row] is not None]
    for levels in itertools.product(*(range(tree.levels + 1) for tree in trees.values())):
        steps = [
            {"mechanism": "recode", "attributes": [name], "hierarchy": tree, "level": level}
            for (name, tree), level in zip(trees.items(), levels, strict=True)
            if level
        ]
        steps.append({"mechanism": "suppress_groups", "attributes": list(trees), "policy": policy})
        recipe = Recipe.of(steps, name="tried")
        try:
            released = dv.transform(table, recipe, keep_order=True).data
            if not passes(people_checks(data, recipe, policy)):
                continue
        except DivulgeError:  # no record would be left
            continue
        gone = [row for row in whole if all(released[name][row] == "*" for name in trees)]
        heights = zip(trees.values(), levels, strict=True)
        tops = all(level and set(tree.groups[level - 1]) == {"*"} for tree, level in heights)
        if tops or len(gone) > share * len(whole) + 1e-9:
            continue  # where all is the mark, releases differ in how they say so
        loss = 0.0
        for (name, tree), level in zip(trees.items(), levels, strict=True):
            for row in whole:
                group = released[name][row]
                leaves = tree.groups[level - 1].count(group) if level and row not in gone else 1
                loss += ((len(tree.values) if row in gone else leaves) - 1) / (len(tree.values) - 1)
        loss /= len(whole) * len(trees)
        least = loss if least is None else min(least, loss)
    return least


@pytest.mark.parametrize(("how", "which"), [(how, one) for how in ASKED for one in range(len(ASKED[how]))])
def test_the_least_loss_is_that_of_trying_every_release(how, which):
    met = 0
    for seed in range(2):
        table, trees, policy = case(np.random.default_rng(seed), how, ASKED[how][which])
        expected = by_trying(table, trees, policy, 0.3)
        try:
            found = dv.anonymize(table, policy, suppress=0.3)
        except ParameterError:  # nothing meets the policy
            assert expected is None
            continue
        met += 1
        assert found.best.loss == pytest.approx(1.0 if expected is None else expected, abs=1e-9)
        assert passes(of_groups_alone(release_checks(found.application.table, policy)))
        assert "name" not in found.table
        more = {"local": True} if seed % 2 else {"suppress_cells": True}
        finer = dv.anonymize(table, policy, suppress=0.3, keep_order=True, **more)
        assert passes(of_groups_alone(release_checks(finer.application.table, policy)))
        assert finer.local.loss <= found.best.loss + 1e-9
        assert dv.transform(table, finer.recipe, keep_order=True).data == finer.table
    assert met


def test_two_visits_of_one_person_are_no_crowd():
    table = {"age": [30, 30, 30, 60, 60, 61], "name": ["Ann", "Ann", "Ann", "Bo", "Cy", "Di"]}
    roles = {"quasi_identifiers": "age", "identifiers": "name"}
    found = dv.anonymize(table, k=3, suppress="50%", keep_order=True, **roles)
    assert found.table["age"][:3] == ["*", "*", "*"]
    assert len(set(found.table["age"][3:])) == 1
    assert "name" not in found.table


def test_a_record_with_a_gap_is_in_no_group_and_goes_up_with_the_others():
    table = {"age": [31, 32, None], "town": ["a", "a", "b"]}
    found = dv.anonymize(table, k=2, missing="drop", keep_order=True, quasi_identifiers=["age", "town"])
    assert found.best.levels == {"age": 1, "town": 0}
    assert found.table["age"][2] is None
    assert found.table["town"] == ["a", "a", "b"]
    [check] = [one for one in found.checks if getattr(one, "measure_name", "") == "incomplete"]
    assert check.outcome == "fail"  # nobody else is in town b
    assert check.sentence in found.to_dict()["notes"]


def test_weights_change_what_is_shared_and_not_who_is_counted():
    table = {"age": ["a", "a", "b", "b"], "ill": ["x", "y", "x", "y"], "w": [9.0, 1.0, 1.0, 9.0]}
    attributes = {"age": "quasi-identifier", "ill": "sensitive"}
    tree = dv.Hierarchy.of([("a", "*"), ("b", "*")], attribute="age")
    levels = {}
    for weights in ({}, {"weights": "w"}):
        policy = dv.Policy.of(
            {
                "data": weights,
                "attributes": {**attributes, "age": {"role": "quasi-identifier", "hierarchy": tree}},
                "thresholds": {"k_anonymity": {"min": 2}, "t_closeness": {"max": 0.2}},
            }
        )
        levels[len(weights)] = dv.anonymize(table, policy).best.levels["age"]
    assert levels == {0: 0, 1: 1}  # by weight the groups have 9/10 of x and of y, the table one half


L2 = {"distinct_l_diversity": {"min": 2}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"missing": "wildcard"}, "makes groups overlap"),
        ({"missing": "drop", "sensitive": "ill", "thresholds": L2}, "dropped where it counts"),
    ],
)
def test_what_cannot_be_added_up_is_refused_with_the_reason(data, said):
    table = {"age": [31, 32, 33, 34], "ill": ["x", None, "y", "x"]}
    asked = {"k": 2} if "thresholds" not in data else {}
    with pytest.raises(DivulgeError, match=said):
        dv.anonymize(table, quasi_identifiers="age", **asked, **data)


def test_records_that_differ_by_weight_are_not_taken_for_alike():
    asked = {"worst_posterior": {"max": 0.6, "target": "@record"}}
    _, _, policy = case(np.random.default_rng(1), "weights", asked)
    with pytest.raises(ParameterError, match="differs by the weight of each record"):
        dv.anonymize(case(np.random.default_rng(1), "weights", asked)[0], policy)
