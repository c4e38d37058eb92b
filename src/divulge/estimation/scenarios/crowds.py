"""Crowds: members pass a message around before one of them submits it, so that nobody sees who began."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.probabilities import FloatArray, or_uniform
from divulge.estimation.information.entropy import check_order
from divulge.estimation.scenarios.checks import whole

UNSEEN = "unseen"  # what corrupted members observe of a message that never reaches them
ROUNDING = 1e-12


@dataclass(frozen=True)
class Crowd:
    """Users who each submit a message to the server, or else hand it to any user, themselves included.

    The server, who sees which user submits, is the attacker (rebollo2013, VI-B). ``submit`` is the paper's
    p. The closed forms take every user to be equally likely to begin, and are the same for all
    observations: worst, average and best case are one.

    >>> Crowd(users=10, submit=0.5).privacy
    0.45
    """

    users: int
    submit: float

    def __post_init__(self) -> None:
        whole(self.users, "The number of users", 1)
        if not 0 < self.submit <= 1:
            raise ParameterError(
                f"The probability of submitting must be above 0 and at most 1, not {self.submit}.",
                hint="At 0 no message arrives.",
            )

    @property
    def hit(self) -> float:
        """How likely the user who submits is the one who began: p + (1 - p)/n."""
        return self.submit + self.miss

    @property
    def miss(self) -> float:
        """How likely any one of the others is the one who began: (1 - p)/n."""
        return (1 - self.submit) / self.users

    @property
    def posterior(self) -> FloatArray:
        """p(x|y), a row for each user who submits."""
        room_for_channel(self.users, self.users)
        return self.submit * np.eye(self.users) + self.miss

    @property
    def privacy(self) -> float:
        """How often the best guess, the user who submits, is wrong: (1 - p)(1 - 1/n)."""
        return (1 - self.submit) * (1 - 1 / self.users)

    @property
    def forwards(self) -> float:
        """How often a message is handed on before it is submitted, on average: the price of privacy."""
        return (1 - self.submit) / self.submit

    def entropy(self, order: float) -> float:
        """How uncertain the server is of who began: the Rényi entropy of an order, in bits.

        >>> Crowd(users=2, submit=0.5).entropy(0)
        1.0
        """
        check_order(order)
        if self.users == 1 or self.submit == 1:
            return 0.0
        if order == 0:
            return math.log2(self.users)
        if math.isinf(order):
            return -math.log2(self.hit)
        if order == 1:
            return -self.hit * math.log2(self.hit) - self.privacy * math.log2(self.miss)
        # Written so that nothing cancels where the order is close to 1.
        tilt = math.expm1((order - 1) * math.log(self.miss / self.hit))
        return -math.log2(self.hit) + math.log1p(self.privacy * tilt) / ((1 - order) * math.log(2))

    @property
    def hartley_entropy(self) -> float:
        """The number of users who may have begun, in bits: the best case for them."""
        return self.entropy(0)

    @property
    def shannon_entropy(self) -> float:
        """How uncertain the server is of who began, in bits: the average case."""
        return self.entropy(1)

    @property
    def min_entropy(self) -> float:
        """The surprise if it was the most likely user, in bits: the worst case."""
        return self.entropy(math.inf)

    @property
    def mutual_information(self) -> float:
        """What the server learns of who began, in bits."""
        return math.log2(self.users) - self.shannon_entropy

    def channel(self, prior: npt.ArrayLike | None = None) -> Channel:
        """From who began to who submits, users 1 to n; the prior is by default the same for all."""
        people = range(1, self.users + 1)
        # Once handed on, a message is submitted by any user alike; so p(y|x) and p(x|y) look the same.
        return Channel(or_uniform(prior, self.users), self.posterior, people, people)


@dataclass(frozen=True)
class CorruptedCrowd:
    """The original Crowds: a message is handed on at least once, and some members work for the attacker.

    The member with the message forwards it to any member, themselves included, first always and then with
    probability ``forward``. The attacker sees who handed it to the first corrupted member
    (Reiter and Rubin, Crowds: anonymity for web transactions, 1998).

    >>> CorruptedCrowd(members=6, corrupted=1, forward=0.75).predecessor
    0.5
    """

    members: int
    corrupted: int
    forward: float

    def __post_init__(self) -> None:
        whole(self.corrupted, "The number of corrupted members", 1)
        if whole(self.members, "The number of members", 2) <= self.corrupted:
            raise ParameterError(
                f"All {self.members} members would be corrupted; at least one must be honest."
            )
        _check_forward(self.forward)

    @property
    def honest(self) -> int:
        """How many members may have begun."""
        return self.members - self.corrupted

    @property
    def seen(self) -> float:
        """How likely a message reaches a corrupted member at all: c/(n - f(n - c))."""
        return self.corrupted / (self.members - self.forward * self.honest)

    @property
    def predecessor(self) -> float:
        """How likely the predecessor of the first corrupted member is the initiator: 1 - f(n - c - 1)/n."""
        return 1 - self.forward * (self.honest - 1) / self.members

    @property
    def probable_innocence(self) -> bool:
        """Whether the predecessor is no more likely to be the initiator than not."""
        return self.predecessor <= 0.5 + ROUNDING

    @property
    def privacy(self) -> float:
        """How often the best guess is wrong, averaged over messages seen and unseen."""
        return self.seen * (1 - self.predecessor) + (1 - self.seen) * (1 - 1 / self.honest)

    def channel(self, prior: npt.ArrayLike | None = None) -> Channel:
        """From who began to who is seen, honest members 1 to n - c; the last output is a message unseen."""
        room_for_channel(self.honest, self.honest + 1)
        members = range(1, self.honest + 1)
        at_once = self.corrupted / self.members
        later = (self.seen - at_once) / self.honest
        seen = at_once * np.eye(self.honest) + later
        unseen = np.full((self.honest, 1), 1 - self.seen)
        return Channel(or_uniform(prior, self.honest), np.hstack([seen, unseen]), members, [*members, UNSEEN])


def members_for_probable_innocence(corrupted: int, forward: float) -> int:
    """The fewest members with whom nobody seen is more likely to have begun than not: f/(f - 1/2) (c + 1).

    >>> members_for_probable_innocence(corrupted=1, forward=0.75)
    6
    """
    whole(corrupted, "The number of corrupted members", 1)
    if _check_forward(forward) <= 0.5:
        raise ParameterError(
            f"No crowd is large enough for probable innocence with a forwarding probability of {forward}.",
            hint="It must be above 1/2.",
        )
    return math.ceil(forward / (forward - 0.5) * (corrupted + 1) * (1 - ROUNDING))


def _check_forward(forward: float) -> float:
    if not 0 <= forward < 1:
        raise ParameterError(
            f"The forwarding probability must be at least 0 and below 1, not {forward}.",
            hint="At 1 a message might never arrive.",
        )
    return forward
