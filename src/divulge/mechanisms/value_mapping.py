"""Combinations of values and what they are released as, in memory or as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from divulge.policy.place import PolicyPlace

RELEASED = "released "  # begins the name of a column of released values
_SHAPE = f"Its first line has the attributes, then each again with '{RELEASED.strip()}' before it."


@dataclass(frozen=True, eq=False)
class CombinationMapping:
    """For each combination of values, as texts, the values that are released; an empty text is missing."""

    attributes: tuple[str, ...]
    rows: Mapping[tuple[str, ...], tuple[str, ...]] = field(repr=False)

    def text(self) -> str:
        """As a CSV file."""
        to = io.StringIO()
        lines = csv.writer(to, lineterminator="\n")
        lines.writerow([*self.attributes, *(f"{RELEASED}{name}" for name in self.attributes)])
        lines.writerows([*before, *after] for before, after in sorted(self.rows.items()))
        return to.getvalue()

    @classmethod
    def read(cls, path: Path, place: PolicyPlace) -> CombinationMapping:
        """From a CSV file, refused with its place in the recipe."""
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                header, *lines = csv.reader(file)
        except (OSError, ValueError, csv.Error) as error:
            raise place.error(
                f"{path} cannot be read as CSV ({type(error).__name__}).", "Check the path."
            ) from None
        half = len(header) // 2
        names = tuple(header[:half])
        if not half or header[half:] != [f"{RELEASED}{name}" for name in names]:
            raise place.error(f"{path} has other columns.", _SHAPE)
        if any(len(line) != len(header) for line in lines):
            raise place.error(f"{path} has lines of another length than its first.", _SHAPE)
        return cls(names, {tuple(line[:half]): tuple(line[half:]) for line in lines})
