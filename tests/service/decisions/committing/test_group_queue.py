"""Pieces of work of several threads, done together in the order in which they came."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from divulge.errors import Conflict, Unavailable
from divulge.service.decisions.committing import group_queue
from divulge.service.decisions.committing.group_queue import MOST, GroupQueue, Piece


class Line:
    """A queue whose first group is held up until so many others wait, with all groups as they were done."""

    def __init__(self, fails=lambda piece: None, patience=5.0):
        self.groups, self.fails = [], fails
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.queue = GroupQueue(self.carry_out, patience)

    def carry_out(self, group):
        if not self.begun.is_set():
            self.begun.set()
            self.go_on.wait(5)
        while group.joined():
            pass
        self.groups.append([one.work for one in group.pieces])
        for one in group.pieces:
            one.answer = f"done {one.work}"
        self.fails(group)

    def run(self, *pieces):
        """The first piece, and the others in this order while it is under way; what came of each."""
        first, *others = pieces
        with ThreadPoolExecutor(len(pieces)) as pool:
            found = [pool.submit(self.queue.done, first)]
            self.begun.wait(5)
            for number, one in enumerate(others, 1):
                found.append(pool.submit(self.queue.done, one))
                while len(self.queue._line) < number:
                    time.sleep(0.0005)
            self.go_on.set()
        return found


def shared(name, size=1):
    return Piece(name, size, shared=True)


def test_those_who_come_meanwhile_are_done_together_and_in_order():
    line = Line()
    found = line.run(Piece("first"), *map(shared, "abcdefg"))
    assert line.groups == [["first"], list("abcdefg")]
    assert [one.result() for one in found] == ["done first", *(f"done {name}" for name in "abcdefg")]


def test_who_comes_before_a_group_is_written_joins_it():
    line = Line()
    line.run(shared("first"), shared("a"), shared("b"))
    assert line.groups == [["first", "a", "b"]]


def test_what_is_not_shared_is_done_by_itself_and_passed_by_nobody():
    line = Line()
    line.run(Piece("first"), shared("a"), Piece("alone"), shared("b"), shared("c"))
    assert line.groups == [["first"], ["a"], ["alone"], ["b", "c"]]


def test_a_large_piece_lets_small_ones_pass_until_it_is_the_first():
    line = Line()
    line.run(Piece("first"), shared("slice 1", MOST - 8), shared("slice 2", MOST - 8), *map(shared, "ab"))
    assert line.groups == [["first"], ["slice 1", "a", "b"], ["slice 2"]]


def batch(*sizes):
    """The first piece of a batch, from which the others follow."""
    left = iter(enumerate(sizes))

    def following():
        number, size = next(left, (0, 0))
        return Piece(f"slice {number}", size, shared=True, following=following) if size else None

    return following()


def test_a_batch_goes_on_while_nobody_waits_and_no_longer_than_allowed():
    line = Line()
    line.go_on.set()
    line.queue.done(batch(*[50] * 9))
    assert line.groups == [[f"slice {number}" for number in range(5)]]
    line = Line()
    line.run(batch(50, 50, 50), shared("a"), shared("b", 16))
    assert line.groups == [["slice 0", "a"], ["b"]]  # then the batch lines up again


def test_a_group_that_fails_fails_for_all_in_it_and_for_nobody_else():
    def fails(group):
        if len(group.pieces) > 1:
            raise Conflict("no")

    line = Line(fails)
    found = line.run(Piece("first"), shared("a"), shared("b"), Piece("last"))
    assert [type(one.exception()) for one in found] == [type(None), Conflict, Conflict, type(None)]


def test_who_waits_too_long_is_told_so_and_not_done():
    line = Line(patience=0.02)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(line.queue.done, Piece("first"))
        line.begun.wait(5)
        with pytest.raises(Unavailable, match="Too many requests are waiting"):
            line.queue.done(shared("late"))
        line.go_on.set()
    assert first.result() == "done first"
    assert line.groups == [["first"]]
    assert line.queue.done(shared("next")) == "done next"


def rounds(queue, threads, number):
    """Threads that each have something done again as soon as it is done."""
    with ThreadPoolExecutor(threads) as pool:
        for one in [pool.submit(asking, queue, name, number) for name in range(threads)]:
            one.result()


def asking(queue, name, number):
    for _ in range(number):
        queue.done(shared(name))


def test_those_who_were_answered_together_are_waited_for(monkeypatch):
    monkeypatch.setattr(group_queue, "PATIENCE", 1.0)
    monkeypatch.setattr(group_queue, "GATHERING", 100.0)
    groups = []

    def carry_out(group):
        time.sleep(0.01)
        groups.append(sorted(one.work for one in group.pieces))

    rounds(GroupQueue(carry_out, 5), 4, 6)
    assert sum(map(len, groups)) == 24
    assert groups[2:5] == [[0, 1, 2, 3]] * 3  # and not one alone, then all others


def test_nobody_is_waited_for_in_vain_for_long(monkeypatch):
    waits = []
    queue = GroupQueue(lambda group: time.sleep(0.01), 5)
    rounds(queue, 3, 2)
    began = time.monotonic()
    for _ in range(4):
        queue.done(shared("alone"))
        waits.append(time.monotonic() - began - sum(waits))
    assert queue._recent == 1
    assert max(waits) < 0.01 + group_queue.PATIENCE + 0.2
    monkeypatch.setattr(group_queue, "PATIENCE", 60.0)
    monkeypatch.setattr(group_queue, "GATHERING", 6000.0)
    queue.done(shared("alone"))  # it was alone before, so for nobody
    queue._recent = 5
    queue.done(Piece("by itself"))
    queue._recent = 5
    queue.done(shared("a batch", 50))
    assert time.monotonic() - began < 30
