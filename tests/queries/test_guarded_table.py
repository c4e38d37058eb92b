"""Guarded tables: what is read of a DuckDB file and of PostgreSQL, and what is refused without a value."""

import datetime
import itertools
import math
from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction

import duckdb
import psycopg
import pytest

from divulge.errors import DivulgeError, MissingSource, SchemaError, SourceError, UnknownAttribute
from divulge.queries.databases import open_database
from divulge.queries.policy import QueryPolicy
from divulge.queries.sql import Vocabulary, parse
from divulge.queries.table import GuardedTable, TableChanged, open_table
from queries.guarded import opened, written
from queries.test_span import somebody_determined

COLUMNS = (
    'id VARCHAR(9), age SMALLINT, "the city %" VARCHAR, born DATE, member BOOLEAN, pay NUMERIC(9, 2), hours '
    "DOUBLE PRECISION, visits BIGINT"
)
ROWS = [
    (
        f"p{number * 7 % 40}",
        None if number == 5 else number % 9,
        "it's %s ?" if number % 4 == 0 else "b",
        datetime.date(2000, 1, 1 + number % 20),
        number % 3 == 0,
        None if number == 6 else number + 0.1,
        None if number == 7 else number / 3,
        None if number == 8 else number,
    )
    for number in range(40)
]
POLICY = {
    "table": {"name": "people", "record": "id"},
    "columns": {
        **{name: {"known": True} for name in ("age", "the city %", "born", "member")},
        **{name: {"bounds": [0, 500]} for name in ("pay", "hours", "visits")},
    },
}
CONDITIONS = {
    "age < 4": lambda row: row[1] is not None and row[1] < 4,
    "not (age < 4)": lambda row: row[1] is not None and row[1] >= 4,
    "age is null": lambda row: row[1] is None,
    "\"the city %\" = 'it''s %s ?'": lambda row: row[2] != "b",
    "\"the city %\" in ('b', 'c') and age <> 3": lambda row: row[2] == "b" and row[1] not in (None, 3),
    "born between '2000-01-03' and '2000-01-05'": lambda row: 3 <= row[3].day <= 5,
    "member = true or born >= '2000-01-19'": lambda row: row[4] or row[3].day >= 19,
}


@pytest.fixture(params=["duckdb", "postgresql"])
def source(request, tmp_path):
    if request.param == "duckdb":
        return written(tmp_path / "people.duckdb", COLUMNS, ROWS)
    address = request.getfixturevalue("postgresql").fresh()
    with psycopg.connect(address) as connection:
        connection.execute(f"CREATE TABLE people ({COLUMNS})")
        connection.cursor().executemany(f"INSERT INTO people VALUES ({', '.join(['%s'] * 8)})", ROWS)
    return address


def test_members_and_sums_are_those_of_the_rows(source):
    policy = QueryPolicy.of(POLICY)
    rows = sorted(ROWS)  # by identifier
    with open_table(policy, source) as table:
        names = Vocabulary("people", {n: table.kinds[n] for n in policy.conditions}, frozenset(policy.summed))
        for text, met in CONDITIONS.items():
            query = parse(f"select count(*) from people where {text}", names)
            members = table.members(query.condition)
            assert members.tolist() == [bool(met(row)) for row in rows], text
        everyone = table.members(None)
        assert table.sums["pay"].total(everyone) == sum(
            Fraction(str(row[5])) for row in rows if row[5] is not None
        )
        assert table.sums["visits"].total(everyone) == sum(row[7] or 0 for row in rows)
        assert float(table.sums["hours"].total(everyone)) == pytest.approx(sum(row[6] or 0 for row in rows))
        assert table.sums["hours"].present.tolist() == [row[6] is not None for row in rows]
        table.check_unchanged()


def test_a_fingerprint_is_of_the_content(source):
    policy = QueryPolicy.of(POLICY)
    with open_table(policy, source) as one, open_table(policy, source) as other:
        assert one.fingerprint == other.fingerprint
    narrower = QueryPolicy.of({**POLICY, "columns": {"age": {"known": True}}})
    with open_table(narrower, source) as third:
        assert third.fingerprint != one.fingerprint


def test_nothing_can_be_written(source):
    with open_table(QueryPolicy.of(POLICY), source) as table, pytest.raises(SourceError):
        table._database.columns("DELETE FROM people")


