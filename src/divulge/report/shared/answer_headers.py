"""What browsers are told with each answer of a served page: load nothing from elsewhere, keep nothing."""

from __future__ import annotations

_OWN = "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
CONTENT_POLICY = f"default-src 'none'; {_OWN}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
