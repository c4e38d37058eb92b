"""Probabilistic record linkage after Fellegi and Sunter, on categorical attributes.

A pair that belongs together agrees on attribute a with probability m, another one with probability u. u is
read from all pairs, and the share of pairs that belong together is fixed at one in as many as there are
originals; m is found by expectation and maximization over how many pairs have each pattern. (Left free, the
algorithm finds whatever divides the pairs best, such as sexes, and not people.) It starts from several m; of
what it finds, the model of highest likelihood is taken in which agreement never speaks against a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, many
from divulge.attacks.record_linkage.pair_patterns import Times, pattern_counts, records_by
from divulge.errors import Undefined
from divulge.table.packing import Column, packed

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
ROUNDS, CLOSE = 50_000, 1e-7
MORE_ROUNDS, CLOSER = 2000, 1e-10  # of the model that is taken: steps of 1e-7 can still add up to 1e-5
STARTS = (0.9, 0.99, 0.6)
NOISE = 3  # standard errors by which m may be below u and still be u
#: With u from all pairs, m of a single attribute comes out as u: what tells is how attributes agree together.
ONE_ATTRIBUTE = "one attribute alone does not tell how often it agrees for records that belong together"
LEAST, MOST = 1e-12, 1 - 1e-12
CLOSE_WEIGHT = 1e-6  # weights that are the same but for rounding


@dataclass(frozen=True, eq=False)
class LinkageModel:
    """How often pairs agree on each attribute, and the patterns they make."""

    m: Floats
    u: Floats
    counts: Floats  # pairs by pattern
    prior: float  # share of pairs that belong together
    rounds: int
    log_likelihood: float  # of the pairs, beyond that of none belonging together

    @property
    def attributes(self) -> int:
        return len(self.m)

    @property
    def useful(self) -> list[int]:
        """The attributes on which records that belong together agree more often than others do."""
        return [a for a in range(self.attributes) if self.m[a] > self.u[a] + LEAST]

    @property
    def against(self) -> list[int]:
        """The attributes on which records that belong together would agree less often than others do."""
        together = self.counts.sum() * self.prior
        noise = NOISE * np.sqrt(self.u * (1 - self.u) / together)
        return np.flatnonzero(self.m < self.u - noise).tolist()

    @cached_property
    def weights(self) -> Floats:
        """The weight of each pattern: log2 of how much likelier it is where records belong together.

        An attribute that says nothing for a match counts nothing.
        """
        counted = np.isin(np.arange(self.attributes), self.useful)
        m = np.where(counted, self.m, self.u)
        return _log_odds(m, self.u, _agreements(self.attributes)) / np.log(2)

    @cached_property
    def posterior(self) -> Floats:
        """The chance that a pair of each pattern belongs together."""
        return _chance(self.weights * np.log(2), self.prior)


def fit(
    ours: Sequence[Column],
    theirs: Sequence[Column],
    starts: Sequence[float] = STARTS,
    times: Times = (None, None),
) -> LinkageModel:
    """The model of all pairs of two tables; Undefined where it does not converge.

    ``times`` says how many records the rows of each table stand for.
    """
    counts = pattern_counts(ours, theirs, times)
    if counts.sum() == 1:
        raise Undefined("there is one record in each table, and so one pair")
    if counts[-1] == counts.sum():
        raise Undefined("all records are alike on these attributes")
    if len(ours) == 1:
        raise Undefined(ONE_ATTRIBUTE)
    prior = 1 / (len(ours[0][0]) if times[0] is None else int(times[0].sum()))
    found = [_settled(counts, prior, np.full(len(ours), start)) for start in starts]
    models = [model for model in found if model is not None]
    if not models:
        raise Undefined(f"the probabilities of agreement did not settle within {many(ROUNDS)} rounds")
    return _refined(max(models, key=_preference))


def _preference(model: LinkageModel) -> tuple[bool, bool, float]:
    """First the models in which no agreement speaks against a link, then the likelier ones."""
    return bool((model.m >= model.u - CLOSE).all()), not model.against, round(model.log_likelihood, 3)


def _settled(counts: Floats, prior: float, m: Floats) -> LinkageModel | None:
    """Expectation and maximization from some m; None where it does not settle."""
    m, rounds, moved = _maximized(counts, prior, m, CLOSE, ROUNDS)
    return _model(counts, prior, m, rounds) if moved < CLOSE else None


def _refined(model: LinkageModel) -> LinkageModel:
    """The same after more rounds: steps that are small can still add up."""
    m, rounds, _ = _maximized(model.counts, model.prior, model.m, CLOSER, MORE_ROUNDS)
    return _model(model.counts, model.prior, m, model.rounds + rounds)


def _maximized(
    counts: Floats, prior: float, m: Floats, close: float, rounds: int
) -> tuple[Floats, int, float]:
    """m after so many rounds, or fewer where a step becomes small; how many there were, and the last step."""
    agrees, made = _agreements(len(m)), np.flatnonzero(counts)
    u, some, times = _any_pair(counts, agrees), agrees[:, made], counts[made]
    done, moved = 0, inf
    while moved >= close and done < rounds:
        belongs = times * _chance(_log_odds(m, u, some), prior)
        following = np.clip(some @ belongs / belongs.sum(), LEAST, MOST)
        done, moved, m = done + 1, float(np.abs(following - m).max()), following
    return m, done, moved


def _model(counts: Floats, prior: float, m: Floats, rounds: int) -> LinkageModel:
    agrees, made = _agreements(len(m)), np.flatnonzero(counts)
    u = _any_pair(counts, agrees)
    odds = np.log(prior) + _log_odds(m, u, agrees[:, made])
    likelihood = float(counts[made] @ np.logaddexp(odds, np.log1p(-prior) if prior < 1 else -np.inf))
    return LinkageModel(m, u, counts, prior, rounds, likelihood)


def _any_pair(counts: Floats, agrees: Floats) -> Floats:
    """How often any pair agrees on each attribute."""
    return np.clip(agrees @ counts / counts.sum(), LEAST, MOST)


def misled(model: LinkageModel, own: Integers | None = None, times: Integers | None = None) -> list[int]:
    """The attributes that show that the model did not find the records that belong together.

    Agreement on them speaks against a link. Where the patterns of pairs that belong together are known, those
    on which these do agree less often than others are no sign of it.
    """
    if own is None or not len(own):
        return model.against
    return [a for a in model.against if np.average(own >> a & 1, weights=times) >= model.u[a]]


def misled_reason(attributes: Sequence[str]) -> str:
    """Why no link is counted by a model that did not find the records that belong together."""
    return (
        "the model did not find the records that belong together: in it they agree on "
        f"{enumerated(attributes)} less often than any two records do (m below u); "
        "other attributes may tell more"
    )


def _agreements(attributes: int) -> Floats:
    """For each attribute whether each pattern agrees on it."""
    patterns = np.arange(1 << attributes)
    return np.array([(patterns >> a & 1) for a in range(attributes)], np.float64)


def _log_odds(m: Floats, u: Floats, agrees: Floats) -> Floats:
    return np.asarray(np.log(m / u) @ agrees + np.log((1 - m) / (1 - u)) @ (1 - agrees), np.float64)


def _chance(log_odds: Floats, prior: float) -> Floats:
    odds = log_odds + np.log(prior / (1 - prior)) if prior < 1 else np.full(len(log_odds), np.inf)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))), np.float64)


@dataclass(frozen=True, eq=False)
class BestLinks:
    """For each released record: the highest weight of an original, and how many originals have it."""

    weight: Floats
    ties: Integers


def best_links(
    model: LinkageModel,
    ours: Sequence[Column],
    theirs: Sequence[Column],
    times: Integers | None = None,
) -> BestLinks:
    """The originals of highest weight for each released record, again without making pairs.

    Patterns are gone through from the highest weight down, those of the same weight together. An original
    that agrees on more of the useful attributes has a higher weight and was found before. ``times`` says how
    many originals a row of theirs stands for.
    """
    released = len(theirs[0][0])
    weight, ties = np.zeros(released), np.zeros(released, np.int64)
    useful = sum(1 << a for a in model.useful)
    patterns = sorted(
        {one & useful for one in range(1 << model.attributes)}, key=lambda one: -model.weights[one]
    )
    left = np.arange(released)
    for level, alike in groupby(patterns, key=lambda one: round(float(model.weights[one]), 9)):
        found = sum(
            (_agreeing(chosen, ours, theirs, left, times) for chosen in alike), np.zeros(len(left), np.int64)
        )
        hit = found > 0
        weight[left[hit]], ties[left[hit]] = level, found[hit]
        left = left[~hit]
        if not len(left):
            break
    return BestLinks(weight, ties)


Rows = tuple[Integers, Integers]


def own_patterns(ours: Sequence[Column], theirs: Sequence[Column], rows: Rows) -> Integers:
    """The pattern of each pair that belongs together, by rows of both tables."""
    here, there = rows
    return sum(
        (
            (one[here] == other[there]).astype(np.int64) << a
            for a, ((one, _), (other, _)) in enumerate(zip(ours, theirs, strict=True))
        ),
        np.zeros(len(here), np.int64),
    )


def link_chances(
    model: LinkageModel,
    ours: Sequence[Column],
    theirs: Sequence[Column],
    rows: Rows,
    times: Integers | None = None,
) -> Floats:
    """For each pair that belongs together the chance that the link of highest weight is this one.

    Where several originals have the highest weight, one of them is taken at random.
    """
    best = best_links(model, ours, [(codes[rows[1]], bound) for codes, bound in theirs], times)
    right = np.abs(model.weights[own_patterns(ours, theirs, rows)] - best.weight) < CLOSE_WEIGHT
    return np.asarray(right / best.ties, np.float64)


def _agreeing(
    chosen: int,
    ours: Sequence[Column],
    theirs: Sequence[Column],
    left: Integers,
    times: Integers | None,
) -> Integers:
    """How many originals agree with some released records on a set of attributes."""
    kept = [a for a in range(len(ours)) if chosen >> a & 1]
    originals = len(ours[0][0])
    if not kept:
        return np.full(len(left), originals if times is None else int(times.sum()), np.int64)
    joined = [(np.concatenate([ours[a][0], theirs[a][0][left]]), ours[a][1]) for a in kept]
    word = packed(joined, originals + len(left))
    values, number = np.unique(word, return_inverse=True)
    return records_by(number[:originals], times, len(values))[number[originals:]]
