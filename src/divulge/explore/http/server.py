"""The local page as a process: it listens on this machine alone, and ends when nobody looks any more."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable

import uvicorn

from divulge.errors import SourceError
from divulge.explore.explorer import Explorer
from divulge.explore.http.app import Presence, create_app

ADDRESS = "127.0.0.1"
SILENT = 120.0  # seconds without a page, after which it ends
LEFT = 30.0  # seconds after a page said that it is closed; another says within 15 that it is not


def explore(
    explorer: Explorer,
    *,
    port: int = 0,
    announce: Callable[[str], None] = lambda url: None,
    silent: float = SILENT,
) -> None:
    """Answer until Ctrl-C, or until the page is closed for a while; ``announce`` is told the address."""
    listening = _listen(port)
    chosen = listening.getsockname()[1]
    token, presence = secrets.token_urlsafe(24), Presence()
    hosts = [f"{ADDRESS}:{chosen}", f"localhost:{chosen}"]
    config = uvicorn.Config(
        create_app(explorer, token=token, hosts=hosts, presence=presence),
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    server = _Server(config, presence, silent, lambda: announce(f"http://{ADDRESS}:{chosen}/#{token}"))
    server.run([listening])


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, presence: Presence, silent: float, started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._presence, self._silent, self._started = presence, silent, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._presence.hear()
        self._started()

    async def main_loop(self) -> None:
        watching = asyncio.create_task(self._watch())
        await super().main_loop()
        watching.cancel()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            patience = LEFT if self._presence.leaving else self._silent
            if self._presence.silent > patience:
                self.should_exit = True


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
    except (OSError, OverflowError):
        listening.close()
        raise SourceError(
            f"The page cannot be opened on port {port} of this machine.",
            hint="Leave out --port, and a free one is taken.",
        ) from None
    return listening
