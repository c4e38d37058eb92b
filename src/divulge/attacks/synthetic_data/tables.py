"""Originals, synthetic records and a control group, with what an attack needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.attacks.record_linkage.coordinates import common_points
from divulge.attacks.synthetic_data.units import in_one_unit
from divulge.errors import SchemaError
from divulge.questions.data import Data

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AttackTables:
    """The originals, what was made from them, and others like the originals, by attributes of all three."""

    original: Data
    synthetic: Data
    control: Data
    attributes: tuple[str, ...]
    rescaled: tuple[str, ...] = ()  # of these, numbers that were in another unit in what was made

    @classmethod
    def of(
        cls, original: Data, synthetic: Data, control: Data, chosen: Sequence[str] | None = None
    ) -> AttackTables:
        """By the attributes that all three have, or some of them; identifiers are left out.

        Numbers of another unit are read in that of the original.
        """
        shared = [
            name
            for name in (original.schema.attributes if chosen is None else chosen)
            if name in synthetic.schema.attributes
            and name in control.schema.attributes
            and name not in original.schema.identifiers
        ]
        if not shared:
            raise SchemaError(
                "The three tables have no attribute in common.",
                hint="Give the control group with the attributes of the original.",
            )
        synthetic, rescaled = in_one_unit(original, synthetic, control, shared)
        return cls(original, synthetic, control, tuple(shared), tuple(rescaled))

    def points(self, names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Original, synthetic and control records as points, on the scale of the synthetic ones."""
        called = {name: name for name in names}
        tables = [(table, called) for table in (self.synthetic, self.original, self.control)]
        [synthetic, original, control], _ = common_points(tables, names)
        return original, synthetic, control
