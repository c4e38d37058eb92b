"""The document of ``divulge transform``: what was done to a table."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Count, Headed

Plain = str | float | bool | None
Inner = Plain | list[Plain] | dict[str, Plain]
Middle = Plain | list[Inner] | dict[str, Inner]
ParameterValue = Plain | list[Middle] | dict[str, Middle]


class RecipeEntry(TypedDict):
    """The recipe that was applied."""

    name: Annotated[str, "name of its file"]
    digest: Annotated[str | None, "SHA-256 of its contents; null in the copy that may be shared"]


class InputEntry(TypedDict):
    """The table that was read."""

    digest: Annotated[str | None, "SHA-256 of its file; null where it is no single file"]
    records: Annotated[int, "all records of the table"]


class OutputEntry(TypedDict):
    """The release."""

    digest: Annotated[str | None, "SHA-256 of its file; null where it is no single file"]
    records: Annotated[Count, "records in it"]


class PromiseEntry(TypedDict):
    """Something that holds for the output of a step, or of all."""

    name: Annotated[str, "such as `k`, `epsilon` or `delta`"]
    value: float
    about: Annotated[str, "which attributes, or under which condition; empty where for all"]


class StepEntry(TypedDict):
    """A step of the recipe, and what it changed."""

    index: Annotated[int, "from 1 on"]
    mechanism: str
    random: Annotated[bool, "whether something is drawn"]
    attributes: list[str]
    parameters: Annotated[dict[str, ParameterValue], "a hierarchy as its number of levels"]
    withheld: Annotated[list[str], "parameters left out of the copy that may be shared"]
    removed: Annotated[list[str], "attributes that the step removed"]
    added: Annotated[list[str], "attributes that the step added"]
    left_out: Annotated[Count | None, "records that the step left out; null in the shared copy"]
    new_records: Annotated[Count | None, "records that the step added; null in the shared copy"]
    cells_changed: Annotated[
        dict[str, Count] | None,
        "values that the step changed, by attribute; null in the shared copy, and for made-up records",
    ]
    promises: list[PromiseEntry]


class ManifestDocument(Headed[Literal["divulge manifest"]]):
    """`divulge transform --manifest FILE` and `--json`."""

    shared: Annotated[bool, "whether this is the copy that may travel with the data"]
    recipe: RecipeEntry
    seed: Annotated[int | None, "of what was drawn; null where nothing was, and in the shared copy"]
    row_key: Annotated[str | None, "the attribute by which records draw; null: by the number of their row"]
    engine: Annotated[str, "where the release was made"]
    versions: Annotated[dict[str, str], "of Python and of the libraries that take part"]
    input: Annotated[InputEntry | None, "null in the shared copy"]
    output: OutputEntry
    rows: Literal["shuffled", "in the order of the original"]
    steps: list[StepEntry]
    unchanged: Annotated[
        list[str] | None,
        "attributes that no step changed; null in the shared copy, empty for made-up records",
    ]
    promises: Annotated[list[PromiseEntry], "of the release as a whole"]
    notes: list[str]
