"""New columns that tell more of a coarsened attribute than the release does: counted, or a gap that warns."""

import hashlib

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(4)
N = 1500
AGE, SCHOOL = RANDOM.integers(18, 80, N), RANDOM.choice(list("abcdefgh"), N)
PEOPLE = {
    "age": AGE,
    "sex": RANDOM.choice(["f", "m"], N),
    "school": SCHOOL,
    "income": RANDOM.integers(100, 900, N) * 100,
    "ill": RANDOM.choice(["flu", "gout", "cold", "none", "hiv"], N),
}
WOMEN = (AGE >= 40) & (AGE < 60) & (PEOPLE["sex"] == "f")
PEOPLE["income"][WOMEN] = RANDOM.integers(300, 310, int(WOMEN.sum())) * 100
BANDS = np.where(AGE < 40, "18-39", np.where(AGE < 60, "40-59", "60-79"))
WIDE = np.where(PEOPLE["income"] < 80000, "0-79999", "80000-99999")
MIXED = RANDOM.permutation(100)


def release(sensitive, **columns):
    data = dv.read(
        {name: one.tolist() for name, one in PEOPLE.items()},
        quasi_identifiers=["age", "sex", "school"],
        sensitive=sensitive,
    )
    released = {"age": BANDS, "sex": PEOPLE["sex"], **columns}
    found = dv.compare(data, {name: np.asarray(one).tolist() for name, one in released.items()})
    return found.to_dict()["releases"][0]


def compared(sensitive, **columns):
    return {one["measure"]: one["outcome"] for one in release(sensitive, **columns)["checks"]}


@pytest.mark.parametrize(
    "new",
    [
        AGE // 2,
        MIXED[AGE // 2],
        np.array([f"{one // 5 * 5}-{one // 5 * 5 + 4}" for one in AGE]),
        np.array([hashlib.md5(b"%d" % (one // 3)).hexdigest() for one in AGE]),
    ],
    ids=["halves", "codes", "bands", "hashes"],
)
def test_the_part_of_an_interval_is_counted(new):
    _, least = np.unique(np.char.add(np.char.add(new.astype(str), BANDS), PEOPLE["sex"]), return_counts=True)
    assert release("ill", q7=new)["readings"]["k"] == least.min() < release("ill")["readings"]["k"]


def test_the_part_of_a_sensitive_interval_is_counted():
    assert compared("income", income=WIDE)["learned"] == "pass"
    assert compared("income", income=WIDE, q7=PEOPLE["income"] // 2000)["learned"] == "fail"
    assert compared("income", income=WIDE, q7=MIXED[PEOPLE["income"] // 2000])["learned"] == "fail"


def wrong(share, values, of):
    return np.where(RANDOM.random(N) < share, RANDOM.choice(of, N), values)


CODE = np.unique(PEOPLE["ill"], return_inverse=True)[1] * 3 % 7


@pytest.mark.parametrize(
    "new",
    [
        np.array(
            [
                hashlib.md5(f"{a // 2}{ord(s) // 2}".encode()).hexdigest()
                for a, s in zip(AGE, SCHOOL, strict=True)
            ]
        ),
        wrong(0.06, AGE, AGE),
        np.abs(AGE - 50),
        wrong(0.06, CODE, CODE),
        wrong(0.12, CODE, CODE),
    ],
    ids=["of two", "noisy", "folded", "a secret, nearly", "a secret, mostly"],
)
def test_what_tells_far_more_is_a_gap(new):
    found = compared("ill", q7=new)
    assert found["measured"] == "warn"


@pytest.mark.parametrize(
    "new",
    [
        np.full(N, 2024),
        RANDOM.choice([2019, 2020, 2021], N),
        RANDOM.integers(0, 30, N),
        RANDOM.permutation(N) * 17,
        RANDOM.uniform(0.5, 3, N).round(3),
        np.where(AGE < 40, 1.2, np.where(AGE < 60, 0.8, 1.5)),
        AGE // 30 + RANDOM.integers(0, 3, N),
    ],
    ids=["constant", "years", "batches", "numbers", "weights", "weights of bands", "slightly related"],
)
def test_a_harmless_column_is_none(new):
    found, plain = release("ill", q7=new), release("ill")
    assert found["readings"] == plain["readings"]
    assert "q7 tells" not in str(found["checks"])
