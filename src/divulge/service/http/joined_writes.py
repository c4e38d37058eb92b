"""The head of an answer and its body leave together: one call to the system instead of two."""

from __future__ import annotations

import asyncio
from typing import Any

HEAD = b"HTTP/1.1 "  # how every head begins


class JoinedWrites:
    """A transport that keeps a head until something follows, or until nothing did.

    Everything else is the transport's own. What is kept never outlasts the turn of the event loop, and is
    sent before the connection is closed.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._kept = b""

    def write(self, data: bytes) -> None:
        if self._kept:
            data, self._kept = self._kept + data, b""
        elif data.startswith(HEAD):
            self._kept = data
            self._loop.call_soon(self._send)
            return
        self._transport.write(data)

    def _send(self) -> None:
        if self._kept:
            self.write(b"")

    def write_eof(self) -> None:
        self._send()
        self._transport.write_eof()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def abort(self) -> None:
        self._kept = b""
        self._transport.abort()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
