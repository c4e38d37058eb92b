"""People who are alone on all keys are held once for each value, and the same is found."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.people import people
from divulge.assessment.scope import Scope
from divulge.policy import Learning

KEYS = ("age", "zip")
LEVELS = (
    (Learning(0.0, 0.9), Learning(0.0, 0.5, severity="warn")),
    (Learning(0.0, 0.9, chance=False),),  # those who are alone among them
)


def scope(seed, ill, **reading):
    rng = np.random.default_rng(seed)
    age, place = rng.integers(0, 40, 900), rng.integers(0, 30, 900)
    told = np.where((age < 5) & (rng.random(900) < 0.9), 1, rng.integers(0, 6, 900))
    table = {"age": age, "zip": place, "ill": told * 10 if ill == "numbers" else [f"i{one}" for one in told]}
    return Scope(dv.read(table, quasi_identifiers=KEYS, sensitive="ill", **reading))


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("ill", ["numbers", "texts"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_learned_is_the_same(monkeypatch, levels, ill, seed):
    def answered():
        asked = scope(seed, ill)
        [check] = learned(levels, asked)
        answer = check.answer
        rows = None if answer.whom is None else answer.whom()
        return answer, rows

    plain, whom = answered()
    monkeypatch.setattr(people, "MANY", 1)
    monkeypatch.setattr(people, "LONE", 0.0)
    found, same = answered()
    assert found.sentence == plain.sentence
    assert (found.outcome, found.found, found.concerned) == (plain.outcome, plain.found, plain.concerned)
    assert found.by_key_set == plain.by_key_set
    np.testing.assert_array_equal(same, whom)


def test_sets_of_one_stand_for_as_many_as_there_are(monkeypatch):
    monkeypatch.setattr(people, "MANY", 1)
    rows = scope(0, "texts").rows
    apart = rows.apart(KEYS, "ill", slice(None))
    table = rows.of_several(apart, "ill", slice(None))
    numbers, bound = rows.sets(KEYS)
    plain = rows.table(numbers, bound, rows.data.column("ill").codes, 7, slice(None))
    assert table.sets == plain.sets
    assert len(table.size) < len(plain.size)
    assert table.people == plain.people == int((table.size * table.times).sum())
    assert table.having.tolist() == plain.having.tolist()
    assert int(table.times[table.size == 1].sum()) == int((plain.size == 1).sum())
