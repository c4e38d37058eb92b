"""The document of ``divulge reproduce``: published numbers beside ours."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Headed


class PublishedEntry(TypedDict):
    """A number that a paper prints, and ours."""

    what: str
    printed: Annotated[float | None, "null where the paper draws it and prints no number"]
    ours: Annotated[float | None, "null where it has no value; `why` says why"]
    digit: Annotated[float, "unit of the last printed digit: ours agrees rounded or cut off there"]
    tolerance: Annotated[float | None, "how far ours may be off instead, where it is an average of draws"]
    standard_error: Annotated[float | None, "of ours; null where nothing is drawn"]
    agrees: Annotated[bool | None, "null where nothing is printed"]
    why: Annotated[str, "the reason where the two differ; empty where there is nothing to say"]


class ClaimEntry(TypedDict):
    """A statement of a paper that numbers can contradict."""

    says: str
    holds: bool
    why: str


class CurveEntry(TypedDict):
    """A line of a chart."""

    name: str
    published: Annotated[bool, "whether it is drawn from numbers that the paper prints"]
    points: list[list[float]]


class FigureEntry(TypedDict):
    """A chart."""

    title: str
    x: str
    y: str
    logarithmic: Annotated[str, "the axes that are, such as `x` or `xy`"]
    categories: Annotated[list[str], "names of the places on x; empty where x is a number"]
    curves: list[CurveEntry]


class TabulationEntry(TypedDict):
    """A table."""

    title: str
    columns: list[str]
    rows: list[list[str | float | None]]


class ExperimentEntry(TypedDict):
    """One figure, table or example of a paper."""

    paper: Annotated[str, "short name of the paper"]
    item: str
    title: str
    where: Annotated[str, "in the paper"]
    shows: str
    caveat: Annotated[str, "what is not as in the paper; empty where nothing is"]
    full: Annotated[bool, "whether it was run as large as in the paper"]
    seconds: float
    undefined: Annotated[str | None, "why it could not be run; null where it was"]
    numbers: list[PublishedEntry]
    claims: list[ClaimEntry]
    figures: list[FigureEntry]
    tables: list[TabulationEntry]
    notes: list[str]


class PaperEntry(TypedDict):
    """A paper of which something was reproduced."""

    name: str
    title: str
    references: list[str]


class ReproductionDocument(Headed[Literal["divulge reproduction"]]):
    """`divulge reproduce PAPER --json`."""

    papers: list[PaperEntry]
    agree: Annotated[int, "printed numbers that ours agree with"]
    differ: Annotated[int, "printed numbers that ours differ from, each with its reason"]
    experiments: list[ExperimentEntry]
