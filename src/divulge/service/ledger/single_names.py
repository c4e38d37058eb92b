"""JSON from elsewhere that means one thing to everyone: no name stands twice in an object."""

from __future__ import annotations

import json
from typing import Any


def with_single_names(text: str) -> Any:
    """The value of a JSON text; a ValueError where a name is repeated, since readers differ in what counts.

    >>> with_single_names('{"decision": "waiting"}')
    {'decision': 'waiting'}
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in an object")
    return found
