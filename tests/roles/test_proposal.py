"""Proposed roles: rule by rule, and on labelled schemas as a whole."""

import datetime
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.roles.observed import LOOKED_AT
from divulge.roles.proposal import Proposed, propose, roles_to_use
from divulge.source.base import Columns
from divulge.table.codes import Codes
from divulge.table.schema import Role
from labelled_schemas import KNOWN, UNSEEN, labelled

ROLES = Path(__file__).parents[2] / "docs" / "roles.md"
NUMBERS = range(100)


def proposed(values, name="x", **options) -> Proposed:
    """What is proposed for one attribute."""
    return propose(dv.read({name: list(values)}, **options))[0]


# -- schemas --------------------------------------------------------------------------------------


def outcomes(schemas):
    """How often each role is right, found and proposed, over all attributes of some schemas."""
    counts = Counter()
    for schema in schemas.values():
        roles, columns = labelled(schema)
        for one in propose(dv.read(columns)):
            right = roles[one.attribute]
            counts.update([("right", right), ("proposed", one.role)])
            counts["found", right] += one.role is right
    return counts


@pytest.fixture(scope="module")
def measured():
    return {"known": outcomes(KNOWN), "unseen": outcomes(UNSEEN)}


@pytest.mark.parametrize(
    ("schemas", "role", "recall", "precision"),
    [
        ("known", Role.IDENTIFIER, 0.95, 0.9),
        ("known", Role.QUASI_IDENTIFIER, 0.95, 0.95),
        ("known", Role.SENSITIVE, 0.9, 0.9),
        ("unseen", Role.IDENTIFIER, 0.95, 0.8),
        ("unseen", Role.QUASI_IDENTIFIER, 0.75, 0.9),
        ("unseen", Role.SENSITIVE, 0.4, 0.9),
    ],
)
def test_roles_are_found_in_public_schemas(measured, schemas, role, recall, precision):
    counts = measured[schemas]
    assert counts["found", role] / counts["right", role] >= recall
    assert counts["found", role] / counts["proposed", role] >= precision


def test_the_page_on_roles_shows_what_is_measured(measured):
    page = ROLES.read_text("utf-8")
    for role in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        cells = [role.value]
        for counts in measured.values():
            found = counts["found", role]
            cells += [f"{found} of {counts['right', role]}", f"{found} of {counts['proposed', role]}"]
        assert f"| {' | '.join(cells)} |" in page


@pytest.mark.parametrize("title", [*KNOWN, *UNSEEN])
def test_every_table_of_people_has_a_quasi_identifier(title):
    _, columns = labelled({**KNOWN, **UNSEEN}[title])
    assert any(one.role is Role.QUASI_IDENTIFIER for one in propose(dv.read(columns)))


def test_the_adult_extract_comes_out_as_it_is_used():
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    table = {name: ["a", "b"] for name in [*names, "salary-class"]}
    roles = {one.attribute: one.role for one in propose(dv.read(table))}
    assert roles == dict.fromkeys(names, Role.QUASI_IDENTIFIER) | {"salary-class": Role.SENSITIVE}


# -- rules ----------------------------------------------------------------------------------------


def test_one_value_everywhere_is_other_whatever_the_name():
    assert proposed(["flu"] * 9, "disease") == Proposed(
        "disease", Role.OTHER, ("all records have the same value",)
    )
    assert proposed([None] * 9, "disease").reasons == ("no record has a value",)


def test_one_value_or_none_is_two_and_may_be_sensitive():
    assert proposed(["yes", None, None], "hiv").role is Role.SENSITIVE


def test_values_outweigh_a_dull_name():
    one = proposed([f"ada{n}@example.org" for n in NUMBERS], "contact")
    assert one.role is Role.IDENTIFIER
    assert one.reasons[0] == "all of its values look like e-mail addresses"


def test_most_values_are_enough_and_their_share_is_rounded_down():
    values = [f"ada{n}@example.org" if n < 99 else "by post" for n in NUMBERS]
    assert proposed(values).reasons[0] == "99 % of its values look like e-mail addresses"
    values = [f"ada{n}@example.org" if n % 2 else f"note {n}" for n in NUMBERS]
    assert proposed(values).reasons[0] == "some of its values contain e-mail addresses"


