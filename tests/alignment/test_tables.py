"""Counterparts among columns and rows, on tables small enough to see them."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align, packed
from divulge.errors import SchemaError, UnknownAttribute

PATIENTS = {"patient": ["a", "b", "c"], "Age": [22, 35, 41], "Disease": ["flu", "cold", "flu"]}


def original(**roles):
    return dv.read(PATIENTS, quasi_identifiers="Age", sensitive="Disease", **roles)


def rows(alignment):
    ours, theirs = alignment.rows
    return ours.tolist(), theirs.tolist()


def test_equal_names_are_the_same_attribute_and_rows_go_by_order():
    found = align(original(), dv.read(PATIENTS))
    assert found.columns == {"patient": "patient", "Age": "Age", "Disease": "Disease"}
    assert found.how == "by order"
    assert rows(found) == ([0, 1, 2], [0, 1, 2])
    assert found.notes == (
        "Rows are matched by their order: both tables have 3 records, and 100% of the values fit row "
        "by row (53.1% in a random order, 100% at best).",
    )


def test_names_may_differ_in_case_spaces_and_trailing_stars():
    found = align(original(), dv.read({" age** ": ["2*", "3*", "4*"], "DISEASE": ["flu", "cold", "flu"]}))
    assert found.columns == {"Age": " age** ", "Disease": "DISEASE"}
    assert "Treated as the same attribute though spelled differently: 'Age' and ' age** '" in found.notes[0]
    assert "Without a counterpart in the release: patient." in found.notes


def test_a_mapping_comes_before_equal_names():
    released = dv.read({"Age": [1, 2, 3], "band": ["2*", "3*", "4*"]})
    found = align(original(), released, columns={"Age": "band"})
    assert found.columns == {"Age": "band"}
    assert "In the release only: Age." in found.notes


def test_an_attribute_with_two_possible_counterparts_has_none():
    found = align(original(), dv.read({"Age*": ["2*"] * 3, "Age**": ["*"] * 3}))
    assert "Age" not in found.columns
    assert "'Age' may be Age*, Age** in the release; use a mapping of columns to say which." in found.notes


def test_two_attributes_with_one_possible_counterpart_have_none():
    found = align(dv.read({"Age": [1], "AGE": [2]}), dv.read({"age": [1]}))
    assert found.columns == {}


@pytest.mark.parametrize("columns", [{"Agee": "Age"}, {"Age": "Agee"}])
def test_a_mapping_names_attributes_that_exist(columns):
    with pytest.raises(UnknownAttribute, match="Did you mean 'Age'"):
        align(original(), dv.read(PATIENTS), columns=columns)


def test_a_mapping_gives_a_counterpart_to_one_attribute_only():
    with pytest.raises(SchemaError, match="counterpart of more than one attribute"):
        align(original(), dv.read(PATIENTS), columns={"Age": "Disease", "patient": "Disease"})


def test_roles_are_those_of_the_original():
    found = align(
        original(identifiers="patient"), dv.read({"AGE": [2, 3], "disease": ["x", "y"], "batch": [1, 1]})
    )
    assert found.released.schema.quasi_identifiers == ("AGE",)
    assert found.released.schema.sensitive == ("disease",)
    assert found.released.schema.identifiers == ()


def test_a_released_attribute_without_a_counterpart_keeps_its_own_role():
    released = dv.read(
        {"Age": [1, 2, 3], "region": [1, 2, 3]}, quasi_identifiers=["region"], sensitive=["Age"]
    )
    assert align(original(), released).released.schema.quasi_identifiers == ("Age", "region")


def test_rows_in_another_order_and_with_gaps_go_by_an_identifier():
    released = dv.read({"patient": ["c", "x", "a"], "Age": [40, 90, 20]})
    found = align(original(), released, by="patient")
    assert found.how == "by patient"
    assert rows(found) == ([0, 2], [2, 0])
    assert "By patient, fewer than 5 records match, of 3 in the original and 3 in the release." in found.notes
    one, other = found.pair("Age")
    assert [one.values[code - 1] for code in one.codes] == [22, 41]
    assert [other.values[code - 1] for code in other.codes] == [20, 40]


def test_numbers_and_texts_that_read_the_same_are_the_same_identifier():
    found = align(dv.read({"id": [1, 2, 3]}), dv.read({"id": ["3", "1"]}), by="id")
    assert rows(found) == ([0, 2], [1, 0])


def test_several_identifiers_align_together():
    table = {"house": [1, 1, 2], "name": ["a", "b", "a"]}
    found = align(dv.read(table), dv.read({"house": [2, 1], "name": ["a", "a"]}), by=["house", "name"])
    assert found.how == "by house, name"
    assert rows(found) == ([0, 2], [1, 0])


def test_identifiers_of_the_original_are_used_without_being_asked_for():
    found = align(original(identifiers="patient"), dv.read({"patient": ["b", "a", "c"], "Age": [3, 2, 4]}))
    assert rows(found) == ([0, 1, 2], [1, 0, 2])


def test_a_missing_identifier_aligns_with_nothing():
    found = align(dv.read({"id": ["a", None, "c"]}), dv.read({"id": [None, "c", "a"]}), by="id")
    assert rows(found) == ([0, 2], [2, 1])


@pytest.mark.parametrize(
    ("released", "said"),
    [
        ({"patient": ["a", "a", "c"]}, "in the release it repeats on fewer than 5 records"),
        ({"Age": [1, 2, 3]}, "the release has no patient"),
        ({"patient": ["x", "y", "z"]}, "no value of it is in both tables"),
    ],
)
def test_an_identifier_that_cannot_align_is_not_replaced_by_the_order(released, said):
    found = align(original(), dv.read(released), by="patient")
    assert (found.rows, found.how, found.aligned) == (None, "not record by record", 0)
    assert any(said in note for note in found.notes)


def test_an_identifier_that_nobody_asked_for_may_be_replaced_by_the_order():
    table = {"patient": ["a", "a", "b"], "Age": [1, 2, 3]}
    found = align(dv.read(table, identifiers="patient"), dv.read(table))
    assert found.how == "by order"
    assert any("in the original it repeats on fewer than 5 records" in note for note in found.notes)


def test_rows_of_tables_of_different_length_are_not_aligned():
    found = align(original(), dv.read({"Age": [22, 35]}))
    assert found.rows is None
    assert any("the original has 3 records, the release 2" in note for note in found.notes)
    with pytest.raises(SchemaError, match="the rows are not aligned"):
        found.pair("Age")


def test_an_attribute_without_counterpart_has_no_pair():
    found = align(original(), dv.read({"Age": [22, 35, 41]}))
    with pytest.raises(SchemaError, match="'Disease' has no counterpart"):
        found.pair("Disease")


def test_an_identifier_has_to_exist():
    with pytest.raises(UnknownAttribute):
        align(original(), dv.read(PATIENTS), by="patent")


def test_notes_name_no_values():
    secret = {"patient": ["MARKER1", "MARKER1", "MARKER2"], "Age": ["MARKER3"] * 3}
    notes = align(dv.read(secret, identifiers="patient"), dv.read({"patient": ["MARKER9"]})).notes
    assert notes
    assert "MARKER" not in " ".join(notes)


def test_combinations_beyond_a_word_are_still_told_apart():
    random = np.random.default_rng(1)
    columns = [random.integers(0, 1 << 20, 500).astype(np.uint32) for _ in range(5)]
    columns = [np.concatenate([one, one]) for one in columns]
    words = packed([(one, 1 << 20) for one in columns], 1000)
    assert (words[:500] == words[500:]).all()
    assert len(np.unique(words)) == 500
