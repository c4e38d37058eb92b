"""Tables of a few attributes, read from tables of several."""

import numpy as np
import pytest

from divulge.assessment.people import cell_blocks
from divulge.assessment.people.cell_blocks import CellBlocks
from divulge.engines.memory.cell_tables import cell_table
from divulge.table.codes import Codes

ROWS, WIDE = 3000, {"a": 2, "b": 3, "c": 5, "d": 7, "x": 4, "y": 2}
ASKED = [
    ["a", "x"],
    ["c", "x"],
    ["b", "a", "x"],
    ["d", "y"],
    ["a", "c", "y"],
    ["c", "d", "x"],
    ["b", "d", "y"],
]


@pytest.mark.parametrize("times", [None, "given"])
@pytest.mark.parametrize("cells", [1, 100, 1 << 20])
def test_every_table_is_as_if_it_was_filled_for_itself(cells, times, monkeypatch):
    monkeypatch.setattr(cell_blocks, "CELLS", cells)
    monkeypatch.setattr(cell_blocks, "HELD", 3)
    rng = np.random.default_rng(cells)
    columns = {
        name: Codes(rng.integers(0, many, ROWS).astype(np.uint8), range(many - 1))
        for name, many in WIDE.items()
    }
    often = None if times is None else rng.integers(1, 9, ROWS)
    held = CellBlocks(columns.__getitem__, ROWS, often)
    for names in ASKED:
        alone = cell_table([columns[name] for name in names], often)
        assert held.table(names, WIDE).tolist() == alone.tolist()
    assert len(held._blocks) <= 3


def test_what_is_asked_together_is_counted_together(monkeypatch):
    filled = []
    fill = cell_table
    monkeypatch.setattr(cell_blocks, "cell_table", lambda *given: filled.append(given) or fill(*given))
    rng = np.random.default_rng(1)
    columns = {
        name: Codes(rng.integers(0, many, ROWS * 8).astype(np.uint8), range(many - 1))
        for name, many in WIDE.items()
    }
    held = CellBlocks(columns.__getitem__, ROWS * 8, None)
    for names in ASKED:
        held.table(names, WIDE)
    assert len(filled) == 1  # all 1,680 cells, of 24,000 rows
