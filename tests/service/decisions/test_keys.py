"""Who may ask for what."""

import pytest

from divulge.errors import NotFound, ParameterError
from divulge.service.decisions.checkpointed import now
from divulge.service.decisions.keys import KeyRole, all_keys, keys_query, known_key, make_key, revoke_key
from divulge.service.ledger.chain import fault_in
from divulge.service.ledger.log_writer import entries_of

NOON, EVENING = "2026-01-01T12:00:00.000000+00:00", "2026-01-01T18:00:00.000000+00:00"


def act(decider, what, **given):
    key = decider.secrets.digest
    return decider.database.transact("service", lambda connection: what(connection, key, NOON, **given))


def make(decider, role="requester", **given):
    return act(decider, make_key, **{"role": role, "name": "somebody", "by": "admin", **given})


def known(decider, told, at=NOON):
    return decider.database.read(lambda connection: known_key(connection.rows(*keys_query([told])), at, told))


def test_a_key_is_good_for_whoever_was_told(decider):
    told, key = make(decider, "steward")
    assert known(decider, told) == key
    assert key.role is KeyRole.STEWARD
    identity, secret = told.split(".", 1)
    for wrong in ("", ".", identity, f"{identity}.", f"{identity}.{secret}x", f"x.{secret}", f".{secret}"):
        assert known(decider, wrong) is None


def test_a_secret_is_kept_nowhere(decider):
    told, _ = make(decider)
    secret = told.split(".", 1)[1]
    rows = decider.database.read(lambda c: (c.rows("SELECT * FROM api_key"), c.rows("SELECT * FROM entry")))
    assert secret not in str(rows)
    (key,) = decider.database.read(all_keys)
    assert "hash" not in key.to_dict()


def test_a_key_ends_when_it_expires_or_is_revoked(decider):
    told, _ = make(decider, expires=EVENING)
    assert known(decider, told)
    assert known(decider, told, EVENING) is None
    told, key = make(decider)
    act(decider, revoke_key, identity=key.id, by="admin")
    assert known(decider, told) is None
    with pytest.raises(NotFound, match="already revoked"):
        act(decider, revoke_key, identity=key.id, by="admin")


def test_there_are_four_roles(decider):
    with pytest.raises(ParameterError, match="requester, steward, auditor, admin"):
        make(decider, "king")
    assert decider.database.read(all_keys) == []


def test_the_log_says_who_made_and_revoked_keys(decider):
    _, key = make(decider, "auditor")
    act(decider, revoke_key, identity=key.id, by="boss")
    entries = decider.database.read(lambda connection: entries_of(connection, "service"))
    assert [(one.kind, one.fields["id"], one.fields["by"]) for one in entries] == [
        ("key made", key.id, "admin"),
        ("key revoked", key.id, "boss"),
    ]
    assert fault_in(entries, decider.secrets.digest) is None
    assert now() > entries[-1].at
