"""How a session begins: what was said of the table, and what is chosen before anybody chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from divulge._support.toml_text import tables_of
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.hierarchy_edits import rows_of
from divulge.policy import Policy, usual_thresholds
from divulge.questions.data import Data
from divulge.roles.proposal import Proposed
from divulge.source.options import SUPPRESSED

KEPT = ("allow",)  # tables of a policy that the page does not change


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
    """Roles and hierarchies that were given, or suggested roles, and a policy's thresholds and population.

    Where no policy sets a threshold, a release is held to the checks of an audit without a policy as well.
    """
    roles = {name: data.schema.role(name).value for name in data.schema.attributes}
    roles.update({one.attribute: one.role.value for one in proposed})
    start = Choices(roles)
    given = {name: rows_of(tree) for name, tree in data.hierarchies.items()}
    found = replace(start, known=start.quasi_identifiers, hierarchies=given)
    found = replace(found, thresholds={**found.thresholds, **usual_thresholds(sensitive=True)})
    if policy is None:
        return found
    said = tables_of(policy.text) if policy.text else {}
    if policy.population is not None:
        sampled = asdict(policy.population)
        found = replace(found, population={key: value for key, value in sampled.items() if value is not None})
    return replace(found, thresholds=said["thresholds"]) if said.get("thresholds") else found
