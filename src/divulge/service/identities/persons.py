"""Names of persons, and whether two of them look like the same person."""

from __future__ import annotations

import re
import unicodedata

from divulge.errors import ParameterError

LONGEST = 100  # characters
RESERVED = ("operator", "restored")  # who the log names where nobody's key was used
UNSEEN_KINDS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # control, format, half, private, unassigned, ends
# Letters and marks that show nothing, though they are not of these kinds.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Letters of other scripts, and digits, that are drawn like a Latin letter in one of its cases.
ALIKE = str.maketrans(
    "авсеһніјкӏморѕтухүαβεηικμνορτυχζ0iı1|\u0307",
    "abcehhljklmopstyxyabehlkmnoptyxzollll\u0307",
)


def person_named(given: str) -> str:
    """A person's name as it is kept; one that could be shown as another is refused.

    >>> person_named("  Ann   Lee ")
    'Ann Lee'
    """
    name = re.sub(" +", " ", unicodedata.normalize("NFC", given)).strip(" ")
    if not name or len(name) > LONGEST:
        raise ParameterError(f"The name of a person has 1 to {LONGEST} characters.")
    if UNSEEN.search(name) or any(_unseen(one) for one in name):
        raise ParameterError(
            "The name of a person has a character that is not shown, or that turns the direction of writing.",
            hint="Use letters, digits, spaces and punctuation.",
        )
    if any(same_person(name, one) for one in RESERVED):
        raise ParameterError(f"No person can be called {' or '.join(RESERVED)}: the log uses these words.")
    return name


def require_storable(what: str, *texts: str) -> None:
    """Refuse texts that are empty or that no database keeps: with a NUL or half a character."""
    if not all(texts) or any(re.search("[\0\ud800-\udfff]", one) for one in texts):
        raise ParameterError(f"{what} is empty, or has a NUL or half a character.")


def same_person(one: str, other: str) -> bool:
    """Whether two names have to be taken for one person's.

    Case, width, ligatures and spaces make no difference, and neither do letters of other scripts that look
    like Latin ones. Two people who are called alike are one person here: neither can approve for the other.

    >>> same_person("Ann Lee", "ANN  LEE"), same_person("Ann", "Аnn"), same_person("Ann", "Anna")
    (True, True, False)
    """
    return folded(one) == folded(other)


def _unseen(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind in UNSEEN_KINDS or (kind == "Zs" and character != " ")


def folded(name: str) -> str:
    """What names of the same person have in common."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(plain.translate(ALIKE).split())
