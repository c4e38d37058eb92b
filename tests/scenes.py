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
