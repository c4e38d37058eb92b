"""Who said what the attributes are: the policy, the options of the data, or suggestions."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from divulge.errors import SchemaError
from divulge.policy import Policy
from divulge.questions.data import Data, read
from divulge.roles.proposal import Proposed, roles_to_use
from divulge.table.schema import Role, Schema


def with_roles(data: object, policy: Policy | None) -> tuple[Data, tuple[Proposed, ...] | None]:
    """The data with roles: the policy's, those they came with, or proposed ones."""
    if policy is not None:
        return policy.open(data.source if isinstance(data, Data) else data), None
    data = data if isinstance(data, Data) else read(data)
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
        return f"dv.audit(dv.read(data{words}))"
    options = [[f"--{role.replace('_', '-')}", ",".join(names)] for role, names in given.items()]
    return shlex.join(["divulge", "audit", *called, *(word for pair in options for word in pair)])
