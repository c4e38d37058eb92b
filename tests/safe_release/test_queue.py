"""Tickets that wait, in the order in which they came."""

import numpy as np
import pytest

from divulge._compiled.release import NEVER
from divulge.errors import ParameterError
from divulge.safe_release import Cell, Domain
from divulge.safe_release.queue import Queue

DOMAIN = Domain(("x",), ("y",), ("a", "b"), ("u", "v", "w"))
HERE, THERE = Cell(0, 1), Cell(1, 2)


def queue(*tickets):
    found = Queue(DOMAIN)
    for ticket, cell in tickets:
        found.join(ticket, cell)
    return found


def test_those_who_wait_are_told_in_the_order_in_which_they_came():
    waiting = queue(("c", HERE), ("a", THERE), ("b", HERE))
    assert list(waiting) == ["c", "a", "b"]
    assert len(waiting) == 3
    assert "a" in waiting
    assert "z" not in waiting
    assert waiting.cell("a") == THERE


def test_the_head_of_a_cell_is_its_first_arrival():
    waiting = queue(("c", HERE), ("a", THERE), ("b", HERE))
    assert waiting.heads.tolist() == [[NEVER, 0, NEVER], [NEVER, NEVER, 1]]
    assert waiting.leave(HERE) == "c"
    assert waiting.heads.tolist() == [[NEVER, 2, NEVER], [NEVER, NEVER, 1]]
    assert waiting.leave(HERE) == "b"
    assert waiting.heads.tolist() == [[NEVER, NEVER, NEVER], [NEVER, NEVER, 1]]
    assert list(waiting) == ["a"]


def test_a_withdrawn_ticket_leaves_the_others_in_their_order():
    waiting = queue(("c", HERE), ("a", THERE), ("b", HERE), ("d", HERE))
    assert waiting.withdraw("b") == HERE
    assert list(waiting) == ["c", "a", "d"]
    assert waiting.withdraw("c") == HERE
    assert waiting.heads[HERE] == 3
    assert waiting.withdraw("d") == HERE
    assert waiting.heads[HERE] == NEVER
    assert [waiting.leave(THERE), len(waiting)] == ["a", 0]


def test_a_ticket_that_comes_back_waits_behind_all_others():
    waiting = queue(("c", HERE), ("a", HERE))
    waiting.withdraw("c")
    waiting.join("c", HERE)
    assert list(waiting) == ["a", "c"]


def test_a_ticket_that_does_not_wait_cannot_be_withdrawn():
    waiting = queue(("c", HERE))
    for ticket in ("z", "c"):
        if ticket == "c":
            waiting.leave(HERE)
        with pytest.raises(ParameterError, match=f"No ticket '{ticket}' is waiting"):
            waiting.withdraw(ticket)


def test_a_ticket_waits_once():
    waiting = queue(("c", HERE))
    with pytest.raises(ParameterError, match="is already waiting"):
        waiting.join("c", THERE)
    assert list(waiting) == ["c"]
    assert waiting.heads[THERE] == NEVER


def test_a_queue_moves_to_a_larger_domain_in_the_same_order():
    waiting = queue(("c", HERE), ("a", THERE), ("b", HERE))
    waiting.withdraw("c")
    larger = Domain(("x",), ("y",), ("new", "b", "a"), ("w", "u", "v"))
    moved = waiting.moved(larger)
    assert list(moved) == ["a", "b"]
    assert (moved.cell("a"), moved.cell("b")) == (Cell(1, 0), Cell(2, 2))
    assert moved.heads[1, 0] < moved.heads[2, 2] < NEVER
    assert np.count_nonzero(moved.heads < NEVER) == 2
    assert list(waiting) == ["a", "b"]