def test_a_pattern_in_a_handful_of_values_names_no_person():
    assert proposed(["https://example.org/a", "https://example.org/b"] * 50, "system").role is Role.OTHER


def test_a_name_that_says_identifier_needs_values_enough():
    assert proposed(["yes", "no"] * 50, "telephone").role is Role.OTHER
    assert proposed([f"ward {n % 30}" for n in NUMBERS], "patient_id").role is Role.IDENTIFIER
    assert proposed(["Ann", "Bob", "Cid"], "name").role is Role.IDENTIFIER


def test_a_vague_name_needs_values_that_differ():
    assert proposed([n // 2 for n in NUMBERS], "entry_no").role is Role.IDENTIFIER
    assert proposed([n // 10 for n in NUMBERS], "entry_no").role is Role.OTHER
    assert proposed([n / 7 for n in NUMBERS], "index").role is Role.OTHER


def test_a_unique_whole_number_called_id_identifies():
    one = proposed([7919 * n % 104729 for n in NUMBERS], "id")
    assert one.reasons == ("its name suggests a running or assigned number",)
    assert one.role is Role.IDENTIFIER


def test_whole_numbers_that_run_on_were_given_out():
    one = proposed(NUMBERS, "x")
    assert one.role is Role.IDENTIFIER
    assert one.reasons == (
        "every record has a different value",
        ("its numbers are consecutive, nearly without gaps"),
    )


def test_whole_numbers_of_one_length_were_given_out():
    one = proposed([10**7 + 7919 * n for n in NUMBERS], "x")
    assert one.role is Role.IDENTIFIER
    assert one.reasons[1] == "all its numbers have the same number of digits"


@pytest.mark.parametrize(
    "values",
    [
        [n * n * 13 for n in NUMBERS],
        [n / 7 for n in NUMBERS],
        [f"{n / 7:.3f}".replace(".", ",") for n in NUMBERS],
        [f"{1234 * n:,}.50 €" for n in NUMBERS],
        [f"${13 * n * n}" for n in NUMBERS],
        [Decimal(n * n) / 8 for n in NUMBERS],
    ],
    ids=["whole", "decimal", "decimal comma", "euros", "dollars", "Decimal"],
)
def test_numbers_that_all_differ_are_measurements(values):
    assert proposed(values) == Proposed("x", Role.OTHER, ("its numbers mostly differ, as measurements do",))


def test_texts_that_all_differ_identify():
    assert proposed([f"text {n}" for n in NUMBERS]).reasons == ("every record has a different value",)
    assert proposed([f"text {n}" for n in [*NUMBERS, 1]]).reasons == (
        "nearly every record has a different value",
    )
    assert proposed([f"{n} Long Street" for n in NUMBERS], "street").role is Role.IDENTIFIER
    assert proposed([f"text {n}" for n in NUMBERS], "diagnosis").role is Role.SENSITIVE


def test_texts_of_which_many_differ_may_single_out():
    one = proposed([f"text {n * 2 // 3}" for n in NUMBERS])
    assert one.role is Role.QUASI_IDENTIFIER
    assert one.reasons == ("it has more than half as many texts as records",)


def test_in_a_few_records_that_all_values_differ_says_nothing():
    assert proposed(range(9)).role is Role.OTHER
    assert proposed([f"text {n}" for n in range(9)]).role is Role.OTHER


def test_dates_over_decades_look_like_dates_of_birth():
    births = [datetime.date(1930 + n % 80, 1 + n % 12, 1) for n in NUMBERS]
    assert proposed(births).reasons == ("its dates span decades, as dates of birth do",)
    visits = [datetime.datetime(2024, 1 + n % 12, 1, 9, 30) for n in NUMBERS]
    assert proposed(visits).reasons == ("its values are dates, which others may know",)
    assert proposed(visits, "updated_at").role is Role.OTHER


def test_a_few_odd_dates_do_not_make_dates_of_birth():
    visits = [f"2024-{1 + n % 12:02}-{1 + n % 28:02}" for n in NUMBERS] + ["1900-01-01"]
    assert proposed(visits).reasons == ("its values are dates, which others may know",)


def test_sex_is_told_by_its_values():
    assert proposed(["F", "M", "M"]).reasons == ("its values are those of sex or gender",)
    assert proposed(["male", "female", "unknown"]).role is Role.QUASI_IDENTIFIER
    assert proposed(["F", "M", "G"]).role is Role.OTHER
    assert proposed(["other", "unknown", "x"]).role is Role.OTHER


def test_a_weight_is_other_and_the_reason_says_so():
    one = proposed([n * 37 % 1001 for n in NUMBERS], "fnlwgt")
    assert one.role is Role.OTHER
    assert one.reasons == ("its name suggests a weight, perhaps how many people a record stands for",)


def test_codes_of_diagnoses_are_sensitive():
    values = [f"{'ABC'[n % 3]}{10 + n}.{n % 10}" for n in range(60)]
    assert proposed(values * 2).role is Role.SENSITIVE


def test_nothing_sensitive_is_invented():
    table = {"a": ["x", "y"] * 50, "b": [n % 7 for n in NUMBERS], "age": list(NUMBERS)}
    assert [one.role for one in propose(dv.read(table))] == [Role.OTHER, Role.OTHER, Role.QUASI_IDENTIFIER]


def test_suppressed_missing_and_blank_cells_are_no_values_to_look_at():
    emails = [f"ada{n}@example.org" for n in range(40)]
    assert proposed([*emails, "*", None]).reasons[0] == "all of its values look like e-mail addresses"
    assert proposed(["*", None, "*"]).role is Role.OTHER
    assert proposed([" ", "  "] * 20).role is Role.OTHER


@pytest.mark.parametrize(
    "values", [[True, False], [b"a", b"b"], [1.0, 2.5], [datetime.time(9), datetime.time(8)]]
)
def test_values_of_any_type_can_be_looked_at(values):
    assert proposed(values * 20).reasons


# -- what holds for all ---------------------------------------------------------------------------


def test_reasons_name_no_value():
    marks = [f"marked{n}" for n in NUMBERS]
    columns = {
        "email": [f"{mark}@example.org" for mark in marks],
        "disease": [mark[:-1] for mark in marks],
        "sex": ["marked", "other"] * 50,
        "x": marks,
        "when": [f"{7 + 1900 + n}-07-07" for n in NUMBERS],
        "n": [70707 + 10**8 * n for n in NUMBERS],
    }
    said = " ".join(reason for one in propose(dv.read(columns)) for reason in one.reasons)
    assert "marked" not in said
    assert "07" not in said


def test_there_is_one_proposal_for_each_attribute_in_order_and_always_the_same():
    _, columns = labelled(KNOWN["a table of customers"])
    first = propose(dv.read(columns))
    assert [one.attribute for one in first] == list(columns)
    assert propose(dv.read(columns)) == first
    assert all(one.reasons for one in first)


class Counted(Sequence):
    """Values that count how often one is looked at."""

    def __init__(self, values):
        self.values, self.looks = values, 0

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        self.looks += 1
        return self.values[place]


def test_of_many_values_some_are_looked_at_spread_evenly():
    records = 50 * LOOKED_AT
    values = Counted([f"{n}@example.org" for n in range(records)])
    codes = Codes(np.arange(1, records + 1, dtype=np.uint32), values)
    one = propose(dv.read(Columns("many", ("contact",), records, lambda name: codes)))[0]
    assert values.looks == LOOKED_AT
    assert one.role is Role.IDENTIFIER


# -- what is written together, what is written freely, and what is used --------------------------

UTILITIES = {
    "UTILITYID": [1000 + 7 * (n % 150) for n in range(900)],
    "UTILNAME": [f"Light and Power {n % 150}" for n in range(900)],
    "STATE": [f"S{n % 40}" for n in range(900)],
}


def test_numbers_and_names_of_things_identify_where_nothing_else_does():
    found = {one.attribute: one for one in propose(dv.read(UTILITIES))}
    assert [one.role for one in found.values()] == [
        Role.IDENTIFIER,
        Role.IDENTIFIER,
        Role.QUASI_IDENTIFIER,
    ]
    assert found["UTILNAME"].reasons == (
        "its name suggests the name of someone or something",
        "it distinguishes 150, and no other attribute identifies people",
    )


def test_where_people_are_identified_things_are_not_taken_for_them():
    people = {**UTILITIES, "email": [f"p{n}@example.org" for n in range(900)]}
    roles = {one.attribute: one.role for one in propose(dv.read(people))}
    assert roles["email"] is Role.IDENTIFIER
    assert roles["UTILITYID"] is roles["UTILNAME"] is Role.OTHER
    given = dv.read({**UTILITIES, "who": list(range(900))}, identifiers="who")
    assert {one.role for one in propose(given, ["UTILITYID", "UTILNAME"])} == {Role.OTHER}


@pytest.mark.parametrize("name", ["comment", "diagnosis", "x"])
def test_free_text_may_name_people_whatever_it_is_called(name):
    texts = [f"the patient came in on day {n} with her sister" for n in NUMBERS]
    one = proposed(texts, name)
    assert one.role is Role.IDENTIFIER
    assert "its values are free text, mostly different, and may name people" in one.reasons


def test_a_list_of_long_titles_is_no_free_text():
    titles = [f"managers and other people in charge of branch {n % 9}" for n in NUMBERS]
    assert proposed(titles, "x").role is Role.OTHER


def test_codes_for_missing_do_not_hide_what_the_others_are():
    assert proposed(["M", "F", "?", "refused"] * 25).role is Role.QUASI_IDENTIFIER


def test_where_nothing_says_what_an_attacker_knows_all_that_is_unknown_is_used():
    table = {"q1": [1, 2, 2], "q2": [5, 5, 5], "tax": [7, 8, 9], "weight": [1, 1, 2]}
    roles = [(one.attribute, one.role) for one in roles_to_use(dv.read(table))]
    assert roles == [
        ("q1", Role.QUASI_IDENTIFIER),
        ("q2", Role.OTHER),
        ("tax", Role.SENSITIVE),
        ("weight", Role.OTHER),
    ]


def test_weights_are_never_used_as_a_key():
    data = dv.read({"q1": [1, 2, 2], "w": [3, 4, 5]}, weights="w")
    assert [one.role for one in roles_to_use(data)] == [Role.QUASI_IDENTIFIER, Role.OTHER]
    assert dv.audit(data).outcome is not None


@pytest.mark.parametrize("name", ["ori_hid", "hhid", "household number", "HouseholdID", "Haushaltsnummer"])
def test_the_number_of_a_household_does_not_tell_people_apart(name):
    table = {"age": [20 + i % 50 for i in range(120)], name: [1 + i // 3 for i in range(120)]}
    found = {one.attribute: one for one in propose(dv.read(table))}[name]
    assert found.role is Role.OTHER
    assert found.reasons == (
        "its name suggests the number of a household, and records share it: it does not distinguish people",
    )
    partly = {**table, name: [max(i, 40) for i in range(120)]}
    reasons = {one.attribute: one.reasons for one in propose(dv.read(partly))}[name]
    assert reasons[0].endswith("some records share it, others are alone by it")
    alone = {**table, name: list(range(120))}
    assert {one.attribute: one.role for one in propose(dv.read(alone))}[name] is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("contact", [f"anna.meyer{n}@example.org" for n in range(8)]),
        ("email", ["a.b@example.org"]),
        ("x", ["+49 171 5551234", "+49 171 5554321", "+49 171 5550000"]),
        ("x", ["Anna Meier", "David Novak", "Maria Schmidt", "Peter Weber"]),
    ],
)
def test_contacts_and_names_are_identifiers_however_often_they_repeat(name, values):
    assert proposed((values * 400)[:400], name).role is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Vorname", ["Jürgen", "Käthe", "Zoë"]),
        ("Nachname", ["Groß", "von der Leyen", "Müller-Öztürk", "O’Neil"]),
        ("surname", ["weber", "lang"]),
        ("maiden name", ["Weber"]),
        ("nombre", ["Lucía", "Íñigo"]),
        ("first_name", ["Ute", "Bo", "unknown", "unknown"]),
    ],
)
def test_few_first_and_last_names_are_identifiers(name, values):
    one = proposed((values * 400)[:400], name)
    assert (one.role, one.names, one.shown) == (Role.IDENTIFIER, True, True)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("surname_length", [4, 5, 6]),
        ("first_name_known", ["yes", "no"]),
        ("Vorname", ["A*", "M*"]),
        ("last_name", ["redacted"]),
        ("surname_initial", ["W", "L", "M"]),
        ("brand name", ["Apple", "Nokia"]),
        ("name of district", ["Mitte", "Wedding"]),
        ("product_name", ["Spoon", "Fork"]),
        ("hostname", ["venus", "mars"]),
        ("name", ["flu", "cold"]),
    ],
)
def test_what_is_no_name_of_a_person_by_its_header_or_by_its_values_is_none(name, values):
    assert proposed((values * 400)[:400], name).role is not Role.IDENTIFIER


