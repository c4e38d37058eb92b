"""A candidate release with records alike held once is read as one with a row for each record."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.remedies import condensed_release as condensing
from divulge.assessment.remedies.condensed_release import condensed_release
from divulge.assessment.remedies.plans import REST, plan
from divulge.assessment.remedies.single_changes import remedies
from divulge.assessment.remedies.trial import state
from divulge.assessment.scope import Scope
from divulge.policy import Policy

KEYS = ("age", "zip", "job")


def table(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    age, job = rng.integers(20, 60, n), rng.integers(0, 6, n)
    return {
        "age": age,
        "zip": rng.integers(0, 30, n).astype(str),
        "job": job.astype(str),
        "ill": np.where((job == 3) & (age < 25), "gout", rng.choice(["flu", "cold", "cough"], n)),
        "pay": rng.integers(0, 5, n),
        "note": rng.integers(0, 900, n),
    }


def scope_of(columns, **reading):
    return Scope(dv.read(columns, quasi_identifiers=KEYS, sensitive=["ill", "pay"], **reading))


@pytest.fixture
def from_the_first_record(monkeypatch):
    monkeypatch.setattr(condensing, "FEWEST", 1)
    monkeypatch.setattr(condensing, "PAYS", 2.0)


@pytest.mark.parametrize("seed", range(3))
def test_checks_and_readings_are_those_of_single_records(from_the_first_record, seed):
    asked = scope_of(table(seed=seed))
    checks = every_check(asked, None)
    held = condensed_release(asked, checks, REST)
    assert held is not None
    assert held.scope.data.source.records < asked.data.records
    assert held.scope.data.records == asked.data.records
    found, plain = state(held.scope), state(asked)
    assert found.pop("targets") == pytest.approx(plain.pop("targets"), abs=1e-12)
    assert found == pytest.approx(plain, abs=1e-12)
    for check in checks:
        one, other = check.unmet(held.scope), check.unmet(asked)
        assert (one is None) == (other is None)
        if one is not None and other.rows is not None:
            np.testing.assert_array_equal(held.rows(one.rows), other.rows)


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_is_the_same_with_and_without(monkeypatch, seed):
    def planned():
        asked = scope_of(table(seed=seed))
        checks = every_check(asked, None)
        found, said = plan(remedies(asked, checks, KEYS), KEYS)
        rows = [step.change.rows for step in found.steps if step.change.rows is not None]
        return found.to_dict(), said, rows

    plain, said, rows = planned()
    monkeypatch.setattr(condensing, "FEWEST", 1)
    monkeypatch.setattr(condensing, "PAYS", 2.0)
    found, also, same = planned()
    assert found.pop("steps")[-1]["after"]["targets"] == pytest.approx(
        plain.pop("steps")[-1]["after"]["targets"], abs=1e-12
    )
    assert (found, also) == (pytest.approx(plain), said)
    assert len(rows) == len(same)
    for one, other in zip(rows, same, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_attribute_in_groups_keeps_its_groups(from_the_first_record):
    asked = scope_of(table())
    checks = every_check(asked, None)
    [band, *_] = [one for one in remedies(asked, checks, KEYS).trial.coarser("age") if one.partition]
    changed = band.apply(asked)
    held = condensed_release(changed, checks, REST)
    plain = condensed_release(asked, checks, REST)
    assert held.scope.data.source.records < plain.scope.data.source.records
    assert state(held.scope)["k"] == state(changed)["k"]
    sizes = [one.question(KEYS).counts.size for one in (held.scope, changed)]
    np.testing.assert_array_equal(*map(np.sort, sizes))


def test_what_needs_single_records_is_not_condensed(from_the_first_record):
    asked = scope_of(table())
    assert condensed_release(asked, every_check(asked, None), REST) is not None
    weighted = scope_of(table(), weights="pay")
    assert condensed_release(weighted, [], REST) is None
    roles = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    for thresholds in (
        {"itpr": {"max": 0.5, "adjusted": True}},  # shuffles deal single records
        {"singled_out": {"max": 0.1, "k": 3}},  # some may stay, and these are picked one by one
    ):
        checks = every_check(asked, Policy.of({"attributes": roles, "thresholds": thresholds}))
        assert condensed_release(asked, checks, REST) is None


def test_copies_are_counted_once_so_that_records_stay_apart(from_the_first_record):
    rows = {name: np.tile(column, 2) for name, column in table(400).items()}
    asked = scope_of({**rows, "note": np.tile(np.arange(400), 2)})
    assert condensed_release(asked, every_check(asked, None), REST) is None
