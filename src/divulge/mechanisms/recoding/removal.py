"""Attributes left out."""

from __future__ import annotations

from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import RECODING_LAWS, Step, by_table, record_by_record
from divulge.mechanisms.working_table import WorkingTable


@by_table(
    name="remove",
    title="Attribute removal",
    random=False,
    takes="any values",
    alone=record_by_record,
    laws=RECODING_LAWS,
    example="a table of name, age and disease without name: age and disease",
    reference="sondeck2017thesis",
)
def remove(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Leave attributes out of the release, as names and numbers that name people have to be."""
    if len(step.attributes) == len(table.attributes):
        raise step.error("attributes", "nothing would be left of the table.", "Keep one attribute.")
    return table.without(step.attributes)
