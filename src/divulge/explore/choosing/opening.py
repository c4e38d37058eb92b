"""How a session begins: what was said of the table, and what is chosen before anybody chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from divulge._support.toml_text import tables_of
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.hierarchy_edits import rows_of
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.roles.proposal import Proposed
from divulge.source.options import SUPPRESSED

KEPT = ("allow", "population")  # tables of a policy that the page does not change


def reading_of(data: Data, given: Mapping[str, Any]) -> dict[str, Any]:
    """What reads the same data again: how the file is opened, and what its values mean."""
    said = dict(given)
    if data.missing != "value":
        said["missing"] = data.missing
    if data.missing_values:
        said["missing_values"] = sorted(data.missing_values)
    if data.suppressed != SUPPRESSED:
        said["suppressed"] = data.suppressed or ""
    if data.weights is not None:
        said["weights"] = data.weights
    if data.orders:
        said["orders"] = {name: list(order) for name, order in data.orders.items()}
    return said


def kept_tables(policy: Policy | None) -> dict[str, Any]:
    """The tables of a policy that are taken over as they are."""
    if policy is None or not policy.text:
        return {}
    return {name: table for name, table in tables_of(policy.text).items() if name in KEPT}


def first_choices(data: Data, proposed: Sequence[Proposed], policy: Policy | None) -> Choices:
    """Roles and hierarchies that were given, or suggested roles, and a policy's thresholds and population."""
    roles = {name: data.schema.role(name).value for name in data.schema.attributes}
    roles.update({one.attribute: one.role.value for one in proposed})
    start = Choices(roles)
    given = {name: rows_of(tree) for name, tree in data.hierarchies.items()}
    found = replace(start, known=start.quasi_identifiers, hierarchies=given)
    if policy is None:
        return found
    asked = tables_of(policy.text).get("thresholds") if policy.text else None
    sampled = policy.population
    if sampled is not None and sampled.fraction is not None:
        found = replace(found, fraction=sampled.fraction)
    elif sampled is not None and sampled.size is not None and sampled.size >= data.records:
        found = replace(found, fraction=data.records / sampled.size)
    return replace(found, thresholds=asked) if asked else found
