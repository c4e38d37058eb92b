"""Levels of very many records: judged by a part, counted before they are said."""

import itertools

import numpy as np
import pytest

import divulge as dv
from divulge._compiled.counting import below
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.remedies import coarser_levels
from divulge.assessment.remedies.plans import JUDGED, REST, plan
from divulge.assessment.remedies.single_changes import remedies
from divulge.assessment.remedies.trial import Trial
from divulge.assessment.scope import Scope
from divulge.generalization import kept_arrays, sliced_levels

KEYS = ("age", "zip", "job", "sex")


def asked(seed, n=4000):
    rng = np.random.default_rng(seed)
    table = {
        "age": np.minimum(rng.geometric(0.05, n), 60),
        "zip": rng.integers(0, 50, n).astype(str),
        "job": rng.integers(0, 8, n).astype(str),
        "sex": rng.choice(["f", "m"], n),
        "ill": rng.choice(["flu", "cold", "cough"], n),
    }
    return Scope(dv.read(table, quasi_identifiers=KEYS, sensitive="ill"))


@pytest.fixture
def of_any_size(monkeypatch):
    monkeypatch.setattr(coarser_levels, "MANY_GROUPS", 1)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("largest", [1 << 24, 100])
def test_what_is_found_is_what_every_combination_is_counted_to_be(of_any_size, monkeypatch, seed, largest):
    """With all values looked at, the same as by the search through all; by a part, some of these."""
    monkeypatch.setattr(sliced_levels, "LARGEST", largest)
    scope = asked(seed)
    trial = Trial(scope, every_check(scope, None))
    monkeypatch.setattr(coarser_levels, "MANY_GROUPS", 1 << 30)
    whole = coarser_levels.plan_lattice(trial, REST, 10**9)
    every = {tuple(whole.by_name(levels).items()): (loss, share) for loss, share, levels in whole.by_loss()}
    monkeypatch.setattr(coarser_levels, "MANY_GROUPS", 1)
    for part in (1, sliced_levels.PART):
        monkeypatch.setattr(sliced_levels, "PART", part)
        places = coarser_levels.plan_lattice(trial, REST, 10**9)
        assert places.judged
        assert places.looked_at_all
        assert not places.exact
        found = list(places.by_loss())
        named = {tuple(places.by_name(levels).items()): (loss, share) for loss, share, levels in found}
        assert part > 1 or set(named) == set(every)
        for levels, one in named.items():
            assert one == pytest.approx(every[levels], abs=1e-9)
        losses = [loss for loss, _, _ in found]
        assert part > 1 or losses == sorted(losses)


def test_parts_by_many_attributes_are_not_all_kept_at_once(of_any_size, monkeypatch):
    """What is looked at takes several times the room that may be kept, and is the same as if all were."""
    scope = asked(1)
    trial = Trial(scope, every_check(scope, None))
    kept, found = [], []
    for most in (1 << 29, 2000):
        monkeypatch.setattr(kept_arrays, "MOST", most)
        places = coarser_levels.plan_lattice(trial, REST, 10**9)
        found.append(list(places.by_loss()))
        kept.append(places.lattice._kept)
    assert found[0] == found[1]
    assert kept[0].size > 5 * 2000
    assert kept[1].size <= 2000


def test_a_plan_says_that_it_was_judged_by_a_part(of_any_size):
    scope = asked(1)
    checks = every_check(scope, None)
    found, said = plan(remedies(scope, checks, KEYS), KEYS)
    assert said == f"{JUDGED}; what is said of the plan was checked on all of them."
    assert found is not None
    assert found.failing == 0
    assert not found.proved


def test_what_checks_found_to_reveal_something_is_not_tried_as_it_is(of_any_size):
    """The zip says who is ill, and 98 % are not: no release that is looked at has the zip as it is."""
    scope = asked(1)
    ill = [f"of {one}" for one in scope.data.column("zip").codes]
    told = {name: scope.data.column(name).codes.tolist() for name in KEYS}
    scope = Scope(dv.read({**told, "ill": ill}, quasi_identifiers=KEYS, sensitive="ill"))
    tried = remedies(scope, every_check(scope, None), KEYS)
    looked, need = [], tried.trial.need
    tried.trial.need = lambda now, *given: (
        looked.append((now.keys, "zip" in now.partitions)) or need(now, *given)
    )
    found, _ = plan(tried, KEYS)
    assert found.failing == 0
    assert looked
    assert all("zip" not in keys or grouped for keys, grouped in looked)


def test_a_search_within_little_work_says_so(of_any_size, monkeypatch):
    monkeypatch.setattr(sliced_levels, "WORK", 1)
    scope = asked(2)
    _, said = plan(remedies(scope, every_check(scope, None), KEYS), KEYS)
    first, then = said.split(". ")
    assert first == "Not every combination of levels was checked: it would take long with this many records"
    assert then == f"{JUDGED}; what is said of the plan was checked on all of them."


@pytest.mark.parametrize("records", [1000, 3000])  # fewer than there are cells, and more
@pytest.mark.parametrize("kinds", [(np.uint8, np.uint16), (np.uint32, np.uint8)])
def test_records_in_small_cells_are_counted_with_what_they_add(kinds, records):
    rng = np.random.default_rng(5)
    columns = [
        rng.integers(0, size, records).astype(kind) for size, kind in zip((30, 40), kinds, strict=True)
    ]
    lost = [rng.random(30), rng.random(40)]
    pairs = list(zip(*(one.tolist() for one in columns), strict=True))
    often = {pair: pairs.count(pair) for pair in itertools.islice(set(pairs), None)}
    small = [pair for pair in pairs if often[pair] < 3]
    few, added = below(columns, (30, 40), 3, records, lost)
    assert few == len(small)
    assert added == pytest.approx(sum(lost[0][a] + lost[1][b] for a, b in small))
    assert below(columns, (30, 40), 3, 10, lost)[0] > 10
