"""Local recoding: every group meets the policy, and the loss is what its cells cost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge.anonymization.local import local_recoding, released_codes
from divulge.anonymization.release import ANY
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.scope import Scope
from divulge.errors import ParameterError
from divulge.generalization.deadline import Deadline
from divulge.generalization.plain import beyond_bounds
from divulge.generalization.search import search
from random_hierarchies import lattice_of, random_case

OF_GROUPS = {"k_anonymity": {"min": 3}, "distinct_l_diversity": {"min": 2}, "t_closeness": {"max": 0.5}}


@given(seed=st.integers(0, 1 << 40), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_every_group_meets_the_policy_and_nothing_is_lost_against_the_global_optimum(seed, share):
    case = random_case(np.random.default_rng(seed), OF_GROUPS)
    lattice = lattice_of(*case, share)
    best = search(lattice, lambda levels: True, deadline=Deadline()).best
    if not best:
        return
    levels = tuple(best[0].levels[one.name] for one in lattice.table.attributes)
    found = local_recoding(lattice, levels)
    assert found.loss <= best[0].loss + 1e-9
    table, kept = lattice.table, np.flatnonzero(~found.suppressed)
    assert table.sizes[found.suppressed].sum() <= lattice.limit
    both = np.hstack([found.levels, released_codes(lattice, found.levels)])[kept]
    owner = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    assert not beyond_bounds(table.restricted(kept), lattice.criteria.of_classes, owner).any()
    assert found.groups == owner.max() + 1


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1 << 40))
def test_a_local_release_passes_its_policy_and_costs_what_its_cells_cost(seed):
    table, trees, policy = random_case(np.random.default_rng(seed), OF_GROUPS)
    try:
        found = dv.anonymize(table, policy, suppress=0.3, local=True, keep_order=True)
    except ParameterError:  # nothing meets the policy
        return
    released = found.table
    checks = every_check(Scope(policy.open(released), policy.partitions), policy)
    assert {check.outcome for check in checks} <= {"pass", "warn"}
    lost = 0.0
    for name, tree in trees.items():
        stands = {group: level.count(group) for level in tree.groups for group in level}
        for value in released[name]:
            leaves = len(tree.values) if value in ("*", ANY) else stands.get(value, 1)
            lost += (leaves - 1) / (len(tree.values) - 1)
        lost += len(table[name]) - len(released[name])  # suppressed records that were left out
    assert found.local.loss == pytest.approx(lost / len(trees) / len(table["s"]))
    assert dv.transform(table, found.recipe, keep_order=True).data == released


def test_a_loss_that_does_not_add_up_is_refused():
    table = {"age": [31, 32, 33, 51, 52, 53]}
    with pytest.raises(ParameterError, match="Choose granularity, precision or bits"):
        dv.anonymize(table, k=2, loss="discernibility", local=True, quasi_identifiers="age")


def test_a_mapping_that_lacks_a_combination_is_refused(tmp_path):
    (tmp_path / "mapping.csv").write_text("age,released age\n31,30-39\n")
    step = {
        "mechanism": "recode_combinations",
        "attributes": ["age"],
        "mapping": str(tmp_path / "mapping.csv"),
    }
    assert dv.transform({"age": [31]}, [step]).data == {"age": ["30-39"]}
    with pytest.raises(dv.DivulgeError, match="does not list some combinations"):
        dv.transform({"age": [31, 99]}, [step])


@pytest.mark.parametrize("how", [{"local": True}, {"local": "mondrian"}, {"suppress_cells": True}])
def test_local_recoding_tells_how_far_it_is(how):
    told = []

    class Telling:
        """A stage that notes the steps it is told of."""

        def __call__(self, name):
            self.name = name

        def step(self, done, of):
            told.append((self.name, done, of))

    ages = [20 + place % 9 for place in range(60)]
    sexes = ["f", "m", "m"] * 20
    table = {"age": ages, "sex": sexes}
    dv.anonymize(table, k=5, suppress="20%", quasi_identifiers=["age", "sex"], stage=Telling(), **how)
    steps = [(done, of) for name, done, of in told if name == "Recoding locally"]
    assert steps
    assert all(0 <= done <= of for done, of in steps)
