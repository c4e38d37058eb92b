"""The exact audit against linear algebra in fractions, made another way."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import divulge.queries.span as span_module
from divulge.queries.span import LARGEST, NotCertified, QuerySpan


def rank(rows):
    """The rank of a matrix, by elimination in fractions."""
    rows, found = [[Fraction(one) for one in row] for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        place = next((row for row in range(found, len(rows)) if rows[row][column]), None)
        if place is None:
            continue
        rows[found], rows[place] = rows[place], rows[found]
        for row in range(found + 1, len(rows)):
            factor = rows[row][column] / rows[found][column]
            rows[row] = [one - factor * other for one, other in zip(rows[row], rows[found], strict=True)]
        found += 1
    return found


def somebody_determined(sets, persons):
    """Whether some combination of the sets is zero for all but one person's records, and not for theirs."""
    whole = rank(sets)
    return any(
        rank([[flag for flag, who in zip(row, persons, strict=True) if who != person] for row in sets])
        < whole
        for person in set(persons)
    )


@st.composite
def histories(draw):
    records = draw(st.integers(2, 8))
    people = draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=records, max_size=records)))
    sets = st.lists(st.booleans(), min_size=records, max_size=records)
    return people, draw(st.lists(sets, min_size=1, max_size=9))


@given(histories())
def test_a_set_is_refused_exactly_when_it_would_determine_somebody(history):
    people, asked = history
    persons = None if people is None else np.unique(people, return_inverse=True)[1]
    span, answered = QuerySpan.empty(len(asked[0]), persons), []
    for members in asked:
        if not any(members):
            continue
        following = span.add(np.array(members))
        expected = somebody_determined(
            [*answered, members], list(range(len(members))) if people is None else people
        )
        assert following.determined == expected
        if not expected:
            span, answered = following, [*answered, members]
    assert len(span.rows) == rank(answered)


@st.composite
def histories_of_sums(draw):
    """Query sets of columns that are sums of two or three parts, by two kinds of records."""
    records, parts, columns = draw(st.integers(2, 5)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    kinds = draw(st.lists(st.integers(0, 1), min_size=records, max_size=records))
    factor = st.sampled_from([-1, 0, 0, 1, 1, 2, 12, -100])
    shape = st.lists(factor, min_size=2 * parts, max_size=2 * parts).filter(any)
    factors = draw(st.lists(shape, min_size=columns, max_size=columns))
    sets = st.lists(st.booleans(), min_size=records, max_size=records).filter(any)
    asked = draw(st.lists(st.tuples(sets, st.integers(0, columns - 1)), min_size=1, max_size=9))
    return parts, kinds, [np.array(one).reshape(2, parts) for one in factors], asked


@given(histories_of_sums())
def test_a_sum_of_parts_is_refused_exactly_when_it_would_determine_somebody(history):
    parts, kinds, factors, asked = history
    kind, persons = np.array(kinds), np.repeat(np.arange(len(kinds)), parts).tolist()
    kind = np.unique(kind, return_inverse=True)[1]
    span, answered = QuerySpan.empty(len(kinds), None, kind, parts), []
    for members, column in asked:
        row = (np.array(members)[:, None] * factors[column][kind]).reshape(-1).tolist()
        if not any(row):
            continue
        following = span.add(np.array(members), factors[column])
        expected = somebody_determined([*answered, row], persons)
        assert following.determined == expected
        if not expected:
            span, answered = following, [*answered, row]
    assert len(span.rows) == rank(answered)


def test_sums_of_parts_that_follow_by_large_factors_are_shown_to_follow():
    rng = np.random.default_rng(5)
    span = QuerySpan.empty(60, None, np.arange(60) % 2, 2)
    factors = [rng.integers(-LARGEST, LARGEST, (2, 2)) for _ in range(4)]
    for number in range(80):
        chosen = np.isin(np.arange(60) // 6, rng.choice(10, 5, replace=False))
        span = span.add(chosen, factors[number % 4])
    assert len(span.rows) == 40
    assert len(span.seen) > 70
    assert not span.determined


def test_every_set_of_five_records_in_turn_determines_nobody():
    # By hand: without the audit the 31 sets determine everyone.
    span, answered = QuerySpan.empty(5), []
    for number in range(1, 32):
        members = np.array([bool(number >> place & 1) for place in range(5)])
        following = span.add(members)
        if not following.determined:
            span, answered = following, [*answered, members.tolist()]
    assert answered
    assert not somebody_determined(answered, range(5))
    everything = [[bool(number >> place & 1) for place in range(5)] for number in range(1, 32)]
    assert somebody_determined(everything, range(5))


def test_a_set_that_follows_from_others_adds_nothing():
    half = np.arange(8) < 4
    span = QuerySpan.empty(8).add(np.ones(8, bool)).add(half)
    following = span.add(~half)
    assert len(following.rows) == 2
    assert not following.determined
    assert following.add(~half) is following


def test_what_only_seems_to_follow_is_not_taken_to(monkeypatch):
    # Modulo 2 the third is the sum of the others. Over the rationals it is not.
    monkeypatch.setattr(span_module, "PRIME", 2)
    sets = np.repeat(np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]], bool), 2, axis=1)
    span = QuerySpan.empty(8).add(sets[0]).add(sets[1])
    with pytest.raises(NotCertified):
        span.add(sets[2])


def test_many_groups_are_looked_at_in_parts():
    rng = np.random.default_rng(0)
    records = 20_000
    span = QuerySpan.empty(records)
    sets = [rng.random(records) < 0.5 for _ in range(14)]
    for members in sets:
        span = span.add(members)
    assert not span.determined
    assert len(span.groups.size) > 10_000
    one = sets[0].copy()
    one[int(np.flatnonzero(one)[0])] = False
    assert span.add(one).determined


def test_sets_that_follow_by_large_factors_are_shown_to_follow():
    # 30 kinds of 3 people: after 30 independent sets every other follows, by factors of up to ten digits.
    rng = np.random.default_rng(5)
    span = QuerySpan.empty(90)
    for _ in range(80):
        span = span.add(np.repeat(np.isin(np.arange(30), rng.choice(30, 15, replace=False)), 3))
    assert len(span.rows) == 30
    assert len(span.seen) == 80
    assert not span.determined
