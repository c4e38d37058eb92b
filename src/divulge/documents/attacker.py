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
    candidates: Annotated[int | None, "values in the confidence set; null for a table"]
    divergence: Annotated[float | None, "of posterior from prior, in bits; null for a table"]
    total_variation: Annotated[float | None, "between posterior and prior; null for a table"]
    gained: Annotated[float | None, "error saved by the new estimate, under the posterior; null for a table"]
    gained_at_most: Annotated[float | None, "2 d_max times the total variation; null for a table"]
    gained_by_divergence: Annotated[float | None, "d_max sqrt(2 D), D in nats, which is no less; the same"]


class ConfidenceEntry(TypedDict):
    """The attacker's short list: the fewest values with so much of the probability."""

    mass: Annotated[float, "the probability they have"]
    prior: Annotated[int, "values before observing"]
    least: Annotated[int, "values after the observation that leaves fewest"]
    average: Annotated[float, "values on average over observations"]
    most: Annotated[int, "values after the observation that leaves most"]
    error: Annotated[float, "of a guess at random from the shortest list, 1 - 1/least"]


class AverageEntry(TypedDict):
    """A number over observations."""

    average: float
    least: float
    most: float


class BelievedEntry(TypedDict):
    """An attacker who believes another prior than the true one."""

    uncertainty: Annotated[AverageEntry, "entropy of what they believe after observing, in bits"]
    inaccuracy: Annotated[AverageEntry, "total variation between that and the true posterior"]
    incorrectness: Annotated[AverageEntry, "mean distance of the truth from a value drawn from their belief"]
    error: Annotated[AverageEntry, "the error their estimates have"]
    believed_error: Annotated[AverageEntry, "the error they expect"]
    right: Annotated[float, "the error on average with the true prior"]
    price: Annotated[float, "how much more is wrong for believing the other prior"]


class RepeatedEntry(TypedDict):
    """The attacker's error after so many independent observations of one secret."""

    observations: int
    average: float
    error: Annotated[float, "standard error of the average; 0 where it is exact"]
    worst: Annotated[float | None, "null where sequences were drawn at random"]
    best: Annotated[float | None, "null where sequences were drawn at random"]


class RenyiEntry(TypedDict):
    """A Rényi entropy of some order, in bits."""

    order: Annotated[float | None, "null for infinity"]
    entropy: float


class AnonymityEntry(TypedDict):
    """How well hidden a sender is, after several authors."""

    users: int
    berthold: Annotated[float, "how many users there are, in bits"]
    serjantov_danezis: Annotated[float, "effective size of the anonymity set: Shannon's entropy in bits"]
    diaz: Annotated[float, "degree of anonymity: the same as a share of what it could be, 0 to 1"]
    source_hiding: Annotated[float, "probability of the most likely user (Tóth)"]
    min_entropy: Annotated[float, "the same in bits"]
    max_entropy: Annotated[float, "how many users are possible at all, in bits"]
    innocence: Annotated[str, "of the most likely user, on the scale of Reiter and Rubin"]
    renyi: Annotated[list[RenyiEntry], "of the orders asked for (Clauß and Schiffner)"]


class CrowdEntry(TypedDict):
    """What a crowd costs, and how well it hides who started a message."""

    users: int
    corrupted: Annotated[int, "users who work for the attacker"]
    submit: Annotated[float, "probability that a user submits instead of passing on"]
    forwards: Annotated[float, "times a message is passed on, on average"]
    seen: Annotated[float, "probability that the attacker sees the message at all"]
    posterior: Annotated[float, "of the user who is seen"]
    posterior_others: Annotated[float, "of each other user"]
    probable_innocence: Annotated[bool, "whether the user who is seen is no likelier the one than not"]
    users_needed: Annotated[int | None, "for probable innocence; null where no number is enough"]
    anonymity: Annotated[AnonymityEntry, "after somebody is seen"]


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

    loss: Annotated[float, "or epsilon, for the goal epsilon"]
    value: float
    price: Annotated[float | None, "null where it is infinite"]


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


class MixEntry(TypedDict):
    """How uncertain a mix leaves who wrote to whom."""

    entropy: Annotated[float, "of all correspondences together, in bits"]
    error: Annotated[float, "of guessing all at once"]
    link_error: Annotated[float, "of guessing one message"]
    degree: Annotated[float, "degree of anonymity, 0 to 1"]
    long_run_entropy: Annotated[float | None, "of one sender after very many rounds, in bits"]


