"""The parts of a document that say how it came about: methods in words, and what it was made from."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Count


class MethodsEntry(TypedDict):
    """What was done, as a paragraph for a report or a paper."""

    text: str
    references: Annotated[list[str], "of the measures and checks that it names"]


class FileEntry(TypedDict):
    """A table that was read."""

    role: Annotated[
        Literal["table", "original", "release", "population", "outside"], "what it is to the document"
    ]
    name: str
    records: Annotated[Count, "a bound where a release has all but a few of them"]
    sha256: Annotated[str | None, "SHA-256 of the file's bytes; in a comparison of releases only"]
    undefined: Annotated[str | None, "why there is no digest"]


class ProvenanceEntry(TypedDict):
    """What a document was made from, when and by which command."""

    date: Annotated[str, "when the work began, UTC; `SOURCE_DATE_EPOCH` fixes it"]
    files: Annotated[list[FileEntry], "every table that was read, the original of a comparison first"]
    policy_text: Annotated[list[str] | None, "lines of the policy, without comments, folders and values"]
    command: Annotated[
        str | None, "as typed, without values, folders and addresses of databases; null in Python"
    ]
