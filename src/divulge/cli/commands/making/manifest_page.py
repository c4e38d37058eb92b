"""What was done to a table, as text: what each step changed, and what is promised."""

from __future__ import annotations

from collections.abc import Sequence

from divulge._support.wording import enumerated, in_words, number, share_of, some_of
from divulge.errors import listed_attributes
from divulge.mechanisms.mechanism import Promise, Step
from divulge.recipes.changes import StepChange
from divulge.recipes.manifest import Manifest, said_change

NOTHING = "The release has no guarantee: audit it, or compare it with the original."
_MOST = 6  # attributes whose changed values are told one by one


def manifest_page(manifest: Manifest, out: str) -> str:
    """The lines that the command prints: the release first, then its steps, then what is promised."""
    rows = "shuffled" if manifest.shuffled else "in the order of the original"
    written = some_of(manifest.records_out, manifest.records_in)
    if manifest.records_out > manifest.records_in:
        written = in_words(manifest.records_out)
    lines = [f"Wrote {out}: {written} records, {rows}.", ""]
    of_steps = zip(manifest.recipe.steps, manifest.changes, manifest.left_out, manifest.wholes, strict=True)
    for step, change, fewer, whole in of_steps:
        lines.append(f"{step.number}. {step.mechanism.title}: {step_sentence(step, change, fewer, whole)}")
    lines.append("")
    if manifest.unchanged:
        lines.append(f"No step changed: {listed_attributes(manifest.unchanged)}.")
    guaranteed = f"Guaranteed: {promised(manifest.promises)}." if manifest.promises else NOTHING
    lines.append(guaranteed)
    lines += [f"Note: {note}" for note in (*manifest.notes, *manifest.cautions)]
    return "\n".join([*lines, ""])


def step_sentence(step: Step, change: StepChange, left_out: int | str, whole: int | str) -> str:
    """What a step changed, in words, and of how many records, as that may be said."""
    said = []
    if change.removed:
        said.append(f"removed {enumerated(change.removed)}")
    if change.added:
        said.append(f"added {enumerated(change.added)}")
    if left_out and change.cells is not None:
        said.append(f"{in_words(left_out)} records left out")
    if change.records_after > change.records_before and change.cells is not None:
        said.append(f"{in_words(change.records_after - change.records_before)} records added")
    if change.cells is None:
        said.append("records are synthetic; some may equal original ones")
    else:
        said += changed_values(change.cells, change.records_after, whole)
    promises = step.mechanism.promises(step)
    held = f"This step guarantees {promised(promises)}." if promises else "This step gives no guarantee."
    return f"{'; '.join(said) or 'nothing changed'}. {held}"


def changed_values(cells: dict[str, int], records: int, whole: int | str) -> list[str]:
    """How many values of each attribute changed, the number first; with a share where the whole is said."""
    most = sorted(cells.items(), key=lambda pair: -pair[1])
    said = []
    for name, count in most[:_MOST]:
        some, share = some_of(count, records), f" ({share_of(count, records)})" if records > 0 else ""
        if isinstance(whole, str):
            some, share = f"{in_words(said_change(count, records, whole))} of {in_words(whole)}", ""
        said.append(f"{some} values of {name} changed{share}")
    if len(most) > _MOST:
        said.append(f"values of {len(most) - _MOST} more attributes changed")
    return said


def promised(promises: Sequence[Promise]) -> str:
    """What is guaranteed, or that nothing is.

    >>> promised([Promise("k", 5, "age, zip")]), promised([])
    ('k = 5 (age, zip)', 'nothing')
    """
    said = [
        f"{one.name} = {number(one.value)}" + (f" ({one.about})" if one.about else "") for one in promises
    ]
    return ", ".join(said) or "nothing"
