"""Whether records look copied where they stay: how often each of them occurs is counted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge.assessment.people.copies import COMMON, TELLS_APART, LookCopied, Numbers, by_repetition
from divulge.counting.counts import RECORD, Counts
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.table.schema import Schema

NEARLY = 0.9  # the share of groups that are equally large, or one larger, where keys tell copies apart


def look_copied_there(data: Data, groups: Counts | None) -> LookCopied | None:
    """What :func:`~divulge.assessment.people.copies.look_copied` says, where there is no row for each record.

    ``groups`` are those alike on all keys, which were counted before. Copies of all records make them a
    multiple as large; all attributes are counted together only where they are.
    """
    schema = data.schema
    brought = data.times is not None or not set(schema.attributes) <= set(data.source.attributes)
    if schema.identifiers or brought or (groups is not None and not _may_be_copied(groups)):
        return None
    if any(2 * data.summary(name).distinct > data.records for name in schema.attributes):
        return None

    def told_by_keys(distinct: int) -> bool:
        keys = schema.quasi_identifiers
        rest = [name for name in schema.attributes if name not in keys]
        varied = bool(rest) and int(repeated(data, rest)[0].max()) < COMMON * data.records
        return varied and data.distinct(keys) >= TELLS_APART * distinct

    return by_repetition(*repeated(data, schema.attributes), told_by_keys)


def _may_be_copied(groups: Counts) -> bool:
    """Whether groups are as large as copies make them: a multiple of some number, or nearly all alike."""
    sizes, often = _sizes(groups)
    if 2 * int(often.sum()) > int((sizes * often).sum()):
        return False
    alike = int(often[sizes <= sizes.min() + 1].sum())
    return int(np.gcd.reduce(sizes)) > 1 or alike >= NEARLY * int(often.sum())


def repeated(data: Data, attributes: Sequence[str]) -> tuple[Numbers, Numbers]:
    """How often records occur that are alike in some attributes, and how many do so."""
    plain = replace(data, missing="value", suppressed=None, weights=None)
    return _sizes(Question(plain, tuple(attributes), (RECORD,)).counts)


def without_roles(data: Data) -> Data:
    """The data without roles, of which every record counts."""
    return data.with_roles(Schema(data.schema.attributes))


def _sizes(counts: Counts) -> tuple[Numbers, Numbers]:
    times = counts.multiplicity
    return counts.members, np.ones(len(counts.members), np.int64) if times is None else times
