"""Columns as numbers, and back in the kind they were."""

from decimal import Decimal

import numpy as np
import pytest

from divulge.errors import RecipeError
from divulge.mechanisms.numbers import decimals, number_column, record_numbers
from divulge.recipes.recipe import Recipe
from divulge.table.codes import Codes


@pytest.mark.parametrize(
    ("values", "numbers", "places", "expected"),
    [
        (["1", "2"], [1.4, 2.6], None, ["1", "3"]),
        (["1.50", "2.25"], [1.4, 2.625], None, ["1.40", "2.62"]),
        (["1", "2"], [1.0, 2.3333333], 2, ["1", "2.33"]),
        ([1, 2], [1.4, 2.6], None, [1, 3]),
        ([1, 2], [1.25, 2.0], 2, [1.25, 2.0]),
        ([1.5, 2.0], [1.44, np.nan], None, [1.4, None]),
        ([Decimal("1.10")], [2.345], None, [Decimal("2.35")]),
        (["0.1"], [-0.04], None, ["0.0"]),
    ],
)
def test_numbers_come_back_in_the_kind_they_were(values, numbers, places, expected):
    found = number_column(np.asarray(numbers), Codes.of(values), places).values_of()
    assert found == expected
    assert [type(one) for one in found] == [type(one) for one in expected]


def test_decimals_are_counted_as_written():
    assert [decimals([one]) for one in ("1", "1.50", 2.5, 1e-3, "x", None)] == [0, 2, 1, 3, 0, 0]


def test_what_is_no_number_is_counted_and_not_quoted():
    [step] = Recipe.of([{"mechanism": "rounding", "attributes": ["age"], "base": 5}]).steps
    with pytest.raises(RecipeError, match="some values that are not numbers") as raised:
        record_numbers(Codes.of(["31", "SECRET"]), "age", step)
    assert "SECRET" not in str(raised.value)
