"""One law for every class statistic: wherever classes are counted, it is what NumPy makes of them."""

import sqlite3
from contextlib import ExitStack
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.counting import statistics, statistics_sql
from divulge.counting.counts import JointCounts
from divulge.counting.statistics import STATISTICS, with_sql
from divulge.engines.lattice.search import search
from divulge.engines.out_of_core import opening
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.engines.spark.table import SparkTable
from divulge.errors import Undefined
from divulge.measures import get
from divulge.table.codes import Codes

pytest_plugins = ["spark_session"]

KEYS = ["a", "b"]
#: What is 0 where all records are one group.
NOTHING = [
    *("mutual_information", "conditional_privacy", "discrimination_rate", "itpr"),
    *("maximum_information_leakage", "entropy_drop", "normalized_entropy_drop"),
    *("t_closeness", "kl_closeness", "delta_disclosure", "beta_likeness"),
]
LEAVES = [(1, "low", "all"), (2, "low", "all"), (3, "high", "all"), (9, "high", "all")]
TREE = dv.Hierarchy.of(LEAVES, attribute="x")


def named(statistic):
    return f"{statistic.name} {statistic.parameter or ''}".strip()


EVERY = pytest.mark.parametrize("statistic", STATISTICS, ids=named)


def drawn(seed, records=90):
    """Classes of one record and of many, with all target values, with some and with one."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, records), rng.integers(0, 4, records)
    x = np.array([1, 2, 3, 9])[rng.choice(4, records, p=[0.55, 0.25, 0.15, 0.05])]
    x[a == 0] = 2
    b = [None if n == 3 else f"b{n}" for n in b]
    return {"a": (a * a).tolist(), "b": b, "x": x.tolist(), "same": [7] * records, **dusty(records)}


def dusty(records):
    """Values whose entropy, added up in another order, is another one in its last digit."""
    return {"v": [n * n % 23 for n in range(records)]}


TABLES = [drawn(seed) for seed in (1, 2)]


def asked(source, **where):
    data = dv.read(source, hierarchies={"x": TREE}, suppressed=None, **where)
    return dv.ask(data, keys=KEYS, target="x")


PLAIN = [asked(table) for table in TABLES]


def of_classes(counts, statistic):
    """The statistic of every class in rising order, classes held once written out."""
    found = counts.statistic(statistic)
    return np.sort(found if counts.multiplicity is None else np.repeat(found, counts.multiplicity))


def near(values):
    return pytest.approx(values, rel=1e-12, abs=1e-12)


# -- engines -----------------------------------------------------------------------------------------


def single(condensed, one):
    """Combinations of one attribute only: of several they are too many to be brought over."""
    return lambda self, attributes: condensed(self, attributes) if len(attributes) == 1 else one


def no_kinds(class_kinds):
    return lambda self, keys, target: class_kinds(self, keys, target) if target is None else None


def routes():
    """How classes are counted, by name: a context in which a table becomes a question."""
    names = ["memory", "compiled", "parquet", "sqlite", "postgresql"]
    return [*names, *(f"{how} {where}" for how in ("kinds", "sums") for where in ("on disk", "on Spark"))]


@pytest.fixture(scope="module")
def questions(request, tmp_path_factory):
    """The questions by one route beside those in memory, counted once for all statistics."""
    route, folder = request.param, tmp_path_factory.mktemp("tables")
    with ExitStack() as held:
        tables = TABLES[:1] if route.endswith("Spark") else TABLES
        counted = [_by(route, table, folder / f"{i}", held, request) for i, table in enumerate(tables)]
        yield list(zip(counted, PLAIN, strict=False))


def _by(route, table, path, held, request):
    if route == "memory":
        return asked(table)
    if route == "compiled":
        held.enter_context(patch.object(statistics, "COMPILED_PAYS", 1))
        return asked(table)
    if route in ("sqlite", "postgresql"):
        return asked(_stored(route, table, path, request), table="people")
    arrow = pa.table(table)
    if route.endswith("Spark"):
        held.enter_context(patch.object(SparkTable, "combinations", single(SparkTable.combinations, None)))
        source, kind, where = request.getfixturevalue("spark").createDataFrame(arrow), SparkTable, {}
    else:
        source, kind = path.with_suffix(".parquet"), OutOfCoreTable
        pq.write_table(arrow, source, row_group_size=7)
        where = {"memory": "500MB"} if route.endswith("disk") else {}
        held.enter_context(patch.object(opening, "_fits", lambda needed, budget: False))
        few = patch.object(OutOfCoreTable, "most", lambda self, names: 0 if len(names) > 1 else 10**6)
        held.enter_context(few)
    if route.startswith("sums"):
        held.enter_context(patch.object(kind, "class_kinds", no_kinds(kind.class_kinds)))
    question = asked(source, **where)
    assert (
        getattr(question.counts, "decode", None) is None or route == "parquet"
    )  # otherwise it was counted here
    return question


def _stored(route, table, path, request):
    url = f"sqlite:///{path}.db"
    if route == "postgresql":
        url = request.getfixturevalue("postgresql").fresh().replace("postgresql:", "postgresql+psycopg:")
    made = sa.create_engine(url)
    columns = [sa.Column(name, sa.Text if name == "b" else sa.BigInteger) for name in table]
    people = sa.Table("people", sa.MetaData(), *columns)
    people.create(made)
    with made.begin() as connection:
        rows = zip(*table.values(), strict=True)
        connection.execute(people.insert(), [dict(zip(table, row, strict=True)) for row in rows])
    return made


WHOLE = [one for one in routes() if not one.startswith("sums")]
SUMS = [one for one in routes() if one.startswith("sums")]


@EVERY
@pytest.mark.parametrize("questions", WHOLE, indirect=True, scope="module")
def test_every_class_has_the_statistic_that_it_has_in_memory(questions, statistic):
    for question, plain in questions:
        assert of_classes(question.counts, statistic) == near(of_classes(plain.counts, statistic))


@EVERY
@pytest.mark.parametrize("questions", SUMS, indirect=True, scope="module")
def test_sums_and_extremes_are_those_of_all_classes(questions, statistic):
    for question, plain in questions:
        counts, expected = question.counts, plain.counts
        if statistic.sql is None and not statistic.of_size:
            with pytest.raises(Undefined, match="there are too many groups to fetch"):
                counts.most(statistic)
            continue
        for reduce in ("total", "least", "most", "over_records", "over_weight"):
            assert getattr(counts, reduce)(statistic) == near(getattr(expected, reduce)(statistic)), reduce


@pytest.mark.parametrize("statistic", [one for one in STATISTICS if one.sql or one.of_size], ids=named)
@pytest.mark.parametrize("questions", ["sums on disk"], indirect=True, scope="module")
def test_the_worst_classes_are_those_at_the_risky_end(questions, statistic):
    for question, plain in questions:
        few, values = question.named(statistic, 5), of_classes(plain.counts, statistic)
        worst = values[:5] if statistic.riskier == "lower" else values[-5:]
        assert of_classes(few, statistic) == near(worst)


@pytest.mark.parametrize("questions", routes(), indirect=True, scope="module")
def test_a_constant_key_reveals_exactly_nothing(questions):
    """With one group there is nothing to learn: what is 0 by definition is 0, and no dust of rounding."""
    for question, _ in questions:
        for target in ("x", "v"):
            alike = dv.ask(question.data, keys=["same"], target=target).counts
            assert {name: get(name).compute(alike) for name in NOTHING} == dict.fromkeys(NOTHING, 0.0)


def test_the_rounding_that_the_law_is_about_is_there():
    alike = dv.ask(dv.read(drawn(1), suppressed=None), keys=["same"], target="v").counts
    assert 0 < get("discrimination_rate").function(alike) < 1e-14


def test_a_constant_key_reveals_exactly_nothing_of_weighted_records_and_among_subsets():
    weights = (1 + np.arange(90) % 7 / 10).tolist()
    data = dv.read({**drawn(1), "w": weights}, weights="w", suppressed=None)
    alike = dv.ask(data, keys=["same"], target="v").counts
    assert {name: get(name).compute(alike) for name in NOTHING} == dict.fromkeys(NOTHING, 0.0)
    columns = {name: Codes.of(values) for name, values in drawn(1).items()}
    found = search([columns["same"]], targets=[columns["v"], columns["x"]])
    for target in (0, 1, None):
        assert (found.discrimination_rate(target).tolist(), found.itpr(target).tolist()) == ([0.0], [0.0])


# -- databases ---------------------------------------------------------------------------------------


def cells_of(counts):
    """The cells of all classes, as a class's statistics are told from them."""
    cells, share = counts.cells, counts.target_weight / counts.target_weight.sum()
    columns = cells.owner, cells.count, counts.size[cells.owner], share[cells.target]
    return [(int(y), int(n), int(size), float(p)) for y, n, size, p in zip(*columns, strict=True)]


