"""An issuer of tokens on this machine: its own keys, its description and its keys over HTTP."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "divulge release"
SHAPES = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}


def new_key(algorithm: str, bits: int = 2048) -> Any:
    if algorithm == "RS256":
        return rsa.generate_private_key(65537, bits)
    return (
        ec.generate_private_key(ec.SECP256R1())
        if algorithm == "ES256"
        else ed25519.Ed25519PrivateKey.generate()
    )


@dataclass
class Issuer:
    """Keys by their ids, with the algorithm of each; how often what was asked for; what it says of itself."""

    url: str = ""
    keys: dict[str, tuple[str, Any]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    answers: dict[str, bytes] = field(default_factory=dict)  # instead of what it would say
    down: bool = False

    def add(self, named: str, algorithm: str, **how: Any) -> None:
        self.keys[named] = algorithm, new_key(algorithm, **how)

    def web_key(self, named: str) -> dict[str, Any]:
        algorithm, key = self.keys[named]
        told = SHAPES[algorithm].to_jwk(key.public_key(), as_dict=True)
        return {**told, "kid": named, "use": "sig", "alg": algorithm}

    def web_keys(self) -> dict[str, Any]:
        return {"keys": [self.web_key(named) for named in self.keys]}

    def claims(self, subject: str = "dora", **changed: Any) -> dict[str, Any]:
        at = int(time.time())
        found = {"iss": self.url, "aud": AUDIENCE, "sub": subject, "iat": at, "exp": at + 300, **changed}
        return {name: value for name, value in found.items() if value is not None}

    def token(
        self, subject: str = "dora", named: str = "elliptic", *, header: Any = None, **changed: Any
    ) -> str:
        """A token signed by a key; claims that are None are left out."""
        algorithm, key = self.keys[named]
        return jwt.encode(self.claims(subject, **changed), key, algorithm, {"kid": named, **(header or {})})

    def answer(self, path: str) -> bytes | None:
        self.asked[path] += 1
        if path in self.answers:
            return self.answers[path]
        if path == "/.well-known/openid-configuration":
            return json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys"}).encode()
        return json.dumps(self.web_keys()).encode() if path == "/keys" else None


@contextmanager
def issuing() -> Iterator[Issuer]:
    """An issuer that answers for as long as it is needed."""
    issuer = Issuer()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = None if issuer.down else issuer.answer(self.path)
            moved = self.path == "/elsewhere"
            self.send_response(503 if issuer.down else 302 if moved else 404 if found is None else 200)
            if moved:
                self.send_header("Location", f"{issuer.url}/keys")
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        issuer.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield issuer
        finally:
            server.shutdown()
            thread.join()


def spelled(header: Any, claims: Any, signature: bytes = b"") -> str:
    """A token made by hand."""
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
