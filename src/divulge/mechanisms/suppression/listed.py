"""Records left out and cells suppressed as a file lists them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from divulge.errors import counted
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable, rows_checksum

LEAVE_OUT, SUPPRESS = "leave out", "suppress"
HEADER = ("record", "action", "attribute")


@by_table(
    name="listed_changes",
    title="Listed records and cells",
    random=False,
    takes="records",
    names_attributes=False,
    parameters=(
        Parameter(
            "records",
            "file",
            "A CSV file with the columns record, action and attribute, as audit --plan-records writes it.",
            example='"plan.csv"',
            secret=True,
        ),
        Parameter(
            "checksum",
            "text",
            "Of the rows that the file is about, as audit --write-recipe writes it; others are refused.",
            None,
            secret=True,
        ),
    ),
    laws=frozenset({MechanismLaw.IDEMPOTENT}),
    example="a line '7,leave out,' leaves out the seventh record of the original",
    reference="sondeck2017thesis",
)
def listed_changes(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Leave out records, or suppress single cells, as a file lists them by their number in the original."""
    if table.rows is None:
        raise step.error(None, "the records are no longer those of the original.", "Move this step up.")
    rows = table.rows
    if step["checksum"] is not None and step["checksum"] != rows_checksum(table.original or {}):
        raise step.error(
            "checksum",
            "the file lists rows of another table, or of this one in another order.",
            "Make the recipe from the same table again: divulge audit FILE --write-recipe.",
        )
    leaving, starred = _read(step["records"], step)
    numbers = [*leaving, *(number for one in starred.values() for number in one)]
    if numbers and not 1 <= min(numbers) <= max(numbers) <= table.originals:
        raise step.error(
            "records",
            "the file lists records that the original does not have, which are numbered from 1 "
            f"to {table.originals:,}.",
            "Make the file from the same table again.",
        )
    for attribute, numbers in starred.items():
        if attribute not in table.columns:
            raise step.error(
                "records", f"the file names '{attribute}', which is not in the table.", "Check the file."
            )
        table = table.starring(attribute, np.isin(rows, np.asarray(numbers) - 1))
    left = ~np.isin(rows, np.asarray(leaving, np.int64) - 1)
    if not left.any():
        raise step.error("records", "no record would be left.", "Check the file.")
    return table.taking(left)


def _read(path: Path, step: Step) -> tuple[list[int], dict[str, list[int]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *lines = csv.reader(file)
    except (OSError, ValueError, csv.Error) as error:
        raise step.error(
            "records", f"{path} cannot be read as CSV ({type(error).__name__}).", "Check the path."
        ) from None
    if tuple(header) != HEADER:
        raise step.error("records", f"{path} has other columns.", f"Its first line is {','.join(HEADER)}.")
    leaving, starred = list[int](), dict[str, list[int]]()
    wrong = 0
    for line in lines:
        match line:
            case [number, "leave out", ""] if number.isdigit():
                leaving.append(int(number))
            case [number, "suppress", attribute] if number.isdigit() and attribute:
                starred.setdefault(attribute, []).append(int(number))
            case _:
                wrong += 1
    if wrong:
        raise step.error(
            "records",
            f"{path} has {counted(wrong, 'line')} that say nothing to do.",
            "Write lines such as 7,leave out, or 7,suppress,age.",
        )
    return leaving, starred
