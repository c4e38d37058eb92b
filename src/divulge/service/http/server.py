"""The service as a process: it listens, keeps no note of who asked for what, and signs where it stops."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import uvicorn

from divulge.errors import DivulgeError, NotFound, SourceError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.http.app import create_app
from divulge.service.http.connection_limits import patient
from divulge.service.http.limits import ServiceLimits
from divulge.service.ledger.log_writer import SERVICE

if TYPE_CHECKING:
    from divulge.service.identities.tokens import TokenIssuer

LOGGER = logging.getLogger("divulge.service")
GRACE = 30  # seconds for requests under way when the service stops: longer than any waits for the database


def serve(
    decider: DecisionService,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    limits: ServiceLimits | None = None,
    proxies: Sequence[str] = (),
    tokens: TokenIssuer | None = None,
    announce: Callable[[str], None] = lambda url: None,
    stopping: Callable[[], None] = lambda: None,
) -> None:
    """Answer until told to stop by a signal; then finish what is under way, sign, and close the decider.

    The client's address is taken from X-Forwarded-For where one of ``proxies`` sends it, and nowhere else.
    ``announce`` is told the address once it can be reached; port 0 takes any that is free. ``stopping`` is
    called when all is signed, before the database is closed.
    """
    limits = limits or ServiceLimits()
    try:
        app = create_app(decider, limits, tokens)
        with closing(app.state.gate.queries):
            connections = patient(limits, proxies, app.state.gate.counters.refused)
            listening = listen(host, port)  # nobody is answered there yet
            decider.prepare()
            app.state.gate.queries.prepare()
            config = uvicorn.Config(
                app,
                http=connections,
                ws="none",
                lifespan="off",
                access_log=False,  # paths hold tickets
                log_level="warning",
                server_header=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=[*proxies],
                timeout_graceful_shutdown=GRACE,
            )
            _Server(config, decider, lambda: announce(address_of(listening)), stopping).run([listening])
    finally:
        decider.database.close()


class _Server(uvicorn.Server):
    """Signs checkpoints before a signal that stops it takes its course."""

    def __init__(
        self,
        config: uvicorn.Config,
        decider: DecisionService,
        started: Callable[[], None],
        stopping: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._decider, self._told_started, self._stopping = decider, started, stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._told_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        sign_all(self._decider)
        self._stopping()
        self._decider.database.close()


def sign_all(decider: DecisionService) -> None:
    """A checkpoint of every log, but for those that are older than what was signed before."""
    try:
        for chain in {*decider.logs(), SERVICE} - {*decider.behind}:
            with suppress(NotFound):  # where no key was ever made
                decider.checkpoint(chain)
    except (DivulgeError, OSError) as error:
        LOGGER.error("Checkpoints could not be signed: %s.", type(error).__name__)


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 takes any that is free."""
    # Named as TCP, so that asyncio sends answers without waiting for more to send: 40 ms each otherwise.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = error.strerror if isinstance(error, OSError) else "the port does not exist"
        raise SourceError(
            f"The service cannot listen on {host}, port {port}: {reason}.", hint="Choose another port."
        ) from None
    return listening


def address_of(listening: socket.socket) -> str:
    """Where a socket can be reached."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
