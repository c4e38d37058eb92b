"""Who is unique, and whose record can be linked: the documents of ``divulge uniqueness`` and ``link``."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, HiddenCount, Share, ShowsValues, WhyUndefined

Links = Annotated[float | HiddenCount, "links that are right, as many as are to be expected"]


class SampleEntry(TypedDict):
    """The table itself."""

    groups: Annotated[int, "combinations of values that occur"]
    k: Annotated[int, "people in the smallest group"]
    unique: Annotated[Count, "people who are alone with their values"]
    share: Annotated[Share, "their share"]
    in_pairs: NotRequired[Annotated[Count, "people who share their values with one other"]]


class ModelEntry(TypedDict):
    """How many people of the population are unique, by one model."""

    uniques: float | None
    undefined: WhyUndefined
    interval: Annotated[None, "no interval of these models holds what it promises; see `spread`"]
    parameters: dict[str, float]
    note: str | None


class ModelSpreadEntry(TypedDict):
    """What models say, from the least to the largest."""

    least: float
    largest: float


class KnownPopulationEntry(TypedDict):
    """What a table of the whole population says."""

    unique: Annotated[Count, "records whose person is unique in the population"]
    unique_in_population: NotRequired[Annotated[Count, "people who are unique there, in the table or not"]]
    k_map: Annotated[int, "people of the population in the smallest group that the table has"]
    delta_presence: Annotated[ModelSpreadEntry, "share of a group's people who are in the table"]


class BracketEntry(TypedDict):
    """A number and the ends between which it lies."""

    value: float | None
    interval: list[float]
    method: str


class PeopleBelowEntry(BracketEntry):
    """People of the table who share their values with fewer than `k` people of the population."""

    k: int
    undefined: Annotated[str | None, "why the model gives no number"]


class EstimatedPresenceEntry(TypedDict):
    """What a sample says of the people who are like those in the table."""

    k_map: Annotated[BracketEntry, "fewest people of the population like someone in the table"]
    delta_presence: Annotated[BracketEntry, "largest share of a group's people who are in the table"]
    people_below: Annotated[list[PeopleBelowEntry], "for k = 2, 3, 5 and 10; ends in tens"]


class ModelRiskEntry(TypedDict):
    """What a model says of the chance to name the person of a record."""

    method: str
    expected: Annotated[float, "people named if all are guessed"]
    average: float
    largest: float
    expected_by_household: NotRequired[Annotated[float, "the same through anyone of the household"]]


class PersonRiskEntry(TypedDict):
    """The chance to name the person of a record."""

    method: Annotated[str, "how `expected`, or else `interval`, was found"]
    expected: Annotated[float | None, "people named if all are guessed; null where only its ends are known"]
    interval: NotRequired[Annotated[list[float], "ends between which that lies, where it is estimated"]]
    average: float | None
    largest: float | None
    undefined: NotRequired[Annotated[str | None, "why there is no number"]]
    model: NotRequired[Annotated[ModelRiskEntry, "what a model says; it can be far below the interval"]]
    expected_by_household: NotRequired[Annotated[float, "the same through anyone of the household"]]


class ValueContributionEntry(TypedDict):
    """What one value contributes to the scores of special uniques."""

    attribute: str
    value: Annotated[str | None, "only if values are shown"]
    share: Annotated[float | None, "of all scores; null where so few records would be told"]
    records: Count


class SpecialEntry(TypedDict):
    """Records that few attributes make unique."""

    largest: Annotated[int, "attributes of the largest sets that were searched"]
    scores: NotRequired[Annotated[Literal["published", "scaled"], "how sets are weighed"]]
    records: Annotated[Count, "records with a score"]
    unscored: NotRequired[
        Annotated[Count, "unique records without a score, since larger sets were not searched"]
    ]
    undefined: NotRequired[Annotated[str | None, "why sums, shares or the largest DIS score are null"]]
    score_sum: Annotated[float | None, "null where it would tell how few"]
    score_max: float | None
    dis_max: Annotated[float | None, "the largest chance that a match with a unique record is right"]
    by_attribute: Annotated[dict[str, float | None], "share of all scores that sets with the attribute have"]
    by_size: Annotated[
        dict[str, list[Count | None]],
        "records with a minimal set of 1, 2, ... attributes with this one; null where few have any",
    ]
    by_value: list[ValueContributionEntry]
    more_values: Annotated[int, "values not listed"]


class UniquenessFields(TypedDict):
    """What is known of who is unique."""

    keys: list[str]
    counted: Annotated[Count, "records that entered"]
    population_size: Annotated[float | None, "people the table was drawn from; null where nobody said"]
    fraction: Annotated[float | None, "the share of them in the table"]
    sample: SampleEntry
    population: Annotated[dict[str, ModelEntry], "by model; empty where the population is not known"]
    spread: ModelSpreadEntry | None
    known: Annotated[KnownPopulationEntry | None, "null without a table of the population"]
    estimated: NotRequired[
        Annotated[
            EstimatedPresenceEntry | None,
            "the same by estimate; null with a table of the population, or where nothing is known of it",
        ]
    ]
    match: Annotated[
        BracketEntry | None,
        "the chance that a match with a unique record is right; null where not known",
    ]
    average_risk: Annotated[
        BracketEntry | None, "everyone's average risk in the population; null where known or not to be told"
    ]
    risk: PersonRiskEntry
    special: Annotated[SpecialEntry | None, "null where it was not asked for"]


class UniquenessDocument(Headed[Literal["divulge uniqueness"]], UniquenessFields):
    """`divulge uniqueness --json`."""

    source: str
    records: int
    shows_values: ShowsValues


DeclaredBy = Annotated[
    Literal["size", "fraction", "weights", "table"] | None,
    "what says what the table is a sample of; null where nothing does",
]


class BeyondTableEntry(UniquenessFields):
    """People beyond the table: what is known of the population that it is a sample of."""

    declared: DeclaredBy
    undefined: Annotated[str | None, "why special uniques were not searched"]


class UnknownBeyondEntry(TypedDict):
    """The same where nothing could be counted."""

    declared: DeclaredBy
    undefined: Annotated[str, "why"]


class LinkedTablesEntry(TypedDict):
    """How many records the tables have."""

    original: int
    released: int


class DistanceLinkageEntry(TypedDict):
    """Each released record linked to the nearest original one; ties are shared."""

    undefined: WhyUndefined
    of: NotRequired[Annotated[int, "released records whose original is known"]]
    linked: NotRequired[Links]
    linked_second: NotRequired[Annotated[float | HiddenCount, "those whose original is second nearest"]]
    not_linked: NotRequired[Annotated[Count, "those whose original is further away"]]
    share: NotRequired[Annotated[Share, "of released records that are linked to their original"]]
    chance: NotRequired[Annotated[float, "the same by guessing at random"]]
    equal_to_an_original: NotRequired[
        Annotated[Share, "released records with the values of some original record"]
    ]


class IntervalChanceEntry(TypedDict):
    """What intervals hold of original values that are linked at random."""

    inside: Annotated[dict[str, float], "by attribute"]
    all: Annotated[float, "on all numbers at once"]


class IntervalDisclosureEntry(TypedDict):
    """Original values in an interval around the released ones."""

    undefined: WhyUndefined
    width: NotRequired[Annotated[float, "a share of all records by rank, or standard deviations"]]
    by: NotRequired[Literal["rank", "deviation"]]
    inside: NotRequired[Annotated[dict[str, Share], "by attribute"]]
    all: NotRequired[Annotated[Share, "on all numbers at once"]]
    chance: NotRequired[IntervalChanceEntry]


class LinkageCurveEntry(TypedDict):
    """What comes of linking every pair from a weight on."""

    weight: float
    precision: float
    recall: float


class ProbabilisticLinkageEntry(TypedDict):
    """Fellegi and Sunter's linkage over all pairs."""

    undefined: WhyUndefined
    pairs: NotRequired[float]
    m: NotRequired[Annotated[dict[str, float], "agreement of records that belong together"]]
    u: NotRequired[Annotated[dict[str, float], "agreement of all pairs"]]
    rounds: NotRequired[int]
    caution: NotRequired[Annotated[str, "why the model is or may be far from the truth; or empty"]]
    expected_links: NotRequired[Annotated[float, "pairs with a chance of 0.9 or more, weighed by it"]]
    linked_pairs: NotRequired[Annotated[float, "pairs with a chance of 0.9 or more"]]
    clerical: NotRequired[Annotated[float, "pairs between 0.5 and 0.9, to be looked at by a person"]]
    of: NotRequired[int]
    linked: NotRequired[Links]
    share: NotRequired[Share]
    chance: NotRequired[float]
    curve: NotRequired[list[LinkageCurveEntry]]


