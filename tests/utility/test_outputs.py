"""Everything that a release lost, as plain values that name no record's."""

import json
from dataclasses import asdict

import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.utility import (
    categorical_loss,
    contingency_distances,
    continuous_loss,
    distribution_distances,
    mine,
)

MARKER = "XYZZY-marker"
ORIGINAL = {
    "id": list(range(40)),
    "age": [20 + place for place in range(40)],
    "sex": ["f", "m", MARKER, "m"] * 10,
    "pay": [place / 7 for place in range(40)],
}
GROUPED = {**ORIGINAL, "age": [f"{age // 10}*" for age in ORIGINAL["age"]], "pay": [1.5] * 40}
RELEASES = {
    "unchanged": ORIGINAL,
    "grouped and made constant": GROUPED,
    "everything suppressed": {name: ["*"] * 40 for name in ORIGINAL},
    "everything missing": {name: [None] * 40 for name in ORIGINAL},
    "fewer records": {name: column[:10] for name, column in GROUPED.items()},
    "unknown values": {name: [f"{MARKER} {place}" for place in range(40)] for name in ORIGINAL},
    "one attribute": {"sex": ORIGINAL["sex"]},
    "no common attribute": {"other": [1] * 40},
}


@pytest.mark.parametrize("released", RELEASES.values(), ids=RELEASES)
def test_any_release_can_be_read_and_no_output_has_a_value(released):
    alignment = align(dv.read(ORIGINAL, identifiers="id", sensitive="sex"), dv.read(released))
    found = [continuous_loss(alignment), *categorical_loss(alignment), *contingency_distances(alignment)]
    found += distribution_distances(alignment)
    found += mine(alignment, repeats=2) if pytest.importorskip("sklearn") else []
    said = json.dumps([asdict(one) for one in found], allow_nan=False)
    assert MARKER not in said


def test_what_needs_no_alignment_is_measured_without():
    alignment = align(dv.read({"a": ["x", "x", "y", "z"]}), dv.read({"a": ["x", "y"]}))
    assert continuous_loss(alignment).undefined == "records are not aligned"
    assert [one.distance for one in contingency_distances(alignment)] == [0.25]
    assert [one.total_variation for one in distribution_distances(alignment)] == [0.25]
