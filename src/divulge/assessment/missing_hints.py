"""Missing values: how many records have some, and hints at values that probably mean missing too."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from divulge._support.wording import enumerated, records
from divulge.assessment.findings import Hint, Profile
from divulge.assessment.scope import Scope
from divulge.questions.data import Data
from divulge.roles.missing_codes import MissingCode, declarable, missing_codes
from divulge.table.codes import MISSING
from divulge.table.schema import Role

# In what is learned about a sensitive attribute:
NEVER_NEWS = "It does not count as a value that can be learned. "
NEWS = "A number counts as a value that can be learned until it is declared missing. "


def with_missing(scope: Scope) -> int | None:
    """How many records miss a quasi-identifier or a sensitive value; None where that is not counted here."""
    data = scope.at_hand
    asked = [*scope.keys, *scope.sensitive]
    if data is None:
        known = [scope.data.records - scope.data.summary(name).present for name in asked]
        return None if any(known) else 0
    missing = np.zeros(data.source.records, bool)
    for name in asked:
        missing |= data.column(name).codes == MISSING
    return int(missing.sum() if data.times is None else data.times[missing].sum())


def missing_hints(data: Data, profiles: Sequence[Profile]) -> list[Hint]:
    """One for each attribute that has such values; identifiers are not looked at."""
    looked_at = [one.name for one in profiles if one.role != Role.IDENTIFIER.value and one.values > 1]
    grouped = groupby(missing_codes(data, looked_at), key=lambda one: one.attribute)
    asked = {one.name for one in profiles if one.role == Role.SENSITIVE.value}
    return [_hint(name, list(codes), data.records, name in asked) for name, codes in grouped]


def _hint(name: str, codes: Sequence[MissingCode], of: int, sensitive: bool) -> Hint:
    concerned = sum(one.records for one in codes)
    many = records(concerned, of=of)
    named = enumerated([f'"{one.text}"' for one in codes])
    counts = (NEWS if any(one.number for one in codes) else NEVER_NEWS) if sensitive else ""
    said = f"{name}: {many} have {named}, {_why(codes)}. {counts}{_how(codes)}"
    return Hint("missing code", name, len(codes), concerned, said)


def _why(codes: Sequence[MissingCode]) -> str:
    if all(one.number for one in codes):
        return "far from all other numbers, as codes for missing are"
    return "which usually mean missing" if len(codes) > 1 else "which usually means missing"


def _how(codes: Sequence[MissingCode]) -> str:
    """The option and the line of a policy, or why there is none."""
    texts = declarable(codes)
    if not texts:
        also = enumerated(codes[0].ordinary)
        return f"If so, make these cells empty: --missing-value would count it as missing in {also} too."
    option = " ".join(f"--missing-value {shlex.quote(text)}" for text in texts)
    listed = ", ".join(f'"{text}"' for text in texts)
    return f"To count it as missing in all attributes: {option}, or in a policy missing_values = [{listed}]."