class OneToOneEntry(TypedDict):
    """Every record linked at most once, at the least sum of squares; alike records share links."""

    undefined: WhyUndefined
    of: NotRequired[Annotated[int, "released records whose original is known"]]
    share: NotRequired[Annotated[Share, "of them that are linked to their original"]]
    chance: NotRequired[Annotated[float, "the same by guessing at random"]]
    seed: NotRequired[Annotated[int, "of the order of rows, which decides among equally good links"]]


class FuzzyLevelEntry(TypedDict):
    """How often pairs are on a level of agreement; null where no pair is."""

    attribute: str
    level: Annotated[str, "equal, 1 letter, 2 letters or different"]
    m: Annotated[float | None, "records that belong together"]
    u: Annotated[float | None, "any pair"]


class FuzzyLinkageEntry(TypedDict):
    """Names and other texts with typing errors, through Splink."""

    undefined: WhyUndefined
    attributes: Annotated[dict[str, str], "compared with typing errors, or equal"]
    engine: Annotated[str, "DuckDB or Spark"]
    blocking: NotRequired[Annotated[list[str], "what pairs agree on that are compared"]]
    pairs: NotRequired[Annotated[int, "pairs that were compared"]]
    all_pairs: NotRequired[float]
    rounds: NotRequired[Annotated[int, "of training"]]
    levels: NotRequired[list[FuzzyLevelEntry]]
    expected_links: NotRequired[Annotated[float, "pairs with a chance of 0.9 or more, weighed by it"]]
    linked_pairs: NotRequired[Annotated[float, "pairs with a chance of 0.9 or more"]]
    clerical: NotRequired[Annotated[float, "pairs between 0.5 and 0.9, to be looked at by a person"]]
    of: NotRequired[Annotated[int, "released records whose original is known"]]
    compared: NotRequired[Annotated[Share, "of them that were compared with their original"]]
    share: NotRequired[Annotated[Share, "of them whose pair of highest weight is right"]]
    chance: NotRequired[Annotated[float, "the same by guessing at random"]]
    curve: NotRequired[Annotated[list[LinkageCurveEntry], "weights are Splink's: log2 of the odds"]]


