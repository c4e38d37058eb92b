"""Sets of people alike: numbered and counted the same however many codes there could be."""

from unittest.mock import patch

import numpy as np

from divulge.assessment.people import people
from divulge.assessment.people.people import CodedRows
from divulge.engines.memory.engine import MemoryEngine
from divulge.questions.data import Data
from divulge.source.base import Columns
from divulge.table.codes import Codes
from divulge.table.schema import Schema


def test_codes_that_do_not_occur_take_no_room_and_change_no_set():
    rng = np.random.default_rng(3)
    columns = {
        name: Codes(rng.choice([3, 50, 180], 40).astype(np.uint8), range(200))
        for name in ("a", "b", "c", "t")
    }
    source = Columns("made", tuple("abct"), 40, columns.__getitem__)
    roles = Schema(source.attributes, (), ("a", "b", "c"), ("t",))
    found = []
    for many in (1, 1000):
        rows = CodedRows(Data(MemoryEngine(source, np.full(40, 2)), roles), {})
        with patch.object(people, "MANY", many):
            numbers, bound = rows.sets(("a", "b", "c"))
        assert bound <= (27 if many == 1 else 40)
        by_code = rows.by_code(numbers, bound, "t", slice(None))
        table = rows.table(numbers, bound, columns["t"].codes, columns["t"].cardinality, slice(None))
        for name in ("size", "times", "owner", "value", "count", "having"):
            assert getattr(by_code, name).tolist() == getattr(table, name).tolist(), name
        found.append(np.unique(numbers, return_inverse=True)[1].tolist())
    assert found[0] == found[1]