def by_duckdb(rows, query, request):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE cells (y BIGINT, n BIGINT, size BIGINT, p DOUBLE)")
        connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?)", rows)
        return connection.execute(query).fetchall()


def by_sqlite(rows, query, request):
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE cells (y INTEGER, n INTEGER, size INTEGER, p REAL)")
        connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?)", rows)
        return connection.execute(query).fetchall()


def by_postgresql(rows, query, request):
    import psycopg

    with psycopg.connect(request.getfixturevalue("postgresql").fresh()) as connection:
        connection.execute("CREATE TABLE cells (y BIGINT, n BIGINT, size BIGINT, p DOUBLE PRECISION)")
        connection.cursor().executemany("INSERT INTO cells VALUES (%s, %s, %s, %s)", rows)
        return connection.execute(query).fetchall()


def by_spark(rows, query, request):
    spark = request.getfixturevalue("spark")
    columns = dict(zip(("y", "n", "size", "p"), zip(*rows, strict=True), strict=True))
    frame = spark.createDataFrame(pa.table(columns))
    return [
        tuple(row) for row in spark.sql(query.replace("FROM cells", "FROM {cells}"), cells=frame).collect()
    ]


DIALECTS = {"DUCKDB": by_duckdb, "SPARK": by_spark, "POSTGRESQL": by_postgresql, "SQLITE": by_sqlite}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_sql_of_every_statistic_is_what_numpy_makes_of_the_same_cells(request, dialect):
    table = np.random.default_rng(5).integers(-4, 9, (25, 5)).clip(0)
    counts = JointCounts.of_table(table)
    terms = getattr(statistics_sql, dialect).terms(values=5)
    query = f"SELECT y, {', '.join(terms.values())} FROM cells GROUP BY y, size ORDER BY y"
    rows = DIALECTS[dialect](cells_of(counts), query, request)
    found = dict(zip(terms, np.array(rows, dtype=float).T[1:], strict=True))
    assert [*found] == [one.name for one in with_sql()]
    for statistic in with_sql():
        assert found[statistic.name] == near(counts.statistic(statistic)), statistic.name


def test_no_two_statistics_would_take_the_same_column_or_row():
    assert len({one.name for one in with_sql()}) == len(with_sql())
    slots = [one.slot for one in STATISTICS if one.slot is not None]
    assert sorted(slots) == list(range(len(slots)))
    assert len(set(STATISTICS)) == len(STATISTICS)
