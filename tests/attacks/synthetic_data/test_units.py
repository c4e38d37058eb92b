"""Synthetic numbers in another unit than the original's: attacks read them as an attacker would."""

import numpy as np
import pytest

import divulge as dv
from divulge.attacks.synthetic_data.account import synthetic_attacks
from divulge.attacks.synthetic_data.tables import AttackTables
from divulge.attacks.synthetic_data.units import in_one_unit

N = 1000


def people(seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, N)
    return {
        "age": age,
        "zip": rng.integers(0, 50, N),
        "income": np.round(age * 500 + rng.normal(0, 8000, N)).astype(int),
        "dx": rng.choice(["flu", "cold", "gout", "asthma"], N, p=[0.4, 0.3, 0.2, 0.1]),
    }


ORIGINAL, CONTROL, FRESH = people(1), people(2), people(3)
SHUFFLED = np.random.default_rng(4).permutation(N)


def made(of=ORIGINAL, rows=SHUFFLED, **changed):
    return {name: changed.get(name, lambda x: x)(column)[rows].tolist() for name, column in of.items()}


def plain(columns):
    return {name: np.asarray(column).tolist() for name, column in columns.items()}


def attacked(synthetic):
    held = [dv.read(one) for one in (plain(ORIGINAL), synthetic, plain(CONTROL))]
    return {one["attack"]: one for one in synthetic_attacks(*held, secrets=["dx"])}


@pytest.mark.parametrize(
    "changed",
    [
        {"income": lambda x: x / 1000},
        {"income": lambda x: -x},
        {"age": lambda x: 100 - x},
        {"income": lambda x: (x - x.mean()) / x.std()},
        {"income": lambda x: x * 1.09},
        {"income": lambda x: x / 1000, "age": lambda x: x * 12},
    ],
    ids=["thousands", "negated", "100 - age", "z", "dearer", "two units"],
)
def test_a_copy_in_another_unit_is_open_to_the_same_attacks(changed):
    plainly, found = attacked(made()), attacked(made(**changed))
    assert found["membership"]["rescaled"] == [one for one in ORIGINAL if one in changed]
    for name, one in plainly.items():
        assert found[name]["undefined"] == one["undefined"]
        assert found[name]["risk"] == pytest.approx(one["risk"], abs=0.05)
    assert found["membership"]["equal"] == plainly["membership"]["equal"]


@pytest.mark.parametrize("changed", [lambda x: np.log(x.clip(1)), lambda x: x.argsort().argsort()])
def test_numbers_of_which_only_the_order_is_left_show_who_was_used(changed):
    found = attacked(made(income=changed))
    assert found["membership"]["risk"] > 0.8
    assert found["inference of dx"]["risk"] > 0.8


def test_a_part_of_the_originals_in_thousands_shows_who_was_used():
    found = attacked(made(rows=SHUFFLED[: N // 2], income=lambda x: x / 1000))
    assert found["membership"]["risk"] > 0.9
    assert found["membership"]["equal"] == 1


def test_fresh_records_in_another_unit_show_nobody():
    found = attacked(made(FRESH, income=lambda x: x / 1000))
    assert found["membership"]["rescaled"] == ["income"]
    assert found["membership"]["risk"] < 0.1
    assert found["inference of dx"]["undefined"] is not None


@pytest.mark.parametrize(
    "synthetic",
    [
        made(),
        made(FRESH),
        made(income=lambda x: np.round(x, -3)),
        made(income=lambda x: x + np.random.default_rng(6).normal(0, 5000, N)),
        made(income=lambda x: np.full(N, 7)),
        made(income=lambda x: np.random.default_rng(7).permutation(x)),
    ],
    ids=["same", "fresh", "rounded", "noise", "constant", "shuffled"],
)
def test_numbers_in_the_same_unit_stay_as_they_are(synthetic):
    held = [dv.read(one) for one in (plain(ORIGINAL), synthetic, plain(CONTROL))]
    found, changed = in_one_unit(*held, ["age", "zip", "income", "dx"])
    assert changed == []
    assert found is held[1]
    assert AttackTables.of(*held).rescaled == ()
