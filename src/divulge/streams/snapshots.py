"""Where watching left off, so that it can go on: its place in the source, and the records of the window."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge._support.whole_files import whole_file
from divulge.errors import ParameterError, SourceError
from divulge.limits.ordinary_files import refuse_unreadable_text
from divulge.streams.arrivals import Arrivals
from divulge.streams.stream_assessment import StreamAssessment

FORMAT = 1
_PRIVATE = 0o600
_ANEW = "Watch without it, or name another file: --snapshot."


def write_snapshot(path: Path, source: Arrivals, assessment: StreamAssessment, arrived: int) -> None:
    """Write where watching is; only its owner may read the file, which holds records."""
    content = {
        "divulge snapshot": FORMAT,
        "policy": assessment.policy.digest,
        "window": [assessment.window.last, assessment.window.span],
        "attributes": list(source.attributes),
        "position": source.position,
        "arrivals": assessment.window.arrivals,
        "arrived": arrived,
        "records": assessment.held(),
    }
    with whole_file(path) as made:
        made.touch(_PRIVATE)
        made.write_text(json.dumps(content, default=str), "utf-8")


def read_snapshot(path: Path, assessment_of: Mapping[str, Any]) -> dict[str, Any] | None:
    """A snapshot of the same policy and window; None where there is none yet."""
    if not path.exists():
        return None
    refuse_unreadable_text(path)
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["divulge snapshot"] != FORMAT:
            raise SourceError(f"{path.name} is a snapshot of another form.", hint=_ANEW)
        other = [name for name, wanted in assessment_of.items() if content[name] != wanted]
        records, position = content["records"], content["position"]
        whole = isinstance(position, dict) and isinstance(content["arrived"], int)
        if not whole or {len(values) for values in records.values()} not in (set(), {_length(records)}):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SourceError(f"{path.name} is not a whole snapshot.", hint=_ANEW) from None
    if other:
        raise ParameterError(f"{path.name} was written under another {' and '.join(other)}.", hint=_ANEW)
    return dict(content)


def resume(assessment: StreamAssessment, content: Mapping[str, Any], now: float) -> None:
    """Take the records of a snapshot into the window, as they came."""
    records, first = content["records"], 0
    arrivals = content["arrivals"] or [(now, _length(records))]
    for at, number in arrivals:
        some = {name: values[first : first + number] for name, values in records.items()}
        assessment.add(some, at)
        first += number


def _length(records: Mapping[str, list[Any]]) -> int:
    return len(next(iter(records.values()), []))
