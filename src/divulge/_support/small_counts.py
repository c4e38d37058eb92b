"""How many people, unless so few that the number points at them: the one way to print such a count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

SMALL = 5  # people below which an output does not say how many
FEW = f"<{SMALL}"  # what it says instead
Number = TypeVar("Number", int, float)  # of people, or the mean of such numbers over several runs
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
OTHERS = "uniqueness_others"  # what is left of the unique records without one attribute; not to be said
UNSAID = "exactly, it would say how few people it is about, or is not about"
NOTHING: Mapping[int, int] = {}
_ROUNDING = 1e-6  # of a share that was divided


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


def exact_counts_asked() -> bool:
    """Whether somebody asked for counts as they are."""
    return _EXACT.get()


def hidden(count: Number, of: int | None = None) -> Number | str:
    """A count of people as an output may say it: below five "<5", and all but a few of a whole likewise.

    Nobody and everybody are no secret that a count gives away, so 0 and the whole are said.

    >>> hidden(4), hidden(5), hidden(0), hidden(246, of=250), hidden(250, of=250)
    ('<5', 5, 0, '>245', 250)
    """
    if _EXACT.get() or count == 0 or count == of:
        return count
    if count < SMALL:
        return FEW
    return f">{of - SMALL}" if of is not None and 0 < of - count < SMALL else count


def hidden_part(count: int, of: int | None) -> int | str:
    """How many of a whole something is true of: below five, and all but a few of it, are not said.

    Of fewer than ten, one side or the other always is few: then the count alone decides.

    >>> hidden_part(246, of=250), hidden_part(6, of=8), hidden_part(1, of=1)
    ('>245', 6, '<5')
    """
    return hidden(count, of if of is not None and of >= 2 * SMALL else None)


def hidden_whole(whole: int, parts: Iterable[int]) -> int | str:
    """How many a whole has, beside parts of it that anyone can count: a bound where few of it are in no part.

    >>> hidden_whole(202, [200]), hidden_whole(202, [150]), hidden_whole(202, [202])
    ('<205', 202, 202)
    """
    near = [part for part in parts if 0 < whole - part < SMALL]
    return whole if _EXACT.get() or not near else f"<{max(near) + SMALL}"


def leaves_few(count: int, others: Iterable[int]) -> bool:
    """Whether fewer than five people are what is between a count and one that it contains, or is part of.

    Counts that are hidden themselves leave nothing.

    >>> leaves_few(8, [6]), leaves_few(8, [8, 20]), leaves_few(8, [4])
    (True, False, False)
    """
    if _EXACT.get() or count < SMALL:
        return False
    return any(other >= SMALL and 0 < abs(count - other) < SMALL for other in others)


def bound_beside(count: int, said: Iterable[int]) -> str | None:
    """What is said instead of a count that would leave a few beside one that is said; None where none would.

    >>> bound_beside(8, [6]), bound_beside(6, [8]), bound_beside(11, [6]), bound_beside(4, [6])
    ('<11', '<9', None, None)
    """
    near = [other for other in said if leaves_few(count, [other])]
    ends = [other + 1 if other > count else other + SMALL for other in near]
    return f"<{min(ends)}" if ends else None


def hidden_among(counts: Sequence[Number], total: float | None) -> list[Number | str]:
    """Counts of a list as an output may say them, so that a hidden one is not what the others leave.

    Where they make up the total, and the hidden ones are few together or can only be so many each, the
    smallest of the others is said to the nearest ten, and the next ones too until more can be hidden.

    >>> hidden_among([3, 321, 322, 354], total=1000), hidden_among([3, 321], total=1000)
    (['<5', '~320', 322, 354], ['<5', 321])
    >>> hidden_among([3, 4, 321, 672], total=1000), hidden_among([2, 4, 321, 673], total=1000)
    (['<5', '<5', '~320', 672], ['<5', '<5', 321, 673])
    >>> hidden_among([1, 1, 1, 1, 5, 50, 60], total=119)
    ['<5', '<5', '<5', '<5', '~10', '~50', 60]
    """
    shown = [hidden(count) for count in counts]
    few = [count for count, said in zip(counts, shown, strict=True) if isinstance(said, str)]
    if total is None or not few or not math.isclose(sum(counts), total) or not given_away(few):
        return shown
    others = sorted((count, place) for place, count in enumerate(counts) if count >= SMALL)
    for many, (count, place) in enumerate(others, start=1):
        shown[place] = to_tens(count)
        if _left_open(few, others[:many], others[many:]):
            break
    return shown


def given_away(few: Sequence[float]) -> bool:
    """Whether hidden counts follow from their sum: they are few together, or only one set adds up to it.

    >>> given_away([3, 4]), given_away([2, 4]), given_away([1, 1, 1]), given_away([])
    (True, False, True, False)
    """
    left, most = sum(few), (SMALL - 1) * len(few)
    return 0 < left < SMALL or (len(few) > 0 and min(left - len(few), most - left) <= 1)


def _left_open(
    few: Sequence[float], rounded: Sequence[tuple[float, int]], exact: Sequence[tuple[float, int]]
) -> bool:
    """Whether hidden counts can have three sums, or a single one two, beside counts said to the nearest ten.

    The rounded ones are the smallest, so none is larger than the first that is exact, nor as large as one
    that is listed before it.
    """
    rest = sum(few) + sum(count for count, _ in rounded)
    least = most = 0.0
    for count, place in rounded:
        tens = int(to_tens(count)[1:])
        next_up = exact[0][0] - (exact[0][1] < place) if exact else math.inf
        least, most = least + tens - 5, most + min(tens + 4, next_up)
    sums = min((SMALL - 1) * len(few), rest - least) - max(len(few), rest - most) + 1
    return sums >= min(len(few) + 1, 3)


def sum_says_few(counts: Sequence[float], said: Sequence[float | str | None]) -> bool:
    """Whether the sum of some counts of a list gives away what is hidden or rounded of them there.

    A count of which nothing is said (None) keeps the others open.

    >>> sum_says_few([2, 26], ["<5", 26]), sum_says_few([26, 41], [26, 41]), sum_says_few([26], ["~30"])
    (True, False, True)
    >>> sum_says_few([2, 26], ["<5", "~30"]), sum_says_few([2, 26], ["<5", None])
    (False, False)
    """
    few = [count for count, one in zip(counts, said, strict=True) if one == FEW]
    rounded = [
        (count, place)
        for place, (count, one) in enumerate(zip(counts, said, strict=True))
        if isinstance(one, str) and one != FEW
    ]
    if None in said or not (few or rounded):
        return False
    return not (few and _left_open(few, rounded, ())) if rounded else given_away(few)


def to_tens(count: float) -> str:
    """A count to the nearest ten, at least ten; halves go up.

    >>> to_tens(324), to_tens(6), to_tens(325)
    ('~320', '~10', '~330')
    """
    return f"~{max(math.floor(count / 10 + 0.5) * 10, 10)}"


def said_share(share: float, of: int) -> float | str:
    """A share of so many people as an output may say it: beside their number it is a count.

    Of fewer than five, and of all but fewer than five, it says what five would make, as a bound.

    >>> said_share(3 / 250, 250), said_share(0.5, 250), said_share(247 / 250, 250), said_share(1, 250)
    ('<0.02', 0.5, '>0.98', 1)
    """
    count = share * of
    if _EXACT.get() or not 0 < count < of:
        return share
    bound = round(100 * SMALL / of, 1) / 100
    bound = bound if bound * of > SMALL - 1 else math.ceil(1000 * SMALL / of) / 1000  # so that it is true
    if count < SMALL - _ROUNDING:
        return f"<{min(bound, 1):g}"
    return f">{1 - bound:g}" if of >= 2 * SMALL and of - count < SMALL - _ROUNDING else share


def share_in_fives(count: int, of: int) -> float:
    """A share of records for a picture: rounded down to fives, so that neither it nor a difference says few.

    Nobody and everybody are said.

    >>> share_in_fives(3, 250), share_in_fives(128, 250), share_in_fives(247, 250), share_in_fives(250, 250)
    (0.0, 0.5, 0.98, 1.0)
    """
    if _EXACT.get() or count == of:
        return count / of
    whole = count - count % SMALL
    return max(whole - SMALL if of - whole < SMALL else whole, 0) / of


def beside(
    value: float, shown: float | str, *, certain: float | None = 1.0, named: bool = True
) -> float | None:
    """A rate of some people beside their number as it is said, which the rate may not give away.

    Beside fewer than five only certainty is said, which is the same for one and for four; ``certain`` is
    what it reads then, and None where even that would tell how many they are. Beside "about" so many, there
    are as many digits as hold for one person more or less: none for fewer than ten. Beside a number that is
    said there are all of them, but of people who are not ``named`` two: more would tell how few of these
    have a value.

    >>> beside(1.0, "<5"), beside(0.918, "<5"), beside(0.91829, 12), beside(0.91829, "~320")
    (1.0, None, 0.91829, 0.92)
    >>> beside(0.91829, 12, named=False), beside(0.998, 12, named=False)
    (0.92, 0.99)
    """
    if not isinstance(shown, str):
        return value if named or _EXACT.get() else two_digits(value)
    if shown.startswith("~") and certain is not None:
        return blurred(value, int(shown[1:]))
    return value if certain is not None and value == certain else None


def two_digits(value: float) -> float:
    """A rate to the nearest hundredth; what is neither nothing nor certain is not rounded to it.

    >>> two_digits(0.1127), two_digits(0.002)
    (0.11, 0.01)
    """
    if value in (0, 1) or not math.isfinite(value):
        return value
    found = round(value, 2)
    return found if found not in (0, 1) else found + math.copysign(0.01, value - found)


def blurred(value: float, people: int) -> float | None:
    """A rate of so many people, to as many digits as hold for one person more or less; none below ten.

    There is none either where it would look like nothing, or like certainty.

    >>> blurred(0.4285714, 350), blurred(0.4285714, 35), blurred(0.4285714, 7), blurred(0.998, 35)
    (0.43, 0.4, None, None)
    """
    found = round(value, int(math.log10(people))) if people >= 10 and math.isfinite(value) else value
    return None if people < 10 or (found in (0, 1) and found != value) else found


def hide_counts(document: Any, of: int | None = None) -> Any:
    """A document with its counts of people as they may be said, and without the shares that reveal them.

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


