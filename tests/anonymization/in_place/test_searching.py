"""The search of a table whose combinations are too many to be brought over: counted where it is."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest

import divulge as dv
from divulge._compiled.generalization import NodeSums
from divulge.alignment import elsewhere
from divulge.anonymization.in_place import searching
from divulge.anonymization.in_place.searching import SearchThere
from divulge.errors import ParameterError, TooMuch
from divulge.generalization.criteria import criteria_of
from divulge.generalization.encoding import encoded
from divulge.generalization.lattice import GeneralizationLattice, SingleNode
from divulge.generalization.losses import LOSSES, LossTables
from divulge.policy import Policy
from divulge.utility import Need
from staying_tables import ROLES, people, rows_of

pytest_plugins = ["spark_session"]

ENGINES = [
    "sqlite",
    "postgresql",
    pytest.param("spark", marks=pytest.mark.slow),
]
SMALL = 600  # cells that may come over: those of coarse levels, and not of the values themselves
K = {"k_anonymity": {"min": 5}}


@contextmanager
def at_most(cells):
    """Tables stay where they are, and so many cells of combinations may come over."""
    with patch.object(elsewhere, "MOST_CELLS", 0), patch.object(searching, "MOST_SEARCHED", cells):
        yield


def the_same(there, here):
    assert there.best.levels == here.best.levels
    assert there.loss == pytest.approx(here.loss, rel=1e-12)
    assert there.best.suppressed == here.best.suppressed
    assert there.certificate.proved
    assert here.certificate.proved
    made, alone = there.to_dict(), here.to_dict()
    assert made["notes"] == alone["notes"]
    for one, other in zip(made["checks"], alone["checks"], strict=True):
        assert [one[when]["outcome"] for when in ("before", "after")] == [
            other[when]["outcome"] for when in ("before", "after")
        ]


@pytest.mark.parametrize("stored", ENGINES, indirect=True)
@pytest.mark.parametrize("cells", [SMALL, 0])
def test_the_least_loss_is_found_where_the_records_are(stored, cells):
    data, written = stored
    asked = {"k": 5, "suppress": 0.1}
    here = dv.anonymize(people(), **ROLES, **asked)
    with at_most(cells):
        there = dv.anonymize(data, **asked)
        the_same(there, here)
        assert there.recoded
        release = written(there)
    assert there.suppressed_records > 0
    assert rows_of(release) == rows_of(here.table)


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "asked",
    [
        {"k": 5},
        {"k": 5, "suppress": 0.1, "leave_out": True},
        {"thresholds": {"distinct_l_diversity": {"min": 2}, **K}, "suppress": 0.2},
        {"thresholds": {**K, "discrimination_rate": {"max": 0.2}, "itpr": {"max": 0.99}}, "suppress": 0.1},
        {"thresholds": {"t_closeness": {"max": 0.3}}, "suppress": 0.05, "loss": "non_uniform_entropy"},
        {"k": 4, "suppress": 0.1, "loss": "classification", "predict": "ill"},
        {"k": 3, "suppress": 0.1, "missing": "drop"},
    ],
    ids=lambda asked: " ".join(asked),
)
def test_every_policy_finds_what_it_finds_in_memory(stored, asked):
    reading = {name: asked[name] for name in asked if name == "missing"}
    rest = {name: value for name, value in asked.items() if name not in reading}
    here = dv.anonymize(people(), **ROLES, **reading, **rest)
    with at_most(SMALL):
        there = dv.anonymize(dv.read(stored[0].source, **ROLES, **reading), **rest)
        the_same(there, here)
        assert there.recoded


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
def test_without_suppression_the_certificate_is_the_same(stored):
    here = dv.anonymize(people(), **ROLES, k=5)
    with at_most(SMALL):
        assert dv.anonymize(stored[0], k=5).certificate == here.certificate


THRESHOLDS = {
    "k_anonymity": {"min": 3},
    "distinct_l_diversity": {"min": 2},
    "entropy_l_diversity": {"min": 1.4},
    "recursive_cl_diversity": {"max": 8},
    "worst_posterior": {"max": 0.95},
    "t_closeness": {"max": 0.4},
    "delta_disclosure": {"max": 2.5},
    "beta_likeness": {"max": 4},
    "kl_closeness": {"max": 0.6},
    "reidentification_risk": {"max": 0.5},
    "discrimination_rate": {"max": 0.9},
}


@pytest.mark.parametrize("stored", ENGINES, indirect=True)
def test_every_node_is_counted_there_as_it_is_in_memory(stored):
    data, here = stored[0], dv.read(people(), **ROLES)
    keys = list(here.schema.quasi_identifiers)
    trees, _ = dv.anonymization.anonymizing.hierarchies_of(here, None)
    there = SearchThere.of(data, [*keys, "ill"], 0, needs=False)
    thresholds, apart = list(THRESHOLDS.items()), 4
    if data.engine.kind == "spark":  # where each takes seconds
        thresholds, apart = thresholds[1::4], 11
    for number, (name, bound) in enumerate(thresholds):
        attributes = {key: {"role": "quasi-identifier"} for key in keys} | {"ill": {"role": "sensitive"}}
        policy = Policy.of({"attributes": attributes, "thresholds": {name: bound}})
        criteria = criteria_of(policy.thresholds, keys, ["ill"])
        criteria, place = criteria.also_counting(("ill",))
        table = encoded(here, trees, criteria.targets, {})
        loss = LOSSES[["granularity", "non_uniform_entropy", "bits"][number % 3]]
        costs = LossTables(loss, table, {}, place)
        lattice = GeneralizationLattice(table, criteria, costs, table.records)
        there.encoded(trees, criteria.targets, {})
        single, found = SingleNode(lattice), NodeSums.room(1, len(keys), len(criteria.targets))
        nodes = range(number % apart, table.nodes, apart)
        for levels in map(table.levels, nodes):
            there.queries.find(levels, criteria, costs, table.records, found)
            for one, other in zip(found, single.find(levels), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
def test_a_release_that_cannot_be_made_there_is_left_undecided(stored):
    asked = {"thresholds": {"distinct_l_diversity": {"min": 2}, **K}, "suppress": 0.2}
    here = dv.anonymize(people(), **ROLES, **asked)
    with at_most(100):
        there = dv.anonymize(stored[0], **asked)
    assert not there.certificate.proved
    assert there.certificate.bound <= here.loss < there.loss
    assert there.sentence.startswith("Best so far (finer releases have too many groups")
    assert all(check.outcome != "fail" for check in there.checks)


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
def test_where_no_release_can_be_made_there_it_is_refused(stored):
    with at_most(0), pytest.raises(TooMuch, match="by their size alone"):
        dv.anonymize(stored[0], thresholds={"distinct_l_diversity": {"min": 2}}, suppress=0.2)


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
def test_the_time_ends_the_search_with_a_bound(stored):
    here = dv.anonymize(people(), **ROLES, k=5, suppress=0.1)
    with at_most(0):
        there = dv.anonymize(stored[0], k=5, suppress=0.1, time=0.001)
    assert not there.certificate.proved
    assert there.certificate.stopped == "time"
    assert there.certificate.bound <= here.loss <= there.loss


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("asked", "reading", "error"),
    [
        ({"thresholds": {"t_closeness": {"max": 0.3, "ground": "ordered"}}}, {"sensitive": "seen"}, TooMuch),
        ({"thresholds": {"recursive_cl_diversity": {"max": 3, "l": 3}}}, {}, TooMuch),
        ({"k": 3, "loss": "need", "needs": [Need("ages", ("age",), "ill")]}, {}, ParameterError),
        ({"k": 3}, {"weights": "seen"}, ParameterError),
    ],
)
def test_what_is_not_read_from_counts_there_is_refused(stored, asked, reading, error):
    with at_most(SMALL), pytest.raises(error, match="too many to be brought over"):
        dv.anonymize(dv.read(stored[0].source, **{**ROLES, **reading}), **asked)


@pytest.mark.parametrize("stored", ["sqlite"], indirect=True)
def test_a_policy_that_no_level_meets_says_so(stored):
    with pytest.raises(ParameterError, match="No group of 301 can be made") as here:
        dv.anonymize(people(), **ROLES, k=301)
    with at_most(SMALL), pytest.raises(ParameterError) as there:
        dv.anonymize(stored[0], k=301)
    assert there.value.message == here.value.message
