"""What the attacker's error is counted in."""

from __future__ import annotations

from divulge.estimation.channels.distortion import Distortion

WRONG = "probability of a wrong guess"
UNITS = {
    "hamming": WRONG,
    "squared": "unit of the secret, squared",
    "absolute": "unit of the secret",
    "euclidean": "distance",
    "hops": "edges in the hierarchy",
    "ontology": "share of the height of the hierarchy",
}


def error_unit(distortion: Distortion, tolerance: float | None = None) -> str:
    """The unit of an error by a distortion; within a tolerance a guess is right or wrong."""
    return WRONG if tolerance is not None else UNITS.get(distortion.name, "unit of the distortion")