def hide_shares(document: Any, of: int, *names: str) -> Any:
    """A document in which the shares of people of these names are bounds where they would say how few.

    >>> hide_shares({"lines": [{"changed": 0.5, "bits": 0.01}, {"changed": 0.012}]}, 250, "changed")
    {'lines': [{'changed': 0.5, 'bits': 0.01}, {'changed': '<0.02'}]}
    """
    if isinstance(document, list | tuple):
        return [hide_shares(one, of, *names) for one in document]
    if not isinstance(document, Mapping):
        return document
    return {
        name: said_share(value, of)
        if name in names and isinstance(value, float)
        else hide_shares(value, of, *names)
        for name, value in document.items()
    }


def hide_unique(document: Any, of: int, unsaid: Mapping[int, int] = NOTHING) -> Any:
    """A document without the shares of unique records that would say how few they are, or are not: null.

    So are those of counts that are not to be said; of each is known what it is below.

    >>> hide_unique({"k": 1, "uniqueness": 0.004, "map": [[2, 0.5, 0.004], [1, 0.3, 0.4]]}, 250)
    {'k': 1, 'uniqueness': None, 'map': [[2, 0.5, None], [1, 0.3, 0.4]]}
    >>> hide_unique({"uniqueness_last": 0.13, "uniqueness_others": 0.015}, 200)
    {'uniqueness_last': None}
    """
    if isinstance(document, list | tuple):
        return [hide_unique(one, of, unsaid) for one in document]
    if not isinstance(document, Mapping):
        return document
    found = {name: hide_unique(value, of, unsaid) for name, value in document.items()}
    if found.get("unique") in unsaid:
        found["unique"] = f"<{unsaid[found['unique']]}"
    if found.get("measure") == "uniqueness" and isinstance(found.get("value"), float):
        found["value"] = _or_none(found["value"], of, unsaid)
        if found["value"] is None:
            found |= {"undefined": UNSAID}
            found.pop("in_population", None)  # its end would say the same
    others = found.pop(OTHERS, None)
    if others is not None and found["uniqueness_last"]:  # with either end, what lies between says the other
        ends = (others, others + found["uniqueness_last"])
        if any(_or_none(one, of, unsaid) is None for one in ends):
            found["uniqueness_last"] = None
    for name in {"uniqueness", "uniqueness_last"} & found.keys():
        value = found[name]
        shares = value if isinstance(value, list) else [value]
        said = [_or_none(one, of, unsaid) for one in shares]
        found[name] = said if isinstance(value, list) else said[0]
    if "map" in found:  # of combinations: their size, what they tell, and the share that is unique
        found["map"] = [[*others, _or_none(last, of, unsaid)] for *others, last in found["map"]]
    return found


def _or_none(share: float | None, of: int, unsaid: Mapping[int, int]) -> float | None:
    if share is None or any(abs(share * of - count) < _ROUNDING for count in unsaid):
        return None
    said = said_share(share, of)
    return None if isinstance(said, str) else said


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
