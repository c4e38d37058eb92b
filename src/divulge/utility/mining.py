"""Data mining: how well models learned from the release do on originals that they have not seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from divulge._support.seeds import SEED
from divulge._support.special_functions import student_reached
from divulge.alignment.tables import Alignment
from divulge.errors import ParameterError, Undefined, UnknownAttribute
from divulge.utility.encoding import Split, encoded
from divulge.utility.learning import (
    TASKS,
    Target,
    agreement,
    check_enough,
    clusters,
    on_one_thread,
    predicted,
    target_of,
)
from divulge.utility.numbering import Floats, Integers
from divulge.utility.values import NOT_ALIGNED, Paired, aligned, attributes_of

REPEATS = 10
MOST_RECORDS = 20_000
HELD_OUT = 0.3
WITHIN, ABOVE = 0.975, 0.95  # quantiles: of an interval, and of what is above something else
RAND = "adjusted Rand index"
NOT_ABOVE = "a model of the original itself is not better than guessing by more than chance"


@dataclass(frozen=True)
class Score:
    """A mean over repeated splits, and its 95% interval."""

    score: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Mined:
    """The scores of a model trained on the original and on the release, tested on held-out originals.

    ``guessing`` is the score of always guessing the most frequent value, or the mean: what is reached without
    learning; for clusters what is reached where attributes are unrelated. ``kept`` is the release's score
    beyond guessing over the original's: 1 where as much is learned, 0 where nothing is, below 0 where what is
    learned does worse than guessing. ``kept_interval`` is its 95% interval. It has no value where
    the original's score is not above guessing by more than chance, as ``undefined`` then says. ``records``
    took part.
    """

    task: str
    target: str | None
    score: str
    original: Score | None = None
    released: Score | None = None
    kept: float | None = None
    guessing: float | None = None
    records: int = field(default=0, repr=False)
    undefined: str | None = None
    steadiness: float | None = None  # of clusters: the score of the original drawn again
    kept_interval: tuple[float, float] | None = None


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
        raise ParameterError(f"{repeats} splits give no interval.", hint="Use 2 or more.")
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
    with on_one_thread():
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
    return [
        _line(task, name, target.score, scores[:, place], len(target.rows))
        for place, task in enumerate(TASKS)
    ]


def _scores(known: Sequence[Paired], target: Target, split: Split, seed: int) -> list[list[float]]:
    """For each way of learning, the score from the original, from the release, and without learning."""
    taught = split.train[target.teaching[split.train]]
    sides = (
        (encoded(known, split, "original"), target.true[split.train]),
        (encoded(known, Split(taught, split.test), "released"), target.taught[taught]),
    )
    guessing, found = target.guessed(split), []
    for task in TASKS:
        said = [
            predicted(task, train, values, test, numeric=target.numeric, seed=seed)
            for (train, test), values in sides
            if len(values)
        ]
        scores = [target.scored(one, split.test) for one in said]
        found.append([*scores, *[guessing] * (3 - len(scores))])
    return found


def _clustered(columns: Sequence[Paired], repeats: int, seed: int) -> Mined:
    """Whether clusters of the release group held-out originals as clusters of the original do.

    The original agrees with itself. Guessing is how far clusters agree where each attribute was shuffled by
    itself. Steadiness is how far clusters of the original agree with those of records drawn from it again.
    """
    records = len(columns[0].original.codes) if columns else 0
    try:
        check_enough(records)
    except Undefined as undefined:
        return _no_clusters(undefined.message)
    scores, steadiness = [], []
    for place, split in enumerate(_splits(np.arange(records), repeats, seed)):
        rng = np.random.default_rng([seed, place, 1])
        train, test = encoded(columns, split, "original")
        again = train[rng.integers(len(train), size=len(train))]
        usual = clusters(train, test, seed=seed)
        released = clusters(*encoded(columns, split, "released"), seed=seed)
        alone = [encoded([column], split, "original")[0] for column in columns]
        unrelated = np.concatenate([rng.permutation(part) for part in alone], axis=1)
        shuffled = clusters(unrelated, test, seed=seed)
        scores.append([agreement(usual, other) for other in (usual, released, shuffled)])
        steadiness.append(agreement(usual, clusters(again, test, seed=seed)))
    line = _line("clustering", None, RAND, np.array(scores), records)
    return replace(line, steadiness=float(np.mean(steadiness)))


def _splits(rows: Integers, repeats: int, seed: int) -> Iterator[Split]:
    held_out = round(HELD_OUT * len(rows))
    for place in range(repeats):
        shuffled = np.random.default_rng([seed, place]).permutation(rows)
        yield Split(shuffled[held_out:], shuffled[:held_out])


def _line(task: str, target: str | None, score: str, scores: Floats, records: int) -> Mined:
    """A line from the scores of the original, of the release and of guessing, split by split."""
    original, released = (_score(scores[:, side]) for side in (0, 1))
    guessing = float(scores[:, 2].mean())
    if original.score - guessing <= _reach(scores[:, 0] - scores[:, 2], ABOVE):
        return Mined(task, target, score, original, released, None, guessing, records, NOT_ABOVE)
    kept, interval = ratio(scores[:, 1] - scores[:, 2], scores[:, 0] - scores[:, 2])
    return Mined(task, target, score, original, released, kept, guessing, records, kept_interval=interval)


def ratio(released: Floats, original: Floats) -> tuple[float, tuple[float, float]]:
    """The ratio of two means over the same splits, and its interval by the delta method."""
    kept = float(released.mean() / original.mean())
    reach = _reach(released - kept * original, WITHIN) / float(original.mean())
    return kept, (kept - reach, kept + reach)


def _score(scores: Floats) -> Score:
    """Mean and interval over the splits."""
    mean, reach = float(scores.mean()), _reach(scores, WITHIN)
    return Score(mean, (mean - reach, min(mean + reach, 1.0)))


def _reach(scores: Floats, quantile: float) -> float:
    """How far the mean may be off, by Student's distribution with one degree of freedom less than splits.

    Splits overlap, so their scores vary less than scores of fresh records would; the variance is widened
    by the ratio of tested to training records (Nadeau and Bengio, 2003).
    """
    splits = len(scores)
    spread = float(scores.std(ddof=1)) * math.sqrt(1 / splits + HELD_OUT / (1 - HELD_OUT))
    return float(student_reached(splits - 1, quantile)) * spread


def _without(name: str, reason: str) -> list[Mined]:
    return [Mined(task, name, "accuracy", undefined=reason) for task in TASKS]


def _no_clusters(reason: str) -> Mined:
    return Mined("clustering", None, RAND, undefined=reason)