@pytest.mark.parametrize("name", ["Notes", "remark", "Bemerkung", "Notiz", "Freitext", "remarques"])
def test_remarks_are_free_text_however_few(name):
    texts = ["", "fine", "Peter Müller called", "see Frau Weber"] * 100
    one = proposed(texts, name)
    assert (one.role, one.text, one.shown) == (Role.IDENTIFIER, True, False)
    assert proposed(["fine", "ill", "well"] * 100, name).role is not Role.IDENTIFIER


def test_many_texts_of_several_words_are_free_text_unless_their_name_says_what_they_are():
    texts = [f"spoke with her about bed number {n % 40}" for n in range(400)]
    assert proposed(texts, "x").role is Role.IDENTIFIER
    assert proposed(texts, "occupation").role is Role.QUASI_IDENTIFIER
    assert proposed(texts[:20] * 20, "x").role is Role.OTHER


def test_dates_in_words_are_dates():
    months = ["January", "March", "May", "August"]
    dates = [f"{1 + n % 28}. {months[n % 4]} {1930 + n % 70}" for n in range(400)]
    one = proposed(dates, "Datum")
    assert one.role is Role.QUASI_IDENTIFIER
    assert "its dates span decades, as dates of birth do" in one.reasons


# -- who is counted -------------------------------------------------------------------------------


