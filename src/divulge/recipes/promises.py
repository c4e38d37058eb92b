"""What a whole recipe promises: what its steps promise, as far as the other steps leave it true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge.mechanisms.mechanism import MechanismLaw, Promise, Step, names_mark
from divulge.recipes.recipe import Recipe

EPSILON, K = "epsilon", "k"


@dataclass(frozen=True)
class Promised:
    """The promises that hold for the release, and why others of single steps do not."""

    promises: tuple[Promise, ...]
    notes: tuple[str, ...]


def promised(steps: Sequence[Step]) -> Promised:
    """The promises of all steps together.

    Differential privacy holds if every step before changes each record by itself, whatever the others are;
    what is done to its output afterwards costs nothing more. k holds if later steps only merge values, or
    change other attributes, and keep all records.
    """
    promises, notes = list[Promise](), list[str]()
    private = False
    for place, step in enumerate(steps):
        for promise in step.mechanism.promises(step):
            if promise.name == EPSILON:
                spoiled = next((one for one in steps[:place] if not one.mechanism.alone(one)), None)
                if private:
                    continue  # its input is private already
                if spoiled is not None:
                    notes.append(
                        f"Differential privacy of step {step.number} is lost: step {spoiled.number} "
                        f"({spoiled.mechanism.name}) before it looks at all records and promises no epsilon."
                    )
                    continue
                private = True
            elif promise.name == K:
                broken = next((one for one in steps[place + 1 :] if _may_break(one, step)), None)
                if broken is not None:
                    notes.append(
                        f"k = {promise.value:g} of step {step.number} need not hold after "
                        f"step {broken.number} ({broken.mechanism.name})."
                    )
                    continue
            promises.append(promise)
    return Promised(tuple(promises), tuple(notes))


def made_up(recipe: Recipe) -> str | None:
    """That a recipe makes its records up, in words; None where each is that of an original row."""
    step = next((one for one in recipe.steps if not one.mechanism.keeps_rows), None)
    if step is None:
        return None
    return (
        f"step {step.number} of the recipe ({step.mechanism.name}) makes the records up, so that none is a "
        "person's own; to attack such records, use divulge link with --control"
    )


def _may_break(later: Step, step: Step) -> bool:
    """Whether a later step can make groups on the attributes of a step smaller."""
    laws = later.mechanism.laws
    if MechanismLaw.RECORDS not in laws or names_mark(later):
        return True
    return MechanismLaw.COARSENING not in laws and bool(set(later.attributes) & set(step.attributes))
