"""What a person has chosen on the page, as plain values: nothing here holds a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from divulge.anonymization.made_hierarchies import KINDS, ValueKind
from divulge.errors import ParameterError, PolicyError, not_among
from divulge.generalization.losses import DEFAULT, LOSSES
from divulge.policy.place import PolicyPlace
from divulge.policy.population import Population, population_of
from divulge.table.schema import Role
from divulge.utility import needs_of

Rows = tuple[tuple[str, ...], ...]
ROLES = tuple(role.value for role in Role)
MOST_STEPS, MOST_NEEDS = 50, 20


@dataclass(frozen=True)
class Choices:
    """Roles, what an attacker knows, levels, thresholds, further steps, and what analysts need.

    ``hierarchies`` are those that were edited by hand, as rows of a value and its groups. ``known`` are the
    quasi-identifiers that the attacker knows; those that are not in ``levels`` are at level 0. ``population``
    is what the table is a sample of, in the words of a policy, and ``needs`` are as a file of needs has them.
    """

    roles: Mapping[str, str]
    known: tuple[str, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    thresholds: Mapping[str, Any] = field(default_factory=lambda: {"k_anonymity": {"min": 5}})
    suppress: float = 0.05  # the largest share of records that may be suppressed
    loss: str = DEFAULT
    hierarchies: Mapping[str, Rows] = field(default_factory=dict)
    steps: tuple[Mapping[str, Any], ...] = ()
    population: Mapping[str, Any] = field(default_factory=dict)
    needs: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, ValueKind] = field(default_factory=dict)  # other than the values say

    def having(self, role: Role) -> tuple[str, ...]:
        """The attributes with a role, in the order of the data."""
        return tuple(name for name, given in self.roles.items() if given == role.value)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What somebody may know of a person."""
        return self.having(Role.QUASI_IDENTIFIER)

    @property
    def known_keys(self) -> tuple[str, ...]:
        """The quasi-identifiers that the attacker knows."""
        return tuple(name for name in self.quasi_identifiers if name in self.known)

    def changed(self, patch: Mapping[str, Any]) -> Choices:
        """The same with some choices changed; roles, levels and hierarchies attribute by attribute.

        >>> chosen = Choices({"age": "quasi-identifier"}, ("age",))
        >>> chosen.changed({"levels": {"age": 2}}).levels
        {'age': 2}
        """
        known = {one.name for one in fields(self)}
        patch = _mapping(patch, "choices")
        said: dict[str, Any] = {}
        for name, value in patch.items():
            if name not in known:
                message, hint = not_among(name, sorted(known), "choice")
                raise ParameterError(message, hint=hint)
            said[name] = _READ[name](self, value)
        found = replace(self, **said)
        fresh = [name for name in found.quasi_identifiers if name not in self.quasi_identifiers]
        if "known" not in said and fresh:
            found = replace(found, known=(*found.known, *fresh))
        return found

    @property
    def least(self) -> int:
        """The least size of a group that is asked for; 2 where none is."""
        asked = self.thresholds.get("k_anonymity", {})
        bounds = [one.get("min") for one in (asked if isinstance(asked, list) else [asked])]
        return max((int(one) for one in bounds if isinstance(one, int | float)), default=2)

    @property
    def sampled_from(self) -> Population | None:
        """What the table is a sample of; None where nothing says that it is one."""
        return population_of(self.population or None, PolicyPlace("the population"), Path())

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values, ready for JSON."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: _plain(value) for name, value in plain.items()}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Choices:
        """Choices from plain values, each checked as a change is."""
        roles = given.get("roles")
        if not isinstance(roles, Mapping):
            raise ParameterError("The session has no roles.", hint="Begin a new session from the data.")
        start = cls({str(name): Role.OTHER.value for name in roles})
        return start.changed(given)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value


def _roles(before: Choices, given: Any) -> dict[str, str]:
    found = dict(before.roles)
    for name, role in _mapping(given, "roles").items():
        _attribute(before, name)
        if not isinstance(role, str) or role not in ROLES:
            raise ParameterError(f"'{role}' is no role.", hint=f"Roles are {', '.join(ROLES)}.")
        found[name] = role
    return found


def _known(before: Choices, given: Any) -> tuple[str, ...]:
    names = tuple(str(name) for name in _list(given, "known"))
    for name in names:
        _attribute(before, name)
    return names


