"""What would help as a table: the data as they are, the best changes, and others beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge._support.wording import capitalized, enumerated, many
from divulge.report.shared.formats import cell, clipped
from divulge.report.shared.tables import Document

MOST_NAMED = 12  # attributes in a row
MOST_ROWS = 8  # of the page; the first is the table as it is


@dataclass(frozen=True)
class HelpRow:
    """The readings after a change, the checks that do not pass then, and what is lost."""

    change: str
    state: Document
    failing: int
    loss: float = 0.0
    bits: float = 0.0  # per record
    note: str = ""
    best: bool = False

    @property
    def badge(self) -> str:
        """What the best change is called: it is recommended where all checks pass after it."""
        return "" if not self.best else "helps most" if self.failing else "recommended"

    @property
    def readings(self) -> list[str]:
        """The smallest group, unique people and average risk, as they are printed."""
        shares = (cell(self.state[name], "share") for name in ("uniqueness", "average_risk"))
        return [many(self.state["k"]), *shares]


def helps(document: Document) -> list[HelpRow]:
    """Before and after: no change, what helps most, and other changes; none where all checks pass."""
    plan = document["plan"]
    useful = [help for help in document["helps"] if help["matters"] or help["failing"] == 0]
    if document["verdict"]["outcome"] == "pass" or not (useful or plan):
        return []
    failing = sum(check["outcome"] != "pass" for check in document["checks"])
    before = (plan["steps"] if plan else useful)[0]["before"]
    rows = [
        HelpRow(
            capitalized(clipped(help["change"])),
            help["after"],
            help["failing"],
            help["loss"],
            help["bits_lost"],
            recipe_steps(help),
            best=plan is None and place == 0,
        )
        for place, help in enumerate(useful)
    ]
    return [HelpRow("No change", before, failing), *([_planned(document)] if plan else []), *rows]


def recipe_steps(help: Document) -> str:
    """Which mechanisms of a recipe do what a change or a plan says.

    >>> recipe_steps({"steps": [{"mechanism": "remove"}, {"mechanism": "listed_changes"}]})
    'Recipe steps: remove, listed_changes (with a file of the records).'
    """
    explained = {"listed_changes": "listed_changes (with a file of the records)"}
    named = [one["mechanism"] for one in help.get("steps", [help]) if one.get("mechanism")]
    done = dict.fromkeys(explained.get(name, name) for name in named)
    return f"Recipe step{'s'[: len(done) != 1]}: {', '.join(done)}." if done else ""


def _planned(document: Document) -> HelpRow:
    """The changes of the plan in one row."""
    plan = document["plan"]
    steps = plan["steps"]
    left_out = [step["attribute"] for step in steps if step["action"] == "suppress" and step["attribute"]]
    words = [step["change"] for step in steps if step["change"] != f"leaving out {step['attribute']}"]
    if left_out:
        words.insert(0, f"leaving out {enumerated(left_out, most=MOST_NAMED)}")
    return HelpRow(
        capitalized(clipped("; ".join(words), 600)),
        steps[-1]["after"],
        plan["failing"],
        plan["loss"],
        steps[-1]["bits_lost"],
        " ".join(filter(None, [_kept(document, left_out), _proof(plan), recipe_steps(plan)])),
        best=True,
    )


def _proof(plan: Document) -> str:
    """How it is known that no other combination loses less, where it is."""
    if not plan["proved"]:
        return ""
    looked = f"none of the {many(plan['combinations'])} combinations of levels loses less"
    return f"Proved best: with at most 5% of the records left out, {looked}."


def _kept(document: Document, left_out: Sequence[str]) -> str:
    """Which quasi-identifiers are left, where half of them or more are left out."""
    attributes = document["roles"]["attributes"]
    keys = [found["name"] for found in attributes if found["role"] == "quasi-identifier"]
    kept = [name for name in keys if name not in left_out]
    if not kept or 2 * len(kept) > len(keys):
        return ""
    return f"Only {enumerated(kept, most=MOST_NAMED)} would be left of {len(keys)} quasi-identifiers."
