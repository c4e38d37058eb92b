"""The documents of the attacker commands: the attacker's remaining error ([attacker](attacker.md))."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Headed, Share, ShowsValues


class PrivacyEntry(TypedDict):
    """The attacker's expected error."""

    prior: Annotated[float, "before observing anything"]
    worst: Annotated[float, "after the observation that reveals most"]
    average: Annotated[float, "on average over observations"]
    best: Annotated[float, "after the observation that reveals least"]
    reduction: Annotated[float, "prior minus average"]


class ObservationEntry(TypedDict):
    """The attacker's error after one observation."""

    label: str
    probability: float | None
    privacy: Annotated[Share | None, "the attacker's error after it"]
    estimate: Annotated[str | None, "the best guess, if values are shown"]
    ties: Annotated[int, "guesses that are as good"]


class ErrorBin(TypedDict):
    """The probability of observations with about the same error."""

    low: float
    high: float
    probability: float


class EntropyEntry(TypedDict):
    """An entropy in bits."""

    name: str
    order: Annotated[float | None, "order of the Rényi entropy; null for infinity"]
    prior: Annotated[float, "before observing"]
    posterior: Annotated[float, "after it, on average"]


class GuessesEntry(TypedDict):
    """Guesses needed on average."""

    prior: float
    posterior: float


class LeakageEntry(TypedDict):
    """How much an observation helps."""

    name: str
    prior: float
    posterior: float
    additive: Annotated[float | None, "null where it is infinite"]
    multiplicative: Annotated[float | None, "null where it is infinite"]
    unit: str


class IntervalEntry(TypedDict):
    """The rate in the population, estimated from the sample."""

    kind: str
    low: float | None
    high: float | None
    estimate: float | None
    level: float
    method: NotRequired[str | None]
    reason: str | None


class LeakageTestEntry(TypedDict):
    """How often tables of unrelated columns give as much information."""

    observed: Annotated[float, "information in this table, in bits"]
    expected: Annotated[float, "exact mean over tables of unrelated columns"]
    p_value: float
    permutations: int


class SampledEntry(TypedDict):
    """What a table says about its population."""

    rate: Annotated[float | None, "discrimination rate in this table"]
    estimate: Annotated[float | None, "information in the population, in bits"]
    possible: Annotated[float, "the most information there could be"]
    too_sparse: bool
    method: str
    interval: IntervalEntry | None
    test: Annotated[LeakageTestEntry | None, "null where it would take too long"]
    undefined: Annotated[str | None, "why there is no information"]


class CapacityEntry(TypedDict):
    """The most bits one observation can give, over all priors."""

    value: float
    gap: Annotated[float, "at most so much more"]


class CurvePoint(TypedDict):
    """The largest error that a mechanism can leave for its loss."""

    loss: float
    value: float
    price: float


class OperatingPoint(TypedDict):
    """What this channel costs the system, and the error it leaves."""

    loss: Annotated[float, "expected distortion between secret and observation"]
    value: Annotated[float, "the attacker's error on average"]


class BeliefEntry(TypedDict):
    """What the attacker believes after observing, as far as it is drawn."""

    form: Literal["bars", "matrix", "map"]
    secrets: Annotated[list[str], "those drawn; the places of a map, column by column"]
    observations: list[str]
    prior: Annotated[list[float], "probability of each secret before observing"]
    posterior: Annotated[list[list[float]], "the same after it, a row for each observation"]
    left_out: Annotated[int, "secrets that are not drawn"]
    note: Annotated[str, "what their names mean, where that needs saying"]
    columns: Annotated[int | None, "places across, of a map"]
    errors: Annotated[list[float] | None, "of a map, the error that remains after each reported place"]


class BoundEntry(TypedDict):
    """A bound and its two sides; null where a side is infinite."""

    name: str
    left: float | None
    right: float | None
    holds: bool
    unit: str


class AttackerDocument(Headed[Literal["divulge attacker"]]):
    """`divulge attacker --json`, also `crowds` and `location`."""

    source: str
    secret: Annotated[str, "what the attacker wants to know"]
    observed: Annotated[list[str], "what the attacker sees"]
    inputs: Annotated[int, "number of secrets"]
    outputs: Annotated[int, "number of observations"]
    distortion: Annotated[str, "what a wrong estimate costs"]
    error_unit: str
    guesses: int
    tolerance: float | None
    abstain: float | None
    shows_values: ShowsValues
    privacy: PrivacyEntry
    observations: list[ObservationEntry]
    distribution: list[ErrorBin]
    entropies: list[EntropyEntry]
    guessing_entropy: GuessesEntry
    leakage: list[LeakageEntry]
    sampled: Annotated[SampledEntry | None, "null where no table was counted"]
    maximal_leakage: Annotated[float, "in bits"]
    capacity: Annotated[CapacityEntry | None, "null where it would take too long"]
    epsilon: Annotated[float | None, "in nats; null where it is infinite"]
    curve: Annotated[list[CurvePoint] | None, "null with many secrets, or another distortion"]
    operating_point: Annotated[OperatingPoint | None, "null where observations are not values of the secret"]
    belief: Annotated[BeliefEntry | None, "null for a table, whose records it would show"]
    bounds: list[BoundEntry]


class MechanismDocument(Headed[Literal["divulge mechanism"]]):
    """`divulge attacker optimize --json`: the best mechanism."""

    goal: str
    budget: float
    value: float
    loss: float
    price: Annotated[float | None, "of the budget; null where it is infinite"]
    gap: Annotated[float, "no mechanism is better by more"]
    inputs: list[str]
    outputs: list[str]
    matrix: Annotated[list[list[float]], "p(y|x), a row for each input"]


class EpsilonDocument(Headed[Literal["divulge epsilon"]]):
    """`divulge attacker epsilon --json`: what epsilon means."""

    epsilon: float
    error: Annotated[float, "least probability of a wrong guess"]
    most_likely: Annotated[float, "probability of the most likely value"]


class MixDocument(Headed[Literal["divulge mix"]]):
    """`divulge attacker mix --json`: how uncertain a mix leaves who wrote to whom."""

    messages: int
    threshold: int
    pool: int
    entropy: Annotated[float, "of all correspondences together, in bits"]
    error: Annotated[float, "of guessing all at once"]
    link_error: Annotated[float, "of guessing one message"]
    degree: Annotated[float, "degree of anonymity, 0 to 1"]
