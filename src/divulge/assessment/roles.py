"""Who said what the attributes are: the policy, whoever read the data, or a proposal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from divulge.data import Data, read
from divulge.errors import SchemaError
from divulge.policy import Policy
from divulge.proposal import Proposed, propose
from divulge.schema import Role, Schema


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
            "proposed.",
        )
    proposed = propose(data)
    if not any(one.role is Role.QUASI_IDENTIFIER for one in proposed):
        proposed = _anything(proposed, data)
    return data.with_roles(_schema(data.schema.attributes, proposed)), proposed


def _anything(proposed: Sequence[Proposed], data: Data) -> tuple[Proposed, ...]:
    """Where nothing looks like a quasi-identifier, whatever has no other role and varies."""
    reason = "nothing looks like what an attacker would know, so all attributes are taken"
    found = tuple(
        Proposed(one.attribute, Role.QUASI_IDENTIFIER, (*one.reasons, reason))
        if one.role is Role.OTHER and data.summary(one.attribute).distinct > 1
        else one
        for one in proposed
    )
    if not any(one.role is Role.QUASI_IDENTIFIER for one in found):
        raise SchemaError(
            "No attribute could be proposed as quasi-identifier: what has no other role has one value only.",
            hint="Name what an attacker may know yourself: --quasi-identifiers A,B.",
        )
    return found


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
