"""Roles: given once, to attributes that are there."""

import pytest

from divulge.errors import SchemaError, UnknownAttribute
from divulge.table.schema import Role, Schema, names

ATTRIBUTES = ("name", "zip", "ill", "note")


def test_each_attribute_has_the_role_it_was_given_or_none():
    schema = Schema(ATTRIBUTES, identifiers=("name",), quasi_identifiers=("zip",), sensitive=("ill",))
    roles = [schema.role(attribute) for attribute in ATTRIBUTES]
    assert roles == [Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER]


def test_two_roles_for_one_attribute_are_refused():
    with pytest.raises(SchemaError, match="zip has more than one role"):
        Schema(ATTRIBUTES, identifiers=("zip",), sensitive=("zip",))


def test_an_unknown_name_is_refused_with_what_there_is():
    with pytest.raises(
        UnknownAttribute, match=r"No attribute 'Zip'.*name, zip, ill, note.*Did you mean 'zip'"
    ) as error:
        Schema(ATTRIBUTES, quasi_identifiers=("Zip",))
    assert (error.value.asked, error.value.attributes) == ("Zip", ATTRIBUTES)
    with pytest.raises(UnknownAttribute):
        Schema(ATTRIBUTES).role("age")


@pytest.mark.parametrize(("given", "found"), [(None, ()), ("zip", ("zip",)), (["a", "b"], ("a", "b"))])
def test_one_name_several_or_none_become_a_tuple(given, found):
    assert names(given) == found
