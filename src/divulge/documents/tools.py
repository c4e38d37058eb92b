"""The documents of ``divulge guide`` and ``divulge doctor``."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Headed


class AdviceEntry(TypedDict):
    """A measure, an attack or a mechanism that fits."""

    measure: Annotated[str, "its name"]
    title: str
    why: str
    reference: Annotated[str, "key of the paper"]
    command: Annotated[str, "what to run, with names to fill in"]


class GuideDocument(Headed[Literal["divulge guide"]]):
    """`divulge guide --json`."""

    answers: Annotated[dict[str, str | bool], "what was said about the attacker"]
    advice: Annotated[list[AdviceEntry], "measures, the best first"]
    attacks: Annotated[list[AdviceEntry], "to try on a release of a table"]
    mechanisms: Annotated[list[AdviceEntry], "that raise the attacker's error, for a table"]


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
