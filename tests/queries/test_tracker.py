"""Trackers: attacks that find one person's value from answers about many, and the controls that stop them.

An individual tracker (Schlörer, 1975) and the general tracker of Denning, Denning and Schwartz (1979).
"""

import itertools

import pytest

from queries.guarded import Door, opened, written

AGES = range(20, 40)
ROWS = [
    (number, age, city, sex, 1000 + 37 * number)
    for number, (age, city, sex) in enumerate(itertools.product(AGES, ("north", "south"), ("f", "m")))
]
PLAIN = {
    "age": {"known": True},
    "city": {"known": True},
    "sex": {"known": True},
    "salary": {"bounds": [0, 10_000]},
}
VICTIM = "age = 33 and city = 'south' and sex = 'f'"
SALARY = next(row[4] for row in ROWS if row[1:4] == (33, "south", "f"))
SIZE = {"set_size": 10}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    columns = "id INTEGER, age INTEGER, city VARCHAR, sex VARCHAR, salary INTEGER"
    return written(tmp_path_factory.mktemp("tracker") / "people.duckdb", columns, ROWS)


def total(door: Door, condition: str):
    return door.value(f"select sum(salary) from people where {condition}")


def individual_tracker(door):
    """The victim meets C = A and B: sum(C) = sum(A) - sum(A and not B)."""
    parts = total(door, "city = 'south'"), total(door, "city = 'south' and not (age = 33 and sex = 'f')")
    return None if None in parts else parts[0] - parts[1]


def general_tracker(door):
    """With any T of fitting size: sum(C) = sum(C or T) + sum(C or not T) - sum(T) - sum(not T)."""
    tracker = "age < 30"
    parts = [
        total(door, condition)
        for condition in (
            f"({VICTIM}) or {tracker}",
            f"({VICTIM}) or not {tracker}",
            tracker,
            f"not {tracker}",
        )
    ]
    return None if None in parts else parts[0] + parts[1] - parts[2] - parts[3]


ATTACKS = pytest.mark.parametrize("attack", [individual_tracker, general_tracker])


@ATTACKS
@pytest.mark.parametrize("controls", [{}, SIZE])
def test_without_an_audit_a_tracker_finds_the_value_and_set_sizes_do_not_stop_it(clinic, controls, attack):
    with opened(clinic, PLAIN, controls=controls) as door:
        assert (total(door, VICTIM) is None) == bool(controls)
        assert attack(door) == SALARY


@ATTACKS
@pytest.mark.parametrize(
    "controls",
    [
        {**SIZE, "differencing": True},
        {"differencing": True},
        {**SIZE, "differencing": {"margin": 0.05}},
        {**SIZE, "differencing": {"margin": 0.05, "decided_from": "answers"}},
        {**SIZE, "overlap": 5},
    ],
)
def test_with_an_audit_or_a_limit_of_overlap_a_tracker_is_refused(clinic, controls, attack):
    with opened(clinic, PLAIN, controls=controls) as door:
        assert attack(door) is None
        assert total(door, VICTIM) is None
        assert door.state.answered > 0


@ATTACKS
def test_analysts_together_are_refused_what_one_is(clinic, attack):
    with opened(clinic, PLAIN, controls={"differencing": True}) as door:
        names = iter("abcdefgh")
        ask = door.ask
        door.ask = lambda text, by: ask(text, next(names))
        assert attack(door) is None


def test_a_mean_says_what_a_sum_and_a_count_say(clinic):
    with opened(clinic, PLAIN, controls={"differencing": True}) as door:
        assert door.value("select avg(salary) from people where city = 'south'") is not None
        rest = "select sum(salary) from people where city = 'south' and not (age = 33 and sex = 'f')"
        decision = door.ask(rest)
        assert (decision.control, decision.from_data) == ("differencing", False)


def test_with_intervals_a_tracker_ends_as_wide_as_a_value_is_hidden(clinic):
    hidden = {**PLAIN, "salary": {"bounds": [0, 10_000], "camouflage": 500}}
    with opened(clinic, hidden, controls=SIZE, answers={"kind": "camouflage"}) as door:
        whole = door.ask("select sum(salary) from people where city = 'south'").answer
        rest = door.ask(
            "select sum(salary) from people where city = 'south' and not (age = 33 and sex = 'f')"
        ).answer
        low, high = whole.low - rest.low, whole.high - rest.high
        assert low <= SALARY <= high
        assert high - low == 500


@ATTACKS
def test_with_keys_a_tracker_finds_another_value_and_again_the_same(clinic, attack):
    with opened(clinic, PLAIN, controls=SIZE, answers={"kind": "cell key"}) as door:
        found = attack(door)
        assert found != SALARY
        assert (found - SALARY) % 10_000 != 0  # whole widths of the bounds would hide nothing
        assert attack(door) == found


@ATTACKS
def test_with_noise_a_tracker_finds_another_value_and_the_budget_ends(clinic, attack):
    spending = {"kind": "differential privacy", "epsilon": 0.1, "budget": 0.4}
    with opened(clinic, PLAIN, answers=spending) as door:
        found = attack(door)
        assert found != SALARY  # by chance the same once in a hundred thousand runs
        for least in range(20, 25):
            last = door.ask(f"select count(*) from people where age >= {least}")
        assert (last.outcome, last.control) == ("refused", "budget")
