"""The words of a search's report: its headline, its parts, and what a reader may not know."""

from __future__ import annotations

from divulge._support.wording import amount, in_words, many, percent
from divulge.errors import counted
from divulge.report.shared.tables import Document

PARTS = {
    "result": "Result",
    "best": "Best transformations",
    "proof": "Proof",
    "local": "Local recoding",
    "hierarchies": "Hierarchies",
    "again": "Make it again",
    "methods": "Methods",
    "glossary": "Glossary",
    "made": "How this was made",
}
LAWS = {
    "coarsening": "Excluded by the coarsening law",
    "loss bound": "Excluded by their loss",
}
WHY = {
    "coarsening": "Nothing may be suppressed, and merging groups never raises these risks: what fails fails "
    "at every finer level.",
    "loss bound": "Suppressing a record never lowers this loss. What it is without suppression is known "
    "before anything is counted, and is higher than the best already.",
}
SEARCH_WORDS = (
    ("transformation", "A level for each quasi-identifier; then records beyond a threshold are suppressed."),
    ("level", "How coarse an attribute is released: 0 keeps the values, the highest is one group for all."),
    ("hierarchy", "For each value its group at level 1, 2 and so on, each level coarser than the last."),
    ("loss", "What the release gives up, by the formula on this page; smaller is better."),
    (
        "suppressed",
        "A record whose quasi-identifiers are all replaced by a mark, or that is left out of the release.",
    ),
    ("group", "The records with the same quasi-identifiers; also called an equivalence class."),
    (
        "average risk",
        "The average re-identification risk of the records that are left: groups divided by records.",
    ),
    ("front", "The transformations that no other beats in both loss and risk."),
    ("local recoding", "Groups have levels of their own, as fine as the thresholds of groups allow."),
    ("quasi-identifier", "An attribute that others may know and that may single someone out with others."),
    ("sensitive attribute", "An attribute that should not be learned about a person."),
)


LOCAL = {
    "levels": "Local recoding",
    "numbers": "Numbers split where they lie",
    "cells": "Single cells suppressed",
}


def released(document: Document) -> Document:
    """What was released: the local recoding, or else the best transformation."""
    local: Document | None = document["local"]
    found: Document = document["best"] if local is None or local["alike"] else local
    return found


def headline(document: Document) -> str:
    """The loss and the suppressed records of the release, in one line."""
    one = released(document)
    if one.get("kind") == "cells":
        cells = one["suppressed_cells"]
        return f"Loss {amount(one['loss'])}; {'few' if cells is None else many(cells)} cells suppressed"
    return f"Loss {amount(one['loss'])}; {suppressed(one['suppressed'], document)}"


def suppressed(count: int | str, document: Document) -> str:
    """How many records are suppressed, and what share of all that is.

    >>> [suppressed(count, {"records": 40}) for count in (0, "<5", 10)]
    ['no record suppressed', 'fewer than 5 of 40 records suppressed', '10 of 40 records (25%) suppressed']
    """
    if count == 0:
        return "no record suppressed"
    share = "" if isinstance(count, str) else f" ({percent(count / document['records'])})"
    return f"{in_words(count)} of {many(document['records'])} records{share} suppressed"


def groups(count: int) -> str:
    """How many groups are left."""
    return "1 group is left" if count == 1 else f"{many(count)} groups are left"


def warned(document: Document) -> str | None:
    """How many checks of the release warn, and why there are such; None where none does."""
    found = _warning(document)
    return f"{found}; the search enforces only those that fail" if found else None


def _warning(document: Document) -> str | None:
    """How many checks warn; one of several levels is one check, as ``divulge check`` counts it."""
    many_warn = len({one["title"] for one in document["checks"] if one["after"]["outcome"] == "warn"})
    return f"{counted(many_warn, 'check')} warn{'s' if many_warn == 1 else ''}" if many_warn else None


def too_late(document: Document) -> str | None:
    """That time ended the search before anything was found that keeps something; None where it did not."""
    nothing = released(document)["classes"] <= 1 and not document["certificate"]["proved"]
    return "Nothing better was found in time" if nothing else None


def verdict(document: Document) -> tuple[str, str]:
    """The outcome that gives the sign, and what is known of the release, in words."""
    outcome, said = _verdict(document)
    warning = _warning(document)
    return (outcome, said) if warning is None else ("warn", f"{said}; {warning}")


def _verdict(document: Document) -> tuple[str, str]:
    local = document["local"]
    if released(document)["classes"] <= 1:
        late = too_late(document)
        return "warn", "Nothing of the quasi-identifiers is left" + ("" if late is None else f". {late}")
    if local is not None and not local["alike"]:
        return "pass", LOCAL[local["kind"]]
    return ("pass", "Proved best") if document["certificate"]["proved"] else ("warn", "Best so far")


def proved(document: Document) -> str:
    """How far it is known that nothing better exists; of a local recoding, what it is compared with."""
    if document["local"] is None:
        return str(document["sentence"])
    said = document["sentence"]
    return f"{bought(document)} For all records alike, {said[:1].lower()}{said[1:]}"


def bought(document: Document) -> str | None:
    """What local recoding brings against the global optimum; None without one."""
    local, best = document["local"], document["best"]
    if local is None:
        return None
    if local["alike"]:
        return (
            f"{LOCAL[local['kind']]}: nothing finer was found that passes, so the best for all records alike "
            "is released."
        )
    than = f"that of the best that recodes all records alike ({amount(best['loss'])})"
    share = "as large as" if local["share"] is None else f"{percent(local['share'])} of"
    return f"{LOCAL[local['kind']]}: the loss is {share} {than}. It is not proved to be the least."


def roles(document: Document) -> str | None:
    """That nobody gave roles, where nobody did."""
    if not document["proposed"]:
        return None
    named = ", ".join(document["quasi_identifiers"])
    about = ", ".join(document["sensitive"]) or "none"
    return (
        f"No roles given; using these suggestions. Quasi-identifiers: {named}. Sensitive: {about}. "
        "Every number depends on them."
    )
