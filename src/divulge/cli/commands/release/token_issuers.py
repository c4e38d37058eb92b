"""The OIDC issuer whose tokens a service accepts, as the operator names it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from divulge.cli.requests.release import ServeRequest
from divulge.errors import MissingLibrary, ParameterError, SourceError

if TYPE_CHECKING:
    from divulge.service.identities.tokens import TokenIssuer


def token_issuer(asked: ServeRequest) -> TokenIssuer | None:
    """The issuer, with its keys read if they can be; None where only keys of the service are accepted."""
    if asked.oidc_issuer is None and asked.oidc_audience is None and asked.oidc_keys is None:
        return None
    if asked.oidc_issuer is None or asked.oidc_audience is None:
        raise ParameterError(
            "Tokens are accepted from one issuer, for one audience.",
            hint="Give --oidc-issuer and --oidc-audience.",
        )
    if find_spec("jwt") is None:
        raise MissingLibrary("tokens of an OIDC issuer", "PyJWT", "oidc", doing="Checking")
    from divulge.service.identities.tokens import TokenIssuer

    found = TokenIssuer.of(asked.oidc_issuer, asked.oidc_audience, asked.oidc_keys)
    try:
        found.keys.load()
    except SourceError as error:
        print(f"divulge: {error} Until it can, no token is accepted.", file=sys.stderr, flush=True)
    return found
