"""What an account of a trace found, in a sentence."""

from __future__ import annotations

from divulge._support.wording import percent
from divulge.report.attacker.wording import short
from divulge.report.shared.tables import Document


def trace_verdict(document: Document) -> str:
    """How good the best estimate of a step is, and how often the most likely path is right.

    >>> told = {"distortion": "hamming", "error_unit": "", "steps": [0, 0], "average": 0.1, "path_error": 0.4}
    >>> trace_verdict(told)
    'Over 2 steps the best guess of a step is right 90% of the time, and the most likely path 60%.'
    """
    steps = len(document["steps"])
    over = f"Over {steps:,} steps" if steps > 1 else "At one step"
    path = f"the most likely path {percent(1 - document['path_error'])}"
    if document["distortion"] == "hamming":
        right = percent(1 - document["average"])
        return f"{over} the best guess of a step is right {right} of the time, and {path}."
    off = f"the best estimate of a step is off by {short(document['average'])} ({document['error_unit']})"
    return f"{over} {off} on average, and {path.replace('path', 'path is right', 1)} of the time."
