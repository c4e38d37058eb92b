"""Small tables with roles, for tests of the assessment."""

import divulge as dv
from divulge.assessment.scope import Scope

#: Eight people: zip and age single out together, neither alone; nurse stands once.
PEOPLE = {
    "zip": ["1", "1", "1", "1", "2", "2", "2", "2"],
    "age": ["20", "20", "30", "40", "20", "30", "40", "40"],
    "job": ["cook", "cook", "cook", "cook", "cook", "cook", "cook", "nurse"],
    "ill": ["flu", "flu", "flu", "cold", "cold", "cold", "flu", "cold"],
}
KEYS = ("zip", "age", "job")


def scope(table=None, *, keys=KEYS, sensitive=("ill",), partitions=None, **reading):
    data = dv.read(PEOPLE if table is None else table, quasi_identifiers=keys, sensitive=sensitive, **reading)
    return Scope(data, partitions or {})


def town(rare=9):
    """Ages and postcodes that are too fine together, and a few people who stay apart at any age."""
    n = 2000
    return {
        "age": [20 + i * 7 % 50 for i in range(n)] + [30] * rare,
        "zip": [f"1{i * 37 // 11 % 3}{i * 13 // 7 % 10}" for i in range(n)] + ["999"] * rare,
        "ill": [("flu", "cold")[i // 3 % 2] for i in range(n + rare)],
    }
