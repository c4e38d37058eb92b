"""Array modules that the engine for graphics cards is tested with: NumPy everywhere, CuPy where a card is."""

import functools
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np
import pytest

from divulge.engines.gpu import arrays, cells, counting, opening
from divulge.errors import DivulgeError


@functools.cache
def found():
    """CuPy with a card, or None."""
    try:
        return arrays.card_arrays()
    except DivulgeError:
        return None


def module(name):
    """An array module by its name; the test is left out where there is no card for it."""
    if name == "numpy":
        return np
    if found() is None:
        pytest.skip("there is no graphics card here")
    return found()


@contextmanager
def counted_by(xp):
    """Everything that is opened for a card is counted by a module, alike classes held once."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(opening, "card_arrays", lambda: xp))
        stack.enter_context(patch.object(counting, "ALIKE_PAY", 0))
        stack.enter_context(patch.object(cells, "KINDS_PAY", 0))
        yield
