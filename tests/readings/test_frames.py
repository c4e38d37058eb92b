"""Results as frames: of the library that came in, with small counts hidden."""

import pandas
import polars
import pytest

import divulge as dv
from divulge.errors import ParameterError, Undefined
from divulge.readings import frames

# Four people alike, then two who are alone; the last record has its age suppressed.
TABLE = {
    "age": ["20", "20", "20", "20", "20", "30", "40", "*"],
    "ill": ["flu", "flu", "cold", "flu", "cold", "flu", "cold", "flu"],
}
ROLES = {"quasi_identifiers": "age", "sensitive": "ill"}


def audited(table=TABLE):
    return dv.audit(dv.read(table, **ROLES), search=False)


@pytest.fixture(scope="module")
def audit():
    return audited(polars.DataFrame(TABLE))


@pytest.mark.parametrize(
    ("table", "kind"), [(polars.DataFrame, polars), (pandas.DataFrame, pandas), (dict, pandas)]
)
def test_readings_come_as_the_frame_that_came_in(table, kind):
    readings = dv.measure(table(TABLE), ["k_anonymity", "discrimination_rate"], keys="age", target="ill")
    found = readings.to_frame()
    assert isinstance(found, kind.DataFrame)
    assert list(found["reading"]) == ["k_anonymity", "discrimination_rate"]
    assert list(found["value"]) == [1.0, readings["discrimination_rate"].value]
    assert list(found.columns) == list(readings.to_frame(kind="polars").columns)


def test_a_kind_can_be_asked_for_and_an_unknown_one_is_refused(audit):
    assert isinstance(audit.to_frame(kind="pandas"), pandas.DataFrame)
    with pytest.raises(ParameterError, match=r"'spark' is not a kind of frame\. Use pandas or polars"):
        audit.to_frame(kind="spark")


def test_without_pandas_it_is_polars_and_without_both_a_sentence(monkeypatch):
    readings = dv.measure(TABLE, ["k_anonymity"], keys="age")
    monkeypatch.setattr(frames, "find_spec", lambda name: name == "polars" or None)
    assert isinstance(readings.to_frame(), polars.DataFrame)
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(ParameterError, match="needs the package 'pandas', which is not installed"):
        readings.to_frame()


def test_records_have_the_group_size_and_hide_few_of_them(audit):
    # By hand: five are 20; one is 30 and one 40; the last has no key to be found by.
    found = audit.to_frame("records")
    assert found["record"].to_list() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert found["counted"].to_list() == [True] * 7 + [False]
    assert found["group_size"].to_list() == [5] * 5 + [None] * 3
    assert found["group_size_hidden"].to_list() == [None] * 5 + ["<5"] * 2 + [None]
    assert found["risk"].to_list() == [0.2] * 5 + [None] * 3
    exact = audit.to_frame("records", exact_counts=True)
    assert exact["group_size"].to_list() == [5] * 5 + [1, 1, None]
    assert exact["risk"].to_list() == [0.2] * 5 + [1.0, 1.0, None]


def test_checks_are_those_of_the_document_with_few_people_hidden(audit):
    found = audit.to_frame("checks")
    assert found["title"].to_list() == [one["title"] for one in audit.document["checks"]]
    place = found["measure"].to_list().index("singled_out")
    assert (found["records"][place], found["records_hidden"][place]) == (None, "<5")
    exact = audit.to_frame("checks", exact_counts=True)
    assert (exact["records"][place], exact["records_hidden"][place]) == (2, None)
    assert audit.document["checks"][place]["records"] == "<5"


def test_attributes_have_their_roles_and_rates(audit):
    found = audit.to_frame("attributes")
    assert found["name"].to_list() == ["age", "ill"]
    assert found["role"].to_list() == ["quasi-identifier", "sensitive"]
    assert found["values"].to_list() == [4, 2]
    assert found["lone_hidden"].to_list() == ["<5", None]  # 30, 40 and the suppressed one
    rate = audit.document["targets"][0]["keys"][0]["discrimination_rate"]["value"]
    assert found["discrimination_rate"][0] == rate


def test_combinations_are_the_subsets_and_none_where_none_were_searched(audit):
    assert audit.to_frame("combinations").height == 0
    assert "discrimination_rate" in audit.to_frame("combinations").columns
    table = {"age": [20, 20, 30, 30], "sex": ["f", "m", "f", "m"], "ill": ["a", "b", "a", "b"]}
    searched = dv.audit(dv.read(table, quasi_identifiers=["age", "sex"], sensitive="ill"))
    found = searched.to_frame("combinations")
    assert sorted(found["keys"]) == ["age", "age, sex", "sex"]
    assert set(found["size"]) == {1, 2}


def test_an_unknown_part_lists_those_there_are(audit):
    with pytest.raises(ParameterError, match="It has checks, attributes, combinations, records"):
        audit.to_frame("people")


def test_records_that_are_counted_elsewhere_are_not_listed():
    data = dv.read(TABLE, **ROLES, missing="wildcard")
    with pytest.raises(Undefined, match="Records cannot be listed"):
        dv.audit(data, search=False).to_frame("records")
