"""The part of a comparison's document about attacks ([attacks](attacks.md))."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Share, WhyUndefined


class AttackValueEntry(TypedDict):
    """What one value of the keys reveals."""

    label: Annotated[str, "the value itself only if values are shown"]
    records: Count
    discrimination_rate: Annotated[float | None, "null where it would reveal a hidden count"]
    itpr: Annotated[float | None, "null where it would reveal a hidden count"]


class AttackReadingEntry(TypedDict):
    """What one key, or several together, reveal about one target."""

    keys: list[str]
    target: str
    discrimination_rate: float | None
    itpr: float | None
    chance: Annotated[float | None, "discrimination rate of unrelated data"]
    adjusted: Annotated[float | None, "discrimination rate beyond chance"]
    undefined: WhyUndefined
    values: list[AttackValueEntry]


class AsSetsEntry(TypedDict):
    """What the released values of an attribute reveal about the original ones, as sets."""

    key: str
    target: str
    discrimination_rate: float | None
    itpr: float | None
    undefined: WhyUndefined
    recognised_records: Count
    unrecognised_values: int
    unrecognised_records: Count


class CertainEntry(TypedDict):
    """The people whose value of a sensitive attribute is certain."""

    target: str
    undefined: WhyUndefined
    records: Count | None
    of: Count | None
    share: float | None
    in_company: Annotated[Count | None, "those of them who are not unique"]


class LacksValueEntry(TypedDict):
    """What stays unknown with one value of the keys."""

    label: str
    lacks: Annotated[float | None, "null where it would reveal a hidden count"]


class LacksEntry(TypedDict):
    """What stays unknown about a target: one minus the discrimination rate."""

    keys: list[str]
    target: str
    lacks: float | None
    undefined: WhyUndefined
    values: list[LacksValueEntry]


class RulingOutStep(TypedDict):
    """How many people are certain once some values are ruled out."""

    values: Annotated[int, "values ruled out"]
    records: Count
    share: float | None
    worst_posterior: Annotated[float, "the most certain guess in any group"]


class RulingOutEntry(TypedDict):
    """Ruling out values of a sensitive attribute, one after the other."""

    target: str
    of: Count | None
    steps: list[RulingOutStep]
    undefined: WhyUndefined


class DifferenceEntry(TypedDict):
    """The discrimination rate of a key in the original and in the release."""

    original: str
    released: str | None
    target: str
    before: float | None
    after: float | None
    difference: float | None


class ShiftEntry(TypedDict):
    """How far the values of groups are from those of the original table, at most."""

    target: str
    distance: float | None
    ratio: Annotated[float | None, "how many times as frequent as in the original"]
    records: Annotated[Count | None, "records whose own value is at least twice as likely"]
    of: Count | None
    unseen_values: Annotated[int | None, "released values that the original does not have"]
    undefined: WhyUndefined


class AboveEntry(TypedDict, total=False):
    """Records with a risk above a threshold."""

    threshold: float
    records: Count
    share: float | None
    share_at_most: Annotated[float, "bound with 95 % confidence, where people were drawn"]


class OwnEntry(TypedDict):
    """Records whose group has one value of a target, and those where it is the person's own."""

    target: str
    records: Count
    own: Count
    own_at_most: Count
    own_by_chance: Annotated[float | None, "share of people, if values were in a random order"]
    of: Count
    changed: Annotated[Share, "share of records whose released value is not their own"]


class RecipeAttackerEntry(TypedDict):
    """How often a guess of an attribute is right, for an attacker who knows the recipe."""

    attribute: str
    right_guess: Annotated[float | None, "share of records, by their released value"]
    right_without_release: Annotated[float | None, "the same by the most frequent value"]
    information: Annotated[float | None, "share of the information about it that a released value gives"]
    undefined: Annotated[str | None, "why there is no value"]


class FitsEntry(TypedDict):
    """Released records that fit at most so many outside records."""

    outside_records: int
    records: Count


class GroupingEntry(TypedDict):
    """A sensitive attribute in the groups of a partition, or of a level of its hierarchy."""

    target: str
    partition: str
    domains: int | None
    discrimination_rate: float | None
    adjusted: float | None
    together: Annotated[float | None, "discrimination rate of all quasi-identifiers together"]
    together_adjusted: float | None
    certain: Annotated[Count | None, "people whose group is certain"]
    of: Count | None
    undefined: WhyUndefined


