"""Lines on a terminal: outcomes as they are written there, and sentences of some width."""

from __future__ import annotations

import textwrap

SIGN = {"pass": "pass", "warn": "WARN", "fail": "FAIL", "not evaluated": "NOT EVALUATED"}


def wrapped(sentence: str, start: str, width: int) -> list[str]:
    """A sentence in lines of some width, behind a start that the others are indented by."""
    return textwrap.wrap(
        sentence,
        width,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
        break_long_words=False,
    )
