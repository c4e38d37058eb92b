"""The documents of ``divulge guide``, ``divulge doctor`` and ``divulge transform``."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Headed


class AdviceEntry(TypedDict):
    """A measure that fits."""

    measure: str
    title: str
    why: str
    reference: Annotated[str, "key of the paper"]


class GuideDocument(Headed[Literal["divulge guide"]]):
    """`divulge guide --json`."""

    answers: Annotated[dict[str, str | bool], "what was said about the attacker"]
    advice: Annotated[list[AdviceEntry], "the best first"]


class MachineEntry(TypedDict):
    """What this process may use; sizes are in bytes."""

    cores: int
    memory: int | None
    memory_available: int | None
    temporary_folder: str
    disk_free: int


class PartEntry(TypedDict):
    """Something that an engine may need."""

    name: str
    version: Annotated[str | None, "null where it is not installed"]
    get: Annotated[str | None, "how to install it"]
    optional: bool


class EngineEntry(TypedDict):
    """An engine and its self-test."""

    engine: str
    outcome: Literal["works", "fails", "missing", "left out"]
    parts: Annotated[dict[str, str | None], "versions of what it needs"]
    seconds: float | None
    says: Annotated[str | None, "what is wrong"]


class DoctorDocument(Headed[Literal["divulge doctor"]]):
    """`divulge doctor --json`."""

    python: str
    system: str
    machine: MachineEntry
    parts: list[PartEntry]
    engines: list[EngineEntry]
    healthy: Annotated[bool, "whether no self-test fails"]


Plain = str | bool | int | float | None


class RecipeEntry(TypedDict):
    """The recipe that was applied."""

    name: str
    digest: Annotated[str | None, "null in the copy that may be shared"]


class ManifestFileEntry(TypedDict):
    """A file that was read or written."""

    digest: Annotated[str | None, "null where it is no single file"]
    records: int


class PromiseEntry(TypedDict):
    """Something that is guaranteed of the release."""

    name: Annotated[str, "such as k or epsilon"]
    value: float
    about: Annotated[str, "attributes or condition"]


class StepRecordsEntry(TypedDict):
    """How many records there were."""

    before: int
    after: int


class StepEntry(TypedDict):
    """One step of the recipe, and what it changed."""

    number: int
    mechanism: str
    random: bool
    attributes: list[str]
    parameters: Annotated[
        dict[str, Plain | list[Plain | list[float]] | dict[str, Plain | list[Plain] | dict[str, int]]],
        "as applied, defaults included; a hierarchy as its number of levels",
    ]
    withheld: Annotated[list[str], "secret parameters that are left out of the copy that may be shared"]
    removed: Annotated[list[str], "attributes that are gone after it"]
    added: Annotated[list[str], "attributes that are new after it"]
    promises: list[PromiseEntry]
    records: NotRequired[StepRecordsEntry]
    cells_changed: NotRequired[
        Annotated[dict[str, int] | None, "by attribute; null where records cannot be put side by side"]
    ]


class ManifestDocument(Headed[Literal["divulge manifest"]]):
    """`divulge transform --manifest FILE` and `--json` ([recipes](recipes.md))."""

    shared: Annotated[bool, "whether it is the copy that may go out with the release"]
    recipe: RecipeEntry
    seed: Annotated[int | None, "null where nothing is drawn, and in the copy that may be shared"]
    input: Annotated[ManifestFileEntry | None, "null in the copy that may be shared"]
    output: ManifestFileEntry
    rows: Literal["shuffled", "in the order of the original"]
    steps: list[StepEntry]
    promises: Annotated[list[PromiseEntry], "those that hold for the whole release"]
    notes: Annotated[list[str], "why promises of single steps do not hold, and what no seed repeats"]
