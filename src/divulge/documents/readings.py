"""Documents of ``divulge measure`` and ``divulge watch``: what is read once, or while records arrive."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, Outcome, Parameter, PolicyEntry
from divulge.documents.people import BracketEntry, KnownPopulationEntry, PersonRiskEntry


class InPopulationEntry(TypedDict):
    """What a sample says of the reading in the population it was drawn from."""

    kind: Literal["interval", "bracket", "at most", "cannot tell"]
    low: float | None
    high: float | None
    estimate: Annotated[float | None, "only of an interval"]
    level: Annotated[float, "share of samples that it holds in, as asked for by `--interval`"]
    method: Annotated[str | None, "how it was found"]
    reason: Annotated[str | None, "why it is no interval"]


class RateEntry(TypedDict):
    """A value, and what chance alone would give ([conventions](conventions.md#chance))."""

    value: Annotated[float | None, "null where it is undefined or infinite"]
    undefined: NotRequired[Annotated[str | None, "why `value` is null"]]
    chance: Annotated[float | None, "mean over unrelated data of the same shape"]
    chance_undefined: NotRequired[Annotated[str | None, "why `chance` is null"]]
    chance_method: NotRequired[Annotated[str, "exact, or the number of shuffles"]]
    chance_error: NotRequired[Annotated[float | None, "standard error of that mean"]]
    chance_spread: NotRequired[Annotated[float | None, "standard deviation over unrelated data"]]
    chance_reach: NotRequired[Annotated[float | None, "what one in a hundred of unrelated data exceeds"]]
    adjusted: Annotated[float | None, "rescaled so that chance is 0 and the riskiest possible is 1"]
    noise: NotRequired[Annotated[float | None, "`chance_reach`, adjusted"]]
    p_value: NotRequired[Annotated[float | None, "how often unrelated data are as risky"]]
    p_undefined: NotRequired[Annotated[str, "why `p_value` is null"]]
    in_population: NotRequired[
        Annotated[InPopulationEntry, "where the table is said to be a sample, by options or a policy"]
    ]


class ValueEntry(TypedDict):
    """A measure's value on one group."""

    key: Annotated[dict[str, str | float | bool | None], "values of the keys"]
    records: Count
    value: Annotated[
        float | str | None,
        '"infinite" where it is; a count where it counts records; null where it would reveal a hidden count',
    ]


class ReadingEntry(RateEntry):
    """A measure's value on all records."""

    measure: str
    parameters: Annotated[dict[str, Parameter], "parameters of this variant of the measure"]
    unit: str
    riskier: Literal["higher", "lower"]
    compared_with: NotRequired[Annotated[str, "the table that groups are compared with"]]
    beside: NotRequired[Annotated[dict[str, float], "readings that belong to it"]]
    by_value: NotRequired[Annotated[list[ValueEntry], "riskiest first, where asked for by `--by-value`"]]
    by_value_undefined: NotRequired[Annotated[str, "why `by_value` is empty"]]


class InKnownPopulationEntry(KnownPopulationEntry):
    """The records in a table of the whole population."""

    people: Annotated[float, "people of the population"]
    fraction: Annotated[float, "the share of them in the table"]
    match: Annotated[BracketEntry | None, "the chance that a match with a unique record is right"]
    risk: PersonRiskEntry


class ReadingsData(TypedDict):
    """The records that were counted."""

    source: Annotated[str, "name of the table"]
    records: int
    counted: Annotated[Count, "records that entered the readings"]
    suppressed: Annotated[Count, "records left out because all keys are suppressed"]
    dropped: Annotated[Count, "records left out for missing values"]
    classes: Annotated[int, "combinations of key values that occur"]
    missing: Literal["value", "drop", "wildcard"]
    weights: Annotated[str | None, "attribute with the weights of records"]


class AssociationEntry(TypedDict):
    """Whether keys and target are related at all."""

    information: Annotated[float, "information about the target in the keys, in bits"]
    expected: Annotated[float, "what unrelated data give on average"]
    spread: Annotated[float | None, "standard deviation over unrelated data"]
    reach: Annotated[float | None, "what one in a hundred of unrelated data exceeds"]
    p_value: float | None
    unsure: Annotated[str | None, "why there is no p-value"]


class ReadingsDocument(Headed[Literal["divulge readings"]]):
    """`divulge measure --json` and `Readings.to_dict()`."""

    data: ReadingsData
    keys: Annotated[list[str], "attributes that the attacker knows"]
    target: Annotated[str, "`@record` for re-identification, or attributes to be inferred"]
    partitions: Annotated[dict[str, list[str]], "names of the groups of values, by attribute"]
    identifier_class: Annotated[str | None, "kind of identifier that the keys are together"]
    identifier_class_undefined: NotRequired[Annotated[str, "why it is null"]]
    identifier_classes: Annotated[dict[str, str | None], "the same for each key alone"]
    identifier_classes_undefined: NotRequired[Annotated[dict[str, str], "why some of them are null"]]
    association: AssociationEntry | None
    seed: Annotated[int, "seed of the shuffles"]
    readings: list[ReadingEntry]
    population: NotRequired[
        Annotated[InKnownPopulationEntry, "where a table of the population is given by `--population`"]
    ]


class WatchedCheckEntry(TypedDict):
    """A check as it stands at a moment."""

    measure: Annotated[str, "a measure, or a question as `singled_out`"]
    title: str
    target: Annotated[str, "`@record` for re-identification, or attributes to be inferred"]
    severity: Annotated[Literal["fail", "warn"], "what follows if it does not hold"]
    outcome: Outcome
    asked: Annotated[str, "the requirement in words"]
    found: Annotated[float | None, "the value found; null where there is none or it is infinite"]
    found_text: Annotated[str, "the value in words"]
    undefined: Annotated[str | None, "why there is no value"]
    sentence: Annotated[str, "what was found"]


class WatchDocument(Headed[Literal["divulge watch"]]):
    """A line of `divulge watch --json`."""

    source: str
    policy: PolicyEntry
    time: Annotated[str, "when it was read, in UTC"]
    window: Annotated[str, "which records are assessed, in words"]
    records: Annotated[Count, "records in the window"]
    arrived: Annotated[Count, "records since the beginning"]
    malformed: Annotated[Count, "lines that are no records, since the beginning"]
    outside: Annotated[Count, "records left out because no group has one of their values"]
    judged: Annotated[bool, "false while there are too few records for a verdict"]
    outcome: Outcome
    checks: list[WatchedCheckEntry]
    notes: NotRequired[Annotated[list[str], "what was not measured when all checks were read last"]]
    said: Annotated[list[str], "what happened to the source since the last reading"]
    ended: Annotated[bool, "whether no more records will come"]
