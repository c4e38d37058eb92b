"""A secret that moves: what a trace of observations tells about each step, and about the whole way.

The states follow each other as a Markov chain, and each shows through a channel of its own. Everything is
reckoned in logarithms, so that neither long traces nor states that seemed out of the question are lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.errors import ParameterError
from divulge.estimation.attackers.sequences import log, places
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion, as_distortion
from divulge.estimation.channels.probabilities import FloatArray, Labels, named, probabilities
from divulge.estimation.channels.rule import Ties
from divulge.estimation.information.entropy import row_entropies
from divulge.limits.libraries import scipy

special = scipy("special")


@dataclass(frozen=True, eq=False, init=False)
class HiddenMarkov:
    """Where the secret starts, how it moves from step to step, and how each state shows.

    >>> moves = HiddenMarkov([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.75, 0.25], [0.25, 0.75]])
    >>> moves.trace([0, 1, 0]).path
    (0, 0, 0)
    """

    initial: FloatArray  # p(x1)
    transition: FloatArray  # p(next|x), a row for each x
    emission: FloatArray  # p(y|x), a row for each x
    states: tuple[object, ...]
    outputs: tuple[object, ...]

    def __init__(
        self,
        initial: npt.ArrayLike,
        transition: npt.ArrayLike,
        emission: npt.ArrayLike,
        states: Labels = None,
        outputs: Labels = None,
    ) -> None:
        start = probabilities(initial, "The initial distribution", 1)
        moves = probabilities(transition, "The transition matrix", 2)
        shows = probabilities(emission, "The emission channel", 2)
        if moves.shape != (len(start), len(start)) or len(shows) != len(start):
            raise ParameterError(
                f"The initial distribution has {len(start)} states, the transition matrix {moves.shape[0]} "
                f"rows and {moves.shape[1]} columns, and the emission channel {len(shows)} rows.",
                hint="Give all of them the same states.",
            )
        object.__setattr__(self, "initial", start)
        object.__setattr__(self, "transition", moves)
        object.__setattr__(self, "emission", shows)
        object.__setattr__(self, "states", named(states, len(start), "states"))
        object.__setattr__(self, "outputs", named(outputs, shows.shape[1], "outputs"))

    def __repr__(self) -> str:
        return f"HiddenMarkov({len(self.states)} states, {len(self.outputs)} outputs)"

    @classmethod
    def of_channel(cls, channel: Channel, transition: npt.ArrayLike) -> HiddenMarkov:
        """The unknown of a channel set moving: its prior is where it starts, its matrix how it shows."""
        return cls(channel.prior, transition, channel.matrix, channel.inputs, channel.outputs)

    def trace(self, observed: Sequence[object]) -> Trace:
        """What the attacker makes of observations, one for each step."""
        if not len(observed):
            raise ParameterError("A trace without observations has no steps.", hint="Give one or more.")
        shows = log(self.emission)[:, places(observed, self.outputs)].T
        forward = _forward(log(self.initial), log(self.transition), shows)
        lost = np.flatnonzero(np.isneginf(forward).all(axis=1))
        if len(lost):
            raise ParameterError(
                f"The first {lost[0] + 1} of {len(observed)} observations cannot occur together under the "
                "model."
            )
        return Trace(self, shows, forward, _backward(log(self.transition), shows))


@dataclass(frozen=True, eq=False)
class Trace:
    """What an attacker who knows how the secret moves and shows believes after a trace of observations."""

    model: HiddenMarkov
    shows: FloatArray  # log p(y_t|x), a row for each step t
    forward: FloatArray  # log p(y_1, ..., y_t, x_t)
    backward: FloatArray  # log p(y_(t+1), ..., y_T | x_t)

    def __repr__(self) -> str:
        return f"Trace({len(self.shows)} steps of {len(self.model.states)} states)"

    @property
    def log2_likelihood(self) -> float:
        """log2 p(y_1, ..., y_T): how probable the observations are, in bits."""
        return float(np.logaddexp.reduce(self.forward[-1], axis=0)) / math.log(2)

    @cached_property
    def posterior(self) -> FloatArray:
        """p(x_t | y_1, ..., y_T), a row for each step: in hindsight, all observations known."""
        return np.asarray(special.softmax(self.forward + self.backward, axis=1))

    @cached_property
    def filtered(self) -> FloatArray:
        """p(x_t | y_1, ..., y_t), a row for each step: as it happens, later observations not yet known."""
        return np.asarray(special.softmax(self.forward, axis=1))

    @cached_property
    def _best(self) -> tuple[list[int], float]:
        """The most likely path by Viterbi's algorithm, and log p(way, observations)."""
        moves = log(self.model.transition)
        score, came = log(self.model.initial) + self.shows[0], []
        for shown in self.shows[1:]:
            ways = score[:, None] + moves
            came.append(ways.argmax(axis=0))
            score = ways.max(axis=0) + shown
        way = [int(score.argmax())]
        for before in reversed(came):
            way.append(int(before[way[-1]]))
        return way[::-1], float(score.max())

    @property
    def path(self) -> tuple[object, ...]:
        """The most likely path through all steps, which may differ from the most likely state of each."""
        return tuple(self.model.states[i] for i in self._best[0])

    @property
    def path_error(self) -> float:
        """The probability that the most likely path is wrong somewhere: the path as one secret."""
        return max(-math.expm1(self._best[1] - self.log2_likelihood * math.log(2)), 0.0)

    @cached_property
    def entropy(self) -> float:
        """H(x_1, ..., x_T | observations) in bits: about 2^entropy ways are worth a thought."""
        moves, alone = log(self.model.transition), row_entropies(self.posterior, 1)
        total = alone[0]
        for t, before in enumerate(alone[:-1]):
            pairs = self.forward[t][:, None] + moves + (self.shows[t + 1] + self.backward[t + 1])
            total += row_entropies(special.softmax(pairs).reshape(1, -1), 1)[0] - before
        return max(float(total), 0.0)

    def privacy(self, distortion: str | Distortion = "hamming", *, hindsight: bool = True) -> TracePrivacy:
        """What the attacker gets wrong at each step, in hindsight or as it happens."""
        beliefs = self.posterior if hindsight else self.filtered
        rule = as_distortion(distortion).rule(self.model.states, beliefs)
        return TracePrivacy(rule.risk, rule.estimates, rule.ties)


