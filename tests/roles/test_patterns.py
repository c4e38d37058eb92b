"""Kinds of values told by their spelling: published examples fit, near misses do not."""

import pytest

from divulge.roles.patterns import PATTERNS, year

# Examples from standards, authorities and encyclopaedias; none belongs to anybody.
EXAMPLES = {
    "e-mail addresses": ["ada@example.org", "a.b+c@mail.example.co.uk"],
    "bank account numbers (IBAN)": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "payment card numbers": ["4111 1111 1111 1111", "378282246310005"],
    "French social security numbers": ["1 84 12 76 451 089 46", "184127645108946", "1 85 05 2A 004 001 81"],
    "German tax numbers": ["86095742719", "47 036 892 816"],
    "German health insurance numbers": ["A123456780", "a 123 456 780"],
    "Spanish identity numbers": ["12345678Z", "12.345.678-Z", "X1234567L"],
    "Italian tax codes": ["MRTMTT25D09F205Z", "RSSMRA85T10A562S"],
    "US social security numbers": ["078-05-1120"],
    "UK national insurance numbers": ["AB123456C", "AB 12 34 56 C"],
    "network addresses": ["192.0.2.1", "2001:db8::1", "00:1A:2B:3C:4D:5E"],
    "universally unique identifiers": ["123e4567-e89b-12d3-a456-426614174000"],
    "hashes": ["d41d8cd98f00b204e9800998ecf8427e"],
    "web addresses": ["https://example.org/ada", "www.example.org"],
    "telephone numbers": ["+49 30 1234567", "(555) 123-4567", "555-123-4567", "06 12 34 56 78", "0612345678"],
    "positions on the globe": ["48.8566, 2.3522", "(41.88, -87.62)", "POINT (2.3522 48.8566)"],
    "postcodes": ["SW1A 1AA", "12345-6789", "K1A 0B1", "1234 AB"],
    "times of day": ["7:05", "19:30:00", "7:05 pm"],
    "diagnoses in ICD-10 codes": ["E11.9", "S72.001A"],
    "medicines in ATC codes": ["A10BA02"],
}
NEAR_MISSES = {
    "e-mail addresses": ["ada at example.org", "@example"],
    "bank account numbers (IBAN)": ["DE88 3704 0044 0532 0130 00", "DE89"],
    "payment card numbers": ["4111 1111 1111 1112", "4111", "9111111111111111"],
    "French social security numbers": ["184127645108947", "384127645108946"],
    "German tax numbers": ["86095742718", "01234567890", "12345678901"],
    "German health insurance numbers": ["A123456781", "1123456780", "A12345678"],
    "Spanish identity numbers": ["12345678A", "1234567Z"],
    "Italian tax codes": ["MRTMTT25D09F205A", "MRTMTT25D09F205"],
    "US social security numbers": ["000-05-1120", "078051120"],
    "UK national insurance numbers": ["QQ123456C", "AB123456Z"],
    "network addresses": ["1.2.3", "300.1.1.1", "12:30:15", "12:30"],
    "universally unique identifiers": ["123e4567e89b12d3a456426614174000"],
    "hashes": ["cafe", "d41d8cd98f00b204e9800998ecf8427"],
    "web addresses": ["example", "http"],
    "telephone numbers": ["2020-01-02", "01.02.2020", "100-200", "12345", "1.2.3.4", "3.14159265"],
    "positions on the globe": ["48.8566", "1.5, 2.5", "200.25, 300.75"],
    "postcodes": ["12345", "AB", "1234"],
    "times of day": ["12", "12-30"],
    "diagnoses in ICD-10 codes": ["C85", "11.9"],
    "medicines in ATC codes": ["A10", "10BA02"],
}


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.looks_like)
def test_a_pattern_fits_its_examples_and_no_near_miss(pattern):
    assert all(pattern.fits(text) for text in EXAMPLES[pattern.looks_like])
    assert not any(pattern.fits(text) for text in NEAR_MISSES[pattern.looks_like])


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.looks_like)
def test_the_first_pattern_that_fits_an_example_is_its_own(pattern):
    firsts = [next(p for p in PATTERNS if p.fits(text)) for text in EXAMPLES[pattern.looks_like]]
    assert firsts == [pattern] * len(firsts)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.looks_like)
def test_no_pattern_fits_odd_texts(pattern):
    odd = ["", " ", "-", "٣٤٥", "²", "a" * 5000, "1" * 5000, "\x00", "'; drop table", "(" * 200]
    assert not any(pattern.fits(text) for text in odd)


def test_the_share_of_values_that_fit():
    email = PATTERNS[0]
    assert email.share(["a@example.org", "b@example.org", "c", "d"]) == 0.5
    assert email.share([]) == 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1969-12-24", 1969),
        ("1969/12/24", 1969),
        ("24.12.1969", 1969),
        ("12/24/1969", 1969),
        ("24/12/69", 1969),
        ("24-Dec-1969", 1969),
        ("Dec 24, 1969", 1969),
        ("19691224", 1969),
        ("1969-12-24T18:30:00Z", 1969),
        ("12/24/1969 06:30:00 PM", 1969),
        ("1969-12-24 18:30:00.123+01:00", 1969),
        ("1969", None),
        ("1969-13-24", None),
        ("19691324", None),
        ("24.12-1969", None),
        ("12:30", None),
        ("30-39", None),
        ("1.5", None),
    ],
)
def test_the_year_of_what_is_a_date(text, found):
    assert year(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "12. March 1980",
        "12 March 1980",
        "March 12th, 1980",
        "Wednesday, 12 March 1980",
        "12. März 1980",
        "Montag, 3. Dezember 1980",
        "1er janvier 1980",
        "3 août 1980",
        "12 de marzo de 1980",
        "12-Mar-80",
    ],
)
def test_a_date_in_words_is_a_date(text):
    assert year(text) == 1980


@pytest.mark.parametrize("text", ["12 Anna 1980", "5 Main Street 1980", "Ida Berg 1980", "March 1980 report"])
def test_other_words_with_a_year_are_no_date(text):
    assert year(text) is None
