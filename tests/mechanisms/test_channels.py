"""A recipe as a channel: what an attacker who knows it sees of one attribute."""

import numpy as np
import pytest

import divulge as dv
from divulge.errors import DivulgeError, Undefined
from divulge.mechanisms import mechanism_named
from divulge.mechanisms.channels import attribute_channel
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import transform


def test_steps_multiply():
    table = {"age": [31, 38, 45, 45]}
    steps = [
        {"mechanism": "intervals", "attributes": ["age"], "width": 10},
        {"mechanism": "pram", "attributes": ["age"], "retention": 0.75},
    ]
    found = attribute_channel(dv.read(table), Recipe.of(steps).steps, "age")
    assert list(found.inputs) == [31, 38, 45]
    assert list(found.outputs) == ["[30, 40)", "[40, 50)"]
    assert found.prior.tolist() == [0.25, 0.25, 0.5]
    assert found.matrix.tolist() == [[0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]


def test_an_attribute_that_no_step_touches_is_seen_as_it_is():
    steps = [{"mechanism": "rounding", "attributes": ["age"], "base": 10}]
    found = attribute_channel(dv.read({"age": [1, 2], "ill": ["a", None]}), Recipe.of(steps).steps, "ill")
    assert found.matrix.tolist() == [[1, 0], [0, 1]]
    assert set(found.inputs) == {"missing", "a"}


NOISES = [
    {"mechanism": "noise", "alpha": 0.5, "decimals": 9},
    {"mechanism": "multiplicative_noise", "alpha": 0.3, "decimals": 9},
    {"mechanism": "laplace_noise", "sensitivity": 1, "epsilon": 0.2, "decimals": 9},
]


@pytest.mark.parametrize("noise", NOISES, ids=lambda one: one["mechanism"])
def test_noise_falls_into_bins_as_often_as_the_channel_says(noise):
    records = 20_000
    values = (np.arange(records) % 5 * 10 - 10).tolist()  # -10 to 30, zero among them
    recipe = Recipe.of([{**noise, "attributes": ["x"]}])
    found = attribute_channel(dv.read({"x": values}), recipe.steps, "x")
    released = np.asarray(transform({"x": values}, recipe, seed=1, keep_order=True).data["x"], float)
    edges = [float(str(one)[1:].split(",")[0]) for one in found.outputs]
    places = np.clip(np.searchsorted(edges, released, side="right") - 1, 0, len(edges) - 1)
    for row, value in enumerate(found.inputs):
        mine = places[np.asarray(values) == value]
        shares = np.bincount(mine, minlength=len(edges)) / len(mine)
        spread = np.sqrt(found.matrix[row] * (1 - found.matrix[row]) / len(mine))
        assert (np.abs(shares - found.matrix[row]) <= 5 * spread + 2e-3).all()


def test_more_noise_leaves_the_attacker_more_wrong():
    data = dv.read({"x": list(range(20)) * 5})
    errors = [
        attribute_channel(
            data, Recipe.of([{"mechanism": "noise", "attributes": ["x"], "alpha": alpha}]).steps, "x"
        )
        .privacy("hamming")
        .average
        for alpha in (0.01, 0.3, 3)
    ]
    assert errors == sorted(errors)


@pytest.mark.parametrize(
    "step",
    [
        {"mechanism": "rank_swapping", "attributes": ["x"], "percent": 5},
        {"mechanism": "noise", "attributes": ["x"], "alpha": 0.1, "restore": True},
    ],
)
def test_what_looks_at_all_records_has_no_channel(step):
    with pytest.raises(Undefined, match="no p\\(released"):
        attribute_channel(dv.read({"x": [1, 2, 3]}), Recipe.of([step]).steps, "x")


def test_the_optimal_matrix_leaves_the_attacker_most_wrong():
    data = dv.read({"x": ["a"] * 5 + ["b"] * 3 + ["c"] * 2})
    wrong, changed = {}, {}
    for method in ("retention", "invariant", "optimal"):
        step = {"mechanism": "pram", "attributes": ["x"], "method": method}
        step |= (
            {"distortion": 0.2}
            if method == "optimal"
            else {"retention": 0.8 if method == "retention" else 0.9}
        )
        found = attribute_channel(data, Recipe.of([step]).steps, "x")
        wrong[method] = found.privacy("hamming").average
        kept = np.asarray([[one == other for other in found.outputs] for one in found.inputs])
        changed[method] = 1 - float((found.prior[:, None] * found.matrix)[kept].sum())
    assert changed["optimal"] == pytest.approx(0.2, abs=1e-6)
    assert max(changed.values()) <= 0.2001
    assert wrong["optimal"] == pytest.approx(0.2, abs=1e-6)
    assert wrong["optimal"] >= max(wrong.values()) - 1e-9


def test_noise_that_is_small_beside_the_gaps_hides_nothing():
    data = dv.read({"x": list(range(0, 300_000, 1000))})
    for step in (
        {"mechanism": "laplace_noise", "sensitivity": 1, "epsilon": 1},
        {"mechanism": "noise", "alpha": 0.001},
    ):
        found = attribute_channel(data, Recipe.of([{**step, "attributes": ["x"]}]).steps, "x")
        assert found.privacy("hamming").average < 0.001


def test_a_bayes_attacker_who_sees_the_number_does_hardly_better():
    values = np.arange(20, 71)
    found = attribute_channel(
        dv.read({"x": values.tolist()}),
        Recipe.of(
            [{"mechanism": "laplace_noise", "attributes": ["x"], "sensitivity": 1, "epsilon": 0.3}]
        ).steps,
        "x",
    )
    grid = np.linspace(-40, 130, 200_001)
    density = 0.15 * np.exp(-0.3 * np.abs(grid[:, None] - values)) / len(values)
    right = density.max(axis=1).sum() * (grid[1] - grid[0])
    assert right - (1 - found.privacy("hamming").average) == pytest.approx(0, abs=0.002)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pram", {"retention": 0.7}),
        ("noise", {"alpha": 0.5}),
        ("rounding", {"base": 10}),
        ("interval_rounding", {"edges": [0, 35, 90]}),
        ("random_rounding", {"base": 10}),
    ],
)
def test_a_mechanism_is_the_channel_of_its_step(name, said):
    data = dv.read({"x": [31, 38, 45, 45]})
    found = mechanism_named(name).channel(data, "x", **said)
    step = Recipe.of([{"mechanism": name, "attributes": ["x"], **said}]).steps
    assert found.matrix.tolist() == attribute_channel(data, step, "x").matrix.tolist()
    assert found.matrix.sum(axis=1) == pytest.approx(1)


def test_a_mechanism_refuses_what_a_recipe_would():
    data = dv.read({"x": [31, 38]})
    with pytest.raises(DivulgeError, match="rounding needs 'base'"):
        mechanism_named("rounding").channel(data, "x")
    with pytest.raises(DivulgeError, match="looks at all records"):
        mechanism_named("microaggregation").channel(data, "x", k=2)
