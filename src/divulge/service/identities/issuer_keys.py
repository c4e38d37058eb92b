"""The public keys of an issuer of tokens, from a file or an address: read once, and again later."""

from __future__ import annotations

import json
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any

from divulge.errors import SourceError, Unavailable

FRESH = 600.0  # seconds after which keys are read again
KEPT = 3600.0  # seconds for which they are used while they cannot be
PAUSE = 30.0  # seconds between two attempts, whatever unknown keys are named
PATIENCE = 5.0  # seconds for an answer
LARGEST = 1 << 18  # bytes
LOCAL = ("127.0.0.1", "::1", "localhost")
JsonKey = Mapping[str, Any]
Reader = Callable[[], list[JsonKey]]


class IssuerKeys:
    """Keys by their id. Reading them anew never makes two requests wait for each other."""

    def __init__(self, read: Reader, clock: Callable[[], float] = time.monotonic) -> None:
        self._read, self._clock = read, clock
        self._keys: dict[str, JsonKey] = {}
        self._read_at = self._tried_at = -float("inf")
        self._reading = threading.Lock()

    def load(self) -> None:
        """Read the keys now; SourceError where that fails."""
        self._tried_at = self._clock()
        found = [one for one in self._read() if isinstance(one.get("kid"), str)]
        named = Counter(one["kid"] for one in found)
        self._keys = {one["kid"]: one for one in found if named[one["kid"]] == 1}  # else which is not clear
        self._read_at = self._clock()

    def find(self, named: str) -> JsonKey | None:
        """A key by its id; they are read again if they are old, or the id is unknown."""
        if named not in self._keys or self._clock() - self._read_at > FRESH:
            self._load_again()
        if self._clock() - self._read_at > KEPT:
            raise Unavailable("The issuer's keys cannot be read, so its tokens are not accepted.")
        return self._keys.get(named)

    def _load_again(self) -> None:
        """Unless somebody else does so now, or has just tried."""
        if self._clock() - self._tried_at <= PAUSE or not self._reading.acquire(blocking=False):
            return
        try:
            self.load()
        except SourceError:
            pass  # the keys at hand are used for a while
        finally:
            self._reading.release()


def reader_of(issuer: str, place: str | None) -> Reader:
    """What reads the keys of an issuer: from a file, an address, or where the issuer says that they are."""
    if place is not None and "://" not in place:
        path = Path(place)
        return lambda: _keys_in(_file(path), place)
    if place is not None:
        _require_private(place)
        return lambda: _keys_in(_fetched(place), place)
    _require_private(issuer)
    return lambda: _discovered(issuer)


def _discovered(issuer: str) -> list[JsonKey]:
    told = _document(_fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration"), issuer)
    place = told.get("jwks_uri")
    if told.get("issuer") != issuer or not isinstance(place, str):
        raise SourceError(f"{issuer} does not describe itself as an issuer of tokens.")
    _require_private(place)
    return _keys_in(_fetched(place), place)


def _require_private(address: str) -> None:
    """Refuse an address at which somebody on the way could put keys of their own."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
        raise SourceError(f"{address} does not begin with https://.", hint="Use an address that does.")


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, which might leave the issuer."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _fetched(address: str) -> bytes:
    opener = urllib.request.build_opener(_Straight)
    try:
        with opener.open(address, timeout=PATIENCE) as answer:
            return _not_too_large(answer.read(LARGEST + 1), address)
    except (HTTPException, OSError, ValueError):
        raise SourceError(f"The issuer's keys cannot be read from {address}.") from None


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return _not_too_large(file.read(LARGEST + 1), str(path))
    except OSError as error:
        raise SourceError(f"The issuer's keys cannot be read from {path}: {error.strerror}.") from None


def _not_too_large(found: bytes, place: str) -> bytes:
    if len(found) > LARGEST:
        raise SourceError(f"{place} has more than {LARGEST:,} bytes, which no set of keys needs.")
    return found


def _document(found: bytes, place: str) -> dict[str, Any]:
    try:
        document = json.loads(found)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise SourceError(f"{place} has no JSON object.")
    return document


def _keys_in(found: bytes, place: str) -> list[JsonKey]:
    keys = _document(found, place).get("keys")
    if not isinstance(keys, list) or not all(isinstance(one, dict) for one in keys):
        raise SourceError(f"{place} is not a set of JSON web keys.")
    return keys
