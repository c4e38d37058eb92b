"""A table of people in a database or on Spark, and how releases are compared wherever they were made."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import divulge as dv

ROLES = {"identifiers": "name", "quasi_identifiers": ["age", "zip", "sex"], "sensitive": "ill"}


def people(records=300):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "name": [f"person {n}" for n in range(records)],
            "age": rng.integers(20, 70, records),
            "zip": [["8001", "8002", "9000", None][n] for n in rng.integers(0, 4, records)],
            "sex": rng.choice(["f", "m"], records),
            "ill": rng.choice(["flu", "cold", "gout"], records, p=[0.7, 0.2, 0.1]),
            "seen": rng.integers(0, 3, records),
        }
    )


@pytest.fixture
def stored(request):
    """The table where an engine counts it, and what reads a release that was written there."""
    if request.param == "spark":
        import pyarrow as pa

        session = request.getfixturevalue("spark")
        frame = session.createDataFrame(pa.Table.from_pandas(people(), preserve_index=False))
        return dv.read(frame, **ROLES), lambda found: found.table.toArrow().to_pandas()
    made = request.getfixturevalue("empty_database")(request.param)
    people().to_sql("people", made, index=False)

    def written(found):
        found.save("#released")
        return pd.read_sql_table("released", made)

    return dv.read(made, table="people", **ROLES), written


def rows_of(frame):
    """How often each row stands, whatever the order of rows and the types of columns."""
    columns = [["" if pd.isna(one) else str(one) for one in frame[name]] for name in sorted(frame.columns)]
    return Counter(zip(*columns, strict=True))