def _levels(before: Choices, given: Any) -> dict[str, int]:
    found = dict(before.levels)
    for name, level in _mapping(given, "levels").items():
        _attribute(before, name)
        if isinstance(level, bool) or not isinstance(level, int) or level < 0:
            raise ParameterError(f"The level of '{name}' must be a whole number from 0 on.")
        found[name] = level
    return found


def _thresholds(before: Choices, given: Any) -> dict[str, Any]:
    found = _mapping(given, "thresholds")
    return {str(name): _threshold(one) for name, one in found.items()}


def _threshold(given: Any) -> Any:
    if isinstance(given, list | tuple):  # several of one measure
        return [dict(_mapping(one, "a threshold")) for one in given]
    return dict(_mapping(given, "a threshold"))


def _suppress(before: Choices, given: Any) -> float:
    return _share(given, "suppressed", least=0.0)


def _loss(before: Choices, given: Any) -> str:
    if not isinstance(given, str) or given not in LOSSES:
        raise ParameterError(f"There is no loss called '{given}'.", hint=f"Losses are {', '.join(LOSSES)}.")
    return str(given)


def _hierarchies(before: Choices, given: Any) -> dict[str, Rows]:
    found = dict(before.hierarchies)
    for name, rows in _mapping(given, "hierarchies").items():
        _attribute(before, name)
        if rows is None:  # as it was made
            found.pop(name, None)
            continue
        found[name] = tuple(tuple(str(cell) for cell in _list(row, "a row")) for row in _list(rows, "rows"))
    return found


def _steps(before: Choices, given: Any) -> tuple[Mapping[str, Any], ...]:
    found = tuple(dict(_mapping(step, "a step")) for step in _list(given, "steps"))
    if len(found) > MOST_STEPS:
        raise ParameterError(f"{len(found)} steps were asked for; there may be {MOST_STEPS}.")
    return found


def _types(before: Choices, given: Any) -> dict[str, ValueKind]:
    found = dict(before.types)
    for name, kind in _mapping(given, "types").items():
        _attribute(before, name)
        if kind is None:  # as the values say
            found.pop(name, None)
        elif kind in KINDS:
            found[name] = kind
        else:
            raise ParameterError(f"There is no type '{kind}'.", hint=f"Types are {', '.join(KINDS)}.")
    return found


def _population(before: Choices, given: Any) -> dict[str, Any]:
    found = dict(_mapping(given or {}, "the population"))
    try:
        named = population_of(found or None, PolicyPlace("the population"), Path())
    except PolicyError as error:
        raise ParameterError(error.message, hint=error.hint) from None
    for name in () if named is None else (named.weight, named.household):
        if name is not None:
            _attribute(before, name)
    return found


def _needs(before: Choices, given: Any) -> dict[str, Any]:
    found = {str(name): dict(_mapping(one, "a need")) for name, one in _mapping(given, "needs").items()}
    if len(found) > MOST_NEEDS:
        raise ParameterError(f"{len(found)} needs were stated; there may be {MOST_NEEDS}.")
    for one in found.values():
        groups = _mapping(one.get("partitions", {}), "the groups of a need")
        if any(isinstance(value, str) for value in groups.values()):
            raise ParameterError(
                "A need on the page has no file of groups.", hint="Write the groups into the need."
            )
    try:
        needs = needs_of(found) if found else []
    except PolicyError as error:
        raise ParameterError(error.message, hint=error.hint) from None
    for need in needs:
        for name in (*need.keys, need.target):
            _attribute(before, name)
    return found


def _attribute(before: Choices, name: object) -> None:
    if name not in before.roles:
        raise ParameterError(f"The table has no attribute '{name}'.")


def _mapping(given: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise ParameterError(f"What is said of {what} must be a mapping.")
    return given


def _list(given: Any, what: str) -> Sequence[Any]:
    if not isinstance(given, list | tuple):
        raise ParameterError(f"What is said of {what} must be a list.")
    return given


def _share(given: Any, what: str, *, least: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= 1:
        raise ParameterError(f"The share of {what} must be a number up to 1.", hint="Write 0.05 for 5 %.")
    return float(given)


_READ: Mapping[str, Any] = {
    "roles": _roles,
    "known": _known,
    "levels": _levels,
    "thresholds": _thresholds,
    "suppress": _suppress,
    "loss": _loss,
    "hierarchies": _hierarchies,
    "steps": _steps,
    "population": _population,
    "needs": _needs,
    "types": _types,
}
