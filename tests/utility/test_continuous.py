"""What numbers lost: errors of matrices, by hand and as NumPy has them."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.utility import continuous_loss
from divulge.utility.continuous import Structure

NAMES = ("data", "covariances", "correlations", "loadings", "communalities", "scores")


def loss(original, released, **roles):
    return continuous_loss(align(dv.read(original, **roles), dv.read(released), same_order=True))


def measures(original, released):
    return {one.name: one for one in loss(original, released).measures}


def made_up(seed, records=200):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(records, 3)) @ [[1, 0.6, 0.2], [0, 1, 0.4], [0, 0, 1]] + [5, 0, -2]
    noisy = base + rng.normal(scale=0.2, size=base.shape)
    return ({name: table[:, i].tolist() for i, name in enumerate("abc")} for table in (base, noisy))


def test_two_attributes_worked_by_hand():
    found = measures({"a": [1, 2, 3], "b": [2, 4, 6]}, {"a": [1, 2, 6], "b": [2, 4, 6]})
    # Data: one of six cells moved by 3, from 3.
    assert found["data"].mean_squared_error == pytest.approx(9 / 6)
    assert found["data"].mean_absolute_error == pytest.approx(3 / 6)
    assert found["data"].mean_variation == pytest.approx(1 / 6)
    # Covariances: [[1, 2], [2, 4]] became [[7, 5], [5, 4]].
    assert found["covariances"].mean_squared_error == pytest.approx((36 + 9 + 9 + 0) / 4)
    assert found["covariances"].mean_absolute_error == pytest.approx((6 + 3 + 3) / 4)
    assert found["covariances"].mean_variation == pytest.approx((6 + 1.5 + 1.5) / 4)
    # Correlations: 1 became 5 / sqrt(28). Loadings of two attributes are sqrt((1 +- r) / 2).
    r = 5 / np.sqrt(28)
    assert found["correlations"].mean_absolute_error == pytest.approx((1 - r) / 2)
    first, second = np.sqrt((1 + r) / 2), np.sqrt((1 - r) / 2)
    assert found["loadings"].mean_absolute_error == pytest.approx((2 * (1 - first) + 2 * second) / 4)
    assert found["loadings"].zeros == 2
    assert found["communalities"].mean_absolute_error == pytest.approx(1 - (1 + r) / 2)
    assert found["scores"].undefined == (
        "the numeric attributes of the original depend on each other: 1 of 2 components are enough"
    )


def test_every_matrix_is_the_one_numpy_has():
    original, released = made_up(1)
    before, after = (np.array(list(table.values())) for table in (original, released))
    found = measures(original, released)
    assert tuple(found) == NAMES
    for name, of in (("data", lambda x: x), ("covariances", np.cov), ("correlations", np.corrcoef)):
        apart = of(after) - of(before)
        assert found[name].mean_squared_error == pytest.approx((apart**2).mean())
        assert found[name].mean_absolute_error == pytest.approx(np.abs(apart).mean())
        assert found[name].mean_variation == pytest.approx((np.abs(apart) / np.abs(of(before))).mean())
        assert found[name].zeros == 0


def test_loadings_are_correlations_with_components_and_scores_make_them():
    original, _ = made_up(2)
    data = np.array(list(original.values()))
    found = Structure(data, "abc", "the original")
    standard = (data - data.mean(axis=1, keepdims=True)) / data.std(axis=1, ddof=1, keepdims=True)
    components = found.scores.T @ standard
    assert np.cov(components) == pytest.approx(np.eye(3), abs=1e-9)
    assert np.corrcoef(data, components)[:3, 3:] == pytest.approx(found.loadings)
    assert found.communalities == pytest.approx(found.loadings[:, 0] ** 2)
    assert found.loadings @ found.loadings.T == pytest.approx(np.corrcoef(data))


def test_an_unchanged_release_lost_nothing():
    original, _ = made_up(3)
    for one in loss(original, original).measures:
        assert (one.mean_squared_error, one.mean_absolute_error, one.mean_variation) == (0, 0, 0)


def test_the_sign_of_a_component_is_no_loss():
    # Two loadings of opposite signs are nearly equal, and a slight change turns which of them is larger.
    drawn = np.random.default_rng(4).normal(size=(200, 4))
    u, e, f, g = np.linalg.qr(drawn - drawn.mean(axis=0))[0].T
    one = {"a": (u + 0.3 * e).tolist(), "b": (0.3 * f - u).tolist(), "c": (g + 0.1 * e).tolist()}
    other = {**one, "c": (g + 0.1 * f).tolist()}
    first, second = (
        Structure(np.array(list(table.values())), "abc", "it").loadings for table in (one, other)
    )
    assert first[0, 0] > 0 > second[0, 0]
    assert measures(one, other)["loadings"].mean_absolute_error < 0.1
    turned = {name: (-np.array(column)).tolist() for name, column in one.items()}
    assert measures(one, turned)["loadings"].mean_absolute_error == pytest.approx(0, abs=1e-9)


def test_the_largest_loading_is_positive():
    original, _ = made_up(5)
    loadings = Structure(np.array(list(original.values())), "abc", "the original").loadings
    assert (loadings[np.abs(loadings).argmax(axis=0), range(3)] > 0).all()


def test_zeros_are_left_out_of_the_mean_variation_and_counted():
    found = measures({"a": [0, 0, 10, 20]}, {"a": [1, 0, 11, 20]})["data"]
    assert (found.mean_variation, found.zeros) == (pytest.approx(0.05), 2)
    assert measures({"a": [0, 0]}, {"a": [1, 2]})["data"].mean_variation is None


def test_a_correlation_of_nothing_but_rounding_counts_as_zero():
    found = measures(
        {"a": [0.1, 0.2, 0.1, 0.2], "b": [0.1, 0.1, 0.7, 0.7]}, {"a": [1, 2, 3, 4], "b": [1, 1, 2, 3]}
    )
    assert found["correlations"].zeros == 2
    assert found["covariances"].zeros == 2


def test_a_constant_column_has_covariances_and_no_correlations():
    found = measures({"a": [1, 2, 3], "b": [3, 1, 2]}, {"a": [2, 2, 2], "b": [3, 1, 2]})
    assert found["covariances"].mean_absolute_error == pytest.approx((1 + 0.5 + 0.5) / 4)
    for name in NAMES[2:]:
        assert found[name].undefined == "constant in the release: a"
        assert found[name].mean_squared_error is None


def test_one_attribute_has_nothing_to_correlate_with():
    found = measures({"a": [1, 2, 4]}, {"a": [1, 2, 3]})
    assert found["covariances"].undefined is None
    assert "one numeric attribute only" in found["correlations"].undefined


def test_fewer_records_than_attributes_have_loadings_and_no_scores():
    found = measures({"a": [1, 2], "b": [3, 1], "c": [1, 5]}, {"a": [1, 3], "b": [3, 2], "c": [1, 5]})
    assert found["loadings"].mean_absolute_error == pytest.approx(0, abs=1e-9)
    assert "1 of 3 components are enough" in found["scores"].undefined


def test_one_record_has_data_only():
    found = measures({"a": [1], "b": [2]}, {"a": [1], "b": [3]})
    assert found["data"].mean_absolute_error == 0.5
    assert "two records" in found["covariances"].undefined
    assert "two records" in found["scores"].undefined


def test_records_with_a_gap_in_either_table_are_left_out_and_counted():
    found = loss(
        {"a": [1, None, 3, 4], "b": [1, 2, 3, 4]}, {"a": ["1", "2", "5", "*"], "b": ["1", "2", "3", "4"]}
    )
    assert (found.attributes, found.records, found.left_out) == (("a", "b"), 2, 2)
    assert found.measures[0].mean_absolute_error == pytest.approx(2 / 4)


def test_generalized_and_other_attributes_do_not_count_as_numbers():
    found = loss(
        {"a": [1, 2], "b": [3, 4], "c": ["x", "y"]}, {"a": ["1-2", "1-2"], "b": [3, 4], "c": ["x", "y"]}
    )
    assert found.attributes == ("b",)


def test_attributes_can_be_chosen():
    alignment = align(
        dv.read({"zip": [47677, 47905], "a": [1, 2]}), dv.read({"zip": [47677, 47905], "a": [1, 2]})
    )
    assert continuous_loss(alignment, ["a"]).attributes == ("a",)


@pytest.mark.parametrize(
    ("original", "released", "reason"),
    [
        ({"a": [1, 2, 3]}, {"a": [1, 2]}, "records are not aligned"),
        ({"a": ["x", "y"]}, {"a": ["x", "y"]}, "no attribute is a number in both tables"),
        ({"a": [1, None]}, {"a": ["*", "2"]}, "no record has a value"),
    ],
)
def test_where_nothing_can_be_compared_the_reason_is_said(original, released, reason):
    found = loss(original, released)
    assert reason in found.undefined
    assert found.measures == ()


def test_numbers_too_large_to_square_are_said_to_be():
    found = measures({"a": [1e200, 2e200], "b": [1, 2]}, {"a": [1e200, -3e200], "b": [2, 2]})
    assert "differ too much" in found["data"].undefined
    assert "too large" in found["covariances"].undefined
