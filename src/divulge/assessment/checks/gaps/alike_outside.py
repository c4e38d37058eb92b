"""Singling out in a sample: people who may have few people alike in the population are held to levels too.

The risk of a group is an average over all samples like this one. Below 1 in k it does not say that nobody
here is one of fewer than k people, and a figure of the population beside it would say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from divulge._support.rounding import above
from divulge._support.small_counts import hidden_part
from divulge._support.wording import capitalized, in_words, many, percent
from divulge.assessment.checks.gaps.counted_groups import named_keys
from divulge.assessment.checks.table_check import CheckAnswer
from divulge.assessment.checks.unmet import Mask
from divulge.assessment.population.few_alike import FewAlike, rows_below, sampled_groups
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined
from divulge.policy import SinglingOut

FIX = (
    "Give a table of the population (--population FILE), make the groups larger, or allow a larger share of "
    "people in a policy (max)."
)
UNDECIDED = "this sample does not tell how many people are in groups smaller than {k} of the population"


class HeldLevel(NamedTuple):
    """A level, how many people have few people alike outside, and how many people there are."""

    level: SinglingOut
    few: FewAlike
    counted: int

    def beyond(self, people: float) -> bool:
        """Whether so many are more than the level allows."""
        return above(round(people) / self.counted, self.level.max)

    @property
    def unmet(self) -> bool:
        """Whether even the fewest that there can be are too many."""
        return self.beyond(self.few.least)

    @property
    def open(self) -> bool:
        """Whether the most there can be are too many, and no model says that they are not so many."""
        return self.beyond(self.few.most) and (self.few.estimate is None or self.beyond(self.few.estimate))

    @property
    def by_model(self) -> bool:
        """Whether it is kept to by the models only."""
        return self.beyond(self.few.most) and not self.open


def held_outside(
    answer: CheckAnswer, scope: Scope, keys: Sequence[str], levels: Sequence[SinglingOut], counted: int
) -> CheckAnswer:
    """The answer by the average risk, held against how few people may be alike in the population.

    A level that even the least number of people breaks has its severity. Where only the sample cannot tell, a
    level that would fail is not evaluated, and one that would warn warns.
    """
    if answer.outcome == "fail":
        return answer
    try:
        groups = sampled_groups(scope, keys)
    except (EmptySource, Undefined) as error:
        reason = error.message
        return CheckAnswer("not evaluated", None, None, counted, reason, FIX, undefined=reason)
    held = [HeldLevel(level, groups.few_alike(level.k), counted) for level in levels]
    failing = [one for one in held if one.level.severity == "fail"]
    whom = cache(partial(_rows, scope, keys, [one.level for one in held if one.open or one.unmet]))
    if (one := next((one for one in failing if one.unmet), None)) is not None:
        return replace(_concerning(one, "fail", scope, keys), whom=whom)
    if (one := next((one for one in failing if one.open), None)) is not None:
        said = " ".join([_open(one, scope, keys), *([answer.sentence] if answer.outcome == "warn" else [])])
        undefined = UNDECIDED.format(k=one.level.k)
        return CheckAnswer("not evaluated", None, None, counted, said, FIX, undefined=undefined, whom=whom)
    if answer.outcome == "warn":
        return answer
    if (one := next((one for one in held if one.unmet or one.open), None)) is not None:
        return replace(_concerning(one, "warn", scope, keys), whom=whom)
    modelled = [_by_model(one, scope, keys) for one in held if one.by_model]
    return replace(answer, sentence=" ".join([answer.sentence, *modelled[-1:]]))


def _concerning(one: HeldLevel, outcome: Any, scope: Scope, keys: Sequence[str]) -> CheckAnswer:
    """The answer where a level is not kept to, or may not be and would only warn."""
    few = one.few
    found = few.least if one.unmet else few.most if few.estimate is None else round(few.estimate)
    said = _at_least(one, scope, keys) if one.unmet else _open(one, scope, keys)
    share = found / one.counted
    text = "" if one.unmet else f"up to {_most(one)} people"
    return CheckAnswer(outcome, share, found, one.counted, said, FIX, text=text)


def _rows(scope: Scope, keys: Sequence[str], levels: Sequence[SinglingOut]) -> Mask:
    """The rows of people because of whom some levels are not kept to, or may not be."""
    found = [rows_below(scope, keys, level.k, level.max) for level in levels]
    return np.logical_or.reduce([one for one in found if one is not None])


def _at_least(one: HeldLevel, scope: Scope, keys: Sequence[str]) -> str:
    return f"At least {_of(one.few.least, one)} {_are(one, scope, keys)}, estimated with 95% confidence."


def _open(one: HeldLevel, scope: Scope, keys: Sequence[str]) -> str:
    """What is not known: by the most cautious model, or why there is none."""
    few, most = one.few, _most(one)
    least = many(few.least // 10 * 10) if few.least else "nobody"
    if few.estimate is None:
        may = _are(one, scope, keys).replace("are", "may be", 1)
        return (
            f"Up to {most} of {many(one.counted)} people {may}: this sample does not tell how many, since "
            f"{few.unsaid}."
        )
    return (
        f"{capitalized(_about(one))} {_are(one, scope, keys)}, by the most cautious model; without a "
        f"model it is {least} to {most}. So it is not shown that {_allowed(one.level)}."
    )


def _by_model(one: HeldLevel, scope: Scope, keys: Sequence[str]) -> str:
    """What decided that a level is kept to, where only models say so."""
    return (
        f"{capitalized(_about(one))} {_are(one, scope, keys)}, by the most cautious model; without a "
        f"model it is up to {_most(one)}."
    )


def _are(one: HeldLevel, scope: Scope, keys: Sequence[str]) -> str:
    return f"are in groups smaller than {one.level.k} of the population on {named_keys(scope, keys)}"


def _about(one: HeldLevel) -> str:
    """The estimate among all people, with its share."""
    estimate = round(one.few.estimate or 0)
    return f"about {_of(estimate, one)}" if estimate else f"nobody of {many(one.counted)} people"


def _of(people: int, one: HeldLevel) -> str:
    shown = hidden_part(people, of=one.counted)
    share = f" ({percent(people / one.counted)})" if isinstance(shown, int) else ""
    return f"{in_words(shown)} of {many(one.counted)} people{share}"


def _most(one: HeldLevel) -> str:
    """The upper end, to the next ten, so that it does not give how few people are in groups of one size."""
    return many(min(-(-one.few.most // 10) * 10, one.counted))


def _allowed(level: SinglingOut) -> str:
    return "nobody is" if level.max == 0 else f"no more than {percent(level.max)} are"
