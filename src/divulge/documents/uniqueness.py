"""Who is unique: the document of ``divulge uniqueness``."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, Share, ShowsValues, WhyUndefined


class SampleEntry(TypedDict):
    """The table itself."""

    groups: Annotated[int, "combinations of values that occur"]
    k: Annotated[int, "people in the smallest group"]
    unique: Annotated[Count, "people who are alone with their values"]
    share: Annotated[Share, "their share"]
    in_pairs: Annotated[Count, "people who share their values with one other"]


class ModelEntry(TypedDict):
    """How many people of the population are unique, by one model."""

    uniques: float | None
    undefined: WhyUndefined
    interval: Annotated[None, "no interval of these models holds what it promises; see `spread`"]
    parameters: dict[str, float]
    note: str | None


class SpreadEntry(TypedDict):
    """What models say, from the least to the largest."""

    least: float
    largest: float


class KnownPopulationEntry(TypedDict):
    """What a table of the whole population says."""

    unique: Annotated[Count, "records whose person is unique in the population"]
    k_map: Annotated[int, "people of the population in the smallest group that the table has"]
    delta_presence: Annotated[SpreadEntry, "share of a group's people who are in the table"]


class BracketEntry(TypedDict):
    """A number and the ends between which it lies."""

    value: float | None
    interval: list[float]
    method: str


class PersonRiskEntry(TypedDict):
    """The chance to name the person of a record."""

    method: str
    expected: Annotated[float, "people named if all are guessed"]
    average: float
    largest: float
    average_in_population: BracketEntry | None
    expected_by_household: NotRequired[Annotated[float, "the same through anyone of the household"]]


class ValueContributionEntry(TypedDict):
    """What one value contributes to the scores of special uniques."""

    attribute: str
    value: Annotated[str | None, "only if values are shown"]
    share: Annotated[float, "of all scores"]
    records: Count


class SpecialEntry(TypedDict):
    """Records that few attributes make unique."""

    largest: Annotated[int, "attributes of the largest sets that were searched"]
    records: Annotated[Count, "records with a score"]
    score_sum: float
    score_max: float
    dis_max: Annotated[float, "the largest chance that a match with a unique record is right"]
    by_attribute: Annotated[dict[str, float], "share of all scores that sets with the attribute have"]
    by_value: list[ValueContributionEntry]
    more_values: Annotated[int, "values not listed"]


class UniquenessDocument(Headed[Literal["divulge uniqueness"]]):
    """`divulge uniqueness --json`."""

    source: str
    keys: list[str]
    records: int
    counted: Annotated[Count, "records that entered"]
    population_size: Annotated[float | None, "people the table was drawn from; null where nobody said"]
    fraction: Annotated[float | None, "the share of them in the table"]
    sample: SampleEntry
    population: Annotated[dict[str, ModelEntry], "by model; empty where the population is not known"]
    spread: SpreadEntry | None
    known: Annotated[KnownPopulationEntry | None, "null without a table of the population"]
    match: Annotated[BracketEntry | None, "the chance that a match with a unique record is right"]
    risk: PersonRiskEntry
    special: Annotated[SpecialEntry | None, "null where it was not asked for"]
    shows_values: ShowsValues
