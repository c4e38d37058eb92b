"""Digests that are spelled in one go are those of their parts."""

from hypothesis import given
from hypothesis import strategies as st

from divulge.service.decisions.logged import content_digests as digests
from divulge.service.ledger.chain import digest

KEY = b"k" * 32
PARTS = st.text() | st.integers() | st.none() | st.floats() | st.just('1","2')  # a row may be mangled


@given(st.lists(PARTS, min_size=6, max_size=6))
def test_they_are_those_of_their_parts(given):
    ticket, owner, idempotency, *_ = given
    assert digests.owner_digest(KEY, ticket, owner) == digest(KEY, "an owner", ticket, owner)
    assert digests.answer_digest(KEY, *given[:3]) == digest(KEY, "an answer", ticket, owner, idempotency)
    assert digests.repeat_digest(KEY, owner, idempotency) == digest(KEY, "a repeat", owner, idempotency)
    assert digests.record_seal(KEY, *given) == digest(KEY, "a record", *given)
