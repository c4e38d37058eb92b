"""Every mechanism keeps the laws it claims, and says about itself what is true."""

import collections

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge._support.references import REFERENCES
from divulge.mechanisms import MECHANISMS
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.recipes.recipe import Recipe
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy

ZIPS = ("47677", "47602", "47678", "47905", "47909", "47906")
ZIP = Hierarchy.of([(code, f"{code[:3]}**", "*****") for code in ZIPS], attribute="zip")
AT_LEAST_TWO = Policy.of(
    {"attributes": {"zip": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
)
#: For each mechanism a step that is possible on every table below.
STEPS = {
    "recode": {"attributes": ["zip"], "hierarchy": ZIP, "level": 1},
    "recode_subtrees": {"attributes": ["zip"], "hierarchy": ZIP, "groups": ["476**"]},
    "groups": {"attributes": ["ill"], "groups": {"serious": ["cancer", "aids"]}},
    "intervals": {"attributes": ["age"], "edges": [30, 50]},
    "top_bottom_coding": {"attributes": ["age"], "top": 60, "bottom": 25},
    "rounding": {"attributes": ["age"], "base": 10},
    "interval_rounding": {"attributes": ["age"], "edges": [18, 30, 50, 80], "to": [20, 40, 65]},
    "dates": {"attributes": ["born"], "unit": "year"},
    "prefix": {"attributes": ["zip"], "keep": 3},
    "remove": {"attributes": ["zip"]},
    "suppress_records": {"attributes": ["zip"], "k": 2},
    "suppress_groups": {"attributes": ["zip"], "policy": AT_LEAST_TWO},
    "suppress_cells": {"attributes": ["zip", "ill"], "k": 2},
    "recode_cells": {"attributes": ["zip"], "hierarchy": ZIP, "k": 2},
    "microaggregation": {"attributes": ["age"], "k": 2},
    "anatomy": {"attributes": ["ill"], "groups": "zip"},
    "noise": {"attributes": ["age"], "alpha": 0.5, "decimals": 6},
    "multiplicative_noise": {"attributes": ["age"], "alpha": 0.5, "decimals": 6},
    "laplace_noise": {"attributes": ["age"], "sensitivity": 1, "epsilon": 0.5, "decimals": 6},
    "rank_swapping": {"attributes": ["age"], "percent": 20},
    "random_swapping": {"attributes": ["age", "ill"], "share": 0.5},
    "random_rounding": {"attributes": ["age"], "base": 7},
    "pram": {"attributes": ["ill"], "retention": 0.6},
    "targeted_swapping": {"attributes": ["zip"], "keys": ["ill"], "k": 3},
    "massc": {"attributes": ["zip", "ill"], "k": 3, "fraction": 0.7},
    "synthetic_trees": {"attributes": ["zip", "age", "ill"], "leaf": 2},
    "private_counts": {"attributes": ["zip"], "epsilon": 1, "domains": {"zip": list(ZIPS)}},
    "private_records": {
        "attributes": ["zip", "ill"],
        "epsilon": 3,
        "domains": {"zip": list(ZIPS), "ill": ["flu", "cancer", "aids"]},
    },
    "sample": {"fraction": 0.5, "weight_name": ""},
}
BY_FILE = {"listed_changes", "recode_combinations"}  # which has tests of its own
KEYS = ("zip", "age", "born", "ill")


def rows():
    """Records with repeated values, at least eight of them."""
    ill = st.sampled_from(["flu", "cancer", "aids", None])
    born = st.sampled_from(["1984-05-17", "1984-06-01", "1990-01-31", None])
    row = st.tuples(st.sampled_from(ZIPS), st.integers(18, 80), born, ill)
    return st.lists(row, min_size=4, max_size=15).map(lambda half: half + half)


def table_of(records):
    columns = zip(*records, strict=True)
    return WorkingTable.of(dict(zip(KEYS, map(Codes.of, columns), strict=True)))


def step_of(name, given=None):
    [step] = Recipe.of([{"mechanism": name, **(given or STEPS[name])}]).steps
    return step


def applied(name, table, seed=1, given=None):
    step = step_of(name, given)
    return step.mechanism.apply(table, step, Draws(seed, 1))


def records_of(table):
    return collections.Counter(zip(*(one.values_of() for one in table.columns.values()), strict=True))


def claiming(law):
    return [name for name, one in MECHANISMS.items() if law in one.laws and name not in BY_FILE]


def test_every_mechanism_has_a_step_here():
    assert STEPS.keys() | BY_FILE == MECHANISMS.keys()


@pytest.mark.parametrize("name", MECHANISMS)
def test_facts_are_complete(name):
    one = MECHANISMS[name]
    assert one.name == name
    assert one.summary.endswith(".")
    assert one.example
    assert one.reference in REFERENCES
    for parameter in one.parameters:
        assert parameter.help.endswith(".")


@pytest.mark.parametrize("name", claiming(MechanismLaw.IDEMPOTENT))
@given(rows())
@settings(max_examples=15, deadline=None)
def test_twice_is_once(name, records):
    once = applied(name, table_of(records))
    assert records_of(applied(name, once)) == records_of(once)


@pytest.mark.parametrize("name", [one for one in claiming(MechanismLaw.ORDER) if not MECHANISMS[one].random])
@given(rows(), st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_the_order_of_rows_changes_nothing(name, records, shuffler):
    mixed = list(records)
    shuffler.shuffle(mixed)
    assert records_of(applied(name, table_of(mixed))) == records_of(applied(name, table_of(records)))


@pytest.mark.parametrize("name", claiming(MechanismLaw.RECORDS))
@given(rows())
@settings(max_examples=10, deadline=None)
def test_no_record_is_left_out_or_added(name, records):
    table = table_of(records)
    assert np.array_equal(applied(name, table).rows, table.rows)


@pytest.mark.parametrize("name", claiming(MechanismLaw.MARGINALS))
@given(rows(), st.integers(0, 5))
@settings(max_examples=10, deadline=None)
def test_values_occur_as_often_as_before(name, records, seed):
    table = table_of(records)
    after = applied(name, table, seed)
    for attribute in KEYS:
        before = collections.Counter(table.column(attribute).values_of())
        assert collections.Counter(after.column(attribute).values_of()) == before


@pytest.mark.parametrize("name", claiming(MechanismLaw.EXPECTED_VALUES))
def test_numbers_stay_the_same_on_average(name):
    draws = 20_000
    table = WorkingTable.of({"age": Codes(np.ones(draws, np.uint8), [33])})
    found = np.asarray(applied(name, table).column("age").values_of(), float)
    assert abs(found.mean() - 33) < 4 * found.std() / np.sqrt(draws)


@pytest.mark.parametrize("name", claiming(MechanismLaw.COARSENING))
@given(rows())
@settings(max_examples=10, deadline=None)
def test_no_rate_goes_up_for_keys_that_were_changed(name, records):
    table = table_of(records)
    changed = STEPS[name]["attributes"][0]
    target = "ill" if changed != "ill" else "zip"
    after = applied(name, table)
    if changed not in after.columns or len(set(table.column(target).values_of())) < 2:
        return
    before, now = (
        dv.measure(dv.read(one), "discrimination_rate", keys=[changed], target=target).value
        for one in (table, after)
    )
    assert now <= before + 1e-12


SEEDED = [name for name, one in MECHANISMS.items() if one.random and one.seeded]


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_gives_one_release_and_another_seed_another(name):
    rng = np.random.default_rng(0)
    records = [
        (ZIPS[rng.integers(6)], int(rng.integers(18, 80)), "1984-05-17", ["flu", "aids"][rng.integers(2)])
        for _ in range(60)
    ]
    table = table_of(records)
    drawing = {"anatomy": {"attributes": ["zip"], "l": 2}}  # with groups that are given nothing is drawn
    first, again, other = (applied(name, table, seed, drawing.get(name)) for seed in (1, 1, 2))
    assert [one.values_of() for one in first.columns.values()] == [
        one.values_of() for one in again.columns.values()
    ]
    assert [one.values_of() for one in first.columns.values()] != [
        one.values_of() for one in other.columns.values()
    ]


@pytest.mark.parametrize("name", [name for name in SEEDED if MECHANISMS[name].transition is not None])
def test_a_mechanism_that_draws_by_value_draws_for_each_record_alone(name):
    """A part of the records becomes what it becomes among all of them."""
    table = table_of(
        [(ZIPS[i % 6], 18 + i, "1984-05-17", ["flu", "aids", "cancer"][i % 3]) for i in range(60)]
    )
    part = np.arange(0, 60, 3)
    attribute = STEPS[name]["attributes"][0]
    fixed = step_of(name)
    column, counts = table.column(attribute), table.column(attribute).frequencies().astype(np.int64)
    made = fixed.mechanism.transition(column.values, counts, attribute, fixed)
    draws = Draws(1, 1)
    whole = made.apply(column, lambda: draws.uniforms(attribute, table.rows)).values_of()
    some = made.apply(column.take(part), lambda: draws.uniforms(attribute, table.rows[part])).values_of()
    assert some == [whole[row] for row in part]


@pytest.mark.parametrize("name", [name for name in STEPS if MECHANISMS[name].alone(step_of(name))])
@given(rows())
@settings(max_examples=10, deadline=None)
def test_a_record_changes_by_itself(name, records):
    """Without the other records, each becomes the same."""
    table = table_of(records)
    whole = applied(name, table)
    for row in range(0, table.records, 3):
        alone = applied(name, table.taking(np.array([row])))
        assert [one.values_of()[0] for one in alone.columns.values()] == [
            one.values_of()[row] for one in whole.columns.values()
        ]
