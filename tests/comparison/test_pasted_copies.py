"""A release pasted several times is read once."""

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(5)
N = 300
PEOPLE = {
    "age": RANDOM.integers(20, 70, N).tolist(),
    "sex": RANDOM.choice(["f", "m"], N).tolist(),
    "ill": RANDOM.choice(["flu", "cold", "gout"], N).tolist(),
}
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": "ill"}
SAID = "Each released record stands 3 times in the file. One of each is read here."


def compared(released):
    document = dv.compare(dv.read(PEOPLE, **ROLES), released).to_dict()
    return document["releases"][0], [one["text"] for one in document["notices"]]


@pytest.mark.parametrize(
    "order", [np.tile(np.arange(N), 3), np.repeat(np.arange(N), 3)], ids=["below", "in place"]
)
def test_copies_of_the_whole_are_read_once(order):
    found, notices = compared({name: np.asarray(one)[order].tolist() for name, one in PEOPLE.items()})
    once, _ = compared(PEOPLE)
    assert SAID in notices
    assert {name: found[name] for name in ("readings", "checks", "score", "changed")} == {
        name: once[name] for name in ("readings", "checks", "score", "changed")
    }


def test_other_records_that_are_more_are_read_as_they_are():
    order = RANDOM.integers(0, N, 3 * N)
    found, notices = compared({name: np.asarray(one)[order].tolist() for name, one in PEOPLE.items()})
    assert found["records"] == 3 * N
    assert "stands" not in str(notices)
