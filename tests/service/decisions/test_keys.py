"""Who may ask for what."""

import pytest

from divulge.errors import NotFound, ParameterError
from divulge.service.decisions.decisions import now
from divulge.service.decisions.keys import KeyRole, all_keys, known_key, make_key, revoke_key
from divulge.service.ledger.chain import fault_in
from divulge.service.ledger.log_writer import entries_of

NOON, EVENING = "2026-01-01T12:00:00.000000+00:00", "2026-01-01T18:00:00.000000+00:00"


def act(desk, what, **given):
    key = desk.secrets.digest
    return desk.database.transact("service", lambda connection: what(connection, key, NOON, **given))


def make(desk, role="requester", **given):
    return act(desk, make_key, **{"role": role, "name": "somebody", "by": "admin", **given})


def known(desk, told, at=NOON):
    return desk.database.read(lambda connection: known_key(connection, told, at))


def test_a_key_is_good_for_whoever_was_told(desk):
    told, key = make(desk, "steward")
    assert known(desk, told) == key
    assert key.role is KeyRole.STEWARD
    identity, secret = told.split(".", 1)
    for wrong in ("", ".", identity, f"{identity}.", f"{identity}.{secret}x", f"x.{secret}", f".{secret}"):
        assert known(desk, wrong) is None


def test_a_secret_is_kept_nowhere(desk):
    told, _ = make(desk)
    secret = told.split(".", 1)[1]
    rows = desk.database.read(lambda c: (c.rows("SELECT * FROM api_key"), c.rows("SELECT * FROM entry")))
    assert secret not in str(rows)
    (key,) = desk.database.read(all_keys)
    assert "hash" not in key.to_dict()


def test_a_key_ends_when_it_expires_or_is_revoked(desk):
    told, _ = make(desk, expires=EVENING)
    assert known(desk, told)
    assert known(desk, told, EVENING) is None
    told, key = make(desk)
    act(desk, revoke_key, identity=key.id, by="admin")
    assert known(desk, told) is None
    with pytest.raises(NotFound, match="revoked already"):
        act(desk, revoke_key, identity=key.id, by="admin")


def test_there_are_four_roles(desk):
    with pytest.raises(ParameterError, match="requester, steward, auditor, admin"):
        make(desk, "king")
    assert desk.database.read(all_keys) == []


def test_the_log_says_who_made_and_revoked_keys(desk):
    _, key = make(desk, "auditor")
    act(desk, revoke_key, identity=key.id, by="boss")
    entries = desk.database.read(lambda connection: entries_of(connection, "service"))
    assert [(one.kind, one.fields["id"], one.fields["by"]) for one in entries] == [
        ("key made", key.id, "admin"),
        ("key revoked", key.id, "boss"),
    ]
    assert fault_in(entries, desk.secrets.digest) is None
    assert now() > entries[-1].at
