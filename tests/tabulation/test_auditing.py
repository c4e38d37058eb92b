"""The auditor finds what there is to find: compared with all tables of whole numbers, and by hand."""

import math

import numpy as np
import pytest

from divulge.tabulation.account import tabulate
from divulge.tabulation.attackers.programs import Clock, Known, open_bounds
from divulge.tabulation.risk.rules import CellRules
from divulge.tabulation.suppression.auditing import audit
from tabulation.small_tables import counted, integer_tables, problem


def interval(built, pattern, cell):
    bounds = open_bounds(built.facts.value, pattern, least=np.zeros(len(pattern)))
    return Known(built.tables.sums, *bounds.T, True, built.facts.value).interval(cell)


def hidden(built, *names):
    pattern = np.zeros(len(built.tables), np.bool_)
    for name in names:
        pattern[built.tables.places[name]] = True
    return pattern


def test_four_suppressed_cells_of_a_two_by_two_table_by_hand():
    built = counted([[2, 7], [6, 3]])
    pattern = built.tables.inner.copy()
    # Rows are 9 and 9, columns 8 and 10: the first cell x gives 9 - x, 8 - x and 1 + x, so x is 0 to 8.
    first = built.tables.places[("d0", "d00"), ("d1", "d10")]
    assert interval(built, pattern, first) == (0, 8)
    last = built.tables.places[("d0", "d01"), ("d1", "d11")]
    assert interval(built, pattern, last) == (1, 9)


def test_a_cell_that_is_alone_in_its_row_is_found_exactly():
    built = counted([[2, 7], [6, 3]])
    cell = ("d0", "d00"), ("d1", "d10")
    pattern = hidden(built, cell)
    asked = problem(built, CellRules(3), insiders=False)
    [found] = audit(asked, pattern)
    assert (found.lower, found.upper, found.outcome, found.exact) == (2, 2, "fail", True)


@pytest.mark.parametrize("seed", range(6))
def test_intervals_are_those_of_all_tables_of_whole_numbers(seed):
    lots = np.random.default_rng(seed)
    shape, groups = [((3, 3), (0, 0)), ((2, 2, 2), (0, 0, 0)), ((4, 2), (2, 0))][seed % 3]
    built = counted(lots.integers(0, 4, shape), groups)
    inner = np.flatnonzero(built.tables.inner)
    pattern = np.zeros(len(built.tables), np.bool_)
    pattern[lots.choice(inner, 5, replace=False)] = True
    pattern[lots.choice(np.flatnonzero(~built.tables.inner), 2, replace=False)] = True
    everything = integer_tables(built, pattern, 9)
    assert len(everything)
    for cell in np.flatnonzero(pattern).tolist():
        low, high = interval(built, pattern, cell)
        assert low == everything[:, cell].min()
        largest = everything[:, cell].max()
        assert high == largest or (largest >= 9 and high >= largest)  # tables go up to 9 a cell


def test_a_whole_number_is_found_where_halves_would_be_possible():
    # All two-way margins of a three-way table are 1: over the reals a cell can be one half.
    odd = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    built = counted(np.asarray(odd))
    pattern = built.tables.inner.copy()
    everything = integer_tables(built, pattern, 2)
    for cell in np.flatnonzero(pattern).tolist():
        assert interval(built, pattern, cell) == (everything[:, cell].min(), everything[:, cell].max())


def test_what_a_clock_stopped_is_not_evaluated_and_never_passes():
    built = counted([[2, 7], [6, 3]])
    asked = problem(built, CellRules(3), insiders=False)
    found = audit(asked, built.tables.inner.copy(), clock=Clock.of(0.0))
    assert {one.outcome for one in found if one.outcome is not None} <= {"not evaluated"}
    assert all(math.isnan(one.lower) for one in found)


def test_a_cell_at_risk_that_is_published_fails():
    built = counted([[2, 7], [6, 3]])
    asked = problem(built, CellRules(3), insiders=False)
    [found] = audit(asked, np.zeros(len(built.tables), np.bool_))
    assert (found.outcome, found.lower) == ("fail", 2)


CELLS = {"r": ["A"] * 10 + ["B"] * 13, "s": [*"a" * 2, *"b" * 8, *"a" * 7, *"b" * 6]}


