"""Parts of a file that were not read: they go out with it, and no check has looked at them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from divulge._support.wording import enumerated
from divulge.errors import counted
from divulge.questions.data import Data
from divulge.roles.contacts import CONTACTS, contacts_in
from divulge.roles.patterns import PATTERNS
from divulge.roles.personal_names import GIVEN, full_names, organisations
from divulge.roles.spelled_as_people import spelled_as_people
from divulge.source.beside.unread import Unread, unread_of
from divulge.table.schema import Role

TITLE_LINES = 10  # that somebody wrote, up to which they are a title, a source or a date
FEW_PEOPLE, SHARE = 3, 0.05  # entries of a list that name people, from which on they are no chance
MANY = 300  # entries of a list from which on it may be one of people, where it is as long as the table
MOST = 0.8
MOST_SAID = 12
_NAME = re.compile(r"(?<!\w)([^\W\d_]{2,})(?=[ ,._]{1,2}([^\W\d_]{2,})(?!\w))")


def parts_in_words(data: Data) -> Iterator[str]:
    """What of the file was not read and may be about people, and what to do, in words."""
    if found := [one for one in unread_of(data.source) if _warns(one, data.records)]:
        yield (
            f"Parts of the file were not read, so no check looked at them: {_listed(found)}. They go out "
            "with the file. Remove them, or release what divulge transform writes: the records, and nothing "
            "else."
        )


def harmless_parts(data: Data) -> Iterator[str]:
    """What of the file was not read, and does not look as if it was about people."""
    found = [one for one in unread_of(data.source) if not _warns(one, data.records)]
    if found:
        yield f"what else is in the file ({_listed(found)})"


def _listed(found: Sequence[Unread]) -> str:
    """The kinds of parts and how many there are of each; their texts may be of records, and are not said."""
    totals: dict[str, int] = {}
    for one in found:
        totals[one.what] = totals.get(one.what, 0) + one.count
    return enumerated([_several(count, what) for what, count in totals.items()], most=MOST_SAID)


def _several(count: int, what: str) -> str:
    """A number and what is counted, in the plural if it is several.

    >>> _several(2, "entry of metadata"), _several(1, "cell comment")
    ('2 entries of metadata', '1 cell comment')
    """
    noun, *rest = re.split(r" (?=(?:of|for|whose|before|beside|outside)\b)", what, maxsplit=1)
    return " ".join([re.sub("ys$", "ies", counted(count, noun)), *rest])


def _warns(one: Unread, records: int) -> bool:
    if one.nature == "data":
        return True
    if one.nature == "written":
        return one.count > TITLE_LINES or any(map(_names_someone, one.texts))
    return one.nature == "listed" and _of_people(one, records)


def _of_people(one: Unread, records: int) -> bool:
    """Whether a list has names or identifiers of people, or is long enough to be one of everyone."""
    if one.count >= max(MANY, records):
        return True
    texts = one.texts
    named = sum(map(_names_someone, texts))
    if named >= max(FEW_PEOPLE, SHARE * len(texts)) and not organisations(texts):
        return True
    identifying = (one for one in PATTERNS if one.role is Role.IDENTIFIER and one.names)
    return (
        contacts_in(texts) is not None
        or (len(texts) >= FEW_PEOPLE and full_names(texts))
        or spelled_as_people(texts)
        or (len(texts) >= FEW_PEOPLE and any(pattern.fits_most(texts, MOST) for pattern in identifying))
    )


def _names_someone(text: str) -> bool:
    """Whether a text has a contact, or a common given name beside another word with a capital.

    >>> _names_someone("# Anna Weber, asthma"), _names_someone("Source: Labour Force Survey, May 2020")
    (True, False)
    """
    if any(has(text) for has in CONTACTS.values()):
        return True
    pairs = (one.groups() for one in _NAME.finditer(text))
    return any(
        not any(word[0].islower() for word in pair) and any(word.casefold() in GIVEN for word in pair)
        for pair in pairs
    )
