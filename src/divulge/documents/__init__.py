"""JSON documents: a typed definition of each, its JSON Schema, and the head that all of them have.

``divulge.documents.audit.AuditDocument`` and its neighbours are the definitions; the schemas are written
from them by ``scripts/write_documents.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from divulge import __version__
from divulge._support.wording import plain_zeros
from divulge.errors import ParameterError

__all__ = ["DOCUMENTS", "as_json", "schema"]

#: Every kind of document: the module and the class that define it.
DOCUMENTS = {
    "audit": ("audit", "AuditDocument"),
    "comparison": ("comparison", "ComparisonDocument"),
    "readings": ("readings", "ReadingsDocument"),
    "utility": ("utility", "UtilityDocument"),
    "estimate": ("utility", "EstimateDocument"),
    "linkage": ("people", "LinkageDocument"),
    "uniqueness": ("people", "UniquenessDocument"),
    "watch": ("readings", "WatchDocument"),
    "attacker": ("attacker", "AttackerDocument"),
    "mechanism": ("attacker", "MechanismDocument"),
    "epsilon": ("attacker", "EpsilonDocument"),
    "mix": ("attacker", "MixDocument"),
    "trace": ("attacker", "TraceDocument"),
    "typical": ("attacker", "TypicalDocument"),
    "degrees": ("attacker", "DegreesDocument"),
    "release simulation": ("release", "SimulationDocument"),
    "release check": ("release", "ReleaseCheckDocument"),
    "release status": ("release", "StatusDocument"),
    "query answer": ("release", "QueryAnswerDocument"),
    "query status": ("release", "QueryStatusDocument"),
    "verification": ("release", "VerificationDocument"),
    "manifest": ("making.manifest", "ManifestDocument"),
    "anonymization": ("making.anonymization", "AnonymizationDocument"),
    "table": ("making.tables", "TableDocument"),
    "reproduction": ("papers.reproduction", "ReproductionDocument"),
    "guide": ("tools", "GuideDocument"),
    "doctor": ("tools", "DoctorDocument"),
}
VERSION = 1


def headed(kind: str, body: Mapping[str, Any]) -> Any:
    """A document: what it is, its version, the version of divulge that wrote it, and its contents.

    >>> list(headed("epsilon", {"epsilon": 1.0}))
    ['document', 'version', 'divulge', 'epsilon']
    """
    return {"document": f"divulge {kind}", "version": VERSION, "divulge": __version__, **body}


def as_json(document: Mapping[str, Any]) -> str:
    """The document as JSON text, in full precision."""
    return json.dumps(plain_zeros(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document.

    >>> schema("audit")["title"]
    'divulge audit'
    """
    if kind not in DOCUMENTS:
        raise ParameterError(f"There is no document '{kind}'.", hint=f"There are {', '.join(DOCUMENTS)}.")
    file = resources.files("divulge.documents") / "schemas" / file_name(kind)
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def file_name(kind: str) -> str:
    """The file of a schema.

    >>> file_name("release status")
    'release-status.json'
    """
    return f"{kind.replace(' ', '-')}.json"
