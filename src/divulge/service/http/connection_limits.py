"""Connections that are given up, and told why: idle ones for those who ask, slow and ambiguous ones."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from divulge.report.shared.answer_headers import HEADERS
from divulge.service.http.joined_writes import JoinedWrites
from divulge.service.http.limits import ServiceLimits, TrustedProxies, client_of
from divulge.service.http.problems import Busy, NotHTTP, TooSlow, answer_to, reason_of

LINGER = 1.0  # seconds to take what still comes, since an unread byte would turn the answer into a reset
LONGEST_HEAD = 64 * 1024  # bytes
SOON = 5  # seconds after which to try again
END = re.compile(rb"\n\r?\n")  # of a head
VERSIONS = (b" HTTP/1.1", b" HTTP/1.0")
DIGITS = re.compile(rb"[ \t]*[0-9]+[ \t]*")
BARE = re.compile(rb"(?<!\r)\n")  # a line that ends in a line feed alone (RFC 9112, 2.2)
SLASH = re.compile(rb"[^ ]* [^ ?#]*%2f", re.IGNORECASE)  # encoded, in the path of a request


class StrictConnection(h11.Connection):
    """A connection that refuses what h11 would take, and others might read differently."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        state = self.their_state
        if state not in (h11.IDLE, h11.SEND_BODY):
            return super().next_event()
        waiting, _ = self.trailing_data
        if state is h11.IDLE:
            end = END.search(waiting)
            if end is not None and (fault := fault_of(waiting[: end.end()])):
                raise h11.RemoteProtocolError(fault)
        event = super().next_event()
        if state is h11.SEND_BODY and isinstance(event, h11.EndOfMessage):
            left, _ = self.trailing_data
            if _ends_in_bare_line(waiting[: len(waiting) - len(left)]):
                raise h11.RemoteProtocolError("a bare line feed after the chunks")
        return event


def _ends_in_bare_line(end: bytes) -> bool:
    """Whether the end of a body in chunks, as far as it was not read before, has a bare line feed.

    The first may belong to a carriage return that was read before it, unless nothing follows.
    """
    return end == b"\n" or BARE.search(end, 1) is not None


def fault_of(head: bytes) -> str | None:
    """What a head leaves open (RFC 9112, 2.2, 5.2, 6.1 and 6.3); None for one that leaves nothing open."""
    if BARE.search(head):
        return "a bare line feed"
    first, *lines = head.split(b"\r\n")[:-2]
    if not first.endswith(VERSIONS):
        return "neither HTTP/1.1 nor HTTP/1.0"
    if SLASH.match(first):
        return "an encoded slash"
    if any(line.startswith((b" ", b"\t")) for line in lines):
        return "a header on several lines"
    fields = [(name.lower(), value) for name, _, value in (line.partition(b":") for line in lines)]
    lengths = [value for name, value in fields if name == b"content-length"]
    if len(lengths) > 1 or not all(map(DIGITS.fullmatch, lengths)):
        return "no single Content-Length"
    if any(name == b"transfer-encoding" for name, _ in fields) and (lengths or first.endswith(VERSIONS[1])):
        return "a Transfer-Encoding beside a Content-Length, or in HTTP/1.0"
    return None