def test_a_statement_takes_no_longer_than_it_may(source):
    database = open_database(source, 0.05)
    tables = ", ".join(f"people {letter}" for letter in "abcdefg")
    with pytest.raises(SourceError, match=r"longer than 0.05 seconds"):
        database.columns(
            f"SELECT COUNT(*) FROM {tables} WHERE a.age + b.age * c.age < d.age * e.age + f.age * g.age"
        )
    database.close()


def test_a_table_that_changes_under_the_guard_is_refused(postgresql):
    address = postgresql.fresh()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE people (id INTEGER, age INTEGER, pay INTEGER)")
        connection.execute("INSERT INTO people SELECT i, i % 5, i FROM generate_series(1, 50) i")
        columns = {"age": {"known": True}, "pay": {"bounds": [0, 100]}}
        with opened(address, columns) as door:
            assert door.value("select sum(pay) from people where age = 1") == sum(range(1, 51, 5))
            connection.execute("UPDATE people SET pay = pay WHERE id = 1")  # written anew, and the same
            assert door.value("select sum(pay) from people where age = 2") is not None
            connection.execute("UPDATE people SET pay = 3 WHERE id = 1")
            decision = door.ask("select sum(pay) from people where age = 3")
            assert (decision.outcome, decision.control) == ("refused", "changed table")
            connection.execute("INSERT INTO people VALUES (99, 4, 1)")
            with pytest.raises(TableChanged):
                door.guard._table.members(
                    door.guard.parse("select count(*) from people where age = 4").condition
                )


@pytest.fixture
def watched(postgresql):
    """A table whose rows were all written at once: a connection of its owner, and its address."""
    address = postgresql.fresh()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE people (id INTEGER, age INTEGER, height INTEGER, city TEXT, pay INTEGER)"
        )
        connection.execute(
            "INSERT INTO people SELECT i, i % 5, (i + 1) % 5, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'A' END, i "
            "FROM generate_series(1, 50) i"
        )
        yield connection, address


WATCHED = {"age": {"known": True}, "city": {"known": True}, "pay": {"bounds": [0, 100]}}
SWAPPED = """BEGIN; ALTER TABLE people RENAME age TO x; ALTER TABLE people RENAME height TO age;
    ALTER TABLE people RENAME x TO height; COMMIT"""
ANOTHER_ORDER = """
    CREATE COLLATION either (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    ALTER TABLE people ALTER city TYPE TEXT COLLATE either"""


@pytest.mark.parametrize(
    "change",
    [
        SWAPPED,
        "BEGIN; ALTER TABLE people RENAME age TO x; ALTER TABLE people ADD age INTEGER DEFAULT 3; COMMIT",
        ANOTHER_ORDER,
        "CREATE TABLE more () INHERITS (people); INSERT INTO more VALUES (99, 1, 1, 'a', 1)",
        "ALTER TABLE people RENAME TO old; CREATE TABLE people AS SELECT id, height age, city, pay FROM old",
        "ALTER TABLE people RENAME TO former; CREATE VIEW people AS SELECT * FROM former",
    ],
    ids=["names", "default", "collation", "child", "table", "view"],
)
def test_what_columns_mean_does_not_change_under_the_guard(watched, change):
    connection, address = watched
    with opened(address, WATCHED) as door:
        assert door.value("select sum(pay) from people where age = 1") == sum(range(1, 51, 5))
        connection.execute(change)
        for query in (
            "select sum(pay) from people where age = 2",
            "select count(*) from people where city = 'a'",
            "select sum(pay) from people where age = 1",
        ):
            decision = door.ask(query)
            assert (decision.outcome, decision.control) == ("refused", "changed table")


def test_a_collation_is_part_of_what_a_log_is_about(watched):
    connection, address = watched
    text = "select sum(pay) from people where city = 'a'"
    with opened(address, WATCHED) as door:
        door.ask(text)
        log, known, former = door.log, door.guard._table.known_as, door.guard._table.fingerprint
    connection.execute(ANOTHER_ORDER)
    for fingerprint, outcome in (
        (known, "refused"),
        (former, "answered"),
    ):  # versions before noted only contents
        with opened(address, WATCHED, fingerprint=fingerprint) as door:
            door.state = door.guard.replay(log)
            assert door.ask(text).outcome == outcome


