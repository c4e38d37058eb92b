"""Whoever sends too much, too fast or too slowly is refused before any work, and keeps nobody waiting."""

import re
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import astuple
from pathlib import Path

import anyio
import httpx
import numpy as np
import pytest

from divulge.errors import ParameterError
from divulge.service.http.limits import Bucket, Pace, ServiceLimits
from divulge.service.http.problems import TooMany
from service.doors_helpers import AT, by_hand, house, server

MEGABYTE = 1 << 20
JSON = {"Content-Type": "application/json", "Idempotency-Key": "a"}


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """A service whose decider must not be asked: any transaction fails the test."""
    with house(tmp_path_factory.mktemp("quiet")) as made:
        made.decider.database.transact = must_not_happen
        yield made


def must_not_happen(*_):
    raise AssertionError("the decider was asked")


def posted(made, path, chunk, chunks, by="requester", **headers):
    told = {**JSON, "Authorization": f"Bearer {made.keys.get(by, by)}", **headers}
    return made.portal.call(by_hand, made.app, path, told, chunk, chunks)


# -- how much ---------------------------------------------------------------------------------------


def test_a_body_that_is_said_to_be_too_large_is_not_read(quiet):
    told = posted(quiet, f"{AT}/requests", b"x", 1, **{"Content-Length": str(MEGABYTE + 1)})
    assert (told.status, told.taken) == (413, 0)
    assert b'"error":"too_large"' in told.body


def test_a_body_that_turns_out_too_large_is_read_no_further(quiet):
    told = posted(quiet, f"{AT}/requests", b"x" * 65536, 100)
    assert (told.status, told.taken) == (413, 17)


def test_a_body_of_the_largest_size_is_read(quiet):
    body = b'{"record": "' + b"p" * (MEGABYTE - 14) + b'"}'
    assert len(body) == MEGABYTE
    told = posted(quiet, f"{AT}/requests", body, 1, **{"Content-Length": str(len(body))})
    assert told.status == 422  # no record has so long an id


def test_nothing_is_read_of_whoever_may_not_ask(quiet):
    for by, status in (("nobody", 401), ("auditor", 403)):
        told = posted(quiet, f"{AT}/requests", b"x" * 65536, 100, by)
        assert (told.status, told.taken) == (status, 0)


