"""Heads of requests that mean one thing to everyone: where a body ends, all must agree."""

from __future__ import annotations

import re

import h11

END = re.compile(rb"\n\r?\n")
VERSIONS = (b" HTTP/1.1", b" HTTP/1.0")
DIGITS = re.compile(rb"[ \t]*[0-9]+[ \t]*")


class StrictConnection(h11.Connection):
    """A connection that refuses heads which h11 would take, and others might read differently."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is h11.IDLE:
            waiting = self.trailing_data[0]
            if (end := END.search(waiting)) is not None and (fault := fault_of(waiting[: end.start()])):
                raise h11.RemoteProtocolError(fault)
        return super().next_event()


def fault_of(head: bytes) -> str | None:
    """What a head leaves open (RFC 9112, 5.2, 6.1 and 6.3); None for one that leaves nothing open."""
    first, *lines = (line.removesuffix(b"\r") for line in head.split(b"\n"))
    if not first.endswith(VERSIONS):
        return "neither HTTP/1.1 nor HTTP/1.0"
    if any(line.startswith((b" ", b"\t")) for line in lines):
        return "a header on several lines"
    fields = [(name.lower(), value) for name, _, value in (line.partition(b":") for line in lines)]
    lengths = [value for name, value in fields if name == b"content-length"]
    if len(lengths) > 1 or not all(map(DIGITS.fullmatch, lengths)):
        return "no single Content-Length"
    if any(name == b"transfer-encoding" for name, _ in fields) and (lengths or first.endswith(VERSIONS[1])):
        return "a Transfer-Encoding beside a Content-Length, or in HTTP/1.0"
    return None
