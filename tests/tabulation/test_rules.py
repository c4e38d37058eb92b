"""Rules for cells, by hand: also with weights, several records of one contributor, and negative amounts."""

import numpy as np
import pytest

from divulge.tabulation.attackers.contributors import contributor_attacks
from divulge.tabulation.layout.dimensions import Dimension
from divulge.tabulation.layout.linked import LinkedTables, said_cell
from divulge.tabulation.risk.groups import group_disclosures
from divulge.tabulation.risk.joint import joint_readings
from divulge.tabulation.risk.rules import (
    DOMINANCE,
    FREQUENCY,
    NOTHING,
    P_PERCENT,
    PQ,
    ZERO,
    CellRules,
    cell_risk,
)
from tabulation.small_tables import counted, made

ONE = LinkedTables.of({"t": [Dimension("d", ("only",), (-1,), 1)]})


def cell(*amounts, **more):
    """A table of one cell."""
    return made(ONE, {"d": [0] * len(amounts)}, list(amounts), "sum", **more).facts


def broken(facts, **rules):
    return cell_risk(facts, CellRules(**rules), counts=False).reasons[0]


def test_p_percent_by_hand():
    # The second largest knows 100 of 1060 and bounds the largest by 960, who has 900: 6.7 % above it.
    facts = cell(900, 100, 60)
    assert broken(facts, p_percent=5.0) == ()
    assert broken(facts, p_percent=7.0) == (P_PERCENT,)
    found = cell_risk(facts, CellRules(p_percent=10.0), counts=False)
    assert found.up[0] == pytest.approx(0.1 * 900 - 60)
    [attack] = [one for one in contributor_attacks(facts, 0, 1060, 1060) if one.kind == "internal"]
    assert (attack.upper, attack.lower) == (960, 480)


def test_dominance_by_hand():
    facts = cell(50, 40, 5, 5)  # the two largest have 90 %
    assert broken(facts, dominance=(2, 90.0)) == ()
    assert broken(facts, dominance=(2, 89.0)) == (DOMINANCE,)
    assert broken(facts, dominance=(1, 49.0)) == (DOMINANCE,)
    assert cell_risk(facts, CellRules(dominance=(2, 80.0)), counts=False).up[0] == pytest.approx(
        90 / 0.8 - 100
    )


def test_pq_by_hand():
    # The rest of 60 is known to within 50 %, which is 30: 3.3 % of 900, though 6.7 % without knowing it.
    facts = cell(900, 100, 60)
    assert broken(facts, p_percent=5.0) == ()
    assert broken(facts, pq=(5.0, 50.0)) == (PQ,)
    assert broken(facts, pq=(3.0, 50.0)) == ()


def test_negative_amounts_are_read_by_their_size():
    facts = cell(-900, 100, 60)
    assert facts.value[0] == -740
    assert broken(facts, p_percent=7.0) == (P_PERCENT,)
    assert broken(facts, p_percent=5.0, dominance=(2, 90.0)) == (DOMINANCE,)
    assert broken(cell(10, -10, 10, -10, 10, -10), p_percent=10.0, dominance=(2, 90.0)) == ()


def test_a_weight_stands_for_several_alike():
    # One of 900 that stands for three: two others have as much, so nobody dominates.
    assert broken(cell(900, 10, weight=[3, 1]), p_percent=10.0) == ()
    assert cell(900, 10, weight=[3, 1]).value[0] == 2710
    assert broken(cell(900, 10), p_percent=10.0) == (P_PERCENT,)
    assert broken(cell(900, 10, weight=[3, 1]), minimum_frequency=3) == (FREQUENCY,)  # two records


def test_records_of_one_contributor_are_added_up():
    facts = cell(450, 450, 100, 60, contributor=[7, 7, 8, 9])
    assert (facts.contributors[0], facts.records[0]) == (3, 4)
    assert broken(facts, p_percent=7.0) == (P_PERCENT,)
    assert broken(facts, minimum_frequency=4) == (FREQUENCY,)
    assert cell(5, 6, contributor=[3, 3]).alone[0] == 3


def test_contributions_that_are_all_zero_are_at_risk():
    assert broken(cell(0, 0, 0), p_percent=10.0) == (NOTHING,)
    assert broken(cell(0, 0, 0), minimum_frequency=3) == ()


