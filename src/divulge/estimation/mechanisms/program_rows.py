"""The rows of a linear program over rules p(y|x), gathered entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.estimation.channels.probabilities import FloatArray
from divulge.limits.libraries import scipy

sparse = scipy("sparse")


class ProgramRows:
    """Rows over the rule, letter by letter with outputs running fastest, and an auxiliary one for each y."""

    def __init__(self, letters: int, outputs: int) -> None:
        self.letters = letters
        self.outputs = outputs
        self.height = 0
        self._entries: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], FloatArray]] = []

    def for_each_output(self, coefficients: FloatArray, auxiliary: float = 0.0) -> None:
        """Each row of coefficients over the letters, once for every output, and so much of its auxiliary."""
        which, letter = np.nonzero(coefficients)
        y = np.arange(self.outputs)
        values = np.repeat(coefficients[which, letter], self.outputs)
        self._add(
            (which[:, None] * self.outputs + y).ravel(), self._place(letter[:, None], y).ravel(), values
        )
        self._auxiliary(len(coefficients) * self.outputs, auxiliary)

    def for_output(self, coefficients: FloatArray, auxiliary: float) -> None:
        """One row for each output, with a column of coefficients over the letters of its own."""
        letter, y = np.nonzero(coefficients)
        self._add(y, self._place(letter, y), coefficients[letter, y])
        self._auxiliary(self.outputs, auxiliary)

    def for_each_cell(self, coefficient: float, auxiliary: float) -> None:
        """One row for each letter and output."""
        cells = np.arange(self.letters * self.outputs)
        self._add(cells, cells, np.full(len(cells), coefficient))
        self._auxiliary(len(cells), auxiliary)

    def over_all(self, coefficients: FloatArray) -> None:
        """One row over the whole rule."""
        cells = np.flatnonzero(coefficients)
        self._add(np.zeros_like(cells), cells, coefficients.ravel()[cells])
        self.height += 1

    def matrix(self) -> Any:
        """All rows so far."""
        row, column, value = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        shape = (self.height, (self.letters + 1) * self.outputs)
        return sparse.csr_array((value, (row, column)), shape=shape)

    def _place(self, letter: npt.NDArray[np.intp], output: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        return letter * self.outputs + output

    def _add(self, row: npt.NDArray[np.intp], column: npt.NDArray[np.intp], value: FloatArray) -> None:
        self._entries.append((row + self.height, column, value))

    def _auxiliary(self, rows: int, coefficient: float) -> None:
        """End a group of rows, outputs running fastest, each with the auxiliary variable of its output."""
        if coefficient:
            which = np.arange(rows)
            self._add(which, self.letters * self.outputs + which % self.outputs, np.full(rows, coefficient))
        self.height += rows
