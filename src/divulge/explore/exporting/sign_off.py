"""The two pages that somebody signs: what goes out, what was checked, and what was done."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from divulge import __version__
from divulge._support.wording import in_words, many, number, percent, said_in_percent
from divulge.assessment.provenance import utc_now
from divulge.documents.comparison import ComparisonDocument
from divulge.documents.making.exploration import AsItIsEntry, FiguresEntry
from divulge.documents.utility import NeedEntry
from divulge.errors import counted, listing
from divulge.explore.choosing.choices import Choices
from divulge.explore.exporting.sheet_checks import not_passed, sheet_checks, sheet_headline, worst_outcome
from divulge.explore.scene import Scene
from divulge.recipes.transform import Application
from divulge.report.shared.frame import content_policy
from divulge.report.shared.template import beside, render


def sign_off(
    scene: Scene,
    choices: Choices,
    found: FiguresEntry,
    done: Application,
    released: bytes,
    compared: ComparisonDocument,
    *,
    every: FiguresEntry | None,
    name: str,
    unlocked: int,
) -> str:
    """The summary of a release, with the digest of the file that goes out.

    ``every`` are the figures of who knows all quasi-identifiers, where fewer are assumed to be known.
    """
    checks = sheet_checks(scene, done.table)
    unseen = [one for one in found["as_it_is"] if one["attribute"] in done.table.attributes]
    worst = worst_outcome(checks)
    css = beside("page.css")
    loss = found["loss_undefined"] or f"{number(found['loss'] or 0.0)} ({choices.loss})"
    return render(
        "sign_off.html.j2",
        policy=content_policy(css, ""),
        css=Markup(css),
        name=name,
        date=utc_now(),
        version=__version__,
        tone=worst.replace(" ", "-") if worst != "pass" or not unseen else "",
        sentence=sheet_headline(checks, found["sentence"], [one["attribute"] for one in unseen]),
        not_passed=not_passed(checks),
        numbers=[
            ("Records", in_words(found["left"]), "that are released with their values"),
            ("Suppressed", said_in_percent(found["suppressed_share"]), f"limit {percent(choices.suppress)}"),
            ("Smallest group", in_words(found["smallest"] or 0), "people alike in what an attacker knows"),
            ("Loss", loss, "0 keeps all, 1 keeps nothing"),
        ],
        checks=[one.row for one in checks],
        assumed=found["assumed"],
        by_all=_by_all(every, scene),
        risks=[f"{one['attacker']}: {one['text']}" for one in found["risks"]],
        needs=[_need(one) for one in compared["releases"][0]["needs"]],
        steps=[
            f"{step.mechanism.title}: {', '.join(step.attributes)}" for step in done.manifest.recipe.steps
        ],
        promised="; ".join(f"{one.name} = {one.value} ({one.about})" for one in done.manifest.promises),
        notes=[*done.manifest.notes],
        attributes=[
            (*_released(scene, choices, done, attribute, role), _about(unseen, attribute))
            for attribute, role in choices.roles.items()
        ],
        digest=f"sha256:{hashlib.sha256(released).hexdigest()}",
        unlocked=f"{many(unlocked)} times" if unlocked else "never",
    )


def _about(unseen: Sequence[AsItIsEntry], attribute: str) -> str:
    """What is known of an attribute that is released as it is."""
    return next((one["about"] for one in unseen if one["attribute"] == attribute), "")


def _by_all(every: FiguresEntry | None, scene: Scene) -> dict[str, Any] | None:
    """The figures of who knows all quasi-identifiers, where fewer are assumed to be known."""
    if every is None:
        return None
    return {
        "head": f"Who knows all {many(len(scene.table.named))} quasi-identifiers",
        "sentence": every["sentence"],
        "smallest": in_words(every["smallest"] or 0),
        "risks": [f"{one['attacker']}: {one['text']}" for one in every["risks"]],
    }


def _need(one: NeedEntry) -> str:
    """How well the release serves a need."""
    head = f"{one['name']}, {one['target']} from {listing(one['keys'])}"
    if one["utility"] is None:
        return f"{head}: undefined, {one['undefined']}."
    before = one.get("original")
    said = f"{head}: {number(one['utility'])}" + ("" if before is None else f" (original: {number(before)})")
    if one["at_least"] is None:
        return f"{said}."
    return f"{said}; {number(one['at_least'])} is required, and {'met' if one['enough'] else 'not met'}."


def _released(
    scene: Scene, choices: Choices, done: Application, attribute: str, role: str
) -> tuple[str, str, str]:
    """What becomes of an attribute: removed, recoded to a level, changed by further steps, or nothing."""
    if attribute not in done.table.attributes:
        return attribute, role, "not released"
    further = [
        str(number)
        for number, change in enumerate(done.manifest.changes[: len(choices.steps)], 1)
        if change.cells is None or attribute in change.cells
    ]
    said = [f"changed by step {' and '.join(further)}"] if further else []
    tree = scene.trees.get(attribute)
    level = 0 if tree is None else min(choices.levels.get(attribute, 0), tree.levels)
    if tree is not None and level:
        said.append(f"level {level} of {tree.levels}, {counted(len(set(tree.groups[level - 1])), 'group')}")
    return attribute, role, "; ".join(said) or "values as they are"
