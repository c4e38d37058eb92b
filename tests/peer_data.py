"""Tables that peers were run on, which are not part of the project."""

from pathlib import Path

import numpy as np
import pytest


def sdcmicro_table(name):
    """One of sdcMicro's numeric tables, from a folder shared/data/sdcmicro above the tests."""
    for folder in Path(__file__).parents:
        path = folder / "shared" / "data" / "sdcmicro" / f"{name}.csv"
        if path.exists():
            return np.genfromtxt(path, delimiter=",", skip_header=1)
    pytest.skip(f"The table {name}.csv of sdcMicro is not in a folder shared/data/sdcmicro above the tests.")
