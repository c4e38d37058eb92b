"""Kinds of values that can be told by their spelling, with check digits where there are any."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_address

from divulge.table.codes import as_number
from divulge.table.schema import Role


@dataclass(frozen=True)
class Pattern:
    """A kind of value, and the role of an attribute that is full of them.

    ``names`` says of an identifier whether it leads to a person, or only to a record.
    """

    looks_like: str
    role: Role
    fits: Callable[[str], bool]
    names: bool = True

    def share(self, values: Sequence[str]) -> float:
        """The share of the values that are of this kind."""
        return sum(map(self.fits, values)) / len(values) if values else 0.0

    def fits_most(self, values: Sequence[str], most: float) -> bool:
        """Whether at least such a share of the values is of this kind; it ends once too many are not."""
        left = len(values)
        for value in values:
            left -= not self.fits(value)
            if left < most * len(values):
                return False
        return bool(values)


def year(text: str) -> int | None:
    """The year of a date or a moment; None for anything else.

    >>> year("24.12.1969"), year("1969-12-24 18:30"), year("24"), year("19691324")
    (1969, 1969, None, None)
    """
    found = _DATE.fullmatch(text) if _HAS_DIGIT(text) else None
    if found is None:
        return None
    written = next(filter(None, found.group("y1", "y2", "y3", "y4", "y5")))
    # Two digits: the century does not matter, where only the span of the years does.
    return int(written) if len(written) == 4 else 1900 + int(written)


_HAS_DIGIT = re.compile(r"\d", re.ASCII).search
_ISO = re.compile(r"(\d{4})-(\d\d)(?:-\d\d.*)?", re.ASCII)
_DOTS = re.compile(r"\d{1,2}\.(\d{1,2})\.(\d{4})", re.ASCII)


def year_and_month(value: object) -> tuple[int, int | None] | None:
    """Year and month of a date, the month only where its place is clear; None for anything else.

    >>> year_and_month("1984-05-17"), year_and_month("17.5.1984"), year_and_month("04/05/1984")
    ((1984, 5), (1984, 5), (1984, None))
    """
    if isinstance(value, date):
        return value.year, value.month
    text = str(value).strip()
    if found := _ISO.fullmatch(text):
        return int(found[1]), int(found[2])
    if found := _DOTS.fullmatch(text):
        return int(found[2]), int(found[1])
    plain = year(text)
    return None if plain is None else (plain, None)


def written_number(value: object) -> float:
    """The number a value is, with a currency, a percent sign or a decimal comma too; otherwise NaN.

    >>> written_number("€1,200.50"), written_number("12,5 %"), written_number("1.234,5"), written_number(7)
    (1200.5, 12.5, 1234.5, 7.0)
    """
    if (number := as_number(value)) == number or not isinstance(value, str):
        return number
    bare = re.sub(r"^[$€£]\s*|\s*[$€£%kK]$", "", value)
    if re.fullmatch(r"[+-]?\d+,\d{1,2}|[+-]?\d{1,3}(?:\.\d{3})+,\d+", bare):
        bare = bare.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[+-]?\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?", bare):
        bare = re.sub("[, ']", "", bare)
    return as_number(bare)


def _expression(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE | re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[89]|20|21)\d\d"
# Months by their first letters, in English, German, French, Spanish, Italian, Portuguese and Dutch.
_STEMS = (
    "jan|ene|gen|feb|fev|fév|mar|mär|maer|maa|mrt|apr|abr|avr|may|mai|mei|mag|jun|jui|giu|jul|lug|aug|ago|aoû"
    "|aou|sep|set|oct|okt|ott|out|nov|dec|déc|dez|dic"
)
_NAMED = rf"(?:{_STEMS})[a-zéûäçí]{{0,8}}\.?"
_ON = r"(?:(?:st|nd|rd|th|er|º|°)?(?:[-/. ]|\.? (?:of |de )?))"  # between a day and the name of a month
_WEEKDAY = r"(?:[a-zéáì]{2,10}\.?,? )?"
_DATE = re.compile(
    rf"(?:(?P<y1>{_YEAR})(?P<s>[-/.]){_MONTH}(?P=s){_DAY}"
    rf"|(?P<y2>{_YEAR})(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    rf"|(?:{_DAY}(?P<t>[-/. ]){_MONTH}|{_MONTH}(?P<u>[-/]){_DAY})(?:(?P=t)|(?P=u))(?P<y3>{_YEAR}|\d\d)"
    rf"|{_WEEKDAY}{_DAY}{_ON}{_NAMED}(?:[-/. ]|, | de )(?P<y4>{_YEAR}|\d\d)"
    rf"|{_WEEKDAY}{_NAMED} {_DAY}(?:st|nd|rd|th)?,? (?P<y5>{_YEAR}))"
    r"(?:(?:T|,? )\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)? ?(?:[AP]M|Z|UTC|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE | re.ASCII,
)


def _digits(text: str) -> str:
    """The text without spaces and hyphens where only digits remain; otherwise nothing."""
    bare = re.sub(r"[ -]", "", text)
    return bare if bare.isascii() and bare.isdigit() else ""


def is_phone(text: str) -> bool:
    digits = sum(character.isdigit() for character in text)
    return 7 <= digits <= 15 and _PHONE(text) and year(text) is None


_PHONE = _expression(
    r"\+[\d ().\-/]+"  # with the country
    r"|\(0?\d{2,5}\)[\d .\-/]+"  # the area in brackets
    r"|(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}(?: ?x ?\d+)?"  # North America
    r"|0\d{1,4}[ \-/]\d[\d \-/]+|0[1-9](?:[ .]\d\d){4}|0[1-9]\d{8,9}"  # from inside the country
)


def is_card(text: str) -> bool:
    """A payment card number by its length, first digit and Luhn's check digit."""
    digits = _digits(text)
    if not 13 <= len(digits) <= 19 or digits[0] not in "23456":
        return False
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(n - 9 * (n > 9) for n in doubled) % 10 == 0


