"""SQL for a guarded table: what is taken has one form, and everything else is refused with a reason."""

import re
import time

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import QueryError
from divulge.queries.query import bound, opposite
from divulge.queries.sql import Vocabulary, parse

NAMES = Vocabulary(
    "people",
    {
        "age": "whole",
        "weight": "number",
        "city": "text",
        "born": "date",
        "member": "truth",
        "illness": "text",
    },
    frozenset(("salary",)),
)


def canonical(text):
    return parse(text, NAMES).text


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("select count(*) from people", 'SELECT COUNT(*) FROM "people"'),
        ("SELECT sum(Salary) FROM people;", 'SELECT SUM("salary") FROM "people"'),
        (
            'SELECT AVG("salary") FROM "people" WHERE age=3',
            'SELECT AVG("salary") FROM "people" WHERE "age" = 3',
        ),
        ("select count(*) from people where 30 < age", 'SELECT COUNT(*) FROM "people" WHERE "age" > 30'),
        (
            "select count(*) from people where not (city = 'it''s' or age between 1 and 2)",
            'SELECT COUNT(*) FROM "people" WHERE ("age" < 1 OR "age" > 2) AND "city" <> \'it\'\'s\'',
        ),
        (
            "select count(*) from people where born is not null and member = true and weight >= -1.50",
            'SELECT COUNT(*) FROM "people" WHERE "born" IS NOT NULL AND "member" = TRUE AND "weight" >= -1.5',
        ),
        (
            "select count(*) from people where born < '2001-02-03' and age not in (3, 2, 3)",
            'SELECT COUNT(*) FROM "people" WHERE "age" NOT IN (2, 3) AND "born" < \'2001-02-03\'',
        ),
    ],
)
def test_a_query_has_one_canonical_form(asked, text):
    assert canonical(asked) == text
    assert canonical(text) == text


def test_the_order_of_parts_and_values_makes_no_difference():
    one = canonical("select count(*) from people where city in ('b', 'a') and (age = 1 or age = 2)")
    other = canonical("select count(*) from people where (age = 2 or age = 1) and city in ('a', 'b', 'a')")
    assert one == other


def test_what_is_executed_has_marks_instead_of_values():
    query = parse(
        "select count(*) from people where city = 'x''; drop table people' and age in (1, 2)", NAMES
    )
    assert bound(query.condition, "?") == ('"age" IN (?, ?) AND "city" = ?', [1, 2, "x'; drop table people"])


@pytest.mark.parametrize("number", [9223372036854775807, -9223372036854775808, 18446744073709551615])
def test_whole_numbers_are_as_long_as_a_column_may_have_them(number):
    query = parse(f"select count(*) from people where age = {number}", NAMES)
    assert query.condition.value == number


