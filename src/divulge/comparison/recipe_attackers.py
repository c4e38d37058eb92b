"""What an attacker achieves who knows the recipe, beside what is read of the values that it released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge._support.wording import percent
from divulge.attacks.outcome import Outcome
from divulge.errors import Undefined
from divulge.estimation.channels.channel import Channel
from divulge.mechanisms.channels import attribute_channel
from divulge.questions.data import Data
from divulge.recipes.recipe import Recipe


def beside_recipe(outcomes: Sequence[Outcome], recipe: Recipe, original: Data) -> list[Outcome]:
    """White box and homogeneity with how often an attacker who knows the recipe guesses values right."""
    schema = original.schema
    about = {"identity_white_box": schema.quasi_identifiers, "homogeneity": schema.sensitive}
    changed = {name for step in recipe.steps for name in step.attributes}
    return [
        _beside(one, [name for name in about.get(one.attack, ()) if name in changed], recipe, original)
        for one in outcomes
    ]


def _beside(outcome: Outcome, names: Sequence[str], recipe: Recipe, original: Data) -> Outcome:
    lines = [recipe_attacker(original, recipe, name) for name in names]
    if not lines:
        return outcome
    known = [line for line in lines if line["undefined"] is None]
    most = max(known, key=lambda line: line["right_guess"] - line["right_without_release"], default=None)
    said = "" if most is None else _sentence(most)
    return replace(
        outcome,
        details={**outcome.details, "knowing_the_recipe": lines},
        sentence=f"{outcome.sentence}{said}",
    )


def recipe_attacker(original: Data, recipe: Recipe, attribute: str) -> dict[str, Any]:
    """How often a guess of an attribute is right with its released value and without, the recipe known.

    ``information`` is what the released value tells of the original one, as a share of what there is to know:
    what the white box would read of infinitely many such releases.
    """
    line: dict[str, Any] = {
        "attribute": attribute,
        "right_guess": None,
        "right_without_release": None,
        "information": None,
        "undefined": None,
    }
    try:
        channel = attribute_channel(original, recipe.steps, attribute)
    except Undefined as undefined:
        return {**line, "undefined": undefined.message}
    right, without = float(channel.joint.max(axis=0).sum()), float(channel.prior.max())
    return {
        **line,
        "right_guess": max(right, without),
        "right_without_release": without,
        "information": _information(channel),
    }


def _information(channel: Channel) -> float | None:
    """I(X;Y) / H(X); None where there is nothing to know."""
    entropy = _entropy(channel.prior)
    told = entropy + _entropy(channel.marginal) - _entropy(channel.joint.ravel())
    return min(max(told / entropy, 0.0), 1.0) if entropy > 0 else None


def _entropy(shares: np.ndarray) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum())


def _sentence(line: dict[str, Any]) -> str:
    right, without = percent(line["right_guess"]), percent(line["right_without_release"])
    gain = f"{right} of records ({without} without the release)"
    if right == without:
        gain = f"{right} of records, as without the release"
    return f" An attacker who knows the recipe guesses {line['attribute']} right for {gain}."
