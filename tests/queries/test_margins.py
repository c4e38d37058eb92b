"""How closely answers bound a value, against small cases worked out by hand and tables that fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from divulge.queries.margins import bounded, free
from divulge.queries.span import QuerySpan


def spanned(*sets):
    span = QuerySpan.empty(len(sets[0]))
    for members in sets:
        span = span.add(np.array(members, bool))
    return span


def test_one_of_many_can_move_as_far_as_another_moves_back():
    assert free(spanned([1, 1, 1]), 1.0)


def test_a_value_that_moves_another_by_twice_as_much_is_half_as_free():
    # By hand: what leaves a + b, a + c and b + c + d as they are is (1, -1, -1, 2) times something.
    span = spanned([1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1])
    assert not span.determined
    assert free(span, 0.49)
    assert not free(span, 0.51)


def test_a_value_that_is_determined_is_not_free():
    assert not free(spanned([1, 1, 0], [1, 0, 0]), 0.01)


def test_answers_at_a_bound_give_everyone_away():
    span = spanned([1, 1, 1, 0])
    assert bounded(span, [0.0], 0.05)
    assert bounded(span, [3.0], 0.05)
    assert not bounded(span, [1.0], 0.9)
    assert bounded(span, [2.99], 0.05)  # each is at least 0.99


@pytest.mark.parametrize(("total", "close"), [(0.04, True), (0.06, False), (2.94, False), (2.96, True)])
def test_the_margin_is_where_it_is_said_to_be(total, close):
    assert bounded(spanned([1, 1, 1]), [total], 0.05) is close


@settings(max_examples=8)
@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=4), st.data())
def test_groups_bound_a_record_as_a_program_over_records_does(sets, data):
    sets = [members for members in sets if any(members)]
    span = QuerySpan.empty(5)
    rows = []
    for members in sets:
        following = span.add(np.array(members))
        if len(following.rows) > len(span.rows):
            rows.append(members)
        span = following
    if not rows:
        return
    values = np.array(data.draw(st.lists(st.integers(0, 4), min_size=5, max_size=5))) / 4
    matrix = np.array(rows, float)
    totals = matrix @ values
    widths = []
    for record in range(5):
        goal = np.eye(5)[record]
        ends = [linprog(sign * goal, A_eq=matrix, b_eq=totals, bounds=(0, 1)).fun * sign for sign in (1, -1)]
        widths.append(ends[1] - ends[0])
    assert bounded(span, totals.tolist(), 0.1) == (min(widths) < 0.1)
