"""Clients over HTTP, in a process of their own: each sends its next request once the last is answered."""

from __future__ import annotations

import json
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import uvicorn

from bench.harness import HERE
from divulge.service.http.server import listen

END = b"\r\n\r\n"


class Sent(NamedTuple):
    """One request, and whose key it shows."""

    path: str
    body: dict[str, Any]
    bearer: str
    idempotency: str = ""

    @property
    def text(self) -> str:
        body = json.dumps(self.body)
        return (
            f"POST {self.path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {self.bearer}\r\n"
            f"Idempotency-Key: {self.idempotency or 'none'}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        )


class Answered(NamedTuple):
    """What clients have seen: how long all took together, each of them, and the bytes of an answer."""

    seconds: float
    each: list[float]
    length: int


@contextmanager
def serving(config: uvicorn.Config) -> Iterator[int]:
    """The port of a server that answers meanwhile, in a thread of this process."""
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


class Clients:
    """A process of clients that is ready to send; their requests are made before any time is taken."""

    def __init__(self, port: int, lines: Sequence[Sequence[Sent]]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.http_clients", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE.parent,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._in.write(json.dumps([[one.text for one in line] for line in lines]) + "\n")
        self._in.flush()
        self._out.readline()

    def answered(self) -> Answered:
        """Have everything sent, each line by one client, all of them at once."""
        self._in.write("go\n")
        self._in.close()
        told = json.loads(self._out.readline())
        self._process.wait()
        self._out.close()
        return Answered(**told)


@dataclass
class _Client:
    connection: socket.socket
    left: Iterator[str]
    began: float = 0.0
    got: bytearray = field(default_factory=bytearray)

    def send(self) -> bool:
        """The next request; False where there is none."""
        following = next(self.left, None)
        if following is None:
            return False
        self.began, self.got = time.perf_counter(), bytearray()
        self.connection.sendall(following.encode())
        return True

    def complete(self) -> bool:
        """Take what has come, and say whether it is a whole answer; one that is no decision ends it all."""
        more = self.connection.recv(1 << 16)
        if not more:
            raise SystemExit("the connection was closed")
        self.got += more
        head, found, body = self.got.partition(END)
        if not found:
            return False
        if head.split(b" ", 2)[1] not in (b"200", b"202"):
            raise SystemExit(f"answered: {bytes(self.got)!r}")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        return len(body) >= length


def main(port: int) -> None:
    """Be clients: one thread, so that they leave the processors to the server."""
    lines = json.loads(sys.stdin.readline())
    clients = [_Client(socket.create_connection(("127.0.0.1", port)), iter(line)) for line in lines]
    waiting = selectors.DefaultSelector()
    for one in clients:
        one.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting.register(one.connection, selectors.EVENT_READ, one)
    print("ready", flush=True)
    sys.stdin.readline()
    each, length, busy = list[float](), 0, len(clients)
    began = time.perf_counter()
    for one in clients:
        one.send()
    while busy:
        for key, _ in waiting.select():
            client: _Client = key.data
            if client.complete():
                each.append(time.perf_counter() - client.began)
                length = max(length, len(client.got))
                busy -= not client.send()
    print(json.dumps({"seconds": time.perf_counter() - began, "each": each, "length": length}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
