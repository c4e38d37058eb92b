"""Everything there is to say of typical sequences, as plain values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from divulge import documents
from divulge.documents.attacker import TypicalDocument
from divulge.estimation.attackers.account_entries import numbers_up_to
from divulge.estimation.attackers.typical import TypicalSet


def typical_account(
    typical: Callable[[int], TypicalSet], length: int, *, letters: int, name: str = "a prior"
) -> TypicalDocument:
    """The typical sequences of a length, and of shorter ones; ``letters`` is how many values a place has.

    >>> from divulge.estimation.attackers.typical import typical_set
    >>> found = typical_account(lambda n: typical_set([0.5, 0.25, 0.25], n, 0.25), 2, letters=3)
    >>> found["size"], [one["probability"][0] for one in found["lengths"]]
    ('4', [0.0, 0.5])
    """
    found = typical(length)
    contents = {
        "source": name,
        "length": found.length,
        "epsilon": found.epsilon,
        "entropy": found.entropy,
        "size": None if found.size is None else str(found.size),
        **_sizes(found),
        "possible": found.length * math.log2(letters),
        "lengths": [
            {"length": shorter, **_sizes(typical(shorter))}
            for shorter in numbers_up_to(found.length)
            if shorter > 0
        ],
    }
    document: TypicalDocument = documents.headed("typical", contents)
    return document


def _sizes(found: TypicalSet) -> dict[str, Any]:
    return {
        "log2_size": [None if math.isinf(one) else one for one in found.log2_size],
        "probability": list(found.probability),
    }
