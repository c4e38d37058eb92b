"""The expected information of large tables, held to a sum in forty digits."""

from decimal import Decimal, getcontext

import numpy as np
import pytest

from divulge.counting.counts import JointCounts
from divulge.readings.null_mean import expected_mutual_information

getcontext().prec = 40


def summed(a, b, records):
    """E[n ln(n N / (a b))] of a hypergeometric count, by ratios of neighbours from its likeliest value on."""
    middle = a * b // records
    mass, found = Decimal(0), Decimal(0)
    for way in (1, -1):
        n, p = middle, Decimal(1)
        while p > Decimal("1e-36") and 0 < n < min(a, b):
            if way == 1 or n != middle:
                mass += p
                found += p * n * (Decimal(n * records) / (a * b)).ln()
            if way == 1:
                p *= Decimal((a - n) * (b - n)) / ((n + 1) * (records - a - b + n + 1))
            else:
                p *= Decimal(n * (records - a - b + n)) / ((a - n + 1) * (b - n + 1))
            n += way
    return found / mass


@pytest.mark.parametrize("table", [[[2000, 1200], [900, 1500]], [[9000, 500], [7000, 600]]])
def test_the_mean_is_exact_where_counts_are_taken_in_steps(table):
    counts = JointCounts.of_table(np.array(table))
    rows, columns = (np.array(table).sum(axis=axis).tolist() for axis in (1, 0))
    records = sum(rows)
    exact = sum(summed(a, b, records) for a in rows for b in columns) / records / Decimal(2).ln()
    assert expected_mutual_information(counts) == pytest.approx(float(exact), rel=1e-12)
