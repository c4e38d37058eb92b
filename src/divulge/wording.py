"""Numbers and names as people read them, the same in every output."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

WIDTH = 80  # of text on a terminal


def number(value: float) -> str:
    """A number for reading: whole numbers whole, others with four digits that matter.

    >>> [number(v) for v in (3, 0.7001736, 12.5, 1.5e-05, float("inf"), -0.0)]
    ['3', '0.7002', '12.5', '1.5e-05', 'inf', '0']
    """
    if isinstance(value, int):
        return str(value)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e6:
        return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.1f}"
    return f"{value:.3g}"


def plain_zeros(document: Any) -> Any:
    """The same values in lists and mappings, every negative zero a plain one.

    >>> plain_zeros({"values": [-0.0, 1.5], "name": "x"})
    {'values': [0.0, 1.5], 'name': 'x'}
    """
    if isinstance(document, float):
        return document + 0.0  # -0.0 + 0.0 is 0.0, and nothing else changes
    if isinstance(document, Mapping):
        return {name: plain_zeros(value) for name, value in document.items()}
    if isinstance(document, list | tuple):
        return [plain_zeros(value) for value in document]
    return document


def quantity(value: float, unit: str) -> str:
    """A number with its unit, in the singular where there is one.

    >>> quantity(1, "classes"), quantity(5, "records"), quantity(0.25, "")
    ('1 class', '5 records', '0.25')
    """
    one = {"records": "record", "values": "value", "classes": "class", "bits": "bit"}
    return f"{number(value)} {one.get(unit, unit) if value == 1 else unit}".rstrip()


def many(count: int) -> str:
    """A count with a comma at every thousand.

    >>> many(1234567)
    '1,234,567'
    """
    return f"{count:,}"


def percent(share: float) -> str:
    """A share as a percentage; what is neither nothing nor all is never rounded to it.

    >>> [percent(p) for p in (0, 0.00001, 0.0725, 0.5, 0.99999, 1)]
    ['0%', '<0.1%', '7.2%', '50%', '>99.9%', '100%']
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def records(count: int, of: int | None = None) -> str:
    """How many records, and what share of all that is.

    >>> records(1), records(812, of=4000)
    ('1 record', '812 records (20.3%)')
    """
    noun = f"{many(count)} record{'' if count == 1 else 's'}"
    return noun if of is None else f"{noun} ({percent(count / of)})"


def people(count: int, of: int | None = None) -> str:
    """How many people, and what share of all that is; a number that could point at someone is not said.

    >>> people(0, of=40), people(3, of=40), people(812, of=4000)
    ('0 people (0%)', 'fewer than 5 people', '812 people (20.3%)')
    """
    if 0 < count < 5:
        return "fewer than 5 people"
    return f"{many(count)} people" if of is None else f"{many(count)} people ({percent(count / of)})"


def enumerated(names: Sequence[str], most: int = 4) -> str:
    """The names as a phrase, a long list counted instead.

    >>> enumerated(["age", "sex", "zip"]), enumerated(list("abcdef"))
    ('age, sex and zip', 'a, b, c and 3 more')
    """
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Lines of a plain table with a rule under its head.

    >>> print(*aligned(["key", "n"], [["age", "12"], ["zip", "3"]], right=[1]), sep="\\n")
    key   n
    ---  --
    age  12
    zip   3
    """
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
