"""A dependency as a request describes it: the tests that hold it, and what observers expect of X."""

from __future__ import annotations

from typing import Any

from divulge.cli.requests.release import RulesRequest
from divulge.cli.tables import records_to_release
from divulge.questions.data import Data
from divulge.safe_release import Rules, occurrences
from divulge.table.partition_files import as_partitions


def rules_of(asked: RulesRequest, **more: Any) -> Rules:
    """The tests and how they are carried out."""
    return Rules.of(
        asked.tests or ["mis"],
        asked.alpha,
        degrees=asked.degrees,
        merging=asked.merging,
        samples=asked.samples,
        familywise=asked.familywise,
        **more,
    )


def table_of(asked: RulesRequest) -> Data:
    """The table to release from."""
    return records_to_release(asked.file, asked.source, asked.orders)


def expected_by_observers(asked: RulesRequest, x: tuple[str, ...]) -> dict[object, int] | None:
    """How many records of the baseline have each value of X; None where the table itself is the baseline."""
    if asked.baseline is None:
        return None
    groups = {name: group for name, group in as_partitions(asked.partitions).items() if name in x}
    return occurrences(records_to_release(asked.baseline, asked.source, asked.orders), x, groups)
