"""Tokens of an OIDC issuer: who it vouches for, if a token is its own, for this service, and in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from divulge.service.identities.issuer_keys import IssuerKeys, JsonKey, reader_of
from divulge.service.identities.subjects import Subject

#: Algorithms with a public key, and the kind and curve of key that each needs. All others are refused.
ALGORITHMS: dict[str, tuple[str, str | None]] = {
    "RS256": ("RSA", None),
    "PS256": ("RSA", None),
    "ES256": ("EC", "P-256"),
    "EdDSA": ("OKP", "Ed25519"),
}
KINDS = (None, "jwt", "at+jwt", "application/at+jwt")  # of tokens, by their header
SKEW = 30  # seconds by which the clocks of issuer and service may differ
LONGEST = 24 * 3600  # seconds for which a token may be valid
LONGEST_NAME = 255  # characters of a subject or of the id of a key
SHORTEST = 2048  # bits of an RSA key
CLAIMS = ["iss", "aud", "exp", "iat", "sub"]


@dataclass(frozen=True)
class TokenIssuer:
    """An issuer whose tokens are accepted, if they are for this audience."""

    issuer: str
    audience: str
    keys: IssuerKeys

    @classmethod
    def of(cls, issuer: str, audience: str, keys: str | None = None) -> TokenIssuer:
        """Its keys are in a file or at an address, or else where the issuer says."""
        return cls(issuer, audience, IssuerKeys(reader_of(issuer, keys)))

    def subject_of(self, token: str, now: float) -> Subject | None:
        """Whom a token is about; None where it proves nothing. ``now`` is the service's time, in seconds."""
        try:
            header = jwt.get_unverified_header(token)
            algorithm, named = header.get("alg"), header.get("kid")
            kind = header.get("typ")
            if algorithm not in ALGORITHMS or "crit" in header or not _is_name(named):
                return None
            if (kind.lower() if isinstance(kind, str) else kind) not in KINDS:
                return None
            known = self.keys.find(named)
            if known is None or not _fits(known, algorithm):
                return None
            key = jwt.PyJWK(dict(known), algorithm).key
            if isinstance(key, RSAPublicKey) and key.key_size < SHORTEST:
                return None
            return self._vouched(token, key, algorithm, now)
        except (jwt.PyJWTError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            return None

    def _vouched(self, token: str, key: Any, algorithm: str, now: float) -> Subject | None:
        told = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self.audience,
            issuer=self.issuer,
            leeway=SKEW,
            options={"require": CLAIMS},
        )
        subject, ends, made = told["sub"], int(told["exp"]), int(told["iat"])
        if not _is_name(subject) or ends - made > LONGEST or ends + SKEW <= now:
            return None
        return Subject(self.issuer, subject)


def _is_name(given: Any) -> TypeGuard[str]:
    return isinstance(given, str) and 0 < len(given) <= LONGEST_NAME


def _fits(key: JsonKey, algorithm: str) -> bool:
    """Whether a key is one for signatures by this algorithm, so that none is taken for another kind."""
    kind, curve = ALGORITHMS[algorithm]
    return (
        key.get("kty") == kind
        and (curve is None or key.get("crv") == curve)
        and key.get("alg", algorithm) == algorithm
        and key.get("use", "sig") == "sig"
        and "verify" in key.get("key_ops", ["verify"])
    )