SLIPS = """
select * from people
select age from people
select count(age) from people
select count(distinct age) from people
select count(*), sum(salary) from people
select count(*) from people, people
select count(*) from people p
select count(*) as n from people
select distinct count(*) from people
select count(*) from other
select count(*) from "people; drop table people"
select count(*) from secret.people2
select count(*) from main.people.x
select count(*) from read_csv('/etc/passwd')
select count(*) from '/etc/passwd'
select count(*) from (select * from people)
select count(*) from people where age in (select age from people)
select count(*) from people where exists (select 1)
select count(*) from people where age = (select max(age) from people)
with x as (select 1) select count(*) from people
select count(*) from people join people b on true
select count(*) from people union select 1
select count(*) from people intersect select 1
select count(*) from people group by age
select count(*) from people having count(*) > 1
select count(*) from people order by 1
select count(*) from people limit 1
select count(*) from people offset 1
select count(*) filter (where age > 3) from people
select count(*) over () from people
select sum(salary) filter (where age > 3) from people
select sum(distinct salary) from people
select sum(salary + 1) from people
select sum(age) from people
select sum(-salary) from people
select sum(salary::int) from people
select max(salary) from people
select median(salary) from people
select count(*) + 1 from people
select -count(*) from people
select count(*) from people where salary > 3
select count(*) from people where id = 3
select count(*) from people where people.age = 3
select count(*) from people where age = city
select count(*) from people where age + 1 = 3
select count(*) from people where abs(age) = 3
select count(*) from people where age = '3'
select count(*) from people where age = 3.5
select count(*) from people where age = 1e3
select count(*) from people where age = 0x10
select count(*) from people where age = null
select count(*) from people where age = true
select count(*) from people where city = 3
select count(*) from people where city = -'a'
select count(*) from people where city like 'a%'
select count(*) from people where city ilike 'a%'
select count(*) from people where city similar to 'a'
select count(*) from people where city = 'a' || 'b'
select count(*) from people where city = upper('a')
select count(*) from people where city = N'a'
select count(*) from people where city = x'41'
select count(*) from people where city collate "C" = 'a'
select count(*) from people where cast(age as text) = '3'
select count(*) from people where born = date '2020-01-01'
select count(*) from people where born = '2020-13-01'
select count(*) from people where born = current_date
select count(*) from people where member
select count(*) from people where member is true
select count(*) from people where true
select count(*) from people where 1 = 1
select count(*) from people where age is distinct from 3
select count(*) from people where age is null is null
select count(*) from people where age in ()
select count(*) from people where age in (1, city)
select count(*) from people where age = any(array[1])
select count(*) from people where (age, city) = (1, 'a')
select count(*) from people where age between city and 3
select count(*) from people where age between symmetric 3 and 1
select count(*) from people where age = ?
select count(*) from people where age = $1
select count(*) from people where age = :a
select count(*) from people where age = @a
select count(*) from people where case when age = 3 then true else false end
select count(*) from people where age = 3 xor age = 4
select count(*) from people tablesample 10%
select count(*) from people for update
select count(*) into other from people
select count(*) from people; select 1
select count(*) from people; drop table people
select count(*) from people;;
select count(*) from people -- where age = 3
select count(*) /* hidden */ from people
select /*+ hint */ count(*) from people
select count(*) from people where age = 3 /* or 1 = 1 */
/**/ select count(*) from people
drop table people
insert into people values (1)
update people set age = 1
delete from people
create table x as select 1
attach 'x.db'
copy people to 'x.csv'
pragma database_list
explain select count(*) from people
call f()
set x = 1
values (1)
from people
select
select count(*)
select count(*) from
select count(* from people
select count(*) from people where
select count(*) from people where age =
;
""".strip().splitlines()


@pytest.mark.parametrize("text", [*SLIPS, "", " ", "\x00", "\ud800", "select '", 'select "', "/*"])
def test_everything_else_is_refused_with_a_sentence(text, caplog):
    with pytest.raises(QueryError) as refused:
        parse(text, NAMES)
    assert re.fullmatch(r"This query is not answered: .+\.", refused.value.message)
    assert refused.value.hint
    assert not caplog.records  # sqlglot would write the text


@pytest.mark.parametrize(
    "text",
    [
        "select count(*) from people where " + "(" * 3000 + "age = 1" + ")" * 3000,
        "select count(*) from people where " + "not " * 3000 + "age = 1",
        "select count(*) from people where " + " and ".join(["age = 1"] * 5000),
        "select count(*) from people where age in (" + ", ".join(map(str, range(2000))) + ")",
        "select count(*) from people where age = 1" + " " * 30_000,
    ],
)
def test_long_and_deep_queries_are_refused_in_a_sentence(text):
    with pytest.raises(QueryError, match="This query is not answered"):
        parse(text, NAMES)


