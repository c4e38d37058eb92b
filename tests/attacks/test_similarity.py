"""The similarity attack, counted by hand."""

import json

import pytest

import divulge as dv
from divulge import attacks
from divulge.attacks.grouping import merged
from divulge.attacks.questions import ask
from divulge.errors import PartitionError, UnknownAttribute

#: Three diseases in each class, and in the first one all are cancers.
TABLE = {
    "age": ["2*"] * 3 + ["3*"] * 3,
    "sex": ["f", "m", "f", "m", "f", "m"],
    "disease": ["lung", "colon", "skin", "lung", "flu", "gout"],
}
CANCER = {"cancer": ["lung", "colon", "skin"], "other": ["flu", "gout"]}
LONE = {"lung": ["lung"], "rest": ["colon", "skin", "flu", "gout"]}
TREE = [
    ("lung", "cancer", "*"),
    ("colon", "cancer", "*"),
    ("skin", "cancer", "*"),
    ("flu", "other", "*"),
    ("gout", "other", "*"),
]


def released(table=TABLE, **more):
    return dv.read(table, quasi_identifiers=["age", "sex"], sensitive="disease", **more)


def with_tree(table=TABLE):
    return released(table, hierarchies={"disease": dv.Hierarchy.of(TREE, attribute="disease")})


def test_each_key_is_read_under_each_partition():
    found = attacks.similarity(released(), partitions={"disease": {"by organ": CANCER, "lung only": LONE}})
    assert [(one.keys[0], one.target) for one in found.readings if one.single] == [
        ("age", "disease (by organ)"),
        ("sex", "disease (by organ)"),
        ("age", "disease (lung only)"),
        ("sex", "disease (lung only)"),
    ]
    # By organ H = H(1/3) = 0.9183; the older leave H(1/3) for half of the records.
    assert found.readings[0].discrimination_rate == pytest.approx(0.5)
    assert [one["domains"] for one in found.details["partitions"]] == [2, 2]


def test_people_are_those_whose_group_is_certain():
    partitions = {"disease": {"by organ": CANCER}}
    found = attacks.similarity(released(), partitions=partitions)
    # By age and sex: 2* f are two cancers, 2* m one; 3* m are lung and gout, 3* f is one flu.
    assert (found.people, found.of) == (4, 6)
    assert "disease (by organ)" in found.sentence


def test_grouping_counts_is_counting_groups():
    asked = ask(released(), ("age", "sex"), "disease")
    partition = dv.Partition.of(CANCER, attribute="disease")
    counted = dv.ask(released(), keys=["age", "sex"], target="disease", partitions={"disease": CANCER}).counts
    found = merged(asked.counts, asked, partition)
    assert found.target_values == counted.target_values
    assert found.matrix().tolist() == counted.matrix().tolist()


def test_grouping_keeps_weights_and_missing_values():
    table = {"age": ["2*", "2*", "3*"], "s": ["x", "y", None], "w": [1.5, 2.0, 1.0]}
    data = dv.read(table, quasi_identifiers="age", sensitive="s", weights="w")
    asked, domains = ask(data, ("age",), "s"), {"all": ["x", "y"]}
    found = merged(asked.counts, asked, dv.Partition.of(domains, attribute="s"))
    counted = dv.ask(data, keys="age", target="s", partitions={"s": domains}).counts
    assert found.target_values == counted.target_values == [None, "all"]
    assert found.matrix().tolist() == counted.matrix().tolist() == [[0, 3.5], [1, 0]]


def test_the_levels_of_a_hierarchy_are_searched():
    found = attacks.similarity(with_tree())
    (search,) = found.details["search"]
    assert [one["partition"] for one in search["levels"]] == ["level 0", "level 1", "level 2"]
    assert [one["domains"] for one in search["levels"]] == [5, 2, 1]
    assert search["levels"][2]["undefined"].startswith("the target has one value only")
    assert found.readings[0].target == f"disease ({search['leaks_most']})"


