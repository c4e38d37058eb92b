"""The release key command: keys are made, revoked, listed."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from divulge._support.wording import aligned
from divulge.cli.commands.release.dataset import OPERATOR, opened, place_of
from divulge.cli.requests.release import KeyRequest
from divulge.errors import ParameterError
from divulge.service.decisions.keys import all_keys


def run_key(asked: KeyRequest) -> None:
    if asked.revoke is not None and (asked.role, asked.name, asked.expires) != (None, None, None):
        raise ParameterError(
            "A key is either created or revoked.", hint=("Use --revoke without the other options.")
        )
    if (asked.role is None) != (asked.name is None) or (asked.expires and asked.role is None):
        raise ParameterError(
            "A key needs --role and --name.", hint="For example: --role requester --name ann."
        )
    listing = asked.role is None and asked.revoke is None
    with opened(place_of(asked), read_only=listing) as decider:
        if asked.revoke is not None:
            decider.revoke_key(asked.revoke, OPERATOR)
            print(f"{asked.revoke} is revoked.")
        elif asked.role is not None and asked.name is not None:
            expires = _time(asked.expires)
            told, key = decider.make_key(role=asked.role, name=asked.name, by=OPERATOR, expires=expires)
            print(told)
            print(f"Key {key.id} of {asked.name}, {asked.role}: it is shown once.", file=sys.stderr)
        else:
            rows = [
                [key.id, key.role, key.name, key.expires or "-", key.revoked or "-"]
                for key in decider.database.read(all_keys)
            ]
            print(*aligned(["id", "role", "name", "expires", "revoked"], rows), sep="\n")


def _time(given: str | None) -> str | None:
    """A time to come, as the service's clock spells it; without a zone it is Greenwich's."""
    if given is None:
        return None
    try:
        told = datetime.fromisoformat(given)
        told = (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
    except (OverflowError, ValueError):
        raise ParameterError(
            f"'{given}' is not a time.", hint="Write it as 2030-01-31 or 2030-01-31T12:00."
        ) from None
    if told <= datetime.now(UTC):
        raise ParameterError(f"{given} is in the past.", hint="Give a time in the future.")
    return told.isoformat(timespec="microseconds")
