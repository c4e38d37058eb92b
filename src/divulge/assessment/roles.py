"""Who said what the attributes are: the policy, the options of the data, or suggestions."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from divulge.errors import ParameterError, SchemaError, listing
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.questions.keywords import ReadKeywords, meanings, opening, refuse_unknown, with_keywords
from divulge.roles.proposal import Proposed, roles_to_use
from divulge.source.options import joined_names
from divulge.table.schema import Role, Schema


def with_roles(
    given: object, policy: Policy | None, said: ReadKeywords
) -> tuple[Data, tuple[Proposed, ...] | None]:
    """The data with roles: the policy's, those that were said, those they came with, or proposed ones."""
    refuse_unknown(said)
    if policy is not None:
        if twice := meanings(said):
            raise ParameterError(
                f"{listing(twice)} cannot be given beside a policy, which says it already.",
                hint=f"Say it in {policy.name}, or leave the policy out.",
            )
        opened = with_keywords(given, said).source if isinstance(given, Data) else given
        return policy.open(opened, **opening(said)), None
    data = with_keywords(given, said)
    schema = data.schema
    if schema.quasi_identifiers:
        return data, None
    if schema.identifiers or schema.sensitive:
        raise SchemaError(
            "Roles were given, but no quasi-identifier is among them.",
            hint="Name what an attacker may know (--quasi-identifiers A,B), or give no roles and have them "
            "suggested.",
        )
    proposed = roles_to_use(data)
    if not any(one.role is Role.QUASI_IDENTIFIER for one in proposed):
        if data.records == 1:
            raise SchemaError(
                "The table has one record, so no roles can be suggested.",
                hint="Check that the file was written to the end, or name roles: --quasi-identifiers A,B.",
            )
        raise SchemaError(
            "No attribute could be suggested as quasi-identifier: all others have a role, or one value only.",
            hint="Name what an attacker may know yourself: --quasi-identifiers A,B.",
        )
    return data.with_roles(_schema(data.schema.attributes, proposed)), proposed


def _schema(attributes: tuple[str, ...], proposed: Sequence[Proposed]) -> Schema:
    def having(role: Role) -> tuple[str, ...]:
        return tuple(one.attribute for one in proposed if one.role is role)

    return Schema(attributes, having(Role.IDENTIFIER), having(Role.QUASI_IDENTIFIER), having(Role.SENSITIVE))


def explicit(schema: Schema, called: Sequence[str]) -> str:
    """What gives these roles: a command where the data have a name there, otherwise a line of Python."""
    roles = {
        "identifiers": schema.identifiers,
        "quasi_identifiers": schema.quasi_identifiers,
        "sensitive": schema.sensitive,
    }
    given = {role: names for role, names in roles.items() if names}
    if not called:
        words = "".join(f", {role}={list(names)!r}" for role, names in given.items())
        return f"dv.audit(data{words})"
    options = [[f"--{role.replace('_', '-')}", joined_names(names)] for role, names in given.items()]
    return shlex.join(["divulge", "audit", *called, *(word for pair in options for word in pair)])