def test_rows_whose_numbers_cancel_each_other_out_are_noticed(watched):
    # A change that began between two others, and ends after them: the sum of the rows' xmin stays as it is.
    connection, address = watched
    connection.execute("CREATE TABLE other (id INTEGER)")
    connection.execute("UPDATE people SET pay = pay WHERE id = 1")
    with psycopg.connect(address) as slow:
        slow.execute("INSERT INTO other VALUES (1)")
        connection.execute("UPDATE people SET pay = pay WHERE id = 2")
        with opened(address, WATCHED) as door:
            assert door.value("select count(*) from people") == 50
            slow.execute("UPDATE people SET pay = 90 + id WHERE id IN (1, 2)")
            slow.commit()
            assert door.ask("select sum(pay) from people where age = 2").control == "changed table"


def test_what_is_swapped_and_swapped_back_while_a_query_is_decided_changes_no_answer(watched, monkeypatch):
    connection, address = watched
    with opened(address, WATCHED, controls={"differencing": True}) as door:
        table, times = door.guard._table, []
        members = table.members

        def disturbed(condition):
            times.append(1)
            if len(times) > 1:
                return members(condition)
            connection.execute(SWAPPED)
            found = members(condition)
            connection.execute(SWAPPED)
            return found

        monkeypatch.setattr(table, "members", disturbed)
        assert door.value("select sum(pay) from people where age = 2") == sum(range(2, 51, 5))
        log = door.log
        times.clear()
        replayed = door.guard.replay(log)
        (row,) = replayed.families["pay"].span.rows
        monkeypatch.setattr(table, "members", members)
        (same,) = door.guard.replay(log).families["pay"].span.rows
        assert str(row) == str(same)


def test_a_table_that_is_written_to_without_an_end_is_not_decided_on(watched, monkeypatch):
    connection, address = watched
    with opened(address, WATCHED) as door:
        members = door.guard._table.members

        def disturbed(condition):
            connection.execute("UPDATE people SET pay = pay WHERE id = 1")
            return members(condition)

        monkeypatch.setattr(door.guard._table, "members", disturbed)
        with pytest.raises(SourceError, match="is written to"):
            door.ask("select sum(pay) from people where age = 2")


def test_a_table_that_is_written_to_while_it_is_opened_is_not_opened(watched, monkeypatch):
    connection, address = watched
    read = GuardedTable._summed

    def disturbed(table, name, order):
        connection.execute(SWAPPED)
        found = read(table, name, order)
        connection.execute(SWAPPED)
        return found

    monkeypatch.setattr(GuardedTable, "_summed", disturbed)
    with pytest.raises(SourceError, match="is written to"), opened(address, WATCHED):
        pass


def test_care_for_a_table_and_its_statistics_is_no_change(watched):
    connection, address = watched
    database = open_database(address, 30)
    for care in (
        "VACUUM people",
        "ANALYZE people",
        "VACUUM (FREEZE, ANALYZE) people",
        "VACUUM (FREEZE) pg_attribute",
    ):
        before = database.version('"people"')
        connection.execute(care)
        assert database.version('"people"') == before, care
    database.close()


def test_parts_of_a_table_are_looked_at_with_it(watched):
    connection, address = watched
    connection.execute("CREATE TABLE parted (LIKE people) PARTITION BY LIST (age)")
    connection.execute("CREATE TABLE low PARTITION OF parted FOR VALUES IN (0, 1, 2) PARTITION BY LIST (age)")
    connection.execute("CREATE TABLE lowest PARTITION OF low FOR VALUES IN (0, 1, 2)")
    connection.execute("CREATE TABLE high PARTITION OF parted DEFAULT")
    connection.execute("INSERT INTO parted SELECT * FROM people")
    with opened(address, WATCHED, table={"name": "parted"}) as door:
        assert door.value("select count(*) from parted where age = 4") == 10
        connection.execute("ALTER TABLE parted DETACH PARTITION high")
        assert door.ask("select count(*) from parted where age < 2").control == "changed table"
    connection.execute("CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere")
    connection.execute("CREATE FOREIGN TABLE away PARTITION OF parted DEFAULT SERVER far")
    with (
        pytest.raises(SchemaError, match="is a view or a foreign table"),
        opened(address, WATCHED, table={"name": "parted"}),
    ):
        pass


