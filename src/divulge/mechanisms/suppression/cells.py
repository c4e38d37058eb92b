"""Single cells suppressed until every record has enough matches."""

from __future__ import annotations

import numpy as np

from divulge.errors import DivulgeError, counted
from divulge.mechanisms.algorithms.cell_suppression import suppressed_cells
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import in_canonical_order
from divulge.mechanisms.working_table import WorkingTable


@by_table(
    name="suppress_cells",
    title="Cell suppression",
    random=False,
    takes="any values",
    parameters=(
        Parameter("k", "whole number", "Fewest records that match each record.", least=2, example="3"),
        Parameter(
            "matching",
            "choice",
            "Whether a suppressed cell matches only suppressed cells, or any value.",
            "exact",
            choices=("exact", "wildcard"),
        ),
        Parameter("importance", "attributes", "Attributes to spare, the most important first.", None),
    ),
    laws=frozenset({MechanismLaw.ORDER, MechanismLaw.RECORDS}),
    promises=lambda step: (
        Promise(
            "k",
            step["k"],
            ", ".join(step.attributes)
            + (" if a suppressed cell matches any value" if step["matching"] == "wildcard" else ""),
        ),
    ),
    promise="k on its attributes, by the matching that was asked for",
    example="the only person of 90 in 47677 with k = 2 is shown as * in 47677, or as 90 in *",
    reference="sweeney2002",
)
def suppress_cells(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Suppress few cells so that every record matches at least k records on the attributes.

    No single cell could be put back. A mark that is in the data already is taken for a value. With exact
    matching a suppressed cell matches suppressed cells only, which is the stricter promise.
    """
    if step["k"] > table.records:
        few = counted(table.records, "record")
        raise step.error("k", f"k is {step['k']}, and the table has {few}.", "Take a smaller k.")
    columns = [in_canonical_order(table.column(name)) for name in step.attributes]
    keys = np.column_stack([one.codes.astype(np.int64) for one in columns])
    try:
        cells = suppressed_cells(
            keys,
            step["k"],
            wildcard=step["matching"] == "wildcard",
            importance=_importance(step),
            tie_order=table.classes(table.attributes).number,
        )
    except DivulgeError as error:
        raise step.error("k", error.message, error.hint or "") from None
    for place, name in enumerate(step.attributes):
        if cells[:, place].any():
            table = table.starring(name, cells[:, place])
    return table


def _importance(step: Step) -> list[int] | None:
    """The places of the attributes, the most important first; those that are not named come last."""
    if step["importance"] is None:
        return None
    for name in step["importance"]:
        if name not in step.attributes:
            raise step.error(
                "importance", f"'{name}' is none of the attributes of this step.", "Name those to spare."
            )
    named = [step.attributes.index(name) for name in step["importance"]]
    return [*named, *(place for place in range(len(step.attributes)) if place not in named)]
