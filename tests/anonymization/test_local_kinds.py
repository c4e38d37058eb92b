"""Numbers split where they lie, single cells suppressed: releases pass, and cost what their cells cost."""

import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge.anonymization.local import accepted_recoding, local_recodings
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.scope import Scope
from divulge.errors import ParameterError
from random_hierarchies import lattice_of, random_case

OF_GROUPS = {"k_anonymity": {"min": 3}, "distinct_l_diversity": {"min": 2}, "t_closeness": {"max": 0.5}}


def numbers_and_words(rng):
    """A table with a whole number, one with a fraction, a word and a sensitive value, and its policy."""
    records = int(rng.integers(8, 40))
    table = {
        "age": rng.integers(20, 60, records).tolist(),
        "pay": (rng.integers(-4, 30, records) / 2).tolist(),
        "town": rng.choice(["a", "b", "c"], records).tolist(),
        "s": rng.choice([1, 2, 3], records).tolist(),
    }
    if rng.random() < 0.3:
        table["age"][0] = None
    attributes = {
        **dict.fromkeys(["age", "pay"], "quasi-identifier"),
        "town": {
            "role": "quasi-identifier",
            "hierarchy": dv.Hierarchy.of(
                [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")], attribute="town"
            ),
        },
        "s": "sensitive",
    }
    asked = OF_GROUPS if rng.random() < 0.5 else {"k_anonymity": {"min": int(rng.integers(2, 5))}}
    return table, dv.Policy.of({"attributes": attributes, "thresholds": asked})


def passes_its_policy(released, policy):
    checks = every_check(Scope(policy.open(released), policy.partitions), policy)
    return {check.outcome for check in checks} <= {"pass", "warn"}


def ends(text):
    """The least and the greatest number of a released range."""
    if found := re.fullmatch(r"\[(.+), (.+)\]|(\d+)-(\d+)", str(text)):
        low, high = (float(one) for one in found.groups() if one is not None)
        return low, high
    return float(text), float(text)


@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 1 << 40),
    loss=st.sampled_from(["granularity", "bits"]),
    share=st.sampled_from([0, 0.3]),
)
def test_numbers_are_split_under_any_policy_and_cost_what_their_ranges_cost(seed, loss, share):
    table, policy = numbers_and_words(np.random.default_rng(seed))
    try:
        found = dv.anonymize(table, policy, suppress=share, loss=loss, local="mondrian", keep_order=True)
    except ParameterError:  # nothing meets the policy
        return
    released, records = found.table, len(table["s"])
    assert passes_its_policy(released, policy)
    assert found.local.loss <= found.best.loss + 1e-9
    assert dv.transform(table, found.recipe, keep_order=True).data == released
    if found.local.alike:
        return
    lost = 0.0
    for name, tree in found.hierarchies.items():
        often, known = Counter(table[name]), [value for value in set(table[name]) if value is not None]
        for value, was in zip(released[name], table[name], strict=True):
            if value in ("*", "") and was is not None:
                inside = list(often)
            elif was is None:
                inside = [None] if value is None else list(often)
            elif name == "town":
                inside = [one for one in known if one in value]
            else:
                low, high = ends(value)
                assert low <= was <= high
                inside = [one for one in known if low <= one <= high]
            if loss == "bits":
                lost += math.log2(sum(often[one] for one in inside) / often[was])
            else:
                values = [one for one in inside if one is not None] or [None]
                lost += (min(len(values), len(tree.values)) - 1) / max(len(tree.values) - 1, 1)
    expected = lost / records / (1 if loss == "bits" else len(found.hierarchies))
    assert found.local.loss == pytest.approx(expected)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1 << 40), share=st.sampled_from([0.0, 0.1, 0.5]))
def test_single_cells_are_suppressed_within_the_limit_and_the_release_passes(seed, share, tmp_path_factory):
    table, trees, policy = random_case(np.random.default_rng(seed), OF_GROUPS)
    try:
        found = dv.anonymize(table, policy, suppress=share, suppress_cells=True, keep_order=True)
    except ParameterError:  # nothing meets the policy
        return
    assert found.local.loss <= found.best.loss + 1e-9
    path = tmp_path_factory.mktemp("release") / "released.csv"
    found.save(path)
    assert passes_its_policy(path, policy)
    released = found.table
    assert dv.transform(table, found.recipe, keep_order=True).data == released
    if found.local.alike:
        return
    levels = dict(zip(found.lattice.table.attributes, found.local.levels[0], strict=True))
    starred, lost = 0, 0.0
    for attribute, level in levels.items():
        tree = trees[attribute.name]
        as_recoded = dict(zip(tree.values, tree.groups[level - 1] if level else tree.values, strict=True))
        stands = Counter(as_recoded.values())
        for value, was in zip(released[attribute.name], table[attribute.name], strict=True):
            star = value != as_recoded[was]
            assert not star or value == "*"
            starred += star
            lost += ((len(tree.values) if star else stands[value]) - 1) / (len(tree.values) - 1)
    assert starred <= share * len(trees) * len(table["s"]) + 1e-9
    assert found.local.loss == pytest.approx(lost / len(trees) / len(table["s"]))


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1 << 40), how=st.sampled_from([{"local": True}, {"suppress_cells": True}]))
def test_every_policy_that_can_be_met_can_be_met_locally(seed, how):
    table, _, policy = random_case(np.random.default_rng(seed))
    try:
        best = dv.anonymize(table, policy, suppress=0.2).best
    except ParameterError:  # nothing meets the policy
        return
    found = dv.anonymize(table, policy, suppress=0.2, **how)
    assert passes_its_policy(found.table, policy)
    assert found.local.loss <= best.loss + 1e-9


