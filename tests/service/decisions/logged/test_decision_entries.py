"""What is spelled in one go is what the one spelling of the same fields is."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from divulge.safe_release.decision import Reason
from divulge.service.decisions.logged.decision_entries import (
    answer_text,
    decision_text,
    left_text,
    outside_text,
    tickets,
)
from divulge.service.decisions.transaction import REFUSED, RELEASED, WAITING, WITHDRAWN
from divulge.service.ledger.canonical_json import canonical

DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
TICKETS = st.from_regex(r"[A-Za-z0-9_-]{16}", fullmatch=True)
REASONS = st.sampled_from([*(one.value for one in Reason), "repeated"])
NUMBERS = st.integers(0, 2**53 - 1)
FIGURES = st.none() | st.floats(allow_nan=False, allow_infinity=False)
STANDINGS = st.fixed_dictionaries(
    {
        "checker": st.text(st.characters(codec="utf-8")),
        "counts": DIGESTS,
        "digest": DIGESTS,
        "exposures": st.lists(st.tuples(st.sampled_from(["mis", "cst"]), FIGURES, FIGURES), max_size=3),
        "outside": NUMBERS,
        "policy": NUMBERS,
        "waiting": NUMBERS,
    }
)


@given(STANDINGS, DIGESTS, DIGESTS, REASONS, TICKETS, DIGESTS, DIGESTS, st.none() | DIGESTS)
def test_a_decision(standing, record, cell, reason, ticket, owner, asked, body):
    for verdict in (RELEASED, WAITING, REFUSED):
        told = (record, cell, reason, verdict, ticket, owner, asked, body)
        text = decision_text(outside_text(standing), standing["policy"], standing["waiting"], *told)
        names = ("record", "cell", "reason", "verdict", "tickets", "owner", "asked", "body")
        fields = dict(zip(names, told, strict=True)) | {"tickets": [ticket]} | standing
        assert text == canonical({name: value for name, value in fields.items() if value is not None})


@given(STANDINGS, DIGESTS, DIGESTS, REASONS, st.lists(st.text(st.characters(codec="utf-8"))), DIGESTS)
def test_a_record_that_left(standing, record, cell, reason, listed, body):
    told = (record, cell, reason, listed, body)
    text = left_text(outside_text(standing), standing["policy"], standing["waiting"], *told)
    names = ("record", "cell", "reason", "tickets", "body")
    assert text == canonical({**dict(zip(names, told, strict=True)), **standing})


@given(st.sampled_from([RELEASED, WAITING, REFUSED, WITHDRAWN]), TICKETS, NUMBERS, DIGESTS)
def test_an_answer(decision, ticket, index, value):
    fields = {"decision": decision, "ticket": ticket, "index": index, "hash": value}
    assert answer_text(fields) == json.dumps(fields)
    more = {**fields, "record": {"name": '"é'}}
    assert answer_text(more) == json.dumps(more)


def test_tickets_are_different_and_as_long_as_before():
    drawn = tickets()
    found = [next(drawn) for _ in range(1000)]
    assert len({*found}) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{16}", one) for one in found)
