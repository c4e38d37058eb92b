"""A key that ends while a request arrives does nothing any more."""

import json

import anyio
import pytest

from divulge.errors import Forbidden
from service.doors_helpers import AT, SAMPLES, house
from service.scene import NAME

LATER = "2999-01-01T00:00:00.000000+00:00"
BY = {
    "requests": ("requester", f"{AT}/requests", "/datasets/{dataset}/requests"),
    "batches": ("requester", f"{AT}/batches", "/datasets/{dataset}/batches"),
    "policies": ("steward", f"{AT}/policies", "/datasets/{dataset}/policies"),
    "keys": ("admin", "/keys", "/keys"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with house(tmp_path_factory.mktemp("ended")) as found:
        yield found


def slowly(given, meanwhile):
    """A body whose last byte comes after something else has happened."""
    body = json.dumps(given).encode()

    async def parts():
        yield body[:-1]
        await anyio.to_thread.run_sync(meanwhile)
        yield body[-1:]

    return parts()


def sent(made, route, key, meanwhile):
    _, path, sample = BY[route]
    given = SAMPLES["POST", sample]
    headers = {"Content-Type": "application/json", **given.get("headers", {})}
    return made.ask("POST", path, key, headers=headers, content=slowly(given["json"], meanwhile))


def entries(made):
    return [len(made.decider.log(chain, 0, 1000)) for chain in (NAME, "service")]


@pytest.mark.parametrize("route", BY)
def test_a_key_that_is_revoked_while_the_body_arrives_writes_nothing(made, route):
    key = made.new_key(BY[route][0])
    before = entries(made)
    answer = sent(made, route, key, lambda: made.revoke(key))
    assert (answer.status_code, answer.json()["message"]) == (403, "This key is revoked.")
    assert entries(made) == [before[0], before[1] + 1]  # the revocation


@pytest.mark.parametrize("route", BY)
def test_a_key_that_expires_while_the_body_arrives_writes_nothing(made, route, monkeypatch):
    key = made.new_key(BY[route][0], "2998-12-31T00:00:00.000000+00:00")
    before = entries(made)
    answer = sent(made, route, key, lambda: monkeypatch.setattr(made.decider, "clock", lambda: LATER))
    assert (answer.status_code, answer.json()["message"]) == (403, "This key has expired.")
    assert entries(made) == before


def test_an_ended_key_neither_withdraws_nor_revokes(made):
    key, other = made.new_key("requester"), made.new_key("auditor")
    lines = {"requests": [{"record": f"p{number}", "key": f"w{number}"} for number in range(60)]}
    answers = made.ask("POST", f"{AT}/batches", key, json=lines).json()["answers"]
    waiting = next(one["ticket"] for one in answers if one["decision"] == "waiting")
    made.revoke(key)
    with pytest.raises(Forbidden, match="revoked"):
        made.decider.withdraw(NAME, waiting, key.partition(".")[0])
    with pytest.raises(Forbidden, match="revoked"):
        made.decider.revoke_key(other.partition(".")[0], "x", key.partition(".")[0])
