"""A drafted policy: TOML for any names, with the roles, the reasons and thresholds that can be read."""

import re
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.policy import USUAL, Policy
from divulge.roles.missing_codes import MissingCode
from divulge.roles.policy_draft import draft
from divulge.roles.proposal import Proposed
from divulge.table.schema import Role

PEOPLE = [
    Proposed("name", Role.IDENTIFIER, ("its name suggests a person's name", "every record has its own")),
    Proposed("zip code", Role.QUASI_IDENTIFIER, ("its name suggests a postcode",)),
    Proposed("disease", Role.SENSITIVE, ("its name suggests health",)),
]
NAMES = st.text(max_size=12) | st.sampled_from(
    ['"', "\\", "a.b", "a b", "é", "\x7f", "\x00", "\n", "'''", "#", "="]
)


def test_a_draft_has_the_roles_and_the_default_checks():
    assert tomllib.loads(draft("people.csv", PEOPLE)) == {
        "format": 1,
        "data": {"source": "people.csv", "missing": "value"},
        "attributes": {"name": "identifier", "zip code": "quasi-identifier", "disease": "sensitive"},
        "thresholds": {
            "singled_out": [{"max": 0.001, "k": 3}, {"max": 0, "k": 5, "severity": "warn"}],
            "learned": [{"max": 0, "certain": 0.9}, {"max": 0, "certain": 0.5, "severity": "warn"}],
        },
    }


def test_reasons_stand_above_their_attribute_and_roles_are_aligned():
    text = draft("people.csv", PEOPLE)
    assert (
        "# its name suggests a person's name\n# every record has its own\n"
        'name       = "identifier"\n\n'
        '# its name suggests a postcode\n"zip code" = "quasi-identifier"\n'
    ) in text


def test_without_a_sensitive_attribute_nothing_is_asked_about_one():
    assert list(tomllib.loads(draft("people.csv", PEOPLE[:2]))["thresholds"]) == ["singled_out"]


def test_without_a_quasi_identifier_the_draft_says_what_is_to_do():
    sentence = "No attribute is a quasi-identifier yet."
    assert sentence in draft("people.csv", [PEOPLE[0], PEOPLE[2]])
    assert sentence not in draft("people.csv", PEOPLE)


def test_how_the_data_are_read_is_kept():
    text = draft(
        "people.csv", PEOPLE, missing="drop", reading={"separator": "\t", "missing_values": ["NA", "?"]}
    )
    assert tomllib.loads(text)["data"] == {
        "source": "people.csv",
        "separator": "\t",
        "missing_values": ["NA", "?"],
        "missing": "drop",
    }


@pytest.mark.parametrize("start", ["#age = ", "#postcode = ", "#disease = "])
def test_examples_can_be_uncommented(start):
    text = draft("people.csv", PEOPLE[:2])
    assert re.search(f"^{start}", text, re.MULTILINE)
    shown = tomllib.loads(text.replace(start, start[1:]))
    assert set(shown["attributes"][start[1:-3]]) > {"role"}


@given(st.dictionaries(NAMES, st.sampled_from(Role)), NAMES, st.lists(NAMES, max_size=3))
def test_any_names_sources_and_reasons_make_toml(roles, source, reasons):
    proposed = [Proposed(name, role, tuple(reasons)) for name, role in roles.items()]
    found = tomllib.loads(draft(source, proposed))
    assert found["data"]["source"] == source
    assert found["attributes"] == {name: role.value for name, role in roles.items()}
    assert list(found["attributes"]) == list(roles)


def test_a_draft_is_read_as_a_policy_with_the_default_checks(tmp_path):
    (tmp_path / "divulge.toml").write_text(draft("people.csv", PEOPLE), "utf-8")
    policy = Policy.read(tmp_path / "divulge.toml")
    assert {name: rule.role for name, rule in policy.attributes.items()} == {
        one.attribute: one.role for one in PEOPLE
    }
    declared = tuple(one.attribute for one in PEOPLE if one.role is Role.IDENTIFIER)
    assert policy.demands == replace(USUAL, declared=declared)
    assert policy.thresholds == ()


def test_codes_for_missing_are_offered_in_a_line_to_be_uncommented():
    codes = [MissingCode("job", "?", 12, False), MissingCode("age", "99", 7, True, ("weight",))]
    text = draft("people.csv", PEOPLE, codes=codes, reading={"missing_values": ["NA"]})
    assert tomllib.loads(text)["data"]["missing_values"] == ["NA"]
    assert "probably mean missing, in job.\n" in text
    active = text.replace('missing_values = ["NA"]\n', "", 1).replace("#missing_values", "missing_values")
    assert tomllib.loads(active)["data"]["missing_values"] == ["NA", "?"]


def test_without_codes_nothing_is_offered():
    assert "missing_values" not in draft("people.csv", PEOPLE)
