"""The release key command: keys are made, revoked, listed."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from divulge._support.wording import aligned
from divulge._support.wording import records as so_many
from divulge.cli.commands.release.dataset import OPERATOR, opened, place_of
from divulge.cli.requests.release import KeyRequest
from divulge.errors import ParameterError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import Key, all_keys
from divulge.service.identities.subjects import Subject


def run_key(asked: KeyRequest) -> None:
    whose = (asked.name, asked.person, asked.subject, asked.issuer)
    about = (*whose, asked.expires, asked.datasets, asked.records)
    if asked.revoke is not None and any((asked.role, *about)):
        raise ParameterError(
            "A key is either created or revoked.", hint=("Use --revoke without the other options.")
        )
    if (asked.role is None) != (asked.name is None) or (asked.role is None and any(about)):
        raise ParameterError(
            "A key needs --role and --name.", hint="For example: --role requester --name ann."
        )
    if (asked.subject is None) != (asked.issuer is None):
        raise ParameterError("A subject is known to an issuer.", hint="Give both --subject and --issuer.")
    listing = asked.role is None and asked.revoke is None
    with opened(place_of(asked), read_only=listing) as decider:
        if asked.revoke is not None:
            decider.revoke_key(asked.revoke, OPERATOR)
            print(f"{asked.revoke} is revoked.")
        elif asked.role is not None and asked.name is not None:
            _make(asked, decider, asked.role, asked.name)
        else:
            head = ["id", "role", "person", "name", "scope", "expires", "revoked"]
            print(*aligned(head, [_row(key) for key in decider.database.read(all_keys)]), sep="\n")


def _make(asked: KeyRequest, decider: DecisionService, role: str, name: str) -> None:
    subject = None if asked.subject is None else Subject.of(str(asked.issuer), asked.subject)
    told, key = decider.make_key(
        role=role,
        name=name,
        by=OPERATOR,
        person=asked.person,
        expires=_time(asked.expires, decider.time()),
        datasets=asked.datasets,
        records=asked.records,
        subject=subject,
    )
    if told is None:
        print(f"Key {key.id} of {key.person}, {role}: for tokens of the subject.", file=sys.stderr)
        return
    print(told)
    print(f"Key {key.id} of {key.person}, {role}: it is shown once.", file=sys.stderr)


def _row(key: Key) -> list[str]:
    """A key in the list; - where nobody is known to own it."""
    name = f"{key.name} (subject)" if key.subject is not None else key.name
    until = (key.expires or "-", key.revoked or "-")
    return [key.id, key.role, key.person or "-", name, _scope(key), *until]


def _scope(key: Key) -> str:
    scope = key.scoped
    if key.is_restored:
        return "unknown"
    if scope.datasets is None:
        return "all"
    names = ", ".join(scope.datasets)
    return names if scope.records is None else f"{names}: {so_many(len(scope.records))}"


def _time(given: str | None, now: str) -> str | None:
    """A time to come by the log, as the service's clock spells it; without a zone it is Greenwich's."""
    if given is None:
        return None
    try:
        told = datetime.fromisoformat(given)
        told = (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
    except (OverflowError, ValueError):
        raise ParameterError(
            f"'{given}' is not a time.", hint="Write it as 2030-01-31 or 2030-01-31T12:00."
        ) from None
    expires = told.isoformat(timespec="microseconds")
    if expires <= now:
        raise ParameterError(f"{given} is in the past.", hint="Give a time in the future.")
    return expires
