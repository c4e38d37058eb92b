"""Columns that determine each other are audited together, held against linear algebra made another way."""

import itertools
import random

import numpy as np
import pytest

from divulge.errors import SchemaError
from queries.guarded import opened, written

COLUMNS = "id INTEGER, age INTEGER, city VARCHAR, salary INTEGER, month DOUBLE, cost INTEGER, profit INTEGER"
CONTROLS = {"set_size": 5, "differencing": True}
AMOUNTS = {
    "salary": {"bounds": [0, 200_000]},
    "month": {"bounds": [0, 20_000]},
    "cost": {"bounds": [0, 200_000]},
    "profit": {"bounds": [-200_000, 200_000]},
}
KNOWN = {"age": {"known": True}, "city": {"known": True}}
PRIME = 1_000_000_007


def people(number=60):
    chance, found = random.Random(4), []
    for place in range(number):
        salary, cost = chance.randint(20_000, 90_000), chance.randint(1_000, 9_000)
        city = "north" if place % 3 else "south"
        found.append((place, 20 + place, city, salary, round(salary / 12, 2), cost, salary - cost))
    return found


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return written(tmp_path_factory.mktemp("dependence") / "people.duckdb", COLUMNS, people())


def together(door):
    """The columns that are audited together, of each audit."""
    return sorted(audit.columns for audit in door.guard._table.audits if len(audit.columns) > 1)


def outcomes(door, *asked):
    return [door.ask(f"select {one}").outcome for one in asked]


def with_amounts(tmp_path, types, rows, columns, **more):
    """A door to a table of ages and amounts."""
    number = len(list(tmp_path.iterdir()))
    source = written(tmp_path / f"{number}.duckdb", f"id INTEGER, age INTEGER, {types}", rows)
    return opened(source, {"age": {"known": True}, **columns}, controls=CONTROLS, **more)


def test_a_salary_does_not_follow_from_costs_and_profits(source):
    with opened(source, KNOWN | AMOUNTS, controls=CONTROLS) as door:
        (audit,) = door.guard._table.audits
        assert audit.columns == ("salary", "month", "cost", "profit")
        assert audit.parts == 2  # a salary, of which a month is a twelfth, and a cost
        assert {name: found.tolist() for name, found in audit.factors.items()} == {
            "salary": [[1, 0]],
            "month": [[1, 0]],
            "cost": [[0, 1]],
            "profit": [[1, -1]],
        }
        assert outcomes(
            door,
            "sum(salary) from people where age between 30 and 40",
            "sum(cost) from people where age between 31 and 40",
        ) == ["answered", "answered"]
        refused = door.ask("select sum(profit) from people where age between 31 and 40")
        assert (refused.control, refused.from_data) == ("differencing", False)
        assert door.ask("select avg(month) from people where age between 31 and 40").control == "differencing"
        # What follows from answers is answered: profits of those whose salaries and costs are.
        assert (
            outcomes(
                door,
                "sum(cost) from people where age between 31 and 45",
                "sum(salary) from people where age between 50 and 60",
                "sum(cost) from people where age between 50 and 60",
                "avg(profit) from people where age between 50 and 60",
            )
            == ["answered"] * 4
        )
        state = door.guard.replay(door.log)
        query = door.guard.parse("select sum(profit) from people where age between 31 and 40")
        assert door.guard.decide(query, "bo", state).control == "differencing"


def test_an_answer_of_long_ago_that_told_too_much_ends_the_answers(source):
    asked = [
        "select sum(salary) from people where age between 30 and 40",
        "select sum(month) from people where age between 31 and 40",
    ]
    log = []
    for text in asked:  # as if each column were audited by itself
        with opened(source, KNOWN | AMOUNTS, controls=CONTROLS) as door:
            door.ask(text)
            log += door.log
    with opened(source, KNOWN | AMOUNTS, controls=CONTROLS) as door:
        door.state = door.guard.replay(log)
        assert door.ask("select sum(cost) from people where age < 60").control == "differencing"
        assert door.ask("select count(*) from people where age < 60").outcome == "answered"


