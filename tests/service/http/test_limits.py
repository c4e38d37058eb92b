"""Whoever sends too much, too fast or too slowly is refused before any work, and keeps nobody waiting."""

import json
import re
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import astuple
from pathlib import Path

import anyio
import httpx
import numpy as np
import pytest

from divulge.errors import ParameterError
from divulge.service.decisions.open_requests import OpenLimits
from divulge.service.http.limits import Bucket, Pace, ServiceLimits, TrustedProxies
from divulge.service.http.problems import TooMany
from service.doors_helpers import AT, by_hand, house, server
from service.malformed_requests import Malformed
from service.test_malformed_many import sent_over_sockets

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
    waiting = OpenLimits()
    assert [float(one.replace(",", "")) for one in said] == [
        *astuple(ServiceLimits()),
        *(waiting.per_key, waiting.per_record, waiting.of_key_for_record),
    ]


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
        assert made.ask("GET", "/").status_code == 429
        assert made.ask("GET", "/datasets", "steward").status_code == 200
        assert made.ask("GET", "/health").status_code == 200  # or a probe would end a service that is busy


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


PROXY, ELSEWHERE = "127.0.0.9", "127.0.0.5"  # addresses of this machine from which clients come


CROWD = {"connections": 4, "per_address": 3}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A service that waits for a second, keeps four connections, three of an address, and trusts a proxy."""
    with server(tmp_path_factory.mktemp("impatient"), proxies=[PROXY], patience=1.0, **CROWD) as running:
        yield running


@pytest.fixture(scope="module")
def patient(tmp_path_factory):
    """The same, but requests whose bodies do not come are still under way when a busy machine looks again."""
    with server(tmp_path_factory.mktemp("patient"), proxies=[PROXY], patience=60.0, **CROWD) as running:
        yield running


def connected(running, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", running.port), timeout=5, source_address=(source, 0))


def health(running, source="127.0.0.1", **headers):
    """What is answered to somebody at an address of this machine."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=source)) as client:
        return client.get(f"{running.url}/health", headers=headers)


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


def begun_request(running, body=0, *more):
    lines = [
        f"POST {AT}/requests HTTP/1.1",
        "Host: service",
        f"Authorization: Bearer {running.keys['requester']}",
        "Content-Type: application/json",
        "Idempotency-Key: slow",
        f"Content-Length: {body}",
        *more,
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


@pytest.mark.parametrize("announced", [b"Content-Length: 1", b"Transfer-Encoding: chunked"])
def test_a_body_that_nobody_wants_is_not_waited_for_and_keeps_nobody_out(impatient, announced):
    with ExitStack() as stack:
        for number in range(4):
            connection = stack.enter_context(connected(impatient, f"127.0.0.{20 + number}"))
            path = (b"/health", b"/ready", b"/", b"/page.js")[number]
            connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: service\r\n" + announced + b"\r\n\r\n")
            connection.settimeout(0.9)  # before patience ends
            assert connection.recv(65536).startswith(b"HTTP/1.1 422")
        assert health(impatient, ELSEWHERE).status_code == 200


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


def told(connection):
    """Everything that is said before a connection is closed."""
    found = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            found += part
    head, _, body = found.partition(b"\r\n\r\n")
    line, *headers = head.decode().split("\r\n")
    return int(line.split()[1]), dict(one.lower().split(": ", 1) for one in headers), json.loads(body)


def is_refusal(given, status, error):
    """A problem with a sentence, and the headers of every answer."""
    found, headers, body = given
    assert (found, body["error"], set(body)) == (status, error, {"error", "message"})
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert (headers["cache-control"], headers["connection"]) == ("no-store", "close")
    return True


@contextmanager
def under_way(running, source="127.0.0.1", number=3, *headers):
    """Requests whose bodies do not come: their connections are not idle."""
    with ExitStack() as held:
        for _ in range(number):
            connection = held.enter_context(connected(running, source))
            connection.sendall(begun_request(running, 1000, "Expect: 100-continue", *headers) + b"\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 100")  # the key is known, the body waited for
        yield held


def test_idle_connections_make_room_for_those_who_ask_and_are_told(impatient):
    with ExitStack() as others:
        idle = [others.enter_context(connected(impatient)) for _ in range(20)]
        assert [health(impatient, source).status_code for source in ("127.0.0.1", ELSEWHERE)] == [200, 200]
        given = told(idle[0])
        assert is_refusal(given, 503, "unavailable")
        assert given[1]["retry-after"] == "5"
        assert "from this address" in given[2]["message"]


def test_an_address_has_no_more_connections_in_use_than_allowed_and_takes_none_from_others(patient):
    with under_way(patient):
        refused = health(patient)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert "from this address" in refused.json()["message"]
        assert health(patient, ELSEWHERE).status_code == 200
        with under_way(patient, ELSEWHERE, 1):
            refused = health(patient, "127.0.0.6")
            assert (refused.status_code, refused.json()["error"]) == (503, "unavailable")
            assert "are open" in refused.json()["message"]
    assert health(patient).status_code == 200


def test_the_address_of_a_client_is_what_a_trusted_proxy_says_and_nobody_else(patient):
    asked = {"Authorization": f"Bearer {patient.keys['steward']}"}

    def status(source, behind):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=source)) as client:
            return client.get(f"{patient.url}{AT}", headers={**asked, "X-Forwarded-For": behind}).status_code

    behind = "203.0.113.7"
    with under_way(patient, PROXY, 3, f"X-Forwarded-For: {behind}"):
        found = [status(PROXY, behind), status(PROXY, f"{behind}, 203.0.113.8"), status(ELSEWHERE, behind)]
        assert found == [429, 200, 200]
    with under_way(patient, ELSEWHERE, 3, f"X-Forwarded-For: {behind}"):
        assert status(PROXY, behind) == 200
        assert status(ELSEWHERE, "203.0.113.9") == 503


