"""The part of a document about what regulators ask ([what regulators ask](audit.md#what-regulators-ask))."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict


class RiskReadingEntry(TypedDict):
    """A reading that speaks to a risk."""

    what: str
    reads: Annotated[str, "in words"]


class NamedRiskEntry(TypedDict):
    """One of the three risks of Opinion 05/2014 of the Article 29 Working Party."""

    risk: Literal["singling out", "linkability", "inference"]
    question: str
    readings: list[RiskReadingEntry]
    not_measured: Annotated[list[str], "what the readings leave open"]


class RecognisedEntry(TypedDict):
    """An attribute that holds a listed identifier."""

    attribute: str
    by: Literal["name", "values", "role"]
    why: str


class ListedIdentifierEntry(TypedDict):
    """One of the 18 identifiers of 45 CFR 164.514(b)(2)(i)."""

    letter: Annotated[str, "of the regulation, A to R"]
    identifier: str
    found: list[RecognisedEntry]
    result: Annotated[str, "what was found, in words"]


class RegulatorsEntry(TypedDict):
    """Readings under the questions of two regulations; no legal assessment."""

    risks: list[NamedRiskEntry]
    identifiers: Annotated[list[ListedIdentifierEntry], "looked for by names and patterns of values"]
    note: str


class ReleaseRegulatorsEntry(RegulatorsEntry):
    """The same for one release."""

    release: str
