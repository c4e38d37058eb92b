"""How a release was searched for, in a paragraph for a report or a paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge import __version__
from divulge._support.references import REFERENCES
from divulge._support.small_counts import SMALL
from divulge._support.wording import enumerated, in_words, many, number, percent
from divulge.measures import MEASURES

LISTED = 40  # names up to which all are spelled out


def methods_of_search(document: Mapping[str, Any]) -> dict[str, Any]:
    """The paragraph of a search, from its document."""
    made = [name for name, one in document["hierarchies"].items() if one["made"]]
    given = [name for name in document["hierarchies"] if name not in made]
    asked = dict.fromkeys(f"{check['title']} ({check['asked']})" for check in document["checks"])
    roles = "suggested by the software from names and values" if document["proposed"] else "given"
    sentences = [
        f"A release of a table of {many(document['records'])} records was searched for with divulge "
        f"{__version__}",
        f"Quasi-identifiers: {enumerated(document['quasi_identifiers'], most=LISTED)}",
        f"Sensitive attributes: {enumerated(document['sensitive'], most=LISTED)}"
        if document["sensitive"]
        else "",
        f"These roles were {roles}",
        f"Hierarchies were given for {enumerated(given, most=LISTED)}" if given else "",
        f"Hierarchies were made from the values of {enumerated(made, most=LISTED)}" if made else "",
        f"The release had to meet {'; '.join(asked)}",
        f"Records of groups beyond a threshold could be suppressed, up to {percent(document['suppress'])} of "
        "all"
        if document["suppress"]
        else "No record could be suppressed",
        f"The loss was {document['loss']}: {document['formula']}",
        document["sentence"].rstrip("."),
        _released(document),
        f"Numbers of fewer than {SMALL} people are not reported",
    ]
    measures = {check["measure"] for check in document["checks"]}
    keys = {one.reference for one in MEASURES.values() if one.name in measures}
    return {
        "text": " ".join(f"{one}." for one in sentences if one),
        "references": [REFERENCES[key] for key in sorted(keys)],
    }


def _released(document: Mapping[str, Any]) -> str:
    """What was released in the end, and at which loss."""
    best, local = document["best"], document["local"]
    one = best if local is None else local
    said = f"{in_words(one['suppressed'])} of {many(document['records'])} records suppressed"
    if local is not None:
        return (
            f"Then groups were recoded locally: loss {number(local['loss'])} in place of "
            f"{number(best['loss'])}, {said}"
        )
    levels = ", ".join(f"{name} {level}" for name, level in best["levels"].items())
    return f"The release has these levels: {levels}; its loss is {number(best['loss'])}, {said}"