def test_a_zero_of_one_contributor_is_kept_from_being_certain():
    tables = LinkedTables.of({"t": [Dimension.flat("d", ["a", "b"])]})
    facts = made(tables, {"d": [0, 1, 1, 1]}, [0, 50, 50, 60], "sum").facts
    found = cell_risk(facts, CellRules(3), counts=False)
    assert found.reasons[0] == (FREQUENCY,)
    assert found.up[0] == pytest.approx(0.1 * 160 / 4)  # a tenth of the mean contribution


def test_an_empty_cell_is_at_risk_only_where_that_is_said():
    built = counted([[0, 5], [6, 7]])
    reasons = cell_risk(built.facts, CellRules(3, zeros="at risk"), counts=True).reasons
    assert [one for one in reasons if one] == [(ZERO,)]
    assert not any(cell_risk(built.facts, CellRules(3), counts=True).reasons)


@pytest.mark.parametrize(
    ("amounts", "external", "internal"),
    [((70,), True, None), ((70, 30), False, True), ((70, 30, 20), False, False)],
)
def test_who_learns_an_amount_exactly(amounts, external, internal):
    facts = cell(*amounts)
    total = float(sum(amounts))
    found = {one.kind: one.exact for one in contributor_attacks(facts, 0, total, total)}
    assert found["external"] is external
    assert found.get("internal") is internal
    assert found.get("dominance") is internal


def test_the_largest_bounds_the_others():
    # Of 1000 the largest has 900, so the second of three has at most 100: it has 60.
    [one] = [one for one in contributor_attacks(cell(900, 60, 40), 0, 1000, 1000) if one.kind == "dominance"]
    assert (one.lower, one.upper) == (50, 100)
    assert one.within == pytest.approx(40 / 60)


def test_negative_amounts_bound_nobody_but_the_last():
    wide = contributor_attacks(cell(-70, 30, 20), 0, -20, -20)
    assert all(np.isinf(one.within) for one in wide)
    [one] = [one for one in contributor_attacks(cell(-70, 30), 0, -40, -40) if one.kind == "dominance"]
    assert one.exact
    hidden = contributor_attacks(cell(-70, 30), 0, -np.inf, np.inf)  # what is left of a suppressed cell
    assert not any(one.exact for one in hidden)


def test_a_group_in_one_category():
    built = counted([[4, 0, 0], [3, 2, 1], [1, 1, 1]])
    counts = built.facts.value
    [found] = group_disclosures(built.tables, counts, counts)
    assert said_cell(found.group) == "d0 d00"
    assert found.attribute == "d1"
    # Hiding the one cell changes nothing; letting another be possible does.
    low, high = counts.copy(), counts.copy()
    low[found.cell], high[found.cell] = 0, np.inf
    assert len(group_disclosures(built.tables, low, high)) == 1
    high[built.tables.places[("d0", "d00"), ("d1", "d11")]] = 2
    assert group_disclosures(built.tables, low, high) == []


def test_rates_of_a_two_way_table_are_those_of_its_joint_counts():
    built = counted([[2, 0], [0, 2]])
    found = {
        (one["measure"], one["key"]): one["value"]
        for one in joint_readings(built.tables.layouts[0], built.facts.value)
    }
    assert found == {(name, key): 1.0 for name in ("discrimination_rate", "itpr") for key in ("d0", "d1")}
    constant = counted([[2], [3]])
    [reading, *_] = joint_readings(constant.tables.layouts[0], constant.facts.value)
    assert reading["value"] is None
    assert "one value only" in reading["undefined"]


@pytest.mark.parametrize("parts", [[10], [5, 5], [1, 2, 7]])
def test_a_named_contributor_is_one_however_their_weights_are_spread(parts):
    from divulge.tabulation.account import tabulate

    data = {
        "firm": ["A"] * len(parts) + list("BCDEF"),
        "r": ["x"] * (len(parts) + 5),
        "v": [100] * len(parts) + [5] * 5,
        "w": [*parts, *[1] * 5],
    }
    named = {"data": {"weights": "w"}, "rules": {"p_percent": 10, "contributor": "firm"}}
    found = tabulate(data, ["r"], value="v", policy={**named, "protection": {"method": "none"}})
    facts = found.protected[0].built.facts
    assert facts.largest[0, :2].tolist() == [1000, 5]
    assert facts.value[0] == 1025
