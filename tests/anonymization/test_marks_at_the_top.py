"""Hierarchies that end in the mark of suppression, as those of ARX do: nothing is left out for it."""

import random
from collections import Counter
from itertools import product
from unittest.mock import patch

import pytest

import divulge as dv
from divulge.alignment import elsewhere

DICE = random.Random(5)
AGES = [90] * 4 + [91] * 7 + [20 + int(DICE.betavariate(1.3, 1.3) * 55) for _ in range(1500)]
JOBS = [DICE.choice(["nurse", "cook", "clerk", "judge", "guide", "smith"]) for _ in AGES]
TABLE = {"age": AGES, "job": JOBS, "ill": [DICE.choice(["flu", "cold"]) for _ in AGES]}
ROLES = {"quasi_identifiers": ["age", "job"], "sensitive": ["ill"]}
K, MOST = 10, 0.03


def trees(top, jobs=0):
    """Ages, and jobs by their first letter too; both end in ``top``, jobs perhaps twice."""
    ages = [(str(age), top) for age in sorted(set(AGES))]
    works = [(job, job[0], *[top] * (jobs + 1)) for job in sorted(set(JOBS))]
    return {"age": dv.Hierarchy.of(ages, attribute="age"), "job": dv.Hierarchy.of(works, attribute="job")}


def least_discernibility(hierarchies):
    """The least sum of squared group sizes, with N for each suppressed record, of all transformations."""
    found = []
    levels = [range(hierarchies[name].levels + 1) for name in ("age", "job")]
    for age, job in product(*levels):
        shown = [
            [str(value) for value in TABLE[name]]
            if level == 0
            else [hierarchies[name].level(level).domain_of(value) for value in TABLE[name]]
            for name, level in (("age", age), ("job", job))
        ]
        sizes = Counter(zip(*shown, strict=True)).values()
        lost = sum(size for size in sizes if size < K)
        if lost <= MOST * len(AGES):
            found.append(sum(size**2 for size in sizes if size >= K) + len(AGES) * lost)
    return min(found)


@pytest.mark.parametrize("place", ["memory", "sqlite", "its own place"])
@pytest.mark.parametrize("top", ["*", "anything"])
def test_what_is_proved_best_is_the_best_whatever_the_top_is_called(top, place, empty_database):
    pd = pytest.importorskip("pandas")
    data = TABLE
    if place != "memory":
        made = empty_database("sqlite")
        pd.DataFrame(TABLE).to_sql("people", made, index=False)
        data = dv.read(made, table="people", **ROLES)
    most = 0 if place == "its own place" else elsewhere.MOST_CELLS
    with patch.object(elsewhere, "MOST_CELLS", most):
        roles = ROLES if place == "memory" else {}
        found = dv.anonymize(data, k=K, suppress=MOST, loss="discernibility", hierarchies=trees(top), **roles)
    assert found.certificate.proved
    assert found.loss == least_discernibility(trees(top))
    assert found.best.levels == {"age": 0, "job": 2}  # ages as they are, jobs at the top
    assert found.suppressed_records > 0


@pytest.mark.parametrize("loss", ["bits", "granularity", "average_class_size", "non_uniform_entropy"])
@pytest.mark.parametrize("more", [0, 1])
def test_the_name_of_the_top_changes_no_loss(loss, more):
    asked = {"k": K, "suppress": MOST, "loss": loss, "weights": {"job": 0.01}, **ROLES}
    star, word = (dv.anonymize(TABLE, hierarchies=trees(top, more), **asked) for top in ("*", "anything"))
    assert star.best == word.best
    assert star.certificate == word.certificate
