"""What the local page is told: figures of a release under some choices."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from divulge.documents.fields import Count, WhyUndefined
from divulge.documents.utility import CorrelationEntry, NeedEntry, TotalEntry


class GroupSizesEntry(TypedDict):
    """Groups of some size."""

    label: Annotated[str, "sizes of groups, such as `1` or `5 to 9`"]
    people: Annotated[float | str, "share of the records that are in such groups"]
    few: Annotated[bool, "whether a record of such a group is below the least size that was asked for"]


class RiskAboveEntry(TypedDict):
    """A point of the risk curve."""

    threshold: float
    share: Annotated[float | str, "share of all released records with a higher chance to be named"]


class RiskEntry(TypedDict):
    """How likely an attacker names a person of the table."""

    attacker: Annotated[str, "`prosecutor`, `journalist` or `marketer`"]
    risk: Annotated[float | None, "null where it would say how few people a group has"]
    text: str
    above: Annotated[list[RiskAboveEntry], "the risk curve; empty for the marketer"]


class LearnedEntry(TypedDict):
    """What an attacker learns about a sensitive attribute."""

    attribute: str
    rate: Annotated[float | None, "discrimination rate: the share of what is unknown that the groups tell"]
    undefined: Annotated[str | None, "why there is no rate"]
    guessed_before: Annotated[float, "share of people whose value the most frequent one is"]
    guessed_after: Annotated[float, "share of people whose value is the most frequent one of their group"]
    certain: Annotated[float | str, "share of people in groups with a single value"]


class ThresholdEntry(TypedDict):
    """A threshold or another demand of a policy, and whether it holds."""

    name: str
    bound: str
    holds: Annotated[bool | None, "null where only the release itself can tell"]
    warns: Annotated[bool, "whether a release that does not meet it passes with a warning"]
    found: Annotated[str, "what was found where that is no figure; otherwise empty"]


class AsItIsEntry(TypedDict):
    """An attribute without a role, which is released as it is."""

    attribute: str
    about: Annotated[str, "what is known of it"]
    risk: Annotated[bool, "whether it may identify people"]
    names: Annotated[bool, "whether it names people, so that the release fails"]


class OriginalFiguresEntry(TypedDict):
    """The same attacker before anything is done."""

    smallest: Annotated[Count, "people in the smallest group"]
    unique: Annotated[Count, "people who are alone"]
    unique_share: float | str


class FiguresEntry(TypedDict):
    """Figures of a release under some choices."""

    records: int
    left: Annotated[Count, "records that are not suppressed"]
    suppressed: Annotated[Count, "records that are suppressed"]
    suppressed_share: float | str
    incomplete: Annotated[Count, "records with a gap, which are released and in no group"]
    within_limit: Annotated[bool, "whether no more is suppressed than allowed"]
    groups: Annotated[int, "groups of records alike in what the attacker knows"]
    smallest: Annotated[Count | None, "people in the smallest group; null where no record is left"]
    unique: Annotated[Count, "people who are alone with what the attacker knows"]
    unique_share: float | str
    original: Annotated[OriginalFiguresEntry, "before anything is done"]
    sizes: list[GroupSizesEntry]
    risks: list[RiskEntry]
    learned: list[LearnedEntry]
    thresholds: list[ThresholdEntry]
    as_it_is: Annotated[list[AsItIsEntry], "attributes without a role, those that are a risk first"]
    loss: float | None
    loss_undefined: Annotated[str | None, "why there is no loss"]
    loss_by_attribute: dict[str, float]
    sentence: str
    assumed: Annotated[str, "what the attacker is taken to know, and what the table is a sample of"]


class LevelEntry(TypedDict):
    """A level of a hierarchy."""

    groups: Annotated[int, "how many groups the values are in"]
    names: Annotated[list[str], "some of the groups"]
    masked: Annotated[int, "groups of fewer than five people, which are not named while records are locked"]
    cuts: Annotated[list[float] | None, "where ranges of numbers begin; null where groups are no ranges"]


class ExploredAttributeEntry(TypedDict):
    """An attribute on the page."""

    name: str
    role: str
    reasons: Annotated[list[str], "why this role was suggested"]
    type: str
    values: int
    missing: Count
    levels: Annotated[list[LevelEntry], "level 0 first; empty without a hierarchy"]
    made: Annotated[bool, "whether the hierarchy was made from the values"]
    numeric: bool
    whole: Annotated[bool, "whether all values are whole numbers"]
    span: Annotated[list[float] | None, "the least and the largest number"]


class ColumnReadEntry(TypedDict):
    """How a column was read."""

    name: str
    type: Annotated[str, "`number`, `date`, `code` or `category`"]
    detected: Annotated[str, "the type that its values have"]
    labels: Annotated[list[list[str]], "some of the value labels of the file: a code and its label"]
    labelled: Annotated[int, "how many codes have a label"]


class ReadingOptionEntry(TypedDict):
    """What may be said of how a file is read."""

    name: str
    help: str
    choices: Annotated[list[str], "what it may be, where that is one of few"]
    flag: Annotated[bool, "whether it is said or not"]
    value: Annotated[str, "what was said; empty where nothing was"]


class OpeningEntry(TypedDict):
    """The first records, and how the table is read."""

    names: list[str]
    rows: Annotated[list[list[str]], "masked until values are shown"]
    columns: list[ColumnReadEntry]
    options: list[ReadingOptionEntry]
    kind: Annotated[str, "what kind of file it is, such as `a CSV file`"]


class MechanismParameterEntry(TypedDict):
    """What may be said of a step."""

    name: str
    kind: str
    help: str
    required: bool
    default: Annotated[str, "as a form shows it; empty where nothing is the default"]
    bounds: Annotated[str, "the numbers it may be, in words"]
    choices: list[str]
    example: str


class MechanismEntry(TypedDict):
    """A mechanism that can be a further step."""

    name: str
    title: str
    summary: str
    takes: str
    drawn: Annotated[str, "whether anything is drawn, and from what"]
    promise: Annotated[str, "what it guarantees, in words"]
    names_attributes: bool
    parameters: list[MechanismParameterEntry]


class FurtherStepEntry(TypedDict):
    """A further step, as its form says it."""

    mechanism: str
    title: str
    attributes: list[str]
    said: Annotated[dict[str, Any], "texts, flags and names of attributes, by parameter"]


class MapEntry(TypedDict):
    """Transformations as points."""

    done: int
    transformations: int
    region: Annotated[
        list[list[float]], "where releases meet the policy: loss from and to, least and largest risk"
    ]
    points: Annotated[
        list[dict[str, Any]],
        "`loss`, `risk`, `meets` (null where groups do not decide it), `front`, `possible` (on the front of "
        "what is not decided) and `levels`",
    ]
    undecided: Annotated[list[str], "demands of the policy that no point says anything of"]


class DistributionBarsEntry(TypedDict):
    """How records are spread over the released groups of an attribute."""

    attribute: str
    bars: Annotated[list[dict[str, Any]], "`label`, and the shares `before` and `after`"]


class BeforeAfterEntry(TypedDict):
    """The original and the release side by side, as `divulge compare` finds it."""

    people: Annotated[str, "what these attackers know, beside those of the figures"]
    attacks: Annotated[list[dict[str, Any]], "`attack`, `title`, `knows`, `risk`, `sentence` and `undefined`"]
    needs: list[NeedEntry]
    correlations: list[CorrelationEntry]
    totals: Annotated[list[TotalEntry], "of amounts: no identifiers, weights or codes"]
    totals_of: Annotated[str, "`population`, or `records` where nothing says what the table is a sample of"]
    distributions: list[DistributionBarsEntry]


class PopulationFigureEntry(TypedDict):
    """A figure of the population, as `divulge uniqueness` finds it on the release."""

    title: str
    unit: Annotated[str, "`people` or `share`"]
    value: Annotated[float | str | None, "a text where a small count is hidden"]
    interval: Annotated[list[float] | None, "ends between which it lies"]
    undefined: WhyUndefined


class ProtectingEntry(TypedDict):
    """A single change that puts a record into a group of the least size that is asked for."""

    attribute: str
    level: Annotated[int, "the lowest that is enough, the others staying as they are"]


class RiskyRecordEntry(TypedDict):
    """A record in a small group."""

    row: Annotated[int, "in the table, from 1 on"]
    group: Annotated[Count, "people in its group"]
    unique_by: Annotated[list[list[str]], "minimal sets of attributes that make it unique"]
    protected_by: Annotated[list[ProtectingEntry], "single changes that protect it"]
    values: Annotated[dict[str, str], "masked while records are locked"]


class ExplorerEntry(TypedDict):
    """Everything that the page shows at once."""

    version: Annotated[str, "of divulge"]
    name: Annotated[str, "of the table, as it was given"]
    records: int
    choices: Annotated[dict[str, Any], "roles, levels, thresholds and the rest, as a session file has them"]
    undo: Annotated[bool, "whether there is something to undo"]
    redo: Annotated[bool, "whether something was undone"]
    history: Annotated[list[str], "what was changed, in a few words each"]
    place: Annotated[int, "where in the history the choices of now are"]
    pins: Annotated[list[dict[str, Any]], "pinned releases: `name`, and some figures or a `sentence`"]
    unlocked: Annotated[bool, "whether values of records are shown"]
    reading: Annotated[dict[str, Any], "what was said of how the table is read"]
    files_beside: Annotated[list[str], "files beside the table that may be one of the population"]
    steps: Annotated[str, "the further steps as a recipe writes them"]
    further: list[FurtherStepEntry]
    certificate: Annotated[
        str, "how it is known that the release of now has the least loss; empty if it is not"
    ]
    attributes: list[ExploredAttributeEntry]
    figures: Annotated[FiguresEntry | None, "null without a quasi-identifier"]
    files: Annotated[dict[str, str], "recipe, policy and script by their names"]
