"""Numbers and names as a reader wants them: aligned, no longer than need be, never rounded to certainty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from divulge._support import wording
from divulge._support.wording import amount, many, shortened

NOTHING = "–"
LONGEST, SENTENCE = 120, 400


def rate(value: float) -> str:
    """Three digits after the point; what is not quite 0 or 1 does not look as if it were.

    >>> [rate(v) for v in (0, 0.25, 0.00004, 0.99999, 1)]
    ['0.000', '0.250', '<0.001', '>0.999', '1.000']
    """
    shown = f"{value:.3f}"
    if shown == "1.000" and value < 1:
        return ">0.999"
    if shown == "0.000" and value > 0:
        return "<0.001"
    return "0.000" if shown == "-0.000" else shown


def share(value: float) -> str:
    """A share of records in per cent.

    >>> [share(v) for v in (0, 0.203, 0.00001, 0.99999, 1, -0.00001)]
    ['0.0%', '20.3%', '<0.1%', '>99.9%', '100.0%', '0.0%']
    """
    shown = f"{value:.1%}"
    if shown == "100.0%" and value < 1:
        return ">99.9%"
    if shown == "0.0%" and value > 0:
        return "<0.1%"
    return "0.0%" if shown == "-0.0%" else shown


FORMATS: dict[str, Callable[[float], str]] = {
    "rate": rate,
    "share": share,
    "count": lambda value: many(int(value)),
    "number": lambda value: many(value) if isinstance(value, int) else amount(value),
    "bits": lambda value: f"{value:.2f}",
}


def cell(value: object, kind: str = "text") -> str:
    """A cell of a table: a number in the way of its column, a dash where there is nothing."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, int | float) and kind in FORMATS:
        return FORMATS[kind](value)
    if isinstance(value, str) and kind in ("rate", "share") and value[0] in "<>":  # of few people
        return f"{value[0]}{FORMATS[kind](bound(value))}"
    if isinstance(value, str) and kind == "count":
        return many(value)
    return clipped(str(value), SENTENCE)


def bound(value: float | str) -> float:
    """A share as a number; of few people it is said as a bound, "<0.02".

    >>> bound(0.5), bound("<0.02")
    (0.5, 0.02)
    """
    return float(value[1:]) if isinstance(value, str) else value


def clipped(words: str, longest: int = LONGEST) -> str:
    """Words that may be a name of any length, cut where they are longer than a table can bear."""
    return wording.clipped(words, longest)


def listing(names: Sequence[str], most: int = 8) -> str:
    """Names in one line, the tail of a long list counted instead of spelled out.

    >>> listing(["age", "sex", "zip"]), listing(["age", "sex", "zip"], most=2)
    ('age, sex, zip', 'age, sex and 1 more')
    """
    shown = ", ".join(shortened(name, 60) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