@pytest.mark.parametrize("bodies", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_bodies_that_are_too_large_take_no_memory(quiet, bodies):
    chunk = b"x" * MEGABYTE

    async def storm():
        told = {**JSON, "Authorization": f"Bearer {quiet.keys['requester']}"}
        for number in range(bodies):
            declared = {"Content-Length": "10000000"} if number % 10 else {}
            answer = await by_hand(quiet.app, f"{AT}/requests", {**told, **declared}, chunk, 100)
            assert answer.status == 413

    posted(quiet, f"{AT}/requests", chunk, 100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    quiet.portal.call(storm)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown <= 50 * 1024  # kilobytes


def test_a_batch_has_at_most_as_many_requests_as_allowed(tmp_path):
    with house(tmp_path, ServiceLimits(batch=3, pause=1e-9)) as made:
        lines = [{"record": f"p{number}", "key": f"k{number}"} for number in range(4)]
        answers = [
            made.ask("POST", f"{AT}/batches", "requester", json={"requests": some}).status_code
            for some in (lines, lines[:3])
        ]
        assert answers == [422, 200]
        assert made.decider.status("people")["entries"] == 4  # loaded, and three decisions


def test_values_are_nested_no_deeper_than_allowed(tmp_path):
    with house(tmp_path, ServiceLimits(depth=2, pause=1e-9)) as made:
        given = {"requests": [{"record": "p0", "key": "a"}]}
        answer = made.ask("POST", f"{AT}/batches", "requester", json=given)
        assert (answer.status_code, answer.json()["error"]) == (422, "invalid")
        assert made.outside() == 0


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="'batch' must be larger than 0"):
        ServiceLimits(batch=0)


def test_the_guide_says_the_limits_that_hold_unless_others_are_given():
    guide = (Path(__file__).parents[3] / "docs" / "release-service.md").read_text("utf-8")
    table = guide.partition("## Limits")[2].partition("\n## ")[0]
    said = re.findall(r"^\| [^|]+ \| ([\d.,]+)", table, re.MULTILINE)
    assert [float(one.replace(",", "")) for one in said] == list(astuple(ServiceLimits()))


# -- how fast ---------------------------------------------------------------------------------------


def test_a_bucket_gives_a_minutes_allowance_at_once_and_then_one_at_a_time():
    bucket = Bucket(6, 0.0)
    assert [bucket.take(0.0) for _ in range(7)] == [0.0] * 6 + [10.0]  # one in ten seconds
    assert bucket.take(4.0) == pytest.approx(6.0)
    assert bucket.take(10.5) == 0.0
    assert [bucket.take(1000.0) for _ in range(7)] == [0.0] * 6 + [10.0]


def test_a_key_that_asks_too_often_is_told_when_to_come_back_and_takes_nothing_from_others(tmp_path):
    with house(tmp_path, ServiceLimits(per_minute=5, in_all=12, pause=1e-9)) as made:
        at = [0.0]
        made.app.state.gate.pace = Pace(made.app.state.gate.limits, lambda: at[0])

        def asked(by, times):
            return [made.ask("GET", "/datasets", by).status_code for _ in range(times)]

        assert asked("steward", 30) == [200] * 5 + [429] * 25
        answer = made.ask("GET", "/datasets", "steward")
        assert (answer.json()["error"], answer.headers["retry-after"]) == ("too_many", "12")
        assert asked("auditor", 5) == [200] * 5
        assert asked("requester", 3) == [200, 200, 429]  # those of all keys together are used up
        at[0] += 12
        assert asked("steward", 2) == [200, 429]


def test_a_batch_counts_by_its_size(tmp_path):
    with house(tmp_path, ServiceLimits(per_minute=5, in_all=20, pause=1e-9)) as made:
        made.app.state.gate.pace = Pace(made.app.state.gate.limits, lambda: 0.0)

        def asked(*records):
            lines = [{"record": one, "key": one} for one in records]
            return made.ask("POST", f"{AT}/batches", "requester", json={"requests": lines})

        assert asked("p0", "p1").status_code == 200
        assert (
            asked(*(f"p{number}" for number in range(8))).status_code == 200
        )  # of the last three, five owing
        again = asked("p9")
        assert (again.status_code, again.headers["retry-after"]) == (429, "72")  # one in twelve seconds
        assert [made.ask("GET", "/datasets", "steward").status_code for _ in range(6)] == [200] * 5 + [429]


def test_strangers_take_nothing_from_those_who_have_a_key(tmp_path):
    with house(tmp_path, ServiceLimits(in_all=5, pause=1e-9)) as made:
        assert [made.ask("GET", "/datasets").status_code for _ in range(7)] == [401] * 5 + [429] * 2
        assert made.ask("GET", "/health").status_code == 429
        assert made.ask("GET", "/datasets", "steward").status_code == 200


def test_a_key_that_asks_too_often_has_no_work_done(tmp_path, monkeypatch):
    with house(tmp_path, ServiceLimits(per_minute=1, pause=1e-9)) as made:
        assert made.ask("GET", "/datasets", "requester").status_code == 200
        monkeypatch.setattr(made.decider, "batch", must_not_happen)
        told = posted(made, f"{AT}/batches", b"{", 10)
        assert (told.status, told.taken, told.headers["retry-after"]) == (429, 0, "60")


def test_a_key_has_no_more_requests_under_way_than_allowed():
    pace = Pace(ServiceLimits(at_once=2))
    for _ in range(2):  # those that are answered count no longer, and once
        with ExitStack() as turns:
            turns.enter_context(pace.turn("a"))
            turns.enter_context(pace.turn("a"))
            turns.enter_context(pace.turn("b"))
            with pytest.raises(TooMany), pace.turn("a"):
                pass


def test_whoever_is_refused_waits_before_being_told_and_so_cannot_ask_often(tmp_path):
    refused = []

    async def ask_on(made, by):
        while True:
            refused.append((await made.asked("GET", "/datasets", by, {})).status_code)

    async def crowd(made, by):
        with anyio.move_on_after(0.5):
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(ask_on, made, by)

    with house(tmp_path, ServiceLimits(per_minute=1)) as made:
        made.ask("GET", "/datasets", "requester")
        for by, status in (("requester", 429), (None, 401), ("a" * 12 + "." + "b" * 43, 401)):
            refused.clear()
            made.portal.call(crowd, made, by)
            assert set(refused) == {status}
            assert len(refused) <= 8 * 5  # each of them five times in half a second


FLOOD = """
import sys, threading, time, httpx
url, key = sys.argv[1:]
def ask():
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        while True:
            if client.get("/datasets").status_code == 429:
                refused.set()
refused = threading.Event()
threads = [threading.Thread(target=ask) for _ in range(8)]
[one.start() for one in threads]
refused.wait(20)
print("now", flush=True)
"""


def waits(url, key):
    """How long a key waits for its answers, in the middle and at the 99th of a hundred."""
    found = []
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        for _ in range(100):
            begun = time.perf_counter()
            assert client.get(AT).status_code == 200
            found.append(time.perf_counter() - begun)
    found.sort()
    return np.array([found[50], found[98]])


def test_a_key_that_asks_too_often_does_not_keep_another_waiting(tmp_path):
    with server(tmp_path, per_minute=1200) as running:
        waits(running.url, running.keys["steward"])
        arguments = [running.url, running.keys["requester"]]
        ratios = []
        for _ in range(6):  # other work on this machine adds to either, so one good comparison is enough
            alone = waits(running.url, running.keys["steward"])
            flood = subprocess.Popen([sys.executable, "-c", FLOOD, *arguments], stdout=subprocess.PIPE)
            try:
                flood.stdout.readline()
                ratios.append(waits(running.url, running.keys["auditor"]) / alone)
            finally:
                flood.kill()
                flood.communicate()
            if (ratios[-1] <= 2).all():
                return
    pytest.fail(f"waits grew to {[one.round(1).tolist() for one in ratios]} times themselves")


# -- how slowly, and how many -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A service that waits for a second and keeps four connections."""
    with server(tmp_path_factory.mktemp("impatient"), patience=1.0, connections=4) as running:
        yield running


def connected(running):
    return socket.create_connection(("127.0.0.1", running.port), timeout=5)


def seconds_until_closed(connection, trickle=b"", pause=0.1):
    """Send a byte at a time until the other side has had enough."""
    begun = time.monotonic()
    while time.monotonic() - begun < 5:
        try:
            connection.sendall(trickle)
            connection.settimeout(pause)
            if connection.recv(65536) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - begun


def begun_request(running, body=0):
    lines = [
        f"POST {AT}/requests HTTP/1.1",
        "Host: service",
        f"Authorization: Bearer {running.keys['requester']}",
        "Content-Type: application/json",
        "Idempotency-Key: slow",
        f"Content-Length: {body}",
    ]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("begun", ["nothing", "a header", "a body", "a second request"])
def test_a_client_that_sends_too_slowly_is_given_up(impatient, begun):
    with connected(impatient) as connection:
        trickle = b"" if begun == "nothing" else b"x"
        if begun == "a second request":
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: service\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
            connection.sendall(b"GET /health HTTP/1.1\r\nX: ")
        if begun == "a header":
            connection.sendall(begun_request(impatient) + b"\r\nX: ")
        if begun == "a body":
            connection.sendall(begun_request(impatient, 1000) + b"\r\n\r\n{")
        assert 0.7 < seconds_until_closed(connection, trickle) < 4


def answers_taken_after(running, pause):
    """How many of five hundred answers come to a client that listens to nothing for a while."""
    asked = b"GET /page.js HTTP/1.1\r\nHost: service\r\n\r\n"
    found = bytearray()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(5)
        connection.connect(("127.0.0.1", running.port))
        connection.sendall(asked * 500)
        time.sleep(pause)
        with suppress(ConnectionResetError, TimeoutError):
            while part := connection.recv(1 << 20):
                found += part
    return found.count(b"HTTP/1.1 200")


def test_a_client_that_does_not_take_its_answers_is_given_up(impatient):
    assert answers_taken_after(impatient, 0.0) == 500
    assert any(answers_taken_after(impatient, pause) < 500 for pause in (1.5, 4.0, 8.0))  # on a busy machine


def test_more_connections_than_allowed_are_refused_and_many_more_are_dropped(impatient):
    time.sleep(1.2)  # for those of other tests to be given up
    with ExitStack() as others:
        for _ in range(4):
            others.enter_context(connected(impatient))
        answer = httpx.get(f"{impatient.url}/health")
        assert answer.status_code == 503
        for _ in range(4):
            others.enter_context(connected(impatient))
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"{impatient.url}/health")
    assert httpx.get(f"{impatient.url}/health").status_code == 200
