"""The document of a comparison: releases beside their original."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.attacks import AttackEntry, AttackSummary
from divulge.documents.audit import PopulationEntry
from divulge.documents.fields import CheckEntry, Count, Headed, PolicyEntry, Share, ShowsValues
from divulge.documents.provenance import MethodsEntry, ProvenanceEntry
from divulge.documents.regulators import ReleaseRegulatorsEntry
from divulge.documents.utility import LossEntry, MinedEntry, NeedEntry


class TargetReadings(TypedDict):
    """What all quasi-identifiers together reveal about one sensitive attribute."""

    discrimination_rate: float | None
    itpr: float | None
    distinct_l_diversity: int | None
    t_closeness: float | None
    adjusted: Annotated[float | None, "discrimination rate beyond chance"]
    t_closeness_compared_with: str | None
    t_closeness_undefined: NotRequired[Annotated[str, "why there is no t-closeness"]]
    undefined: NotRequired[Annotated[dict[str, str], "why a reading is null, by its name"]]


class ReleaseReadings(TypedDict):
    """What all quasi-identifiers together reveal."""

    k: int | None
    uniqueness: Share | None
    average_risk: float | None
    discrimination_rate: float | None
    itpr: float | None
    targets: Annotated[dict[str, TargetReadings], "by sensitive attribute"]
    undefined: NotRequired[Annotated[dict[str, str], "why a reading is null, by its name"]]


class OriginalEntry(TypedDict):
    """The original."""

    name: str
    records: Annotated[Count, "a bound where a release has all but a few of them"]
    attributes: Annotated[int, "number of attributes"]
    quasi_identifiers: list[str]
    sensitive: list[str]
    roles: Literal["given", "proposed"]
    population: PopulationEntry | None
    readings: ReleaseReadings


class NoticeEntry(TypedDict):
    """Something to know before reading on."""

    release: Annotated[str | None, "null where it is about the original"]
    kind: Literal["roles", "population", "matching", "by", "order", "suppressed", "changed"]
    text: str


class ColumnEntry(TypedDict):
    """An attribute and its counterpart."""

    original: str
    released: str


class OrderEntry(TypedDict):
    """How well rows fit each other in their order."""

    in_order: Share
    shuffled: Annotated[float, "how well shuffled rows fit"]
    best: Annotated[Share, "how well the best matching fits"]
    columns: Annotated[int, "columns that were compared"]
    supported: Annotated[bool, "whether rows may be taken to be in the same order"]


class AlignmentEntry(TypedDict):
    """Which columns and records are the same ([what is aligned](comparison.md#what-is-aligned))."""

    how: str
    aligned: Annotated[Count | None, "records; null where records are not aligned"]
    columns: list[ColumnEntry]
    notes: list[str]
    by: Annotated[list[str], "attributes named to match records"]
    order: OrderEntry | None


class PlaceEntry(TypedDict):
    """Where a release is in the chart of risk against utility."""

    risk: float | None
    utility: float | None
    risk_undefined: Annotated[str | None, "why there is no risk"]
    utility_undefined: Annotated[str | None, "why there is no utility"]


class ReleaseEntry(TypedDict):
    """One release."""

    name: str
    records: int
    lacking: Annotated[str | None, "why nothing could be read"]
    alignment: AlignmentEntry
    changed: Annotated[str | None, "that values were changed or made up, in words"]
    exchanged: NotRequired[Annotated[str | None, "that sensitive values were changed, in words"]]
    readings: ReleaseReadings | None
    attacks: list[AttackEntry]
    summary: AttackSummary
    loss: LossEntry
    mining: Annotated[list[MinedEntry] | None, "null without `--mining`"]
    needs: list[NeedEntry]
    checks: list[CheckEntry]
    score: PlaceEntry


class AxesEntry(TypedDict):
    """What the axes of risk and utility are."""

    risk: str
    utility: str


class AllowedEntry(TypedDict):
    """The bound of the policy on the axis of risk."""

    risk: float


class ChangeEntry(TypedDict):
    """One reading, side by side."""

    measure: str
    what: Annotated[str, "title of the measure"]
    target: Annotated[str | None, "null for re-identification"]
    riskier: Literal["higher", "lower"]
    original: Annotated[Share | None, "a bound only where it is the share of unique records"]
    releases: Annotated[list[Share | None], "in the order of `releases`"]
    risk: Annotated[list[Literal["higher", "lower", "same", "not comparable"]], "beside the original"]


class RecommendationEntry(TypedDict):
    """The release to prefer."""

    release: Annotated[str | None, "null where none passes its checks, or none is better"]
    sentences: list[str]


class ComparisonDocument(Headed[Literal["divulge comparison"]]):
    """`divulge compare --json` and `Comparison.to_dict()` ([comparison](comparison.md))."""

    seed: Annotated[int, "seed of the shuffles"]
    shows_values: ShowsValues
    original: OriginalEntry
    notices: list[NoticeEntry]
    releases: list[ReleaseEntry]
    policy: PolicyEntry | None
    axes: AxesEntry
    allowed: Annotated[AllowedEntry | None, "null where the policy sets no bound"]
    changes: list[ChangeEntry]
    recommendation: RecommendationEntry
    regulators: NotRequired[Annotated[list[ReleaseRegulatorsEntry], "one for each release"]]
    methods: NotRequired[MethodsEntry]
    provenance: NotRequired[ProvenanceEntry]