def test_columns_that_determine_nothing_are_audited_by_themselves(tmp_path):
    chance = np.random.default_rng(0)
    pay = chance.integers(1000, 9000, 80)
    rows = [
        (place, 20 + place, int(paid), int(paid) ** 2 // 1000, int(other), int(paid * noise))
        for place, (paid, other, noise) in enumerate(
            zip(pay, chance.integers(0, 9000, 80), chance.uniform(0.9, 1.1, 80), strict=True)
        )
    ]
    bounds = {"bounds": [0, 100_000]}
    columns = {"pay": bounds, "square": bounds, "other": bounds, "near": bounds}
    types = "pay INTEGER, square INTEGER, other INTEGER, near INTEGER"
    with with_amounts(tmp_path, types, rows, columns) as door:
        assert together(door) == []
        assert [*door.state.families] == []
        door.ask("select sum(pay) from people where age < 60")
        assert [*door.state.families] == ["pay"]


def amounts(number=80, seed=1):
    chance = random.Random(seed)
    return [(chance.randint(20_000, 90_000), chance.randint(1_000, 9_000)) for _ in range(number)]


@pytest.mark.parametrize(
    ("of", "factors"),
    [
        (lambda one, other, age: one, [[1, 0]]),
        (lambda one, other, age: 1.95583 * one, [[1, 0]]),
        (lambda one, other, age: -one, [[1, 0]]),
        (lambda one, other, age: round(one, -2), [[1, 0]]),
        (lambda one, other, age: 3 * one - 2 * other + 700, [[3, -2]]),
        (lambda one, other, age: one / 3 + other / 7, [[7, 3]]),
        (lambda one, other, age: round(0.305 * one) + 100 * age, [[1, 0]]),
        (lambda one, other, age: one + (30_000 if age < 31 else 0), None),
        (lambda one, other, age: one + 40 * age, [[1, 0]]),
        (lambda one, other, age: 17.5 if age == 33 else one + other, [[1, 1]]),
        (lambda one, other, age: None if age == 33 else one + other, [[1, 1]]),
    ],
)
def test_what_is_linear_in_others_constants_and_known_columns_is_found(tmp_path, of, factors):
    rows = [
        (place, 20 + place % 40, one, other, of(one, other, 20 + place % 40))
        for place, (one, other) in enumerate(amounts())
    ]
    wide = {"bounds": [-1_000_000, 1_000_000]}
    columns = {"one": wide, "other": wide, "third": wide}
    with with_amounts(tmp_path, "one INTEGER, other INTEGER, third DOUBLE", rows, columns) as door:
        found = max(door.guard._table.audits, key=lambda audit: ("third" in audit.columns, audit.parts))
        if factors is None:  # by age below 31, which is not linear in age, and few have it
            assert together(door) == []
            return
        used = [place for place, factor in enumerate(factors[0]) if factor]
        assert found.factors["third"].tolist() == [[factors[0][one] for one in used]]


def test_what_a_known_category_adds_is_known(source, tmp_path):
    rows = [(*row[:3], row[3], row[3] + (3000 if row[2] == "north" else 0)) for row in people()]
    types = "id INTEGER, age INTEGER, city VARCHAR, salary INTEGER, paid INTEGER"
    where = written(tmp_path / "p.duckdb", types, rows)
    columns = {**KNOWN, "salary": AMOUNTS["salary"], "paid": AMOUNTS["salary"]}
    with opened(where, columns, controls=CONTROLS) as door:
        assert together(door) == [("salary", "paid")]
        assert outcomes(
            door,
            "sum(salary) from people where age < 40",
            "sum(paid) from people where age < 40 and age <> 33",
        ) == ["answered", "refused"]


def test_a_small_part_of_a_total_is_safe_and_so_is_the_total(tmp_path):
    # The bonus is a two-hundredth of the salary's spread: within it, total and salary are the same.
    chance = random.Random(3)
    rows = []
    for place, (salary, _) in enumerate(amounts()):
        bonus = chance.randint(0, 300)
        rows.append((place, 20 + place, bonus, salary, salary + bonus))
    bounds = {"bounds": [0, 100_000]}
    for order in itertools.permutations(("bonus", "salary", "total")):
        columns = dict.fromkeys(order, bounds)
        with with_amounts(tmp_path, "bonus INTEGER, salary INTEGER, total INTEGER", rows, columns) as door:
            assert {tuple(sorted(one)) for one in together(door)} == {
                ("salary", "total"),
                ("bonus", "salary", "total"),
            }
            assert outcomes(
                door,
                "sum(salary) from people where age < 40",
                "sum(total) from people where age < 40",
                "sum(bonus) from people where age < 40 and age <> 33",
                "sum(total) from people where age < 40 and age <> 33",
            ) == ["answered", "answered", "refused", "refused"]


def test_relations_are_those_of_records_with_the_same_values(tmp_path):
    # Where there is no cost, profit is the salary; elsewhere it is less by the cost.
    rows = [
        (place, 20 + place, one, other if place % 2 else None, one - (other if place % 2 else 0))
        for place, (one, other) in enumerate(amounts(120))
    ]
    bounds = {"bounds": [-100_000, 100_000]}
    columns = {"salary": bounds, "cost": bounds, "profit": bounds}
    with with_amounts(tmp_path, "salary INTEGER, cost INTEGER, profit INTEGER", rows, columns) as door:
        assert together(door) == [("salary", "cost", "profit")]
        even = ", ".join(str(age) for age in range(20, 60, 2))
        odd = ", ".join(str(age) for age in range(21, 61, 2))
        assert outcomes(
            door,
            f"sum(salary) from people where age in ({even})",
            f"sum(profit) from people where age in ({even}) and age <> 30",
            f"sum(salary) from people where age in ({odd})",
            f"sum(profit) from people where age in ({odd}) and age <> 31",
            f"sum(cost) from people where age in ({odd}) and age <> 31",
        ) == ["answered", "refused", "answered", "answered", "refused"]


def test_a_margin_is_refused_where_columns_determine_each_other(source):
    controls = {"differencing": {"margin": 0.05}}
    with pytest.raises(SchemaError) as refused, opened(source, KNOWN | AMOUNTS, controls=controls):
        pass
    assert refused.value.message == (
        "'salary', 'month', 'cost' and 'profit' determine each other, and a margin is about one column."
    )
    alone = {**KNOWN, "salary": AMOUNTS["salary"], "cost": AMOUNTS["cost"]}
    with opened(source, alone, controls=controls) as door:
        assert together(door) == []


def test_other_kinds_of_answers_are_not_concerned(source):
    for kind in ({"kind": "cell key"}, {"kind": "differential privacy", "epsilon": 1, "budget": 9}):
        with opened(source, KNOWN | AMOUNTS, answers=kind) as door:
            assert together(door) == []


# -- whatever is asked, nobody's value follows --------------------------------------------------------


class Known:
    """Equations over everybody's values modulo a prime, solved as they come."""

    def __init__(self, unknowns):
        self.rows = np.zeros((0, unknowns), np.int64)
        self.leads = []

    def add(self, row):
        row = row % PRIME
        for lead, other in zip(self.leads, self.rows, strict=True):
            row = (row - row[lead] * other) % PRIME
        places = np.flatnonzero(row)
        if not len(places):
            return
        row = row * pow(int(row[places[0]]), -1, PRIME) % PRIME
        self.rows = (self.rows - self.rows[:, places[0], None] * row) % PRIME
        self.rows = np.vstack([self.rows, row])
        self.leads.append(int(places[0]))

    @property
    def values(self):
        """The unknowns that follow."""
        single = (self.rows != 0).sum(axis=1) == 1
        return [lead for lead, one in zip(self.leads, single, strict=True) if one]


def random_table(chance):
    """Names, rows and, for the relations, factors of columns: random sums of two or three that are free."""
    number, free = chance.randint(36, 48), chance.randint(1, 3)
    dependent = chance.randint(1, 3)
    by = [[chance.choice([-2, -1, 0, 1, 1, 3]) for _ in range(free)] for _ in range(dependent)]
    by = [row if any(row) else [1] * free for row in by]
    added = [(chance.choice([0, 500]), chance.choice([0, 12])) for _ in by]  # a constant, and by age
    order = list(range(free + dependent))
    chance.shuffle(order)
    rows = []
    for place in range(number):
        parts = [chance.randint(0, 9_999) for _ in range(free)]
        sums = [
            sum(factor * part for factor, part in zip(row, parts, strict=True)) + constant + per_age * place
            for row, (constant, per_age) in zip(by, added, strict=True)
        ]
        amount = [(parts + sums)[one] for one in order]
        rows.append((place, place, *(None if chance.random() < 0.05 else one for one in amount)))
    relations = []
    for one, row in enumerate(by):
        relation = [-factor for factor in row] + [int(other == one) for other in range(dependent)]
        relations.append([relation[place] for place in order])
    return [f"a{one}" for one in range(len(order))], rows, relations


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_asked_nobodys_value_follows_from_all_answers(tmp_path, seed):
    chance = random.Random(seed)
    names, rows, relations = random_table(chance)
    bounds = {"bounds": [-1_000_000, 1_000_000]}
    types = ", ".join(f"{name} INTEGER" for name in names)
    known = Known(len(rows) * len(names))
    place = {(row[0], name): row[0] * len(names) + at for row in rows for at, name in enumerate(names)}
    for row in rows:
        for relation in relations:
            if all(row[2 + at] is not None for at, factor in enumerate(relation) if factor):
                equation = np.zeros(len(rows) * len(names), np.int64)
                equation[row[0] * len(names) : (row[0] + 1) * len(names)] = relation
                known.add(equation)
    answered = 0
    with with_amounts(tmp_path, types, rows, dict.fromkeys(names, bounds)) as door:
        assert together(door)
        for _ in range(70):
            low, high = sorted(chance.sample(range(len(rows)), 2))
            without = chance.choice([-1, chance.randint(low, high)])
            name, how = chance.choice(names), chance.choice(["sum", "avg"])
            text = f"{how}({name}) from people where age between {low} and {high} and age <> {without}"
            if door.ask(f"select {text}").outcome != "answered":
                continue
            answered += 1
            equation = np.zeros(len(rows) * len(names), np.int64)
            for row in rows[low : high + 1]:
                if row[0] != without and row[2 + names.index(name)] is not None:
                    equation[place[row[0], name]] = 1
            known.add(equation)
        assert known.values == []
    assert answered > 5


def test_without_the_audit_of_all_together_the_same_queries_tell_values(tmp_path):
    """The equations above find what they look for."""
    known = Known(4)
    known.add(np.array([1, -1, 0, 0]))
    known.add(np.array([0, 0, 1, -1]))
    known.add(np.array([1, 0, 1, 0]))
    assert known.values == []
    known.add(np.array([0, 0, 0, 1]))
    assert sorted(known.values) == [0, 1, 2, 3]
