"""Tables with other numbers: they add up where they should, and move as far as they say."""

import numpy as np
import pytest

from divulge.errors import ParameterError
from divulge.tabulation.attackers.programs import Clock
from divulge.tabulation.layout.linked import LinkedTables
from divulge.tabulation.perturbation.adjustment import adjusted
from divulge.tabulation.perturbation.cell_key import by_cell_key, change_distribution
from divulge.tabulation.perturbation.noise import noisy
from divulge.tabulation.perturbation.rounding import controlled_rounding, random_rounding
from divulge.tabulation.protected import protected
from divulge.tabulation.risk.rules import CellRules
from divulge.tabulation.table_policy import Protection
from tabulation.small_tables import counted, dimension, made, problem, random_magnitudes

TABLE = [[1, 7, 4], [6, 3, 12], [9, 2, 0]]


def test_controlled_rounding_adds_up_and_stays_beside_each_number():
    built = counted(TABLE)
    value = built.facts.value
    found, reach = controlled_rounding(built.tables.sums, value, 5, np.random.default_rng(3), Clock())
    assert reach == 1
    assert not np.abs(built.tables.sums.of(found)).any()
    assert not (found % 5).any()
    assert (np.abs(found - value) < 5).all()
    assert (found[value % 5 == 0] == value[value % 5 == 0]).all()


def test_random_rounding_is_right_on_average():
    lots = np.random.default_rng(4)
    found = random_rounding(np.full(20_000, 7.0), 5, lots)
    assert set(found) == {5.0, 10.0}
    assert found.mean() == pytest.approx(7, abs=0.05)


def test_an_adjusted_table_adds_up_and_no_cell_at_risk_is_near():
    for built in (random_magnitudes(1), counted(TABLE)):
        asked = problem(built, CellRules(3, p_percent=10.0))
        found, _ = adjusted(asked, np.random.default_rng(3), Clock())
        off = found - asked.value
        assert np.abs(built.tables.sums.of(found)).max() < 1e-6
        risky = (asked.up > 0) | (asked.down > 0)
        assert ((off >= asked.up - 1e-6) | (off <= -asked.down + 1e-6))[risky].all()
        assert found.min() >= -1e-9


@pytest.mark.parametrize("count", [1, 2, 9])
def test_changes_by_cell_key_have_mean_zero_and_the_variance_that_was_asked(count):
    changes = np.arange(-3, 4)
    chance = change_distribution(count, 3, 0.8)
    assert chance.sum() == pytest.approx(1)
    assert chance @ changes == pytest.approx(0, abs=1e-8)
    assert chance @ changes**2 == pytest.approx(0.8)
    assert not chance[changes < -count].any()


def test_a_cell_has_the_same_change_in_every_table():
    built = counted(TABLE)
    first, again = (by_cell_key(built.tables, built.entries, built.facts.value, 3, 2.0, 11) for _ in range(2))
    assert (first == again).all()
    assert (np.abs(first - built.facts.value) <= 3).all()
    assert (first[built.facts.value == 0] == 0).all()
    other = by_cell_key(built.tables, built.entries, built.facts.value, 3, 2.0, 12)
    assert (first != other).any()


def test_margins_are_sums_of_cells_with_noise(monkeypatch):
    monkeypatch.setattr(
        "divulge.tabulation.perturbation.noise.noisy_counts",
        lambda counts, epsilon: ([one + 1 for one in counts], epsilon),
    )
    built = counted(TABLE)
    released, spent = noisy(built, 1.0, None)
    assert spent == 1.0
    assert released["t"][built.tables.places[()]] == sum(map(sum, TABLE)) + 9
    assert released["t"][built.tables.places[("d0", "d00"),]] == sum(TABLE[0]) + 3


@pytest.mark.slow
def test_noise_adds_up_and_spends_what_was_allowed():
    built = counted(TABLE)
    released, spent = noisy(built, 1.0, None)
    assert spent <= 1.0
    assert not np.abs(built.tables.sums.of(released["t"])).any()


def test_noise_on_sums_needs_bounds():
    with pytest.raises(ParameterError, match="bounds"):
        noisy(random_magnitudes(1), 1.0, None)


@pytest.mark.parametrize(("base", "outcome"), [(5, "pass"), (2, "fail")])
def test_rounding_is_audited_by_what_sums_leave_open(base, outcome):
    # To base 2 a rounded 2 is 1 to 3: three numbers, and the minimum frequency asks for five.
    asked = Protection("random rounding", base=base)
    found = protected(counted(TABLE), CellRules(5), asked, seed=3)
    assert found.outcome == outcome


def test_a_count_above_zero_by_cell_key_is_of_somebody():
    found = protected(counted(TABLE), CellRules(5), Protection("cell key"), seed=4)
    shown = found.released["t"]
    assert (shown > 0).sum() > (shown > 3).sum()
    assert (found.lower[shown > 0] >= 1).all()
    assert (found.lower[shown == 0] == 0).all()


def test_noise_is_as_large_as_a_contribution_that_is_rounded_up(monkeypatch):
    asked = []

    def noise(counts, epsilon):
        asked.append((max(counts), epsilon))
        return counts, epsilon

    monkeypatch.setattr("divulge.tabulation.perturbation.noise.noisy_counts", noise)
    one_each = made(LinkedTables.of({"t": [dimension("a", 2)]}), {"a": [0, 1]}, [1.5, 9], "sum")
    _, spent = noisy(one_each, 1.0, (0, 1.5))
    assert asked == [(2, 0.5)]  # 1.5 is rounded to 2, so that one record changes a cell by 2
    assert spent == 1.0


@pytest.mark.parametrize("method", ["random rounding", "cell key"])
def test_what_lots_hide_is_said_to_end_with_a_second_release(method):
    found = protected(counted(TABLE), CellRules(5), Protection(method), seed=3)
    assert "their mean undo them" in found.notes[0]
