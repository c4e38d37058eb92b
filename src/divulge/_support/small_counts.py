"""How many people, unless so few that the number points at them: the one way to print such a count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

SMALL = 5  # people below which an output does not say how many
_EXACT: ContextVar[bool] = ContextVar("exact counts", default=False)

# What documents call numbers of people or of their records; and those whose rest is in the document too.
PEOPLE = {
    *("records", "people", "counted", "suppressed", "dropped", "missing", "lone", "unique", "aligned"),
    *("compared", "without_a_match", "not_reached", "unrecognised", "recognised_records"),
    *("unrecognised_records", "in_company", "left_out", "singled_out", "concerned", "own", "own_at_most"),
}
# Beside these, records are those of a whole table; in bins, they are put together where they are few.
_TABLE, _BIN = {"counted", "name"}, "low"
_SHARES = ("share", "uniqueness")  # what a count beside them is of a whole


@contextmanager
def exact_counts(wanted: bool = True) -> Iterator[None]:
    """Print small counts as they are, for somebody who asked for it and may see the records anyway.

    Within, asking for less changes nothing.
    """
    before = _EXACT.set(wanted or _EXACT.get())
    try:
        yield
    finally:
        _EXACT.reset(before)


def hidden(count: int, of: int | None = None) -> int | str:
    """A count of people as an output may say it: below five "<5", and all but a few of a whole likewise.

    Nobody and everybody are no secret that a count gives away, so 0 and the whole are said.

    >>> hidden(4), hidden(5), hidden(0), hidden(246, of=250), hidden(250, of=250)
    ('<5', 5, 0, '>245', 250)
    """
    if _EXACT.get() or count == 0 or count == of:
        return count
    if count < SMALL:
        return f"<{SMALL}"
    return f">{of - SMALL}" if of is not None and 0 < of - count < SMALL else count


def hidden_part(count: int, of: int | None) -> int | str:
    """How many of a whole something is true of: below five, and all but a few of it, are not said.

    Of fewer than ten, one side or the other always is few: then the count alone decides.

    >>> hidden_part(246, of=250), hidden_part(6, of=8), hidden_part(1, of=1)
    ('>245', 6, '<5')
    """
    return hidden(count, of if of is not None and of >= 2 * SMALL else None)


def hidden_among(counts: Sequence[int], total: int | None) -> list[int | str]:
    """Counts of a list as an output may say them, so that a hidden one is not what the others leave.

    Where they make up the total and few are hidden, the smallest of the others is said to the nearest ten,
    by what it is together with them: that is known anyway, and says nothing about the hidden ones.

    >>> hidden_among([3, 321, 322, 354], total=1000), hidden_among([3, 321], total=1000)
    (['<5', '~320', 322, 354], ['<5', 321])
    """
    shown = [hidden(count) for count in counts]
    few = [count for count, said in zip(counts, shown, strict=True) if isinstance(said, str)]
    others = [place for place, said in enumerate(shown) if isinstance(said, int) and said > 0]
    told = len(few) == 1 or sum(few) in (len(few), (SMALL - 1) * len(few))
    if few and others and told and sum(counts) == total:
        place = min(others, key=lambda place: counts[place])
        shown[place] = f"~{max(round(counts[place] + sum(few), -1), 10)}"
    return shown


def blurred(value: float, shown: int | str, digits: int = 2) -> float:
    """A rate beside a count of people, to few digits where the count is not said: it would give it away.

    >>> blurred(0.9980915, "<5"), blurred(0.9980915, 12)
    (1.0, 0.9980915)
    """
    return round(value, digits) if isinstance(shown, str) else value


def hide_counts(document: Any, of: int | None = None) -> Any:
    """A document with its counts of people as they may be said, and without the shares that give them away.

    All but a few are hidden too: of the whole that the document names, or else of the one that is given.

    >>> hide_counts({"people": 4, "of": 1000, "share": 0.004})
    {'people': '<5', 'of': 1000, 'share': None}
    >>> hide_counts({"steps": [{"records": 996}]}, of=1000)
    {'steps': [{'records': '>995'}]}
    """
    if isinstance(document, Mapping):
        return _hidden_in(document, of)
    if isinstance(document, list | tuple):
        return type(document)(hide_counts(one, of) for one in document)
    return document


def hide_unique(document: Any, of: int) -> Any:
    """A document without the shares of unique records that would say how few they are, or are not: null.

    >>> hide_unique({"k": 1, "uniqueness": 0.004, "map": [[2, 0.5, 0.004], [1, 0.3, 0.4]]}, 250)
    {'k': 1, 'uniqueness': None, 'map': [[2, 0.5, None], [1, 0.3, 0.4]]}
    """
    if isinstance(document, list | tuple):
        return [hide_unique(one, of) for one in document]
    if not isinstance(document, Mapping):
        return document
    found = {name: hide_unique(value, of) for name, value in document.items()}
    for name in {"uniqueness", "uniqueness_last"} & found.keys():
        value = found[name]
        found[name] = [_share(one, of) for one in value] if isinstance(value, list) else _share(value, of)
    if "map" in found:  # of combinations: their size, what they tell, and the share that is unique
        found["map"] = [[*others, _share(last, of)] for *others, last in found["map"]]
    return found


def _share(value: float | None, of: int) -> float | None:
    count = None if value is None else math.ceil(round(value * of, 6))
    return value if count is None or isinstance(hidden_part(count, of), int) else None


def _hidden_in(held: Mapping[str, Any], of: int | None) -> dict[str, Any]:
    whole_table = bool(_TABLE & held.keys())
    own = held.get("of", held.get("records") if whole_table else None)
    unsaid = isinstance(own, int) and isinstance(hidden(own, of), str)  # the whole is all but a few itself
    of = own if isinstance(own, int) and not unsaid else of
    found = {name: hide_counts(value, of) for name, value in held.items()}
    for name, value in held.items():
        if name == "records" and (whole_table or _BIN in held):
            continue
        if name in PEOPLE and isinstance(value, int) and not isinstance(value, bool):
            found[name] = hidden(value, of) if name == "counted" else hidden_part(value, of)
            if isinstance(found[name], str):
                found |= {share: None for share in _SHARES if share in held}
    return found | ({"of": hidden(own, of)} if unsaid and "of" in held else {})
