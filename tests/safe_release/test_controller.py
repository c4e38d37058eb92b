"""Records leave on request, one at a time; those that cannot wait until they can."""

import numpy as np
import pytest

import divulge as dv
from divulge.errors import DivulgeError, ParameterError, SchemaError, UnknownAttribute
from divulge.safe_release import Cell, Controller, Guard, Reason, Rules, State, table_of, tabulate
from divulge.safe_release.statistics.dixon import critical_ratio
from divulge.table.partition import Partition

TABLE = table_of([[50, 50, 50], [50, 50, 50]], ["low", "high"], ["a", "b", "c"])
LEANING = np.array([[31, 20, 20], [22, 20, 20]])  # one more low of a is too many
LOW, HIGH = {"x": "low", "y": "a"}, {"x": "high", "y": "a"}


def controller(tests="kld", counts=LEANING):
    guard = Guard.of(TABLE, tests, 0.2)
    return Controller(guard, State.of(guard, counts))


def test_a_request_that_may_leave_does():
    found = controller()
    answer = found.request("first", HIGH)
    assert (answer.ticket, answer.left, answer.verdict.released) == ("first", ("first",), True)
    assert found.state.counts.tolist() == [[31, 20, 20], [23, 20, 20]]
    assert len(found.waiting) == 0


def test_a_request_that_may_not_waits_until_others_have_left():
    found = controller()
    assert found.request("one", LOW).left == ()
    assert found.request("two", LOW).left == ()
    assert list(found.waiting) == ["one", "two"]
    assert found.state.counts.tolist() == LEANING.tolist()
    assert found.request("three", HIGH).left == ("three", "one")  # 32 and 23 are close enough, 33 are not
    assert list(found.waiting) == ["two"]
    assert found.request("four", HIGH).left == ("four", "two")
    assert found.state.records == LEANING.sum() + 4


def test_those_waiting_are_looked_through_from_the_first_after_every_release():
    """The third request frees the second, which has to wait for it, and only the second frees the first.

    Dixon's test stops whatever makes a third distance: at first those of b and c are both one bit.
    """
    found = controller("dqt", np.array([[5, 1, 0], [6, 0, 3]]))
    assert found.request("first", {"x": "low", "y": "c"}).left == ()
    assert found.request("second", {"x": "high", "y": "b"}).left == ()
    assert found.request("third", {"x": "low", "y": "a"}).left == ("third", "second", "first")


def test_another_target_frees_nothing():
    found = controller()
    found.request("one", LOW)
    assert found.request("other", {"x": "low", "y": "b"}).left == ("other",)
    assert list(found.waiting) == ["one"]


def test_a_withdrawn_request_never_leaves():
    found = controller()
    found.request("one", LOW)
    found.request("two", LOW)
    found.withdraw("one")
    assert found.request("three", HIGH).left == ("three", "two")
    assert "one" not in found.waiting


@pytest.mark.parametrize("ticket", ["unknown", "left", "withdrawn"])
def test_what_does_not_wait_cannot_be_withdrawn(ticket):
    found = controller()
    found.request("withdrawn", LOW)
    found.withdraw("withdrawn")
    found.request("left", HIGH)
    before = found.state
    with pytest.raises(ParameterError, match=f"No ticket '{ticket}' is waiting"):
        found.withdraw(ticket)
    assert found.state is before


def test_a_ticket_that_waits_cannot_be_used_again():
    found = controller()
    found.request("one", LOW)
    for record in (LOW, HIGH):
        with pytest.raises(ParameterError, match="is already waiting"):
            found.request("one", record)
    assert found.state.counts.tolist() == LEANING.tolist()
    assert list(found.waiting) == ["one"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"x": "unheard of", "y": "a"}, Reason.UNKNOWN_VALUE),
        ({"x": None, "y": "a"}, Reason.UNKNOWN_VALUE),
        ({"x": "low", "y": "unheard of"}, Reason.UNKNOWN_TARGET),
        (Cell(-1, 0), Reason.UNKNOWN_VALUE),
        (Cell(0, -1), Reason.UNKNOWN_TARGET),
    ],
)
def test_what_the_baseline_does_not_know_is_refused_and_does_not_wait(record, reason):
    found = controller()
    answer = found.request("one", record)
    assert (answer.verdict.reason, answer.left) == (reason, ())
    assert len(found.waiting) == 0
    assert found.state.counts.tolist() == LEANING.tolist()


@pytest.mark.parametrize("record", [{}, {"x": "low"}, {"y": "a"}])
def test_a_record_without_x_or_y_is_refused_and_changes_nothing(record):
    found = controller()
    with pytest.raises(UnknownAttribute, match="in the record"):
        found.request("one", record)
    assert "one" not in found.waiting
    assert found.state.counts.tolist() == LEANING.tolist()


# -- the baseline follows the holder's table ---------------------------------------------------------


def test_a_new_baseline_lets_those_leave_who_may_under_it():
    found = controller()
    for ticket in ("one", "two", "three"):
        found.request(ticket, LOW)
    leaning = table_of([[60, 60, 60], [50, 50, 50]], ["low", "high"], ["a", "b", "c"])
    left = found.follow(leaning)
    assert found.guard.baseline.version == 2
    assert left == ("one", "two", "three")[: len(left)]
    assert left
    assert found.state.records == LEANING.sum() + len(left)


