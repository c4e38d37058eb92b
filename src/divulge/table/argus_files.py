"""Hierarchies in the files of ARGUS: a tree of codes (.hrc), and the recoding of one level (.grc)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge.errors import PartitionError, counted
from divulge.table.codes import as_number

TREE, RECODING = ".hrc", ".grc"
LEADER = "@"
OTHER_LEADERS = ".-_>#~^|:!* \t"  # that files may have instead
TOP = "*"
_TREE_SHAPE = "A line is a code; one @ before it for each group that it is in. The line above has the group."
_RECODING_SHAPE = "A line is a new code, a colon, and old codes or ranges: 1: -20 and 2: 21-30,35."
_RANGE = re.compile(r"\s*([^-]*?)\s*-\s*([^-]*?)\s*")

Row = tuple[str, ...]


def tree_rows(text: str, *, leader: str = "") -> list[Row]:
    """The rows of a hierarchy, a value and its groups, from a tree of codes.

    The leader, "@" in most files, stands before a code as often as it is deep. A code that is less deep than
    others stays itself up to its own group. The total above all codes, which the file leaves out, is added.

    >>> tree_rows("North\\n@1\\n@2\\nSouth\\n@3")
    [('1', 'North', '*'), ('2', 'North', '*'), ('3', 'South', '*')]
    """
    placed = list(_placed(text, leader))
    ends = [
        place == len(placed) - 1 or placed[place + 1][0] <= depth for place, (depth, _) in enumerate(placed)
    ]
    deepest = max(depth for depth, _ in placed)
    above: list[str] = []
    rows: list[list[str]] = []
    for (depth, code), end in zip(placed, ends, strict=True):
        above = [*above[:depth], code]
        if end:
            rows.append([code, *(above[min(there, depth)] for there in reversed(range(deepest)))])
    if len({row[-1] for row in rows}) > 1 or deepest == 0:
        top = TOP if TOP not in {code for _, code in placed} else "(all)"
        rows = [[*row, top] for row in rows]
    return [tuple(row) for row in rows]


def _placed(text: str, leader: str) -> Iterator[tuple[int, str]]:
    """Codes with how deep they are."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise PartitionError("The tree of codes is empty.", hint=_TREE_SHAPE)
    leader = leader or _leader([line for _, line in lines])
    known: set[str] = set()
    deepest = -1
    for number, line in lines:
        depth, code = 0, line
        while leader and code.startswith(leader):
            depth, code = depth + 1, code[len(leader) :]
        code = code.strip()
        if not code:
            raise PartitionError(f"Line {number} of the tree has no code.", hint=_TREE_SHAPE)
        if depth > deepest + 1:
            raise PartitionError(
                f"Line {number} of the tree is {counted(depth - deepest, 'level')} below the line before it.",
                hint=_TREE_SHAPE,
            )
        if code in known:
            raise PartitionError(
                f"Line {number} of the tree has a code that came before.", hint="Each code occurs once."
            )
        known.add(code)
        deepest = depth
        yield depth, code


def _leader(lines: Sequence[str]) -> str:
    """What stands before deeper codes: "@", or another sign that lines begin with, but not the first."""
    begun = [line[0] for line in lines[1:]]
    others = [sign for sign in begun if sign in OTHER_LEADERS and sign != lines[0][0]]
    return LEADER if LEADER in begun else next(iter(others), "")


def tree_text(rows: Sequence[Row], attribute: str) -> str:
    """A hierarchy as a tree of codes; its top is left out where others are below it: a total is implied.

    A group that has the name of a value, or of another group, is called by its level too: codes of a tree
    occur once.

    >>> print(tree_text([("1", "North", "*"), ("2", "North", "*"), ("3", "3", "*")], "region"), end="")
    North
    @1
    @2
    3
    """
    rows = [row for row in rows if row[0]]  # missing values are no code
    if rows and len({row[-1] for row in rows}) == 1:
        rows = [row[:-1] for row in rows]
    _refuse_signs(attribute, rows, re.compile(r"^[\s@]|\s$|[\r\n]"), "line breaks, @ before or blanks around")
    alone = [_sizes(rows, level) for level in range(len(rows[0]) if rows else 0)]
    tree: dict[tuple[int, str], Any] = {}
    for row in rows:
        itself = 0
        while itself + 1 < len(row) and row[itself + 1] == row[0] and alone[itself + 1][row[0]] == 1:
            itself += 1
        node = tree
        for level in range(len(row) - 1, itself, -1):
            node = node.setdefault((level, row[level]), {})
        node[0, row[0]] = {}
    lines = list(_lines(tree, 0, {row[0] for row in rows}))
    if not any(depth for depth, _ in lines):  # without a leader a code that begins with a sign looks deeper
        lines = [(0, TOP), *((1, code) for _, code in lines)]
    return "".join(f"{LEADER * depth}{code}\n" for depth, code in lines)


