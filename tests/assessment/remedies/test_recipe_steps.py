"""The plan of an audit, written as a recipe and applied, gives the release that it spoke of."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.remedies.recipe_steps import needs_records, recipe_steps, recipe_text
from divulge.assessment.remedies.record_changes import RecordChange
from divulge.mechanisms import MECHANISMS
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import transform

ZIPS = dv.Hierarchy.of([(f"{z}", f"{z}"[:2] + "*", "***") for z in range(100, 130)], attribute="zip")


def people(seed):
    rng = np.random.default_rng(seed)
    size = 400
    return {
        "name": [f"person {row}" for row in range(size)],
        "age": rng.integers(20, 80, size).tolist(),
        "zip": rng.integers(100, 130, size).astype(str).tolist(),
        "born": [
            f"{y}-{m:02}-11" for y, m in zip(*rng.integers([1950, 1], [1990, 13], (size, 2)).T, strict=True)
        ],
        "ill": rng.choice(["flu", "cold", "asthma"], size).tolist(),
    }


@pytest.mark.parametrize(("seed", "with_hierarchy"), [(1, True), (2, False), (3, True)])
def test_the_release_passes_what_the_plan_said(seed, with_hierarchy, tmp_path):
    table = people(seed)
    roles = {"identifiers": "name", "quasi_identifiers": ["age", "zip", "born"], "sensitive": "ill"}
    named = {"hierarchies": {"zip": ZIPS}} if with_hierarchy else {}
    found = dv.audit(table, **roles, **named)
    changes = found.advised
    assert found.plan is not None
    listed = tmp_path / "rows.csv"
    if needs_records(changes):
        lines = [RecordChange._fields, *found.record_changes()]
        listed.write_text(
            "\n".join(",".join("" if one is None else str(one) for one in line) for line in lines)
        )
    steps = recipe_steps(found.scope, changes, str(listed))
    (tmp_path / "r.toml").write_text(recipe_text("people.csv", "r.toml", steps))
    recipe = Recipe.read(tmp_path / "r.toml")
    released = transform(table, recipe, keep_order=True).data
    assert "name" not in released
    kept = {
        role: [name for name in np.atleast_1d(given) if name in released] for role, given in roles.items()
    }
    after = dv.audit(released, **kept)
    assert sum(check.outcome != "pass" for check in after.checks) <= found.plan.failing


def test_every_change_has_its_mechanism():
    from divulge.assessment.remedies.changes import MECHANISM

    assert set(MECHANISM.values()) <= MECHANISMS.keys()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_release_passes_under_the_very_policy_that_the_table_was_audited_with(seed, tmp_path):
    table = {name: column for name, column in people(seed).items() if name != "name"}
    table["job"] = np.random.default_rng(seed).choice([f"job {n}" for n in range(12)], 400).tolist()
    keys = ["age", "zip", "born", "job"]
    attributes = {**dict.fromkeys(keys, "quasi-identifier"), "ill": "sensitive"}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": {"k_anonymity": {"min": 8}}})
    found = dv.audit(table, policy)
    assert found.plan.failing == 0
    assert any(change.attributes for change in found.advised)  # something is left out
    listed = tmp_path / "rows.csv"
    lines = [RecordChange._fields, *found.record_changes()]
    listed.write_text("\n".join(",".join("" if one is None else str(one) for one in line) for line in lines))
    steps = recipe_steps(found.scope, found.advised, str(listed), policy.attributes)
    released = transform(table, Recipe.of(steps), keep_order=True).data
    assert list(released) == list(table)
    after = dv.audit(released, policy, search=False)
    assert [check.outcome for check in after.checks if check.name == "k-anonymity"] == ["pass"]
