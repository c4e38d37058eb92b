"""Write the pages of all papers for the documentation: docs/_gallery/PAPER.html.

python scripts/write_gallery.py [--small]
"""

from __future__ import annotations

import sys
from pathlib import Path

from divulge.report.saving import save
from divulge.reproduction.document import reproduced
from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import MODULES, experiments

GALLERY = Path(__file__).parents[1] / "docs" / "_gallery"


def write(*, full: bool) -> None:
    """A page for each paper, with every experiment that needs no data from elsewhere."""
    GALLERY.mkdir(exist_ok=True)
    for name in MODULES:
        chosen = [one for one in experiments(name) if not one.needs]
        save(reproduced(chosen, Conditions(full=full)), GALLERY / f"{name}.html")


if __name__ == "__main__":
    write(full="--small" not in sys.argv[1:])
