"""What analysts can still do with each release: the needs they named, and models trained on it."""

from __future__ import annotations

from collections.abc import Iterator

from divulge._support.wording import number, percent
from divulge.report.comparison.side_by_side import (
    ORIGINAL,
    Match,
    ShownCell,
    ShownRow,
    SideBySide,
    changed,
    matched,
    missing,
    names,
    value_of,
)
from divulge.report.shared.formats import cell, clipped, listing, rate
from divulge.report.shared.tables import Document, ReportTable, TableColumn


def needs(document: Document) -> SideBySide:
    """How well each need is met, before and after."""
    rows = []
    for one, found in matched_needs(document):
        before = original_utility(found)
        asked = one.get("at_least")
        note = f"{listing(one['keys'])} for {one['target']}"
        note += "" if asked is None else f"; at least {number(asked)} is enough"
        rows.append(
            ShownRow(
                one["name"], [ShownCell(cell(before, "rate")), *(_need(before, need) for need in found)], note
            )
        )
    return SideBySide("need", (ORIGINAL, *names(document)), rows)


def matched_needs(document: Document) -> list[Match]:
    return matched((release["needs"] for release in document["releases"]), lambda one: one["name"])


def original_utility(found: list[Document | None]) -> float | None:
    """What the original does for a need that every release is held against."""
    return next((need["original"] for need in found if need and need["original"] is not None), None)


def _need(before: float | None, need: Document | None) -> ShownCell:
    if need is None or need["utility"] is None:
        return missing(value_of(need, "undefined"))
    enough = {None: "", True: "enough", False: "not enough"}[need.get("enough")]
    found = changed(before, need["utility"], "rate", larger_is_better=True)
    return found._replace(note=enough, tone=found.tone.replace("fail", "warn"))  # less is a cost, no risk


def need_readings(document: Document) -> ReportTable:
    """Each need with what chance alone would give."""
    rates = ("utility", "by chance", "adjusted", "in the original")
    head = (TableColumn("need"), TableColumn("release"), *(TableColumn(title, "rate") for title in rates))
    rows = [
        [one["name"], name, *(need[of] for of in ("utility", "chance", "adjusted", "original"))]
        for one, found in matched_needs(document)
        for name, need in zip(names(document), found, strict=True)
        if need is not None
    ]
    return ReportTable(head, rows)


def need_values(document: Document) -> ReportTable:
    """What single values of the keys do for each need."""
    head = (
        *(TableColumn("need"), TableColumn("release"), TableColumn("value")),
        *(TableColumn("records", "count"), TableColumn("utility", "rate")),
        *(TableColumn("by chance", "rate"), TableColumn("adjusted", "rate")),
    )
    rows = [
        [
            *(one["name"], name, line["label"], line["records"], line["utility"]),
            *(line.get("chance"), line.get("adjusted")),
        ]
        for one, found in matched_needs(document)
        for name, need in zip(names(document), found, strict=True)
        for line in (need or {"lines": []})["lines"]
    ]
    return ReportTable(head, rows)


def mining(document: Document) -> SideBySide:
    """How well models trained on each release do on held-out records of the original."""
    rows = []
    for one, tasks in matched(
        (release["mining"] or [] for release in document["releases"]),
        lambda one: (one["task"], one["target"]),
    ):
        before = next((task["original"] for task in tasks if task and task["original"]), None)
        label = one["task"] if one["target"] is None else f"{one['task']} of {one['target']}"
        note = "; ".join([one["score"], *_beside(one)])
        rows.append(ShownRow(label, [_scored(before), *map(_task, tasks)], note))
    return SideBySide("task", (ORIGINAL, *names(document)), rows)


def _beside(task: Document) -> Iterator[str]:
    """The scores that a task's scores are read with."""
    if task.get("guessing") is not None:
        what = "unrelated attributes reach" if task["target"] is None else "guessing reaches"
        yield f"{what} {rate(task['guessing'])}"
    if task.get("steadiness") is not None:
        yield f"the original drawn again reaches {rate(task['steadiness'])}"


def _task(task: Document | None) -> ShownCell:
    if task is None or not task["released"]:
        return missing(value_of(task, "undefined"))
    if task["kept"] is None:
        return _scored(task["released"], "share kept not measured: the original is not above guessing")
    # Each release has an original score of its own, over the records that it shares with the original.
    return _scored(task["released"], _kept(task))


def _kept(task: Document) -> str:
    """What is kept beyond guessing, in words; what chance may make is not called a difference."""
    kept, interval, all_of = task["kept"], task.get("kept_interval"), rate(task["original"]["score"])
    around = f" ({percent_signed(interval[0])} to {percent_signed(interval[1])})" if interval else ""
    if interval and within_chance(task):
        least = "from nothing to" if interval[0] <= 0 else "kept"
        return f"{least} as much as the original ({all_of}), within chance{around}"
    if kept <= 0:
        return f"nothing kept beyond guessing{around}"
    return f"{percent(kept)} of {all_of} beyond guessing kept{around}"


def within_chance(task: Document) -> bool:
    """Whether the interval of what a model keeps includes all that the original teaches."""
    interval = task.get("kept_interval")
    return interval is not None and interval[0] <= 1 <= interval[1]


def percent_signed(share: float) -> str:
    """A share that may be below 0, as a percentage.

    >>> percent_signed(-0.125), percent_signed(1.5)
    ('-12.5%', '150%')
    """
    return f"-{percent(-share)}" if share < 0 else percent(share)


def models_kept(document: Document) -> SideBySide:
    """The share of what the original teaches beyond guessing that models keep, in few signs.

    An equals sign stands before the interval where it includes all of that.
    """
    rows = [
        ShownRow(
            one["task"] if one["target"] is None else f"{one['task']} of {clipped(one['target'])}", cells
        )
        for one, tasks in matched(
            (release["mining"] or [] for release in document["releases"]),
            lambda one: (one["task"], one["target"]),
        )
        for cells in ([_short(task) for task in tasks],)
    ]
    return SideBySide("task", names(document), rows)


def _short(task: Document | None) -> ShownCell:
    if task is None or task["kept"] is None:
        return ShownCell("not measured")
    if within_chance(task):
        low, high = (round(100 * end) for end in task["kept_interval"])
        return ShownCell(f"= {low}% to {high}%")
    return ShownCell("nothing" if task["kept"] <= 0 else percent(task["kept"]))


def _scored(found: Document | None, kept: str = "") -> ShownCell:
    if found is None:
        return missing(None)
    interval = found["interval"]
    around = f"{rate(interval[0])} to {rate(interval[1])}" if interval else ""
    return ShownCell(cell(found["score"], "rate"), note="; ".join(filter(None, [kept, around])))
