"""Odds against the baseline: values by hand and by another formula, and what makes them hold at any time."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from divulge.errors import SchemaError
from divulge.safe_release import Baseline, Cell, Guard, Rules, State, decide, kernels, leaving, table_of
from divulge.safe_release.statistics.likelihood_ratios import (
    CONCENTRATIONS,
    PRIORS,
    PriorTables,
    log_falling,
    log_gamma,
    mixed,
    stepped,
)
from safe_release import reference

P = np.array([0.5, 0.3, 0.2])
TABLE = table_of([[50, 40, 60], [30, 25, 35], [20, 35, 5]])
GUARDS = [("each", False), ("mean", False), ("joint", False), ("each", True), ("joint", True)]


def odds_in_closed_form(counts, p, c):
    """The Dirichlet-multinomial against the multinomial."""
    inner = gammaln(c * p + counts) - gammaln(c * p) - counts * np.log(p)
    return gammaln(c) - gammaln(c + sum(counts)) + inner.sum()


@pytest.mark.parametrize("z", [1e-9, 0.001, 0.5, 1, 1.5, 7.999, 8, 30.2, 1e5, 1e12])
def test_log_gamma(z):
    assert log_gamma(z) == pytest.approx(math.lgamma(z), rel=1e-13, abs=1e-13)


def test_falling_factorials():
    assert math.exp(log_falling(6, 3)) == pytest.approx(120)
    assert log_falling(6, 0) == 0
    assert log_falling(6, 7) == -math.inf


def test_odds_of_a_single_prior_by_the_reference():
    """The reference, by itself, has the values of one prior and of Jeffreys' that are known."""
    assert odds_in_closed_form(np.array([3, 1, 0]), P, 10) == pytest.approx(-0.021202, abs=1e-6)
    jeffreys = gammaln(1.5) - gammaln(5.5) + (gammaln(np.array([3.5, 1.5])) - gammaln(0.5)).sum()
    assert jeffreys - 3 * math.log(0.5) - math.log(0.3) == pytest.approx(-0.859720, abs=1e-6)
    population = math.log(100 * 99 * 98 * 97 / (50 * 49 * 48 * 30))
    of_ten = odds_in_closed_form(np.array([3, 1, 0]), P, 10) + 3 * math.log(0.5) + math.log(0.3)
    assert of_ten + population == pytest.approx(-0.020890, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "known", "expected"),
    [
        ((3, 1, 0), None, -0.048058),
        ((3, 1, 0), (50, 30, 20), -0.047746),
        ((40, 5, 5), None, 5.409043),
        ((25, 15, 10), None, -0.535905),
        ((0, 0, 0), None, 0.0),
        ((0, 0, 1), None, 0.0),  # a first record says nothing, however rare its value
        ((0, 0, 1), (50, 30, 20), 0.0),
    ],
)
def test_odds_of_the_mixture(counts, known, expected):
    tables = PriorTables(P, None if known is None else np.array(known, float))
    assert tables.log_ratio(counts) == pytest.approx(expected, abs=1e-6)


def test_every_prior_has_its_closed_form():
    counts = [7, 0, 5]
    found = PriorTables(P).log_ratios(counts)
    assert len(found) == PRIORS
    for one, c in zip(found, CONCENTRATIONS, strict=True):
        assert one == pytest.approx(odds_in_closed_form(np.array(counts), P, c), abs=1e-10)


def test_records_that_the_baseline_cannot_give_have_infinite_odds():
    assert PriorTables(np.array([0.5, 0.5, 0.0])).log_ratio([1, 1, 1]) == math.inf
    assert PriorTables(P, np.array([5.0, 3, 2])).log_ratio([1, 1, 3]) == math.inf
    assert PriorTables(P, np.array([5.0, 3, 2])).log_ratio([5, 3, 3]) == math.inf
    assert stepped([0.0] * PRIORS, 0.2, 0.0, 2, 4) == (math.inf,) * PRIORS
    assert mixed([0.0, math.inf], 2) == math.inf


