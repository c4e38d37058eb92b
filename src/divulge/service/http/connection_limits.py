"""Connections that are given up when their client takes too long, or when there are too many."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from divulge.service.http.limits import ServiceLimits


def patient(limits: ServiceLimits) -> type[H11Protocol]:
    """A protocol that waits no longer than allowed for a whole request, or for its answer to be taken."""

    class Patient(H11Protocol):
        _due: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            # Over the limit requests are told so; twice over it, nobody is listened to any more.
            if len(self.connections) > 2 * limits.connections:
                transport.abort()
            else:
                self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._stop()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Time runs while the client has something to send or to take, however little comes at a time."""
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) and not self.flow.write_paused:
                self._stop()
            elif self._due is None:
                self._due = self.loop.call_later(limits.patience, self.transport.abort)

        def _stop(self) -> None:
            if self._due is not None:
                self._due.cancel()
                self._due = None

    return Patient
