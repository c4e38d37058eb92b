"""Linkage without common attributes, on tables whose groups can be counted by hand."""

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.attacks.record_linkage.structure import link_by_structure, oriented, structure_of
from divulge.errors import ParameterError, SchemaError

INCOME = dv.read({"income": [10, 20, 30, 40, 50, 60]})
BOTH = np.arange(6), np.arange(6)


def linked(original, released, rows=BOTH, groups=3, **more):
    given = {"attributes": ["income"], "released_attributes": ["tax"], **more}
    with exact_counts():
        return link_by_structure(original, dv.read(released), rows, groups=groups, **given)


def test_taxes_that_rise_with_incomes_give_the_same_partition():
    found = linked(INCOME, {"tax": [1, 2, 3, 4, 5, 6]})
    assert found["rank_correlation"] == pytest.approx(1)
    assert found["chance"] == pytest.approx(1 / 6)
    for one in found["partitions"]:
        assert (one["kept"], one["adjusted_rand"]) == (1, 1)
        assert one["kept_chance"] == pytest.approx(1 / 3)
        assert one["share"] == pytest.approx(1 / 2)  # anybody of a group of two


def test_two_people_who_change_places():
    """Groups 12|34|56; the second and the third person change places, so four of six are kept.

    Pairs together in both: 5 and 6 alone. Of 15 pairs 3 are together in each, 9/15 by chance, 3 at most:
    (1 - 0.6) / (3 - 0.6) = 1/6. Places differ by one twice: 1 - 6 * 2 / 210 = 33/35.
    """
    found = linked(INCOME, {"tax": [1, 3, 2, 4, 5, 6]})
    assert found["rank_correlation"] == pytest.approx(33 / 35)
    by_rank, _ = found["partitions"]
    assert by_rank["kept"] == pytest.approx(4 / 6)
    assert by_rank["share"] == pytest.approx(1 / 3)
    assert by_rank["adjusted_rand"] == pytest.approx(1 / 6)


def test_clusters_follow_gaps_where_ranks_do_not():
    original = dv.read({"income": [1, 2, 3, 4, 50, 51]})
    found = linked(original, {"tax": [10, 11, 12, 13, 90, 99]}, groups=2)
    by_rank, by_cluster = found["partitions"]
    assert by_rank["share"] == pytest.approx(1 / 3)  # 123|456
    assert by_cluster["share"] == pytest.approx((4 / 4 + 2 / 2) / 6)  # 1234|56
    assert by_cluster["kept"] == 1


def test_an_attribute_that_falls_where_the_first_one_rises_is_turned_around():
    table = dv.read({"tax": [1, 2, 3, 4], "debt": [9, 8, 7, 6]})
    assert oriented(table, ["tax", "debt"])[:, 1].tolist() == [-9, -8, -7, -6]
    assert structure_of(oriented(table, ["tax", "debt"]), 2).by_rank.tolist() == [0, 0, 1, 1]


def test_a_release_dealt_out_at_random_is_linked_at_chance():
    rng = np.random.default_rng(1)
    income, rows = rng.normal(size=2000), (np.arange(2000), np.arange(2000))
    related = {"tax": (income + rng.normal(size=2000)).tolist()}
    dealt_out = {"tax": rng.permutation(related["tax"]).tolist()}
    original = dv.read({"income": income.tolist()})
    near, at_random = (linked(original, table, rows, 10)["partitions"][0] for table in (related, dealt_out))
    assert near["kept"] > 0.2
    assert near["share"] > 2 / 2000
    assert at_random["kept"] == pytest.approx(0.1, abs=0.03)
    assert at_random["adjusted_rand"] == pytest.approx(0, abs=0.01)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(60, 2))
    order = rng.permutation(60)
    one, other = structure_of(values, 5), structure_of(values[order], 5)
    assert one.by_rank[order].tolist() == other.by_rank.tolist()
    assert one.by_cluster[order].tolist() == other.by_cluster.tolist()


def test_missing_values_lie_in_the_middle_and_orders_are_used():
    ordered = dv.read({"income": ["low", "high", None]}, orders={"income": ["low", "mid", "high"]})
    assert structure_of(oriented(ordered, ["income"]), 3).by_rank.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("original", "released", "words"),
    [
        ({"income": [1]}, {"tax": [1]}, "one record"),
        ({"income": [3, 3, 3]}, {"tax": [1, 2, 3]}, "alike on income"),
        ({"income": [1, 2, 3]}, {"tax": [None, None, None]}, "alike on tax"),
    ],
)
def test_tables_without_structure_have_no_figure(original, released, words):
    assert words in linked(dv.read(original), released, groups=2)["undefined"]


def test_bad_input_is_a_sentence():
    assert "--by" in linked(INCOME, {"tax": [1, 2, 3]}, rows=None)["undefined"]
    with pytest.raises(SchemaError, match="'tax' has no order"):
        linked(INCOME, {"tax": ["a", "b", "c"]})
    with pytest.raises(ParameterError, match="more than a table has records"):
        linked(INCOME, {"tax": [1, 2, 3]}, groups=4)
    with pytest.raises(ParameterError, match="1 groups"):
        linked(INCOME, {"tax": [1, 2, 3]}, groups=1)
