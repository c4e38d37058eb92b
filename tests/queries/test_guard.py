"""The guard: controls in turn, what is remembered, what is spent, and what answers say."""

import itertools
import random
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from divulge.errors import QueryError, SchemaError
from divulge.queries.decision import Answered
from queries.guarded import opened, written
from queries.test_span import somebody_determined
from queries.test_sql import CONDITIONS, SLIPS, WORDS

COLUMNS = "id INTEGER, age INTEGER, city VARCHAR, illness VARCHAR, pay DECIMAL(9, 2), hours DOUBLE"
CITIES, ILLNESSES = ("north", "south", "west"), ("flu", "none", None)
ROWS = [
    (
        number,
        20 + number % 7,
        CITIES[number % 3],
        ILLNESSES[number % 2] if number % 5 else None,
        None if number % 11 == 0 else 100 + 12.25 * number,
        None if number % 13 == 0 else number * 37 % 60 / 8,
    )
    for number in range(60)
]
KNOWN = {"age": {"known": True}, "city": {"known": True}}
PAY = {**KNOWN, "pay": {"bounds": [0, 1000]}, "hours": {"bounds": [0, 8]}}
PRIVATE = {"kind": "differential privacy", "epsilon": 1, "budget": 10}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return written(tmp_path_factory.mktemp("guard") / "people.duckdb", COLUMNS, ROWS)


def paid(row):
    return Fraction(0) if row[4] is None else Fraction(str(row[4]))


def test_exact_answers_are_exact(source):
    south = [row for row in ROWS if row[2] == "south"]
    present = [row for row in south if row[4] is not None]
    with opened(source, PAY) as door:
        assert door.value("select count(*) from people where city = 'south'") == len(south)
        total = door.value("select sum(pay) from people where city = 'south'")
        assert total == sum(map(paid, south))
        assert door.value("select avg(pay) from people where city = 'south'") == total / len(present)
        hours = sum(Fraction(row[5]) for row in south if row[5] is not None)
        assert door.value("select sum(hours) from people where city = 'south'") == hours


def test_a_sum_of_nothing_has_no_value(source):
    with opened(source, PAY) as door:
        decision = door.ask("select sum(pay) from people where age = 99")
        assert (decision.outcome, decision.control) == ("refused", "no value")
        assert door.value("select count(*) from people where age = 99") == 0


def test_too_few_and_too_many_are_refused_with_the_limits(source):
    with opened(source, PAY, controls={"set_size": 21}) as door:
        few = door.ask("select count(*) from people where city = 'south'")
        many = door.ask("select sum(pay) from people")
        assert (few.control, few.reason) == ("set size", "Too few people meet the conditions.")
        assert many.reason == "Too many people meet the conditions."
        assert "at least 21 people and at most 33 of 54" in many.hint  # who have a value
        assert "at least 21 people and at most 39 of 60" in few.hint
        assert door.ask("select count(*) from people where city <> 'south'").control == "set size"  # 40 of 60
        assert door.value("select count(*) from people where age < 23") == 27