def used(columns):
    return {one.attribute: one for one in roles_to_use(dv.read({"age": [n % 7 for n in NUMBERS]} | columns))}


@pytest.mark.parametrize("name", ["doctor", "physician_id", "visit_id", "name", "e_mail"])
def test_an_identifier_that_repeats_and_does_not_number_people_is_not_used_to_count_them(name):
    values = [f"Ida{n // 3}@example.org" if name == "e_mail" else f"Ida Berg{n // 3}" for n in NUMBERS]
    assert proposed(values, name).role is Role.IDENTIFIER
    found = used({name: values})[name]
    assert found.role is Role.OTHER
    assert found.reasons[-1].endswith("records are counted, not people")


@pytest.mark.parametrize("name", ["patient_id", "pid", "ssn", "customer"])
def test_one_that_numbers_people_is(name):
    assert used({name: [f"A{n // 3}" for n in NUMBERS]})[name].role is Role.IDENTIFIER


def test_one_that_many_records_lack_is_not():
    values = [f"A{n}" if n % 10 else None for n in NUMBERS]
    assert used({"patient_id": values})["patient_id"].role is Role.OTHER


def test_one_that_differs_for_nearly_everybody_is_whatever_its_name():
    values = [f"Ida Berg{max(n, 3)}" for n in NUMBERS]
    assert used({"doctor": values})["doctor"].role is Role.IDENTIFIER


def test_names_that_repeat_beside_a_unique_number_change_no_count():
    columns = {"patient_id": [f"A{n}" for n in NUMBERS], "doctor": [f"D{n // 3}" for n in NUMBERS]}
    assert {one.role for name, one in used(columns).items() if name != "age"} == {Role.IDENTIFIER}