def test_which_rows_are_shown_is_looked_at(watched):
    connection, address = watched
    connection.execute("CREATE ROLE reader LOGIN; GRANT SELECT ON people TO reader")
    connection.execute("ALTER TABLE people ENABLE ROW LEVEL SECURITY")
    connection.execute("CREATE POLICY half ON people USING (city = 'a')")
    try:
        with opened(address.replace("postgres@", "reader@"), WATCHED) as door:
            assert door.value("select count(*) from people") == 25
            connection.execute("ALTER POLICY half ON people USING (city = 'A')")
            assert door.ask("select count(*) from people").control == "changed table"
    finally:
        connection.execute("DROP OWNED BY reader; DROP ROLE reader")


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"table": {"name": "peple", "record": "id"}}, MissingSource, "No table 'peple'"),
        ({"table": {"name": "people", "record": "idd"}}, UnknownAttribute, "Did you mean 'id'"),
        (
            {"table": {"name": "people", "record": "born"}, "columns": {"age": {"known": True}}},
            SchemaError,
            "identifies no record",
        ),
        (
            {"table": {"name": "people", "record": "age"}, "columns": {"born": {"known": True}}},
            SchemaError,
            "missing",
        ),
        (
            {"columns": {"pay": {"bounds": [0, 20]}}},
            SchemaError,
            "20 values of 'pay' are outside of its bounds",
        ),
        ({"columns": {"born": {"bounds": [0, 20]}}}, SchemaError, "no numbers"),
    ],
)
def test_a_policy_that_does_not_fit_the_table_is_refused_without_a_value(tmp_path, change, error, said):
    source = written(tmp_path / "people.duckdb", COLUMNS, ROWS)
    with pytest.raises(error, match=said) as refused:
        open_table(QueryPolicy.of({**POLICY, **change}), source)
    assert "p7" not in str(refused.value)


def test_a_file_that_is_none_is_refused(tmp_path):
    policy = QueryPolicy.of(POLICY)
    with pytest.raises(MissingSource):
        open_table(policy, str(tmp_path / "none.duckdb"))
    (tmp_path / "text.duckdb").write_text("no database" * 1000)
    with pytest.raises(SourceError, match="could not be opened"):
        open_table(policy, str(tmp_path / "text.duckdb"))
    with pytest.raises(SourceError, match="does not say where"):
        open_table(policy)
    with pytest.raises(DivulgeError, match="could not be opened") as refused:
        open_table(policy, "postgresql://ann:secret@127.0.0.1:1/none")
    assert "secret" not in str(refused.value)


def test_values_that_are_no_numbers_are_outside_of_all_bounds(tmp_path):
    source = written(tmp_path / "p.duckdb", "id INTEGER, w DOUBLE", [(1, 2.0), (2, float("nan")), (3, None)])
    given = {"table": {"name": "people", "record": "id"}, "columns": {"w": {"bounds": [0, 5]}}}
    with pytest.raises(SchemaError, match="1 value of 'w'"):
        open_table(QueryPolicy.of(given), source)


def test_sums_beyond_machine_numbers_are_exact(tmp_path):
    largest = 10**15
    source = written(tmp_path / "p.duckdb", "id INTEGER, w BIGINT", [(1, largest), (2, largest - 1)])
    given = {"table": {"name": "people", "record": "id"}, "columns": {"w": {"bounds": [0, largest]}}}
    with open_table(QueryPolicy.of(given), source) as table:
        assert table.sums["w"].total(table.members(None)) == 2 * largest - 1


def test_a_table_in_another_schema_is_found(tmp_path):
    path = tmp_path / "p.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA ward; CREATE TABLE ward.people AS SELECT 1 AS id, 2 AS age")
    given = {"table": {"name": "ward.people", "record": "id"}, "columns": {"age": {"known": True}}}
    with open_table(QueryPolicy.of(given), str(path)) as table:
        assert table.records == 1


FEW = "its bounds leave .* values?, and with fewer than 100 a few sums give one person's value away"