def test_people_are_counted_not_records(tmp_path):
    rows = [(number, number // 4, number % 4, number) for number in range(40)]
    source = written(tmp_path / "visits.duckdb", "id INTEGER, who INTEGER, visit INTEGER, cost INTEGER", rows)
    columns = {"visit": {"known": True}, "cost": {"bounds": [0, 500]}}
    table = {"person": "who"}
    with opened(source, columns, controls={"set_size": 10}, table=table) as door:
        assert (
            door.ask("select count(*) from people where visit < 9").control == "set size"
        )  # everyone: 10 of 10
    with opened(source, columns, controls={"set_size": 1, "differencing": True}, table=table) as door:
        assert door.guard.parse("select sum(cost) from people").text
        assert door.ask("select sum(cost) from people where visit = 1").control == "set size"


def test_a_limit_of_overlap_is_of_each_earlier_set(source):
    with opened(source, PAY, controls={"overlap": 5}) as door:
        assert door.value("select sum(pay) from people where city = 'south'") is not None
        assert door.value("select sum(pay) from people where city = 'north'") is not None
        assert door.ask("select sum(pay) from people where age < 23").control == "overlap"
        assert door.value("select sum(pay) from people where age = 20 and city <> 'west'") is not None
        assert door.value("select count(*) from people where age < 23") == 27  # says nothing confidential


def test_the_same_query_has_the_same_answer_and_leaves_the_state(source):
    with opened(source, PAY, controls={"overlap": 5, "differencing": True}) as door:
        one = door.ask("select sum(pay) from people where city in ('south', 'west') and age > 3")
        state = door.state
        other = door.ask("select SUM(pay) from people where age > 3 and city in ('west', 'south')")
        assert (other.answer, other.repeated, door.state) == (one.answer, True, state)


def test_all_queries_in_an_order_by_lot_determine_nobody(tmp_path):
    rows = [(number, number % 2, number // 2 % 2, number // 4, 7 * number) for number in range(7)]
    source = written(tmp_path / "p.duckdb", "id INTEGER, a INTEGER, b INTEGER, c INTEGER, pay INTEGER", rows)
    columns = {**{name: {"known": True} for name in "abc"}, "pay": {"bounds": [0, 500]}}
    literals = [f"{name} = {value}" for name in "abc" for value in (0, 1)]
    asked = [*literals]
    for one, other in itertools.combinations(literals, 2):
        asked += [f"{one} and {other}", f"{one} or {other}"]
    asked += [" and ".join(three) for three in itertools.product(*(literals[i : i + 2] for i in (0, 2, 4)))]
    random.Random(0).shuffle(asked)
    with opened(source, columns, controls={"differencing": True}) as door:
        outcomes = {where: door.value(f"select sum(pay) from people where {where}") for where in asked}
        sets = [
            [
                bool(eval(where.replace(" = ", " == "), {}, dict(zip("abc", row[1:4], strict=True))))
                for row in rows
            ]
            for where, value in outcomes.items()
            if value is not None
        ]
        assert len(sets) > 5
        assert not somebody_determined(sets, range(7))
        assert door.guard.replay(door.log).answered == door.state.answered


TEXTS = st.one_of(
    st.sampled_from(SLIPS),
    CONDITIONS.filter(lambda text: "weight" not in text).map("select sum(pay) from people where {}".format),
    st.lists(st.sampled_from(WORDS.split()), max_size=20).map(" ".join),
)
EXECUTED = re.compile(
    r'SELECT "id" FROM "people" WHERE (?:"(?:age|city)"|AND|OR|NOT|IN|IS|NULL|[=<>]+|\0|[(),]|\s)+'
)


@pytest.fixture(scope="module")
def watched(source):
    """A door, and every statement that the database is sent."""
    with opened(source, PAY) as door:
        database, sent = door.guard._table._database, []
        columns = database.columns

        def recorded(sql, values=()):
            sent.append(sql)
            return columns(sql, values)

        database.columns = recorded
        yield door, sent


@given(text=TEXTS)
def test_only_names_operators_and_marks_reach_the_database(watched, text):
    door, sent = watched
    try:
        query = door.guard.parse(text)
    except QueryError:
        assert not sent
        return
    door.guard.decide(query, "ann", door.state)
    assert all(EXECUTED.fullmatch(sql) for sql in sent)
    sent.clear()


def test_a_state_is_built_again_from_the_log(source):
    queries = [
        "select sum(pay) from people where city = 'south'",
        "select avg(pay) from people where age < 25",
        "select sum(hours) from people where age > 21",
        "select count(*) from people where age > 21",
    ]
    late = "select sum(pay) from people where city = 'south' and not (age = 24)"
    controls = {"set_size": 3, "overlap": 40, "differencing": {"margin": 0.1}}
    with opened(source, PAY, controls=controls) as door:
        for text in queries:
            assert door.ask(text).outcome == "answered"
        documents = [entry.document() for entry in door.log]
        state = door.guard.replay(map(Answered.of, documents))
        assert [*state.answers] == [*door.state.answers]
        for text in (late, *queries, "select sum(pay) from people where age < 24"):
            query = door.guard.parse(text)
            assert door.guard.decide(query, "bo", state) == door.guard.decide(query, "bo", door.state)


def test_noisy_answers_may_have_conditions_on_confidential_columns(source):
    ill = {**PAY, "illness": {"conditions": True}}
    large = {"kind": "differential privacy", "epsilon": 300, "budget": 1000}
    with opened(source, ill, answers=large) as door:
        truth = sum(row[3] == "flu" and row[1] > 20 for row in ROWS)
        assert abs(door.value("select count(*) from people where illness = 'flu' and age > 20") - truth) <= 1
        truth = sum(row[3] == "flu" or row[1] > 20 for row in ROWS)
        assert abs(door.value("select count(*) from people where illness = 'flu' or age > 20") - truth) <= 1
        assert door.value("select avg(pay) from people where illness = 'flu'") is not None


def test_a_sum_of_those_with_a_value_is_not_of_all_but_one_of_them(tmp_path):
    rows = [(number, number, number if number < 10 else None) for number in range(100)]
    source = written(tmp_path / "p.duckdb", "id INTEGER, k INTEGER, pay INTEGER", rows)
    columns = {"k": {"known": True}, "pay": {"bounds": [0, 1000]}}
    with opened(source, columns, controls={"set_size": 5}) as door:
        many = door.ask("select sum(pay) from people where k < 50")  # all ten who have a value
        assert (many.control, many.reason) == ("set size", "Too many people meet the conditions.")
        assert "at most 5 of 10" in many.hint
        assert door.ask("select sum(pay) from people where k > 0 and k < 50").control == "set size"
        assert door.value("select sum(pay) from people where k < 5") == 10
        assert door.value("select count(*) from people where k < 50") == 50


def test_intervals_of_all_queries_together_leave_everyone_their_width(source):
    hidden = {**KNOWN, "pay": {"bounds": [0, 1000], "camouflage": 150}}
    present = [row for row in ROWS if row[4] is not None]
    tests = {f"age = {age}": (1, age) for age in range(20, 27)} | {f"city = '{c}'": (2, c) for c in CITIES}
    with opened(source, hidden, answers={"kind": "camouflage"}) as door:
        rows, lows, highs = [], [], []
        for one, other in itertools.combinations_with_replacement(tests, 2):
            answer = door.ask(f"select sum(pay) from people where {one} and {other}").answer
            if answer is not None:
                places = [tests[one], tests[other]]
                rows.append([float(all(row[place] == value for place, value in places)) for row in present])
                lows.append(float(answer.low))
                highs.append(float(answer.high))
                assert (
                    answer.low
                    <= sum(paid(r) * int(m) for r, m in zip(present, rows[-1], strict=True))
                    <= answer.high
                )
        matrix = np.array(rows + [[-one for one in row] for row in rows])
        limits = np.array(highs + [-low for low in lows]) + 1e-9
        for record in range(0, len(present), 9):
            goal = np.eye(len(present))[record]
            ends = [sign * linprog(sign * goal, matrix, limits, bounds=(0, 1000)).fun for sign in (1, -1)]
            assert ends[1] - ends[0] >= 150 - 1e-6
            assert ends[0] - 1e-6 <= paid(present[record]) <= ends[1] + 1e-6


def test_the_last_interval_reaches_the_upper_bound(tmp_path):
    source = written(
        tmp_path / "p.duckdb", "id INTEGER, g INTEGER, pay INTEGER", [(1, 0, 100), (2, 1, 0), (3, 2, 59)]
    )
    columns = {"g": {"known": True}, "pay": {"bounds": [0, 100], "camouflage": 30}}
    with opened(source, columns, answers={"kind": "camouflage"}) as door:
        ends = [door.ask(f"select sum(pay) from people where g = {g}").answer for g in range(3)]
        assert [(one.low, one.high) for one in ends] == [(60, 100), (0, 30), (30, 60)]


def test_a_key_changes_a_query_set_by_the_same_whatever_it_is_called(source):
    with opened(source, PAY, answers={"kind": "cell key", "largest": 3}) as door:
        values = [
            door.value("select count(*) from people where city = 'south' or city = 'west'"),
            door.value("select count(*) from people where not (city = 'north')"),
            door.value("select count(*) from people where city in ('south', 'west')"),
        ]
        assert len(set(values)) == 1
        changes = [door.value(f"select count(*) from people where age <> {age}") for age in range(20, 27)]
        truth = [sum(row[1] != age for row in ROWS) for age in range(20, 27)]
        assert changes != truth
        assert all(abs(one - other) <= 3 for one, other in zip(changes, truth, strict=True))


def test_an_analyst_spends_no_more_than_the_budget_and_all_no_more_than_theirs(source):
    private = {"kind": "differential privacy", "epsilon": 0.1, "budget": 0.3, "total": 0.5}
    with opened(source, PAY, answers=private) as door:
        left = [
            door.ask(f"select count(*) from people where age > {age}", "ann").left for age in range(20, 24)
        ]
        assert left == [Decimal("0.2"), Decimal("0.1"), Decimal(0), Decimal(0)]
        again = door.ask("select count(*) from people where age > 20", "ann")
        assert (again.outcome, again.spent, again.repeated) == ("answered", 0, True)
        assert door.ask("select avg(pay) from people", "bo").answer.error
        assert door.ask("select sum(pay) from people", "bo").spent == Decimal("0.1")
        refused = door.ask("select sum(hours) from people", "cy")
        assert refused.reason == (
            "An answer costs an epsilon of 0.1, and 0.0 of the 0.5 for all analysts is left."
        )
        assert door.guard.replay(door.log).spending == {"ann": Decimal("0.3"), "bo": Decimal("0.2")}


def test_noise_is_around_the_truth_of_values_cut_to_their_bounds(source):
    large = {"kind": "differential privacy", "epsilon": 1000, "budget": 1000}
    cut = {**PAY, "pay": {"bounds": [0, 200], "grain": 0.25}}
    with opened(source, cut, answers=large) as door:
        truth = sum(min(paid(row), 200) for row in ROWS)
        assert abs(door.value("select sum(pay) from people") - truth) <= 10
    with opened(source, PAY, answers=large) as door:
        assert abs(door.value("select count(*) from people where age = 20") - 9) <= 1


def test_sums_that_would_not_fit_a_machine_number_are_refused_at_once(source):
    fine = {**KNOWN, "pay": {"bounds": [0, 10**14], "grain": 0.0001}}
    with pytest.raises(SchemaError, match="larger grain"), opened(source, fine, answers=PRIVATE):
        pass
    noisy = {**PRIVATE, "epsilon": 1e-6}
    wide = {**KNOWN, "pay": {"bounds": [0, 10**12]}}
    with pytest.raises(SchemaError, match="larger epsilon"), opened(source, wide, answers=noisy):
        pass
    with opened(source, PAY, answers=noisy) as door:
        assert abs(door.value("select count(*) from people")) < 2**62
        assert abs(door.value("select sum(pay) from people")) < 2**62


def test_under_differential_privacy_a_person_has_so_many_records(tmp_path):
    rows = [(number, number // 5, 1) for number in range(50)]
    source = written(tmp_path / "visits.duckdb", "id INTEGER, who INTEGER, cost INTEGER", rows)
    large = {"kind": "differential privacy", "epsilon": 1000, "budget": 1000}
    table = {"person": "who", "records_per_person": 2}
    with opened(source, {"cost": {"bounds": [0, 1]}}, answers=large, table=table) as door:
        assert abs(door.value("select count(*) from people") - 20) <= 1


def test_a_table_that_is_not_the_one_of_the_log_is_refused(source):
    text = "select sum(pay) from people where city = 'south'"
    with opened(source, PAY, controls={"differencing": True}) as door:
        door.ask(text)
        log, fingerprint = door.log, door.guard._table.fingerprint
    with opened(source, PAY, controls={"differencing": True}, fingerprint=fingerprint) as door:
        door.state = door.guard.replay(log)
        assert door.ask(text).repeated
    with opened(source, PAY, controls={"differencing": True}, fingerprint="another") as door:
        door.state = door.guard.replay(log)
        for asked in (text, "select count(*) from people"):
            decision = door.ask(asked)
            assert (decision.outcome, decision.control) == ("refused", "changed table")


def test_what_is_written_of_a_decision_has_no_more_than_it_says(source):
    with opened(source, PAY, controls={"set_size": 21}) as door:
        refused = door.ask("select sum(pay) from people where city = 'south'").document()
        assert set(refused) == {"query", "asked_by", "outcome", "control", "reason", "hint"}
        answered = door.ask("select sum(pay) from people where age < 24")
        assert Answered.of(answered.answered.document()) == answered.answered
