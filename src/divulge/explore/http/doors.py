"""Who may ask: the browser that was given the token, from the page's own address, and nobody else."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from divulge.report.shared.answer_headers import HEADERS

TOKEN = b"x-divulge-token"


class Doors:
    """Around the application: a foreign host or origin, or a request without the token, is refused.

    A page of another site can make a browser send requests here, under a name of its own that leads to this
    machine; Host and Origin then say its name. It can never add the token, which no other page knows.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str]) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {host.encode() for host in hosts}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        refused = self._refusal(scope)
        if refused is None:
            await self._app(scope, receive, send_with_headers)
            return
        body = json.dumps({"message": refused}).encode()
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send_with_headers({"type": "http.response.start", "status": 403, "headers": head})
        await send_with_headers({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> str | None:
        headers = scope["headers"]
        told = dict(headers)
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return "This address is not the page's own."
        if b"origin" in told and told[b"origin"] not in self._origins:
            return "Another site asked for this."
        if told.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return "Another site asked for this."
        if scope["path"].startswith("/api/") and not hmac.compare_digest(told.get(TOKEN, b""), self._token):
            return "Open the page by the address that divulge printed: it has the key to it."
        return None
