"""The identifiers that a US health regulation lists, each looked for by the names and values of attributes.

The list is that of 45 CFR 164.514(b)(2)(i). Finding none of them is no legal assessment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from divulge._support.header import DoubtfulName
from divulge.questions.data import Data
from divulge.roles.observed import MOST, ObservedColumn
from divulge.roles.patterns import is_internet_address, is_network_card, is_vehicle, written_number
from divulge.roles.proposal import propose
from divulge.roles.vocabulary import meanings, runs_listed, words_of
from divulge.table.schema import Role

OLDEST = 90  # years; older people are one group, which 90 may stand for
ByWhat = Literal["name", "values", "role"]


@dataclass(frozen=True)
class RecognisedIdentifier:
    """An attribute that holds a listed identifier, and how that shows; no value is named."""

    attribute: str
    by: ByWhat
    why: str


@dataclass(frozen=True)
class ListedIdentifier:
    """One line of the list: its letter, what it is, and the attributes in which it was recognised."""

    letter: str
    title: str
    recognisable: bool  # by values in a table; else a name alone may say it
    found: tuple[RecognisedIdentifier, ...]


def listed_identifiers(data: Data) -> list[ListedIdentifier]:
    """Every line of the list, with the attributes of a table that hold such identifiers.

    >>> from divulge.questions.data import read
    >>> table = {"e_mail": ["a@example.org", "b@example.org"], "zip": ["13053", "13068"], "age": [34, 93]}
    >>> found = listed_identifiers(read(table))
    >>> [(one.letter, one.found[0].attribute) for one in found if one.found]
    [('B', 'zip'), ('C', 'age'), ('F', 'e_mail')]
    """
    names = data.released_attributes
    found = dict[str, list[RecognisedIdentifier]]()
    for column in (ObservedColumn.of(data, name) for name in names):
        for letter, one in _recognised(column):
            found.setdefault(letter, []).append(one)
    elsewhere = {one.attribute for line in found.values() for one in line}
    found.setdefault("R", []).extend(one for one in _others(data, names) if one.attribute not in elsewhere)
    return [
        ListedIdentifier(
            letter,
            title,
            letter not in _UNSEEN,
            tuple(_printed(found.get(letter, ()), data)),
        )
        for letter, title in TITLES.items()
    ]


def _printed(found: Iterable[RecognisedIdentifier], data: Data) -> Iterator[RecognisedIdentifier]:
    """Attributes by their names, or by their places where a name may be the value of a record."""
    for one in found:
        doubtful = isinstance(one.attribute, DoubtfulName)
        place = data.schema.attributes.index(one.attribute) + 1
        yield replace(one, attribute=f"column {place}") if doubtful else one


def _recognised(column: ObservedColumn) -> Iterator[tuple[str, RecognisedIdentifier]]:
    """The lines that an attribute falls under, each once: what values are goes before what a name says."""
    seen = set[str]()
    for letter, by, why in (*_by_values(column), *_by_name(column)):
        if letter not in seen:
            seen.add(letter)
            yield letter, RecognisedIdentifier(column.name, by, why)


def _by_values(column: ObservedColumn) -> Iterator[tuple[str, ByWhat, str]]:
    for pattern in column.patterns:
        if (letter := _OF_PATTERNS.get(pattern.looks_like)) and column.tells_people_apart:
            yield letter, "values", f"its values look like {pattern.looks_like}"
    for (letter, kind), fits in _MORE_PATTERNS.items():
        if column.sample and sum(map(fits, column.sample)) >= MOST * len(column.sample):
            yield letter, "values", f"its values look like {kind}"
    if column.contains:
        yield _OF_PATTERNS[column.contains], "values", f"some of its texts contain {column.contains}"
    if column.has_full_names:
        yield "A", "values", "its values are spelled like full names"
    elif column.is_called_names:
        yield "A", "values", "its name, and values that are spelled like names"
    if column.kind == "date":
        yield "C", "values", "its values are dates"
    elif _ages(column) and _oldest(column) >= OLDEST:
        topmost = _oldest(column) == OLDEST
        fine = f"ages of {OLDEST}: fine if they mean {OLDEST} or older"
        yield "C", "values", fine if topmost else "some of its ages are over 89"


def _by_name(column: ObservedColumn) -> Iterator[tuple[str, ByWhat, str]]:
    if _says(column, "a person's name") and column.kind == "text" and column.tells_people_apart:
        yield "A", "name", "its name"
    for letter in _letters(column.name):
        if _believed(letter, column):
            yield letter, "name", "its name"


def _believed(letter: str, column: ObservedColumn) -> bool:
    """Whether values do not contradict a name: a ZIP code may have three digits, and a date be a year."""
    if letter not in _FEW_VALUES:
        return letter in _UNSEEN or column.tells_people_apart
    if column.distinct < 2:
        return False
    if letter == "B":
        return not all(re.fullmatch(r"\d{1,3}[*xX]*", text) for text in column.sample)
    return not _years(column)


def _ages(column: ObservedColumn) -> bool:
    return _says(column, "a date of birth or an age") and not _years(column)


def _years(column: ObservedColumn) -> bool:
    return all(re.fullmatch(r"(?:1[89]|20|21)\d\d(?:\.0)?", text) for text in column.sample)


def _oldest(column: ObservedColumn) -> float:
    numbers = [number for text in column.sample if (number := written_number(text)) == number]
    return max(numbers, default=0.0)


def _says(column: ObservedColumn, meaning: str) -> bool:
    """Whether that is the first thing its name says."""
    return any(one.says == meaning for one in meanings(column.name)[:1])


def _letters(name: str) -> Iterator[str]:
    """The lines whose words are in a name, in runs that no longer run holds."""
    words = words_of(name)
    known = [
        (first, last)
        for first, last in combinations(range(len(words) + 1), 2)
        if "".join(words[first:last]) in _KNOWN
    ]
    for first, last in known:
        if not any(a <= first and last <= b and (a, b) != (first, last) for a, b in known):
            yield _KNOWN["".join(words[first:last])]


def _others(data: Data, names: list[str]) -> Iterator[RecognisedIdentifier]:
    """Whatever else tells people or records apart: by the role that was given, or that is suggested."""
    for one in propose(data, names):
        if one.attribute in data.schema.identifiers:
            yield RecognisedIdentifier(one.attribute, "role", "given as identifier")
        elif one.role is Role.IDENTIFIER or one.shared:
            yield RecognisedIdentifier(one.attribute, "values", one.reasons[0])


TITLES = {
    "A": "names",
    "B": "geographic units smaller than a state, ZIP codes beyond three digits",
    "C": "dates other than the year, ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and licence numbers",
    "L": "vehicle identifiers, licence plates",
    "M": "device identifiers and serial numbers",
    "N": "web addresses (URLs)",
    "O": "internet (IP) addresses",
    "P": "biometric identifiers",
    "Q": "photographs of the face and comparable images",
    "R": "any other unique number, characteristic or code",
}
_UNSEEN = {"P", "Q"}  # what is in a table says nothing about them
_FEW_VALUES = {"B", "C"}  # found however few values there are

_OF_PATTERNS = {
    "e-mail addresses": "F",
    "bank account numbers (IBAN)": "J",
    "payment card numbers": "J",
    "French social security numbers": "G",
    "US social security numbers": "G",
    "UK national insurance numbers": "G",
    "social security numbers": "G",
    "German health insurance numbers": "I",
    "web addresses": "N",
    "telephone numbers": "D",
    "positions on the globe": "B",
    "postcodes": "B",
}
_MORE_PATTERNS: dict[tuple[str, str], Callable[[str], bool]] = {
    ("O", "internet addresses"): is_internet_address,
    ("M", "addresses of network cards"): is_network_card,
    ("L", "vehicle identification numbers"): is_vehicle,
    ("C", "months of a year"): lambda text: (
        re.fullmatch(r"(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])", text) is not None
    ),
}
_WORDS = {
    "B": """
        zip, zip code, postcode, postal code, postal, plz, postleitzahl, codice postale, city, town, village,
        municipality, county, district, precinct, borough, ward, neighborhood, neighbourhood, block, street,
        road, address, addr, residence, tract, census tract, puma, fips, msa, latitude, longitude, lat, lon,
        lng, gps, coordinate, geocode, geolocation, location, adresse, anschrift, strasse, stadt, ort,
        wohnort, gemeinde, kreis, landkreis, ville, commune, rue, ciudad, municipio, calle, direccion, citta,
        comune, indirizzo, birthplace, geburtsort
    """,
    "C": """
        date, birth date, date of birth, birthday, dob, birth month, month of birth, month, day, weekday,
        datetime, timestamp, admission date, discharge date, date of death, death date, dod, admittime,
        dischtime, datum, geburtsdatum, geburtstag, geburtsmonat, date de naissance, fecha, fecha de
        nacimiento, data di nascita
    """,
    "D": "phone, telephone, tel, mobile, cell phone, handy, telefon, telefono, movil, cellulare, msisdn",
    "E": "fax, telefax, fax number",
    "F": "email, mail, email address, courriel, correo",
    "G": """
        ssn, social security, social security number, social insurance number, nino, national insurance
        number, sozialversicherungsnummer, nir, insee, numero de securite sociale
    """,
    "H": """
        mrn, medical record, medical record number, hospital number, chart number, patient id, patient number,
        patient no, patient nr, nhs number, patientennummer, hadm id
    """,
    "I": """
        health plan, health plan number, beneficiary, beneficiary id, beneficiary number, insurance number,
        insurance id, insurance policy number, member id, member number, subscriber id, subscriber number,
        medicare number, medicaid number, medicare id, medicaid id, health insurance number, kvnr, kv nr,
        kv nummer, versichertennummer, versicherten nr, versicherten id, vers nr, versicherungsnummer,
        versicherungs nr, krankenversicherungsnummer, krankenversichertennummer
    """,
    "J": """
        account, account number, account no, account id, bank account, iban, card number, credit card, ccn,
        loan number, kontonummer, kartennummer, numero de compte, numero de cuenta
    """,
    "K": """
        license, licence, license number, licence number, driver license, driving licence, drivers license,
        drivers licence, certificate, certificate number, certificate id, permit number
    """,
    "L": "vin, plate, license plate, licence plate, number plate, vehicle id, vehicle number, kennzeichen",
    "M": """
        device, device id, device number, imei, imsi, serial number, serial no, mac address, udid,
        advertising id
    """,
    "N": "url, uri, website, web site, web page, homepage, web address, link, linkedin, facebook, twitter",
    "O": "ip, ip address",
    "P": "biometric, fingerprint, voiceprint, voice print, retina, retina scan, iris scan, face template",
    "Q": "photo, photograph, portrait, selfie, face image, full face",
}
_KNOWN = {run: letter for letter, runs in _WORDS.items() for run in runs_listed(runs)}
