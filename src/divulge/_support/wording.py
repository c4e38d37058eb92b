"""Numbers and names as people read them, the same in every output."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from divulge._support.small_counts import SMALL, hidden, hidden_part, said_share

WIDTH = 80  # of text on a terminal


_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # of a terminal, but for tab and line end
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069"  # of the direction of writing
    "\u2028\u2029\u2060-\u2065\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"  # unseen
)


def visible(text: str) -> str:
    """The text with characters that steer a terminal or turn the direction of writing shown, not obeyed.

    They are written as in JSON, so that a JSON document still says the same.

    >>> visible("a\x1b[31mb\u202ec")
    'a\\\\u001b[31mb\\\\u202ec'
    """
    return _CONTROLS.sub(lambda found: _escaped(found[0]), text)


def one_line(text: str) -> str:
    """A name as it may stand in a line: visible, and without line ends of its own."""
    return visible(text.replace("\r", "\\r").replace("\n", "\\n"))


def flattened(value: Any) -> Any:
    """A document whose texts are one line each, for forms in which a line end would say something."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, Mapping):
        return {flattened(key): flattened(held) for key, held in value.items()}
    return [flattened(held) for held in value] if isinstance(value, list | tuple) else value


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


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
    """A number with its unit, in the singular where there is one; a small k is a reading, and bare.

    >>> quantity(1, "groups"), quantity(29957, "records"), quantity(0.25, ""), quantity(1, "records")
    ('1 group', '29,957 records', '0.25', '1')
    """
    if unit == "records" and value < SMALL:
        return number(value)
    one = {"records": "record", "values": "value", "groups": "group", "bits": "bit"}
    shown = many(int(value)) if unit in one and float(value).is_integer() else number(value)
    return f"{shown} {one.get(unit, unit) if value == 1 else unit}".rstrip()


def many(count: int | str) -> str:
    """A count with a comma at every thousand, also one that is said as a text such as "about" or "below".

    >>> many(1234567), many("<5"), many("~1030")
    ('1,234,567', '<5', '~1,030')
    """
    return (
        re.sub(r"\d{4,}", lambda digits: f"{int(digits[0]):,}", count)
        if isinstance(count, str)
        else f"{count:,}"
    )


def amount(value: float) -> str:
    """A quantity for reading, large ones whole with a comma at every thousand and never as a power of ten.

    >>> amount(3088412.4), amount(5042.0), amount(18108.6), amount(12.5)
    ('3,088,412', '5,042', '18,109', '12.5')
    """
    return many(round(value)) if abs(value) >= 1000 else number(value)


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


def chance_in_percent(chance: float) -> str:
    """A chance or a sampled share as a percentage, to two digits where it is below one in a thousand.

    >>> [chance_in_percent(p) for p in (0, 0.000000412, 0.00042, 0.0725)]
    ['0%', '0.000041%', '0.042%', '7.2%']
    """
    if not 0 < chance < 0.001:
        return percent(chance)
    return f"{100 * chance:.{1 - math.floor(math.log10(100 * chance))}f}%"


def records(count: int | str, of: int | None = None) -> str:
    """How many records, and what share of all that is; of a few, not how many.

    >>> records(3), records(812, of=4000), records(246, of=250)
    ('fewer than 5 records', '812 records (20.3%)', 'more than 245 records (>98%)')
    """
    shown = hidden_part(count, of) if isinstance(count, int) else count
    noun = f"{in_words(shown)} record{'' if shown == 1 else 's'}"
    if of is None or isinstance(count, str) or (isinstance(shown, str) and of <= SMALL):
        return noun
    return f"{noun} ({share_of(count, of)})"


def records_among(count: int, of: int, whole: int) -> str:
    """The same of those that are counted, who are named where they are not all records of a table.

    >>> records_among(243, 8000, 8000), records_among(243, 7618, 8000), records_among(3, 7618, 8000)
    ('243 records (3%)', '243 of 7,618 records (3.2%)', 'fewer than 5 of 7,618 records (<0.1%)')
    """
    if of == whole or of <= SMALL:
        return records(count, of=of)
    return f"{some_of(count, of, of=whole)} records ({share_of(count, of)})"


def share_of(count: int, of: int) -> str:
    """The share of a whole that some people are, as far as their number may be said.

    >>> share_of(812, 4000), share_of(4, 1000), share_of(3, 8), share_of(246, 250)
    ('20.3%', '<0.5%', '<62.5%', '>98%')
    """
    return share_in_percent(count / of, of)


def share_in_percent(share: float, of: int) -> str:
    """The same where the share is known, and not how many people make it up.

    >>> share_in_percent(0.203, 4000), share_in_percent(0.004, 1000)
    ('20.3%', '<0.5%')
    """
    return said_in_percent(said_share(share, of))


