"""What an attacker believes after observing: the posterior, as much of it as a picture can show."""

from __future__ import annotations

import numpy as np

from divulge.documents.attacker import BeliefEntry
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion
from divulge.estimation.channels.written_names import written

MOST_LETTERS = 24  # secrets and observations of a matrix
MOST_BARS = 12
MOST_PLACES = 900  # of a map


def every_belief(channel: Channel, note: str = "") -> BeliefEntry:
    """The posterior after every observation; of a large channel, after the one that reveals most."""
    seen = np.flatnonzero(channel.possible)
    if len(channel.inputs) > MOST_LETTERS or len(seen) > MOST_LETTERS:
        most = int(seen[np.argmax(channel.posterior[seen].max(axis=1))])
        return {**one_belief(channel, most), "note": note}
    return {
        "form": "matrix",
        "secrets": [written(name) for name in channel.inputs],
        "observations": [written(channel.outputs[place]) for place in seen],
        "prior": channel.prior.tolist(),
        "posterior": channel.posterior[seen].tolist(),
        "left_out": 0,
        "note": note,
        "columns": None,
        "errors": None,
    }


def one_belief(channel: Channel, observation: int = 0, called: str = "") -> BeliefEntry:
    """The likeliest secrets after one observation, given by its place; what a letter is called goes first."""
    posterior = channel.posterior[observation]
    kept = np.argsort(-posterior, kind="stable")[: min(MOST_BARS, np.count_nonzero(posterior))]
    return {
        "form": "bars",
        "secrets": [f"{called} {written(channel.inputs[place])}".strip() for place in kept],
        "observations": [f"{called} {written(channel.outputs[observation])}".strip()],
        "prior": channel.prior[kept].tolist(),
        "posterior": [posterior[kept].tolist()],
        "left_out": len(posterior) - len(kept),
        "note": "",
        "columns": None,
        "errors": None,
    }


def map_of_beliefs(channel: Channel, columns: int, distortion: str | Distortion) -> BeliefEntry:
    """The posterior over places after the middle one is reported, and the error after each."""
    rows = len(channel.inputs) // columns
    middle = columns // 2 * rows + rows // 2
    if len(channel.inputs) > MOST_PLACES or not channel.possible.all():
        return every_belief(channel)
    return {
        "form": "map",
        "secrets": [written(point) for point in channel.inputs],
        "observations": [written(channel.outputs[middle])],
        "prior": channel.prior.tolist(),
        "posterior": [channel.posterior[middle].tolist()],
        "left_out": 0,
        "note": "",
        "columns": columns,
        "errors": channel.privacy(distortion).conditional.tolist(),
    }