def test_whoever_is_too_slow_or_says_nothing_that_is_http_is_told_so(impatient):
    wrong = {  # at one address each, and so at the same time
        "127.0.0.1": (b"", 408, "too_slow"),
        "127.0.0.2": (begun_request(impatient), 408, "too_slow"),
        "127.0.0.3": (begun_request(impatient, 9) + b"\r\n\r\n{", 408, "too_slow"),
        "127.0.0.4": (b"\x16\x03\x01 hello\r\n\r\n", 400, "malformed"),
    }
    with ExitStack() as held:
        given = {source: held.enter_context(connected(impatient, source)) for source in wrong}
        for source, (begun, _, _) in wrong.items():
            given[source].sendall(begun)
        for source, (_, status, error) in wrong.items():
            assert is_refusal(told(given[source]), status, error)


AMBIGUOUS = {
    "two lengths of a body": ("HTTP/1.1", "Content-Length: 200", "Transfer-Encoding: chunked"),
    "the same, the other way": ("HTTP/1.1", "transfer-encoding: Chunked", "CONTENT-LENGTH:200"),
    "a repeated length": ("HTTP/1.1", "Content-Length: 27", "Content-Length: 27"),
    "a list of lengths": ("HTTP/1.1", "Content-Length: 27, 27"),
    "no length": ("HTTP/1.1", "Content-Length:"),
    "a length on two lines": ("HTTP/1.1", "Content-Length:", " 27"),
    "a header on two lines": ("HTTP/1.1", "X: a", "\tContent-Length: 0", "Content-Length: 27"),
    "chunks before there were any": ("HTTP/1.0", "Transfer-Encoding: chunked"),
    "a version to come": ("HTTP/1.2", "Content-Length: 27"),
    "a version of another kind": ("HTTP/2.0", "Content-Length: 27"),
    "an old version": ("HTTP/0.9", "Content-Length: 27"),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_head_that_a_proxy_may_read_otherwise_is_refused_and_nothing_after_it_is_answered(impatient, name):
    version, *lines = AMBIGUOUS[name]
    head = begun_request(impatient).decode().replace("HTTP/1.1", version).split("\r\nContent-Length")[0]
    body = '11\r\n{"record":"nope"}\r\n0\r\n\r\n'
    after = "GET /health HTTP/1.1\r\nHost: service\r\n\r\n"
    with connected(impatient) as connection:
        connection.sendall("\r\n".join([head, *lines, "", body + after]).encode())
        assert is_refusal(told(connection), 400, "malformed")


LINES = ("Host: service", "X: a", "Connection: close")


@pytest.mark.parametrize("bare", range(5))
def test_a_line_of_a_head_that_ends_in_a_line_feed_alone_is_refused(impatient, bare):
    ends = ["\n" if number == bare else "\r\n" for number in range(5)]
    lines = ["GET /health HTTP/1.1", *LINES, ""]
    with connected(impatient) as connection:
        connection.sendall("".join(map("".join, zip(lines, ends, strict=True))).encode())
        assert is_refusal(told(connection), 400, "malformed")


CHUNKS = {
    "the end of all": b"11\r\n%s\r\n0\r\n\n",
    "the end of all, by itself": b"11\r\n%s\r\n0\r\n|\n",
    "a line after the last": b"11\r\n%s\r\n0\r\nX: a\n\r\n",
    "the last of two": b"11\r\n%s\r\n0\r\nX: a\r\nY: a\n\r\n",
    "the end of a chunk": b"11\r\n%s\n0\r\n\r\n",
    "a size": b"11\n%s\r\n0\r\n\r\n",
}
ONE = b'{"record":"nope"}'


def sent_in_chunks(running, chunks):
    """The answer to a request whose body comes in chunks; it is sent in parts where there is a bar."""
    head = begun_request(running).split(b"\r\nContent-Length")[0] + b"\r\nTransfer-Encoding: chunked"
    first, *others = (head + b"\r\nConnection: close\r\n\r\n" + chunks % ONE).split(b"|")
    with connected(running) as connection:
        connection.sendall(first)
        for part in others:
            time.sleep(0.05)
            connection.sendall(part)
        return told(connection)


@pytest.mark.parametrize("name", CHUNKS)
def test_a_line_beside_chunks_that_ends_in_a_line_feed_alone_is_refused(impatient, name):
    found, _, body = sent_in_chunks(impatient, CHUNKS[name])
    assert (found, body["error"]) == (400, "malformed")


@pytest.mark.parametrize(
    "chunks",
    [
        b"11\r\n%s\r\n0\r\n\r\n",
        b"11\r\n%s\r|\n0\r\n\r\n",
        b"11\r\n%s\r\n0\r|\n|\r|\n",
        b"11\r\n%s\r\n0\r\nX: a\r\n\r\n",
    ],
)
def test_chunks_are_taken_however_they_come(impatient, chunks):
    assert sent_in_chunks(impatient, chunks)[0] == 404  # there is no such record


@pytest.mark.parametrize("path", [f"{AT}%2flog", f"{AT}%2Flog", "/%2fhealth", "http://service/%2Fhealth"])
def test_a_path_with_an_encoded_slash_is_refused(impatient, path):
    with connected(impatient) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: service\r\n\r\n".encode())
        assert is_refusal(told(connection), 400, "malformed")


def test_an_encoded_slash_after_the_path_is_not_looked_at(impatient):
    with connected(impatient) as connection:
        head = "GET /health?a=%2f HTTP/1.1\r\nHost: service\r\nX: %2f\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode())
        assert told(connection)[0] == 200


def test_a_head_is_refused_after_a_request_on_the_same_connection_and_in_parts(impatient):
    first = b"GET /health HTTP/1.1\r\nHost: service\r\n\r\n"
    second = first[:-2] + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(impatient) as connection:
        connection.sendall(first + second[:-1])
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(second[-1:] + first)
        assert is_refusal(told(connection), 400, "malformed")


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
def test_plain_heads_are_answered(impatient, version):
    for more in ("", "Content-Length: 0\r\n", "Content-Length:\t0 \r\n"):
        with connected(impatient) as connection:
            asked = f"GET /health {version}\r\nHost: service\r\n{more}Connection: close\r\n\r\n"
            connection.sendall(asked.encode())
            assert told(connection)[0] == 200


def refused_for(running):
    asked = {"Authorization": f"Bearer {running.keys['admin']}"}
    lines = httpx.get(f"{running.url}/metrics", headers=asked).text.splitlines()
    return {line.split('"')[1] for line in lines if line.startswith("divulge_refusals_total{")}


def test_refused_connections_are_counted_by_reason(impatient, patient):
    assert {"address", "too_slow", "malformed"} <= refused_for(impatient)
    assert {"address", "connections", "address in progress"} <= refused_for(patient)


def test_no_malformed_bytes_break_the_service(impatient):
    found = sent_over_sockets(impatient.port, Malformed(impatient.keys, 1), 40, wait=0.2, at_once=2)
    assert not [status for status in found if status >= 500]
    assert {400, 404, 422} <= set(found)
    assert health(impatient).status_code == 200


@pytest.mark.parametrize("given", ["*", "proxy.example", "10.0.0.1/8", ""])
def test_what_is_no_address_cannot_be_a_trusted_proxy(given):
    with pytest.raises(ParameterError, match="must be an address or a network"):
        TrustedProxies([given])


def test_addresses_that_asked_longest_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr("divulge.service.http.limits.ADDRESSES", 2)
    pace = Pace(ServiceLimits(strangers=1), lambda: 0.0)

    def refused(address):
        with suppress(TooMany), pace.turn(None, address):
            return False
        return True

    assert [refused(one) for one in ("a", "b", "a", "c", "a", "b")] == [
        False,
        False,
        True,
        False,
        True,
        False,
    ]
