"""Privacy as what a Bayes attacker still gets wrong: by observation, at worst, on average and at best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from divulge._compiled import library
from divulge._compiled.special import best_guess
from divulge._support.notebook import table_view
from divulge._support.threads import cached_property
from divulge.estimation.channels.distortion import HAMMING, Distortion
from divulge.estimation.channels.guess import guess
from divulge.estimation.channels.probabilities import FloatArray, settled
from divulge.estimation.channels.rule import Rule, Ties, likeliest

if TYPE_CHECKING:
    from divulge.estimation.channels.channel import Channel


@dataclass(frozen=True, eq=False)
class Privacy:
    """The attacker's expected distortion after each observation, and the best estimates.

    An observation that cannot occur has the conditional privacy NaN, the estimate None and no ties.
    """

    outputs: tuple[object, ...]
    probabilities: FloatArray  # p(y)
    conditional: FloatArray  # P(y)
    rule: Rule  # for the observations that can occur
    without: Callable[[], Rule]  # for who observes nothing, which is often not asked for

    def __repr__(self) -> str:
        return f"Privacy(worst {self.worst:.6g}, average {self.average:.6g}, best {self.best:.6g})"

    def _repr_html_(self) -> str:
        rows = [
            ["without observing", self.prior],
            ["on average", self.average],
            ["after the observation that reveals most", self.worst],
            ["after the observation that reveals least", self.best],
        ]
        return table_view("Attacker's remaining error", ["case", "error"], rows)

    @cached_property
    def prior(self) -> float:
        """What the attacker gets wrong before observing anything."""
        return float(self.without().risk[0])

    @cached_property
    def average(self) -> float:
        """E P(Y): what the attacker gets wrong on average over observations."""
        seen = self.probabilities > 0
        if seen.all():
            return float(self.probabilities @ self.conditional)
        return float(self.probabilities[seen] @ self.conditional[seen])

    @cached_property
    def worst(self) -> float:
        """The least P(y): what is left to the person whose observation tells most."""
        return float(np.nanmin(self.conditional))

    @cached_property
    def best(self) -> float:
        """The largest P(y)."""
        return float(np.nanmax(self.conditional))

    @cached_property
    def estimates(self) -> tuple[object, ...]:
        """The attacker's estimate after each observation."""
        found = iter(self.rule.estimates)
        return tuple(next(found) if possible else None for possible in self.probabilities > 0)

    @cached_property
    def ties(self) -> Ties:
        """All estimates that are as good, after each observation."""
        found = iter(self.rule.ties)
        return tuple(next(found) if possible else () for possible in self.probabilities > 0)

    @property
    def reduction(self) -> float:
        """How much less the attacker gets wrong, on average, for having observed."""
        return settled(self.prior - self.average, scale=max(self.prior, self.best))


def privacy(
    channel: Channel,
    distortion: str | Distortion = "hamming",
    *,
    guesses: int = 1,
    tolerance: float | None = None,
    abstain: float | None = None,
    predicate: Callable[[Any], object] | None = None,
) -> Privacy:
    """What an attacker who knows prior and channel still gets wrong.

    With several ``guesses`` the nearest counts. Within ``tolerance`` an estimate is right, beyond it wrong.
    An attacker who may ``abstain`` at a cost does so where guessing would cost more. A ``predicate`` of the
    secret is what they are after, in place of the secret.
    """
    asked = channel if predicate is None else channel.about(predicate)
    plain = guesses == 1 and tolerance is None and abstain is None
    if plain and library.built() and (distortion == HAMMING.name or distortion is HAMMING):
        marginal, wrong, average = best_guess(asked.prior, asked.matrix)
        if average >= 0:
            return _of_likeliest(asked, marginal, wrong, average)
    seen = asked.possible

    def best(posteriors: FloatArray) -> Rule:
        return guess(
            asked.inputs, posteriors, distortion, guesses=guesses, tolerance=tolerance, abstain=abstain
        )

    if seen.all():
        rule = best(asked.posterior)
        conditional = rule.risk
    else:
        rule = best(asked.posterior[seen])
        conditional = np.full(len(asked.outputs), np.nan)
        conditional[seen] = rule.risk
    return Privacy(asked.outputs, asked.marginal, conditional, rule, lambda: best(asked.prior[None, :]))


def _of_likeliest(channel: Channel, marginal: FloatArray, wrong: FloatArray, average: float) -> Privacy:
    """The error of an attacker who guesses the most likely value, where every observation can occur."""
    rule = Rule(wrong, lambda: likeliest(channel.inputs, channel.posterior).choose())
    found = Privacy(
        channel.outputs, marginal, wrong, rule, lambda: likeliest(channel.inputs, channel.prior[None, :])
    )
    found.__dict__["average"] = average  # known already
    return found
