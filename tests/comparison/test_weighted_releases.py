"""Releases weigh their records as the original does: a copy of it is judged like it."""

from collections.abc import Sequence
from typing import Any

import pytest

import divulge as dv

ATTRIBUTES = {"g": "quasi-identifier", "ill": "sensitive"}
WEIGHED = {
    "data": {"weights": "w"},
    "attributes": ATTRIBUTES,
    "thresholds": {"worst_posterior": {"max": 0.95, "keys": ["g"], "target": "ill"}},
}
# In each group one of ten is ill and stands for many: ill people are 1000 of 1009, or 1 of 10 unweighted.
TABLE = {
    "g": [name for name in "abcd" for _ in range(10)],
    "ill": (["hiv"] + ["none"] * 9) * 4,
    "w": ([1000] + [1] * 9) * 4,
}


def checks(document: dict[str, Any]) -> Sequence[tuple[str, str, str]]:
    (release,) = document["releases"]
    return [(one["measure"], one["outcome"], one["found_text"]) for one in release["checks"]]


def bounds(found: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [one for one in found if one[0] == "worst_posterior"]


def readings(table: dict[str, Any]) -> dict[str, Any]:
    """The readings of a table; only what groups are compared with is said in other words."""
    (target,) = table["readings"]["targets"].values()
    said = {name: one for name, one in target.items() if name != "t_closeness_compared_with"}
    return table["readings"] | {"targets": said}


def test_a_copy_of_a_weighted_table_is_judged_like_the_table():
    alone = dv.audit(TABLE, WEIGHED).to_dict()["checks"]
    alone = [(one["measure"], one["outcome"], one["found_text"]) for one in alone]
    document = dv.compare(TABLE, {"copy": dict(TABLE)}, policy=WEIGHED).to_dict()
    assert bounds(checks(document)) == bounds(alone)
    assert bounds(alone)[0][1] == "fail"
    assert document["recommendation"]["release"] is None
    assert not any("w has no role" in one["text"] for one in document["notices"])
    assert readings(document["releases"][0]) == readings(document["original"])


def test_a_recipe_and_keywords_weigh_the_same():
    steps = [{"mechanism": "groups", "attributes": ["g"], "groups": {"x": ["c", "d"]}}]
    recipe = dv.Recipe.of(steps)
    table = dv.transform(TABLE, steps, keep_order=True).data
    by_recipe, by_table = (dv.compare(TABLE, one, policy=WEIGHED).to_dict() for one in (recipe, table))
    assert bounds(checks(by_recipe)) == bounds(checks(by_table))
    assert bounds(checks(by_recipe))[0][1] == "fail"
    said = dv.compare(TABLE, dict(TABLE), weights="w", quasi_identifiers="g", sensitive="ill").to_dict()
    assert readings(said["releases"][0]) == readings(said["original"])


def test_a_release_without_the_weights_says_that_each_record_counts_once():
    bare = {name: TABLE[name] for name in ("g", "ill")}
    document = dv.compare(TABLE, bare, policy=WEIGHED).to_dict()
    (notice,) = [one for one in document["notices"] if one["kind"] == "population"]
    assert notice["text"] == "The release does not have the weights w: each of its records counts once."


def test_weights_that_have_another_name_in_the_release_are_weights():
    renamed = {"g": TABLE["g"], "ill": TABLE["ill"], "weight": TABLE["w"]}
    document = dv.compare(TABLE, renamed, policy=WEIGHED, columns={"w": "weight"}).to_dict()
    assert bounds(checks(document))[0][1] == "fail"


def test_weights_that_were_suppressed_are_refused():
    starred = TABLE | {"w": ["*"] * 40}
    with pytest.raises(dv.DivulgeError, match="weight"):
        dv.compare(TABLE, starred, policy=WEIGHED)
