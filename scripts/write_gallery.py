"""Write the pages of all papers for the documentation: docs/_gallery/PAPER.html.

python scripts/write_gallery.py [--small] [--data FOLDER]

Without --data a made-up census takes the place of Adult.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from divulge.report.saving import save
from divulge.reproduction.document import reproduced
from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import MODULES, experiments

GALLERY = Path(__file__).parents[1] / "docs" / "_gallery"


def write(conditions: Conditions, folder: Path = GALLERY) -> None:
    """A page for each paper, with all its experiments."""
    folder.mkdir(exist_ok=True)
    for name in MODULES:
        page = folder / f"{name}.html"
        save(reproduced(experiments(name), conditions), page)
        print(page.name)


def asked() -> Conditions:
    """How the experiments are run, by the command line."""
    options = argparse.ArgumentParser(description="Write the pages of all papers for the documentation.")
    options.add_argument("--small", action="store_true", help="small versions, which take seconds")
    options.add_argument("--data", type=Path, help="a folder with ARX's adult.csv and its hierarchies")
    given = options.parse_args()
    return Conditions(full=not given.small, data=given.data)


if __name__ == "__main__":
    write(asked())
