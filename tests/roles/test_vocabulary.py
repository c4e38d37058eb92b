"""What names say: the words in them, and which of several counts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.roles.vocabulary import meanings, naming, of_names, split


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DateOfBirth", ["date", "of", "birth"]),
        ("marital-status", ["marital", "status"]),
        ("IPAddress2", ["ip", "address"]),
        ("MARSTAT", ["marstat"]),
        ("Größe (cm)", ["grosse", "cm"]),
        ("numéro_sécurité", ["numero", "securite"]),
        ("Straße", ["strasse"]),
        ("", []),
        ("123", []),
    ],
)
def test_a_name_is_split_at_case_digits_and_signs(name, words):
    assert split(name) == words


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("birth_date", "a date of birth or an age"),
        ("date of birth", "a date of birth or an age"),
        ("diagnosis_date", "a date"),
        ("age_at_diagnosis", "a date of birth or an age"),
        ("salary-class", "income or money"),
        ("number_of_children", "family or household"),
        ("zipcode", "a postcode"),
        ("maritalstatus", "family or household"),
        ("symptoms", "health"),
        ("state_code", "a place"),
        ("city_name", "a place"),
        ("patient name", "a person's name"),
        ("name", "a person's name"),
        ("id_cliente", "a person's number or user name in a system"),
        ("customer", "a person's number or user name in a system"),
        ("Geburtsdatum", "a date of birth or an age"),
        ("código_postal", "a postcode"),
        ("situation familiale", "family or household"),
        ("cittadinanza", "a country, an origin or a language"),
        ("fnlwgt", "a weight, perhaps how many people a record stands for"),
        ("LastModifiedDate", "the time when the record was written"),
    ],
)
def test_what_a_name_says_first(name, says):
    assert meanings(name)[0].says == says


@pytest.mark.parametrize(
    "name", ["product_name", "customer_segment", "working years", "usage", "x", "1", "", "hours per week"]
)
def test_names_that_say_nothing(name):
    assert meanings(name) == []


def test_a_vague_word_counts_at_the_end_only():
    assert [meaning.vague for meaning in meanings("order_id")] == [True]
    assert meanings("order_amount") == []


@given(st.text(max_size=60))
def test_any_text_may_be_a_name(name):
    assert all(meaning.says for meaning in meanings(name))


@pytest.mark.parametrize("name", ["UTILITYID", "UTILNAME", "utility_id", "machineid", "shop name"])
def test_the_number_or_the_name_of_something_unknown(name):
    assert naming(name).vague


@pytest.mark.parametrize("name", ["paid", "thyroid", "name", "id", "price", "city_name", "", "StateName"])
def test_what_is_no_number_and_no_name_of_something(name):
    assert naming(name) is None


OF_PEOPLE = """
    first_name, FirstName, given name, forename, last name, surname, family name, maiden name, Vorname
    vorname_kind, Nachname, Familienname, Geburtsname, Mädchenname, prénom, Prénoms, nom de famille
    nom_de_naissance, apellido, apellidos, primer apellido, nombre completo, cognome, sobrenome, voornaam
    achternaam, imię, nazwisko, fornavn, efternavn, mother_last_name, Vor- und Nachname, patient name
    Patientenname, Versichertenname, Name des Versicherten, name of the patient, nom du patient, contact_name
"""


@pytest.mark.parametrize("name", ["Nachname, Vorname", *re.split(r"[,\n]\s*", OF_PEOPLE.strip())])
def test_what_is_called_a_first_or_a_last_name_surely_names_people(name):
    assert of_names(name) == "surely"


@pytest.mark.parametrize("name", ["Name", "names", "nom", "nombre", "nome", "last"])
def test_one_word_that_may_name_anything_names_people_perhaps(name):
    assert of_names(name) == "perhaps"


@pytest.mark.parametrize(
    "name",
    [
        "brand name",
        "name of district",
        "name of the product",
        "product_name",
        "hostname",
        "nombre_producto",
        "nom du produit",
        "first_visit",
        "last_updated",
        "column_name",
        "",
    ],
)
def test_the_name_of_a_thing_names_nobody(name):
    assert of_names(name) is None
