"""Draws by an attribute of the records: the same whatever their order."""

import hashlib

import numpy as np
import pytest

from divulge.errors import RecipeError
from divulge.mechanisms import draws
from divulge.mechanisms.draws import Draws, digested
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy.place import PolicyPlace
from divulge.table.codes import Codes

TEXTS = np.array(["", "7", "ann", "Tromsø", *("x" * n for n in range(15, 200))], object)


def test_a_draw_of_a_text_is_the_beginning_of_its_digest():
    key = Draws(1, 2).key("age")
    # Texts of every length around the blocks of 64 bytes that MD5 takes.
    for text, found in zip(TEXTS, Draws(1, 2).uniforms("age", TEXTS), strict=True):
        assert found == int(hashlib.md5(f"{key}:{text}".encode()).hexdigest()[:13], 16) / 2**52


def test_texts_draw_the_same_without_compiled_loops():
    pairs = Draws(1, 2).pairs("age", TEXTS)
    assert np.array_equal(pairs, digested(Draws(1, 2).key("age"), TEXTS))
    numbers = np.array([0, 7, 10**18, 2**63 - 1, *range(5, 25)])  # several at a time, and what is left
    assert np.array_equal(Draws(1, 2).pairs("age", numbers), digested(Draws(1, 2).key("age"), numbers))


def test_a_number_draws_the_same_as_its_text():
    assert (
        Draws(1, 2).uniforms("a", np.array([7]))[0] == Draws(1, 2).uniforms("a", np.array(["7"], object))[0]
    )


def test_many_texts_are_drawn_by_threads(monkeypatch):
    one = Draws(1, 2).uniforms("age", TEXTS)
    monkeypatch.setattr(draws, "MANY", 10)
    monkeypatch.setattr(draws, "cores", lambda: 3)
    assert np.array_equal(Draws(1, 2).uniforms("age", TEXTS), one)


def place():
    return PolicyPlace("recipe.toml", path=("row_key",), refused=RecipeError)


def test_keys_go_with_their_records():
    table = WorkingTable.of({"id": Codes.of([7, 8, 9])}).drawing_by("id", place())
    assert table.taking(np.array([2, 0])).draw_rows.tolist() == ["9", "7"]


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([1, 1], "'id' does not give each record a text or a whole number of its own"),
        ([1, None], "'id' does not give each record"),
        ([1.5, 2], "'id' does not give each record"),
        (None, "the table has no attribute 'id'"),
    ],
)
def test_a_key_that_does_not_part_records_is_refused(ids, said):
    table = WorkingTable.of({"other" if ids is None else "id": Codes.of(ids or [1])})
    with pytest.raises(RecipeError, match=said):
        table.drawing_by("id", place())
