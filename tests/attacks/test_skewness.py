"""The skewness attack, counted by hand."""

import pytest

import divulge as dv
from divulge import attacks
from divulge.alignment.tables import align


def skewed():
    """A thousand patients, ten of them with cancer, each of these in a class with someone healthy."""
    cancer = ["yes"] * 10 + ["no"] * 990
    classes = [str(i) for i in range(10)] * 2 + ["rest"] * 980
    original = dv.read(
        {"age": [str(i) for i in range(1000)], "cancer": cancer}, quasi_identifiers="age", sensitive="cancer"
    )
    return align(original, dv.read({"age": classes, "cancer": cancer}))


def test_a_class_of_two_makes_a_rare_value_fifty_times_as_likely():
    found = attacks.skewness(skewed())
    (shift,) = found.details["shifts"]
    assert shift["ratio"] == pytest.approx(0.5 / 0.01)
    assert found.risk == shift["distance"] == pytest.approx(0.49)
    assert "a value of cancer is 50 times as frequent" in found.sentence


def test_people_are_those_whose_own_value_becomes_twice_as_likely():
    found = attacks.skewness(skewed())
    assert (found.people, found.of) == (10, 1000)


def test_the_difference_of_rates_before_and_after():
    (one,) = attacks.skewness(skewed()).details["differences"]
    assert (one["original"], one["released"], one["target"]) == ("age", "age", "cancer")
    assert one["before"] == pytest.approx(1)
    assert one["difference"] == pytest.approx(one["before"] - one["after"])
    # After: one bit for 20 of 1000 records, of H(0.01) = 0.0808 bits.
    assert one["after"] == pytest.approx(1 - 0.02 / 0.080793136, abs=1e-8)


def test_the_distance_is_from_the_original_and_not_from_the_release():
    original = dv.read({"a": ["1"] * 4, "s": ["x", "x", "x", "y"]}, quasi_identifiers="a", sensitive="s")
    found = attacks.skewness(align(original, dv.read({"a": ["1", "1"], "s": ["x", "y"]})))
    # The release is one class like its own whole, 1/2 and 1/2, where the original had 3/4 and 1/4.
    assert found.details["shifts"][0]["distance"] == pytest.approx(0.25)
    assert found.details["shifts"][0]["ratio"] == pytest.approx(2)
    assert found.people == 1


def test_values_that_the_original_does_not_have_are_counted():
    original = dv.read({"a": ["1", "2"], "s": ["x", "y"]}, quasi_identifiers="a", sensitive="s")
    found = attacks.skewness(align(original, dv.read({"a": ["1", "2"], "s": ["x", "new"]})))
    assert found.details["shifts"][0]["unseen_values"] == 1
    assert found.risk == 1


@pytest.mark.parametrize(
    ("released", "reason"),
    [
        ({"a": ["1", "2"]}, "no sensitive attribute of the release is known"),
        ({"s": ["x", "y"]}, "no quasi-identifier of the release is known"),
        ({"a": ["1", "2"], "s": ["u", "v"]}, "no released value of s occurs in the original"),
        ({"a": ["1", "2"], "s": ["x", "x"]}, "s has one value only"),
        ({"a": ["*", "*"], "s": ["x", "y"]}, "No record is left to count"),
    ],
)
def test_an_attack_that_cannot_be_tried_says_why(released, reason):
    original = dv.read({"a": ["1", "2"], "s": ["x", "y"]}, quasi_identifiers="a", sensitive="s")
    found = attacks.skewness(align(original, dv.read(released)))
    assert found.undefined.startswith(reason)
    assert found.risk is None


def test_weights_of_the_original_make_its_shares():
    table = {"a": ["1", "1"], "s": ["x", "y"], "w": [3, 1]}
    original = dv.read(table, quasi_identifiers="a", sensitive="s", weights="w")
    found = attacks.skewness(align(original, dv.read({"a": ["1", "1"], "s": ["x", "y"]})))
    assert found.risk == pytest.approx(0.25)


def test_a_key_without_counterpart_has_no_difference():
    original = dv.read(
        {"a": ["1", "2"], "b": ["1", "1"], "s": ["x", "y"]}, quasi_identifiers=["a", "b"], sensitive="s"
    )
    lines = attacks.skewness(align(original, dv.read({"a": ["1", "2"], "s": ["x", "y"]}))).details[
        "differences"
    ]
    assert [(one["original"], one["released"], one["difference"]) for one in lines] == [
        ("a", "a", 0),
        ("b", None, None),
    ]


def test_people_are_not_counted_where_classes_overlap():
    table = {"a": ["1", None, "2"], "s": ["x", "y", "x"]}
    original = dv.read(table, quasi_identifiers="a", sensitive="s")
    found = attacks.skewness(align(original, dv.read(table, missing="wildcard")))
    assert (found.people, found.undefined) == (None, None)
    # Who may be 1 is x or y; in the original y is one of three.
    assert found.risk == pytest.approx(1 / 2 - 1 / 3)
