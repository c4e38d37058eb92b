"""An account of a channel says what its parts say, in plain values."""

import json
import math

import numpy as np
import pytest

from divulge.estimation.account import account
from divulge.estimation.channel import Channel

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
    monkeypatch.setattr("divulge.estimation.account.AFFORDABLE", 10)
    large = account(channel, counts=counts)["sampled"]
    assert large["interval"] == found["interval"]
    assert large["estimate"] == found["estimate"]