def test_tables_without_margins_are_tied_by_the_coarser_tables_beside_them():
    asked = {"table": [{"by": ["r", "s"], "margins": False}, {"by": ["r"]}, {"by": ["s"]}]}
    found = tabulate(CELLS, policy=asked)
    [linked] = found.protected
    # Four inner cells, two and two totals and the grand total: six sums, as in one table with margins.
    assert (len(linked.problem), linked.problem.sums.number) == (9, 6)
    assert linked.suppressed.sum() == 4
    assert found.outcome == "pass"


def test_tables_that_share_totals_which_neither_shows_do_not_simply_pass():
    more = {**CELLS, "t": ["x", "y", "x"] * 7 + ["x", "y"]}
    loose = [{"by": ["r", "s"], "margins": False}, {"by": ["r", "t"], "margins": False}, {"by": ["t"]}]
    found = tabulate(more, policy={"table": loose})
    assert found.outcome == "warn"
    assert "has no totals over 's'" in " ".join(found.document["linked"][0]["audit"]["not_audited"])


def test_a_category_that_determines_another_ties_their_tables():
    places = [("c1", "R1")] * 3 + [("c2", "R1")] * 7 + [("c3", "R2")] * 9 + [("c4", "R2")] * 7
    data = {"county": [one for one, _ in places], "region": [one for _, one in places]}
    found = tabulate(data, policy={"table": [{"by": ["county"]}, {"by": ["region"]}]})
    [linked] = found.protected
    assert linked.problem.sums.number == 4  # two totals, and each region over its counties
    hidden = {linked.built.tables.said(cell) for cell in np.flatnonzero(linked.suppressed)}
    assert hidden >= {"county c1", "county c2"}
    assert found.outcome == "pass"
    unprotected = audit(linked.problem, _only(linked, "county c1", "county c3"))
    assert unprotected[0].exact  # region R1 less c2
    loose = {"table": [{"by": ["county"], "margins": False}, {"by": ["region"]}]}
    assert tabulate(data, policy=loose).protected[0].problem.sums.number == 3


def _only(linked, *names):
    return np.asarray([linked.built.tables.said(cell) in names for cell in range(len(linked.problem))])


def test_contributors_tried_with_single_sums_only_are_a_caution(monkeypatch):
    monkeypatch.setattr("divulge.tabulation.suppression.problem.MOST_INSIDERS", 0)
    data = {"r": [*"A" * 7, *"B" * 9], "s": [*"ab", *"c" * 5, *"abc" * 3], "v": [50, 60, *[10] * 14]}
    found = tabulate(data, ["r", "s"], value="v", policy={"rules": {"minimum_frequency": 2}})
    assert found.outcome == "warn"


def test_suppressed_counts_are_at_least_one_where_empty_cells_are_published():
    # Five people in row A, one in each of five columns: as no cell of five is empty, each is 1.
    data = {"r": [*"A" * 5, *"B" * 60], "s": [*"abcde" * 13]}
    found = tabulate(data, ["r", "s"])
    [linked] = found.protected
    assert linked.suppressed[linked.built.tables.places[("r", "A"),]]  # 5 over five cells would say it all
    assert found.outcome == "pass"
    inner = linked.built.tables.inner
    assert all(one.exact for one in audit(linked.problem, inner) if one.outcome is not None)
    open_ones = tabulate(
        data, ["r", "s"], policy={"rules": {"minimum_frequency": 5, "zeros": "suppressible"}}
    )
    assert not any(one.exact for one in audit(open_ones.protected[0].problem, inner))


def test_a_negative_amount_elsewhere_leaves_the_bounds_of_other_cells():
    data = {
        "r": [*"A" * 12, *"B" * 12, *"C" * 12],
        "s": [*"aaaabbbbcccc" * 3],
        "v": [1000, *[1] * 11, *[40] * 12, *[30] * 11, -5],
    }
    [linked] = tabulate(data, ["r", "s"], value="v").protected
    low = linked.problem.value - linked.problem.room_down
    assert (low == 0).all()  # no cell is below 0, whatever it is made of
    data["v"][-1] = -500
    [linked] = tabulate(data, ["r", "s"], value="v").protected
    low = linked.problem.value - linked.problem.room_down
    assert {linked.built.tables.said(cell) for cell in np.flatnonzero(low < 0)} == {
        *("r C", "r C, s c", "s c"),
    }
