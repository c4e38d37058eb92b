"""Combinations of values replaced as a file lists them: what a local recoding is applied with."""

from __future__ import annotations

from divulge._support.wording import some
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Step, by_table, record_by_record
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes


@by_table(
    name="recode_combinations",
    title="Recoding of combinations",
    random=False,
    takes="any values",
    parameters=(
        Parameter(
            "mapping",
            "mapping",
            "A CSV file with the attributes, and each again as 'released' and its name.",
            example='"mapping.csv"',
            secret=True,
        ),
    ),
    alone=record_by_record,
    laws=frozenset({MechanismLaw.ORDER, MechanismLaw.RECORDS}),
    example="47677 and 29 become 476** and 29, while 47677 and 61 become 47677 and 60-69",
    reference="lefevre2006",
)
def recode_combinations(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Replace the values of several attributes together, each combination as a file lists it.

    The same value may be released in different ways beside different others (local recoding). A combination
    that the file does not list is refused.
    """
    mapping: CombinationMapping = step["mapping"]
    if mapping.attributes != step.attributes:
        raise step.error(
            "attributes", "the file has other attributes.", "Name those of the file, in its order."
        )
    found = table.classes(step.attributes)
    columns = [table.column(name) for name in step.attributes]
    values = [one.values_of(one.codes[found.first]) for one in columns]
    texts = list(zip(*([_text(value) for value in one] for one in values), strict=True))
    unlisted = sum(row not in mapping.rows for row in texts)
    if unlisted:
        raise step.error(
            "mapping",
            f"it does not list {some(unlisted, 'combination')} of values in the table.",
            "Search again on this table.",
        )
    released = {}
    for place, name in enumerate(step.attributes):
        now = [mapping.rows[row][place] for row in texts]
        same = [
            value if _text(value) == text else text or None
            for value, text in zip(values[place], now, strict=True)
        ]
        short = Codes.of(same)
        released[name] = Codes(short.codes[found.number], short.values)
    return table.with_columns(released)


def _text(value: object) -> str:
    return "" if value is None else str(value)
