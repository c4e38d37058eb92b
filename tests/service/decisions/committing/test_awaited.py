"""Pieces that no thread waits for are done in the same line as all others."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from divulge.errors import Unavailable
from divulge.service.decisions.committing.awaited import Awaited
from divulge.service.decisions.committing.group_queue import GroupQueue, Piece
from service.decisions.committing.test_group_queue import Line


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as made:
        yield made


def entered(queue, pool, name):
    """A piece in the line, and what will come of it."""
    found = Future()
    piece = Awaited(name, queue, pool, found.set_result)
    piece.enter()
    return piece, found


def outcome(found):
    return found.result(5).outcome()


def test_one_that_comes_first_is_led_for_and_others_lead_for_those_behind_it(pool):
    line = Line()
    pieces = [entered(line.queue, pool, "first")]
    line.begun.wait(5)
    with ThreadPoolExecutor(1) as waiting:
        alone = waiting.submit(line.queue.done, Piece("alone"))
        while not line.queue._line:
            pass
        pieces += [entered(line.queue, pool, name) for name in "ab"]
        line.go_on.set()
        assert alone.result(5) == "done alone"
    assert [outcome(found) for _, found in pieces] == ["done first", "done a", "done b"]
    assert line.groups == [["first"], ["alone"], ["a", "b"]]


def test_each_is_told_of_its_own_error_once_and_the_line_goes_on(pool):
    def carry_out(group):
        for one in group.pieces:
            one.error = Unavailable("no") if one.work == "bad" else None
            one.answer = one.work

    queue = GroupQueue(carry_out, 5)
    found = [entered(queue, pool, name)[1] for name in ("good", "bad", "good")]
    with pytest.raises(Unavailable):
        outcome(found[1])  # a second word would be an error of the future
    assert [outcome(found[0]), outcome(found[2])] == ["good", "good"]
    assert queue.done(Piece("next")) == "next"


def test_one_that_gives_up_is_not_done_and_one_under_way_does_not_give_up(pool):
    line = Line()
    first, of_first = entered(line.queue, pool, "first")
    line.begun.wait(5)
    barred, of_barred = threading.Event(), []
    alone = threading.Thread(target=lambda: of_barred.append(line.queue.done(Piece("alone"))) or barred.set())
    alone.start()
    while not line.queue._line:
        pass
    late, of_late = entered(line.queue, pool, "late")
    late.give_up()
    first.give_up()
    with pytest.raises(Unavailable, match="Too many requests are waiting"):
        outcome(of_late)
    line.go_on.set()
    assert outcome(of_first) == "done first"
    alone.join(5)
    assert of_barred == ["done alone"]
    assert line.groups == [["first"], ["alone"]]
