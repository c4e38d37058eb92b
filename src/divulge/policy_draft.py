"""A first divulge.toml, written from proposed roles for someone who will correct it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from divulge.missing_codes import MissingCode, declarable
from divulge.proposal import Proposed
from divulge.schema import Role

_HEAD = """\
# What is known of the people in this data, what must not be learned, and what is demanded.
# The roles are proposals made from names and values: check each one."""

_MISSING = """\
# What a missing value is: "value" (like any other), "drop" (the record is left out)
# or "wildcard" (it may be anything)."""

_ATTRIBUTES = """\
# identifier: tells who someone is.  quasi-identifier: others may know it of a person.
# sensitive: nobody should learn it.  other: neither."""

_EXAMPLES = """\
# Instead of a role an attribute can have a table, for values that are counted in groups:
#age = { role = "quasi-identifier", bins = [18, 30, 45, 60, 75] }
#postcode = { role = "quasi-identifier", hierarchy = "postcode.csv", level = 1 }
#disease = { role = "sensitive", partition = { cancer = ["lung cancer", "colon cancer"], other = ["flu"] } }
# A hierarchy without a level is only used to say what would help."""

_THRESHOLDS = """\
# A reading beyond a bound fails, or warns where severity = "warn". Change a bound, take a line out,
# or name what the attacker knows and looks for, as in: keys = ["age"], target = "disease"."""

_REIDENTIFICATION = """\
# Everyone is alike with at least four others in all that may be known of them.
# A higher min asks for larger groups.
k_anonymity = { min = 5 }

# Who is picked by such knowledge is the right person one time in ten at most, on average.
# A lower max asks for more.
reidentification_risk = { kind = "average", max = 0.1, severity = "warn" }"""

_NOBODY = """\
# No attribute is a quasi-identifier yet. Make one, or this line and the next cannot be read."""

_INFERENCE = """\
# People who are alike in what may be known have at least two different values of what is sensitive.
# A higher min asks for more of them.
distinct_l_diversity = { min = 2 }

# What may be known tells at most a fifth of what there is to learn, beyond what chance would give.
# A lower max asks for more; adjusted = false would leave chance in.
discrimination_rate = { adjusted = true, max = 0.2, severity = "warn" }"""


def draft(
    source_name: str,
    proposed: Sequence[Proposed],
    *,
    missing: str = "value",
    reading: Mapping[str, str | Sequence[str]] | None = None,
    codes: Sequence[MissingCode] = (),
) -> str:
    """The text of a commented policy; ``reading`` has more keys of [data], such as a separator.

    ``codes`` probably mean missing. They are offered in a line that is commented out, since it changes
    what is counted, and only people who know the data can say that it is right.

    >>> print(draft("people.csv", [Proposed("zip code", Role.OTHER, ("it is so",))]).split("\\n\\n")[3])
    # it is so
    "zip code" = "other"
    """
    data = {"source": source_name, **(reading or {})}
    lines = [f"{key} = {_quoted(value)}" for key, value in data.items()]
    roles = {one.role for one in proposed}
    return (
        "\n\n".join(
            [
                _HEAD,
                "\n".join(
                    [
                        "[data]",
                        *lines,
                        *_offered(codes, reading or {}),
                        _MISSING,
                        f"missing = {_quoted(missing)}",
                    ]
                ),
                f"[attributes]\n{_ATTRIBUTES}",
                *_attributes(proposed),
                _EXAMPLES,
                f"[thresholds]\n{_THRESHOLDS}",
                *([] if Role.QUASI_IDENTIFIER in roles else [_NOBODY]),
                _REIDENTIFICATION,
                *([_INFERENCE] if Role.SENSITIVE in roles else []),
            ]
        )
        + "\n"
    )


def _offered(codes: Sequence[MissingCode], reading: Mapping[str, str | Sequence[str]]) -> list[str]:
    """The line that would declare codes for missing, commented out, under what was noticed."""
    texts = declarable(codes)
    if not texts:
        return []
    where = dict.fromkeys(one.attribute for one in codes if not one.ordinary)
    return [
        _comment(f"These values probably mean missing, in {', '.join(where)}."),
        "# Remove the # to count them as missing in all attributes.",
        f"#missing_values = {_quoted([*reading.get('missing_values', ()), *texts])}",
    ]


def _attributes(proposed: Sequence[Proposed]) -> list[str]:
    """Each attribute with its role, under the reasons for it."""
    keys = [_key(one.attribute) for one in proposed]
    width = max(map(len, keys), default=0)
    return [
        "\n".join([*map(_comment, one.reasons), f"{key:{width}} = {_quoted(one.role.value)}"])
        for key, one in zip(keys, proposed, strict=True)
    ]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(value: str | Sequence[str]) -> str:
    """A text, or a list of them, as TOML writes it."""
    if not isinstance(value, str):
        return f"[{', '.join(map(_quoted, value))}]"
    # JSON escapes what TOML wants escaped, but for the delete character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return "# " + re.sub(r"[\x00-\x1f\x7f]", " ", text)