@dataclass(frozen=True, eq=False)
class TracePrivacy:
    """The attacker's least expected distortion at each step of a trace, and the estimates that have it."""

    steps: FloatArray
    estimates: tuple[object, ...]
    ties: Ties  # all estimates that are as good, for each step

    def __repr__(self) -> str:
        return f"TracePrivacy(worst {self.worst:.6g}, average {self.average:.6g}, best {self.best:.6g})"

    @property
    def average(self) -> float:
        """The mean over steps."""
        return float(self.steps.mean())

    @property
    def worst(self) -> float:
        """What is left at the step that the observations tell most about."""
        return float(self.steps.min())

    @property
    def best(self) -> float:
        """What is left at the step that they tell least about."""
        return float(self.steps.max())


def _forward(start: FloatArray, moves: FloatArray, shows: FloatArray) -> FloatArray:
    rows = [start + shows[0]]
    for shown in shows[1:]:
        rows.append(np.logaddexp.reduce(rows[-1][:, None] + moves, axis=0) + shown)
    return np.array(rows)


def _backward(moves: FloatArray, shows: FloatArray) -> FloatArray:
    rows = [np.zeros(len(moves))]
    for shown in shows[:0:-1]:
        rows.append(np.logaddexp.reduce(moves + (shown + rows[-1]), axis=1))
    return np.array(rows[::-1])