def test_the_search_goes_beyond_chance():
    # With a value of their own for everyone, level 0 tells nothing but the sizes of classes.
    table = {
        "age": ["a", "a", "b", "b", "c", "c", "d", "d"],
        "sex": ["f"] * 8,
        "disease": [f"x{i}" for i in range(4)] + [f"y{i}" for i in range(4)],
    }
    tree = [(f"{kind}{i}", kind, "*") for kind in "xy" for i in range(4)]
    data = released(table, hierarchies={"disease": dv.Hierarchy.of(tree, attribute="disease")})
    (search,) = attacks.similarity(data).details["search"]
    first, second, _ = search["levels"]
    assert first["discrimination_rate"] == pytest.approx((2 / 3 + 0) / 2)
    assert second["discrimination_rate"] == pytest.approx((1 + 0) / 2)
    assert first["adjusted"] == pytest.approx(0, abs=1e-9)  # dealt anyhow, eight values are as far apart
    assert (search["leaks_most"], search["leaks_most_unadjusted"]) == ("level 1", "level 1")


def test_coarse_groups_do_not_win_by_default():
    # Level 1 sets one record apart: wherever it falls, five of six classmates give it away. Its rate, 0.35,
    # is all chance; at level 0 the rate is 0.34, and the classes do differ.
    classes = ["a" * 5 + "b", "a" * 5 + "b", "b" * 5 + "a", "b" * 4 + "a" + "e"]
    table = {"age": [str(i // 6) for i in range(24)], "sex": ["f"] * 24, "disease": [*"".join(classes)]}
    tree = dv.Hierarchy.of([("a", "1"), ("b", "1"), ("e", "2")], attribute="disease")
    (search,) = attacks.similarity(released(table, hierarchies={"disease": tree})).details["search"]
    first, second = search["levels"]
    assert first["discrimination_rate"] < second["discrimination_rate"]
    assert second["adjusted"] == pytest.approx(0, abs=1e-9)
    assert (search["leaks_most"], search["leaks_most_unadjusted"]) == ("level 0", "level 1")


def test_a_partition_that_does_not_cover_the_release_is_undefined_and_names_no_value():
    partitions = {"disease": {"few": {"lung": ["lung"]}, "by organ": CANCER}}
    found = attacks.similarity(released(), partitions=partitions)
    first, second = found.details["partitions"]
    assert "leaves out fewer than 5 values of the data (fewer than 5 records)" in first["undefined"]
    assert second["undefined"] is None
    assert found.risk == pytest.approx((0.5 + found.readings[4].discrimination_rate) / 2)
    alone = attacks.similarity(released(), partitions={"disease": {"few": {"lung": ["lung"]}}})
    assert alone.risk is None
    assert "colon" not in json.dumps(alone.to_dict())


@pytest.mark.parametrize(
    ("data", "partitions", "reason"),
    [
        (released(), None, "no partition or hierarchy"),
        (dv.read(TABLE, sensitive="disease"), {"disease": {"x": CANCER}}, "no quasi-identifier"),
        (
            released({**TABLE, "disease": ["flu"] * 6}),
            {"disease": {"x": CANCER}},
            "disease has one value only",
        ),
        (
            released({**TABLE, "disease": ["flu", "gout"] * 3}),
            {"disease": {"x": CANCER}},
            "the target has one",
        ),
    ],
)
def test_an_attack_that_cannot_be_tried_says_why(data, partitions, reason):
    assert attacks.similarity(data, partitions=partitions).undefined.startswith(reason)


def test_what_is_wrong_with_a_partition_is_an_error():
    with pytest.raises(UnknownAttribute):
        attacks.similarity(released(), partitions={"diseases": {"x": CANCER}})
    with pytest.raises(PartitionError):
        attacks.similarity(released(), partitions={"disease": {"x": {"a": "lung"}}})


def test_values_are_named_only_when_they_may_be_shown():
    partitions = {"disease": {"by organ": CANCER}}
    assert attacks.similarity(released(), partitions=partitions).readings[0].values[0].label == "value 1"
    shown = attacks.similarity(released(), partitions=partitions, show_values=True)
    assert [line.label for line in shown.readings[0].values] == ["2*", "3*"]
