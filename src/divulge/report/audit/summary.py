"""What the first screen says: the verdict in one line, direct identifiers, and four numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from divulge._support.wording import enumerated, many, percent
from divulge.counting.counts import RECORD
from divulge.errors import counted
from divulge.policy.demands import QUESTIONS
from divulge.report.shared.formats import NOTHING, shortened
from divulge.report.shared.tables import Document
from divulge.report.shared.wording import by_outcome

OF_PEOPLE = ("singled_out", "learned")
LONGEST, LINE = 30, 90  # signs of a name, and of a line


class Tile(NamedTuple):
    """One of the four numbers: a title, the number, what it means, and whether it misses what is required."""

    title: str
    text: str
    meaning: str
    missed: bool = False


def verdict_line(document: Document) -> str:
    """The verdict in one line: what to do, and the worst finding."""
    checks = by_outcome(document["checks"])
    if not checks:
        return str(document["verdict"]["headline"])
    findings = [check for check in checks if check["outcome"] != "pass"]
    if not findings:
        return _passed(checks, from_policy=document["verdict"]["thresholds"] == "policy")
    worst = findings[0]
    if worst["outcome"] != "fail":
        return re.sub(r"^(above|fewer|no|not)\b", lambda word: word[0].capitalize(), _finding(worst))
    return f"Do not release{'' if worst['measure'] == 'identifiers' else ' as it is'}: {_finding(worst)}"


def passed(document: Document) -> str:
    """How many checks do not pass, where there are such."""
    checks = document["checks"]
    findings = sum(check["outcome"] != "pass" for check in checks)
    verb = "does" if findings == 1 else "do"
    return f"{findings} of {counted(len(checks), 'check')} {verb} not pass" if findings else ""


def _passed(checks: Sequence[Mapping[str, Any]], *, from_policy: bool) -> str:
    """That all checks pass; of a policy only those count that it sets a bound for."""
    own = [one for one in checks if one["measure"] not in QUESTIONS or one["measure"] in OF_PEOPLE]
    if from_policy and not own:
        return "The policy sets no bound"
    number, whose = (len(own), " of the policy") if from_policy else (len(checks), "")
    return f"The 1 check{whose} passes" if number == 1 else f"All {number} checks{whose} pass"


def _finding(check: Mapping[str, Any]) -> str:
    """What a check found, in a few words."""
    if check["outcome"] == "not evaluated":
        return f"{shortened(check['title'], 60)} could not be evaluated"
    found = "fewer than 5 people" if check.get("found_is_below") else check["found_text"]
    if check["measure"] == "identifiers":
        names = enumerated([f"'{shortened(name, LONGEST)}'" for name in check["keys"]], most=3)
        fails = check["outcome"] == "fail"
        return (
            f"direct identifiers found ({names})"
            if fails
            else f"no direct identifier found, but check {names}"
        )
    if check["measure"] == "singled_out":
        return f"{found} can be singled out"
    if check["measure"] == "learned":
        return f"{shortened(check['target'], LONGEST)} of {found} can be inferred"
    if check["measure"] == "measured":
        said = check["concerns"].removesuffix(".")
        return said if len(said) <= LINE else f"not everything could be measured ({found})"
    return f"{shortened(check['title'], 60)}: {found} (required: {check['asked']})"


def identifiers(document: Document) -> Mapping[str, Any] | None:
    """The check of direct identifiers, where it was made."""
    return next((check for check in document["checks"] if check["measure"] == "identifiers"), None)


def remarks(document: Document) -> list[str]:
    """What the verdict says that no check and no change says: what was not measured, what a policy allows."""
    said = {check[field] for check in document["checks"] for field in ("sentence", "fix")}
    said |= {help["sentence"] for help in (*document["helps"], *filter(None, [document["plan"]]))}
    return [sentence for sentence in document["verdict"]["sentences"] if sentence not in said]


def required_size(checks: Iterable[Mapping[str, Any]]) -> int | None:
    """The smallest group that checks allow, where one of them is about the size of groups.

    >>> required_size([{"measure": "singled_out", "parameters": {"k": [3, 5]}}])
    5
    """
    bounds = list[int]()
    for check in checks:
        if check["measure"] == "k_anonymity" and check["min"] is not None:
            bounds.append(math.ceil(check["min"]))
        elif check["measure"] == "singled_out":
            sizes = check["parameters"]["k"]
            bounds += sizes if isinstance(sizes, list) else [sizes]
    return max(bounds, default=None)


def tiles(document: Document) -> list[Tile]:
    """Unique people, the smallest group, the average risk, and what is predictable beyond chance."""
    numbers = {number["name"]: number for number in document["numbers"]}
    if "uniqueness" not in numbers:
        return []
    unique, smallest, risk = (
        numbers[name] for name in ("uniqueness", "k_anonymity", "reidentification_risk")
    )
    title, _, aside = risk["title"].partition(", ")
    required = required_size(document["checks"])
    return [
        Tile("Unique people", unique["text"], unique["meaning"]),
        Tile(
            "Smallest group",
            many(smallest["value"]),
            smallest["meaning"] if required is None else f"required: {required} or more",
            required is not None and smallest["value"] < required,
        ),
        Tile(title, risk["text"], ", ".join(filter(None, [risk["meaning"], aside]))),
        _predictable(document),
    ]


def _predictable(document: Document) -> Tile:
    """How much of the most exposed sensitive attribute all quasi-identifiers reveal beyond chance."""
    sensitive = [target for target in document["targets"] if target["target"] != RECORD]
    rates = [
        (rate["adjusted"], target["target"])
        for target in sensitive
        for rate in (target.get("together") or {}).get("readings") or []
        if rate["measure"] == "discrimination_rate" and rate["adjusted"] is not None
    ]
    if not rates:
        why = (
            "groups are too small to tell more from chance"
            if sensitive
            else "no sensitive attribute is given"
        )
        return Tile("Predictable beyond chance", NOTHING, f"not measured: {why}")
    rate, target = max(rates)
    return Tile(
        f"{shortened(target, LONGEST)} predictable beyond chance",
        percent(max(rate, 0.0)),
        "0% is chance, 100% is certainty for everyone",
    )