class PartitionLinkageEntry(TypedDict):
    """Groups of both tables that correspond by their order."""

    by: Annotated[str, "rank: groups of equal size; clusters: by k-means"]
    kept: Annotated[Share, "of people who are in corresponding groups"]
    kept_chance: Annotated[float, "the same at random"]
    adjusted_rand: Annotated[float, "agreement of the partitions: 0 by chance, 1 where they are the same"]
    share: Annotated[Share, "of people who are found by guessing within the corresponding group"]


class StructureLinkageEntry(TypedDict):
    """Tables without common attributes, linked by what both imply about the order of people."""

    original: Annotated[list[str], "attributes of the original"]
    released: Annotated[list[str], "attributes of the release"]
    groups: int
    undefined: WhyUndefined
    of: NotRequired[Annotated[int, "released records whose original is known"]]
    rank_correlation: NotRequired[Annotated[float | None, "of the two orders (Spearman)"]]
    chance: NotRequired[Annotated[float, "to find a person by guessing at random"]]
    partitions: NotRequired[list[PartitionLinkageEntry]]


class LinkedInferenceEntry(TypedDict):
    """What links tell about a sensitive attribute."""

    target: str
    discrimination_rate: NotRequired[float | None]
    chance: NotRequired[float | None]
    undefined: WhyUndefined


class SuccessRateEntry(TypedDict):
    """The middle and half the width of Wilson's interval."""

    value: float
    error: float


class SyntheticAttackEntry(TypedDict):
    """An attack on synthetic data beside the same on people who were not used."""

    attack: str
    undefined: WhyUndefined
    attacks: NotRequired[Annotated[int, "how many were made"]]
    risk: NotRequired[Annotated[float | None, "what is left beyond the control group"]]
    interval: NotRequired[Annotated[list[float] | None, "95 %"]]
    success: NotRequired[SuccessRateEntry | None]
    control: NotRequired[SuccessRateEntry | None]
    guess: NotRequired[Annotated[SuccessRateEntry | None, "looking at nothing"]]
    equal: NotRequired[Annotated[Share, "synthetic records that are an original record"]]
    rescaled: NotRequired[Annotated[list[str], "numbers in another unit, read in that of the original"]]


class LinkageDocument(Headed[Literal["divulge linkage"]]):
    """`divulge link --json`."""

    original: str
    released: str
    records: LinkedTablesEntry
    aligned: Annotated[str, "how records are known to belong together"]
    keys: Annotated[dict[str, str], "attributes linked by, and what each was taken for"]
    distance: DistanceLinkageEntry
    interval: Annotated[IntervalDisclosureEntry | None, "null without numbers or without known originals"]
    probabilistic: ProbabilisticLinkageEntry
    inference: list[LinkedInferenceEntry]
    one_to_one: NotRequired[Annotated[OneToOneEntry, "where it was asked for"]]
    fuzzy: NotRequired[Annotated[FuzzyLinkageEntry, "where attributes were named"]]
    structure: NotRequired[Annotated[StructureLinkageEntry, "where attributes were named"]]
    synthetic: NotRequired[Annotated[list[SyntheticAttackEntry], "where a control group is given"]]
    notes: list[str]
