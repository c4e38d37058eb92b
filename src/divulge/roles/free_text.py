"""Texts that someone wrote freely: of several words, and many."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.questions.data import Data
from divulge.roles.vocabulary import of_free_text

SAMPLED = 200  # values of an attribute that are looked at for free text
FEW_TEXTS = 20  # up to which they are labels
WORDS = 4  # from which on a text is more than a name or a label
MOST = 0.5
SEVERAL = 1 / 3  # of the texts that are called remarks, from which on they are free


def free_texts(data: Data, attributes: Sequence[str]) -> list[str]:
    """Attributes whose values are mostly texts of several words, which may say anything.

    Where the name says so, texts are free however few and short they are.
    """
    found = []
    for name in attributes:
        summary = data.summary(name, SAMPLED)
        texts = [str(value) for value in summary.sample if isinstance(value, str)]
        if sentences(texts, summary.distinct) or remarks(name, texts):
            found.append(name)
    return found


def sentences(texts: Sequence[str], distinct: int) -> bool:
    """Whether most of many texts have several words, whatever they are called."""
    long = sum(len(text.split()) >= WORDS for text in texts)
    return distinct > FEW_TEXTS and bool(texts) and long > MOST * len(texts)


def remarks(name: str, texts: Sequence[str]) -> bool:
    """Whether an attribute is called remarks or the like, and enough of its texts have several words.

    >>> remarks("Notes", ["fine", "see Mrs Weber"]), remarks("Notes", ["fine", "ill"])
    (True, False)
    """
    several = sum(len(text.split()) > 1 for text in texts)
    return bool(texts) and several >= SEVERAL * len(texts) and of_free_text(name)
