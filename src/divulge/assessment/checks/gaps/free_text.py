"""Free text that stays in a table: it may say anything, and names in it are not looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from divulge._support.wording import enumerated
from divulge.assessment.checks.identifiers import called_in_words
from divulge.assessment.naming import namings
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.roles.free_text import free_texts
from divulge.table.schema import Role


def unread_texts(demands: Demands, data: Data, given: Collection[str] = ()) -> list[str]:
    """Free texts that a policy does not allow; what the check of identifiers says to leave out is its own.

    ``given`` are attributes whose role someone chose.
    """
    if demands.identifiers == "allow":
        return []
    kept = [name for name in data.released_attributes if name not in demands.allowed]
    found = free_texts(data, [name for name in kept if data.schema.role(name) is not Role.IDENTIFIER])
    if not found:
        return []
    named = [one for one in namings(data, given) if one.names and not one.text and one.given is None]
    return [name for name in found if name not in {one.attribute for one in named}]


def texts_in_words(data: Data, texts: Sequence[str]) -> Iterator[str]:
    """That nobody looked for names in these texts, and what to do."""
    if texts:
        named = enumerated([f"'{called_in_words(data, name)}'" for name in texts])
        is_, them = ("is", "it") if len(texts) == 1 else ("are", "them")
        yield (
            f"{named} {is_} free text: names of people in {them} are not looked for. "
            f"Read {them} and allow {them} in a policy ([allow] identifiers), or leave {them} out."
        )
