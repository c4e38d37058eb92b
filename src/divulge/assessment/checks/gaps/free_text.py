"""Free text that stays in a table: it may say anything, and names in it are not looked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge._support.wording import enumerated
from divulge.assessment.checks.identifiers import called_in_words
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.roles.free_text import free_texts
from divulge.table.schema import Role


def unread_texts(demands: Demands, data: Data) -> list[str]:
    """Free texts that a policy does not allow; an identifier has a check of its own."""
    if demands.identifiers == "allow":
        return []
    kept = [name for name in data.released_attributes if name not in demands.allowed]
    return free_texts(data, [name for name in kept if data.schema.role(name) is not Role.IDENTIFIER])


def texts_in_words(data: Data, texts: Sequence[str]) -> Iterator[str]:
    """That nobody looked for names in these texts, and what to do."""
    if texts:
        named = enumerated([f"'{called_in_words(data, name)}'" for name in texts])
        is_, them = ("is", "it") if len(texts) == 1 else ("are", "them")
        yield (
            f"{named} {is_} free text: names of people in {them} are not looked for. "
            f"Read {them} and allow {them} in a policy ([allow] identifiers), or leave {them} out."
        )
