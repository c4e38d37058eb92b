"""Record linkage: the document of ``divulge link``."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, HiddenCount, Share, WhyUndefined

Links = Annotated[float | HiddenCount, "links that are right, as many as are to be expected"]


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


class IntervalDisclosureEntry(TypedDict):
    """Original values in an interval around the released ones."""

    width: Annotated[float, "a share of all records by rank, or standard deviations"]
    by: Literal["rank", "deviation"]
    inside: Annotated[dict[str, Share], "by attribute"]
    all: Annotated[Share, "on all numbers at once"]


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
    expected_links: NotRequired[Annotated[float, "pairs with a chance of 0.9 or more, weighed by it"]]
    clerical: NotRequired[Annotated[float, "pairs between 0.5 and 0.9, to be looked at by a person"]]
    of: NotRequired[int]
    linked: NotRequired[Links]
    share: NotRequired[Share]
    chance: NotRequired[float]
    curve: NotRequired[list[LinkageCurveEntry]]


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
    success: NotRequired[SuccessRateEntry]
    control: NotRequired[SuccessRateEntry]
    guess: NotRequired[Annotated[SuccessRateEntry, "looking at nothing"]]
    equal: NotRequired[Annotated[float, "synthetic records that are an original record"]]


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
    synthetic: NotRequired[Annotated[list[SyntheticAttackEntry], "where a control group is given"]]
    notes: list[str]
