"""The loop that counts classes by targets: every width of codes, and codes that are refused."""

import numpy as np
import pytest

from divulge._compiled import library
from divulge._compiled.counting import histogram

pytestmark = pytest.mark.skipif(not library.built(), reason="there are no compiled loops")
RECORDS = 300_001  # more than cells of two bytes hold


def counted(classes, targets, bound, width):
    table = np.zeros(bound * width, np.uint32)
    histogram(classes, targets, width, table)
    return table


@pytest.mark.parametrize("bound", [2, 60, 200])
@pytest.mark.parametrize("kinds", [("u1", "u1"), ("u2", "u1"), ("u1", "u4"), ("i8", "i2")])
def test_every_record_is_counted_once(bound, kinds):
    rng = np.random.default_rng(bound)
    classes, targets = (
        rng.integers(0, most, RECORDS).astype(kind) for most, kind in zip((bound, 40), kinds, strict=True)
    )
    classes[: RECORDS - 7] = bound - 1  # one cell has nearly all
    expected = np.bincount(classes.astype(np.int64) * 40 + targets, minlength=bound * 40)
    assert (counted(classes, targets, bound, 40) == expected).all()


def test_codes_alone_are_counted():
    codes = np.arange(1000, dtype=np.uint8)
    assert counted(codes, None, 256, 1).tolist() == [4] * 232 + [3] * 24


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8", "i1", "i8"])
@pytest.mark.parametrize("records", [50, 100_000])
def test_a_code_beyond_its_bound_is_refused_wherever_it_is(kind, records):
    classes, targets = np.zeros(records, kind), np.zeros(records, kind)
    for codes in (classes, targets):
        codes[-1] = 5
        with pytest.raises(ValueError, match="not all below"):
            counted(classes, targets, 5, 5)
        codes[-1] = 4
        assert counted(classes, targets, 5, 5).sum() == records
    classes[0] = 5
    with pytest.raises(ValueError, match="not all below"):
        counted(classes, None, 5, 1)


def test_a_negative_code_is_refused():
    with pytest.raises(ValueError, match="not all below"):
        counted(np.array([-1], np.int8), None, 5, 1)
