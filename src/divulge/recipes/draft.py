"""A first recipe, written from roles and hierarchies for someone who will correct it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from divulge._support.toml_text import in_comment, toml_key, toml_value
from divulge.roles.proposal import Proposed
from divulge.table.schema import Role

_HEAD = """\
# What is done to the table before it is released, step by step: the order matters.
# List all mechanisms with: divulge guide mechanisms. Explain one with: divulge guide NAME.
# Then make the release:  divulge transform {source} --recipe {out} --out released.csv
# and see what it bought: divulge compare {source} --recipe {out}

# What is drawn at random depends on a seed, and anyone who knows or guesses it can undo it. Without one
# here, a seed is drawn that nobody can guess, and the manifest (--manifest) has it.
format = 1"""

_FEW = "Records that are still in a group smaller than 5 leave. Recode more above if too many do."
_ALL = (
    "After the steps above every record is still in a group smaller than 5, and none would be left. Recode "
    "or remove more above, then take this step."
)
_MANY = "It has a value for every few records, and no hierarchy. Give one with --hierarchy, or remove it."

_MORE = """\
# Other ways, to be used instead of or beside the steps above:
# groups of 3 records that are alike share the mean of their numbers
#[[step]]
#mechanism = "microaggregation"
#attributes = {numbers}
#k = 3
# a part of the records only
#[[step]]
#mechanism = "sample"
#fraction = 0.1"""


GROUP = 5  # records that a group of the drafted bands should have
MOST_BANDS, FEWEST_BANDS = 10, 2
ALL_BANDS = 1000  # up to which bands reach, with those of the few numbers that lie far out


def band_width(numbers: Sequence[float], bands: int) -> float:
    """A round width (1, 2 or 5 times a power of ten) for about so many bands, numbers far out aside.

    Bands of whole numbers have two of them at least.

    >>> band_width(range(17, 91), 10), band_width([0.1, 0.25, 0.4], 5), band_width(range(0, 900_000, 700), 10)
    (10, 0.1, 100000)
    """
    ordered = sorted(numbers)
    cut = len(ordered) // 20
    middle, whole = ordered[-1 - cut] - ordered[cut], ordered[-1] - ordered[0]
    least = 2.0 if all(number == int(number) for number in ordered) else 0.0
    wanted = max(middle / bands, whole / ALL_BANDS, least)
    power = math.floor(math.log10(wanted)) if wanted > 0 else 0
    steps = [(step, ten) for ten in (power, power + 1) for step in (1, 2, 5)]
    width = next(float(f"{step}e{ten}") for step, ten in steps if step * 10.0**ten >= wanted * (1 - 1e-9))
    return int(width) if width == int(width) else width


def number_of_bands(records: int, banded: int) -> int:
    """How many bands of each of some attributes leave groups of some records, if they were independent.

    >>> number_of_bands(30_162, 1), number_of_bands(1080, 3), number_of_bands(1080, 10)
    (10, 6, 2)
    """
    each = (records / GROUP) ** (1 / max(banded, 1))
    return min(max(round(each), FEWEST_BANDS), MOST_BANDS)


def recipe_draft(
    source: str,
    out: str,
    proposed: Sequence[Proposed],
    numeric: Mapping[str, Sequence[float]],
    hierarchies: Mapping[str, str],
    code_lengths: Mapping[str, int] = MappingProxyType({}),
    dated: Collection[str] = (),
    records: int = 1000,
    many: Collection[str] = (),
    leaves_none: bool = False,
) -> str:
    """The text of a commented recipe; ``hierarchies`` are files by attribute, ``code_lengths`` of postcodes.

    ``numeric`` has some numbers of attributes that have numbers, ``dated`` ones have dates, and ``many`` more
    values than groups can be. Small groups stay where their leaving ``leaves_none``.

    >>> roles = [Proposed("name", Role.IDENTIFIER, ()), Proposed("age", Role.QUASI_IDENTIFIER, ())]
    >>> print(recipe_draft("a.csv", "r.toml", roles, {"age": [21, 34]}, {}).split("\\n\\n")[2])
    # They name people.
    [[step]]
    mechanism = "remove"
    attributes = ["name"]
    """
    named = [one.attribute for one in proposed if one.role is Role.IDENTIFIER]
    keys = [one.attribute for one in proposed if one.role is Role.QUASI_IDENTIFIER]
    parts = [_HEAD.format(source=in_comment(source), out=in_comment(out))]
    if named:
        parts.append(_step("They name people.", "remove", attributes=named))
    otherwise = {*hierarchies, *code_lengths}
    bands = number_of_bands(records, sum(name in numeric and name not in otherwise for name in keys))
    for name in keys:
        if name in hierarchies:
            said = "Level 0 keeps the values; higher levels are coarser."
            file = {"hierarchy": hierarchies[name], "level": 1}
            parts.append(_step(said, "recode", attributes=[name], **file))
        elif name in dated and name not in numeric:
            said = "Or month, quarter or decade."
            parts.append(_step(said, "dates", attributes=[name], unit="year"))
        elif name in code_lengths:
            said = "Choose how many characters of the codes are kept."
            kept = max(1, code_lengths[name] // 2)
            parts.append(_step(said, "prefix", attributes=[name], keep=kept))
        elif name in numeric:
            said = "Choose the width of the bands: this one is drafted from the range of the numbers."
            width = band_width(numeric[name], bands)
            parts.append(_step(said, "intervals", attributes=[name], width=width))
        elif name in many:
            parts.append(_step(_MANY, "remove", attributes=[name]))
        else:
            hint = "It has no hierarchy: give one with --hierarchy, put values into groups here, or leave it."
            offered = _step(hint, "groups", attributes=[name], groups={"a group": ["a value", "another"]})
            parts.append(_offered(offered))
    left = [
        name for name in keys if name not in many or name in numeric or name in otherwise or name in dated
    ]
    if left:
        step = _step(_ALL if leaves_none else _FEW, "suppress_records", attributes=left, k=5)
        parts.append(_offered(step) if leaves_none else step)
    others = [name for name in numeric if name not in named]
    parts.append(_MORE.format(numbers=toml_value(others or ["income"])))
    return "\n\n".join(parts) + "\n"


def _offered(step: str) -> str:
    """A step as a comment, which whoever corrects the recipe may take."""
    return "\n".join(f"#{line.removeprefix('#')}" for line in step.split("\n"))


def _step(comment: str, mechanism: str, **said: Any) -> str:
    lines = [f"# {in_comment(comment)}"] if comment else []
    lines += ["[[step]]", f"mechanism = {toml_value(mechanism)}"]
    return "\n".join([*lines, *(f"{toml_key(name)} = {toml_value(value)}" for name, value in said.items())])


def step_text(step: Mapping[str, Any]) -> str:
    """One step as a recipe writes it."""
    said = {name: value for name, value in step.items() if name != "mechanism"}
    return _step("", str(step["mechanism"]), **said)


def missing_line(texts: Collection[str]) -> str:
    """The line of a recipe with the texts that mean missing; nothing where none does.

    >>> missing_line({"NA"})
    '\\nmissing_values = ["NA"]'
    """
    return f"\nmissing_values = {toml_value(sorted(texts))}" if texts else ""
