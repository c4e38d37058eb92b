"""A table of counts under differential privacy."""

from __future__ import annotations

import numpy as np

from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.synthesis.domains import DOMAINS, check_cells, private_codes
from divulge.mechanisms.synthesis.private_noise import noisy_counts
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes, narrow

EPSILON = Parameter(
    "epsilon",
    "number",
    "How much one person may change the odds of any release, as a factor e^epsilon.",
    least=0,
    open=True,
    example="1",
)


@by_table(
    name="private_counts",
    title="Counts under differential privacy",
    random=True,
    seeded=False,
    takes="few values",
    keeps_rows=False,
    parameters=(
        EPSILON,
        DOMAINS,
        Parameter("count_name", "text", "Attribute that the counts are written to.", "count"),
        Parameter("nonnegative", "flag", "Counts below 0 are written as 0.", True),
    ),
    promises=lambda step: (Promise("epsilon", step["epsilon"], ", ".join(step.attributes)),),
    promise="epsilon: differential privacy for the presence of one record",
    example="12 people and epsilon = 1: 12 and a whole number from a two-sided geometric distribution",
    reference="dwork2006",
)
def private_counts(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Count every combination of values and add noise: a row for each combination, also those nobody has.

    The domains have to be public. Values outside of them are counted as 'other'. Noise is discrete Laplace
    from OpenDP, and no seed repeats it. A person with several records has as many times the epsilon.
    """
    if step["count_name"] in step.attributes:
        raise step.error("count_name", "an attribute is called that already.", "Choose another name.")
    held = [private_codes(table, name, step) for name in step.attributes]
    sizes = [len(values) for _, values in held]
    cells = check_cells(sizes, step)
    place = np.ravel_multi_index([codes for codes, _ in held], sizes)
    noisy, _ = noisy_counts(np.bincount(place, minlength=cells).tolist(), step["epsilon"])
    counts = np.maximum(noisy, 0) if step["nonnegative"] else np.asarray(noisy)
    columns = {}
    for name, codes, (_, values) in zip(
        step.attributes, np.unravel_index(np.arange(cells), sizes), held, strict=True
    ):
        columns[name] = Codes(narrow(codes + 1, len(values)), values)
    found, inverse = np.unique(counts, return_inverse=True)
    columns[step["count_name"]] = Codes(narrow(inverse + 1, len(found)), found.tolist())
    return WorkingTable(columns, None, table.mark)
