"""The part of an audit's document about each attribute: its type, its values and their distribution."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Count, Share

AttributeKind = Literal["number", "date", "category", "text", "identifier-like"]


class ProfileBarEntry(TypedDict):
    """One bar of a distribution."""

    label: Annotated[str | None, "the value, or the ends of the bin, only if values are shown"]
    share: Annotated[Share, "of the records in all bars, to the nearest `step`"]


class SpreadEntry(TypedDict):
    """How records are spread over the values of an attribute, no count of people being said."""

    form: Annotated[Literal["histogram", "groups"], "bins of equal width, or the largest groups first"]
    bars: list[ProfileBarEntry]
    step: Annotated[float, "what shares are rounded to: at least ten records; 0 with `--exact-counts`"]
    values: Annotated[int, "different values that the bars of groups leave out, each of few records"]


class ProfileEntry(TypedDict):
    """An attribute: its type, how many values it has, and how these are spread."""

    name: str
    type: AttributeKind
    values: Annotated[int, "different values"]
    missing: Annotated[Count, "records without a value"]
    distribution: SpreadEntry | None
    undefined: Annotated[str | None, "why there is no distribution"]
