"""In a comparison classes are compared with the original table, in groups where the release has groups."""

import json

import pytest

import divulge as dv
from divulge.attacks.original_frequencies import beside
from divulge.report.comparison.text import text

#: Six of ten have x. Two of these are suppressed in the release, which leaves two classes of two x and two y.
ORIGINAL = {"age": ["2"] * 5 + ["3"] * 5, "s": ["x", "x", "x", "y", "y"] * 2}
HIDDEN = {"age": ["*", "2", "2", "2", "2", "*", "3", "3", "3", "3"], "s": ORIGINAL["s"]}


def original(table=ORIGINAL, **more):
    return dv.read(table, quasi_identifiers="age", sensitive="s", **more)


def compared(release, table=ORIGINAL, **more):
    found = dv.compare(original(table), release, **more)
    return found.releases[0], found.to_dict()["releases"][0]


def test_t_closeness_of_a_release_is_its_distance_from_the_original():
    release, document = compared(HIDDEN)
    # By hand: both classes have 2/4 of x, as the counted records have; the original has 6/10.
    assert dv.measure(HIDDEN, "t_closeness", keys="age", target="s").value == 0
    assert release.readings["targets"]["s"]["t_closeness"] == pytest.approx(0.1)
    assert document["readings"]["targets"]["s"]["t_closeness_compared_with"] == "the original table"
    assert "t-closeness of s compares groups with the original table." in document["alignment"]["notes"]


def test_what_is_close_to_the_original_is_not_refused_for_records_that_were_removed():
    # By hand: 12 of 20 have x, 4/5 in one class and 3/10 in another: 0.2 and 0.3 from the original. The third
    # class has x only and is suppressed. That leaves 7 of 15, from which the first class is 1/3 away.
    table = {"age": ["2"] * 5 + ["3"] * 10 + ["4"] * 5, "s": [*"xxxxy", *"xxxyyyyyyy", *"xxxxx"]}
    release = {"age": ["2"] * 5 + ["3"] * 10 + ["*"] * 5, "s": table["s"]}
    found, _ = compared(release, table)
    assert found.readings["targets"]["s"]["t_closeness"] == pytest.approx(0.3)
    assert dv.measure(release, "t_closeness", keys="age", target="s").value == pytest.approx(1 / 3)
    policy = {
        "attributes": {"age": "quasi-identifier", "s": "sensitive"},
        "thresholds": {"t_closeness": {"max": 0.31, "target": "s"}},
    }
    [released] = dv.compare(table, release, policy=policy).to_dict()["releases"]
    [check] = [one for one in released["checks"] if one["measure"] == "t_closeness"]
    assert check["found"] == pytest.approx(0.3)
    assert check["outcome"] == "pass"


def test_measures_of_the_same_family_are_compared_with_the_original_too():
    table = {"age": ["2"] * 4, "s": ["x", "x", "y", "z"]}
    release, _ = compared({"age": ["2"] * 3, "s": ["x", "x", "y"]}, table)
    question = release.scope.question(release.scope.keys, "s")
    values = {name: release.scope.reading(name, question).value for name in ("t_closeness", "beta_likeness")}
    # By hand: 2/3 of x against 1/2, 1/3 of y against 1/4; z is lost, which delta-disclosure minds.
    assert values == pytest.approx({"t_closeness": 1 / 6 + 1 / 12, "beta_likeness": 1 / 3})
    assert release.scope.reading("delta_disclosure", question).value == float("inf")
    assert dv.measure(release.scope.data, "delta_disclosure", keys="age", target="s").value == 0


def test_an_order_counts_the_ranks_of_values_that_were_lost():
    table = {"age": ["2"] * 4, "s": ["1", "2", "3", "4"]}
    release, _ = compared({"age": ["2"] * 2, "s": ["1", "2"]}, table)
    question = release.scope.question(release.scope.keys, "s")
    # By hand: cumulated 1/2, 1, 1 against 1/4, 1/2, 3/4: (1/4 + 1/2 + 1/4) / 3.
    assert release.scope.reading("t_closeness", question, {"ground": "ordered"}).value == pytest.approx(1 / 3)


def test_the_original_is_counted_by_the_groups_of_the_release():
    table = {"age": ["2"] * 4, "s": ["10", "20", "30", "40"]}
    release, _ = compared({"age": ["2"] * 3, "s": ["10-20", "10-20", "30-40"]}, table)
    # By hand: 2/3 of the released records are in the group that has half of the original.
    assert release.readings["targets"]["s"]["t_closeness"] == pytest.approx(1 / 6)
    skewness = next(one for one in release.outcomes if one.attack == "skewness")
    assert skewness.risk == pytest.approx(1 / 6)


def test_a_partition_counts_both_tables():
    table = {"age": ["2"] * 4, "s": ["a", "b", "c", "d"]}
    domains = {"one": ["a", "b"], "two": ["c", "d"]}
    policy = {
        "attributes": {"age": "quasi-identifier", "s": {"role": "sensitive", "partition": domains}},
        "thresholds": {"k_anonymity": {"min": 2}},
    }
    found = dv.compare(table, {"age": ["2"] * 3, "s": ["a", "a", "d"]}, policy=policy)
    assert found.releases[0].readings["targets"]["s"]["t_closeness"] == pytest.approx(2 / 3 - 1 / 2)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["10-20", "20", "30-40"], "an original value of s may be behind several released ones"),
        (["10", "*", "30"], "s is suppressed or missing on fewer than 5 records of the release only"),
        (["10", "low", "30"], "no original value was recognised behind 1 released value of s"),
    ],
    ids=["several levels", "suppressed", "unknown"],
)
def test_where_values_cannot_be_told_by_the_released_ones_there_is_no_distance(values, reason):
    table = {"age": ["2"] * 4, "s": ["10", "20", "30", "40"]}
    found = dv.compare(original(table), {"age": ["2"] * 3, "s": values})
    document = found.to_dict()
    (release,) = document["releases"]
    assert release["readings"]["targets"]["s"]["t_closeness"] is None
    assert release["readings"]["targets"]["s"]["t_closeness_undefined"] == reason
    assert f"t-closeness of s is undefined: {reason}." in release["alignment"]["notes"]
    json.dumps(document, allow_nan=False)
    assert text(document)


def test_weights_and_dropped_values_count_as_in_the_original():
    table = {"s": ["x", "y", None], "w": [3, 1, 4]}
    released = dv.read({"s": ["x", "y"]})
    assert beside(dv.read(table, weights="w"), "s", released, "s").weights == {"x": 3, "y": 1, None: 4}
    assert beside(dv.read(table, missing="drop"), "s", released, "s").weights == {"x": 1, "y": 1}


def test_a_measurement_and_an_audit_say_that_the_table_itself_is_compared_with(tmp_path):
    found = dv.measure(HIDDEN, "t_closeness", keys="age", target="s")
    assert found.to_dict()["compared_with"] == "the records of this table that are counted (more than 5)"
    assert dv.measure(ORIGINAL, "t_closeness", keys="age", target="s").compared_with == "this table"
    assert "compared_with" not in dv.measure(HIDDEN, "k_anonymity", keys="age").to_dict()
    audit = dv.audit(original(HIDDEN))
    assert (
        audit.to_dict()["source"]["compared_with"]
        == "the records of this table that are counted (more than 5)"
    )
    assert "t-closeness" not in str(audit)  # a convention, and no role
    audit.save(tmp_path / "audit.html")
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "the records of this table that are counted (more than 5)" in page
