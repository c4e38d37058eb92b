"""Tables of databases, through SQLAlchemy and through DuckDB."""

from decimal import Decimal

import duckdb
import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.opening import open_source
from divulge.errors import DivulgeError, EmptySource, MissingLibrary, MissingSource, SourceError


@pytest.fixture
def engine(empty_database):
    engine = empty_database("sqlite")
    connection = engine.raw_connection()
    connection.executescript("""
        CREATE TABLE patients (age INTEGER, "zip code" TEXT, score NUMERIC, smoker BOOLEAN);
        INSERT INTO patients VALUES (30, '01234', 1.5, 1), (NULL, '1234', 2, 0), (30, NULL, NULL, NULL);
        CREATE TABLE "od""d; table" (a, "b%(x)s" TEXT);
        INSERT INTO "od""d; table" VALUES (1, 'x'), ('1', ':y');
        CREATE TABLE empty (a INTEGER);
        CREATE TABLE doubtful (truth BOOLEAN, day DATE);
        INSERT INTO doubtful VALUES (1, 'MARKER'), ('no', '2020-01-01');
        CREATE VIEW adults AS SELECT * FROM patients WHERE age > 17;
        CREATE VIEW failing AS SELECT abs(-9223372036854775807 - age / 30) AS MARKER FROM patients;
    """)
    connection.commit()
    connection.close()
    return engine


def table(source, attributes=None):
    columns = source.encode(attributes or source.attributes).values()
    return list(
        zip(*([None if c == 0 else x.values[c - 1] for c in x.codes.tolist()] for x in columns), strict=True)
    )


PATIENTS = [(30, "01234", 1.5, True), (None, "1234", 2, False), (30, None, None, None)]


def test_a_table_by_engine_connection_and_address(engine):
    assert table(open_source(engine, table="patients")) == PATIENTS
    assert table(open_source(str(engine.url), table="patients")) == PATIENTS
    with engine.connect() as connection:
        assert table(open_source(connection, table="patients")) == PATIENTS
        assert not connection.in_transaction()
        assert not connection.get_execution_options()
    assert open_source(engine, table="patients").name == "table patients"


def test_a_missing_value_is_one_more_combination_of_one_attribute_as_of_several(engine):
    source = open_source(engine, table="patients")
    # Two records of 30 and one without an age; two zip codes and one missing.
    assert (source.distinct(["age"]), source.distinct(["zip code"])) == (2, 3)
    assert source.distinct(["age", "zip code"]) == 3
    assert source.distinct(["smoker", "score"]) == 3
    assert open_source(engine, table="adults").distinct(["age"]) == 1


def test_people_without_an_identifier_are_one_more_as_in_memory(engine):
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE visits (who TEXT, age INTEGER)")
        rows = [("a", 30), ("a", 30), ("b", 40), (None, 40), (None, 50)]
        connection.exec_driver_sql("INSERT INTO visits VALUES (?, ?)", rows)
    in_memory = {"who": [who for who, _ in rows], "age": [age for _, age in rows]}
    there = dv.read(engine, table="visits", identifiers="who")
    here = dv.read(in_memory, identifiers="who")
    assert (there.people, here.people) == (3, 3)


def test_a_table_with_its_schema(engine):
    assert table(open_source(engine, table="main.patients")) == PATIENTS


def test_a_view_is_a_table(engine):
    assert open_source(engine, table="adults").records == 2


def test_an_open_transaction_is_left_open(engine):
    with engine.connect() as connection:
        connection.execute(sa.text("INSERT INTO patients VALUES (99, '9', 9, 0)"))
        assert open_source(connection, table="patients").records == 4
        assert connection.in_transaction()


def test_names_are_quoted_whatever_they_hold(engine):
    source = open_source(engine, table='od"d; table')
    assert source.attributes == ("a", "b%(x)s")
    assert table(source) == [(1, "x"), ("1", ":y")]


def test_blocks_make_one_whole(engine, monkeypatch):
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO patients SELECT * FROM patients")
        connection.exec_driver_sql("INSERT INTO patients SELECT * FROM patients")
    monkeypatch.setattr("divulge.engines.database.table._BLOCK", 4)
    monkeypatch.setattr("divulge.engines.database.table._PART", 3)
    assert table(open_source(engine, table="patients")) == 4 * PATIENTS


