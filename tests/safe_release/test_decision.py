"""May this record leave? A verdict, its reason, and what it would have made of what is outside."""

import numpy as np
import pytest

from divulge._compiled.release import NEVER
from divulge.errors import UnknownAttribute
from divulge.safe_release import (
    TESTS,
    Baseline,
    Cell,
    Guard,
    Reason,
    Rules,
    State,
    decide,
    next_to_leave,
    table_of,
)
from divulge.safe_release.decision import SENTENCES

TABLE = table_of([[50, 50, 50], [50, 50, 50], [0, 0, 0]], ["low", "high", "never"], ["a", "b", "c"])
EVEN = [[20, 20, 20], [20, 20, 20], [0, 0, 0]]
LEANING = [[31, 20, 20], [22, 20, 20], [0, 0, 0]]  # one more low of a is too many for kld and cst


def state(counts=EVEN, tests="kld", alpha=0.2):
    return State.of(Guard.of(TABLE, tests, alpha), np.array(counts))


@pytest.mark.parametrize("tests", [*TESTS, "mis,kld,cst,dqt"])
def test_a_record_that_keeps_the_set_safe_leaves(tests):
    verdict = decide(state(tests=tests), {"x": "low", "y": "a"})
    assert verdict.released
    assert not verdict.waits
    assert verdict.reason is Reason.SAFE
    assert verdict.cell == Cell(0, 0)
    assert verdict.following.counts[0, 0] == 21
    assert repr(verdict) == "Verdict(released: safe)"


@pytest.mark.parametrize("tests", ["kld", "cst", "mis,cst"])
def test_a_record_that_would_make_a_target_peculiar_waits(tests):
    before = state(LEANING, tests)
    verdict = decide(before, Cell(0, 0))
    assert before.safe
    assert not verdict.released
    assert verdict.waits
    assert verdict.reason is Reason.PECULIAR
    assert verdict.following is before
    assert repr(verdict) == "Verdict(waits: peculiar)"
    assert decide(before, Cell(1, 0)).released


def test_a_verdict_tells_what_the_tests_would_have_read():
    verdict = decide(state(LEANING, "kld,cst"), Cell(0, 0))
    assert [(one.test, one.target, one.safe) for one in verdict.exposures] == [
        ("kld", "a", False),
        ("cst", "a", False),
    ]
    assert verdict.exposures[1].value == pytest.approx(100 / 54)
    assert verdict.state.counts[0, 0] == 31


@pytest.mark.parametrize("value", ["never", "unheard of", None, 7])
@pytest.mark.parametrize("tests", TESTS)
def test_a_value_outside_the_baseline_is_refused_and_does_not_wait(tests, value):
    verdict = decide(state(tests=tests), {"x": value, "y": "a"})
    assert (verdict.released, verdict.waits, verdict.reason) == (False, False, Reason.UNKNOWN_VALUE)
    assert verdict.exposures == ()
    assert verdict.following is verdict.state
    assert repr(verdict) == "Verdict(refused: unknown value)"


@pytest.mark.parametrize("target", ["unheard of", None, 0])
@pytest.mark.parametrize("tests", TESTS)
def test_a_target_never_seen_in_the_baseline_is_refused_and_does_not_wait(tests, target):
    verdict = decide(state(tests=tests), {"x": "low", "y": target})
    assert (verdict.released, verdict.waits, verdict.reason) == (False, False, Reason.UNKNOWN_TARGET)
    assert verdict.exposures == ()
    assert verdict.following is verdict.state


def test_a_target_that_the_baseline_knows_by_name_only_is_refused():
    table = table_of([[50, 50, 0], [50, 50, 0]])
    verdict = decide(State.start(Guard.of(table, "cst", 0.2)), Cell(0, 2))
    assert (verdict.released, verdict.reason) == (False, Reason.UNKNOWN_TARGET)


@pytest.mark.parametrize("cell", [Cell(-1, 0), Cell(0, -1), Cell(-1, -1)])
def test_a_cell_that_is_nowhere_is_refused(cell):
    assert not decide(state(), cell).released
    assert decide(state(), cell).exposures == ()


@pytest.mark.parametrize("cell", [Cell(-2, 0), Cell(0, -2), Cell(3, 0), Cell(0, 3)])
def test_a_cell_beyond_the_domain_is_not_taken_for_another(cell):
    try:
        released = decide(state(), cell).released
    except Exception:  # to refuse it loudly is as good
        return
    assert not released


@pytest.mark.parametrize("record", [{}, {"x": "low"}, {"y": "a"}, {"X": "low", "y": "a"}])
def test_a_record_without_x_or_y_is_refused_with_a_sentence(record):
    with pytest.raises(UnknownAttribute, match="in the record"):
        decide(state(), record)


def test_every_reason_has_a_sentence_without_values():
    assert set(SENTENCES) == set(Reason)
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())
    verdict = decide(state(), {"x": "secret", "y": "a"})
    assert verdict.sentence == SENTENCES[Reason.UNKNOWN_VALUE]
    assert "secret" not in verdict.sentence + repr(verdict)


def test_the_first_of_those_waiting_that_may_leave():
    heads = np.full((3, 3), NEVER)
    assert next_to_leave(state(LEANING), heads) is None
    heads[0, 0] = 0
    assert next_to_leave(state(LEANING), heads) is None
    heads[1, 2], heads[0, 1] = 8, 4
    assert next_to_leave(state(LEANING), heads) == Cell(0, 1)
    heads[0, 1] = 9
    assert next_to_leave(state(LEANING), heads) == Cell(1, 2)


def test_of_those_waiting_none_leaves_whose_value_or_target_is_expected_no_longer():
    before = state([[20, 20, 20], [20, 20, 20], [0, 0, 0]])
    later = table_of([[50, 50], [50, 50]], ["low", "never"], ["a", "b"])
    guard = Guard(Baseline.of(TABLE).following(later), Rules.of("cst", 0.2))
    after = State.of(guard, np.zeros(guard.domain.shape, int))
    assert guard.domain.values == ("low", "never", "high")
    assert guard.domain.targets == ("a", "b", "c")
    heads = np.full((3, 3), NEVER)
    heads[2, 0], heads[0, 2] = 0, 1  # high of a, low of c
    assert next_to_leave(after, heads) is None
    heads[1, 1] = 2
    assert next_to_leave(after, heads) == Cell(1, 1)
    assert decide(after, {"x": "high", "y": "a"}).reason is Reason.UNKNOWN_VALUE
    assert decide(after, {"x": "low", "y": "c"}).reason is Reason.UNKNOWN_TARGET
    assert decide(before, {"x": "high", "y": "c"}).released
