"""Requests that go straight to their function are answered as those that go the general way."""

import json
from contextlib import contextmanager

import pytest

from divulge.service.http.access import Door
from divulge.service.http.direct import DIRECT
from service.doors_helpers import AT, house
from service.scene import NAME

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def open_house(tmp_path):
    with house(tmp_path) as made:
        yield made


@contextmanager
def general(house):
    """As if no request went straight."""
    doors = [one for one in house.app.routes if isinstance(one, Door)]
    before = [one.direct for one in doors]
    for one in doors:
        one.direct = lambda request: None
    yield
    for one, direct in zip(doors, before, strict=True):
        one.direct = direct


@contextmanager
def only_direct(house):
    """Every request that goes straight is counted, and how often that was is told."""
    told, doors = [], [one for one in house.app.routes if isinstance(one, Door)]
    before = [one.direct for one in doors]
    for one, direct in zip(doors, before, strict=True):

        def noted(request, direct=direct):
            found = direct(request)
            if found is not None:
                told.append(request.url.path)
            return found

        one.direct = noted
    yield told
    for one, direct in zip(doors, before, strict=True):
        one.direct = direct


def both(house, path, body, headers=JSON, key="requester"):
    """The answers that a request gets on both ways, the general first, and whether it went straight."""
    given = {"content": body if isinstance(body, bytes) else json.dumps(body), "headers": headers}
    with general(house):
        first = house.ask("POST", path, key, **given)
    with only_direct(house) as straight:
        second = house.ask("POST", path, key, **given)
    return (first.status_code, first.json()), (second.status_code, second.json()), bool(straight)


def test_there_is_a_straight_way_for_records_and_batches_alone(open_house):
    doors = {(one.row.method, one.row.path): one for one in open_house.app.routes if isinstance(one, Door)}
    assert DIRECT.keys() == {("POST", f"/datasets/{{dataset}}/{one}") for one in ("requests", "batches")}
    assert all(doors[place].direct is DIRECT[place] for place in DIRECT)


@pytest.mark.parametrize("query", ["", "?since=1", "?since=0", "?since=999999999999999"])
def test_plain_requests_go_straight_and_are_answered_the_same(open_house, query):
    headers = {**JSON, "Idempotency-Key": "k"}
    general_way, straight_way, straight = both(open_house, f"{AT}/requests{query}", {"record": "p0"}, headers)
    assert straight
    assert general_way == straight_way  # a request that is repeated
    assert general_way[0] == 200
    lines = [{"record": f"p{i}", "key": f"line-{i}"} for i in range(3)] + [{"record": "nobody", "key": "x"}]
    general_way, straight_way, straight = both(open_house, f"{AT}/batches{query}", {"requests": lines})
    assert straight
    assert general_way == straight_way
    assert [one["decision"] for one in general_way[1]["answers"][:3]]


def test_a_key_that_is_sent_twice_is_refused_on_both_ways(open_house):
    headers = [*JSON.items(), ("Idempotency-Key", "k"), ("Idempotency-Key", "k")]
    for way in both(open_house, f"{AT}/requests", {"record": "p0"}, headers)[:2]:
        assert (way[0], "sent once" in way[1]["message"]) == (422, True)
    asked = {"content": json.dumps({"query": "SELECT COUNT(*) FROM patients"}), "headers": headers}
    assert open_house.ask("POST", f"{AT}/queries", "requester", **asked).status_code == 422


ODD_KEYS = [None, "", " ", "a b", "é".encode(), "x" * 201, "tab\tin"]
ODD_QUERIES = [
    "since=", "since=-1", "since=+1", "since=1.0", "since=1&since=2", "since=1_0", "since=%31", "Since=1",
    "since=%D9%A1", "other=1", "since=1&other=2", "&", "since", "since=1000000000000000", "since=1#",
]  # fmt: skip
ODD_BODIES = [
    {}, [], None, "p0", 1, {"record": 1}, {"record": None}, {"record": ""}, {"record": "x" * 1025},
    {"record": "p0", "more": 1}, {"record": ["p0"]}, {"Record": "p0"}, {"requests": []},
    {"requests": [{"record": "p0"}]}, {"requests": [{"record": "p0", "key": "a b"}]},
    {"requests": {"record": "p0", "key": "k"}}, {"requests": [[]]}, {"requests": None}, {"record": True},
    b"", b"{", b'{"record": "p0", "record": "p1"}', b'{"record": "p\\ud800"}', b'{"record": NaN}', b"\xff",
]  # fmt: skip
ODD_PATHS = [f"/datasets/{one}/requests" for one in ("service", "nothing", "People", f"{NAME}%0A", "a" * 64)]


def test_what_is_odd_is_answered_the_same_on_both_ways(open_house):
    plain = {**JSON, "Idempotency-Key": "k"}
    keys = [{} if one is None else {"Idempotency-Key": one} for one in ODD_KEYS]
    asked = [(f"{AT}/requests", {"record": "p0"}, {**JSON, **one}) for one in keys]
    asked += [
        (f"{AT}/{kind}?{one}", {"record": "p0"}, plain)
        for one in ODD_QUERIES
        for kind in ("requests", "batches")
    ]
    asked += [(f"{AT}/{kind}", one, plain) for one in ODD_BODIES for kind in ("requests", "batches")]
    asked += [(one, {"record": "p0"}, plain) for one in ODD_PATHS]
    asked += [(f"{AT}/requests", {"record": "p0"}, [*plain.items(), ("Idempotency-Key", "second")])]
    asked += [(f"{AT}/requests", {"record": "p0"}, {**plain, "Content-Type": "text/plain"})]
    before = open_house.decider.status(NAME)["entries"]
    accepted = 0
    for path, body, headers in asked:
        general_way, straight_way, straight = both(open_house, path, body, headers)
        assert general_way == straight_way, (path, body, headers)
        assert general_way[0] < 500
        accepted += general_way[0] < 300
        assert not straight or general_way[0] in (200, 202, 404), (path, body, headers)
    assert open_house.decider.status(NAME)["entries"] <= before + 1  # all under one key
    assert accepted < len(asked) / 5
