"""A key that joins different people: numbers given out anew are not taken for those of the original."""

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(10)
N = 600
PEOPLE = {
    "id": np.arange(1, N + 1),
    "age": RANDOM.integers(18, 80, N),
    "sex": RANDOM.choice(["m", "f"], N),
    "school": RANDOM.choice(["a", "b", "c", "d", "e"], N),
}
KEYS = ["age", "sex", "school"]
ORDER = RANDOM.permutation(N)


def listed(table, order=slice(None), **columns):
    return {name: np.asarray(one)[order].tolist() for name, one in {**table, **columns}.items()}


def compared(released, *, by=(), identifiers="id"):
    data = dv.read(listed(PEOPLE), identifiers=identifiers, quasi_identifiers=KEYS)
    document = dv.compare(data, released, by=by).to_dict()
    return document["releases"][0], document


def renumbered(**columns):
    return listed({**PEOPLE, **columns}, ORDER) | {"id": [*range(1, N + 1)]}


BANDS = np.char.add(
    (PEOPLE["age"] // 10 * 10).astype(str), np.char.add("-", (PEOPLE["age"] // 10 * 10 + 9).astype(str))
)


@pytest.mark.parametrize("columns", [{}, {"age": BANDS}], ids=["verbatim", "bands"])
@pytest.mark.parametrize("given", [{}, {"by": "id"}, {"by": "id", "identifiers": ()}], ids=str)
def test_new_running_numbers_join_nobody(columns, given):
    entry, document = compared(renumbered(**columns), **given)
    assert entry["alignment"]["how"] == "not record by record"
    [said] = [one["text"] for one in document["notices"] if one["kind"] == "by"]
    assert said.startswith("Rows cannot be aligned by id: records that it joins are of different people.")
    alone, _ = compared({name: one for name, one in renumbered(**columns).items() if name != "id"})
    assert entry["readings"] == alone["readings"]
    [check] = [one for one in entry["checks"] if one["measure"] == "singled_out"]
    assert check["outcome"] == "fail"


def test_rows_in_order_are_matched_by_it_whatever_their_numbers():
    entry, _ = compared(listed(PEOPLE) | {"id": RANDOM.permutation(np.arange(1, N + 1)).tolist()})
    assert entry["alignment"]["how"] == "by order"


@pytest.mark.parametrize(
    "columns",
    [
        {"age": RANDOM.permutation(PEOPLE["age"])},
        {name: RANDOM.permutation(PEOPLE[name]) for name in KEYS},
        {"age": PEOPLE["age"] + RANDOM.integers(-9, 10, N), "sex": RANDOM.permutation(PEOPLE["sex"])},
        {"age": BANDS, "sex": ["*"] * N, "school": ["*"] * N},
    ],
    ids=["one exchanged", "each exchanged", "noise", "one shown"],
)
def test_values_that_were_exchanged_or_changed_are_no_wrong_key(columns):
    entry, _ = compared(listed(PEOPLE, ORDER, **columns))
    assert entry["alignment"]["how"] == "by id"


def test_half_of_the_records_under_their_own_key_are_matched():
    order = np.concatenate([np.arange(N // 2), RANDOM.permutation(np.arange(N // 2, N))])
    entry, _ = compared(listed(PEOPLE, order) | {"id": [*range(1, N + 1)]})
    [check] = [one for one in entry["checks"] if one["measure"] == "singled_out"]
    assert check["outcome"] == "fail"


def test_linking_says_that_a_key_joins_different_people():
    data = dv.read(listed(PEOPLE), identifiers="id", quasi_identifiers=KEYS)
    found = dv.link(data, renumbered(), by="id").to_dict()
    assert "records that it joins are of different people" in str(found)
    own = dv.link(data, listed(PEOPLE, ORDER), by="id").to_dict()
    assert "different people" not in str(own)
