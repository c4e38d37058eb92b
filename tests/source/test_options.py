"""What may be said about a table is declared once, and Python and policies offer just that."""

import inspect
from typing import get_type_hints

import pytest

import divulge as dv
from divulge.engines.opening import ENGINES
from divulge.errors import PolicyError, SchemaError, SourceError
from divulge.policy import DataRule, Policy
from divulge.source.options import DEFAULTS, OPTIONS, SourceOptions

SEVERAL = "missing_values"  # read takes one text, several or none


def test_read_has_the_same_keywords_types_and_defaults():
    keywords = inspect.signature(dv.read).parameters
    asked, declared = get_type_hints(dv.read), get_type_hints(SourceOptions)
    for name in OPTIONS.keys() - {SEVERAL}:
        assert keywords[name].default == DEFAULTS[name], name
        assert asked[name] == declared[name], name
    assert keywords[SEVERAL].default is None
    roles = {"identifiers", "quasi_identifiers", "sensitive", "hierarchies", "orders"}
    assert set(keywords) == {"data", *roles, *OPTIONS}


def test_a_policy_has_the_same_keys():
    other = {"memory": "4GB", "missing": "drop", "missing_values": ["?"], "engine": "local"}
    other |= {"labels": "ignore", "names": ["a", "b"], "no_header": True, "skip": 2}
    said = {name: other.get(name, "x") for name in OPTIONS}
    written = Policy.of({"data": said, "attributes": {"a": "quasi-identifier"}, "thresholds": ASKED}).data
    assert written == DataRule(**{**said, "missing_values": ("?",)})
    with pytest.raises(PolicyError, match=r"data\.engine: unknown engine: 'sprk'. Did you mean 'spark'"):
        Policy.of({"data": {"engine": "sprk"}, "thresholds": ASKED})


def test_a_policy_takes_numbers_and_truth_values_where_an_option_is_one():
    for said, wrong in (("skip", "1"), ("skip", True), ("no_header", 1), ("no_header", "yes")):
        with pytest.raises(PolicyError, match=f"data.{said}: this must be .*, not .*Write {said} = "):
            Policy.of({"data": {said: wrong}, "thresholds": ASKED})


def test_names_may_be_given_as_a_list_or_with_commas():
    assert SourceOptions(names=["a", "b,c"]).names == ("a", "b,c")
    assert SourceOptions(names='a,"b,c"').names == ("a", "b,c")
    with pytest.raises(SourceError, match="skip is a number of lines"):
        SourceOptions(skip=-1)


ASKED = {"k_anonymity": {"min": 2, "keys": ["a"]}}


def test_a_word_that_is_none_of_the_possible_ones_is_refused_with_a_suggestion():
    with pytest.raises(SchemaError, match=r": 'dorp'. Did you mean 'drop'\? Choose value, drop or wild"):
        SourceOptions(missing="dorp")
    with pytest.raises(SourceError, match=r"Unknown engine: 'dask'. Choose local, gpu, database or spark"):
        dv.read({"a": [1]}, engine="dask")


def test_the_engines_to_choose_from_are_those_there_are():
    assert OPTIONS["engine"].choices == tuple(ENGINES)


def test_an_empty_mark_marks_nothing_and_a_tab_may_be_spelled():
    assert SourceOptions(suppressed="").suppressed is None
    assert {SourceOptions(separator=text).separator for text in ("tab", "\\t", "\t")} == {"\t"}


def test_options_can_be_had_as_far_as_they_were_given_or_concern_something():
    options = SourceOptions(separator=";", memory="4GB", missing="drop", suppressed="")
    assert options.given() == {"separator": ";", "memory": "4GB", "missing": "drop", "suppressed": None}
    assert options.given("values") == {"missing": "drop", "suppressed": None}
    assert options.only("file", "database") == SourceOptions(separator=";")