def test_columns_that_belie_their_types_are_taken_as_they_come(engine):
    assert table(open_source(engine, table="doubtful")) == [(1, "MARKER"), ("no", "2020-01-01")]


def test_an_audit_groups_identifiers_once_and_everything_else_once(engine):
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE visits (id INTEGER, age INTEGER, sex TEXT, illness TEXT)")
        for i in range(30):
            row = (i, 20 + i % 4, "fm"[i % 2], "abc"[i % 3])
            connection.exec_driver_sql("INSERT INTO visits VALUES (?, ?, ?, ?)", row)
    roles = {"identifiers": "id", "quasi_identifiers": ["age", "sex"], "sensitive": "illness"}
    data, asked = dv.read(engine, table="visits", **roles), []
    sa.event.listen(engine, "before_cursor_execute", lambda c, cursor, statement, *_: asked.append(statement))
    found = dv.audit(data).to_dict()
    assert len(asked) == 3  # once more for some values of the identifier: do they name people?
    assert found["roles"]["attributes"][0]["identifier_class"] == "identifier"
    assert data.source.distinct(["id"]) == data.people == 30
    assert len(asked) == 3


def test_an_unknown_table_is_named_with_the_tables_there_are(engine):
    with pytest.raises(MissingSource, match=r"No table 'patient'.*adults.*Did you mean 'patients'"):
        open_source(engine, table="patient")
    with pytest.raises(MissingSource, match=r"No table 'nowhere\.patients'"):
        open_source(engine, table="nowhere.patients")


def test_a_database_needs_the_name_of_a_table(engine):
    with pytest.raises(SourceError, match=r"needs the name of a table\. It has adults, doubtful"):
        open_source(engine)


def test_an_empty_table_is_refused(engine):
    with pytest.raises(EmptySource, match="Table empty has no records"):
        open_source(engine, table="empty")


def test_an_error_of_the_database_is_told_without_its_words(engine):
    with pytest.raises(SourceError, match="Table failing could not be read: the database reported") as caught:
        open_source(engine, table="failing").encode(["MARKER"])
    assert "MARKER" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "url", ["nonsense://u:MARKER@h/x", "://", "sqlite+unheard://MARKER", "postgresql://h:MARKER/x"]
)
def test_an_address_that_cannot_be_opened_is_refused_without_its_password(url):
    with pytest.raises(DivulgeError) as caught:
        open_source(url, table="t")
    assert "MARKER" not in str(caught.value)


def test_a_driver_that_is_not_installed_is_named(monkeypatch):
    def refuse(url):
        raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")

    monkeypatch.setattr(sa, "create_engine", refuse)
    with pytest.raises(MissingLibrary, match=r"needs the package 'psycopg'.*divulge\[database\]"):
        open_source("postgresql+psycopg://user@host/x", table="t")


@pytest.mark.parametrize(
    ("url", "package", "begins"),
    [
        ("mysql://user:MARKER@host/x", "pymysql", "mysql+pymysql://"),
        ("mysql+pymysql://user:MARKER@host/x", "pymysql", "mysql+pymysql://"),
        ("mssql://user:MARKER@host/x", "pyodbc", "mssql+pyodbc://"),
        ("oracle://user:MARKER@host/x", "oracledb", "oracle+oracledb://"),
        ("snowflake://user:MARKER@host/x", "snowflake-sqlalchemy", "snowflake://"),
        ("duckdb:///MARKER.db", "duckdb-engine", "duckdb://"),
    ],
)
def test_the_driver_of_another_database_is_named_with_its_address(url, package, begins):
    with pytest.raises(SourceError, match=f"needs the driver '{package}'") as caught:
        open_source(url, table="t")
    assert f"Then write {begins}" in str(caught.value)
    assert "MARKER" not in str(caught.value)