class GroupingSearchEntry(TypedDict):
    """A sensitive attribute under every level of its hierarchy."""

    target: str
    levels: list[GroupingEntry]
    leaks_most: Annotated[str | None, "the level where keys reveal most beyond chance"]
    leaks_most_unadjusted: Annotated[str | None, "the level where the plain rate is largest"]


class LinkedValueEntry(TypedDict):
    """What the linked record tells about a sensitive attribute."""

    target: str
    discrimination_rate: NotRequired[float | None]
    chance: NotRequired[Annotated[float | None, "the same of unrelated data"]]
    undefined: WhyUndefined


class InsideEntry(TypedDict):
    """Original numbers that lie in the interval around the released ones."""

    attribute: str
    inside: Annotated[Share, "share of people"]
    chance: Annotated[float, "the same of records linked at random"]


class AgreementEntry(TypedDict):
    """How often two records agree on an attribute."""

    attribute: str
    same_person: Annotated[float, "of pairs that belong together, estimated"]
    any_pair: Annotated[float, "of all pairs"]


class DetailsEntry(TypedDict, total=False):
    """Further figures; each attack has some of them."""

    risk_is: Annotated[
        Literal["below", "above"], "the risk is a bound, since exactly it would say how few people it is"
    ]
    keys: Annotated[list[str], "attributes that records are linked by"]
    not_compared: Annotated[list[str], "quasi-identifiers whose released values cannot be compared"]
    second_nearest: Annotated[Share, "share of records whose original is the second nearest"]
    linked_values: Annotated[list[LinkedValueEntry], "what a link tells beyond identity"]
    width: Annotated[float, "of the interval, as a share of all ranks"]
    intervals: list[InsideEntry]
    agreement: list[AgreementEntry]
    how: str
    as_sets: list[AsSetsEntry]
    fits_its_original: Annotated[Share | None, "share of records that fit their own original"]
    fits_no_original: Annotated[Share | None, "share of records that fit no original"]
    compared: Annotated[Count, "records compared"]
    without_a_match: Count
    suppressed: Count
    unrecognised: Count
    not_reached: Count
    hidden_keys: Annotated[list[str], "quasi-identifiers suppressed in all records"]
    risk_of_other_keys: float | None
    k: Annotated[int, "size of the smallest group"]
    uniqueness: Share | None
    classes: int
    average_risk: float
    certain: list[CertainEntry]
    lacks: list[LacksEntry]
    ruling_out: list[RulingOutEntry]
    differences: list[DifferenceEntry]
    shifts: list[ShiftEntry]
    highest: Annotated[float, "highest risk of a record"]
    average: Annotated[float, "average risk of a record"]
    above: list[AboveEntry]
    people_drawn: Annotated[int, "people linked to their nearest record, drawn at random where they are many"]
    right_links: Annotated[Share, "share of right links"]
    right_links_at_most: Annotated[float, "its bound with 95 % confidence"]
    own: list[OwnEntry]
    knowing_the_recipe: Annotated[list[RecipeAttackerEntry], "attributes that the recipe changes"]
    by_class_sizes: Annotated[float | None, "the risk by group sizes alone"]
    chance: Annotated[float, "share of right links at random"]
    on: Annotated[dict[str, str], "attributes of the outside table and their counterparts"]
    population: Annotated[int, "records of the population table"]
    fits_at_most: list[FitsEntry]
    expected_correct_links: float
    partitions: list[GroupingEntry]
    search: list[GroupingSearchEntry]


class AttackEntry(TypedDict):
    """How far an attack gets."""

    attack: str
    title: str
    knows: Annotated[str, "what the attacker knows"]
    risk: Annotated[float | None, "0 if the attacker learns nothing, 1 if everything"]
    people: Annotated[Count | None, "people affected"]
    of: Annotated[Count | None, "of this many people"]
    readings: list[AttackReadingEntry]
    details: DetailsEntry
    sentence: str
    undefined: Annotated[str | None, "why there is no risk"]
    people_undefined: Annotated[str | None, "why people were not counted"]
    people_at_most: Annotated[Count | None, "bound with 95 % confidence, where people were drawn"]


class AttackSummaryLine(TypedDict):
    """An attack in short."""

    attack: str
    title: str
    risk: float | None
    information_loss: Annotated[float | None, "one minus the risk"]


class AttackSummary(TypedDict):
    """All attacks in short."""

    lines: list[AttackSummaryLine]
    overall_information_loss: Annotated[float | None, "mean over attacks"]
