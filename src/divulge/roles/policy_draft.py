"""A first divulge.toml, written from proposed roles for someone who will correct it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.toml_text import in_comment, toml_key, toml_value
from divulge.roles.missing_codes import MissingCode, declarable
from divulge.roles.proposal import Proposed
from divulge.table.schema import Role

_HEAD = """\
# What others may know about the people in this data, what must not be learned, and the thresholds.
# The roles are suggestions made from names and values: check each one.
format = 1"""

_MISSING = """\
# How missing values count: "value" (like any other), "drop" (the record is left out)
# or "wildcard" (it matches anything)."""

_ATTRIBUTES = """\
# identifier: identifies someone directly.  quasi-identifier: others may know it of a person.
# sensitive: nobody should learn it.  other: neither."""

_EXAMPLES = """\
# Instead of a role an attribute can have a table, for values that are counted in groups:
#age = { role = "quasi-identifier", bins = [18, 30, 45, 60, 75] }
#postcode = { role = "quasi-identifier", hierarchy = "postcode.csv", level = 1 }
#disease = { role = "sensitive", partition = { cancer = ["lung cancer", "colon cancer"], other = ["flu"] } }
# The file stays as it is: a check warns where a quasi-identifier has more values in it than groups.
# A hierarchy without a level is only used to suggest changes."""

_THRESHOLDS = """\
# The default checks. A share of people above max fails, or warns where severity = "warn". Add bounds
# on measures, such as k_anonymity = { min = 5 }, or name what the attacker knows: keys = ["age"].
# An attribute that names people fails as well, unless it is allowed at the end of this file."""

_REIDENTIFICATION = """\
# At most one person in a thousand is in a group smaller than 3 on the quasi-identifiers, and nobody is
# in a group smaller than 5. For a public file: singled_out = { max = 0, k = 11 }.
singled_out = [
    { max = 0.001, k = 3 },
    { max = 0, k = 5, severity = "warn" },
]"""

_NOBODY = """\
# No attribute is a quasi-identifier yet. Add one, or this policy cannot be read."""

_INFERENCE = """\
# A sensitive value becomes certain (or likely) for nobody, unless guessing gives it too, within gain.
# What chance alone explains only warns; chance = false makes it fail.
learned = [
    { max = 0, certain = 0.9 },
    { max = 0, certain = 0.5, severity = "warn" },
]"""

_ALLOW = """\
# Attributes that identify people and may stay in the data, such as a pseudonym:
#[allow]
#identifiers = ["pseudonym"]

# If the table is a sample, give the size of the population:
#[population]
#size = 80000"""


def draft(
    source_name: str,
    proposed: Sequence[Proposed],
    *,
    missing: str = "value",
    reading: Mapping[str, Any] | None = None,
    codes: Sequence[MissingCode] = (),
    hierarchies: Mapping[str, str] | None = None,
) -> str:
    """The text of a commented policy; ``reading`` has more keys of [data], such as a separator.

    ``codes`` probably mean missing. They are offered in a line that is commented out, since it changes
    what is counted, and only people who know the data can say that it is right. ``hierarchies`` are files.

    >>> print(draft("people.csv", [Proposed("zip code", Role.OTHER, ("it is so",))]).split("\\n\\n")[3])
    # it is so
    "zip code" = "other"
    """
    reading = reading or {}
    lines = [f"{key} = {toml_value(value)}" for key, value in {"source": source_name, **reading}.items()]
    data = ["[data]", *lines, *_offered(codes, reading), _MISSING, f"missing = {toml_value(missing)}"]
    roles = {one.role for one in proposed}
    parts = [
        _HEAD,
        "\n".join(data),
        f"[attributes]\n{_ATTRIBUTES}",
        *_attributes(proposed, hierarchies or {}),
        _EXAMPLES,
        f"[thresholds]\n{_THRESHOLDS}",
        *([] if Role.QUASI_IDENTIFIER in roles else [_NOBODY]),
        _REIDENTIFICATION,
        *([_INFERENCE] if Role.SENSITIVE in roles else []),
        _ALLOW,
    ]
    return "\n\n".join(parts) + "\n"


def _offered(codes: Sequence[MissingCode], reading: Mapping[str, Any]) -> list[str]:
    """The line that would declare codes for missing, commented out, under what was noticed."""
    texts = declarable(codes)
    if not texts:
        return []
    where = dict.fromkeys(one.attribute for one in codes if not one.ordinary)
    return [
        _comment(f"These values probably mean missing, in {', '.join(where)}."),
        "# Remove the # to count them as missing in all attributes.",
        f"#missing_values = {toml_value([*reading.get('missing_values', ()), *texts])}",
    ]


def _attributes(proposed: Sequence[Proposed], hierarchies: Mapping[str, str]) -> list[str]:
    """Each attribute with its role, under the reasons for it."""
    names = [one.attribute for one in proposed]
    keys = [toml_key(name) for name in names]
    width = max(map(len, keys), default=0)
    return [
        "\n".join([*map(_comment, one.reasons), f"{key:{width}} = {toml_value(_rule(one, hierarchies))}"])
        for key, one in zip(keys, proposed, strict=True)
    ]


def _rule(one: Proposed, hierarchies: Mapping[str, str]) -> Any:
    file = hierarchies.get(one.attribute)
    named = one.role is Role.IDENTIFIER
    return one.role.value if file is None or named else {"role": one.role.value, "hierarchy": file}


def _comment(text: str) -> str:
    return f"# {in_comment(text)}"
