"""Large arrays are made side by side, and are arrays like others."""

import mmap

import numpy as np
import pytest

from divulge.source.frames.large_pages import LEAST, side_by_side


@pytest.mark.parametrize("length", [0, 3, LEAST // 2, LEAST])
def test_an_array_holds_what_is_written_to_it(length):
    found = side_by_side(length, np.uint16)
    assert (found.dtype, found.shape) == (np.uint16, (length,))
    found[:] = np.arange(length) % 1000
    assert (found == np.arange(length) % 1000).all()


def test_where_there_are_no_large_pages_numpy_makes_the_array(monkeypatch):
    def none(*arguments, **named):
        raise OSError

    monkeypatch.setattr(mmap, "mmap", none)
    assert side_by_side(LEAST, np.uint8).base is None


def test_arrays_outlive_each_other():
    first, second = side_by_side(LEAST, np.uint8), side_by_side(LEAST, np.uint8)
    second[:] = 7
    del first
    assert (second == 7).all()
