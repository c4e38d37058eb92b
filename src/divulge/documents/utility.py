"""What is left for analysts: the document of ``divulge compare --need``, and a comparison's part about it."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, Share, WhyUndefined


class NeedLineEntry(TypedDict):
    """How much one value of the keys gives."""

    label: Annotated[str, "the value itself only if values are shown"]
    records: Count
    utility: float | None
    chance: Annotated[float | None, "what as many random records would give"]
    adjusted: float | None


class NeedEntry(TypedDict):
    """How well data serve a need: 0 not at all, 1 where keys determine the target ([utility](utility.md))."""

    name: str
    keys: list[str]
    target: str
    utility: float | None
    chance: Annotated[float | None, "mean over unrelated data"]
    adjusted: Annotated[float | None, "beyond chance"]
    at_least: Annotated[float | None, "what the need requires"]
    enough: Annotated[bool | None, "null where nothing is required or found"]
    undefined: WhyUndefined
    records: int
    counted: Annotated[Count, "records that entered"]
    lines: list[NeedLineEntry]
    original: NotRequired[Annotated[float | None, "in a comparison: the utility of the original"]]


class UtilityTableEntry(TypedDict):
    """One table and its needs."""

    file: str
    needs: list[NeedEntry]


class UtilityDocument(Headed[Literal["divulge utility"]]):
    """`divulge compare --need --json`, where no release is given."""

    tables: list[UtilityTableEntry]


class MatrixLossEntry(TypedDict):
    """How far a matrix is from that of the original, cell by cell."""

    name: str
    title: str
    mean_squared_error: float | None
    mean_absolute_error: float | None
    mean_variation: Annotated[float | None, "relative to the original, cells of 0 left out"]
    zeros: Annotated[Count | None, "cells of 0 in the original"]
    undefined: WhyUndefined


class ContinuousLossEntry(TypedDict):
    """What numeric attributes lost, on aligned records."""

    attributes: list[str]
    records: Count
    left_out: Count
    measures: list[MatrixLossEntry]
    undefined: WhyUndefined


class CategoricalLossEntry(TypedDict):
    """What an attribute lost, record by record."""

    attribute: str
    kind: Literal["nominal", "ordinal"]
    changed: Annotated[Share | None, "mean distance of a value from the released one"]
    entropy_loss: Annotated[float | None, "in bits per record"]
    share_of_entropy: float | None
    share_beyond_chance: NotRequired[
        Annotated[float | None, "the loss once chance is taken off: 1 for an unrelated release"]
    ]
    undefined: WhyUndefined


class ContingencyEntry(TypedDict):
    """How far the shares of combinations of values have moved."""

    attributes: list[str]
    order: Annotated[int, "number of attributes"]
    distance: Annotated[Share, "0 not at all, 1 where none is shared"]


class DrawnShareEntry(TypedDict):
    """A value, or a range of numbers, in a picture of both distributions."""

    label: Annotated[str, "the value itself only if values are shown, else its rank in the original"]
    original: Annotated[float, "share of the original's records, rounded down to five records"]
    released: Annotated[float, "share of the release's records, rounded down to five records"]


class DistributionEntry(TypedDict):
    """Distances between the distributions of the original and the release."""

    attributes: list[str]
    total_variation: Share | None
    jensen_shannon: float | None
    hellinger: float | None
    earth_mover: float | None
    recoding_loss: Annotated[float | None, "in bits: what the released groups do not distinguish"]
    recoding_share: Annotated[float | None, "the same as a share"]
    undefined: WhyUndefined
    shares: NotRequired[
        Annotated[list[DrawnShareEntry], "both distributions as they are drawn; empty for two attributes"]
    ]


class CorrelationEntry(TypedDict):
    """The correlation of two numeric attributes, each table's by its own records that have both numbers."""

    attributes: list[str]
    original: float | None
    released: float | None
    difference: float | None
    undefined: WhyUndefined


class TotalEntry(TypedDict):
    """The sum of an attribute over the population as each table estimates it; missing numbers add nothing."""

    attribute: Annotated[str | None, "null for the number of people"]
    original: float
    standard_error: Annotated[
        float | None, "of sampling; null where nothing says what the table is drawn from"
    ]
    released: float | None
    relative_error: Annotated[float | None, "of the release, beside the original's estimate"]
    undefined: WhyUndefined


class LossEntry(TypedDict):
    """What a release lost of the original."""

    continuous: ContinuousLossEntry
    categorical: list[CategoricalLossEntry]
    contingency: list[ContingencyEntry]
    distributions: list[DistributionEntry]
    correlations: NotRequired[
        Annotated[list[CorrelationEntry], "of all pairs of the first 16 numeric attributes"]
    ]
    totals: NotRequired[Annotated[list[TotalEntry], "the number of people first"]]


class ScoreEntry(TypedDict):
    """A mean over repeated splits."""

    score: float
    interval: Annotated[list[float], "95 % confidence interval"]


class MinedEntry(TypedDict):
    """What models learn from the release, tested on held-out originals."""

    task: str
    target: str | None
    score: Annotated[str, "what the score is about"]
    original: ScoreEntry | None
    released: ScoreEntry | None
    kept: Annotated[float | None, "the release's score beyond guessing over the original's"]
    guessing: Annotated[float | None, "score without learning"]
    records: Count
    undefined: WhyUndefined
    steadiness: Annotated[float | None, "of clusters: the score of the original drawn again"]
    kept_interval: Annotated[list[float] | None, "95 % confidence interval of `kept`"]


class EstimateDocument(Headed[Literal["divulge estimate"]]):
    """`divulge estimate --json`: how many people a query counts, by a release and by the original."""

    where: Annotated[list[str], "the conditions, as they were given"]
    people: Annotated[int, "people in the release"]
    estimate: Annotated[float | str, "by the release; `<5` where that is few"]
    true_count: Annotated[Count | None, "in the original; null where it was not given"]
    reading: Annotated[Literal["uniform", "one of the group"], "how coarser values were taken"]