def test_ages_are_cut_at_the_middle_and_keep_their_ends():
    ages = [21, 22, 23, 24, 40, 41, 60, 66]
    found = dv.anonymize(
        {"age": ages}, k=2, local="mondrian", keep_order=True, quasi_identifiers="age", sensitive=None
    )
    assert found.table == {"age": ["21-22", "21-22", "23-24", "23-24", "40-41", "40-41", "60-66", "60-66"]}
    # By hand: four ranges that stand for 2 of 8 values each, (2 - 1) / (8 - 1).
    assert found.local.loss == pytest.approx(1 / 7)


def test_one_cell_goes_where_a_record_would():
    table = {"age": ["a", "a", "a", "b"], "sex": ["f", "f", "m", "m"]}
    trees = {
        name: dv.Hierarchy.of([(value, "*") for value in sorted(set(values))], attribute=name)
        for name, values in table.items()
    }
    found = dv.anonymize(
        table,
        k=2,
        suppress="25%",
        suppress_cells=True,
        keep_order=True,
        hierarchies=trees,
        quasi_identifiers=["age", "sex"],
    )
    assert found.table == {"age": ["a", "a", "*", "*"], "sex": ["f", "f", "m", "m"]}
    assert found.local.loss == pytest.approx(2 / 8)
    assert found.to_dict()["local"]["suppressed_cells"] is None  # two records have one
    assert found.best.loss == pytest.approx(0.5)  # sex goes up for all: one group of a, and b suppressed


def test_the_mark_is_that_of_the_policy():
    table = {"age": ["a", "a", "a", "b"], "sex": ["f", "f", "m", "m"]}
    roles = {"quasi_identifiers": ["age", "sex"], "suppressed": "?"}
    found = dv.anonymize(table, k=2, suppress="25%", suppress_cells=True, keep_order=True, **roles)
    assert found.table == {"age": ["a", "a", "?", "?"], "sex": ["f", "f", "m", "m"]}


def test_what_groups_do_not_decide_leaves_as_many_of_them_fine_as_pass():
    case = random_case(np.random.default_rng(2), {"k_anonymity": {"min": 2}})
    lattice = lattice_of(*case, 0.0)
    top = tuple(levels - 1 for levels in lattice.table.shape)
    candidates = local_recodings(lattice, top)
    assert candidates[0].groups > 1
    most = candidates[0].groups - 1
    found = accepted_recoding(lattice, top, candidates, lambda one: one.groups <= most)
    assert found.groups <= most
    refused = accepted_recoding(lattice, top, candidates, lambda one: False)
    assert refused.alike
    assert refused.groups == 1


def test_without_time_left_groups_of_the_optimum_are_still_made_finer():
    case = random_case(np.random.default_rng(2), {"k_anonymity": {"min": 2}})
    lattice = lattice_of(*case, 0.0)
    top = tuple(levels - 1 for levels in lattice.table.shape)
    [found] = local_recodings(lattice, top, over=lambda: True)
    assert found.start == top
    assert found.groups > 1


def test_a_rate_over_the_table_is_kept_by_a_local_release():
    rng = np.random.default_rng(4)
    table = {
        "age": rng.integers(20, 60, 120).tolist(),
        "town": rng.choice(list("abcd"), 120).tolist(),
        "ill": rng.choice(["flu", "cold", "gout"], 120).tolist(),
    }
    attributes = {"age": "quasi-identifier", "town": "quasi-identifier", "ill": "sensitive"}
    asked = {"k_anonymity": {"min": 2}, "discrimination_rate": {"max": 0.12}}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": asked})
    found = dv.anonymize(table, policy, local=True)
    assert passes_its_policy(found.table, policy)
    assert found.local.loss <= found.best.loss


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"local": "mondrian", "loss": "precision"}, "Choose granularity or bits"),
        ({"local": "mondrian", "quasi_identifiers": "town"}, "No quasi-identifier is a number"),
        ({"local": "medians"}, "is no local recoding"),
        ({"local": True, "suppress_cells": True}, "Choose one of local and suppress_cells"),
        ({"suppress_cells": True, "leave_out": True}, "does not leave them out"),
        ({"suppress_cells": True, "loss": "discernibility"}, "does not add up over records"),
    ],
)
def test_what_has_no_local_recoding_is_refused(given, said):
    table = {"age": [31, 32, 33, 51, 52, 53], "town": ["a", "b"] * 3}
    with pytest.raises(ParameterError, match=said):
        dv.anonymize(table, k=2, **{"quasi_identifiers": "age", **given})
