"""What the numbers of a published table are, where nobody said so: counts, or sums of a value."""

from __future__ import annotations

from divulge.errors import ParameterError
from divulge.tabulation.layout.files import MEAN_OF
from divulge.tabulation.layout.published_files import PublishedTable

MEANS = "Means do not add up, so a table of them alone is not attacked."
GIVE_RECORDS = "Give the records as well, and --mean."
COUNTS = {
    "n", "no", "number", "count", "counts", "freq", "frequency", "records", "people", "persons",
    "cases", "obs", "observations", "anzahl", "personen", "fälle", "häufigkeit", "nombre", "effectif",
}  # fmt: skip


def statistic_of(table: PublishedTable) -> str:
    """Counts where their column is called so; refused where the numbers may be counts or sums."""
    column = table.column
    if column is not None and column.startswith(MEAN_OF):
        return "mean"
    if column is not None and column.casefold() in COUNTS:
        return "count"
    if column is None:
        if table.whole:
            return "count"
        raise ParameterError(
            "Some numbers of the published table are no whole numbers, or below 0, so they are no counts of "
            "people.",
            hint="Give --sum for sums, or --count for weighted counts.",
        )
    if table.whole:
        raise ParameterError(
            f"Whether the numbers of '{column}' in the published table are counts or sums is not said.",
            hint="Give --count for counts, or --sum for sums.",
        )
    return "sum"
