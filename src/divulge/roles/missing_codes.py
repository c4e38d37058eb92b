"""Texts and numbers that probably mean a missing value, noticed where nobody declared them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from divulge.questions.data import Data
from divulge.table.codes import MISSING, as_number

MOST_VALUES = 200_000  # different values of an attribute up to which they are looked at
REPEATED = 5  # records from which a number may be a code
RATHER_MANY = 10  # different other numbers, none below 0, beside which a negative code is clear

# What somebody may have done, or been told, as well as an answer that is not there.
_DECISIONS = {"refused", "refusal", "declined", "undisclosed", "verweigert", "refus", "se niega", "rifiuta"}
_TEXTS = {
    *_DECISIONS,
    *("?", "??", "???", "-", "--", "---", ".", "..", "na", "n/a", "n.a.", "n. a.", "#n/a", "nan", "null"),
    *("unknown", "unk", "not known", "missing", "not available", "not stated", "not specified"),
    *("unspecified", "not reported", "not recorded", "not asked", "not applicable"),
    *("declined to answer", "prefer not to say", "prefer not to answer"),
    *("not provided", "not given", "not answered", "refused to answer", "skipped", "dnk", "dkna"),
    *("don't know", "dont know", "do not know", "dk", "dk/na", "dk/nr", "no answer", "no response"),
    *("unbekannt", "keine angabe", "k.a.", "k. a.", "weiß nicht"),
    *("inconnu", "inconnue", "non renseigné", "non renseigne", "ne sait pas", "nsp"),
    *("desconocido", "desconocida", "no sabe", "no contesta", "ns/nc"),
    *("sconosciuto", "sconosciuta", "non so", "non sa", "non disponibile"),
}
_NUMBER = re.compile(r"-?(?:9+|8{1,5}|7{1,5}|9{1,4}[78])(?:\.0+)?|-1(?:\.0+)?", re.ASCII)
_DECLARED = re.compile(r"-\d{1,3}(?:\.0+)?|-?(?:9+|8+|7+|6+)(?:\.9+|[0-9])?(?:\.0+)?", re.ASCII)


@dataclass(frozen=True)
class MissingCode:
    """A value that is probably no value, and how many records have it.

    It is a well-known text, or a number such as 999 that stands far from all others; ``ordinary`` names
    the attributes in which the same text is one number among others, so that declaring it would harm.
    """

    attribute: str
    text: str
    records: int = field(repr=False)
    number: bool
    ordinary: tuple[str, ...] = ()


def means_missing(text: str) -> bool:
    """Whether a text is a well-known way to write that a value is missing.

    >>> means_missing(" ? "), means_missing("Don't know"), means_missing("none")
    (True, True, False)
    """
    plain = text.strip().replace("’", "'").casefold()
    return plain in _TEXTS or (_words(plain) in _SPELLED and not any(sign.isdigit() for sign in plain))


def number_meaning_missing(text: str) -> bool:
    """Whether a number is like those that are declared missing: -9, 66, 97, 9999 or 99.9.

    >>> number_meaning_missing("-3"), number_meaning_missing("96"), number_meaning_missing("2004")
    (True, True, False)
    """
    return _DECLARED.fullmatch(text.strip()) is not None


def a_decision(text: str) -> bool:
    """Whether a text that probably means missing may also say what was decided: of asylum, of a loan.

    >>> a_decision("Refused"), a_decision("refused to answer")
    (True, False)
    """
    return text.strip().casefold() in _DECISIONS or _words(text) in _DECISIONS


def _words(text: str) -> str:
    """The words of a text in small letters, whatever is between them."""
    return " ".join(re.findall(r"[^\W\d_]+", text.casefold()))


_SPELLED = {_words(text) for text in _TEXTS} - {""}


def missing_texts(texts: Sequence[str]) -> list[int]:
    """The places of well-known texts among the values of an attribute, where they mean missing.

    Among codes of two letters NA is Namibia and DK Denmark, and beside + the sign - is a result.

    >>> missing_texts(["yes", "-", "n.a."]), missing_texts(["+", "-"]), missing_texts(["NA", "DE", "FR"])
    ([1, 2], [], [])
    """
    places = [place for place, text in enumerate(texts) if means_missing(text)]
    bare = [text.strip() for text in texts]
    if "+" in bare:
        places = [place for place in places if any(sign.isalpha() for sign in bare[place])]
    short = sum(len(text) == 2 and text.isalpha() for text in bare)
    if 2 * short > len(texts) and len(texts) > 2:
        places = [place for place in places if not bare[place].isalpha()]
    return places


def a_digit(text: str) -> bool:
    """Whether a text is a number from 0 to 9, which is an answer about as often as a code for none."""
    return 0 <= as_number(text) <= 9


def missing_codes(data: Data, attributes: Sequence[str]) -> list[MissingCode]:
    """What probably means missing in some attributes, the attributes in their order.

    >>> from divulge.questions.data import read
    >>> table = {"job": ["cook", "?", "nurse", "?"], "age": [31, 44, 999, 28]}
    >>> missing_codes(read(table), ["job", "age"])  # 999 is on one record only
    [MissingCode(attribute='job', text='?', number=False, ordinary=())]
    """
    found: list[MissingCode] = []
    ordinary: dict[str, list[str]] = {}
    for attribute in attributes:
        if data.summary(attribute).distinct > MOST_VALUES:
            continue
        texts, times = _values(data, attribute)
        codes = {*missing_texts(texts), *numbers_meaning_missing(texts, times)}
        for place, text in enumerate(texts):
            if place in codes:
                found.append(MissingCode(attribute, text, int(times[place]), not means_missing(text)))
            elif _NUMBER.fullmatch(text):
                ordinary.setdefault(text, []).append(attribute)
    return [replace(one, ordinary=tuple(ordinary.get(one.text, ()))) for one in found]


def declarable(codes: Sequence[MissingCode]) -> list[str]:
    """The texts that can be declared missing in all attributes without harm to one, each once."""
    return list(dict.fromkeys(one.text for one in codes if not one.ordinary))


def _values(data: Data, attribute: str) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The different values as written, the suppression mark left out, and how many records have each."""
    column, counts = data.frequencies(attribute)
    counts[MISSING] = 0
    used = np.flatnonzero(counts)
    texts = [*map(str, column.values_of(used))]
    kept = [place for place, text in enumerate(texts) if text != data.suppressed]
    return [texts[place] for place in kept], counts[used[kept]]


def numbers_meaning_missing(texts: Sequence[str], times: npt.NDArray[np.int64]) -> list[int]:
    """The places of numbers such as 99 or -9, on several records, far below or above all other numbers."""
    coded = [place for place, text in enumerate(texts) if _NUMBER.fullmatch(text)]
    coded = [place for place in coded if times[place] >= REPEATED]
    if not coded:
        return []
    spelled = [place for place, text in enumerate(texts) if not means_missing(text)]
    others = np.asarray([as_number(texts[place]) for place in spelled if place not in set(coded)])
    if len(others) < 2 or np.isnan(others).any():
        return []
    low, high = float(others.min()), float(others.max())
    return [place for place in coded if _far_out(as_number(texts[place]), low, high, len(others))]


def _far_out(number: float, low: float, high: float, others: int) -> bool:
    """Whether a number stands apart: by half the range of the others, a single digit by all of it."""
    if number < 0 <= low and others >= RATHER_MANY:
        return True
    gap = max(low - number, number - high)
    return number != -1 and gap >= (high - low) * (0.5 if abs(number) > 9 else 1)
