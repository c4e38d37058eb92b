"""What is said about an experiment: how many printed numbers agree, and a row for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge._support.wording import number

Entry = Mapping[str, Any]


def in_all(document: Entry) -> str:
    """How many printed numbers were found again.

    >>> in_all({"agree": 7, "differ": 1})
    '7 of 8 printed numbers agree.'
    """
    printed = document["agree"] + document["differ"]
    if not printed:
        return "No printed numbers to compare."
    return f"{document['agree']:,} of {printed:,} printed numbers agree."


def verdict(entry: Entry) -> str:
    """The same of one experiment, with its claims."""
    if entry["undefined"]:
        return f"Not run: {entry['undefined'].rstrip('.')}."
    printed = [one["agrees"] for one in entry["numbers"] if one["agrees"] is not None]
    claims = [one["holds"] for one in entry["claims"]]
    said = [f"{sum(printed)} of {len(printed)} printed numbers agree"] if printed else []
    said += [f"{sum(claims)} of {len(claims)} claims hold"] if claims else []
    return "; ".join(said or ["The paper prints no number here"]) + "."


def agreement(one: Entry) -> str:
    """Whether ours is the printed number, in a word."""
    return {True: "agrees", False: "differs", None: "not printed"}[one["agrees"]]


def shown(value: object) -> str:
    """A cell of a table: a number as elsewhere, a dash where there is none."""
    if value is None:
        return "-"
    return number(value) if isinstance(value, int | float) else str(value)


def ours(one: Entry) -> str:
    """Our number, with its standard error where it is an average of draws."""
    error = one["standard_error"]
    return shown(one["ours"]) + ("" if error is None else f" ± {error:.2g}")


def head(entry: Entry) -> list[str]:
    """The columns of the numbers: ours alone where nothing is printed."""
    return ["number", "printed", "ours", "tolerance", ""] if _printed(entry) else ["number", "ours"]


def rows(entry: Entry) -> list[list[str]]:
    """The numbers of an experiment: what, printed, ours, how far they may differ, whether they agree."""
    if not _printed(entry):
        return [[one["what"], ours(one)] for one in entry["numbers"]]
    return [
        [one["what"], shown(one["printed"]), ours(one), shown(tolerance(one)), agreement(one)]
        for one in entry["numbers"]
    ]


def tolerance(one: Entry) -> float | None:
    """How far ours may be from the printed number: its last digit, where nothing else is said."""
    if one["printed"] is None:
        return None
    return one["digit"] if one["tolerance"] is None else one["tolerance"]


def _printed(entry: Entry) -> bool:
    return any(one["printed"] is not None for one in entry["numbers"])


def reasons(entry: Entry) -> list[str]:
    """Why numbers differ or need words, each reason once, with the numbers it is about."""
    about: dict[str, list[str]] = {}
    for one in entry["numbers"]:
        if one["why"]:
            about.setdefault(one["why"], []).append(one["what"])
    return [f"{'; '.join(names)}: {why}" for why, names in about.items()]