@pytest.mark.parametrize("known", [None, np.array([50.0, 30, 20])])
def test_the_next_record_changes_the_odds_by_one_on_average(known):
    """This is what makes the limit hold whenever someone looks."""
    tables, counts = PriorTables(P, known), [12, 4, 1]
    parts, records = tables.log_ratios(counts), sum(counts)
    probable = P if known is None else (known - counts) / (known.sum() - records)
    steps = [stepped(parts, float(P[x]), float(probable[x]), counts[x], records) for x in range(len(counts))]
    for prior in range(PRIORS):
        factors = [math.exp(step[prior] - parts[prior]) for step in steps]
        assert probable @ factors == pytest.approx(1, abs=1e-11)
    for x, step in enumerate(steps):
        more = [count + (place == x) for place, count in enumerate(counts)]
        assert step == pytest.approx(tables.log_ratios(more), abs=1e-10)  # the step is the closed form


@pytest.mark.parametrize(("form", "known"), GUARDS)
def test_odds_of_a_released_set_are_those_of_its_form(form, known):
    counts = np.array([[12, 3, 9], [2, 6, 5], [1, 4, 0]])
    state = State.of(Guard.of(TABLE, "seq", 0.2, form=form, known_counts=known), counts)
    held = reference.Held(
        [0.5, 0.3, 0.2], [1 / 3] * 3, ["seq"], 0.2, "domain", "left", None, None, form,
        [150, 90, 60] if known else None,
    )  # fmt: skip
    expected = reference.readings(counts.tolist(), held)
    found = state.exposures()
    assert [one.value for one in found] == pytest.approx([one.value for one in expected])
    assert {one.critical for one in found} == {5.0}
    assert {one.to_dict()["unit"] for one in found} == {"odds"}
    assert [one.target for one in found] == ([0, 1, 2] if form == "each" else [None])


@pytest.mark.parametrize(("form", "known"), GUARDS)
def test_a_set_is_the_same_in_whatever_order_it_left(form, known):
    guard = Guard.of(TABLE, "seq", 0.2, form=form, known_counts=known)
    memories = set()
    for order in itertools.islice(itertools.permutations([(0, 0), (1, 0), (0, 1), (2, 2)]), 6):
        state = State.start(guard)
        for cell in order:
            state = decide(state, Cell(*cell)).following
        memories.add(state.outside.memory.tobytes())
    assert memories == {State.of(guard, state.counts).outside.memory.tobytes()}


@given(st.integers(0, 10**6), st.sampled_from(["each", "mean", "joint"]), st.sampled_from([0.01, 0.2, 0.9]))
def test_a_release_held_to_a_fixed_baseline_is_never_stuck(seed, form, alpha):
    """However far it went, of every target the record of some value may leave."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    table = table_of(rng.integers(1, rng.choice([3, 1000]), shape))
    guard = Guard.of(table, "seq", alpha, form=form)
    state, skewed = State.start(guard), rng.dirichlet(np.full(shape[0], 0.3), shape[1])
    ys = rng.integers(0, shape[1], 300)
    xs = np.array([rng.choice(shape[0], p=skewed[y]) for y in ys])
    outside, limits = state.scratch(), guard.limits(400)
    leaving.run_cells(outside, limits, xs, ys)
    for y in range(shape[1]):
        assert any(kernels.may_leave(outside, limits, x, y, 0) == 0 for x in range(shape[0]))


@pytest.mark.parametrize("alpha", [0.2, 0.05])
def test_what_may_leave_at_a_level_may_at_any_smaller_one(alpha):
    rng = np.random.default_rng(3)
    for _ in range(50):
        counts = rng.integers(0, 12, (3, 3))
        strict, loose = (State.of(Guard.of(TABLE, "seq", level), counts) for level in (alpha, alpha / 2))
        assert loose.safe >= strict.safe


def test_known_counts_need_the_table_as_baseline():

    other = Baseline.reference(TABLE, {0: 1, 1: 1, 2: 1})
    with pytest.raises(SchemaError, match="has shares only"):
        Guard(other, Rules.of("seq", 0.2, known_counts=True))
    assert Guard(other, Rules.of("seq", 0.2)).critical.odds == 5
