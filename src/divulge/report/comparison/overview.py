"""The one table that leads a comparison: checks passed, people truly linked, utility kept, by release."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from divulge._support.small_counts import hidden_part
from divulge._support.wording import in_words, many, percent
from divulge.report.comparison.side_by_side import ORIGINAL, ShownCell, missing, named
from divulge.report.shared.formats import NOTHING, bound
from divulge.report.shared.tables import Document
from divulge.report.shared.wording import OUTCOMES

HEAD = ("Checks passed", "People truly linked", "Utility kept")
WORDS = {"fail": ("fails", "fail"), "warn": ("warns", "warn"), "not evaluated": ("not evaluated",) * 2}


class OverviewRow(NamedTuple):
    """A release in short; a cell that has no number says why."""

    name: str
    checks: ShownCell
    linked: ShownCell
    kept: ShownCell

    @property
    def cells(self) -> tuple[ShownCell, ...]:
        return self.checks, self.linked, self.kept


def overview(document: Document) -> list[OverviewRow]:
    """Every release in short, then the original."""
    rows = [
        OverviewRow(name, _checks(release), _linked(release), _kept(release))
        for name, release in named(document)
    ]
    risk = (document["original"]["readings"] or {}).get("average_risk")
    linked = missing(None) if risk is None else _of_people(risk, document["original"]["records"])
    return [*rows, OverviewRow(ORIGINAL, ShownCell(NOTHING), linked, ShownCell(percent(1.0)))]


def reasons(rows: list[OverviewRow]) -> list[tuple[str, str]]:
    """Why a cell has no number, each reason once with the releases that it is about."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for cell in row.cells:
            if cell.reason:
                found.setdefault(cell.reason.rstrip("."), {})[row.name] = None
    return [(", ".join(about), reason) for reason, about in found.items()]


def _checks(release: Document) -> ShownCell:
    """How many checks pass, and what became of the others; the worst of it gives the sign."""
    if not release["checks"]:
        return missing(release["lacking"])
    found = Counter(check["outcome"] for check in release["checks"])
    others = [f"{found[name]} {words[found[name] != 1]}" for name, words in WORDS.items() if found[name]]
    worst = next(name for name in OUTCOMES if found[name])
    text = f"{found['pass']} of {found.total()}"
    if release["lacking"] is not None and worst == "pass":  # what matters most is not among the checks
        outcome = OUTCOMES["not evaluated"]
        return ShownCell(text, outcome.sign, "risk not measured", "not-evaluated")
    return ShownCell(text, OUTCOMES[worst].sign, ", ".join(others) or "all pass", worst.replace(" ", "-"))


def _linked(release: Document) -> ShownCell:
    """The share of people whose link to a record is right, on average over those who fit."""
    score = release["score"]
    if score["risk"] is None:
        return missing(score.get("risk_undefined") or release["lacking"])
    found = _of_people(score["risk"], release["records"])
    drawn = (one.get("people_at_most") for one in release["attacks"] if one["attack"] == "marketer")
    most = next((one for one in drawn if one is not None), None)
    return found if most is None else found._replace(note=f"at most {many(most)}")


def _of_people(risk: float, said: int | str) -> ShownCell:
    records = round(bound(said))
    return ShownCell(percent(risk), note=f"{in_words(hidden_part(round(risk * records), records))} people")


def _kept(release: Document) -> ShownCell:
    score = release["score"]
    if score["utility"] is None:
        return missing(score.get("utility_undefined") or release["lacking"])
    return ShownCell(percent(score["utility"]))