class AttackerDocument(Headed[Literal["divulge attacker"]]):
    """`divulge attacker --json`, also `system`, `crowds` and `location`."""

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
    repeated: Annotated[list[RepeatedEntry] | None, "with --observations"]
    believed: Annotated[BelievedEntry | None, "with --believed-prior"]
    confidence: ConfidenceEntry
    entropies: list[EntropyEntry]
    guessing_entropy: GuessesEntry
    leakage: list[LeakageEntry]
    sampled: Annotated[SampledEntry | None, "null where no table was counted"]
    maximal_leakage: Annotated[float, "in bits"]
    capacity: Annotated[CapacityEntry | None, "null where it would take too long"]
    epsilon: Annotated[float | None, "in nats; null where it is infinite"]
    goal: Annotated[str, "what the curve is about: average, worst, information or epsilon"]
    curve: Annotated[list[CurvePoint] | None, "null with many secrets, or another distortion"]
    operating_point: Annotated[OperatingPoint | None, "null where observations are not values of the secret"]
    crowd: Annotated[CrowdEntry | None, "of `crowds`"]
    mix: Annotated[MixEntry | None, "of `mix`"]
    belief: Annotated[BeliefEntry | None, "null for a table, whose records it would show"]
    bounds: list[BoundEntry]


class MechanismDocument(Headed[Literal["divulge mechanism"]]):
    """`divulge attacker optimize --json`: the best mechanism, or only the curve."""

    source: str
    shows_values: ShowsValues
    goal: str
    budget: float | None
    value: float | None
    loss: float | None
    price: Annotated[float | None, "of the budget; null where it is infinite"]
    gap: Annotated[float | None, "no mechanism is better by more"]
    inputs: Annotated[list[str], "of a table numbered, unless values are shown"]
    outputs: Annotated[list[str], "what the mechanism shows; empty where only the curve was asked for"]
    matrix: Annotated[list[list[float]], "p(y|x), a row for each input; empty where there are no outputs"]
    merged: Annotated[int, "values of fewer than 5 records that were taken together"]
    curve: Annotated[list[CurvePoint] | None, "with --curve"]


class EpsilonPoint(TypedDict):
    """The error that an epsilon leaves."""

    epsilon: float
    error: float


class EpsilonDocument(Headed[Literal["divulge epsilon"]]):
    """`divulge attacker epsilon --json`: what epsilon means."""

    epsilon: float
    error: Annotated[float, "least probability of a wrong guess"]
    most_likely: Annotated[float, "probability of the most likely value"]
    curve: Annotated[list[EpsilonPoint], "the error by epsilon"]


class MixDocument(Headed[Literal["divulge mix"]], MixEntry):
    """`divulge attacker mix --json`: how uncertain a mix leaves who wrote to whom."""

    messages: int
    batch: Annotated[int | None, "null for a mix that sends at times"]
    pool: int
    period: Annotated[float | None, "between two times of sending; null for one that waits for messages"]
    rounds: Annotated[int, "in which messages were sent"]


class TraceStep(TypedDict):
    """One step of a trace."""

    observation: str
    estimate: Annotated[str, "the best one, all observations known"]
    error: Annotated[float, "the attacker's error, all observations known"]
    error_then: Annotated[float, "the same when later observations were not yet known"]
    path: Annotated[str, "state of the most likely path"]
    posterior: Annotated[list[float], "of each state, all observations known"]


class TraceDocument(Headed[Literal["divulge trace"]]):
    """`divulge attacker trace --json`: a secret that moves, seen at every step."""

    source: str
    states: list[str]
    distortion: str
    error_unit: str
    prior: Annotated[list[float], "of each state at the first step"]
    steps: list[TraceStep]
    average: Annotated[float, "error on average over steps"]
    worst: Annotated[float, "error at the step that is revealed most"]
    best: Annotated[float, "error at the step that is revealed least"]
    average_then: Annotated[float, "error on average when later observations were not yet known"]
    path_error: Annotated[float, "probability that the most likely path is wrong somewhere"]
    entropy: Annotated[float, "of the whole path, in bits"]
    log2_likelihood: Annotated[float, "of the observations"]


class TypicalLength(TypedDict):
    """The typical sequences of a shorter length."""

    length: int
    log2_size: Annotated[list[float | None], "the least and the most it may be; null for no sequence"]
    probability: Annotated[list[float], "of all of them together, the least and the most"]


class TypicalDocument(Headed[Literal["divulge typical"]]):
    """`divulge attacker typical --json`: how many sequences an attacker has to consider."""

    source: str
    length: int
    epsilon: Annotated[float, "how far the surprise per place may be from the entropy, in bits"]
    entropy: Annotated[float, "bits per place"]
    size: Annotated[str | None, "number of sequences in digits; null where they were only bounded"]
    log2_size: Annotated[list[float | None], "the least and the most it may be; null for no sequence"]
    probability: Annotated[list[float], "of all of them together, the least and the most"]
    possible: Annotated[float, "logarithm of the number of all sequences that are possible"]
    lengths: Annotated[list[TypicalLength], "the same of shorter sequences, up to this length"]


class SuspectEntry(TypedDict):
    """A user, and how suspect."""

    user: str
    probability: float
    not_the_sender: Annotated[float, "1 minus it (Reiter and Rubin)"]
    innocence: str


class DegreesDocument(Headed[Literal["divulge degrees"]]):
    """`divulge attacker degrees --json`: degrees of anonymity."""

    anonymity: Annotated[AnonymityEntry | None, "null where no posterior was given"]
    users: list[SuspectEntry]
    edman: Annotated[float | None, "of the links between inputs and outputs, 0 to 1; null without them"]