@pytest.mark.parametrize(
    ("kind", "values", "bounds", "few"),
    [
        ("INTEGER", (0, 1), [0, 1], True),
        ("SMALLINT", (3, 99), [1, 99], True),
        ("SMALLINT", (3, 99), [0, 99], False),
        ("DOUBLE", (0.0, 1.0), [0, 1], True),  # whole numbers, whatever the type
        ("DOUBLE", (0.0, 0.3), [0, 1], False),
        ("DECIMAL(9, 2)", (0, 1), [0, 1], True),
        ("DECIMAL(9, 1)", (0, 0.3), [0, 9], True),
        ("DECIMAL(9, 1)", (0, 0.3), [0, 10], False),
    ],
)
def test_exact_sums_are_not_of_values_that_are_known_to_be_few(tmp_path, kind, values, bounds, few):
    rows = [(number, number, values[number % 2]) for number in range(9)]
    source = written(tmp_path / "p.duckdb", f"id INTEGER, k INTEGER, w {kind}", rows)
    columns = {"k": {"known": True}, "w": {"bounds": bounds}}
    if not few:
        with opened(source, columns, controls={"differencing": True}) as door:
            assert door.value("select sum(w) from people where k < 5") is not None
        return
    with pytest.raises(SchemaError, match=FEW), opened(source, columns, controls={"differencing": True}):
        pass
    columns["w"]["camouflage"] = bounds[1] - bounds[0]
    with opened(source, columns, answers={"kind": "camouflage"}) as door:
        assert door.value("select sum(w) from people where k < 5") is not None


@pytest.mark.parametrize(
    ("kind", "width", "bounds", "narrow"),
    [
        ("INTEGER", 0.5, [0, 1], True),  # an interval for 0 and one for 1 hide nothing
        ("INTEGER", 1, [0, 1], False),
        ("INTEGER", 1, [0, 9], True),
        ("INTEGER", 2, [0, 9], False),
        ("DOUBLE", 1, [0, 9], True),
        ("DECIMAL(9, 2)", 1.99, [0, 9], True),
    ],
)
def test_an_interval_has_more_than_one_whole_number(tmp_path, kind, width, bounds, narrow):
    rows = [(number, number % 2) for number in range(9)]
    source = written(tmp_path / "p.duckdb", f"id INTEGER, w {kind}", rows)
    columns = {"w": {"bounds": bounds, "camouflage": width}}
    refused = pytest.raises(SchemaError, match="may have a single value") if narrow else nullcontext()
    with refused, opened(source, columns, answers={"kind": "camouflage"}) as door:
        assert door.value("select sum(w) from people") is not None


def test_a_few_exact_sums_of_zeros_and_ones_would_give_two_people_away():
    # Why they are refused: 2 a - b from three sums of which no combination is one person's value.
    sets = [[1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 1, 1], [0, 1, 1, 1, 1, 1]]
    values = [1, 0, 1, 0, 1, 0]
    fitting = [
        table
        for table in itertools.product((0, 1), repeat=6)
        if all(
            sum(m * (one - two) for m, one, two in zip(row, table, values, strict=True)) == 0 for row in sets
        )
    ]
    assert not somebody_determined(sets, range(6))
    assert {table[0] for table in fitting} == {1}
    assert len({table[3] for table in fitting}) == 1


PRIVATE = {"kind": "differential privacy", "epsilon": 1000, "budget": 1000}


def test_conditions_on_decimals_that_some_value_would_make_fail_are_refused(tmp_path):
    columns = "id INTEGER, d DECIMAL(30, 2), e DECIMAL(18, 2)"
    rows = [(number, Decimal(2 * 10**20), Decimal(10**15)) for number in range(9)]
    source = written(tmp_path / "p.duckdb", columns, rows)
    with (
        pytest.raises(SchemaError, match="decimals have 30 digits"),
        opened(source, {"d": {"conditions": True}}, answers=PRIVATE),
    ):
        pass
    with opened(source, {"e": {"conditions": True}}, answers=PRIVATE) as door:
        longest = "123456789012345678.123456789012345678"
        assert abs(door.value(f"select count(*) from people where e < {longest}") - 9) <= 1


def test_numbers_beyond_those_of_a_machine_are_cut_and_found(tmp_path):
    rows = [(2**63 + number, 2**64 - 5 if number else None, 2**63 + number) for number in range(9)]
    source = written(tmp_path / "p.duckdb", "id UBIGINT, w UBIGINT, k UBIGINT", rows)
    known = {"k": {"known": True}}
    with opened(source, {**known, "w": {"bounds": [-10, 10]}}, answers=PRIVATE) as door:
        assert abs(door.value("select sum(w) from people") - 80) <= 5
    with (
        pytest.raises(SchemaError, match="8 values of 'w' are outside"),
        opened(source, {**known, "w": {"bounds": [-1000, 1000]}}),
    ):
        pass
    with opened(source, known) as door:
        assert door.value(f"select count(*) from people where k >= {2**63 + 3}") == 6
        assert door.value(f"select count(*) from people where k = {2**64 - 1} or k < -1") == 0


