"""How many classes there are of each size, and how many people the table was drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many
from divulge.errors import ParameterError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SizeCounts:
    """The sizes of classes that occur, how many classes have each, and the size of the population."""

    sizes: Integers
    classes: Integers
    population: float

    @classmethod
    def of(cls, class_sizes: npt.NDArray[Any], population: float) -> SizeCounts:
        """From the size of every class."""
        sizes, classes = np.unique(np.asarray(class_sizes, np.int64), return_counts=True)
        return cls(sizes, classes.astype(np.int64), population)

    def __post_init__(self) -> None:
        if self.population < self.records:
            raise ParameterError(
                f"The population is {many(int(self.population))} people, "
                f"and the table has {many(self.records)}.",
                hint="Give how many people the table was drawn from.",
            )

    @property
    def records(self) -> int:
        return int((self.sizes * self.classes).sum())

    @property
    def occupied(self) -> int:
        """Classes that occur."""
        return int(self.classes.sum())

    @property
    def fraction(self) -> float:
        """The share of the population that is in the table."""
        return self.records / self.population

    def of_size(self, size: int) -> int:
        """How many classes have a size."""
        return int(self.classes[self.sizes == size].sum())
