"""Privacy as the remaining error of an attacker who knows the prior and the channel."""

from divulge.estimation.attackers.wrong_prior import WrongPrior, wrong_prior
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import (
    ABSOLUTE,
    EUCLIDEAN,
    HAMMING,
    SQUARED,
    Among,
    Distortion,
    Function,
    Matrix,
)
from divulge.estimation.channels.privacy import Privacy
from divulge.estimation.channels.system import System

__all__ = [
    "ABSOLUTE",
    "EUCLIDEAN",
    "HAMMING",
    "SQUARED",
    "Among",
    "Channel",
    "Distortion",
    "Function",
    "Matrix",
    "Privacy",
    "System",
    "WrongPrior",
    "wrong_prior",
]