@pytest.mark.parametrize(
    ("digits", "value"), [("18,6", "123456789012.567812"), ("18,9", "2"), ("18,0", 10**17 + 1)]
)
def test_decimals_of_eighteen_digits_are_summed_exactly(tmp_path, digits, value):
    rows = [(number, Decimal(value)) for number in range(9)]
    source = written(tmp_path / "p.duckdb", f"id INTEGER, w DECIMAL({digits})", rows)
    given = {"table": {"name": "people", "record": "id"}, "columns": {"w": {"bounds": [0, 10**15]}}}
    given["answers"] = {"kind": "differential privacy", "epsilon": 1, "budget": 1}  # values are cut
    with open_table(QueryPolicy.of(given), source) as table:
        assert table.sums["w"].total(table.members(None)) == 9 * Fraction(value)


def test_names_with_a_percent_sign_are_names(postgresql):
    address = postgresql.fresh()
    with psycopg.connect(address) as connection:
        connection.execute('CREATE TABLE people ("i%d" INTEGER, "k%s" INTEGER, "x%" INTEGER)')
        connection.execute("INSERT INTO people SELECT i, i, i FROM generate_series(1, 9) i")
    columns = {"k%s": {"known": True}, "x%": {"bounds": [0, 1000]}}
    with opened(address, columns, table={"record": "i%d"}) as door:
        assert door.value('select sum("x%") from people where "k%s" < 4') == 6
        assert door.value('select sum("x%") from people where "k%s" is not null') == 45
        assert door.value("select count(*) from people") == 9


def test_views_and_values_that_are_no_numbers_are_refused_in_a_sentence(postgresql):
    address = postgresql.fresh()
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE rows (id INTEGER, pay NUMERIC(9, 2))")
        connection.execute("INSERT INTO rows VALUES (1, 3), (2, 'NaN'), (3, NULL)")
        connection.execute("CREATE VIEW people AS SELECT * FROM rows")
    columns = {"pay": {"bounds": [0, 100]}}
    with pytest.raises(SchemaError, match="is a view"), opened(address, columns):
        pass
    with (
        pytest.raises(SchemaError, match="'pay' is NaN in 1 record,"),
        opened(address, columns, table={"name": "rows"}),
    ):
        pass


def test_views_of_duckdb_are_refused_too_since_time_or_lots_may_change_them(tmp_path):
    source = written(tmp_path / "p.duckdb", "id INTEGER, k INTEGER", [(1, 2), (3, 4)], "rows")
    with duckdb.connect(source) as connection:
        connection.execute("CREATE VIEW people AS SELECT * FROM rows WHERE random() < 0.5")
        connection.execute("CREATE SCHEMA s")
        connection.execute("CREATE VIEW s.p AS SELECT * FROM rows WHERE current_date > DATE '2020-01-01'")
        connection.execute("CREATE TABLE s.people AS SELECT * FROM rows")
    columns = {"k": {"known": True}}
    for name in ("people", "s.p"):
        with pytest.raises(SchemaError, match="is a view"), opened(source, columns, table={"name": name}):
            pass
    with opened(source, columns, table={"name": "s.people"}) as door:
        assert door.value("select count(*) from people") == 2


def test_infinities_are_cut_under_differential_privacy(tmp_path):
    rows = [(1, math.inf), (2, -math.inf), (3, math.nan), (4, 5.0), (5, None)]
    source = written(tmp_path / "p.duckdb", "id INTEGER, x DOUBLE", rows)
    answers = {"kind": "differential privacy", "epsilon": 500, "budget": 500}
    with opened(source, {"x": {"bounds": [1, 9]}}, answers=answers) as door:
        assert door.value("select sum(x) from people") == 9 + 1 + 1 + 5


def test_identifiers_that_a_collation_takes_for_equal_have_an_order(tmp_path):
    rows = [(letter, place) for place, letter in enumerate("bBaAäÄcC")]
    source = written(tmp_path / "p.duckdb", "id VARCHAR COLLATE NOCASE, k INTEGER", rows)
    given = {"table": {"name": "people", "record": "id"}, "columns": {"k": {"known": True}}}
    with open_table(QueryPolicy.of(given), source) as table:
        assert table._read("k").tolist() == [place for _, place in sorted(rows)]
