"""A release in columns of fixed width, at the places that the layout of the original says."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.csv_lines import spelled
from divulge.source.formats.layout import LayoutColumn, read_layout
from divulge.table.codes import Codes


def write(table: WorkingTable, path: Path, layout: str | None) -> None:
    """Write the table; an attribute that was removed leaves blanks, so that all others keep their places."""
    if layout is None:
        raise SourceError(
            f"{path.name} would be a file of fixed width, and no layout says where its columns are.",
            hint="Give the layout of the data by --layout FILE.rda, or write CSV.",
        )
    found = read_layout(Path(layout).expanduser())
    placed = {one.name: one for one in found.columns}
    for name in table.attributes:
        if name not in placed:
            raise SourceError(
                f"The layout has no place for the attribute '{name}'.", hint="Write CSV or Parquet instead."
            )
    if found.separator is not None:
        raise SourceError(
            "The layout is one of values with a separator, not of fixed width.", hint="Write CSV instead."
        )
    fields = [(placed[name], _texts(name, column, placed[name])) for name, column in table.columns.items()]
    fields.sort(key=lambda pair: pair[0].first)
    codes = [table.columns[one.name].codes.tolist() for one, _ in fields]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in zip(*codes, strict=True):
            line = ""
            for (place, texts), code in zip(fields, row, strict=True):
                line = line.ljust(place.first) + texts[code].ljust(place.length)
            file.write(line.ljust(found.width) + "\n")


def _texts(name: str, column: Codes, place: LayoutColumn) -> list[str]:
    """The text of each code, missing first: one of the codes for missing, or blanks."""
    texts = [min(place.missing, default=""), *map(spelled, column.values)]
    longest = max(len(texts[code]) for code in column.used().tolist())
    if longest > place.length or any("\n" in one or "\r" in one for one in texts):
        raise SourceError(
            f"'{name}' has released values of {longest} characters, and the layout has room for "
            f"{place.length} on one line.",
            hint="Write CSV or Parquet instead.",
        )
    return texts