def test_requests_keep_their_turn_and_their_cells_when_the_domain_grows():
    found = controller()
    found.request("one", LOW)
    found.request("two", LOW)
    wider = table_of([[50] * 4] * 3, ["middle", "high", "low"], ["d", "c", "b", "a"])
    found.follow(wider)
    assert list(found.waiting) == ["one", "two"]
    assert found.guard.domain.values == ("middle", "high", "low")
    assert found.waiting.cell("one") == Cell(2, 3)
    assert found.state.counts[2, 3] == 31
    assert found.request("three", {"x": "middle", "y": "d"}).verdict.reason is not Reason.UNKNOWN_VALUE


def test_those_whose_target_is_gone_wait_on_and_leave_when_it_is_back():
    found = controller("cst")
    found.request("one", LOW)
    assert found.follow(table_of([[9, 9], [9, 9]], ["low", "high"], ["b", "c"])) == ()
    assert list(found.waiting) == ["one"]
    assert found.request("two", HIGH).verdict.reason is Reason.UNKNOWN_TARGET
    assert found.request("three", {"x": "high", "y": "b"}).left == ("three",)
    assert found.follow(TABLE) == ()
    assert found.request("four", HIGH).left == ("four", "one")
    assert found.guard.baseline.version == 3


def test_what_is_outside_and_no_longer_expected_stops_every_release():
    found = controller("mis,kld")
    found.request("one", LOW)
    gone = table_of([[50, 50, 50], [50, 50, 50]], ["high", "middle"], ["a", "b", "c"])
    assert found.follow(gone) == ()
    assert not found.state.safe
    for y in "abc":
        assert not found.request(f"high {y}", {"x": "high", "y": y}).verdict.released
    assert "high a" in found.follow(TABLE)


def test_a_table_that_cannot_be_tested_is_not_followed_and_nothing_changes():
    found = controller("kld,dqt")
    found.request("one", LOW)
    before = found.state
    for table in (
        table_of([[9, 9, 9]], ["low"], ["a", "b", "c"]),
        table_of([[9, 9], [9, 9]], ["low", "high"], ["a", "b"]),
    ):
        with pytest.raises(SchemaError):
            found.follow(table)
    with pytest.raises(ParameterError, match="needs records"):
        found.follow(table_of([[0, 0], [0, 0]]))
    assert found.state is before
    assert list(found.waiting) == ["one"]
    assert found.guard.baseline.version == 1


def test_other_rules_hold_for_what_is_outside_already():
    found = controller()
    found.request("one", LOW)
    lenient = Guard(found.guard.baseline, Rules.of("kld", 0.01))
    assert found.hold_to(lenient) == ("one",)
    assert found.guard.rules.alpha == 0.01


def test_a_guard_that_does_not_know_what_is_outside_is_refused_with_a_sentence():
    found = controller()
    found.request("one", LOW)
    before = found.state
    with pytest.raises(DivulgeError):
        found.hold_to(
            Guard.of(table_of([[5, 3, 2], [2, 8, 2]], ["warm", "cold"], ["a", "b", "c"]), "kld", 0.2)
        )
    assert found.state is before
    assert list(found.waiting) == ["one"]


# -- from a table of records -------------------------------------------------------------------------


def test_records_are_asked_for_by_their_attributes_with_ranges_and_partitions():
    ages = ["17", "18", "25", "34", "61", "70", None, "19"] * 30
    places = ["north", "south", "west"] * 80
    data = dv.read({"age": ages, "place": places, "name": [str(n) for n in range(240)]})
    partitions = {
        "age": Partition.bins([18, 30, 60], attribute="age"),
        "place": Partition.of({"coast": ["west", "south"], "inland": ["north"]}, attribute="place"),
    }
    table = tabulate(data, ["age"], ["place"], partitions)
    assert table.domain.values == (None, "< 18", "[18, 30)", "[30, 60)", "[60, inf)")
    assert table.domain.targets == ("coast", "inland")
    found = Controller(Guard.of(table, "cst", 0.05))
    reasons = {
        age: found.request(f"{age}", {"age": age, "place": "west"}).verdict.reason
        for age in ("29", 44, "99", None, "young")
    }
    assert reasons == {
        "29": Reason.SAFE,
        44: Reason.SAFE,
        "99": Reason.SAFE,
        None: Reason.SAFE,
        "young": Reason.UNKNOWN_VALUE,
    }
    assert found.state.counts.sum(axis=1).tolist() == [1, 0, 1, 1, 1]
    assert found.request("east", {"age": "20", "place": "east"}).verdict.reason is Reason.UNKNOWN_TARGET


def test_dixons_test_holds_more_than_ten_targets_to_simulated_limits():
    found = Controller(Guard.of(table_of(np.full((3, 13), 30)), "dqt", 0.2))
    requests = np.random.default_rng(4).permutation(np.repeat(np.arange(39), 8))
    seen, waited = set(), 0
    for number, cell in enumerate(requests):
        waited += found.request(str(number), Cell(*divmod(int(cell), 13))).verdict.waits
        (exposure,) = found.state.exposures()
        assert exposure.safe
        seen.add(exposure.critical)
    assert waited > 0
    assert max(place for place in range(3, 14) if critical_ratio(place, 0.2) in seen) > 10
