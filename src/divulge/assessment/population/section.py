"""People beyond the table, as the document of an audit has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.assessment.population.beyond_table import NOT_SEARCHED, BeyondTable, beyond_table
from divulge.assessment.scope import Scope

_NOT_HERE = ("source", "records", "shows_values")  # what the audit says elsewhere


def people_beyond_table(scope: Scope, unsaid: Mapping[int, int], *, show_values: bool) -> dict[str, Any]:
    """What is known, or why nothing is; ``unsaid`` unique people are said to be fewer than another count."""
    beyond = beyond_table(scope)
    if beyond.found is None:
        return {"declared": beyond.declared, "undefined": beyond.undefined}
    body = {name: part for name, part in beyond.found.body(exact=False).items() if name not in _NOT_HERE}
    body["sample"] = _sample(body["sample"], beyond, unsaid)
    body["special"] = _special(body["special"], beyond, unsaid, show_values)
    why = NOT_SEARCHED if body["special"] is None else None
    return {"declared": beyond.declared, "undefined": why, **body}


def _sample(found: dict[str, Any], beyond: BeyondTable, unsaid: Mapping[int, int]) -> dict[str, Any]:
    """The table itself; people in pairs are among the groups by size."""
    assert beyond.found is not None
    found = {name: value for name, value in found.items() if name != "in_pairs"}
    if found["unique"] in unsaid:
        most, people = unsaid[found["unique"]], beyond.found.sample.units
        found |= {"unique": f"<{most}", "share": f"<{most / people:.3g}"}
    return found


def _special(
    found: dict[str, Any] | None, beyond: BeyondTable, unsaid: Mapping[int, int], show_values: bool
) -> dict[str, Any] | None:
    if found is None:
        return None
    if found["records"] in unsaid:
        found["records"] = f"<{unsaid[found['records']]}"
    if beyond.declared is None:
        found["dis_max"] = None  # it depends on the sampled share
    if not show_values:
        found["by_value"] = [{**one, "value": None} for one in found["by_value"]]
    return found
