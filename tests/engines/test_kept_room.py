"""Large arrays take room that others have left while that is asked for, and only then."""

import numpy as np
import pytest
from numpy._core.multiarray import get_handler_name

from divulge._compiled import library
from divulge._support.threads import ahead
from divulge.engines.memory.kept_room import kept_room

pytestmark = pytest.mark.skipif(not library.built(), reason="needs the compiled loops")
LARGE = 1 << 19  # numbers of eight bytes


def left_room():
    """Where a large array was that is there no more."""
    return np.ones(LARGE).ctypes.data


def test_room_is_used_again_and_cleared_where_it_has_to_be():
    with kept_room():
        place = left_room()
        again = np.zeros(LARGE)
        assert again.ctypes.data == place
        assert not again.any()


def test_room_of_another_size_is_not_taken():
    with kept_room():
        place = left_room()
        assert np.empty(2 * LARGE).ctypes.data != place


def test_small_arrays_are_made_as_ever_and_others_too_once_it_is_over():
    with kept_room():
        assert get_handler_name(np.ones(LARGE)) == "rooms of divulge"
        inside = np.arange(LARGE)
    assert get_handler_name(np.ones(LARGE)) == "default_allocator"
    assert inside[-1] == LARGE - 1


def test_it_holds_in_threads_that_do_a_part_of_it():
    with kept_room():
        made = list(ahead(lambda _: get_handler_name(np.ones(LARGE)), range(3)))
    assert made == ["rooms of divulge"] * 3


def test_one_inside_another_changes_nothing():
    with kept_room():
        place = left_room()
        with kept_room():
            pass
        assert np.empty(LARGE).ctypes.data == place


def test_without_loops_nothing_is_kept(monkeypatch):
    monkeypatch.setattr(library, "built", lambda: False)
    with kept_room():
        assert get_handler_name(np.ones(LARGE)) == "default_allocator"


def test_more_arrays_than_are_kept_come_and_go():
    with kept_room():
        for many in (140, 3):
            held = [np.empty(LARGE) for _ in range(many)]
            for number, one in enumerate(held):
                one[0] = one[-1] = number
            assert [(one[0], one[-1]) for one in held] == [(number, number) for number in range(many)]
