"""Tables of discrimination rates, as papers print them: a key, its values, and what each gives away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from divulge.api import measure
from divulge.questions.data import Data, read
from divulge.reproduction.experiment import Cell, Findings, PublishedNumber, Tabulation

Columns = Mapping[str, Sequence[str]]
WHOLE = ""  # in place of a value: the rate of the attribute


@dataclass(frozen=True)
class PrintedRates:
    """What is printed for a key: rates of its values, and of the whole attribute."""

    table: str  # what the paper calls it
    columns: Columns
    keys: Sequence[str]
    target: str
    printed: Mapping[str, float]  # by value of the key; `WHOLE` for the attribute
    domains: Sequence[Sequence[str]] = ()  # of the target, where they are told apart only by these
    remaining: bool = False  # whether one minus the rate is printed
    digit: float = 0.01  # the unit of the last printed digit
    why: Mapping[str, str] = field(default_factory=dict)  # by value of the key, where the two differ


def rows(text: str) -> Columns:
    """The columns of a small table, written as lines with a head; cells are parted by two spaces or more.

    >>> rows("Age  Disease\\n22  flu\\n35  lung cancer")
    {'Age': ['22', '35'], 'Disease': ['flu', 'lung cancer']}
    """
    lines = [
        [cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.strip().splitlines()
    ]
    return {name: list(cells) for name, *cells in zip(*lines, strict=True)}


def findings(every: Iterable[PrintedRates], *notes: str) -> Findings:
    """Each printed rate beside ours."""
    return Findings(numbers=[number for one in every for number in numbers(one)], notes=notes)


def numbers(rates: PrintedRates) -> list[PublishedNumber]:
    """The printed rates of a key beside ours, its values first."""
    name = ", ".join(rates.keys)
    ours = rate_by_value(rates.columns, rates.keys, rates.target, rates.domains)
    return [
        PublishedNumber(
            f"{rates.table}, {name if value == WHOLE else f'{name} {value}'}",
            printed,
            1 - ours[value] if rates.remaining else ours[value],
            rates.digit,
            rates.why.get(value, ""),
        )
        for value, printed in rates.printed.items()
    ]


def rate_by_value(
    columns: Columns, keys: Sequence[str], target: str, domains: Sequence[Sequence[str]] = ()
) -> dict[str, float]:
    """The discrimination rate of each value of the keys, and of the attribute under `WHOLE`."""
    partition = {target: {f"domain {place}": list(some) for place, some in enumerate(domains, 1)}}
    reading = measure(
        _opened(columns),
        "discrimination_rate",
        keys=keys,
        target=target,
        partitions=partition if domains else None,
    )
    assert reading.value is not None  # no target of these tables is constant
    return {
        **{
            ", ".join(map(str, one.key.values())): one.value
            for one in reading.by_value
            if one.value is not None
        },
        WHOLE: reading.value,
    }


def shown(title: str, columns: Columns) -> Tabulation:
    """The table itself."""
    cells: list[Sequence[Cell]] = [list(row) for row in zip(*columns.values(), strict=True)]
    return Tabulation(title, list(columns), cells)


def _opened(columns: Columns) -> Data:
    return read({name: list(values) for name, values in columns.items()})
