"""Whether a check of what is learned passes is soon seen, and is what a full look finds."""

import numpy as np
import pytest

from divulge.assessment.checks.learned import learned
from divulge.policy import USUAL, Learning
from scenes import scope

KEYS = ("age", "town", "job")
BANDS = [1000 + 37 * i % 900 for i in range(400)]


def people(seed, spread):
    """Incomes that follow age the more the less they are spread."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 26, 400)
    return {
        "age": age.tolist(),
        "town": [f"t{one}" for one in rng.integers(0, 4, 400)],
        "job": [f"j{one}" for one in rng.integers(0, 3, 400)],
        "ill": [f"i{one}" for one in (age + rng.integers(0, spread, 400)) % 7],
    }


@pytest.mark.parametrize("many", [0, 10**9], ids=["counted", "looked up"])
@pytest.mark.parametrize("spread", [1, 2, 7])
@pytest.mark.parametrize(
    "levels", [USUAL.learned, (Learning(0.2, 0.6),), (Learning(0.0, 1.0, chance=False),)]
)
def test_what_is_soon_seen_is_what_a_full_look_finds(monkeypatch, many, spread, levels):
    monkeypatch.setattr("divulge.assessment.inference.revealing_keys.MANY", many)
    asked = scope(people(spread, spread), keys=KEYS)
    (check,) = learned(levels, asked)
    passed = 0
    for changed in (asked, asked.without("age"), asked.without("town").without("job")):
        full, seen = check.ask(changed), check.again(changed)
        assert check.holds(seen) == check.holds(full.found)
        passed += check.holds(seen)
        assert seen is None or full.found is None or seen <= full.found + 1e-9
    assert spread > 1 or passed < 3


def test_bands_two_by_two_count_nobody_twice():
    table = {**people(1, 2), "ill": BANDS}
    asked = scope(table, keys=KEYS)
    (check,) = learned((Learning(0.0, 0.4, chance=False),), asked)
    assert check.again(asked) <= check.answer.found
