"""Data mining: how well models learned from the release do on originals that they have not seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from divulge.alignment import Alignment
from divulge.chance import SEED
from divulge.errors import ParameterError, Undefined, UnknownAttribute
from divulge.utility.encoding import Side, Split, encoded
from divulge.utility.learning import TASKS, Target, agreement, check_enough, clusters, predicted, target_of
from divulge.utility.numbering import Floats, Integers
from divulge.utility.values import NOT_ALIGNED, Paired, aligned, attributes_of

REPEATS = 10
MOST_RECORDS = 20_000
HELD_OUT = 0.3
RAND = "adjusted Rand index"
_QUANTILE = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Score:
    """A mean over repeated splits, and the interval in which it would lie 95 times in 100."""

    score: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Mined:
    """What a way of learning achieves from the original and from the release, tested on held-out originals.

    ``kept`` is the release's score over the original's. ``guessing`` is the score of always guessing the
    most frequent value, or the mean: what is reached without learning. ``records`` took part.
    """

    task: str
    target: str | None
    score: str
    original: Score | None = None
    released: Score | None = None
    kept: float | None = None
    guessing: float | None = None
    records: int = 0
    undefined: str | None = None


def mine(
    alignment: Alignment,
    targets: Sequence[str] | None = None,
    *,
    seed: int = SEED,
    repeats: int = REPEATS,
    most: int = MOST_RECORDS,
) -> list[Mined]:
    """What a decision tree, nearest neighbours, regression and clustering keep.

    ``targets`` are predicted from all other attributes; without them, every sensitive attribute in turn.
    Each of ``repeats`` splits holds out three records in ten. With more records than ``most``, that many
    are drawn. The seed decides both.
    """
    if repeats < 2:
        raise ParameterError(f"No interval comes from {repeats} splits.", hint="Repeat at least twice.")
    known = attributes_of(alignment)
    for name in targets or ():
        if name not in known:
            raise UnknownAttribute(name, known, "both tables")
    asked = alignment.original.schema.sensitive if targets is None else targets
    wanted = [name for name in asked if name in known]
    if alignment.rows is None:
        return [*(line for name in wanted for line in _without(name, NOT_ALIGNED)), _no_clusters(NOT_ALIGNED)]
    drawn = _drawn(alignment, most, seed)
    columns = {name: aligned(drawn, name) for name in known}
    found = [line for name in wanted for line in _predicted(name, columns, repeats, seed)]
    return [*found, _clustered(list(columns.values()), repeats, seed)]


def _drawn(alignment: Alignment, most: int, seed: int) -> Alignment:
    """The same alignment with at most so many records."""
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    if len(ours) <= most:
        return alignment
    rows = np.sort(np.random.default_rng(seed).choice(len(ours), most, replace=False))
    return replace(alignment, rows=(ours[rows], theirs[rows]))


def _predicted(name: str, columns: Mapping[str, Paired], repeats: int, seed: int) -> list[Mined]:
    """How well an attribute is predicted from all others."""
    known = [column for other, column in columns.items() if other != name]
    try:
        target = target_of(columns[name])
        if not known:
            raise Undefined("there is no other attribute to learn from")
    except Undefined as undefined:
        return _without(name, undefined.message)
    scores = np.array([_scores(known, target, split, seed) for split in _splits(target.rows, repeats, seed)])
    records, guessing = len(target.rows), target.guessing
    return [
        _line(task, name, target.score, scores[:, place], guessing, records)
        for place, task in enumerate(TASKS)
    ]


def _scores(known: Sequence[Paired], target: Target, split: Split, seed: int) -> list[list[float]]:
    """For each way of learning, the score from the original and from the release."""
    found = []
    sides: tuple[tuple[Side, Any], ...] = (("original", target.true), ("released", target.taught))
    for side, taught in sides:
        train, test = encoded(known, split, side)
        given = train, taught[split.train], test
        said = [predicted(task, *given, numeric=target.numeric, seed=seed) for task in TASKS]
        found.append([target.scored(one, split.test) for one in said])
    return [list(pair) for pair in zip(*found, strict=True)]


def _clustered(columns: Sequence[Paired], repeats: int, seed: int) -> Mined:
    """Whether clusters of the release group held-out originals as clusters of the original do.

    Beside it, how far clusters of the original agree with those of records drawn from it again.
    """
    records = len(columns[0].original.codes) if columns else 0
    try:
        check_enough(records)
    except Undefined as undefined:
        return _no_clusters(undefined.message)
    scores = []
    for place, split in enumerate(_splits(np.arange(records), repeats, seed)):
        train, test = encoded(columns, split, "original")
        again = np.random.default_rng([seed, place, 1]).integers(len(train), size=len(train))
        usual = clusters(train, test, seed=seed)
        others = (
            clusters(train[again], test, seed=seed),
            clusters(*encoded(columns, split, "released"), seed=seed),
        )
        scores.append([agreement(usual, other) for other in others])
    return _line("clustering", None, RAND, np.array(scores), None, records)


def _splits(rows: Integers, repeats: int, seed: int) -> Iterator[Split]:
    held_out = round(HELD_OUT * len(rows))
    for place in range(repeats):
        shuffled = np.random.default_rng([seed, place]).permutation(rows)
        yield Split(shuffled[held_out:], shuffled[:held_out])


def _line(
    task: str, target: str | None, score: str, scores: Floats, guessing: float | None, records: int
) -> Mined:
    original, released = (_score(scores[:, side]) for side in (0, 1))
    kept = max(released.score, 0.0) / original.score if original.score > 0 else None
    return Mined(task, target, score, original, released, kept, guessing, records)


def _score(scores: Floats) -> Score:
    """Mean and interval by the normal approximation.

    Splits overlap, so their scores vary less than scores of fresh records would; the variance is widened
    by the ratio of tested to training records (Nadeau and Bengio, 2003).
    """
    mean = float(scores.mean())
    reach = _QUANTILE * float(scores.std(ddof=1)) * math.sqrt(1 / len(scores) + HELD_OUT / (1 - HELD_OUT))
    return Score(mean, (mean - reach, min(mean + reach, 1.0)))


def _without(name: str, reason: str) -> list[Mined]:
    return [Mined(task, name, "accuracy", undefined=reason) for task in TASKS]


def _no_clusters(reason: str) -> Mined:
    return Mined("clustering", None, RAND, undefined=reason)
