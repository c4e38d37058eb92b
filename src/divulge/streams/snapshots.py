"""Where watching left off, so that it can go on: its place in the source, and the records of the window."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge._support.whole_files import whole_file
from divulge.errors import ParameterError, SourceError
from divulge.limits.ordinary_files import refuse_unreadable_text
from divulge.streams.watching import Watch

FORMAT = 1
_PRIVATE = 0o600
_ANEW = "Watch without it, or name another file: --snapshot."


def write_snapshot(path: Path, watch: Watch) -> None:
    """Write where watching is; only its owner may read the file, which holds records."""
    source, assessment = watch.source, watch.assessment
    content = {
        "divulge snapshot": FORMAT,
        "policy": assessment.policy.digest,
        "window": [assessment.window.last, assessment.window.span],
        "attributes": list(source.attributes),
        "position": source.position,
        "arrivals": assessment.window.arrivals,
        "arrived": watch.arrived,
        "malformed": watch.malformed,
        "outside": assessment.outside,
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
        if not _is_whole(content):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SourceError(f"{path.name} is not a whole snapshot.", hint=_ANEW) from None
    if other:
        raise ParameterError(f"{path.name} was written under another {' and '.join(other)}.", hint=_ANEW)
    return dict(content)


def _is_whole(content: Mapping[str, Any]) -> bool:
    """Whether a snapshot has a position, counts, and records that are as many as their times say."""
    records, arrivals = content["records"], content["arrivals"]
    number = _length(records)
    counts = (content["arrived"], content.get("malformed", 0), content.get("outside", 0))
    return (
        isinstance(content["position"], dict)
        and all(type(one) is int and one >= 0 for one in counts)
        and all(type(values) is list and len(values) == number for values in records.values())
        and all(type(at) in (int, float) and type(some) is int and some > 0 for at, some in arrivals)
        and (not arrivals or sum(some for _, some in arrivals) == number)
        and list(records) == content["attributes"]
    )


def resume(watch: Watch, content: Mapping[str, Any], now: float) -> None:
    """Take the records of a snapshot into the window, as they came, and the counts of what came."""
    assessment, records, first = watch.assessment, content["records"], 0
    if set(content["attributes"]) != set(watch.source.attributes):
        raise ParameterError("The snapshot was written of records with other columns.", hint=_ANEW)
    arrivals = content["arrivals"] or [(now, _length(records))]
    for at, number in arrivals:
        some = {name: values[first : first + number] for name, values in records.items()}
        assessment.add(some, at)
        first += number
    watch.arrived, watch.malformed = content["arrived"], content.get("malformed", 0)
    assessment.outside = content.get("outside", 0)


def _length(records: Mapping[str, list[Any]]) -> int:
    return len(next(iter(records.values()), []))
