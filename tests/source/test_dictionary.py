"""Which Python values are the same value."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from divulge.errors import SourceError
from divulge.source.dictionary import Dictionary, encode_objects


def test_one_and_one_point_zero_are_equal_and_the_text_and_the_truth_are_not():
    codes = encode_objects("x", [1, 1.0, "1", True, np.int64(1), np.True_, Decimal(1)])
    assert codes.codes.tolist() == [1, 1, 2, 3, 1, 3, 1]
    assert codes.values == [1, "1", True]


def test_all_ways_to_be_missing_are_one():
    values = [
        None,
        float("nan"),
        np.nan,
        np.float32("nan"),
        pd.NaT,
        pd.NA,
        np.datetime64("NaT"),
        Decimal("nan"),
    ]
    assert encode_objects("x", values).codes.tolist() == [0] * len(values)


def test_words_for_missing_are_text():
    assert encode_objects("x", ["nan", "NA", "?", ""]).codes.tolist() == [1, 2, 3, 4]


def test_negative_zero_is_zero():
    assert str(encode_objects("x", [-0.0, 0.0]).values) == "[0.0]"


def test_a_dictionary_remembers_across_blocks_and_widens_when_it_must():
    dictionary = Dictionary("x")
    parts = [dictionary.codes(list(range(200))), dictionary.codes([None, *range(100, 300)])]
    codes = dictionary.gather(parts)
    assert codes.codes.dtype == np.uint16
    assert codes.codes.tolist() == [*range(1, 201), 0, *range(101, 301)]


@pytest.mark.parametrize("value", [[1], {"a": 1}, {1}, np.array([1]), (1, [2])])
def test_lists_are_no_values_and_the_error_names_the_attribute(value):
    with pytest.raises(SourceError, match="'visits' holds lists or other compound values"):
        encode_objects("visits", ["a", value])
