"""Requests that are wrong in some way, drawn by chance from those that are right."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from divulge.service.http.access import TABLE
from service.doors_helpers import PLACES, SAMPLES

MARK = "Sent-And-Not-To-Be-Repeated"
VALUES = (
    *(
        "NaN",
        "-Infinity",
        "1e999",
        "1" * 400,
        "-1",
        "0",
        "0.5",
        "true",
        "null",
        "[]",
        "{}",
        '""',
        f'["{MARK}"]',
    ),
    *(
        f'{{"{MARK}": 1}}',
        '"\\ud800"',
        '"\\u0000"',
        '"' + MARK * 50 + '"',
        "[" * 40 + "]" * 40,
        '{"a":' * 40 + "1",
    ),
    *('"' + "x" * 5000 + '"', "1e-400", "-0", "0x10", "'a'", "undefined", "01", "1_000", '"\x01"', "\ufeff1"),
)
PIECES = (
    *(
        "%00",
        "%ff",
        "..",
        "%2e%2e",
        "%2f",
        "\\",
        ";",
        "*",
        "'",
        '"',
        "<",
        "рeople",
        "%F0%9F%98%80",
        "-1",
        "0",
        "1e3",
    ),
    *(
        "9" * 40,
        "a" * 300,
        " ",
        "%0d%0aX: y",
        "${x}",
        "{dataset}",
        "null",
        "PEOPLE",
        "people%20",
        "%",
        "%zz",
        MARK,
    ),
)
HEADERS = (
    *(
        "",
        " ",
        "\t",
        "é",
        "a" * 5000,
        "\x7f",
        "\x00",
        "None",
        "Bearer",
        "Bearer  ",
        "Basic YTpi",
        "Bearer " + "a" * 56,
    ),
    *(
        f"Bearer {MARK}",
        "text/plain",
        "application/json; charset=utf-16",
        "application/json, a/b",
        "gzip",
        "-1",
    ),
    *("1e9", "99999999999999999999", "0x10", "chunked", MARK),
)
NAMES = (
    "content-type",
    "content-encoding",
    "idempotency-key",
    "authorization",
    "content-length",
    "expect",
    "te",
)
METHODS = ("PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND", "X" * 50)


@dataclass(frozen=True)
class Sent:
    """A request as it reaches the application."""

    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def scope(self) -> dict[str, Any]:
        raw = self.path.encode("utf-8", "replace")
        return {
            "type": "http",
            "method": self.method,
            "path": unquote_to_bytes(raw).decode("utf-8", "replace"),
            "raw_path": raw,
            "query_string": self.query.encode(),
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "client": ("127.0.0.1", 1),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in self.headers],
        }

    def over_the_wire(self) -> bytes:
        """The same as bytes, as a client would send it that knows no better."""
        target = quote(self.path, safe="/%") + (f"?{quote(self.query, safe='=&%')}" if self.query else "")
        lines = [f"{self.method} {target} HTTP/1.1", "host: service", f"content-length: {len(self.body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + self.body


@dataclass
class Malformed:
    """A source of requests that are wrong in one to three ways; the same for the same seed."""

    keys: dict[str, str]
    seed: int
    _drawn: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._drawn = random.Random(self.seed)
        self._ways: tuple[Callable[[Sent], Sent], ...] = (
            *(self._other_method, self._other_path, self._other_query, self._other_header),
            *(self._other_value, self._other_value, self._other_bytes, self._cut),
        )

    def __iter__(self) -> Iterator[Sent]:
        while True:
            sent = self._right()
            for way in self._drawn.choices(self._ways, k=self._drawn.choice((1, 1, 2, 3))):
                sent = way(sent)
            yield sent

    def _right(self) -> Sent:
        row = self._drawn.choice([row for row in TABLE if row.roles])
        given = SAMPLES.get((row.method, row.path), {})
        headers = {"authorization": f"Bearer {self.keys[min(row.roles)]}"}
        headers |= {name.lower(): value for name, value in given.get("headers", {}).items()}
        body = b""
        if "json" in given:
            headers["content-type"], body = "application/json", json.dumps(given["json"]).encode()
        return Sent(row.method, row.path.format(**PLACES), "", tuple(headers.items()), body)

    def _other_method(self, sent: Sent) -> Sent:
        return replace(sent, method=self._drawn.choice(METHODS))

    def _other_path(self, sent: Sent) -> Sent:
        parts = sent.path.split("/")
        place = self._drawn.randrange(1, len(parts))
        piece = self._drawn.choice(PIECES)
        parts[place] = self._drawn.choice((piece, parts[place] + piece, piece + parts[place]))
        return replace(sent, path="/".join(parts))

    def _other_query(self, sent: Sent) -> Sent:
        name = self._drawn.choice(("most", "after", "points", "since", MARK, ""))
        return replace(sent, query=f"{name}={self._drawn.choice(PIECES)}&{self._drawn.choice(PIECES)}")

    def _other_header(self, sent: Sent) -> Sent:
        name, value = self._drawn.choice(NAMES), self._drawn.choice(HEADERS)
        kept = [one for one in sent.headers if one[0] != name or self._drawn.random() < 0.3]
        return replace(sent, headers=(*kept, (name, value)))

    def _other_value(self, sent: Sent) -> Sent:
        """A value of the body becomes another, a name is doubled or put in."""
        text = sent.body.decode("latin-1")
        spots = [place for place, letter in enumerate(text) if letter in ":,["]
        if not spots:
            return replace(sent, body=self._drawn.choice(VALUES).encode("utf-8", "replace"))
        start = self._drawn.choice(spots) + 1
        ends = [place for place, letter in enumerate(text) if place > start and letter in ",]}"] or [
            len(text)
        ]
        value = self._drawn.choice((*VALUES, f'1, "{MARK}": 1', f"{text[1:-1]}"))
        changed = text[:start] + value + text[self._drawn.choice(ends) :]
        return replace(sent, body=changed.encode("utf-8", "replace"))

    def _other_bytes(self, sent: Sent) -> Sent:
        body = bytearray(sent.body or b"{}")
        for _ in range(self._drawn.randrange(1, 6)):
            place = self._drawn.randrange(len(body))
            body[place : place + self._drawn.randrange(3)] = self._drawn.randbytes(self._drawn.randrange(3))
            body = body or bytearray(b"\xff")
        return replace(sent, body=bytes(body))

    def _cut(self, sent: Sent) -> Sent:
        return replace(sent, body=sent.body[: self._drawn.randrange(len(sent.body) + 1)])

    def raw(self) -> Iterator[bytes]:
        """Bytes for a socket: requests that are wrong, and wrong bytes in them."""
        for sent in self:
            found = bytearray(sent.over_the_wire())
            for _ in range(self._drawn.randrange(4)):
                place = self._drawn.randrange(len(found))
                more = self._drawn.choice((self._drawn.randbytes(2), b"\r\n", b"\n", b":", b" ", b"\0", b""))
                found[place : place + self._drawn.randrange(4)] = more
            yield bytes(found)
