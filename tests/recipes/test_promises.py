"""What a recipe promises, step by step."""

import pytest

from divulge.recipes.promises import promised
from divulge.recipes.recipe import Recipe

ROUND = {"mechanism": "rounding", "attributes": ["age"], "base": 10}
K = {"mechanism": "suppress_records", "attributes": ["age", "zip"], "k": 5}
NOISE = {"mechanism": "noise", "attributes": ["age"], "alpha": 0.1}
OTHER_NOISE = {"mechanism": "noise", "attributes": ["income"], "alpha": 0.1}
SAMPLE = {"mechanism": "sample", "fraction": 0.5}
PRIVATE = {
    "mechanism": "private_counts",
    "attributes": ["sex"],
    "epsilon": 0.5,
    "domains": {"sex": ["f", "m"]},
}


@pytest.mark.parametrize(
    ("steps", "names", "notes"),
    [
        ([ROUND], [], 0),
        ([K], ["k"], 0),
        ([K, ROUND], ["k"], 0),  # merging values only makes groups larger
        ([K, OTHER_NOISE], ["k"], 0),
        ([K, NOISE], [], 1),
        ([K, SAMPLE], [], 1),
        ([K, {"mechanism": "groups", "attributes": ["zip"], "groups": {"any": ["*"]}}], [], 1),
        ([ROUND, PRIVATE], ["epsilon"], 0),
        ([NOISE, PRIVATE], [], 1),
        ([K, PRIVATE], [], 2),
        ([PRIVATE, PRIVATE], ["epsilon"], 0),
    ],
)
def test_promises_hold_as_far_as_other_steps_leave_them_true(steps, names, notes):
    found = promised(Recipe.of(steps).steps)
    assert [one.name for one in found.promises] == names
    assert len(found.notes) == notes


def test_what_spoils_differential_privacy_is_named():
    found = promised(Recipe.of([NOISE, PRIVATE]).steps)
    assert found.notes == (
        "Differential privacy of step 2 is lost: step 1 (noise) before it looks at all records and promises "
        "no epsilon.",
    )
