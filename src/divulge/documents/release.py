"""Documents of safe release: a simulation, a check, the state of a service; of queries, an answer and more.

They are those of [release](release.md) and [queries](queries.md).
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, HiddenCount, ShowsValues

Test = Literal["mis", "kld", "cst", "dqt", "seq"]


class RulesEntry(TypedDict):
    """The tests and their level."""

    tests: list[Test]
    alpha: Annotated[float, "significance level"]
    degrees: Literal["domain", "present"]
    merging: Literal["smallest", "left", "right", "none"]
    samples: Annotated[int, "samples behind critical values"]
    seed: int
    reach: int
    familywise: NotRequired[Annotated[bool, "whether alpha is the level of all comparisons together"]]
    form: NotRequired[Annotated[Literal["each", "mean", "joint"], "which odds `seq` holds below 1/alpha"]]
    known_counts: NotRequired[Annotated[bool, "whether observers of `seq` know the counts of values"]]
    limits: NotRequired[Annotated[Literal["moments"], "of information; without it they follow chi-square"]]


class ReleasedTargetEntry(TypedDict):
    """What was released of one target, on average over runs; null where its records are hidden."""

    target: Annotated[str, "numbered unless values are shown"]
    records: Count
    requested: float | None
    released: float | HiddenCount | None
    deviation: Annotated[float | None, "standard deviation over runs"]
    waiting: float | HiddenCount | None
    refused: float | HiddenCount | None
    share: Annotated[float | None, "released of requested"]
    fitting: Annotated[float | HiddenCount | None, "released if it had to fit the baseline exactly"]


class ExposureEntry(TypedDict):
    """The value of a test on the released records."""

    test: Test
    target: Annotated[str | None, "null for all targets together"]
    value: float | None
    critical: Annotated[float | None, "what the value must stay below"]
    unit: str
    safe: Annotated[bool, "whether the test is passed"]
    undefined: NotRequired[Annotated[str, "why there are no figures"]]
    dependency: NotRequired[Annotated[str, "X and Y, where a dataset has several"]]


class MomentEntry(TypedDict):
    """The released records at one moment of the first run."""

    records: int
    exposures: list[ExposureEntry]
    discrimination_rate: float | None
    itpr: float | None


class ValueGroup(TypedDict):
    """Neighbouring values of `x` that are drawn as one bar."""

    values: Annotated[str, "numbered unless values are shown"]
    numbers: Annotated[str, "their numbers, in the order of values"]
    expected: Annotated[float, "share of the baseline"]


class TargetHistogram(TypedDict):
    """Records of one target by group of values, to the nearest ten unless counts are exact."""

    target: str
    records: Annotated[list[float], "in the table"]
    released: Annotated[list[float], "mean over runs"]


class HistogramsEntry(TypedDict):
    """How the values of each target are distributed, in the table and released."""

    groups: list[ValueGroup]
    targets: Annotated[list[TargetHistogram], "those with records enough"]


class StatisticBin(TypedDict):
    """How often a statistic falls between two values if values and targets are unrelated."""

    low: float
    high: float
    simulated: float
    chi_square: float


class StatisticEntry(TypedDict):
    """The statistic of a test, simulated, beside the chi-square distribution it approaches."""

    test: Test
    target: Annotated[str | None, "null for all targets together"]
    records: Annotated[int, "released records, of the target or of all"]
    degrees: Annotated[int, "degrees of freedom"]
    samples: int
    value: Annotated[float | None, "of what was released in the first run"]
    critical: float
    bins: list[StatisticBin]


class TypicalEntry(TypedDict):
    """How many of the next typical records could leave; they are drawn as the baseline expects."""

    requested: int
    released: Annotated[float, "mean over several draws"]


class SimulationDocument(Headed[Literal["divulge release simulation"]]):
    """`divulge release simulate --json` and `Simulation.to_dict()`."""

    source: Annotated[str, "name of the table"]
    shows_values: ShowsValues
    x: Annotated[list[str], "attributes whose values might reveal a target"]
    y: Annotated[list[str], "attributes that make up a target"]
    values: Annotated[int, "different values of `x`"]
    records: int
    requests: Annotated[int, "requests of each run"]
    runs: int
    seed: Annotated[int, "seed of the orders"]
    rules: RulesEntry
    level: Annotated[float, "level of each comparison"]
    comparisons: int
    targets: list[str]
    released_by_target: dict[str, float | HiddenCount | None]
    by_target: list[ReleasedTargetEntry]
    requested: float
    released: Annotated[float, "mean over runs"]
    share: Annotated[float, "released of requested"]
    waiting: float
    refused: float
    stuck_runs: NotRequired[
        Annotated[int, "runs at whose end no record of any value and target could be released"]
    ]
    stuck_targets: NotRequired[
        Annotated[float, "targets of which no record could be released at the end, mean over runs"]
    ]
    refused_by_reason: dict[str, float]
    fitting: Annotated[float, "released if each target had to fit the baseline exactly"]
    cross_safety: Annotated[dict[str, int | None], "in how many runs the end passes each test"]
    evolution: list[MomentEntry]
    typical: NotRequired[Annotated[TypicalEntry, "after the first run"]]
    histograms: NotRequired[HistogramsEntry]
    statistics: NotRequired[list[StatisticEntry]]
    each: NotRequired[Annotated[list[SimulationDocument], "every test by itself, with `--each`"]]
    dependencies: NotRequired[Annotated[list[str], "all that were guarded, where there are several"]]
    also: NotRequired[Annotated[list[SimulationDocument], "the same runs by each further dependency"]]


class CheckedTargetEntry(TypedDict):
    """The records of one target in a given set."""

    target: Annotated[str, "numbered unless values are shown"]
    records: Count


class ReleaseCheckDocument(Headed[Literal["divulge release check"]]):
    """`divulge release check --json` and `SetCheck.to_dict()`."""

    source: Annotated[str, "name of the file with the released records"]
    table: Annotated[str, "name of the table they are from"]
    shows_values: ShowsValues
    x: Annotated[list[str], "attributes whose values might reveal a target"]
    y: Annotated[list[str], "attributes that make up a target"]
    values: Annotated[int, "different values of `x`"]
    records: Annotated[Count, "records of the set"]
    rules: RulesEntry
    level: Annotated[float, "level of each comparison"]
    comparisons: int
    passes: Annotated[bool, "whether all tests are passed"]
    unknown_values: Annotated[Count, "records with a value that the baseline does not expect"]
    unknown_targets: Annotated[Count, "records of a target that the baseline does not have"]
    by_target: list[CheckedTargetEntry]
    exposures: list[ExposureEntry]
    discrimination_rate: float | None
    itpr: float | None
    warnings: Annotated[list[str], "what the tests do not keep to"]
    also: NotRequired[Annotated[list[ReleaseCheckDocument], "the same records by each further dependency"]]


class ReleasePolicyEntry(TypedDict):
    """The rules of a dataset."""

    version: int
    status: str
    rules: RulesEntry
    digest: str
    proposed_by: str | None
    approved_by: str | None


class DatasetEntry(TypedDict):
    """The state of a dataset."""

    dataset: str
    records: int
    outside: Annotated[int, "records released"]
    waiting: Annotated[int, "requests that wait"]
    entries: Annotated[int, "entries of the log"]
    hash: Annotated[str, "of the last entry"]
    policy: ReleasePolicyEntry
    exposures: list[ExposureEntry]
    worst: Annotated[
        list[list[str | float | None]], "of each test its name, the value closest to its limit, and the limit"
    ]
    discrimination_rate: float | None
    itpr: float | None
    typical: TypicalEntry
    stuck_targets: Annotated[int, "targets of which no record could be released, whatever its value"]
    expected_targets: Annotated[int, "targets that the baseline expects, of all dependencies"]
    read_only: Annotated[str | None, "why nothing can be released now"]


class FaultyEntry(TypedDict):
    """A dataset of which it cannot be told how it stands."""

    dataset: str
    read_only: Annotated[str, "why nothing can be released now"]


class StatusDocument(Headed[Literal["divulge release status"]]):
    """`divulge release status --json`."""

    datasets: list[DatasetEntry]
    faulty: Annotated[list[FaultyEntry], "datasets whose tables are not what their logs say"]
    keys_read_only: Annotated[str | None, "why keys cannot be changed now"]


class FaultEntry(TypedDict):
    """Where a log is not complete."""

    index: int
    sentence: str


class ChainEntry(TypedDict):
    """One log."""

    chain: str
    entries: int
    sealed: Annotated[bool, "whether the holder's seals were checked"]
    checkpoints: Annotated[int, "checkpoints that it agrees with"]
    lost: Annotated[int, "entries whose loss was accepted"]
    decisions: Annotated[int | None, "decisions repeated with the same result; null where not requested"]
    fault: FaultEntry | None
    not_covered: Annotated[
        list[str],
        "tables, or parts of an answer, that were not compared with it, which needs keys or the log",
    ]
    removed: Annotated[int, "answers that were removed by the retention rule"]
    removed_to: Annotated[int | None, "the entry up to which they were; null where none was"]


class VerificationDocument(Headed[Literal["divulge verification"]]):
    """`divulge release verify --json`."""

    whole: Annotated[bool, "whether no log has a fault"]
    public_key: Annotated[str | None, "fingerprint of the public key"]
    key_of_the_export: Annotated[bool, "whether it was the export's own key"]
    chains: list[ChainEntry]


class AnswerEntry(TypedDict):
    """What left: a number, or an interval that has it."""

    kind: Annotated[str, "as in the policy"]
    value: Annotated[float, "the number, or the middle of the interval"]
    low: float
    high: float
    exact_low: Annotated[str, "the same without rounding, as a fraction"]
    exact_high: str
    error: NotRequired[Annotated[str, "how far the value may be from the truth"]]


class CheckpointEntry(TypedDict):
    """A signed statement of how far a log has come."""

    chain: str
    epoch: Annotated[int, "raised by every loss that was accepted"]
    count: Annotated[int, "entries"]
    head: Annotated[str, "hash of the last entry"]
    at: str
    signature: str
    root: NotRequired[Annotated[str, "of the tree over the log"]]


class ConsistencyEntry(TypedDict):
    """The proof that a log goes on from what was seen before."""

    since: Annotated[int, "entries that were seen"]
    path: list[str]


class QueryAnswerDocument(Headed[Literal["divulge query answer"]]):
    """`divulge query ask --json`; the answer over HTTP is the same without its head."""

    decision: Literal["answered", "refused"]
    reason: Annotated[str, "`passed` or `repeated`; else the control that refused it, or `form`"]
    query: NotRequired[Annotated[str, "in its canonical form"]]
    answer: NotRequired[AnswerEntry]
    message: NotRequired[Annotated[str, "why it was refused"]]
    hint: NotRequired[str]
    spent: NotRequired[Annotated[str, "epsilon of this answer"]]
    left: NotRequired[Annotated[str, "epsilon that the analyst has left"]]
    index: Annotated[int, "its entry of the log"]
    hash: Annotated[str, "of that entry"]
    proof: Annotated[list[str], "that the entry is in the log of the checkpoint"]
    checkpoint: CheckpointEntry
    consistency: NotRequired[ConsistencyEntry]
    hand_overs: NotRequired[Annotated[list[dict[str, str | int]], "of the holder's key"]]


class AnalystEntry(TypedDict):
    """What one analyst asked and spent."""

    analyst: Annotated[str, "a digest that stands for the person in this log"]
    person: Annotated[str | None, "null where no key of theirs is known"]
    answered: int
    refused: int
    spent: Annotated[float, "epsilon"]
    left: Annotated[float | None, "epsilon; null without a budget"]


class GuardedTableEntry(TypedDict):
    """How a guarded table stands."""

    dataset: str
    table: Annotated[str, "its name in its database"]
    kind: Annotated[str, "of answers"]
    records: int
    entries: Annotated[int, "entries of the log"]
    hash: Annotated[str, "of the last entry"]
    policy: Annotated[str, "digest of the policy"]
    answered: int
    refused: int
    refused_by_reason: dict[str, int]
    span: Annotated[int | None, "independent equations that were answered; null without that audit"]
    budget: Annotated[float | None, "epsilon of each analyst; null without differential privacy"]
    total_budget: Annotated[float | None, "epsilon of all analysts; null where it is not limited"]
    spent: Annotated[float, "epsilon of all analysts"]
    analysts: list[AnalystEntry]
    read_only: Annotated[str | None, "why nothing can be decided now"]
    unreadable: Annotated[str | None, "why the table cannot be asked now"]


class QueryStatusDocument(Headed[Literal["divulge query status"]]):
    """`divulge query status --json`."""

    tables: list[GuardedTableEntry]
