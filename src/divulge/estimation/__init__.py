"""Privacy as what an attacker who knows the prior and the channel still gets wrong."""

from divulge.estimation.channel import Channel
from divulge.estimation.distortion import (
    ABSOLUTE,
    EUCLIDEAN,
    HAMMING,
    SQUARED,
    Among,
    Distortion,
    Function,
    Matrix,
)
from divulge.estimation.privacy import Privacy
from divulge.estimation.system import System
from divulge.estimation.wrong_prior import WrongPrior, wrong_prior

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
