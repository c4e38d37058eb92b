"""What a search found as a document: plain values, few people not counted."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from divulge import documents
from divulge._support.small_counts import hidden_part
from divulge.anonymization.local import records_with_suppressed_cells, suppressed_cells
from divulge.anonymization.result.forms import level_forms
from divulge.anonymization.result.held_checks import checks_by_level, held_checks
from divulge.anonymization.result.methods import methods_of_search
from divulge.anonymization.result.notes import release_notes
from divulge.anonymization.result.unsaid import loss_of_best, unsaid_loss, unsaid_risk
from divulge.documents.making.anonymization import AnonymizationDocument
from divulge.generalization.transformations import Transformation

if TYPE_CHECKING:
    from divulge.anonymization.found import Anonymization

NOT_ASKED = "it was not asked for"


def search_document(found: Anonymization, *, front: bool = True) -> AnonymizationDocument:
    """Everything as plain values; the front may be left out, since it can take as long as the search."""
    loss, policy, schema = found.lattice.costs.loss, found.policy, found.data.schema
    certificate, records = found.certificate, found.data.records
    points, why = found.front_or_reason if front else (None, NOT_ASKED)
    body: dict[str, Any] = {
        "name": found.name,
        "loss": loss.name,
        "loss_title": loss.title,
        "formula": loss.formula,
        "suppress": found.suppress,
        "records": records,
        "quasi_identifiers": list(found.best.levels),
        "sensitive": list(schema.sensitive),
        "proposed": found.proposed,
        "shows_values": False,
        "policy": None if policy.text is None else {"name": Path(policy.name).name, "digest": policy.digest},
        "checks": held_checks(*checks_by_level(found)),
        "hierarchies": _hierarchies(found),
        "notes": release_notes(found),
        "best": _entry(found.best, found),
        "next": [_entry(one, found) for one in found.result.best[1:]],
        "local": _local(found),
        "front": None if points is None else [_entry(one, found) for one in points],
        "front_undefined": why,
        "certificate": {**asdict(certificate), "excluded": dict(certificate.excluded)},
        "sentence": found.sentence,
    }
    body["methods"] = methods_of_search(body)
    body["provenance"] = found.provenance.to_dict()
    document: AnonymizationDocument = documents.headed("anonymization", body)
    return document


def _hierarchies(found: Anonymization) -> dict[str, Any]:
    levels = {one.name: one for one in found.lattice.table.attributes}
    return {
        name: {
            "levels": one.levels,
            "made": name in found.made,
            "file": None if one.path is None else Path(one.path).name,
            "values": [len(groups) for groups in levels[name].leaves],
            "forms": level_forms(levels[name]),
        }
        for name, one in found.hierarchies.items()
    }


def _entry(one: Transformation, found: Anonymization) -> dict[str, Any]:
    """A transformation as a document has it; few suppressed records are not counted.

    Who has the release can count those that are suppressed in it, and of others only we can.
    """
    best = one.levels == found.best.levels
    return {
        "loss": loss_of_best(found) if best else unsaid_loss(one, found.lattice),
        **_suppressed(one.suppressed, one.risk, found.data.records),
        "classes": one.classes,
        "levels": dict(one.levels),
    }


def _suppressed(count: int, risk: float, records: int) -> dict[str, Any]:
    """How many records are suppressed, with a risk that does not say it where it is hidden."""
    said = hidden_part(count, records)
    return {
        "suppressed": said,
        "risk": unsaid_risk(risk, records - count) if isinstance(said, str) else risk,
    }


def _local(found: Anonymization) -> dict[str, Any] | None:
    """The local recoding that was released, beside the global optimum."""
    local, table = found.local, found.lattice.table
    if local is None:
        return None
    kept = ~local.suppressed
    sizes, records = table.sizes[kept], found.data.records
    levels = dict(zip((one.name for one in table.attributes), local.levels[kept].T, strict=True))
    split = {table.attributes[place].name for place in (local.ranges.ranks if local.ranges else ())}
    few = isinstance(hidden_part(records_with_suppressed_cells(found.lattice, local), records), str)
    suppressed = int(table.sizes[local.suppressed].sum())
    whole = loss_of_best(found)
    return {
        "kind": local.kind,
        "alike": local.alike,
        "loss": local.loss,
        "share": local.loss / whole if whole else None,
        **_suppressed(suppressed, local.groups / max(int(sizes.sum()), 1), records),
        "suppressed_cells": None if few else suppressed_cells(found.lattice, local),
        "classes": local.groups,
        "levels": {
            name: {
                "lowest": int(levels[name].min()),
                "highest": int(levels[name].max()),
                "mean": round(float(np.average(levels[name], weights=sizes)), 2),
            }
            for name in found.best.levels
            if name not in split
        },
    }
