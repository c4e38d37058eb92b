"""What a key may be used for within its role."""

import pytest

from divulge.errors import Forbidden, ParameterError
from divulge.service.identities.scopes import KeyScope


def test_a_scope_is_read_as_it_was_written():
    for scope in (
        KeyScope(),
        KeyScope.of("steward", ["people", "clinic", "people"], None),
        KeyScope.of("requester", ["people"], ["p2", "p1"]),
    ):
        assert KeyScope.read(scope.text) == scope
    assert KeyScope().text is None


def test_a_key_without_scope_is_for_everything():
    scope = KeyScope()
    scope.require("anything")
    assert scope.has_record("anything", "anybody")


def test_a_key_for_records_is_for_these_of_one_dataset():
    scope = KeyScope.of("requester", ["people"], ["p1"])
    assert scope.has_record("people", "p1")
    assert not scope.has_record("people", "p2")
    assert not scope.has_record("others", "p1")
    with pytest.raises(Forbidden, match="does not include this dataset"):
        scope.require("others")


@pytest.mark.parametrize(
    ("role", "datasets", "records"),
    [
        ("admin", ["people"], None),
        ("steward", ["people"], ["p1"]),
        ("auditor", ["people"], ["p1"]),
        ("requester", None, ["p1"]),
        ("requester", ["people", "others"], ["p1"]),
        ("requester", ["people"], []),
        ("requester", [], None),
        ("requester", [""], None),
        ("requester", ["people"], ["p\ud800"]),
        ("requester", ["people"], [f"p{number}" for number in range(1001)]),
    ],
)
def test_a_scope_that_makes_no_sense_is_refused(role, datasets, records):
    with pytest.raises(ParameterError):
        KeyScope.of(role, datasets, records)
