"""Who is singled out and what is learned: decided by counts where they do, on the release where not."""

from dataclasses import replace

import numpy as np
import pytest

import divulge as dv
from divulge.generalization.criteria import SmallClasses
from divulge.generalization.deadline import Deadline
from divulge.generalization.search import search
from random_hierarchies import lattice_of, random_case

SINGLED = {"max": 0.1, "k": 3}


def asking(seed, *, questions=False):
    """A lattice of a random table on which a tenth of what is left may be in groups of fewer than 3."""
    lattice = lattice_of(*random_case(np.random.default_rng(seed), {"k_anonymity": {"min": 2}}), 0.0)
    criteria = replace(
        lattice.criteria,
        of_classes=(),
        of_rest=(SmallClasses(SINGLED["k"], SINGLED["max"]),),
        questions=questions,
    )
    return replace(lattice, criteria=criteria)


def in_small_groups(lattice, levels):
    sizes = np.bincount(lattice.table.merged(levels), weights=lattice.table.sizes)
    return sizes[sizes < SINGLED["k"]].sum()


@pytest.mark.parametrize("compiled", [True, False])
def test_records_in_small_groups_are_counted_at_every_node(compiled, monkeypatch):
    for seed in range(4):
        lattice = asking(seed)
        if not compiled:
            monkeypatch.setattr(type(lattice), "compiled", None)
        sums = lattice.room()
        for _ in lattice.whole(sums):
            pass
        right = [in_small_groups(lattice, lattice.table.levels(node)) for node in range(lattice.table.nodes)]
        np.testing.assert_array_equal(sums.small, right)


def test_the_best_with_few_in_small_groups_is_that_of_all_nodes():
    for seed in range(8):
        lattice = asking(seed)
        able = [
            lattice.costs.floor(levels)
            for levels in map(lattice.table.levels, range(lattice.table.nodes))
            if in_small_groups(lattice, levels) <= SINGLED["max"] * lattice.table.records
        ]
        found = search(lattice, lambda levels: True, deadline=Deadline())
        assert found.best[0].loss == pytest.approx(min(able))
        assert found.certificate.proved


def test_a_table_with_the_default_questions_is_released_and_passes(tmp_path):
    rng = np.random.default_rng(3)
    table = {
        "age": rng.integers(20, 60, 300).astype(str).tolist(),
        "sex": rng.choice(["f", "m"], 300).tolist(),
        "illness": rng.choice(["flu", "cold", "ulcer"], 300).tolist(),
    }
    policy = {
        "attributes": {"age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive"},
        "thresholds": {
            "singled_out": [{"max": 0.001, "k": 3}, {"max": 0, "k": 5, "severity": "warn"}],
            "learned": [{"max": 0, "certain": 0.9}],
        },
    }
    found = dv.anonymize(table, policy)
    assert found.certificate.proved
    assert 0 < found.loss < 1
    assert {check.outcome for check in found.checks} <= {"pass", "warn"}


def test_where_releases_are_refused_time_ends_with_a_good_one_and_a_true_bound():
    lattice = asking(5, questions=True)
    top = tuple(wide - 1 for wide in lattice.table.shape)

    def accept(levels):
        accepting.append(levels)
        return sum(top) - sum(levels) <= 2

    accepting, every = [], search(lattice, lambda levels: True, deadline=Deadline()).best[0]
    assert not accept(tuple(every.levels[one.name] for one in lattice.table.attributes))

    class OverOnceGood(Deadline):
        """Time that is over as soon as a good transformation was looked for."""

        @property
        def over(self):
            return len(accepting) > 1 and accepting[-1] not in (top, accepting[0])

    found = search(lattice, accept, deadline=OverOnceGood(60.0))
    assert found.certificate.stopped == "time"
    assert found.certificate.bound >= every.loss
    assert found.best[0].loss <= lattice.costs.floor(top)


def test_an_interrupt_while_releases_are_refused_leaves_the_best_so_far():
    lattice = asking(5, questions=True)
    top, calls = tuple(wide - 1 for wide in lattice.table.shape), []

    def accept(levels):
        calls.append(levels)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return sum(top) - sum(levels) <= 2

    found = search(lattice, accept, deadline=Deadline())
    best = tuple(found.best[0].levels[one.name] for one in lattice.table.attributes)
    assert found.certificate.stopped == "interrupt"
    assert best in calls[:4]
    assert sum(best) >= sum(top) - 2