def _sizes(rows: Sequence[Row], level: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        found[row[level]] = found.get(row[level], 0) + 1
    return found


def _lines(tree: Mapping[tuple[int, str], Any], depth: int, used: set[str]) -> Iterator[tuple[int, str]]:
    for (level, name), below in tree.items():
        code = name
        while level and code in used:
            code = f"{code} (level {level})"
        used.add(code)
        yield depth, code
        yield from _lines(below, depth + 1, used)


def recoding_rows(text: str, values: Sequence[str]) -> list[Row]:
    """The values of a table, each with the new code that a recoding gives it.

    What the recoding does not name stays as it is. Lines about missing codes and lists of codes are left out.

    >>> recoding_rows("1: -20\\n2: 21-30,35\\n<MISSING> 8 9", ["19", "21", "35", "40"])
    [('19', '1'), ('21', '2'), ('35', '2'), ('40', '40')]
    """
    given: dict[str, tuple[str, int]] = {}
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    asked = [(number, line) for number, line in lines if line and not line.startswith("<")]
    numbers = {value: as_number(value) for value in values if value}
    if not asked:
        raise PartitionError("The recoding has no line with a new code.", hint=_RECODING_SHAPE)
    for number, line in asked:
        code, colon, listed = line.partition(":")
        if not colon or not code.strip() or not listed.strip():
            raise PartitionError(f"Line {number} of the recoding cannot be read.", hint=_RECODING_SHAPE)
        for part in listed.split(","):
            for value in _matching(part.strip(), numbers):
                if value in given and given[value][0] != code.strip():
                    raise PartitionError(
                        f"Lines {given[value][1]} and {number} of the recoding give one value two codes.",
                        hint="Ranges must not overlap.",
                    )
                given[value] = code.strip(), number
    fresh = {code for code, _ in given.values()}
    if any(value not in given and value in fresh for value in values):
        raise PartitionError(
            "A new code of the recoding is a value that it does not name, and would be mixed with it.",
            hint="Name that value too, or choose another code.",
        )
    return [(value, given[value][0] if value in given else value) for value in values]


def _matching(part: str, numbers: Mapping[str, float]) -> list[str]:
    """The values that a part names: a code, or a range of numbers or texts; a missing end is open."""
    ends = _RANGE.fullmatch(part)
    if part in numbers or ends is None or not any(ends.groups()):
        same = as_number(part)
        return [value for value, number in numbers.items() if value == part or number == same]
    low, high = ends.groups()
    least = as_number(low) if low else -math.inf
    most = as_number(high) if high else math.inf
    if least != least or most != most:
        return [value for value in numbers if (not low or value >= low) and (not high or value <= high)]
    return [value for value, number in numbers.items() if least <= number <= most]


def recoding_text(rows: Sequence[Row], level: int, attribute: str) -> str:
    """One level of a hierarchy as a recoding.

    >>> print(recoding_text([("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")], 1, "x"), end="")
    low: 1,2
    high: 3
    """
    rows = [(row[0], row[level]) for row in rows if row[0]]
    _refuse_signs(attribute, rows, re.compile(r"^\s|\s$|[\r\n,:<-]"), "a comma, a colon or a hyphen in them")
    groups: dict[str, list[str]] = {}
    for value, name in rows:
        groups.setdefault(name, []).append(value)
    return "".join(f"{name}: {','.join(values)}\n" for name, values in groups.items())


def _refuse_signs(attribute: str, rows: Sequence[Row], signs: re.Pattern[str], words: str) -> None:
    found = {cell for row in rows for cell in row if not cell or signs.search(cell)}
    if found:
        raise PartitionError(
            f"The hierarchy of '{attribute}' cannot be written in this form: {counted(len(found), 'code')} "
            f"with {words}.",
            hint="Rename the groups, or write it in the form of ARX.",
        )
