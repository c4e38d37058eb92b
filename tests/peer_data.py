"""Tables that peers were run on, which are not part of the project."""

from pathlib import Path

import numpy as np
import pytest


def sdcmicro_table(name, *, names=None):
    """A numeric table of sdcMicro, by column where names are asked for, from a folder above the tests."""
    for folder in Path(__file__).parents:
        path = folder / "shared" / "data" / "sdcmicro" / f"{name}.csv"
        if path.exists():
            return np.genfromtxt(path, delimiter=",", names=names, skip_header=0 if names else 1)
    pytest.skip(f"The table {name}.csv of sdcMicro is not in a folder shared/data/sdcmicro above the tests.")


def arx_folder():
    """Where ARX's example is, in a folder above the tests; it is not part of the project."""
    for folder in Path(__file__).parents:
        if (folder / "shared" / "data" / "arx" / "adult.csv").exists():
            return folder / "shared" / "data" / "arx"
    pytest.skip("ARX's adult.csv is not in a folder shared/data/arx above the tests.")
