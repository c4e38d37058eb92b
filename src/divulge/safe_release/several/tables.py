"""Records by their cells in several dependencies at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.errors import EmptySource, ParameterError
from divulge.questions.data import Data
from divulge.safe_release.domain import NOWHERE, Domain, HolderTable, tabulate
from divulge.table.partition import Partition

Dependency = tuple[tuple[str, ...], tuple[str, ...]]  # X and Y
ALL = "all"  # the one target of kinds of records


@dataclass(frozen=True, eq=False)
class JointTable(HolderTable):
    """Records of a table by kind: those in the same cell of every dependency. Its parts have their cells.

    A kind is a value of the domain: value and target of the first dependency, of the second, and so on.
    """

    parts: tuple[HolderTable, ...] = ()


def tabulate_all(
    data: Data, dependencies: Sequence[Dependency], partitions: Mapping[str, Partition]
) -> list[HolderTable]:
    """The cells of a table's records in each dependency, X and Y; each takes the partitions it needs."""
    used = {name for x, y in dependencies for name in (*x, *y)}
    idle = {name: one for name, one in partitions.items() if name not in used}  # refused with the first
    return [
        tabulate(data, x, y, {name: one for name, one in partitions.items() if name in (*x, *y)} | idle)
        for x, y in dependencies
    ]


def joint_table(parts: Sequence[HolderTable]) -> JointTable:
    """The kinds of a table's records, from their cells in each dependency.

    A record that one dependency leaves out, for a missing value, is of no kind.
    """
    codes = []
    for part in parts:
        if part.rows is None or part.columns is None:
            raise ParameterError("Several dependencies need tables that were read from records.")
        known = (part.rows >= 0) & (part.columns >= 0)
        codes.append(np.where(known, part.rows * part.domain.shape[1] + part.columns, NOWHERE))
    cells = np.stack(codes, axis=1)
    there = np.all(cells >= 0, axis=1)
    if not there.any():
        raise EmptySource("No record is left to release: all have missing values.")
    found, kinds, often = np.unique(cells[there], axis=0, return_inverse=True, return_counts=True)
    rows = np.full(len(cells), NOWHERE, np.int64)
    rows[there] = kinds.ravel()
    values = tuple(
        tuple(named for part, cell in zip(parts, kind, strict=True) for named in _named(part.domain, cell))
        for kind in found.tolist()
    )
    names = tuple(name for part in parts for name in (",".join(part.domain.x), ",".join(part.domain.y)))
    domain = Domain(names, (ALL,), values, (ALL,))
    columns = np.where(there, 0, NOWHERE)
    return JointTable(domain, often.reshape(-1, 1).astype(np.int64), rows, columns, tuple(parts))


def _named(domain: Domain, cell: int) -> tuple[object, object]:
    x, y = divmod(cell, domain.shape[1])
    return domain.values[x], domain.targets[y]
