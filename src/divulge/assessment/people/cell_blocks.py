"""How often values of a few attributes occur together, read from tables of several that are filled once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from threading import Lock

from divulge.counting.counts import Integers
from divulge.engines.memory.cell_tables import cell_table, summed
from divulge.table.codes import Codes

CELLS = 1 << 20  # of a table of several attributes
ROWS_PER_CELL = 8  # from which on it pays to fill one
HELD = 24  # tables that are held on to


class CellBlocks:
    """Tables of the attributes of some rows. Each has several of them, and gives those of any of these.

    To look through the rows takes longer than to sum up a table, and what is asked of one pair of
    attributes is asked of the next pair as well.
    """

    def __init__(self, column: Callable[[str], Codes], rows: int, times: Integers | None) -> None:
        """``times`` says how many records each row stands for."""
        self._column, self._times = column, times
        self._room = min(CELLS, rows // ROWS_PER_CELL)
        self._blocks, self._lock = dict[tuple[str, ...], Integers](), Lock()

    def table(self, names: Sequence[str], beside: Iterable[str]) -> Integers:
        """How many records have each combination of codes, the last attribute's next to each other.

        Those ``beside`` may be asked for together with the names later, the most likely first.
        """
        with self._lock:
            able = [block for block in self._blocks if {*names} <= {*block}]
            block = min(able, key=lambda one: self._blocks[one].size) if able else self._filled(names, beside)
            table = self._blocks[block]
        others = [place for place, name in enumerate(block) if name not in names]
        left = [name for name in block if name in names]
        return summed(table, others).transpose([left.index(name) for name in names]).ravel()

    def _filled(self, names: Sequence[str], beside: Iterable[str]) -> tuple[str, ...]:
        """Fill a table of some attributes, and of those beside them for which there is room."""
        block, cells = list(names), math.prod(self._column(name).cardinality for name in names)
        for name in beside:
            more = cells * self._column(name).cardinality
            if name not in block and more <= self._room and not self._together(name, names):
                block.append(name)
                cells = more
        columns = [self._column(name) for name in block]
        filled = cell_table(columns, self._times).reshape([one.cardinality for one in columns])
        if len(self._blocks) >= HELD:
            del self._blocks[next(iter(self._blocks))]
        self._blocks[tuple(block)] = filled
        return tuple(block)

    def _together(self, name: str, others: Sequence[str]) -> bool:
        """Whether there are tables of an attribute with each of the others."""
        return all(any({name, other} <= {*block} for block in self._blocks) for other in others)