def said_in_percent(share: float | str) -> str:
    """A share of a document as a percentage; one that is hidden there is a bound.

    >>> said_in_percent(0.203), said_in_percent("<0.005")
    ('20.3%', '<0.5%')
    """
    return f"{share[0]}{percent(float(share[1:]))}" if isinstance(share, str) else percent(share)


def some_of(count: int, whole: int, *, of: int | None = None) -> str:
    """How many of a whole, in a sentence; the whole may itself be all but a few of a larger one.

    >>> some_of(812, 4000), some_of(3, 4000), some_of(1, 2), some_of(9, 248, of=250)
    ('812 of 4,000', 'fewer than 5 of 4,000', 'fewer than 5', '9 of more than 245')
    """
    shown = hidden_part(count, of=whole)
    if isinstance(shown, str) and whole <= SMALL:
        return in_words(shown)
    return f"{in_words(shown)} of {many(whole) if of is None else in_words(hidden(whole, of=of))}"


def capitalized(words: str) -> str:
    """The words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def in_words(count: int | str) -> str:
    """A count that may be hidden, in a sentence.

    >>> in_words(1200), in_words("<5"), in_words(">245"), in_words("~320")
    ('1,200', 'fewer than 5', 'more than 245', 'about 320')
    """
    if isinstance(count, str):
        if count.startswith("~"):
            return f"about {many(int(count[1:]))}"
        return f"{'fewer' if count.startswith('<') else 'more'} than {many(int(count[1:]))}"
    return many(count)


def some(count: int, noun: str, of: int | None = None) -> str:
    """So many things that should not be there; where they are few, that there are some.

    >>> some(12, "value"), some(3, "value"), some(38, "record", of=40)
    ('12 values', 'some values', 'more than 35 records')
    """
    shown = hidden_part(count, of)
    few = isinstance(shown, str) and shown.startswith("<")
    return f"{'some' if few else in_words(shown)} {noun}{'' if shown == 1 else 's'}"


def people(count: int, of: int | None = None) -> str:
    """How many people, and what share of all that is; a number that could point at someone is not said.

    >>> people(0, of=40), people(3, of=40), people(812, of=4000), people(36, of=40)
    ('0 people (0%)', 'fewer than 5 people', '812 people (20.3%)', 'more than 35 people')
    """
    shown = hidden_part(count, of)
    noun = f"{in_words(shown)} {'person' if shown == 1 else 'people'}"
    return noun if of is None or isinstance(shown, str) else f"{noun} ({percent(count / of)})"


def enumerated(names: Sequence[str], most: int = 4) -> str:
    """The names as a phrase, a long list counted instead.

    >>> enumerated(["age", "sex", "zip"]), enumerated(list("abcdef"))
    ('age, sex and zip', 'a, b, c and 3 more')
    """
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def shortened(name: str, longest: int) -> str:
    """A name cut in the middle, where two that begin alike often differ only at their ends.

    >>> shortened("age", 12), shortened("when someone was first seen", 15)
    ('age', 'when so…st seen')
    """
    tail = (longest - 1) // 2
    return name if len(name) <= longest else f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"


def reported(error: Exception | str) -> str:
    """What the system reported, in brackets; words and names of libraries stay out, and could quote records.

    >>> reported(OSError(28, "No space left on device")), reported(ValueError("Ann, 31")), reported("Aborted")
    (' (No space left on device)', '', ' (Aborted)')
    """
    if isinstance(error, str):
        return "" if error.endswith(("Error", "Exception")) else f" ({error})"
    said = error.strerror if isinstance(error, OSError) and error.errno else None
    return f" ({said})" if said else ""


def clipped(words: str, longest: int) -> str:
    """Words that may be of any length, cut between two of them where one ends near the limit.

    >>> clipped("models are fitted to at most 40 cells", 26), clipped("a" * 20, 9)
    ('models are fitted to at …', 'aaaaaaaa…')
    """
    if len(words) <= longest:
        return words
    whole = words[: words.rfind(" ", 0, longest - 1)].rstrip()
    return f"{whole} …" if longest // 2 < len(whole) < longest - 1 else f"{words[: longest - 1]}…"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Lines of a plain table with a rule under its head.

    >>> print(*aligned(["key", "n"], [["age", "12"], ["zip", "3"]], right=[1]), sep="\\n")
    key   n
    ---  --
    age  12
    zip   3
    """
    rows = [[one_line(cell) for cell in row] for row in rows]
    head = [one_line(cell) for cell in head]
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def value_label(value: object) -> str:
    """A value of a record as a line of a table names it."""
    return "(missing)" if value is None else str(value)
