"""How much memory or time something would take, estimated before it begins and refused if too much."""

from __future__ import annotations

import math
import os

from divulge.errors import TooMuch

MOST_MEMORY = 4 * 10**9  # bytes that one step of a command may take
MOST_SECONDS = 3600.0  # that one step of a command may take


def require_memory(needed: float, doing: str, *, hint: str | None = None, most: float | None = None) -> None:
    """Refuse what would take more memory than one step may, or than ``most``; ``needed`` is an estimate.

    >>> require_memory(10**6, "A table of 1,000 by 1,000")
    """
    allowed = MOST_MEMORY if most is None else most
    if needed > allowed:
        raise TooMuch(
            f"{doing} would need {_about(spelled(needed))} of memory; the limit is {spelled(allowed)}.",
            hint=hint,
        )


def half_of_memory() -> float:
    """Half of the memory of this machine in bytes, for what the whole work is about."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return MOST_MEMORY
    return max(MOST_MEMORY, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2)


def require_time(seconds: float, doing: str, *, hint: str | None = None) -> None:
    """Refuse what would take longer than one step may; ``seconds`` is an estimate."""
    if seconds > MOST_SECONDS:
        raise TooMuch(
            f"{doing} would take {_about(lasting(seconds))}; the limit is {lasting(MOST_SECONDS)}.", hint=hint
        )


def require_shuffles(times: int, records: int, cells: int) -> None:
    """Refuse more shuffles than can be waited for, of so many records over so many cells.

    A shuffle takes a millisecond at least; beyond that it deals records or draws cells, as is quicker.
    """
    seconds = times * (1e-3 + min(1e-7 * records, 1.5e-6 * cells))
    require_time(seconds, f"{times:,} shuffles", hint="Use fewer; 1,000 give an error of 3% of the spread.")


def _about(amount: str) -> str:
    return amount if amount.startswith("more than") else f"about {amount}"


def spelled(size: float) -> str:
    """A size in bytes as people write it.

    >>> spelled(400), spelled(524288000), spelled(2.5e9), spelled(8e20)
    ('400 bytes', '524 MB', '2.5 GB', 'more than a million TB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    if size > 10**18:
        return "more than a million TB"
    power = min(4, int(math.log10(size)) // 3)
    number = size / 1000**power
    shown = f"{number:.1f}".removesuffix(".0") if number < 10 else f"{number:.0f}"
    return f"{shown} {('kB', 'MB', 'GB', 'TB')[power - 1]}"


def lasting(seconds: float) -> str:
    """A time as people say it, in the unit that suits it.

    >>> lasting(0.2), lasting(90), lasting(3600), lasting(1e6), lasting(1e12)
    ('1 second', '2 minutes', '1 hour', '12 days', 'more than 100 years')
    """
    year = 365 * 86400
    if seconds > 100 * year:
        return "more than 100 years"
    units = ((year, "year"), (86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
    length, name = next((unit for unit in units if seconds >= unit[0]), units[-1])
    number = max(1, math.floor(seconds / length + 0.5))
    return f"{number} {name}{'' if number == 1 else 's'}"
