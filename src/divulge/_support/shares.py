"""How spread out shares are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def entropy(weights: npt.NDArray[Any]) -> float:
    """The Shannon entropy, in bits, of shares in the proportion of weights; what weighs nothing is left out.

    >>> entropy(np.array([2, 1, 1, 0])), entropy(np.array([7]))
    (1.5, 0.0)
    """
    some = weights[weights > 0]
    p = some / some.sum()
    return 0.0 if len(p) == 1 else float(-(p * np.log2(p)).sum())
