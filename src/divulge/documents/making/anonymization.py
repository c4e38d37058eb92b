"""The document of ``divulge anonymize``: the transformation of least loss, and how that is known."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from divulge.documents.fields import Count, Headed, Outcome, PolicyEntry
from divulge.documents.provenance import MethodsEntry, ProvenanceEntry


class TransformationEntry(TypedDict):
    """A level for each quasi-identifier, and what becomes of the table."""

    loss: float
    suppressed: Annotated[Count, "records whose quasi-identifiers are suppressed"]
    classes: Annotated[int, "groups of records that are left"]
    risk: Annotated[
        float | None,
        "average re-identification risk of the records that are left, rounded beside a hidden count; null "
        "where even that would say how few are suppressed",
    ]
    levels: Annotated[dict[str, int], "by quasi-identifier; 0 keeps the values"]


class LevelRangeEntry(TypedDict):
    """The levels that one quasi-identifier has in a local recoding."""

    lowest: int
    highest: int
    mean: Annotated[float, "over the records that are left, to two digits"]


class LocalEntry(TypedDict):
    """A local recoding, in which groups have levels of their own."""

    kind: Annotated[
        Literal["levels", "numbers", "cells"],
        "groups with `levels` of their own, `numbers` split where they lie, or single `cells` suppressed",
    ]
    alike: Annotated[bool, "whether nothing less is lost, so that the global optimum is released"]
    loss: float
    share: Annotated[float | None, "of the loss of the global optimum; null where that is 0"]
    suppressed: Annotated[Count, "records whose quasi-identifiers are suppressed"]
    suppressed_cells: Annotated[
        int | None,
        "cells that are suppressed, those of these records among them; null where few records have one",
    ]
    classes: Annotated[int, "groups of records that are left"]
    risk: Annotated[float | None, "as that of a transformation"]
    levels: Annotated[dict[str, LevelRangeEntry], "by quasi-identifier, those left out that were split"]


class CertificateEntry(TypedDict):
    """How it is known that nothing better exists."""

    transformations: Annotated[int, "that there are"]
    evaluated: Annotated[int, "whose groups were counted"]
    excluded: Annotated[dict[str, int], "without counting, by law: `coarsening` or `loss bound`"]
    proved: Annotated[bool, "whether the best is known to be the best"]
    bound: Annotated[float | None, "the least loss that one not looked at could have; null where none could"]
    stopped: Annotated[
        Literal["time", "interrupt"] | None, "what ended the search early: its time, or Ctrl-C"
    ]


class HierarchyEntry(TypedDict):
    """The hierarchy of a quasi-identifier."""

    levels: Annotated[int, "above the values themselves"]
    made: Annotated[bool, "whether it was made from the values, not given"]
    file: Annotated[str | None, "name of the file that it was read from"]
    values: Annotated[list[int], "values or groups that occur at level 0, 1 and so on"]
    forms: Annotated[list[str], "what the attribute is released as at level 0, 1 and so on, in words"]


class HeldReadingEntry(TypedDict):
    """What a check finds in one of the two tables."""

    outcome: Outcome
    found: Annotated[float | None, "the value found; null where there is none or it is infinite"]
    found_text: Annotated[str, "the value in words"]
    undefined: Annotated[str | None, "why there is no value"]
    found_is_below: NotRequired[
        Annotated[bool, "whether `found` is a bound because fewer than five people are concerned"]
    ]
    found_is_above: NotRequired[
        Annotated[bool, "whether `found` is a bound because all but fewer than five people are concerned"]
    ]


class HeldCheckEntry(TypedDict):
    """A check of the policy, on the original and on the release."""

    measure: Annotated[str, "a measure, a question as `singled_out`, or a bound as `linked_distance`"]
    title: str
    target: Annotated[str, "`@record` for re-identification, or attributes to be inferred"]
    severity: Annotated[Literal["fail", "warn"], "what follows if it does not hold"]
    asked: Annotated[str, "the requirement in words"]
    before: HeldReadingEntry
    after: HeldReadingEntry


class AnonymizationDocument(Headed[Literal["divulge anonymization"]]):
    """`divulge anonymize --json`."""

    name: Annotated[str, "name of the table"]
    loss: Annotated[str, "name of the loss"]
    loss_title: Annotated[str, "the loss in words"]
    formula: Annotated[str, "of the loss"]
    suppress: Annotated[float, "largest share of records that may be suppressed"]
    records: Annotated[int, "all records of the table"]
    quasi_identifiers: list[str]
    sensitive: list[str]
    proposed: Annotated[bool, "whether roles were suggested, not given"]
    shows_values: Annotated[bool, "whether values of records are named: never"]
    policy: Annotated[PolicyEntry | None, "the policy; null where thresholds came from options"]
    checks: Annotated[list[HeldCheckEntry], "what is asked, before and after"]
    hierarchies: dict[str, HierarchyEntry]
    best: TransformationEntry
    next: Annotated[list[TransformationEntry], "up to nine that come after the best"]
    local: Annotated[
        LocalEntry | None,
        "what is released with `--local`, `--mondrian` or `--suppress-cells`; `best` is the global optimum",
    ]
    front: Annotated[
        list[TransformationEntry] | None,
        "those that no other beats in both loss and risk, the best first; null with the reason",
    ]
    front_undefined: Annotated[str | None, "why there is no front"]
    certificate: CertificateEntry
    sentence: Annotated[str, "the certificate in words"]
    methods: MethodsEntry
    provenance: ProvenanceEntry
