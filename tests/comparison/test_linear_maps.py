"""Numbers released as weighted sums of several columns: no greener than the original itself."""

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(7)
N = 1000
SKEWED = RANDOM.lognormal(8, 1, (N, 4)) @ RANDOM.uniform(0, 1, (4, 4))
NUMBERS = np.round(SKEWED).astype(int)
NAMES = ["wage", "tax", "rent", "debt"]
ILL = RANDOM.choice(["flu", "cold", "gout", "asthma"], N).tolist()
IDS = [f"p{place}" for place in range(N)]


def table(numbers, names=NAMES):
    columns = {name: numbers[:, place].tolist() for place, name in enumerate(names)}
    return {"id": IDS, **columns, "ill": ILL}


PEOPLE = table(NUMBERS)


def compared(released, original=PEOPLE):
    data = dv.read(original, quasi_identifiers=NAMES, sensitive="ill")
    [entry] = dv.compare(data, released, by="id").to_dict()["releases"]
    return entry


def outcome(entry, measure):
    return [one["outcome"] for one in entry["checks"] if one["measure"] == measure]


def noted(entry):
    return " ".join(entry["alignment"]["notes"])


def rotated(numbers=NUMBERS, noise=0.0):
    middle, spread = numbers.mean(axis=0), numbers.std(axis=0)
    turn, _ = np.linalg.qr(RANDOM.normal(size=(4, 4)))
    found = ((numbers - middle) / spread) @ turn * spread + middle
    return np.round(found + noise * spread * RANDOM.normal(size=numbers.shape), 2)


def sums():
    found = NUMBERS.copy()
    found[:, 0], found[:, 1] = NUMBERS[:, 0] + NUMBERS[:, 1], NUMBERS[:, 0] - NUMBERS[:, 1]
    return found


def sheared():
    found = NUMBERS.copy()
    found[:, 0] = NUMBERS[:, 0] + 3 * NUMBERS[:, 1]
    return found


@pytest.mark.parametrize("changed", [rotated, sums, sheared])
@pytest.mark.parametrize("names", [NAMES, ["a", "b", "c", "d"]])
def test_a_linear_map_of_all_columns_hides_nothing(changed, names):
    entry = compared(table(changed(), names))
    assert entry["readings"]["average_risk"] == 1.0
    assert outcome(entry, "singled_out") == ["fail"]
    assert "A linear map of the released numbers" in noted(entry)


def test_a_rotation_with_a_little_noise_is_undone_as_far_as_it_goes():
    entry = compared(table(rotated(noise=0.005)))
    assert entry["readings"]["average_risk"] > 0.5
    assert outcome(entry, "singled_out") == ["fail"]


def test_a_value_that_is_missing_here_and_there_hides_no_map():
    some = {
        name: [None if i % 90 == 3 else x for i, x in enumerate(column)] for name, column in PEOPLE.items()
    }
    gone = {**table(rotated()), "id": IDS}
    gone["wage"] = [None if i % 90 == 3 else x for i, x in enumerate(gone["wage"])]
    entry = compared(gone, {**PEOPLE, "wage": some["wage"]})
    assert entry["readings"]["average_risk"] > 0.9


def shuffled():
    return np.column_stack([RANDOM.permutation(column) for column in NUMBERS.T])


def noisy(share):
    return np.round(NUMBERS + share * NUMBERS.std(axis=0) * RANDOM.normal(size=NUMBERS.shape), 1)


def microaggregated():
    order = np.argsort(NUMBERS @ (1 / NUMBERS.std(axis=0)))
    found = NUMBERS.astype(float)
    for part in np.array_split(order, N // 4):
        found[part] = NUMBERS[part].mean(axis=0).round(2)
    return found


@pytest.mark.parametrize(
    "numbers",
    [shuffled(), noisy(0.02), noisy(0.2), noisy(1.0), microaggregated(), RANDOM.permutation(NUMBERS)],
    ids=["shuffled", "little noise", "noise", "large noise", "microaggregated", "others"],
)
def test_true_releases_are_read_as_they_are(numbers):
    assert "linear map" not in noted(compared(table(numbers)))
