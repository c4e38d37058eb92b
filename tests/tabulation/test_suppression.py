"""Secondary suppression: what it hides is not found, and nothing cheaper would do."""

import itertools

import numpy as np
import pytest

from divulge.errors import CannotProtect
from divulge.tabulation.attackers.programs import Clock
from divulge.tabulation.risk.rules import CellRules, cell_risk
from divulge.tabulation.suppression.auditing import audit
from divulge.tabulation.suppression.exact import least_cost
from divulge.tabulation.suppression.fast import good_pattern
from divulge.tabulation.suppression.protecting import suppressed
from divulge.tabulation.table_policy import Protection
from tabulation.small_tables import counted, integer_tables, problem, random_magnitudes

RULES = CellRules(3, p_percent=10.0)


def fails(problem, pattern):
    return [one for one in audit(problem, pattern) if one.outcome == "fail"]


def withstands(built, asked, pattern, most):
    """Whether a pattern of counts keeps every cell at risk, by all tables of whole numbers."""
    if (asked.primary & ~pattern).any():
        return False
    tables = integer_tables(built, pattern, most)
    tables = tables[(tables >= asked.value - asked.room_down).all(axis=1)]  # empty cells are published
    low, high = tables.min(axis=0), tables.max(axis=0)
    wide = (high >= asked.value + asked.up) & (low <= asked.value - asked.down)
    return bool(wide[(asked.up > 0) | (asked.down > 0)].all())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("search", [least_cost, good_pattern], ids=["exact", "fast"])
def test_no_cheaper_pattern_withstands_by_trying_all_of_them(seed, search):
    lots = np.random.default_rng(seed)
    built = counted(lots.integers(0, 6, (2, 3)))
    asked = problem(built, CellRules(2), cost="cells", insiders=False)
    if not asked.primary.any():
        asked = problem(built, CellRules(3), cost="cells", insiders=False)
    found = search(asked, Clock())
    assert found.finished
    assert withstands(built, asked, found.suppressed, 9)
    assert found.bound <= found.cost
    others = np.flatnonzero(asked.eligible & ~asked.primary)
    more = int(found.cost) - int(asked.primary.sum())
    cheapest = next(
        size
        for size in range(more + 1)
        for chosen in itertools.combinations(others.tolist(), size)
        if withstands(built, asked, _with(asked.primary, chosen), 9)
    )
    assert found.bound <= cheapest + asked.primary.sum() + 1e-6
    if search is least_cost:
        assert more == cheapest


def _with(primary, chosen):
    pattern = primary.copy()
    pattern[list(chosen)] = True
    return pattern


CASES = {
    "plain": {},
    "negative": {"negative": True},
    "linked": {"linked": True},
    "hierarchy": {"groups": 2},
    "linked, hierarchy, negative": {"linked": True, "groups": 2, "negative": True},
    "sparse": {"records": 12},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(2))
def test_what_is_hidden_is_not_found(case, seed):
    built = random_magnitudes(seed, **CASES[case])
    asked = problem(built, RULES)
    assert asked.primary.any()
    try:
        found = suppressed(built, asked, Protection(), lambda _: None)
    except CannotProtect:
        everything = fails(asked, asked.eligible)
        assert everything  # suppressing all cells does not help either
        return
    assert found.optimal
    assert fails(asked, found.suppressed) == []


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(10, 40))
def test_what_is_hidden_is_not_found_on_many_tables(case, seed):
    test_what_is_hidden_is_not_found(case, seed)


@pytest.mark.parametrize("seed", range(2))
def test_counts_with_zeros_and_hierarchies_are_hidden_from_all_tables_of_whole_numbers(seed):
    lots = np.random.default_rng(seed + 20)
    built = counted(lots.integers(0, 4, (4, 2)), (2, 0))
    asked = problem(built, CellRules(2, zeros="suppressible"), insiders=False)
    found = suppressed(built, asked, Protection(), lambda _: None)
    assert fails(asked, found.suppressed) == []


