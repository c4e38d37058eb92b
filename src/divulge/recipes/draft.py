"""A first recipe, written from roles and hierarchies for someone who will correct it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from divulge._support.toml_text import toml_key, toml_value
from divulge.roles.proposal import Proposed
from divulge.table.schema import Role

_HEAD = """\
# What is done to the table before it is released, step by step: the order matters.
# List all mechanisms with: divulge mechanisms. Explain one with: divulge mechanisms NAME.
# Then make the release:  divulge transform {source} --recipe {out} --out released.csv
# and see what it bought: divulge compare {source} --recipe {out}

# What is drawn at random depends on a seed, and anyone who knows or guesses it can undo it. Without one
# here, a seed is drawn that nobody can guess, and the manifest (--manifest) has it."""

_FEW = "Records that are still in a group smaller than 5 leave. Recode more above if too many do."

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


def recipe_draft(
    source: str,
    out: str,
    proposed: Sequence[Proposed],
    numeric: Collection[str],
    hierarchies: Mapping[str, str],
    code_lengths: Mapping[str, int] = MappingProxyType({}),
    dated: Collection[str] = (),
) -> str:
    """The text of a commented recipe; ``hierarchies`` are files by attribute, ``code_lengths`` of postcodes.

    ``numeric`` attributes have numbers, and ``dated`` ones dates.

    >>> roles = [Proposed("name", Role.IDENTIFIER, ()), Proposed("age", Role.QUASI_IDENTIFIER, ())]
    >>> print(recipe_draft("a.csv", "r.toml", roles, ["age"], {}).split("\\n\\n")[2])
    # They name people.
    [[step]]
    mechanism = "remove"
    attributes = ["name"]
    """
    named = [one.attribute for one in proposed if one.role is Role.IDENTIFIER]
    keys = [one.attribute for one in proposed if one.role is Role.QUASI_IDENTIFIER]
    parts = [_HEAD.format(source=source, out=out)]
    if named:
        parts.append(_step("They name people.", "remove", attributes=named))
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
            parts.append(_step("Choose the width of the bands.", "intervals", attributes=[name], width=10))
        else:
            hint = "It has no hierarchy: give one with --hierarchy, put values into groups here, or leave it."
            offered = _step(hint, "groups", attributes=[name], groups={"a group": ["a value", "another"]})
            parts.append("\n".join(f"#{line.removeprefix('#')}" for line in offered.split("\n")))
    if keys:
        parts.append(_step(_FEW, "suppress_records", attributes=keys, k=5))
    others = [name for name in numeric if name not in named]
    parts.append(_MORE.format(numbers=toml_value(others or ["income"])))
    return "\n\n".join(parts) + "\n"


def _step(comment: str, mechanism: str, **said: Any) -> str:
    lines = [f"# {comment}"] if comment else []
    lines += ["[[step]]", f"mechanism = {toml_value(mechanism)}"]
    return "\n".join([*lines, *(f"{toml_key(name)} = {toml_value(value)}" for name, value in said.items())])


def step_text(step: Mapping[str, Any], comment: str = "") -> str:
    """One step as a recipe writes it."""
    said = {name: value for name, value in step.items() if name != "mechanism"}
    return _step(comment, str(step["mechanism"]), **said)
