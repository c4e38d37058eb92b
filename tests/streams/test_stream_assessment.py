"""What a policy asks of the records of a window is what it asks of a table of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.scope import Scope
from divulge.errors import DivulgeError, ParameterError, PolicyError
from divulge.policy import Policy
from divulge.streams.stream_assessment import StreamAssessment
from divulge.streams.window import Window, seconds

ATTRIBUTES = ("who", "age", "sex", "ill")
THRESHOLDS = {
    "k_anonymity": {"min": 2},
    "uniqueness": {"max": 0.1, "keys": ["age"]},
    "discrimination_rate": {"max": 0.2},
    "itpr": {"max": 0.5, "target": "@record"},
    "entropy_l_diversity": {"min": 2},
    "reidentification_risk": {"max": 0.3, "kind": "average"},
}


def policy(*, missing="value", who="identifier", more=None, **data):
    attributes = {
        "age": {"role": "quasi-identifier", "bins": [30, 60]},
        "sex": "quasi-identifier",
        "ill": "sensitive",
    }
    attributes |= {"who": who} if who else {}
    return Policy.of(
        {
            "data": {"missing": missing, "missing_values": ["NA"], **data},
            "attributes": attributes,
            "thresholds": more or THRESHOLDS,
        }
    )


RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.sampled_from(["18", "31", "45", "80", None, "NA"]),
        st.sampled_from(["f", "m", None, "*", True, 1]),
        st.sampled_from(["flu", "cold", "NA", "aids", False, 0, 0.0, math.nan]),
    ),
    min_size=1,
    max_size=30,
)


def columns(records):
    return {name: [one[place] for one in records] for place, name in enumerate(ATTRIBUTES)}


@pytest.mark.parametrize(("missing", "who"), [("value", "other"), ("drop", "other"), ("value", "identifier")])
@settings(max_examples=15)
@given(records=RECORDS, window=st.integers(1, 20), step=st.integers(1, 9))
def test_followed_checks_find_what_checks_of_a_table_find(missing, who, records, window, step):
    asked = policy(missing=missing, who=who)
    stream, held = StreamAssessment(asked, ATTRIBUTES, Window(last=window)), []
    for first in range(0, len(records), step):
        arrived = records[first : first + step]
        stream.add(columns(arrived), 0.0)
        held = [*held, *arrived][-window:]
    assert repr(stream.held()) == repr(columns(held))
    try:
        checks = every_check(Scope(asked.open(columns(held)), asked.partitions), asked)
    except DivulgeError:  # of a table without any record to count
        return
    expected = {(one.name, one.target): one.found for one in checks if hasattr(one, "threshold")}
    found = {(one.name, one.target): one.found for one in stream.followed()}
    assert found.keys() == expected.keys()
    for name, value in found.items():
        assert value == (
            None if expected[name] is None else pytest.approx(expected[name], rel=1e-12, abs=1e-12)
        )


def test_what_is_not_followed_is_read_from_the_window():
    more = {**THRESHOLDS, "t_closeness": {"max": 0.3}, "singled_out": {"max": 0.1, "k": 2}}
    stream = StreamAssessment(policy(more=more), ATTRIBUTES, Window(last=50))
    assert stream.asks_more
    assert not StreamAssessment(policy(), ATTRIBUTES, Window(last=50)).asks_more
    records = [
        ("abcde"[i % 5], str(20 + i % 60), "fm"[i % 2], ("flu", "cold")[i % 3 == 0]) for i in range(80)
    ]
    stream.add(columns(records), 0.0)
    titles = {check.name: check for check in stream.everything()}
    assert {"t-closeness of ill", "People who can be singled out", "k-anonymity"} <= titles.keys()
    expected = {
        one.name: one.outcome
        for one in every_check(
            Scope(stream.policy.open(columns(records[-50:])), stream.policy.partitions), stream.policy
        )
    }
    assert {name: check.outcome for name, check in titles.items()} == expected


def test_gaps_are_said_at_every_reading_once_everything_was_read():
    """Else a reading of what is followed alone would pass though the file has more values than groups."""
    stream = StreamAssessment(policy(who=None), ATTRIBUTES[1:], Window(last=200))
    ages = {"age": [str(20 + n % 60) for n in range(150)]}
    records = ages | {"sex": ["f", "m", "m"] * 50, "ill": ["flu", "cold"] * 75}
    stream.add(records, 0.0)
    assert "measured" not in {getattr(one, "measure_name", "") for one in stream.followed_and_gaps()}
    *_, gaps = stream.everything()
    assert gaps.sentence.startswith("age is counted in 3 groups and the file has 60 values: what passes")
    stream.add(records, 1.0)
    *followed, again = stream.followed_and_gaps()
    assert len(followed) == len(stream.followed())
    assert (again.outcome, again.sentence, again.answer.note) == ("warn", gaps.sentence, gaps.answer.note)


def test_truth_values_are_no_numbers_and_what_is_not_a_number_is_missing():
    stream = StreamAssessment(policy(who=None), ATTRIBUTES[1:], Window(last=50))
    rows = [("31", True, "flu"), ("31", 1, "flu"), ("31", 1.0, "cold"), ("31", math.nan, "flu")]
    stream.add(columns([("", *row) for row in [*rows, ("31", math.nan, "flu"), ("31", None, "flu")]]), 0.0)
    by_name = {check.name: check.found for check in stream.followed()}
    assert by_name["k-anonymity"] == 1  # the one for whom it is true
    sizes = stream._followed[0].counts.now
    assert sorted(np.repeat(sizes.size, sizes.multiplicity).tolist()) == [1, 2, 3]


def test_a_window_in_which_nobody_is_counted_is_not_evaluated():
    stream = StreamAssessment(
        policy(missing="drop", more={"k_anonymity": {"min": 2}}), ATTRIBUTES, Window(last=5)
    )
    stream.add(columns([("a", "31", None, "flu"), ("b", None, "f", "flu")]), 0.0)
    assert {check.outcome for check in stream.everything()} == {"not evaluated"}


def test_a_record_with_a_value_that_no_group_has_is_left_out_and_counted():
    stream = StreamAssessment(policy(), ATTRIBUTES, Window(last=50))
    stream.add(columns([("a", "young", "f", "flu"), ("b", "31", "f", "flu")]), 0.0)
    assert (stream.records, stream.outside) == (1, 1)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (lambda: policy(missing="wildcard"), ParameterError),
        (lambda: policy(who="other", weights="who"), ParameterError),
    ],
)
def test_a_policy_that_cannot_be_kept_current_is_refused(asked, error):
    try:
        given_policy = asked()
    except PolicyError:
        pytest.skip("the policy itself is refused")
    with pytest.raises(error):
        StreamAssessment(given_policy, ATTRIBUTES, Window(last=5))


def test_a_policy_for_other_attributes_is_refused_by_its_line():
    with pytest.raises(PolicyError, match="no attribute 'sex'"):
        StreamAssessment(policy(), ("who", "age", "gender", "ill"), Window(last=5))


def test_a_window_of_time_lets_records_leave_when_their_time_has_come():
    window = Window.of("10s")
    assert [window.leaving(3, 0.0), window.leaving(2, 5.0), window.leaving(0, 10.0)] == [0, 0, 3]
    assert window.held == 2


@pytest.mark.parametrize("text", ["", "0", "-3", "5 parsecs", "h", "1e5", "nan"])
def test_a_window_that_is_none_is_refused(text):
    with pytest.raises(ParameterError, match="--window"):
        Window.of(text)


@pytest.mark.parametrize("text", ["0s", "5", "-1s", "every"])
def test_a_span_that_is_none_is_refused(text):
    with pytest.raises(ParameterError, match="--every"):
        seconds(text, "--every")
