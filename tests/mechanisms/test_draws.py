"""Draws depend on seed, step, purpose and row alone, and look random."""

import hashlib

import numpy as np
import pytest

from divulge.mechanisms.draws import Draws, digested, new_seed

ROWS = np.arange(50_000)


def test_a_draw_can_be_had_by_hand():
    """As SQL has it: thirteen hexadecimal digits of the MD5 of key and row."""
    draws = Draws(7, 2)
    key = hashlib.sha256(b"7\x1f2\x1fage").hexdigest()[:32]
    assert draws.key("age") == key
    digits = hashlib.md5(f"{key}:123".encode(), usedforsecurity=False).hexdigest()
    assert draws.uniforms("age", np.array([123]))[0] == int(digits[:13], 16) / 2**52


def test_loops_and_python_draw_the_same():
    draws = Draws(1, 1)
    rows = np.array([0, 9, 10, 12345, 2**62])
    first, second = digested(draws.key("x"), rows)
    assert np.array_equal(draws.uniforms("x", rows), first)
    normals = np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second)
    assert np.array_equal(draws.normals("x", rows), normals)


def test_a_row_draws_the_same_among_any_others():
    draws = Draws(3, 1)
    some = ROWS[::7][::-1].copy()
    assert np.array_equal(draws.uniforms("x", some), draws.uniforms("x", ROWS)[::7][::-1])


@pytest.mark.parametrize("other", [Draws(2, 1), Draws(1, 2)])
def test_seeds_steps_and_purposes_are_streams_of_their_own(other):
    base = Draws(1, 1).uniforms("x", ROWS)
    for drawn in (other.uniforms("x", ROWS), Draws(1, 1).uniforms("y", ROWS)):
        assert abs(np.corrcoef(base, drawn)[0, 1]) < 4 / np.sqrt(len(ROWS))


def test_draws_are_even_and_normals_are_normal():
    draws = Draws(5, 1)
    bins = np.bincount((draws.uniforms("x", ROWS) * 20).astype(int), minlength=20)
    expected = len(ROWS) / 20
    assert ((bins - expected) ** 2 / expected).sum() < 43.8  # chi-square, 19 degrees: 1 in 1,000
    normals = draws.normals("x", ROWS)
    assert abs(normals.mean()) < 4 / np.sqrt(len(ROWS))
    assert abs(normals.std() - 1) < 4 / np.sqrt(2 * len(ROWS))
    assert abs((np.abs(normals) < 1.959964).mean() - 0.95) < 0.004


def test_seeds_that_nobody_gave_differ():
    assert len({new_seed() for _ in range(20)}) == 20
