"""An account of a channel says what its parts say, in plain values."""

import json
import math

import numpy as np
import pytest

from divulge.estimation.attackers.account import account
from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.samples import (
    corrected_information,
    estimated_information,
    told_apart,
    zero_leakage_test,
)

BINARY = Channel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], ["no", "yes"], ["no", "yes"])


def test_a_binary_symmetric_channel_told_in_numbers():
    found = account(BINARY)
    assert found["privacy"] == pytest.approx(
        {"prior": 0.5, "worst": 0.1, "average": 0.1, "best": 0.1, "reduction": 0.4}
    )
    told = 1 + 0.1 * math.log2(0.1) + 0.9 * math.log2(0.9)
    assert found["capacity"]["value"] == pytest.approx(told, abs=1e-9)
    assert found["leakage"][0]["additive"] == pytest.approx(told)
    assert found["epsilon"] == pytest.approx(math.log(9))
    assert all(bound["holds"] for bound in found["bounds"])
    assert sum(one["probability"] for one in found["distribution"]) == pytest.approx(1)


def test_what_is_infinite_is_null_and_the_account_is_json():
    found = account(Channel([0.5, 0.5], [[1, 0], [0, 1]]))
    assert found["epsilon"] is None
    assert found["privacy"]["average"] == 0
    json.dumps(found, allow_nan=False)


def test_values_are_named_only_where_they_may_be():
    plain, shown = (account(BINARY, show_values=show) for show in (False, True))
    assert plain["observations"][0]["label"] == "observation 1"
    assert plain["observations"][0]["estimate"] is None
    assert {one["label"] for one in shown["observations"]} == {"no", "yes"}


def test_what_a_sample_tells_stands_with_an_interval_and_a_test(monkeypatch):
    counts = np.array([[40, 10], [10, 40]])
    channel = Channel.of_table(counts)
    found = account(channel, counts=counts)["sampled"]
    assert 0 < found["interval"]["low"] < found["rate"] < found["interval"]["high"] < 1
    assert found["test"]["p_value"] <= 0.01
    assert found == account(channel, counts=counts)["sampled"]
    monkeypatch.setattr("divulge.estimation.attackers.account.AFFORDABLE", 10)
    large = account(channel, counts=counts)["sampled"]
    assert large["interval"] == found["interval"]
    assert large["estimate"] == found["estimate"]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[3, 2, 1]], "the target has one value"),
        ([[3], [2]], "the keys have one combination"),
        ([[3, 2], [0, 0]], "the target has one value"),
    ],
)
def test_nothing_is_learned_from_a_constant_column_or_about_one(counts, said):
    table = np.array(counts)
    found = account(Channel.of_table(table), counts=table)["sampled"]
    assert (found["estimate"], found["interval"], found["test"]) == (0, None, None)
    assert found["undefined"].startswith(said)
    test = zero_leakage_test(table, permutations=9, rng=np.random.default_rng(1))
    assert (test.observed, test.expected, test.p_value) == (0, 0, 1)


def test_information_never_exceeds_what_there_is_to_know():
    # Every record has a key of its own: the correction would add to what is already all of H(X).
    counts = np.repeat(np.eye(5, dtype=int), 2, axis=1)
    found = account(Channel.of_table(counts), counts=counts)
    known = found["entropies"][1]["prior"]
    assert estimated_information(counts) > known + 0.1
    assert corrected_information(counts).estimate == found["sampled"]["possible"] == pytest.approx(known)
    assert (found["sampled"]["estimate"], found["sampled"]["too_sparse"]) == (None, True)
    assert found["sampled"]["interval"]["kind"] == "cannot tell"


def test_a_correction_below_nothing_is_nothing_and_a_well_filled_table_is_not_sparse():
    found = corrected_information([[250, 250], [250, 250]])
    assert (found.estimate, found.too_sparse) == (0, False)


def test_a_well_filled_table_that_decides_everything_is_not_sparse():
    counts = np.diag([80, 80, 80])
    sampled = account(Channel.of_table(counts), counts=counts)["sampled"]
    assert estimated_information(counts) > sampled["possible"]  # by the correction alone
    assert (sampled["estimate"], sampled["too_sparse"]) == (pytest.approx(np.log2(3)), False)


def test_what_unrelated_columns_would_give_is_no_estimate():
    rng = np.random.default_rng(1)
    counts = np.zeros((3, 150), int)
    np.add.at(counts, (rng.integers(3, size=150), rng.integers(150, size=150)), 1)
    counts = counts[:, counts.sum(axis=0) > 0]
    sampled = account(Channel.of_table(counts), counts=counts)["sampled"]
    assert corrected_information(counts).estimate > 0
    assert (sampled["estimate"], sampled["too_sparse"]) == (None, True)
    # Sparse, with a bracket, and no more than chance; the same figure in a well-filled table stays.
    small = corrected_information([[250, 250], [250, 250]])
    assert told_apart(small, [[1, 1], [1, 1]], "bracket", 0.1).estimate is None
    assert told_apart(small, [[250, 250], [250, 250]], "bracket", 0.1).estimate == 0


def test_each_leakage_has_its_unit():
    by_name = {one["name"]: one for one in account(BINARY)["leakage"]}
    assert {name: one["unit"] for name, one in by_name.items()} == {
        "Shannon": "bits",
        "min-entropy": "probability",
    }
    assert by_name["min-entropy"]["additive"] == pytest.approx(0.9 - 0.5)


def test_rounding_is_zero_and_small_figures_are_not():
    # By hand: the second value is the best guess before and after, wrong 2 times of 5.
    told = account(Channel.of_table([[0, 1, 1], [1, 1, 1]]))
    assert told["privacy"]["reduction"] == told["leakage"][1]["additive"] == 0
    barely = account(Channel([0.5, 0.5], [[0.5 + 1e-9, 0.5 - 1e-9], [0.5, 0.5]]))
    assert barely["privacy"]["reduction"] == pytest.approx(0.5e-9, rel=1e-6)
    # By hand: I is about (difference of rows)^2 / 8 over the shares 1/2, in nats: (1e-9)^2 / 2.
    assert barely["leakage"][0]["additive"] == pytest.approx(1e-18 / 2 / math.log(2), rel=1e-3)
