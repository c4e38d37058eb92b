"""Adult as the thesis has it, or a made-up census in its place, and releases of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from divulge.anonymization import anonymize
from divulge.api import measure
from divulge.errors import ParameterError
from divulge.policy import Policy
from divulge.questions.data import read
from divulge.reproduction.experiment import Claim, Conditions, Findings
from divulge.reproduction.thesis.adult.limits import claims_by_limit
from divulge.reproduction.thesis.adult.made_up_census import made_up, made_up_hierarchies
from divulge.table.hierarchy import Hierarchy

RECORDS = 30_161  # ARX's Adult but for its first record, as if its first line had been taken for a header
FEWER = 3_000  # of a made-up census in small
NEEDS = "adult.csv of ARX and its hierarchies adult_hierarchy_age.csv and so on"
STANDS_IN = (
    "A made-up census with the attributes of Adult stands in, and printed numbers are not compared with it. "
    "--data FOLDER takes ARX's adult.csv and its hierarchies instead."
)
Columns = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Census:
    """People with their attributes, and a hierarchy for each attribute."""

    columns: Columns
    hierarchies: Mapping[str, Hierarchy]
    made_up: bool

    def findings(
        self,
        found: Findings,
        claims: Sequence[Claim] = (),
        at_limit: Callable[[float], Sequence[Claim]] | None = None,
    ) -> Findings:
        """What was found, with claims about Adult; nothing is compared with a made-up census.

        Claims that depend on how many records may be suppressed are tried for several limits.
        """
        if not self.made_up:
            others = [] if at_limit is None else [claims_by_limit(at_limit)]
            return replace(found, claims=[*found.claims, *claims], tables=[*found.tables, *others])
        numbers = [
            replace(one, printed=None, why="" if one.ours is not None else one.why) for one in found.numbers
        ]
        return replace(
            found,
            numbers=numbers,
            figures=[replace(one, title=f"{one.title} (made-up census)") for one in found.figures],
            tables=[replace(one, title=f"{one.title} (made-up census)") for one in found.tables],
            notes=[STANDS_IN, *found.notes],
        )

    def with_ages_by_80(self) -> Census:
        """The census with ages that are recoded to below 80 and 80 or more, as section 6.6 says."""
        lines = [(str(age), "< 80" if age < 80 else "≥ 80", "*") for age in range(1, 101)]
        ages = Hierarchy.of(lines, attribute="age")
        return replace(self, hierarchies={**self.hierarchies, "age": ages})


def census(conditions: Conditions) -> Census:
    """Adult from the folder that was given, or else a made-up census."""
    if conditions.data is None:
        records = RECORDS if conditions.full else FEWER
        return Census(made_up(records, conditions.seed), made_up_hierarchies(), made_up=True)
    return adult(conditions.data)


def adult(folder: Path) -> Census:
    """The 30,161 records of the thesis: ARX's Adult without its first one."""
    data = read(_found(folder, "adult.csv"))
    columns = {}
    for name in data.schema.attributes:
        column = data.column(name)
        columns[name] = [str(column.values[code - 1]) for code in column.codes[1:].tolist()]
    trees = {
        name: Hierarchy.read(_found(folder, f"adult_hierarchy_{name}.csv"), attribute=name)
        for name in columns
    }
    return Census(columns, trees, made_up=False)


def released(
    people: Census,
    keys: Sequence[str],
    sensitive: str,
    thresholds: Mapping[str, Any],
    *,
    suppress: float,
    leave_out: bool = False,
) -> tuple[Columns, Mapping[str, int]]:
    """The release of least loss, rows in order, and the level of each key's hierarchy."""
    attributes: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": people.hierarchies[name]} for name in keys
    }
    attributes[sensitive] = {"role": "sensitive", "hierarchy": people.hierarchies[sensitive]}
    policy = Policy.of({"attributes": attributes, "thresholds": thresholds})
    columns = {name: people.columns[name] for name in (*keys, sensitive)}
    found = anonymize(columns, policy, suppress=suppress, leave_out=leave_out, keep_order=True)
    table = found.application.table
    return {
        name: [str(table.column(name).values[code - 1]) for code in table.column(name).codes.tolist()]
        for name in table.attributes
    }, found.best.levels


def rate(
    columns: Columns, key: str, target: str, domains: Mapping[str, Sequence[str]] | None = None
) -> float:
    """The discrimination rate of an attribute; a suppressed cell is a value like any other."""
    reading = measure(
        {name: columns[name] for name in (key, target)},
        "discrimination_rate",
        keys=[key],
        target=target,
        partitions=None if domains is None else {target: domains},
        suppressed=None,
    )
    return round(reading.value or 0.0, 12)  # what is recoded to nothing has a rate of 0, not of 2e-16


def rates_by_value(columns: Columns, key: str, target: str) -> dict[str, float]:
    """The discrimination rate of each value of an attribute."""
    reading = measure(columns, "discrimination_rate", keys=[key], target=target, suppressed=None)
    return {str(one.key[key]): one.value for one in reading.by_value if one.value is not None}


def _found(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise ParameterError(f"There is no {name} in {folder}.", hint=f"Give a folder with {NEEDS}.")
    return folder / name
