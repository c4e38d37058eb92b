"""Generalization is no total loss: the original is put into the groups of the release, at a price."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import divulge as dv
from divulge.alignment.tables import align
from divulge.utility import categorical_loss, contingency_distances, distribution_distances
from divulge.utility.values import whole

AGES = [21, 25, 34, 36]


def distance(original, released, **reading):
    (found,) = distribution_distances(align(dv.read({"a": original}, **reading), dv.read({"a": released})))
    return found


def told(found):
    return found.total_variation, found.jensen_shannon, found.hellinger


@pytest.mark.parametrize(
    "released",
    [
        ["20-29", "20-29", "30-39", "30-39"],
        ["2*", "2*", "3*", "3*"],
        ["[20, 30)", "[20, 30)", ">= 30", "30+"],
        ["<30", "<30", "30 to 40", "30 to 40"],
    ],
)
def test_a_generalized_attribute_has_not_moved(released):
    found = distance(AGES, released)
    assert told(found) == (0, 0, 0)
    # By hand: four ages are 2 bits, two groups 1.
    assert (found.recoding_loss, found.recoding_share) == (1, 0.5)
    assert found.undefined is None


def test_what_has_moved_between_groups_is_seen():
    found = distance(AGES, ["20-29", "20-29", "20-29", "30-39"])
    assert found.total_variation == 0.25
    # The groups lie at 23 and 35, the means of what the original has in them; a quarter moves all the way.
    assert found.earth_mover == pytest.approx(0.25)
    assert found.recoding_loss == 1


def test_groups_of_a_hierarchy_are_read(tmp_path):
    path = tmp_path / "job.csv"
    path.write_text("cook;care;any\nnurse;care;any\nguard;safety;any\n")
    found = distance(
        ["cook", "nurse", "guard", "guard"], ["care", "care", "safety", "safety"], hierarchies={"a": path}
    )
    assert told(found) == (0, 0, 0)
    # 1.5 bits became 1.
    assert (found.recoding_loss, found.recoding_share) == (pytest.approx(0.5), pytest.approx(1 / 3))


def test_merged_categories_are_read_from_aligned_records():
    original = ["cook", "nurse", "guard", "smith"] * 5
    released = ["staff", "staff", "guard", "smith"] * 5
    found = distance(original, released)
    assert told(found) == (0, 0, 0)
    assert found.recoding_loss == pytest.approx(0.5)
    unaligned = distance([*original, "cook"], released)
    assert unaligned.total_variation > 0.5
    assert unaligned.recoding_loss is None


def test_renamed_values_have_lost_nothing():
    found = distance(["1", "2"] * 5, ["male", "female"] * 5)
    assert told(found) == (0, 0, 0)
    assert found.recoding_loss == 0


def test_words_that_follow_from_nothing_are_not_taken_for_groups():
    found = distance(["x", "y"] * 10, ["p", "q", "q", "p"] * 5)
    assert told(found) == (1, 1, pytest.approx(1))
    assert found.recoding_loss is None


def test_groups_of_several_levels_count_by_the_largest():
    # 21 is in the group 20-29, so the two are one category; one of four records is suppressed.
    found = distance(AGES, ["21", "20-29", "34", "*"])
    assert found.total_variation == 0.25
    assert (found.recoding_loss, found.recoding_share) == (0.5, 0.25)


def test_a_group_of_everything_counts_as_suppressed():
    assert told(distance(AGES, ["0-99"] * 4)) == told(distance(AGES, ["*"] * 4)) == (1, 1, pytest.approx(1))
    assert distance(AGES, ["0-99", "20-29", "34", "36"]).total_variation == 0.25
    assert distance(["123", "124"], ["***", "***"]).total_variation == 1


def test_groups_that_overlap_into_one_leave_nothing_to_compare():
    both = align(
        dv.read({"a": [21, 28, 33, 38], "b": list("xyxy")}),
        dv.read({"a": ["20-30", "25-35", "25-35", "30-40"], "b": list("xyxy")}),
    )
    one, other = distribution_distances(both)
    assert (one.total_variation, one.jensen_shannon, one.hellinger) == (None, None, None)
    assert "all released groups of a overlap" in one.undefined
    assert other.total_variation == 0
    assert [one.attributes for one in contingency_distances(both)] == [("b",)]


def test_pairs_are_compared_in_groups_too():
    original = {"age": AGES, "sex": ["f", "m", "f", "m"]}
    released = {"age": ["2*", "2*", "3*", "3*"], "sex": ["f", "m", "m", "f"]}
    *_, pair = distribution_distances(align(dv.read(original), dv.read(released)))
    # In the thirties f and m changed places, which the table of both does not show.
    assert (pair.attributes, pair.total_variation) == (("age", "sex"), 0)


def test_numbers_with_noise_are_not_grouped():
    found = distance([10, 20, 30], [11, 19, 31])
    assert (found.total_variation, found.recoding_loss) == (pytest.approx(1), None)


def test_missing_values_stay_missing():
    found = distance([21, None, 34, 36], ["20-29", None, "30-39", None])
    assert found.total_variation == 0.25


@given(st.lists(st.integers(0, 59), min_size=1, max_size=40))
def test_what_recoding_loses_is_what_the_released_groups_leave_unknown(ages):
    both = align(
        dv.read({"a": ages}), dv.read({"a": [f"{age // 20 * 20}-{age // 20 * 20 + 19}" for age in ages]})
    )
    (found,), (lost,) = distribution_distances(both), categorical_loss(both)
    groups = len({age // 20 for age in ages})
    if groups == 1 < len(set(ages)):
        assert found.total_variation == 1  # one group of all: nothing is told any more
    else:
        assert found.total_variation == pytest.approx(0)
        assert found.recoding_loss == pytest.approx(lost.entropy_loss, abs=1e-9)


def test_a_value_stands_for_what_only_it_can():
    pair = whole(align(dv.read({"a": AGES}), dv.read({"a": ["21", "20-29", "30+", "tall"]})), "a")
    names = {code: pair.released.values[code - 1] for code in range(1, pair.cardinality)}
    groups = {
        names[code]: [names[value] for value in group.tolist()]
        for code, group in pair.meanings.groups.items()
    }
    assert groups == {"20-29": [21, 25], "30+": [34, 36]}
    assert [names[code] for code in pair.meanings.unknown] == ["tall"]
