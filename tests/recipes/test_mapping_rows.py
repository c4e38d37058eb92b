"""What becomes of values as rows of a table: every draw finds one of them, the one that it has in memory."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.mechanisms.transitions import Transition
from divulge.recipes.mapping_rows import value_mapping
from divulge.table.codes import Codes

CHANCES = st.lists(st.sampled_from([1e-9, 0.01, 0.125, 0.3, 1.0]), min_size=1, max_size=12)


@given(st.lists(CHANCES, min_size=1, max_size=4), st.lists(st.integers(0, 2**52 - 1), max_size=5))
def test_every_draw_finds_the_one_row_that_it_has_in_memory(rows, drawn):
    released = [f"r{number}" for number in range(12)]
    chances = [{code + 1: one / sum(row) for code, one in enumerate(row)} for row in rows]
    made = Transition.of_rows(released, [{0: 1.0}, *chances])
    values = Codes.of([f"v{number}" for number in range(len(rows))])
    mapping = value_mapping(values, made)
    edges = [part / mapping.parts for part in range(mapping.parts)]
    draws = np.array([*edges, *(np.nextafter(one, 0) for one in edges[1:]), 1 - 2.0**-52])
    draws = np.concatenate([draws, np.array(drawn) * 2.0**-52])
    texts = np.array(mapping.released, object)
    for place, code in enumerate(values.codes.tolist()):
        records = Codes(np.full(len(draws), code, values.codes.dtype), values.values)
        expected = made.apply(records, lambda: draws).values_of()
        part = np.floor(draws * mapping.parts)[:, None]
        reached = (mapping.code + draws[:, None] >= mapping.low) & (
            mapping.code + draws[:, None] < mapping.high
        )
        found = (mapping.place == place) & (mapping.part == part) & reached
        assert (found.sum(axis=1) == 1).all()
        assert texts[found.argmax(axis=1)].tolist() == expected


def test_few_rows_are_looked_at_for_a_draw():
    chances = [dict.fromkeys(range(1, 101), 0.01) for _ in range(3)]
    mapping = value_mapping(
        Codes.of(["a", "b", "c"]), Transition.of_rows(list(range(100)), [{0: 1.0}, *chances])
    )
    looked_at = np.unique(np.stack([mapping.place, mapping.part]), axis=1, return_counts=True)[1]
    assert mapping.parts == 128
    assert looked_at.max() <= 3