def test_sqlalchemy_itself_may_be_missing(monkeypatch):
    monkeypatch.setattr("divulge.engines.opening.find_spec", lambda name: None)
    with pytest.raises(MissingLibrary, match="'sqlalchemy'"):
        open_source("sqlite:///x.db", table="t")


@pytest.fixture
def duck():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE patients AS FROM (VALUES (30, 'x'), (NULL, 'y')) AS t(age, name)")
    connection.execute("""CREATE SCHEMA other; CREATE TABLE other."it's; odd" AS SELECT 1 AS a""")
    connection.execute("CREATE TEMP TABLE passing AS SELECT 2 AS a")
    return connection


def test_tables_of_a_duckdb_connection(duck):
    assert table(open_source(duck, table="patients")) == [(30, "x"), (None, "y")]
    assert table(open_source(duck, table="main.patients")) == [(30, "x"), (None, "y")]
    assert table(open_source(duck, table="other.it's; odd")) == [(1,)]
    assert table(open_source(duck, table="passing")) == [(2,)]


def test_a_python_variable_is_no_table_of_a_duckdb_connection(duck):
    connection = {"a": [1]}  # noqa: F841  (DuckDB would find it by its name)
    with pytest.raises(MissingSource, match=r"No table 'connection'.*patients"):
        open_source(duck, table="connection")


def test_a_duckdb_connection_needs_the_name_of_a_table(duck):
    with pytest.raises(SourceError, match="needs the name of a table"):
        open_source(duck)


@pytest.mark.parametrize("arrow", [True, False])
def test_kinds_of_columns_only_duckdb_has(arrow, monkeypatch):
    monkeypatch.setattr("divulge.source.relation.find_spec", lambda name: arrow or None)
    relation = duckdb.connect().sql("""
        SELECT 1::HUGEINT AS huge, 1.10::DECIMAL(5, 2) AS exact, 'b'::ENUM('a', 'b') AS listed,
               '12345678-1234-5678-1234-567812345678'::UUID AS id, INTERVAL 1 DAY AS span,
               TIME '12:30:00' AS hour, [1] AS list
    """)
    source = open_source(relation)
    [found] = table(source, [name for name in source.attributes if name != "list"])
    row = dict(zip(source.attributes, found, strict=False))
    assert row == {
        "huge": 1,
        "exact": Decimal("1.10"),
        "listed": "b",
        "id": "12345678-1234-5678-1234-567812345678",
        "span": "1 day",
        "hour": "12:30:00",
    }
    assert type(row["huge"]) is int
    with pytest.raises(SourceError, match="'list' holds values of type INTEGER"):
        source.encode(["list"])


def test_a_relation_without_an_order_keeps_the_one_it_had_first(duck):
    source = open_source(duck.sql("SELECT a, a * 2 AS b FROM (SELECT random() AS a FROM range(100))"))
    first, second = source.encode(["a"])["a"], source.encode(["a", "b"])
    assert (first.codes == second["a"].codes).all()


def test_a_query_that_fails_is_told_without_its_words(duck):
    relation = duck.sql("SELECT name::INTEGER AS MARKER FROM (SELECT 'MARKER' AS name)")
    with pytest.raises(
        SourceError, match=r"a DuckDB relation could not be read: .* ConversionException"
    ) as caught:
        open_source(relation)
    assert "MARKER" not in str(caught.value)


def test_a_sqlite_file_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(MissingSource, match="SQLite"):
        open_source(f"sqlite:///{tmp_path}/absent.db", table="t")
    assert not (tmp_path / "absent.db").exists()


def test_a_database_that_does_not_answer_is_a_sentence():
    with pytest.raises(SourceError, match="could not be reached"):
        open_source("postgresql+psycopg://nobody@127.0.0.1:1/none", table="t")


def test_an_address_on_the_network_is_not_fetched():
    with pytest.raises(SourceError, match="does not read from the network"):
        open_source("https://example.org/people.csv")


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path):
    (tmp_path / "notes.db").write_text("Ann, 31, ill")
    with pytest.raises(SourceError, match=r"notes\.db is not a SQLite database\.") as caught:
        open_source(f"sqlite:///{tmp_path}/notes.db", table="t")
    assert "Ann" not in str(caught.value)
