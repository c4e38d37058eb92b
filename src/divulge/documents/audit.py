"""The document of an audit: every report is made from it."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.combinations import CombinationsEntry
from divulge.documents.fields import CheckEntry, Count, Headed, Outcome, PolicyEntry, ShowsValues
from divulge.documents.people import BeyondTableEntry, UnknownBeyondEntry
from divulge.documents.profile import ProfileEntry
from divulge.documents.provenance import MethodsEntry, ProvenanceEntry
from divulge.documents.readings import RateEntry, ReadingEntry
from divulge.documents.regulators import RegulatorsEntry


class PopulationEntry(TypedDict):
    """What the table is a sample of."""

    size: Annotated[int | None, "people in the population"]
    weight: Annotated[str | None, "attribute with the weights of records"]
    fraction: Annotated[float | None, "sampled fraction"]
    source: NotRequired[Annotated[str | None, "name of the table of the population"]]
    household: NotRequired[Annotated[str | None, "attribute that people of one household share"]]


class SourceEntry(TypedDict):
    """The table."""

    name: str
    records: int
    counted: Annotated[Count, "records that entered the readings"]
    suppressed: Annotated[Count, "records left out because all quasi-identifiers are suppressed"]
    dropped: Annotated[Count, "records left out for missing values"]
    people: Annotated[Count, "values of the identifier, or records"]
    missing: Literal["value", "drop", "wildcard"]
    with_missing: Annotated[
        Count | None, "records that miss a quasi-identifier or a sensitive value; null where not counted"
    ]
    weights: Annotated[str | None, "attribute with the weights of records"]
    population: PopulationEntry | None
    compared_with: Annotated[str, "the table that t-closeness compares groups with"]


class AttributeEntry(TypedDict):
    """An attribute in a few counts."""

    name: str
    role: Literal["identifier", "quasi-identifier", "sensitive", "other"]
    reasons: Annotated[list[str], "why the role was suggested; empty where roles were given"]
    values: Annotated[int, "different values"]
    missing: Annotated[Count, "records without a value"]
    lone: Annotated[Count, "values that one record has"]
    identifier_class: Annotated[str | None, "kind of identifier for re-identification"]


class RolesEntry(TypedDict):
    """The roles of attributes."""

    proposed: Annotated[bool, "whether they were suggested, because none were given"]
    explicit: Annotated[str, "the command that gives these roles"]
    attributes: list[AttributeEntry]


class VerdictEntry(TypedDict):
    """What follows from the checks."""

    outcome: Outcome
    headline: str
    sentences: list[str]
    thresholds: Annotated[Literal["policy", "usual"], "`usual`: the default checks"]


class NumberEntry(TypedDict):
    """One of the five numbers on top of the report."""

    name: str
    title: str
    value: float | None
    text: Annotated[str, "the value as the report prints it"]
    meaning: str


class KeyEntry(TypedDict):
    """What one attribute reveals alone."""

    key: str
    role: str
    classes: Annotated[int, "different values, missing being one"]
    identifier_class: str | None
    discrimination_rate: RateEntry
    itpr: RateEntry


class TogetherEntry(TypedDict):
    """What all quasi-identifiers reveal together."""

    keys: list[str]
    classes: Annotated[int, "combinations of values that occur"]
    identifier_class: str | None
    readings: list[ReadingEntry]


class TargetEntry(TypedDict):
    """What attributes reveal about re-identification or about one sensitive attribute."""

    target: Annotated[str, "`@record` or a sensitive attribute"]
    title: str
    entropy: Annotated[float, "in bits"]
    undefined: Annotated[str | None, "why there is no reading"]
    keys: list[KeyEntry]
    together: TogetherEntry


class RiskBinEntry(TypedDict):
    """Records with about the same re-identification risk."""

    label: str
    low: float
    high: float | None
    records: Count
    share: float | None


class SizeBinEntry(RiskBinEntry):
    """Groups of about the same number of people."""

    classes: Annotated[int | None, "groups; null where it would reveal a hidden count"]


class HomogeneousEntry(TypedDict):
    """Groups of two or more records with a single value of a sensitive attribute."""

    target: str
    classes: int
    records: Count
    share: float | None


class ValueLineEntry(TypedDict):
    """How risky one value of an attribute is."""

    label: Annotated[str, "the value itself only if values are shown"]
    records: Count
    discrimination_rate: Annotated[float | None, "null where it would reveal a hidden count"]
    itpr: Annotated[float | None, "null where it would reveal a hidden count"]
    share_of_top: Annotated[
        float | None,
        "largest share of one target value; null for `@record` and where it would reveal a hidden count",
    ]


class ValuesEntry(TypedDict):
    """The riskiest values of one attribute."""

    attribute: str
    target: str
    lines: list[ValueLineEntry]


class ClassEntry(TypedDict):
    """One of the ten smallest groups."""

    label: str
    key: Annotated[dict[str, str | float | bool | None] | None, "its values, if values are shown"]
    records: Count


class DriverEntry(TypedDict):
    """Something that drives the risk."""

    kind: Literal["attribute", "class", "combination", "proxy", "value"]
    keys: list[str]
    target: str
    records: Count | None
    sentence: str


class StateEntry(TypedDict):
    """Readings before or after a change; after one to few records, to fewer digits, or null."""

    k: int
    uniqueness: Annotated[float | None, "null where it would reveal a hidden count"]
    average_risk: float | None
    discrimination_rate: float | None
    targets: Annotated[dict[str, float | None], "discrimination rate of each sensitive attribute"]


class HelpEntry(TypedDict):
    """A change that would help ([what would help](audit.md#what-would-help))."""

    action: Annotated[
        Literal[
            "records",
            "cells",
            "generalize",
            "bands",
            "equal groups",
            "dates",
            "prefix",
            "rare values",
            "suppress",
        ],
        "`records` left out, `cells` suppressed, `rare values` merged, `suppress`: the attribute left out",
    ]
    mechanism: Annotated[str, "of a recipe, which does this ([mechanisms](mechanisms.md))"]
    attribute: Annotated[str | None, "null where it is about records or several attributes"]
    level: Annotated[int | None, "level of the hierarchy"]
    detail: Annotated[float | str | None, "width of bands, number of groups, period, or characters kept"]
    change: Annotated[str, "in words"]
    sentence: str
    before: StateEntry
    after: StateEntry
    failing: Annotated[int, "checks that would not pass"]
    matters: Annotated[bool, "whether more checks pass, or a reading would differ as printed"]
    loss: Annotated[float, "share of the information in the quasi-identifiers that is lost"]
    bits_lost: Annotated[float, "the same in bits per record"]
    records_lost: Annotated[Count, "records left out"]
    records_changed: Annotated[Count | None, "records left out or with a suppressed cell"]


class PlanEntry(TypedDict):
    """Several changes together."""

    sentence: str
    failing: Annotated[int, "checks that would not pass"]
    loss: Annotated[float, "share of the information in the quasi-identifiers that is lost"]
    combinations: Annotated[int, "combinations of levels among which it was searched"]
    proved: Annotated[bool, "whether none of them that passes loses less"]
    steps: Annotated[list[HelpEntry], "each after those before it"]


class WarningEntry(TypedDict):
    """Something that a release should not overlook."""

    kind: str
    attributes: list[str]
    sentence: str


class HintEntry(TypedDict):
    """Something that looks like an error in the data."""

    kind: str
    attribute: str
    values: Count
    records: Count
    sentence: str


class AuditDocument(Headed[Literal["divulge audit"]]):
    """`divulge audit --json`, `divulge check --json` and `Assessment.to_dict()`."""

    seed: Annotated[int, "seed of the shuffles"]
    shows_values: ShowsValues
    source: SourceEntry
    roles: RolesEntry
    policy: PolicyEntry | None
    verdict: VerdictEntry
    checks: Annotated[list[CheckEntry], "one for each question, and each threshold and target"]
    numbers: list[NumberEntry]
    targets: Annotated[list[TargetEntry], "`@record` and each sensitive attribute"]
    class_sizes: list[SizeBinEntry]
    record_risk: list[RiskBinEntry]
    homogeneous: Annotated[list[HomogeneousEntry], "one for each sensitive attribute"]
    values: Annotated[list[ValuesEntry], "the riskiest values of the worst attributes"]
    classes: Annotated[list[ClassEntry], "the ten smallest groups"]
    combinations: Annotated[
        CombinationsEntry | None, "the search over subsets; null where it was not done or has no rates"
    ]
    drivers: Annotated[list[DriverEntry], "what matters most first"]
    helps: Annotated[list[HelpEntry], "at most 20 single changes, the best first"]
    plan: PlanEntry | None
    not_tried: Annotated[list[str], "changes that were not tried, in sentences"]
    warnings: list[WarningEntry]
    hints: list[HintEntry]
    profile: NotRequired[Annotated[list[ProfileEntry], "every attribute"]]
    people_beyond_table: NotRequired[BeyondTableEntry | UnknownBeyondEntry]
    regulators: NotRequired[RegulatorsEntry]
    methods: NotRequired[MethodsEntry]
    provenance: NotRequired[ProvenanceEntry]
