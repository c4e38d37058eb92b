"""What several documents share: a count that may be hidden, a check, a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, Literal, NotRequired, TypedDict, TypeVar


@dataclass(frozen=True)
class TextForm:
    """What a text that stands for a number of people looks like, as a regular expression."""

    expression: str
    number: Literal["count", "share"]


Title = TypeVar("Title")
HiddenCount = Annotated[str, TextForm(r"^[<>~][0-9]+$", "count")]
Count = int | HiddenCount
HiddenShare = Annotated[str, TextForm(r"^[<>][0-9.]+$", "share")]
Share = float | HiddenShare
Outcome = Literal["pass", "warn", "fail", "not evaluated"]
WhyUndefined = Annotated[str | None, "why there is no number"]
ShowsValues = Annotated[bool, "whether values of records are named"]


class Headed(TypedDict, Generic[Title]):
    """What every document begins with."""

    document: Title
    version: Annotated[Literal[1], "changes when a name or a meaning does"]
    divulge: Annotated[str, "version of divulge that wrote the document"]


class PolicyEntry(TypedDict):
    """The policy that was applied."""

    name: Annotated[str, "name of its file"]
    digest: Annotated[str, "SHA-256 of its contents"]


class BaselineEntry(TypedDict):
    """The same check in an earlier audit."""

    found: Annotated[float | None, "what was found then; null where it had no value"]
    worse: Annotated[bool, "whether the reading got worse"]


Parameter = str | float | bool | list[int] | list[float]


class CheckEntry(TypedDict):
    """A question or a threshold, and what was found."""

    measure: Annotated[str, "a measure, a question as `singled_out`, or a bound as `linked_distance`"]
    title: str
    parameters: Annotated[dict[str, Parameter], "parameters of the measure"]
    keys: Annotated[list[str], "attributes that the attacker knows"]
    target: Annotated[str, "`@record` for re-identification, or attributes to be inferred"]
    severity: Annotated[Literal["fail", "warn"], "what follows if it does not hold"]
    outcome: Outcome
    adjusted: Annotated[bool, "whether the bound is on the reading adjusted for chance"]
    min: Annotated[float | None, "least value allowed"]
    max: Annotated[float | None, "largest value allowed"]
    asked: Annotated[str, "the requirement in words"]
    found: Annotated[float | None, "the value found; null where there is none or it is infinite"]
    found_is_below: NotRequired[
        Annotated[bool, "whether `found` is a bound because fewer than five people are concerned"]
    ]
    found_is_above: NotRequired[
        Annotated[bool, "whether `found` is a bound because all but fewer than five people are concerned"]
    ]
    found_text: Annotated[str, "the value in words"]
    undefined: Annotated[str | None, "why there is no value"]
    records: Annotated[Count | None, "records concerned"]
    share: Annotated[float | None, "their share; null where the count is hidden"]
    not_counted: NotRequired[
        Annotated[Count, "people in groups smaller than three, whom `learned` does not count"]
    ]
    brief: NotRequired[Annotated[str, "what was found, for a headline"]]
    sentence: Annotated[str, "what was found"]
    concerns: Annotated[str, "whom it concerns"]
    why: Annotated[str, "why it matters"]
    fix: Annotated[str, "what would help"]
    baseline: Annotated[BaselineEntry | None, "the earlier audit, where one was given"]