class Patient(H11Protocol):
    """A connection. Without a request under way it is idle, and the first to go where others need room.

    It waits no longer than allowed for a whole request, or for its answer to be taken.
    """

    limits: ServiceLimits
    proxies: TrustedProxies
    refused: Callable[[str], None]  # told of every connection that is given up, by its reason
    address: str | None = None  # of the client; None for a trusted proxy, behind which there are many
    since: float = 0.0  # when it became idle
    given_up = False
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.conn = StrictConnection(h11.SERVER, LONGEST_HEAD)
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]
        self.since = self.loop.time()
        host = self.client[0] if self.client else ""
        self.address = None if host in self.proxies else client_of(host)
        self._make_room([one for one in self.connections if isinstance(one, Patient) and one is not self])

    def _make_room(self, others: Sequence[Patient]) -> None:
        """Give up an idle connection where there are too many: of the same address, else of the busiest."""
        held = [one for one in others if not one.given_up]
        if len(others) >= 2 * self.limits.connections:  # some that were given up do not go
            going = [one for one in others if one.given_up]
            min(going, key=lambda one: one.since, default=self).transport.abort()
        own = [one for one in held if self.address is not None and one.address == self.address]
        crowd, reason = (own, "address") if len(own) >= self.limits.per_address else (held, "connections")
        if crowd is own or len(held) >= self.limits.connections:
            (longest_idle(crowd) or self).give_up(Busy(SENTENCES[reason], SOON, reason))
        if not self.given_up:
            self._watch()

    @property
    def idle(self) -> bool:
        """Whether no request is under way: none has come, or not to its end, or all are answered."""
        return self.cycle is None or self.cycle.response_complete

    def give_up(self, error: Exception) -> None:
        """Close the connection; a client that has begun a request, or none at all so far, is told why."""
        self._stop()
        self._unset_keepalive_if_required()
        if not self.given_up:
            self.refused(reason_of(error))
        self.given_up, self.since = True, self.loop.time()
        unheard = self.cycle is None or not self.cycle.response_complete or self.conn.trailing_data[0]
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE) or self.flow.write_paused:
            self.transport.abort()
            return
        if unheard:
            self._tell(error)
        self.flow.resume_reading()
        try:
            self.transport.write_eof()
        except OSError:  # the client has gone
            self.transport.abort()
        self._due = self.loop.call_later(LINGER, self.transport.abort)

    def _tell(self, error: Exception) -> None:
        answer = answer_to(error)
        headers = [*answer.raw_headers, *HEADERS, (b"connection", b"close")]
        reason = HTTPStatus(answer.status_code).phrase.encode()
        response = h11.Response(status_code=answer.status_code, headers=headers, reason=reason)
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # who still waits for the body is told that it ends here
            self.cycle.message_event.set()
        with suppress(h11.LocalProtocolError):  # an answer to HEAD has no body
            for event in (response, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")

    def send_400_response(self, msg: str) -> None:
        self.give_up(NotHTTP("The request is not valid HTTP/1.1."))

    def data_received(self, data: bytes) -> None:
        if not self.given_up:
            super().data_received(data)
        if not self.given_up:
            self._watch()

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        super().on_response_complete()
        if not self.given_up:
            self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.given_up:
            self._stop()
            self._watch()

    def shutdown(self) -> None:
        if self.given_up:
            self.transport.abort()
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Time runs while the client has something to send or to take, however little comes at a time."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) and not self.flow.write_paused:
            self._stop()
        elif self._due is None:
            self._due = self.loop.call_later(self.limits.patience, self._overdue)

    def _overdue(self) -> None:
        self.give_up(TooSlow("The request did not arrive in time. Send it again."))

    def _stop(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


SENTENCES = {
    "address": "Too many connections from this address. Close some, or try again later.",
    "connections": "Too many connections are open. Try again later.",
}


def longest_idle(crowd: Iterable[Patient]) -> Patient | None:
    """The connection that has been idle for longest, of the address with most of them; proxies come last."""
    idle = [one for one in crowd if one.idle]
    held = Counter(one.address for one in idle)
    held[None] = 0
    return min(idle, key=lambda one: (-held[one.address], one.since), default=None)


def patient(
    limits: ServiceLimits,
    proxies: Sequence[str] = (),
    refused: Callable[[str], None] = lambda reason: None,
) -> type[H11Protocol]:
    """The protocol for a server with these limits."""
    own: dict[str, Any] = {
        "limits": limits,
        "proxies": TrustedProxies(proxies),
        "refused": staticmethod(refused),
    }
    return type("PatientConnection", (Patient,), own)
