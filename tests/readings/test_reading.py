"""Readings: one, several or all, as numbers and as plain dictionaries."""

import json
import math

import pytest

import divulge as dv
from divulge.errors import ParameterError, UnknownMeasure
from divulge.measures import MEASURES

TABLE = {"age": [22, 22, 35, 35, 35, 35, 35], "ill": ["flu", "cold", "flu", "flu", "flu", "flu", "flu"]}


def read(name, **given):
    return dv.measure(TABLE, name, keys="age", target="ill", **given)


def test_a_name_gives_a_reading_and_a_list_gives_several():
    assert isinstance(read("k_anonymity"), dv.Reading)
    several = read(["k_anonymity", "uniqueness"])
    assert isinstance(several, dv.Readings)
    assert [reading.name for reading in several] == ["k_anonymity", "uniqueness"]
    assert len(several) == 2
    assert several["uniqueness"] is several[1]


def test_a_reading_that_was_not_asked_for_is_a_key_error():
    with pytest.raises(KeyError):
        read(["k_anonymity"])["uniqueness"]


def test_no_name_gives_every_measure_that_applies():
    names = [reading.name for reading in read(None)]
    assert {name.split()[0] for name in names} == set(MEASURES)
    assert "t_closeness" in names
    assert "t_closeness ordered" not in names  # illnesses have no order
    assert "beta_likeness enhanced" in names
    of_records = {reading.measure.name for reading in dv.measure(TABLE, keys="age")}
    assert of_records == {m.name for m in MEASURES.values() if not m.needs_target}


def test_the_target_is_the_record_unless_told():
    assert dv.measure(TABLE, "entropy", keys="age").value == pytest.approx(math.log2(7))


def test_a_reading_says_what_it_read_and_no_values_of_records():
    assert repr(read("k_anonymity")) == "Reading(k_anonymity: 2 records, target ill)"
    constant = dv.measure({"a": [1], "x": [1]}, "itpr", keys="a", target="x")
    assert repr(constant) == "Reading(itpr: undefined, target x)"


def test_parameters_tell_variants_apart_by_name():
    assert read("reidentification_risk", kind="average").name == "reidentification_risk average"
    assert read("beta_likeness", enhanced=True).name == "beta_likeness enhanced"
    assert read("beta_likeness", enhanced=False).name == "beta_likeness"
    assert read("recursive_cl_diversity", l=3).name == "recursive_cl_diversity 3"


def test_parameters_that_a_measure_does_not_take_are_refused():
    with pytest.raises(ParameterError, match=r"k_anonymity has no parameter 'l'. It takes none"):
        read("k_anonymity", l=2).value  # noqa: B018


def test_an_unknown_measure_is_refused_with_a_suggestion():
    with pytest.raises(UnknownMeasure, match="Did you mean 't_closeness'"):
        read(["k_anonymity", "t-closeness"])


def test_values_by_class_come_riskiest_first():
    assert [(v.key, v.records, v.value) for v in read("k_anonymity").by_value] == [
        ({"age": 22}, 2, 2),
        ({"age": 35}, 5, 5),
    ]
    assert [v.key["age"] for v in read("worst_posterior").by_value] == [35, 22]
    assert [v.key["age"] for v in read("worst_posterior").riskiest(1)] == [35]
    assert read("mutual_information").by_value == []


def test_a_reading_as_plain_values():
    found = read("discrimination_rate").to_dict()
    assert found["measure"] == "discrimination_rate"
    assert found["value"] == read("discrimination_rate").value
    assert found["riskier"] == "higher"
    assert found["chance_method"] == "exact"
    assert found["adjusted"] == read("discrimination_rate").adjusted
    assert "by_value" not in found


def test_small_classes_are_not_counted_out_unless_asked_for():
    few, many = read("k_anonymity").to_dict(by_value=True)["by_value"]
    assert few == {"key": {"age": 22}, "records": "<5", "value": "<5"}
    assert many == {"key": {"age": 35}, "records": "~10", "value": "~10"}  # 5 of 7 would leave 2
    few, _ = read("k_anonymity").to_dict(by_value=True, exact_counts=True)["by_value"]
    assert few == {"key": {"age": 22}, "records": 2, "value": 2}


def test_undefined_and_infinite_values_are_null_with_the_reason():
    constant = dv.measure({"a": [1, 2], "x": ["s", "s"]}, "itpr", keys="a", target="x").to_dict(by_value=True)
    assert constant["value"] is None
    assert "one value only" in constant["undefined"]
    assert constant["by_value"] == []
    infinite = read("delta_disclosure").to_dict(by_value=True)
    assert infinite["value"] is None
    assert "absent" in infinite["undefined"]
    assert [line["value"] for line in infinite["by_value"]] == [
        None,
        "infinite",
    ]  # the first of few people


@pytest.mark.parametrize("target", ["ill", "@record"])
def test_everything_as_strict_json(target):
    readings = dv.measure(TABLE, keys="age", target=target, permutations=3)
    found = json.loads(json.dumps(readings.to_dict(by_value=True), allow_nan=False))
    assert found["data"]["records"] == found["data"]["counted"] == 7
    assert found["data"]["classes"] == 2
    assert found["keys"] == ["age"]
    assert found["target"] == target
    assert len(found["readings"]) == len(readings)
    assert (found["association"] is None) == (target == "@record")
    assert found["identifier_class"] in {"partial identifier", "sketchy identifier"}


def test_what_was_left_out_is_counted():
    data = dv.read({"a": ["*", None, "1", "1"], "x": [1, 2, 3, 4]}, missing="drop")
    found = dv.measure(data, keys="a", target="x").to_dict(exact_counts=True)["data"]
    assert {name: found[name] for name in ("records", "counted", "suppressed", "dropped", "missing")} == {
        "records": 4,
        "counted": 2,
        "suppressed": 1,
        "dropped": 1,
        "missing": "drop",
    }


def test_partitions_are_named_by_their_domains_only():
    readings = dv.measure(
        TABLE, ["k_anonymity"], keys="age", target="ill", partitions={"ill": {"any": ["flu", "cold"]}}
    )
    assert readings.to_dict()["partitions"] == {"ill": ["any"]}


def test_a_frame_or_dictionary_is_read_as_it_comes():
    assert (
        dv.measure(dv.read(TABLE), "k_anonymity", keys="age").value
        == dv.measure(TABLE, "k_anonymity", keys="age").value
    )


def test_a_list_of_names_gives_every_variant_that_applies():
    table = {"age": [1, 1, 2, 2], "pay": [10, 20, 20, 30], "ill": ["a", "b", "b", "c"]}

    def variants(names, target):
        return [r.name for r in dv.measure(table, names, keys="age", target=target)]

    assert variants(["reidentification_risk"], "ill") == [
        "reidentification_risk highest",
        "reidentification_risk average",
    ]
    assert variants(["t_closeness"], "ill") == ["t_closeness"]
    assert variants(["t_closeness"], "pay") == ["t_closeness", "t_closeness ordered"]
    assert variants(["t_closeness", "itpr"], "@record") == ["t_closeness", "itpr"]
