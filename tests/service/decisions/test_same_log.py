"""The same requests in the same order make the same log, byte for byte, however they share transactions."""

import hashlib
import itertools
import json
import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from divulge.service.decisions.committing.group_queue import Group, Piece
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.logged.request_digests import RequestDigests
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.secrets import Secrets
from divulge.service.store.database import open_database
from service.scene import NAME, dataset, people, put_in

RECORDS, OWNERS, SIDE_BY_SIDE = 40, 3, 12
# everything that is written for decisions, in an order of its own
TABLES = {
    "entry": "chain, idx",
    "head": "chain",
    "tree_node": "chain, idx",
    "request": "ticket",
    "record": "dataset, id",
    "cell": "dataset, x, y",
    "answer": "owner, key",
}


def opened(url, folder):
    """A service whose keys and clock are the same in every run."""
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    secrets = Secrets(bytes(range(32, 64)), private.public_key(), private)
    at = "2026-01-02T03:04:05.000006+00:00"
    found = DecisionService(
        open_database(url, create=True), secrets, Anchors(folder / "checkpoints").make(), lambda: at
    )
    put_in(found, dataset(people(RECORDS)))
    return found


def requests():
    """Records asked for once, again by others, again under the same key; and one that is not there."""
    drawn = random.Random(7)
    records = [drawn.choice([*(f"p{one}" for one in range(RECORDS)), "nobody"]) for _ in range(2 * RECORDS)]
    asked = [
        (f"client {place // SIDE_BY_SIDE % OWNERS}", RecordRequest(one, f'"kéy" {place}'))
        for place, one in enumerate(records)
    ]
    return [*asked, *sorted(drawn.sample(asked, 10))]


def one_by_one(decider):
    for owner, asked in requests():
        decider.batch(NAME, [asked], owner)


def in_groups(decider, size=8):
    line = requests()
    for start in range(0, len(line), size):
        pieces = [
            Piece(decider._deciding([asked], owner), shared=True)
            for owner, asked in line[start : start + size]
        ]
        decider._commits._carry_out(NAME, Group(pieces, closed=True))
        for piece in pieces:
            piece.outcome()


def in_slices(decider):
    """Batches of each owner's requests that stand side by side, and so in the same order."""
    for owner, asked in itertools.groupby(requests(), key=lambda one: one[0]):
        decider.batch(NAME, [one for _, one in asked], owner)


def written(decider):
    """All rows of a service, and the last checkpoint with its signature."""
    queries = [(f"SELECT * FROM {table} ORDER BY {by}", ()) for table, by in TABLES.items()]
    rows = decider.database.read(lambda connection: connection.several(queries))
    found = {
        table: sorted(json.dumps(row) for row in found) for table, found in zip(TABLES, rows, strict=True)
    }
    checkpoint = decider.anchors.newest(NAME)
    return {**found, "checkpoint": [json.dumps(checkpoint.to_dict())]}


def decided(url, folder, decide):
    """What is written for all requests, with tickets that tell which request it is."""
    opened_as = RequestDigests._opened

    def by_request(digests, *request):
        digests._tickets = iter([hashlib.sha256(json.dumps(request).encode()).hexdigest()[:16]])
        return opened_as(digests, *request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RequestDigests, "_opened", by_request)
        decider = opened(url, folder)
        decide(decider)
        found = written(decider)
        decider.database.close()
    return found


@pytest.fixture(scope="module")
def plainly(tmp_path_factory):
    """What is written where each request has a transaction of its own."""
    folder = tmp_path_factory.mktemp("plainly")
    return decided(str(folder / "service.db"), folder, one_by_one)


@pytest.mark.parametrize("decide", [in_groups, in_slices])
def test_the_log_does_not_depend_on_who_shares_a_transaction_nor_on_the_database(
    url, tmp_path, plainly, decide
):
    found = decided(url, tmp_path, decide)
    assert found == plainly
    kinds = [json.loads(row)[3] for row in found["entry"]]
    assert {"decision", "left"} <= {*kinds}
    assert len(kinds) > RECORDS
