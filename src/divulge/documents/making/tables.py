"""The document of ``divulge table``: cells at risk, how they are protected, and what attackers find."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Headed, Outcome, WhyUndefined

End = Annotated[
    float | None, "null where nothing bounds it, or it was not worked out (`not_worked_out` says which)"
]


class ShapeEntry(TypedDict):
    """One table."""

    name: str
    by: Annotated[list[str], "its attributes"]
    cells: Annotated[int, "cells, margins among them"]


class RiskyCellEntry(TypedDict):
    """A cell at risk."""

    cell: Annotated[dict[str, str], "its categories; an attribute that is left out is a total"]
    rules: Annotated[list[str], "the rules that it breaks"]


class GroupEntry(TypedDict):
    """A group all of whose people are in one category."""

    group: dict[str, str]
    attribute: Annotated[str, "what is learned of everybody in the group"]
    after: Annotated[bool, "whether the protected table still says so"]


class RecodingEntry(TypedDict):
    """What a coarser level of a dimension would do."""

    tables: Annotated[list[str], "the tables that have the attribute"]
    attribute: str
    level: int
    categories: int
    cells: int
    cells_at_risk: int


class JointEntry(TypedDict):
    """What one attribute of a two-way table of counts says of the other."""

    measure: str
    title: str
    table: str
    key: str
    target: str
    value: float | None
    undefined: WhyUndefined


class ContributorAttackEntry(TypedDict):
    """What somebody learns of a single contributor from a cell."""

    attack: Literal["external", "internal", "dominance"]
    cell: dict[str, str]
    who: Annotated[str, "who attacks"]
    about: Annotated[str, "whose amount"]
    lower: Annotated[float | None, "of the amount; null unless values are shown"]
    upper: float | None
    within: Annotated[
        float | None,
        "how far off the interval reaches, as a share; null where unbounded. Unless values are shown 0 "
        "(exactly), 0.1 (at most) or null (more)",
    ]
    lower_after: float | None
    upper_after: float | None
    within_after: Annotated[float | None, "the same from the protected tables"]


class ContributorAttackSummary(TypedDict):
    """How one attack fares on all cells."""

    attack: Literal["external", "internal", "dominance"]
    who: str
    about: str
    cells: Annotated[int, "cells that it was tried on"]
    exact: Annotated[int, "cells in which an amount is found exactly"]
    exact_after: int
    close: Annotated[int, "cells in which an amount is found to within 10 %"]
    close_after: int


class TableProtectionEntry(TypedDict):
    """How the tables are protected."""

    method: str
    search: Annotated[str | None, "exact or fast; null for methods without a search"]
    cost_by: str | None
    cells_at_risk: int
    suppressed_cells: int
    secondary_cells: Annotated[int, "suppressed though not at risk"]
    cost: Annotated[float | None, "what is suppressed; by value and count null unless values are shown"]
    bound: Annotated[float | None, "what no pattern can cost less than; likewise"]
    gap: Annotated[float | None, "by how much of its cost the pattern may be dearer than the cheapest"]
    optimal: Annotated[bool | None, "whether nothing cheaper protects the cells"]
    parameters: dict[str, float | str | list[float]]


class CellAuditEntry(TypedDict):
    """A cell as attackers find it."""

    cell: dict[str, str]
    status: Literal["primary", "secondary", "suppressed", "published"]
    lower: End
    upper: End
    not_worked_out: Annotated[bool, "whether an end was not worked out; otherwise null is infinite"]
    exact: Annotated[
        bool, "whether the very number is found; it is repeated here only where values may be shown"
    ]
    outcome: Annotated[Outcome | None, "null for a cell that is not at risk"]
    insiders: Annotated[list[dict[str, str]], "cells whose largest contributor comes too close"]


class TableAuditEntry(TypedDict):
    """The audit of the protected tables."""

    outcome: Outcome
    failed: Annotated[int, "cells at risk that an attacker comes too close to"]
    not_evaluated: Annotated[int, "cells at risk that were not audited"]
    cells: list[CellAuditEntry]
    not_listed: Annotated[int, "further cells, to keep the document short"]
    not_audited: Annotated[list[str], "what the audit does not cover"]


class TabulatedEntry(TypedDict):
    """Tables about one value, which attackers use together."""

    name: str
    value: Annotated[str | None, "null for counts"]
    statistic: Literal["count", "sum", "mean"]
    tables: list[ShapeEntry]
    cells: int
    sums: Annotated[int, "sums that tie the cells"]
    cells_by_rule: Annotated[dict[str, int], "cells that break each rule"]
    at_risk: list[RiskyCellEntry]
    groups: list[GroupEntry]
    recoding: list[RecodingEntry]
    joint: list[JointEntry]
    attacks: list[ContributorAttackSummary]
    attacked: list[ContributorAttackEntry]
    protection: TableProtectionEntry
    audit: TableAuditEntry
    notes: list[str]


class TableDocument(Headed[Literal["divulge table"]]):
    """`divulge table --json`. It says which cells are at risk: keep it with the data."""

    name: Annotated[str, "the data or the published table"]
    records: Annotated[int | None, "null for a table that was published"]
    policy: str
    rules: dict[str, float | str | list[float]]
    published: Annotated[bool, "whether a published table was read"]
    linked: list[TabulatedEntry]
    outcome: Outcome
    sentence: str
    shows_values: bool