@pytest.mark.parametrize(
    ("opens", "closes"),
    [
        ("struct(", ")"),
        ("date (", ")"),
        ("case blob(", ") end"),
        ("age::decimal(", ")"),
        ("(case when bigdecimal(", ") then 1 end)"),
        ("age in (select binary(", "))"),
        ("join ", ""),
        ("if<", ">"),
    ],
)
@pytest.mark.parametrize("before", ["select count(*) from people where ", "select count(*) from ", "select "])
def test_nested_words_that_make_the_parser_go_back_are_refused_at_once(before, opens, closes):
    began = time.process_time()
    with pytest.raises(QueryError, match="This query is not answered"):
        parse(before + opens * 20 + "age" + closes * 20, NAMES)
    assert time.process_time() - began < 1.0  # the parser alone takes minutes


def test_a_long_query_may_have_columns_that_are_words_of_sql():
    names = Vocabulary("table", {"date": "date", "case": "whole"}, frozenset({"struct"}))
    listed = ", ".join(map(str, range(300)))
    asked = f'select sum(struct) from "table" where ((((("case" in ({listed}) or date = \'2020-01-01\')))))'
    assert parse(asked, names).column == "struct"


WORDS = """
select count ( ) * sum avg from people where age city born salary illness and or not in between is null 'a'
1 -2 3.5 = <> < >= , ; -- /* */ union join group by with as distinct limit case when then end exists
'2020-01-01' true " ' :: $1 ? . like cast lateral unnest values window over filter
"""
LETTERS = "select count(*) from people where age = 1 'x' \"y\" ;-/\\\t\n\0é\u2028\U0001f600$?:@[]{}|&^~!"


@given(
    st.one_of(
        st.lists(st.sampled_from(WORDS.split()), max_size=30).map(" ".join), st.text(LETTERS, max_size=60)
    )
)
def test_any_text_is_a_canonical_query_or_a_refusal(text):
    try:
        query = parse(text, NAMES)
    except QueryError:
        return
    assert parse(query.text, NAMES, canonical=True) == query


COLUMNS = {
    "age": st.integers(-3, 3),
    "weight": st.decimals(-9, 9, places=2),
    "city": st.text("ab'\"%?;-", max_size=3),
}
COLUMN = st.sampled_from([*COLUMNS])


def written(value):
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


@st.composite
def simple(draw):
    column = draw(COLUMN)
    value = COLUMNS[column].map(written)
    kind = draw(st.sampled_from(["compare", "in", "between", "null"]))
    if kind == "compare":
        return f"{column} {draw(st.sampled_from(['=', '<>', '<', '<=', '>', '>=']))} {draw(value)}"
    negated = draw(st.sampled_from(["", "not "]))
    if kind == "in":
        return f"{column} {negated}in ({', '.join(draw(st.lists(value, min_size=1, max_size=3)))})"
    if kind == "between":
        return f"{column} between {draw(value)} and {draw(value)}"
    return f"{column} is {negated}null"


CONDITIONS = st.recursive(
    simple(),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda three: "({} {} {})".format(*three)
        ),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def people():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (age INTEGER, weight DECIMAL(9, 2), city VARCHAR)")
        rows = [(a, w, c) for a in (None, -1, 0, 2) for w in (None, -3.25, 1) for c in (None, "", "a", "b'")]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        yield connection


@given(condition=CONDITIONS)
def test_a_canonical_query_means_what_was_asked(people, condition):
    text = f"select count(*) from people where {condition}"
    query = parse(text, NAMES)
    assert parse(query.text, NAMES, canonical=True) == query
    where, values = bound(query.condition, "?")
    asked = people.execute(text).fetchall()
    assert people.execute(query.text).fetchall() == asked
    assert people.execute(f"SELECT COUNT(*) FROM people WHERE {where}", values).fetchall() == asked
    assert opposite(opposite(query.condition)) == query.condition


def test_a_parser_that_fails_in_its_own_way_gives_no_traceback(monkeypatch):
    def failing(*_, **__):
        raise AttributeError("record of Ann")

    monkeypatch.setattr(sqlglot, "parse", failing)
    with pytest.raises(QueryError) as refused:
        parse("select count(*) from people", NAMES)
    assert "Ann" not in str(refused.value)
    assert refused.value.__cause__ is None
