"""What an attribute that no check counts adds to the quasi-identifiers: people in small groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from divulge._support.wording import enumerated, records
from divulge.assessment.checks.identifiers import called_in_words
from divulge.assessment.people.copies_there import repeated, without_roles
from divulge.assessment.scope import Scope
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.questions.question import Question

SMALL = 3  # records of a group, below which people are singled out
UNIQUE = 0.05  # of the records, from which on weights that are alone on them identify people
MORE = 0.1  # of the records, from which on it counts that they come into small groups
CERTAIN, COMMON = 0.9, 0.5  # shares of a value by a weight, and of it in all: the weight then says it
MOST_SAID = 3
MOST_RECORDS = 1_000_000  # of which attributes are counted beside the keys that no check asks about
TOLD = 0.01  # of the records


class InSmallGroups(NamedTuple):
    """How many records are in small groups by the quasi-identifiers, and with one more attribute."""

    without: int
    by_both: int

    @property
    def more(self) -> int:
        return self.by_both - self.without


def small_groups_with(scope: Scope, attribute: str) -> InSmallGroups | None:
    """The records in small groups with an attribute beside the keys; None where there cannot be many more."""
    data, keys = scope.data, scope.keys
    if not keys or attribute in keys or data.schema.identifiers:  # someone has several records
        return None
    plain = without_roles(data)
    sizes, often = repeated(plain, keys)
    groups = int(often.sum())
    if (SMALL - 1) * groups * (data.summary(attribute).distinct + 1) < MORE * data.records:
        return None
    finer, times = repeated(plain, [*keys, attribute])
    inside = int((finer * times)[finer < SMALL].sum())
    found = InSmallGroups(int((sizes * often)[sizes < SMALL].sum()), inside)
    return found if found.more >= MORE * data.records else None


def known_as_well(scope: Scope) -> str:
    """What is to be said of attributes without a role by which many records come into small groups.

    Of a sample that says little: the groups are larger outside. Of very many records it takes long.
    """
    sampled = scope.population is not None or scope.data.sample_weights is not None
    if sampled or scope.data.records > MOST_RECORDS:
        return ""
    found = [
        f"{records(groups.by_both, of=scope.data.records)} with '{called_in_words(scope.data, name)}'"
        for name in scope.others
        if name != scope.household and (groups := small_groups_with(scope, name)) is not None
    ]
    if not found:
        return ""
    return (
        f"This holds where nobody knows more than the quasi-identifiers: in groups smaller than {SMALL} are "
        f"{enumerated(found, most=MOST_SAID)}, which no check counts."
    )


def weights_in_words(demands: Demands, scope: Scope) -> Iterator[str]:
    """What the weights of a sample reveal, which are released with it: no check takes them as known."""
    data = scope.data
    name = data.sample_weights or (scope.population.weight if scope.population else None)
    if name is None or name in demands.allowed or name in scope.keys:
        return
    shown, alone = called_in_words(data, name), data.summary(name).lone
    found = [f"{records(alone, of=data.records)} are unique by it"] * _enough(alone, data)
    if not found and (groups := small_groups_with(scope, name)) is not None:
        by = enumerated(["it", *(called_in_words(data, key) for key in scope.keys)])
        found.append(f"{records(groups.by_both, of=data.records)} are in groups smaller than {SMALL} by {by}")
    if not found:
        found = [
            f"it gives away {target} of {records(told, of=data.records)}"
            for target in scope.sensitive
            if (told := _told(data, name, target)) >= max(TOLD * data.records, SMALL)
        ]
    if found:
        yield (
            f"The weights '{shown}' are released and were not measured as something that others may know: "
            f"{found[0]}. Round the weights, or leave them out."
        )


def _enough(unique: int, data: Data) -> bool:
    return bool(unique) and unique >= UNIQUE * data.records


def _told(data: Data, weights: str, target: str) -> int:
    """The records whose weight nearly always goes with one value of an attribute, which is rare otherwise."""
    plain = replace(without_roles(data), missing="value", suppressed=None, weights=None)
    counts = Question(plain, (weights,), (target,)).classes
    cells = counts.cells
    if cells is None:
        return 0
    sizes = cells.per_class(cells.count)[cells.owner]
    common = np.bincount(cells.target, cells.count)[cells.target] / data.records
    told = (cells.count >= CERTAIN * sizes) & (sizes >= SMALL) & (common < COMMON)
    return int(cells.count[told].sum())
