"""Who is counted: people where some have several records, and records without a gap where gaps drop them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from divulge._support.toml_text import toml_key
from divulge.assessment.naming import namings
from divulge.errors import EmptySource, ParameterError, SchemaError, listing
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.table.codes import MISSING
from divulge.table.hierarchy import Hierarchy
from divulge.table.schema import Role


def check_countable(data: Data, policy: Policy) -> None:
    """Refuse data and policies that the search does not know how to count."""
    if not data.schema.quasi_identifiers:
        raise SchemaError(
            "No attribute is a quasi-identifier, so there is nothing to generalize.",
            hint="Name what an attacker may know: --quasi-identifiers A,B.",
        )
    if data.missing == "wildcard":
        raise ParameterError(
            "A missing value that matches anything makes groups overlap, and the search adds up groups that "
            "do not.",
            hint='Write missing = "value" or missing = "drop".',
        )
    if data.weights in data.schema.quasi_identifiers:
        raise SchemaError(f"'{data.weights}' holds the weights, and cannot be a quasi-identifier.")
    grouped = [name for name in data.schema.quasi_identifiers if name in policy.partitions]
    if grouped:
        raise ParameterError(
            f"The policy counts {listing(grouped)} in groups, which a release of other groups would not fit.",
            hint="Leave out bins, partition or level, and give a hierarchy.",
        )


def refuse_named(data: Data, policy: Policy, where: str = "") -> None:
    """Refuse attributes that name people and that no level changes, since no release would pass.

    ``where`` a role is given is said in place of the option or the lines of a policy.
    """
    allowed = policy.demands.allowed
    if policy.demands.identifiers != "fail" or not any(
        data.schema.role(name) is Role.OTHER for name in data.schema.attributes
    ):
        return
    named = [
        one.attribute
        for one in namings(data, policy.attributes)
        if one.outcome == "fail"
        and data.schema.role(one.attribute) is Role.OTHER
        and one.attribute not in allowed
    ]
    if named:
        verb, them = ("name", "them") if len(named) > 1 else ("names", "it")
        lines = "; ".join(f'{toml_key(name)} = "identifier"' for name in named)
        said = f"--identifiers {','.join(named)}" if policy.text is None else f"in {policy.name}, {lines}"
        raise ParameterError(
            f"{listing(named)} would be released, and {verb} people. No level changes that.",
            hint=f"Give {them} the role identifier {where}, which removes {them}."
            if where
            else f"Give {them} the role identifier, which removes {them}: {said}.",
        )


def person_of(data: Data) -> tuple[str, ...] | None:
    """The identifiers that say whose records are whose; None where everyone has one record."""
    return data.schema.identifiers if data.people < data.records else None


def plainly_counted(data: Data, policy: Policy) -> bool:
    """Whether everyone is one record, and risks are those of the table alone."""
    everyone = policy.population is None and data.weights is None and data.sample_weights is None
    return everyone and person_of(data) is None and data.missing == "value"


def counted_data(data: Data, targets: Sequence[Sequence[str]]) -> Data:
    """The records that are in groups: all, or those without a gap in a quasi-identifier."""
    if data.missing != "drop":
        return data
    keys = [data.column(name).codes != MISSING for name in data.schema.quasi_identifiers]
    whole = np.logical_and.reduce(keys)
    if not whole.any():
        raise EmptySource("Every record has a missing quasi-identifier, and is dropped for it.")
    found = data if whole.all() else data.taking(np.flatnonzero(whole))
    gaps = [name for one in targets for name in one if (found.column(name).codes == MISSING).any()]
    if gaps:
        raise ParameterError(
            f"Records without {listing(sorted(set(gaps)))} are dropped where it counts and not elsewhere, so "
            "that groups differ from threshold to threshold.",
            hint='Write missing = "value", or leave these records out first.',
        )
    return found


def unlisted_rows(
    data: Data, trees: Mapping[str, Hierarchy], levels: Mapping[str, int]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What combinations with a gap are released as, where gaps drop them: their groups at some levels."""
    if data.missing != "drop":
        return {}
    columns = [data.column(name) for name in levels]
    gaps = np.flatnonzero(np.any([one.codes == MISSING for one in columns], axis=0))
    before = zip(*(one.values_of(one.codes[gaps]) for one in columns), strict=True)
    groups = [
        dict(zip(trees[name].values, trees[name].groups[level - 1], strict=True)) if level else {}
        for name, level in levels.items()
    ]
    found = {}
    for row in before:
        texts = tuple("" if value is None else str(value) for value in row)
        found[texts] = tuple(group.get(text, text) for group, text in zip(groups, texts, strict=True))
    return found
