"""Whoever does not know which rows belong together learns the same from rows in any order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import divulge as dv
from divulge import attacks
from divulge.alignment.tables import align
from divulge.attacks.changed_values.originals import as_sets, by_record
from divulge.attacks.changed_values.truth import Truth
from divulge.comparison.information_kept import information_kept

KEYS = ["age", "job"]
COARSER = {
    "age": [str, lambda age: f"{age[0]}*", lambda age: "<= 35" if age < "30" else ">= 35", lambda age: "*"],
    "job": [str, lambda job: "*"],
}


@st.composite
def releases(draw):
    """A table, a release with cells kept, coarser or suppressed, and the release in another order."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(["21", "22", "35", "38"]), st.sampled_from("xyz")),
            min_size=2,
            max_size=9,
        )
    )
    released = [
        [draw(st.sampled_from(COARSER[key]))(value) for key, value in zip(KEYS, row, strict=True)]
        for row in rows
    ]
    order = draw(st.permutations(range(len(rows))))
    return rows, released, [released[place] for place in order]


def read(rows, **roles):
    return dv.read({key: [row[i] for row in rows] for i, key in enumerate(KEYS)}, **roles)


def outcome(original, released):
    found = attacks.identity_white_box(align(read(original, quasi_identifiers=KEYS), read(released)))
    return found.risk, found.people, found.of, found.undefined is None


@given(releases())
def test_the_white_box_reads_the_same_in_any_order_of_rows(tables):
    original, released, permuted = tables
    one, other = outcome(original, released), outcome(original, permuted)
    assert one[1:] == other[1:]
    assert (one[0] is None) == (other[0] is None)
    assert one[0] is None or one[0] == pytest.approx(other[0], abs=1e-9)


@given(releases())
def test_the_information_kept_is_the_same_in_any_order_of_rows(tables):
    original, *both = tables
    aligned = [align(read(original, quasi_identifiers=KEYS), read(rows)) for rows in both]
    (one, _), (other, _) = (information_kept(each, Truth.of(each), 1) for each in aligned)
    assert (one is None) == (other is None)
    assert one is None or one == pytest.approx(other, abs=1e-9)


@given(releases())
def test_knowing_which_rows_belong_together_never_tells_less(tables):
    original, released, _ = tables
    alignment = align(read(original, quasi_identifiers=KEYS), read(released), same_order=True)
    for name, shared in Truth.of(alignment).shared.items():
        if shared.fits.anything:
            continue  # record by record, suppressed ones are left out
        sets = as_sets(name, name, shared, show_values=False).discrimination_rate
        rows = by_record(alignment, name, show_values=False).discrimination_rate
        assert sets is None or sets <= rows + 1e-9


@given(releases(), st.data())
def test_suppressing_a_cell_never_makes_the_white_box_read_more(tables, data):
    original, released, _ = tables
    row = data.draw(st.integers(0, len(released) - 1))
    fewer = [["*" if place == row else cells[0], cells[1]] for place, cells in enumerate(released)]
    before, after = outcome(original, released)[0], outcome(original, fewer)[0]
    assert before is None or (after or 0.0) <= before + 1e-9
