"""What the first screen says: the verdict in one line, direct identifiers, and four numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from divulge._support.wording import many, percent, shortened
from divulge.counting.counts import RECORD
from divulge.errors import counted
from divulge.report.audit.headline import headline
from divulge.report.shared.formats import NOTHING, listing
from divulge.report.shared.tables import Document

LONGEST = 30  # signs of a name


class Tile(NamedTuple):
    """One of the four numbers: a title, the number, what it means, and whether it misses what is required."""

    title: str
    text: str
    meaning: str
    missed: bool = False


def verdict_line(document: Document) -> str:
    """The verdict in one line: what to do, and the worst finding."""
    verdict = document["verdict"]
    if not document["checks"]:
        return str(verdict["headline"])
    return headline(document["checks"], from_policy=verdict["thresholds"] == "policy")


def tone(document: Document) -> str:
    """The outcome whose colour the verdict has: not that of a pass beside a number marked as risky."""
    outcome = str(document["verdict"]["outcome"])
    risky = outcome == "pass" and any(tile.missed for tile in tiles(document))
    return "risky" if risky else outcome.replace(" ", "-")


def passed(document: Document) -> str:
    """How many checks do not pass, where there are such."""
    checks = document["checks"]
    findings = sum(check["outcome"] != "pass" for check in checks)
    verb = "does" if findings == 1 else "do"
    return f"{findings} of {counted(len(checks), 'check')} {verb} not pass" if findings else ""


def identifiers(document: Document) -> Mapping[str, Any] | None:
    """The check of direct identifiers, where it was made."""
    return next((check for check in document["checks"] if check["measure"] == "identifiers"), None)


def remarks(document: Document) -> list[str]:
    """What the verdict says that no check and no change says: what was not measured, what a policy allows."""
    said = {check[field] for check in document["checks"] for field in ("sentence", "concerns", "fix")}
    said |= {help["sentence"] for help in (*document["helps"], *filter(None, [document["plan"]]))}
    return [sentence for sentence in document["verdict"]["sentences"] if sentence not in said]


def required_size(
    checks: Iterable[Mapping[str, Any]], keys: Collection[str], *, sampled: bool = False
) -> int | None:
    """The smallest group on these keys that checks allow, where one of them is about the size of groups.

    Of a sample singling out is judged by the people outside, and requires no group of any size.

    >>> check = {"measure": "singled_out", "keys": ["age", "sex"], "parameters": {"k": [3, 5]}}
    >>> required_size([check], ["sex", "age"]), required_size([check], ["sex"])
    (5, None)
    """
    bounds = list[int]()
    for check in checks:
        if set(check["keys"]) != set(keys):
            continue
        if check["measure"] == "k_anonymity" and check["min"] is not None:
            bounds.append(math.ceil(check["min"]))
        elif check["measure"] == "singled_out" and not sampled:
            sizes = check["parameters"]["k"]
            bounds += sizes if isinstance(sizes, list) else [sizes]
    return max(bounds, default=None)


def required_of_all(document: Document) -> int | None:
    """The smallest group on all quasi-identifiers that checks allow."""
    roles = document["roles"]["attributes"]
    keys = [one["name"] for one in roles if one["role"] == "quasi-identifier"]
    return required_size(document["checks"], keys, sampled=is_sample(document))


def is_sample(document: Document) -> bool:
    """Whether the table is a sample of people, so that risk is that of being found among them all."""
    said = document["source"].get("population") or {}
    return any(said.get(name) is not None for name in ("size", "weight", "fraction", "source"))


def unmeasured_attributes(document: Document) -> list[str]:
    """Which attributes of the file nothing is said of, and which have no name in it, in a few words each."""
    roles, weights = document["roles"]["attributes"], document["source"].get("weights")
    left = sum(one["role"] == "other" and one["name"] != weights for one in roles)
    unnamed = [one["name"] for place, one in enumerate(roles, start=1) if one["name"] == f"column {place}"]
    has = "have" if len(unnamed) > 1 else "has"
    return [
        *([f"{many(left)} without a role, not measured"] if left else []),
        *([f"{listing(unnamed, most=3)} {has} no name in the file"] if unnamed else []),
    ]


def tiles(document: Document) -> list[Tile]:
    """Unique people, the smallest group, the average risk, and what is predictable beyond chance."""
    numbers = {number["name"]: number for number in document["numbers"]}
    if "uniqueness" not in numbers:
        return []
    unique, smallest, risk = (
        numbers[name] for name in ("uniqueness", "k_anonymity", "reidentification_risk")
    )
    title, _, aside = risk["title"].partition(", ")
    required = required_of_all(document)
    return [
        Tile("Unique people", unique["text"], unique["meaning"]),
        Tile(
            "Smallest group",
            many(smallest["value"]),
            smallest["meaning"] if required is None else f"required: {required} or more",
            required is not None and smallest["value"] < required,
        ),
        Tile(
            title,
            risk["text"],
            ", ".join(filter(None, [risk["meaning"], aside])),
            is_sample(document) and _may_exceed(document, risk["text"]),
        ),
        _predictable(document),
    ]


def _may_exceed(document: Document, estimated: str) -> bool:
    """Whether an estimated risk is above what checks allow a person, or may be at the end of its range."""
    roles = document["roles"]["attributes"]
    keys = [one["name"] for one in roles if one["role"] == "quasi-identifier"]
    allowed = required_size(document["checks"], keys)
    shares = [float(one) / 100 for one in re.findall(r"([\d.]+)%", estimated)]
    return allowed is not None and max(shares, default=0.0) > 1 / allowed


def _predictable(document: Document) -> Tile:
    """How much of the most exposed sensitive attribute all quasi-identifiers reveal beyond chance."""
    sensitive = [target for target in document["targets"] if target["target"] != RECORD]
    read = [
        (rate, target["target"])
        for target in sensitive
        for rate in (target.get("together") or {}).get("readings") or []
        if rate["measure"] == "discrimination_rate" and rate["adjusted"] is not None
    ]
    # Where hardly anyone shares key values, rate and chance are both near 1: nothing is beyond chance then.
    rates = [(rate["adjusted"], target) for rate, target in read if rate.get("p_undefined") is None]
    if not rates:
        unsure = next((rate["p_undefined"] for rate, _ in read), None)
        why = (
            unsure or "groups are too small to tell more from chance"
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
