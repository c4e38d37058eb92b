"""JSON: an object is a record, and a value keeps its type."""

import json

import pytest

from divulge.engines.opening import open_source
from divulge.errors import DuplicateAttribute, EmptySource, SourceError, UnknownAttribute
from file_formats import put


def table(content, tmp_path):
    source = open_source(put(tmp_path / "a.json", content))
    codes = source.encode(source.attributes)
    return {
        name: [None if code == 0 else column.values[code - 1] for code in column.codes]
        for name, column in codes.items()
    }


def test_numbers_texts_and_truth_values_stay_apart(tmp_path):
    rows = [{"a": 1}, {"a": "1"}, {"a": 1.0}, {"a": True}, {"a": None}, {}, {"a": "01"}, {"a": ""}]
    assert table(json.dumps(rows), tmp_path) == {"a": [1, "1", 1, True, None, None, "01", ""]}


def test_keys_are_attributes_in_the_order_they_first_occur(tmp_path):
    content = '{"b": 1}\n{"a": "x", "b": 2}\n{"A": 3, "a/b~c": 4, "d\\"e": 5, "f.g": 6}\n'
    assert table(content, tmp_path) == {
        "b": [1, 2, None],
        "a": [None, "x", None],
        "A": [None, None, 3],
        "a/b~c": [None, None, 4],
        'd"e': [None, None, 5],
        "f.g": [None, None, 6],
    }


def test_objects_may_stand_on_several_lines(tmp_path):
    assert table('{"a":\n 1}\n\n{"a": 2}', tmp_path) == {"a": [1, 2]}


def test_letters_may_be_written_in_any_way(tmp_path):
    expected = {"a": ["Zürich", "東京"]}
    rows = [{"a": "Zürich"}, {"a": "東京"}]
    for text in (json.dumps(rows), json.dumps(rows, ensure_ascii=False)):
        assert table(text, tmp_path) == expected
        assert table(text.encode("utf-16"), tmp_path) == expected
        assert table(b"\xef\xbb\xbf" + text.encode(), tmp_path) == expected


def test_a_nested_value_is_refused_where_it_is_asked_for(tmp_path):
    source = open_source(put(tmp_path / "a.json", '[{"a": 1, "b": {"c": 2}}, {"a": 2, "b": [3]}]'))
    assert source.encode(["a"])["a"].values == [1, 2]
    with pytest.raises(SourceError, match="attribute 'b' holds lists or objects"):
        source.encode(["b"])


KEYED = {
    "by person": {f"ZQ{i}": {"age": 30 + i, "sex": "mf"[i % 2]} for i in range(9)},
    "by person, some without anything": {"ZQ1": {"age": 30}, "ZQ2": None},
    "by column": {"ZQage": {"0": 30, "1": 31}, "ZQsex": {"0": "m", "1": "f"}},
    "in parts": {"ZQ": ["age"], "data": [[30], [31]]},
}


@pytest.mark.parametrize("keyed", KEYED)
def test_objects_inside_an_object_are_refused_by_their_shape_and_no_key_is_named(keyed, tmp_path):
    with pytest.raises(SourceError, match="objects or lists inside objects") as caught:
        open_source(put(tmp_path / "a.json", json.dumps(KEYED[keyed])))
    assert "ZQ" not in str(caught.value)


def test_a_key_is_named_only_if_most_records_have_it(tmp_path):
    rows = [{"age": 30, "town": "Rome"}, {"age": 31, "town": [1]}, {"age": 32, "ZQ": {"a": 1}}]
    source = open_source(put(tmp_path / "a.json", json.dumps(rows)))
    with pytest.raises(UnknownAttribute, match="which has age, town and 1 more, whose names may be values"):
        source.encode(["nobody"])
    with pytest.raises(SourceError, match="The attribute 'town' holds lists"):
        source.encode(source.attributes[:2])
    with pytest.raises(SourceError, match="An attribute holds lists"):
        source.encode(source.attributes[2:])


def test_the_keys_of_a_single_object_are_not_named(tmp_path):
    source = open_source(put(tmp_path / "a.json", '{"ZQ1": 30, "ZQ2": 31}'))
    with pytest.raises(UnknownAttribute) as caught:
        source.encode(["nobody"])
    assert "ZQ" not in str(caught.value)


REFUSED = {
    "values that are not objects": '[{"a": 1}, 2]',
    "values that are not objects ": "[[1, 2], [3, 4]]",
    "objects that have a key twice": '{"a": 1, "a": 2}',
    "cannot be read as a file of JSON": '[{"a": 1}, {"a": 2}',
    "cannot be read as a file of JSON ": '{"a": 1}\n{"a"',
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_no_record_is_refused(said, tmp_path):
    with pytest.raises(SourceError, match=said.strip()):
        open_source(put(tmp_path / "a.json", REFUSED[said]))


@pytest.mark.parametrize("content", ["[]", "[{}]", "{}"])
def test_a_file_without_attributes_or_records_is_empty(content, tmp_path):
    with pytest.raises((EmptySource, DuplicateAttribute)):
        open_source(put(tmp_path / "a.json", content))
