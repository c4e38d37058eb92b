"""What `read` may be told can be said directly to audit, measure and compare."""

import inspect
from typing import get_type_hints

import pandas
import pytest

import divulge as dv
from divulge.errors import ParameterError, SchemaError
from divulge.questions.keywords import ReadKeywords

TABLE = {"age": [20, 20, 30, 30], "sex": ["f", "m", "f", "m"], "ill": ["flu", "cold", "flu", "flu"]}
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}


def roles(data):
    return data.schema.identifiers, data.schema.quasi_identifiers, data.schema.sensitive


def test_the_keywords_are_those_of_read_with_the_same_types():
    read = get_type_hints(dv.read)
    assert get_type_hints(ReadKeywords) == {
        name: read[name] for name in inspect.signature(dv.read).parameters if name != "data"
    }


@pytest.mark.parametrize("kind", [dict, pandas.DataFrame, dv.read])
def test_an_audit_takes_roles_directly(kind):
    found = dv.audit(kind(TABLE), **ROLES, search=False)
    assert roles(found.scope.data) == ((), ("age",), ("ill",))
    assert found.proposed is None


def test_a_path_is_described_directly(tmp_path):
    (tmp_path / "people.csv").write_text("age~ill\n20~flu\n20~cold\n30~?\n")
    found = dv.audit(tmp_path / "people.csv", **ROLES, separator="~", missing_values="?", search=False)
    assert found.scope.data.frequencies("ill")[1][0] == 1  # "?" is missing


def test_keywords_replace_what_was_said_of_the_same_thing_and_keep_what_was_counted():
    data = dv.read(TABLE, **ROLES, missing="drop", weights="age")
    found = dv.audit(data, quasi_identifiers="sex", weights=None, search=False).scope.data
    assert roles(found) == ((), ("sex",), ("ill",))
    assert (found.missing, found.weights) == ("drop", None)
    assert found.engine is data.engine
    assert roles(data) == ((), ("age",), ("ill",))


def test_a_role_given_twice_is_refused():
    with pytest.raises(SchemaError, match="ill has more than one role"):
        dv.audit(dv.read(TABLE, **ROLES), identifiers="ill")


def test_how_to_open_data_that_are_open_cannot_be_said():
    with pytest.raises(ParameterError, match=r"open already, so separator, skip cannot be given\. Say it to"):
        dv.measure(dv.read(TABLE), keys="age", separator=";", skip=1)


def test_roles_beside_a_policy_are_refused():
    policy = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    with pytest.raises(ParameterError, match=r"sensitive cannot be given beside a policy, which says it alr"):
        dv.audit(TABLE, policy, sensitive="ill")


def test_a_policy_names_the_table_and_keywords_how_to_open_it(tmp_path):
    (tmp_path / "people.csv").write_text("age~ill\n20~flu\n20~cold\n")
    (tmp_path / "policy.toml").write_text(
        '[data]\nsource = "people.csv"\n[attributes]\nage = "quasi-identifier"\n'
        "[thresholds]\nk_anonymity = { min = 2 }\n"
    )
    found = dv.audit(policy=tmp_path / "policy.toml", separator="~", search=False)
    assert [check.outcome for check in found.checks if check.name.startswith("k-")] == ["pass"]


def test_a_measurement_is_about_the_quasi_identifiers_unless_keys_are_named():
    found = dv.measure(TABLE, "discrimination_rate", target="ill", **ROLES)
    assert found.value == dv.measure(TABLE, "discrimination_rate", keys="age", target="ill").value
    assert dv.measure(TABLE, "discrimination_rate", keys="ill", **ROLES).question.target_name == "@record"
    several = dv.ask(TABLE, quasi_identifiers="age", sensitive=["sex", "ill"])
    assert several.target_name == "@record"
    assert dv.identifier_class(TABLE, quasi_identifiers=["age", "sex"]).value == "identifier"


def test_parameters_of_a_measure_go_beside_keywords():
    weighted = dv.measure(TABLE, "distinct_l_diversity", target="ill", **ROLES, missing="drop")
    assert weighted.value == 1
    with pytest.raises(ParameterError, match="grund is given, but no measure"):
        dv.measure(TABLE, **ROLES, grund="ordered")


def test_without_keys_or_roles_a_sentence_says_what_to_name():
    with pytest.raises(SchemaError, match=r"No keys given\. .* keys, or quasi-identifiers"):
        dv.measure(TABLE)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (lambda: dv.audit(TABLE, qi=["age"]), "Unknown keyword: 'qi'. Did you mean 'quasi_identifiers'?"),
        (lambda: dv.compare(TABLE, TABLE, sensitiv="age"), "Unknown keyword: 'sensitiv'. Did you mean 'sens"),
        (lambda: dv.transform(TABLE, [], sep=";"), "Unknown keyword: 'sep'. Did you mean 'separator'?"),
        (lambda: dv.audit(TABLE, zzz=1), "Unknown keyword: 'zzz'. A table is described by "),
    ],
)
def test_a_keyword_that_nothing_has_is_refused_by_its_name(asked, sentence):
    with pytest.raises(ParameterError) as refused:
        asked()
    assert str(refused.value).startswith(sentence)
