"""Digests of requests are the same whether they were made ready or not, and a ticket is handed out once."""

import pytest

from divulge.service.decisions.logged.content_digests import answer_digest, owner_digest
from divulge.service.decisions.logged.request_digests import RequestDigests
from divulge.service.ledger.chain import digest

KEY = bytes(32)


@pytest.mark.parametrize("ready", [False, True])
def test_a_new_request_has_a_ticket_and_digests_of_it(ready):
    digests = RequestDigests("d", KEY)
    if ready:
        digests.prepare("o", [("r", "k"), ("s", "l")])
    ticket, owner, asked = digests.opened("o", "k")
    assert owner == owner_digest(KEY, ticket, "o")
    assert asked == answer_digest(KEY, ticket, "o", "k")
    assert digests.named("r") == digest(KEY, "d", "r")
    again = digests.opened("o", "k")
    assert again.ticket not in (ticket, digests.opened("o", "l").ticket)