@pytest.mark.slow
def test_a_larger_table_with_hierarchies_is_protected_fast_and_alike_on_every_run():
    built = random_magnitudes(2, groups=3, records=500, shape=(9, 8))
    asked = problem(built, RULES)
    found, again = (good_pattern(asked, Clock()) for _ in range(2))
    assert found.finished
    assert (found.suppressed == again.suppressed).all()
    assert 0 <= found.gap < 0.2
    assert fails(asked, found.suppressed) == []
    best = least_cost(asked, Clock())
    assert found.bound <= best.cost * (1 + 1e-9)
    assert best.cost <= found.cost * (1 + 1e-9)


def test_the_pattern_is_the_same_for_records_in_another_order():
    first = random_magnitudes(3)
    entries = first.entries
    order = np.random.default_rng(9).permutation(len(entries.amount))
    from tabulation.small_tables import made

    again = made(
        first.tables,
        {name: one[order] for name, one in entries.categories.items()},
        entries.amount[order],
        "sum",
    )
    patterns = [least_cost(problem(one, RULES), Clock()).suppressed for one in (first, again)]
    assert (patterns[0] == patterns[1]).all()


def test_somebody_alone_in_a_cell_does_not_undo_their_neighbour():
    # Two firms, each alone in a cell of the same row: with both cells suppressed, each knows the other's.
    from divulge.tabulation.layout.linked import LinkedTables
    from tabulation.small_tables import dimension, made

    tables = LinkedTables.of({"t": [dimension("a", 2), dimension("b", 3)]})
    codes = {"a": [0, 0, *[0] * 4, *[1] * 12], "b": [0, 1, *[2] * 4, *[0, 1, 2] * 4]}
    built = made(tables, codes, [50, 60, *[10] * 16], "sum")
    risky = cell_risk(built.facts, CellRules(2), counts=False).at_risk
    assert risky.sum() == 2
    outside = problem(built, CellRules(2), insiders=False, cost="cells")
    inside = problem(built, CellRules(2), insiders=True, cost="cells")
    few = least_cost(outside, Clock()).suppressed
    assert few.sum() == 4
    assert {one.outcome for one in audit(inside, few)} == {"fail", None}
    [one, other] = [one for one in audit(inside, few) if one.outcome == "fail"]
    assert one.insiders == (other.cell,)
    many = least_cost(inside, Clock())
    assert many.suppressed.sum() > 4
    assert fails(inside, many.suppressed) == []


def test_cells_that_cannot_be_protected_are_counted_by_attribute():
    built = counted([[2, 9], [0, 9]])  # the only way round leads over an empty cell
    asked = problem(built, CellRules(3), insiders=False)
    asked.free[~built.tables.inner] = False  # margins are to be published
    with pytest.raises(CannotProtect, match=r"others: 1 of d0 x d1, 1 of d1\. Recode") as refused:
        suppressed(built, asked, Protection(), lambda _: None)
    assert "zeros" in refused.value.hint
    assert "d0 d00, d1 d10" in refused.value.cells


def test_cells_that_one_sum_gives_to_an_insider_are_named_only_where_values_are_asked_for(monkeypatch):
    # Group x is firm A and firm B. To A, who knows half of it, it cannot be 90 % less.
    from divulge.tabulation.account import tabulate

    monkeypatch.setattr("divulge.tabulation.suppression.problem.MOST_INSIDERS", 0)
    monkeypatch.setattr("divulge.tabulation.suppression.protecting.MOST_EXACT", 0)
    data = {"r": ["A", "B", *"C" * 9, *"D" * 9], "g": [*"xx", *"y" * 18], "v": [50, 50, *[10] * 18]}
    rules = {"table": [{"by": ["r"], "value": "v"}, {"by": ["g"], "value": "v"}]}
    rules["rules"] = {"minimum_frequency": 3, "interval": 0.9}
    with pytest.raises(CannotProtect, match=r"1 cell cannot be protected.*: 1 of g\. Recode"):
        tabulate(data, policy=rules)
    with pytest.raises(CannotProtect, match=r": 1 of g\. They are: g x\. Recode"):
        tabulate(data, policy=rules, show_values=True)
