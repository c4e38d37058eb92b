"""The document of ``divulge anonymize``: the transformation of least loss, and how that is known."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Count, Headed


class TransformationEntry(TypedDict):
    """A level for each quasi-identifier, and what becomes of the table."""

    loss: float
    suppressed: Annotated[Count, "records whose quasi-identifiers are suppressed"]
    classes: Annotated[int, "groups of records that are left"]
    risk: Annotated[float, "average re-identification risk of the records that are left"]
    levels: Annotated[dict[str, int], "by quasi-identifier; 0 keeps the values"]


class LocalEntry(TypedDict):
    """A local recoding, in which groups have levels of their own."""

    kind: Annotated[
        Literal["levels", "numbers", "cells"],
        "groups with `levels` of their own, `numbers` split where they lie, or single `cells` suppressed",
    ]
    loss: float
    suppressed: Annotated[Count, "records whose quasi-identifiers are suppressed"]
    suppressed_cells: Annotated[
        int | None,
        "cells that are suppressed, those of these records among them; null where few records have one",
    ]
    classes: Annotated[int, "groups of records that are left"]


class CertificateEntry(TypedDict):
    """How it is known that nothing better exists."""

    transformations: Annotated[int, "that there are"]
    evaluated: Annotated[int, "whose groups were counted"]
    excluded: Annotated[dict[str, int], "without counting, by law: `coarsening` or `loss bound`"]
    proved: Annotated[bool, "whether the best is known to be the best"]
    bound: Annotated[float | None, "the least loss that one not looked at could have; null where none could"]


class HierarchyEntry(TypedDict):
    """The hierarchy of a quasi-identifier."""

    levels: Annotated[int, "above the values themselves"]
    made: Annotated[bool, "whether it was made from the values, not given"]


class AnonymizationDocument(Headed[Literal["divulge anonymization"]]):
    """`divulge anonymize --json`."""

    loss: Annotated[str, "name of the loss"]
    formula: Annotated[str, "of the loss"]
    suppress: Annotated[float, "largest share of records that may be suppressed"]
    records: Annotated[int, "all records of the table"]
    quasi_identifiers: list[str]
    hierarchies: dict[str, HierarchyEntry]
    best: TransformationEntry
    next: Annotated[list[TransformationEntry], "up to nine that come after the best"]
    local: Annotated[
        LocalEntry | None,
        "what is released with `--local`, `--mondrian` or `--suppress-cells`; `best` is the global optimum",
    ]
    front: Annotated[
        list[TransformationEntry] | None,
        "those that no other beats in both loss and risk, the best first; null where there are too many",
    ]
    certificate: CertificateEntry
    sentence: Annotated[str, "the certificate in words"]
