"""What the guide says of words that outputs use: checks, attacks, losses, and terms of the field."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from functools import lru_cache

from divulge._support.wording import WIDTH
from divulge.generalization.losses import LOSSES
from divulge.report.comparison.wording import COMPARISON_WORDS

#: Checks that every audit has, and other words of verdicts.
CHECKS = (
    (
        "singled out",
        "People whose group is smaller than k: a guess within it is right with a probability above 1/k. A "
        "policy bounds their share with singled_out = { max = 0, k = 5 }.",
    ),
    (
        "learned",
        "People about whom a sensitive value becomes likely: with a certainty of at least `certain`, and "
        "well above the share of all people who have it. A policy bounds their share with "
        "learned = { max = 0, certain = 0.9 }. What chance explains counts with chance = false only.",
    ),
    ("identifiers", "Attributes that name a person. A table that has one does not pass."),
)
_AROUND = re.compile(r"^identity (disclosure )?| attack$| risk$")  # what rows of attacks add to a word
MEANINGS = dict((*CHECKS, *((one.title, f"{one.formula}.") for one in LOSSES.values()), *COMPARISON_WORDS))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    """The word that is meant, by the ways to write it."""
    losses = {_plain(name): one.title for name, one in LOSSES.items()}
    return {**losses, **{_plain(word): word for word in MEANINGS}}


def term(name: str) -> str | None:
    """The word that is meant by a name: a threshold, an option or a row of a table; or nothing.

    >>> [term(one) for one in ("singled_out", "Identity, white box", "Marketer risk", "granularity", "k")]
    ['singled out', 'white box', 'marketer', 'Granularity (loss)', None]
    """
    plain = _plain(name)
    return _by_name().get(plain) or _by_name().get(_AROUND.sub("", plain))


def terms() -> list[str]:
    """All names that are explained."""
    return sorted(_by_name())


def say_term(word: str, *, as_json: bool) -> None:
    """Print what a word means."""
    if as_json:
        facts = {"word": word, "meaning": MEANINGS[word]}
        sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    else:
        print(f"{word}\n\n{textwrap.fill(MEANINGS[word], WIDTH)}")


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.lower()))
