"""Texts that someone wrote freely: of several words, and many."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.questions.data import Data

SAMPLED = 200  # values of an attribute that are looked at for free text
FEW_TEXTS = 20  # up to which they are labels
WORDS = 4  # from which on a text is more than a name or a label
MOST = 0.5


def free_texts(data: Data, attributes: Sequence[str]) -> list[str]:
    """Attributes whose values are mostly texts of several words, which may say anything."""
    found = []
    for name in attributes:
        summary = data.summary(name, SAMPLED)
        texts = [str(value) for value in summary.sample if isinstance(value, str)]
        if (
            summary.distinct > FEW_TEXTS
            and texts
            and sum(len(text.split()) >= WORDS for text in texts) > MOST * len(texts)
        ):
            found.append(name)
    return found