def is_iban(text: str) -> bool:
    bare = text.replace(" ", "").upper()
    return _IBAN(bare) and int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1


_IBAN = _expression(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


def is_french_nir(text: str) -> bool:
    """A French social security number with its key, departments of Corsica among them."""
    bare = text.replace(" ", "").upper()
    if not _NIR(bare):
        return False
    number = bare[:13].replace("2A", "19").replace("2B", "18") if bare[6] in "AB" else bare[:13]
    return int(bare[13:]) == 97 - int(number) % 97


_NIR = _expression(r"[1-478]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2[AB])\d{8}")


def is_german_tax_id(text: str) -> bool:
    """Eleven digits of which ISO 7064 (mod 11, 10) gives the last, and one of the others is repeated."""
    digits = _digits(text)
    if len(digits) != 11 or digits[0] == "0" or len(set(digits[:10])) not in (8, 9):
        return False
    product = 10
    for digit in digits[:10]:
        product = ((product + int(digit)) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_german_health_number(text: str) -> bool:
    """A letter and nine digits, the last of which follows from the letter's place and the others.

    >>> is_german_health_number("A123456780"), is_german_health_number("A123456789")
    (True, False)
    """
    bare = text.replace(" ", "").upper()
    if not _KVNR(bare):
        return False
    weighed = [int(d) * (1 + place % 2) for place, d in enumerate(f"{ord(bare[0]) - 64:02}{bare[1:9]}")]
    return sum(n - 9 * (n > 9) for n in weighed) % 10 == int(bare[9])


_KVNR = _expression(r"[A-Z]\d{9}")


def is_spanish_dni(text: str) -> bool:
    """A Spanish identity number, for residents too, with the letter that follows from its digits."""
    bare = re.sub(r"[ .-]", "", text).upper()
    if not _DNI(bare):
        return False
    return bare[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(bare[:-1].translate(_NIE)) % 23]


_DNI = _expression(r"[XYZ\d]\d{7}[A-Z]")
_NIE = str.maketrans("XYZ", "012")


def is_codice_fiscale(text: str) -> bool:
    """An Italian tax code with its check letter."""
    bare = text.upper()
    if not _CODICE(bare):
        return False
    odd = sum(_ODD[int(c, 36) if c.isdigit() else int(c, 36) - 10] for c in bare[:15:2])
    even = sum(int(c) if c.isdigit() else ord(c) - 65 for c in bare[1:15:2])
    return bare[15] == chr(65 + (odd + even) % 26)


_CODICE = _expression(r"[A-Z]{6}[\dL-V]{2}[A-EHLMPRST][\dL-V]{2}[A-Z][\dL-V]{3}[A-Z]")
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def is_network_address(text: str) -> bool:
    """An internet address, or the address of a network card."""
    return is_network_card(text) or is_internet_address(text)


def is_internet_address(text: str) -> bool:
    """An internet address of version 4 or 6; what begins with one digit is rather the version of a program.

    >>> is_internet_address("84.12.3.190"), is_internet_address("2.12.3.190")
    (True, False)
    """
    if text[1:2] == ".":
        return False
    try:
        return text.count(".") + text.count(":") >= 2 and ip_address(text) is not None
    except ValueError:
        return False


is_network_card = _expression(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}")


def is_vehicle(text: str) -> bool:
    """A vehicle identification number of 17 signs, with the check digit that North America asks for.

    >>> is_vehicle("1M8GDM9AXKP042788"), is_vehicle("1M8GDM9A1KP042788")
    (True, False)
    """
    bare = text.upper()
    if not _VIN(bare):
        return False
    weighed = zip(bare.translate(_VIN_DIGITS), _VIN_WEIGHTS, strict=True)
    return bare[8] == "0123456789X"[sum(int(digit) * weight for digit, weight in weighed) % 11]


_VIN = _expression(r"[A-HJ-NPR-Z\d]{8}[\dX][A-HJ-NPR-Z\d]{8}")
_VIN_DIGITS = str.maketrans("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789")
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_position(text: str) -> bool:
    """A latitude and a longitude in one text, with decimals enough to be a place."""
    found = re.findall(r"[-+]?\d{1,3}\.\d{2,}", text)
    return len(found) == 2 and _POSITION(text) and all(abs(float(number)) <= 180 for number in found)


_POSITION = _expression(r"(?:POINT ?)?[(\[]?[-+]?\d+\.\d+[NS]?[,; ] ?[-+]?\d+\.\d+[EW]?[)\]]?")

_BY_ROLE: dict[Role, dict[str, str | Callable[[str], bool]]] = {
    Role.IDENTIFIER: {
        "e-mail addresses": r"[^@\s]+@[\w-]+(?:\.[\w-]+)+",
        "bank account numbers (IBAN)": is_iban,
        "payment card numbers": is_card,
        "French social security numbers": is_french_nir,
        "German tax numbers": is_german_tax_id,
        "German health insurance numbers": is_german_health_number,
        "Spanish identity numbers": is_spanish_dni,
        "Italian tax codes": is_codice_fiscale,
        "US social security numbers": r"(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}",
        "UK national insurance numbers": r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?:\d{2} ?){3}[A-D]",
        "network addresses": is_network_address,
        "universally unique identifiers": r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?",
        "hashes": r"(?:[0-9a-f]{8}){4,16}",
        "web addresses": r"(?:https?://|www\.)\S+",
        "telephone numbers": is_phone,
    },
    Role.QUASI_IDENTIFIER: {
        "positions on the globe": is_position,
        "postcodes": r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{5}-\d{4}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}",
        "times of day": r"\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?",
    },
    Role.SENSITIVE: {
        "diagnoses in ICD-10 codes": r"[A-TV-Z]\d[\dAB]\.[\dA-Z]{1,4}",
        "medicines in ATC codes": r"[A-DGHJL-NPRSV]\d{2}[A-Z]{2}\d{2}",
    },
}
_OF_RECORDS = ("universally unique identifiers", "hashes")

# The first that most values of an attribute fit decides, so those with check digits stand before others.
PATTERNS = tuple(
    Pattern(kind, role, _expression(fits) if isinstance(fits, str) else fits, kind not in _OF_RECORDS)
    for role, kinds in _BY_ROLE.items()
    for kind, fits in kinds.items()
)
