"""What people with several records stand for where suppressed cells fit any value, counted one by one."""

from dataclasses import replace

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.people.suppressed_fit import fitting
from divulge.assessment.scope import Scope
from divulge.comparison.release import ComparisonPlan, Release
from divulge.policy import USUAL

RECORDS = 60
KEYS = ("a", "b")
RNG = np.random.default_rng(3)
ORIGINAL = {
    "record": [*map(str, range(RECORDS))],
    "id": [f"p{one}" for one in RNG.integers(25, size=RECORDS)],
    "a": RNG.choice(list("123"), RECORDS).tolist(),
    "b": RNG.choice(list("xyz"), RECORDS).tolist(),
    "s": RNG.choice(list("pq"), RECORDS).tolist(),
    "w": RNG.choice([1.0, 2.5, 7.0], RECORDS).tolist(),
}
RELEASED = ORIGINAL | {key: np.where(RNG.random(RECORDS) < 0.3, "*", ORIGINAL[key]).tolist() for key in KEYS}


def weight_of(who):
    """The mean weight of a person's records."""
    return np.mean([w for one, w in zip(ORIGINAL["id"], ORIGINAL["w"], strict=True) if one == who])


def people_and_weight(records):
    """How many people some records are about, and for how many these stand."""
    people = {ORIGINAL["id"][one] for one in records}
    return len(people), sum(map(weight_of, people))


def shown(record):
    return tuple(RELEASED[key][record] for key in KEYS)


def fit(one, other):
    return all("*" in pair or pair[0] == pair[1] for pair in zip(one, other, strict=True))


def scope_of(columns):
    roles = {"identifiers": "id", "quasi_identifiers": KEYS, "sensitive": "s", "weights": "w"}
    return Scope(dv.read(columns, **roles), stars_fit=columns is RELEASED)


def test_each_person_who_fits_a_set_counts_whole_and_once():
    scope = scope_of(RELEASED)
    kept = scope.rows.kept(KEYS, None)
    numbers, sizes, weighed = fitting(scope.rows, KEYS, kept, scope.person_stands_for)
    for row in kept:
        expected = people_and_weight([one for one in kept if fit(shown(one), shown(row))])
        assert (sizes[numbers[row]], weighed[numbers[row]]) == pytest.approx(expected)


def test_company_by_original_values_counts_each_person_whole_and_once():
    plan = ComparisonPlan(scope_of(ORIGINAL), (), USUAL, ("record",))
    release = Release.of(dv.read(RELEASED), plan)
    scope = replace(release.scope, originals=release.originals)
    found = candidate_sets(scope.rows, KEYS)
    numbers, sizes, weighed = found.company(scope.person_stands_for)
    every = range(RECORDS)
    original = [tuple(ORIGINAL[key][one] for key in KEYS) for one in every]
    for row in every:
        could_be = people_and_weight([one for one in every if fit(shown(one), original[row])])
        could_have = people_and_weight([one for one in every if fit(shown(row), original[one])])
        expected = [min(pair) for pair in zip(could_be, could_have, strict=True)]
        assert [sizes[numbers[row]], weighed[numbers[row]]] == pytest.approx(expected)
