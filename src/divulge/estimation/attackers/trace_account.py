"""Everything there is to say of a trace of observations, as plain values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from divulge import documents
from divulge.documents.attacker import TraceDocument
from divulge.estimation.attackers.error_units import error_unit
from divulge.estimation.attackers.traces import HiddenMarkov
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion, as_distortion
from divulge.estimation.channels.probabilities import settled
from divulge.estimation.channels.written_names import written


def trace_account(
    channel: Channel,
    moves: npt.ArrayLike,
    observed: Sequence[object],
    distortion: str | Distortion = "hamming",
    *,
    name: str = "a trace",
) -> TraceDocument:
    """What an attacker makes of a trace: each step in hindsight and as it happened, and the path."""
    trace = HiddenMarkov.of_channel(channel, moves).trace(observed)
    judged = as_distortion(distortion)
    later, then = trace.privacy(judged), trace.privacy(judged, hindsight=False)
    steps = [
        {
            "observation": written(seen),
            "estimate": written(estimate),
            "error": settled(float(error)),
            "error_then": settled(float(before)),
            "path": written(state),
            "posterior": row.tolist(),
        }
        for seen, estimate, error, before, state, row in zip(
            observed, later.estimates, later.steps, then.steps, trace.path, trace.posterior, strict=True
        )
    ]
    contents = {
        "source": name,
        "states": [written(state) for state in channel.inputs],
        "distortion": judged.name,
        "error_unit": error_unit(judged),
        "prior": channel.prior.tolist(),
        "steps": steps,
        "average": settled(later.average),
        "worst": settled(later.worst),
        "best": settled(later.best),
        "average_then": settled(then.average),
        "path_error": settled(trace.path_error),
        "entropy": settled(trace.entropy),
        "log2_likelihood": trace.log2_likelihood,
    }
    found: TraceDocument = documents.headed("trace", contents)
    return found
