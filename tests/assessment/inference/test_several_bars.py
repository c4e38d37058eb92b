"""Several bars are held against the cells of a table together, and each finds what it finds alone."""

import numpy as np
import pytest

from divulge.assessment.inference.asked.approximate_questions import asked_roughly
from divulge.assessment.inference.asked.sensitive_questions import SensitiveAnswers, asked_values
from divulge.assessment.inference.revealing_groups import Bar, tellings
from divulge.assessment.people.people_table import of_table
from divulge.assessment.people.sample import SampleShare
from divulge.table.codes import Codes

BARS = (Bar(0.9, 0.1), Bar(0.5, 0.25), Bar(0.6, 0.05), Bar(0.9, 0.1))
FOUND = ("owner", "value", "size", "count", "times", "overall", "by_chance", "as_many")


@pytest.mark.parametrize("sample", [SampleShare(), SampleShare(0.2)])
def test_each_of_several_bars_finds_what_it_finds_alone(sample):
    rng, told = np.random.default_rng(5), 0
    cells = rng.integers(0, 40, (300, 61)) * (rng.random((300, 61)) < 0.05)
    cells[:, 0] = 0
    table = of_table(cells.astype(np.int64).ravel(), 61, int(cells.sum()))
    column = Codes(np.zeros(0, np.uint8), range(60))
    answers = SensitiveAnswers(column, table.having)
    for asked in (*asked_values(answers, None, None, "pay"), *asked_roughly(answers)):
        by_value = table if asked.plain else table.regrouped(asked.of_code, asked.values)
        for bar, found in zip(BARS, tellings(by_value, asked, BARS, sample), strict=True):
            [alone] = tellings(by_value, asked, [bar], sample)
            for name in FOUND:
                np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
            assert (found.smallest, found.doubted) == (alone.smallest, alone.doubted)
            told += len(found.owner)
    assert told > 500
