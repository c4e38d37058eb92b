"""Whether a control group is one: people like the originals, and none of these."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.attacks.synthetic_data.tables import AttackTables
from divulge.questions.data import Data
from divulge.table.packing import common_codes, packed

Integers = npt.NDArray[Any]
ERRORS = 5.0  # standard errors beyond the share of originals like another, from which on it is no chance
SOME = 0.02  # of the control group that are originals, from which on its figures are off
MOSTLY = 0.5  # of the originals that are alike in all attributes, from which on people may have several

ORIGINALS = (
    "the control group has records of the original: far more of them are alike in all attributes than "
    "records of other people would be, so nothing shows what the attack reaches for people who were not used"
)


def holds_originals(original: Data, control: Data) -> bool:
    """Whether far more control records are an original one than originals are another original one."""
    used, held = _numbered(original, control)
    twins = float(_repeated(used).mean())
    there = float(np.isin(held, used).mean())
    error = math.sqrt(max(twins * (1 - twins), 1 / len(used)) * (1 / len(used) + 1 / len(held)))
    return there - twins > max(SOME, ERRORS * error)


def rows_repeat(original: Data) -> bool:
    """Whether most records have others alike in all attributes: one person may have several."""
    used, _ = _numbered(original, original)
    return float(_repeated(used).mean()) >= MOSTLY


def unreadable(tables: AttackTables) -> list[str]:
    """Attributes whose synthetic values are none that anybody has: spelled otherwise, or in codes.

    Numbers are compared as numbers wherever they lie.
    """
    found = list[str]()
    for name in tables.attributes:
        people = {value for one in (tables.original, tables.control) for value in _values(one, name)}
        made = _values(tables.synthetic, name)
        texts = any(isinstance(value, str) for value in made | people)
        if texts and made and people and not {str(one) for one in made} & {str(one) for one in people}:
            found.append(name)
    return found


def _values(data: Data, name: str) -> set[object]:
    column = data.column(name)
    return set(column.values_of(np.unique(column.codes[column.codes > 0])))


def _numbered(one: Data, other: Data) -> tuple[Integers, Integers]:
    """Records of two tables, numbered alike where they are alike in all that both have."""
    names = [
        name
        for name in one.schema.attributes
        if name in other.schema.attributes and name not in one.schema.identifiers
    ]
    pairs = [common_codes(one.column(name), other.column(name)) for name in names]
    rows = one.records + other.records
    words = packed([(np.concatenate(pair), size) for *pair, size in pairs], rows)
    return words[: one.records], words[one.records :]


def _repeated(words: Integers) -> npt.NDArray[np.bool_]:
    _, place, often = np.unique(words, return_inverse=True, return_counts=True)
    return np.asarray(often[place] > 1, np.bool_)
