"""Counts changed by cell key: the same cell by the same amount, in whichever table of a run it is.

Every record has a key by lot, which the seed and what is in the record decide, in whatever order records
come. The keys of a cell's
records add up to the cell's, which picks the change from a distribution with mean 0, a given variance and the
most entropy. No change leads below zero, and an empty cell stays empty (Thompson, Broadfoot and Elazar, 2013;
Giessing, 2016).
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

import numpy as np

from divulge.errors import ParameterError
from divulge.tabulation.layout.contributions import Entries, facts
from divulge.tabulation.layout.linked import LinkedTables, Numbers


def change_distribution(count: int, largest: int, variance: float) -> Numbers:
    """The chance of each change from -largest to largest for a count: 0 in the mean, none below -count.

    >>> change_distribution(9, 1, 0.5).round(3).tolist()
    [0.25, 0.5, 0.25]
    """
    changes = np.arange(-largest, largest + 1, dtype=np.float64)
    possible = changes >= -count
    if count == 0:
        return (changes == 0).astype(np.float64)
    least = np.array([0.0, 0.0])  # multipliers of mean and variance, found by Newton's method
    wanted = np.array([0.0, min(variance, 0.9 * min(count, largest) * largest)])
    for _ in range(200):
        weight = np.where(
            possible, np.exp(np.clip(least[0] * changes + least[1] * changes**2, -600, 600)), 0.0
        )
        chance = weight / weight.sum()
        powers = np.stack([changes, changes**2])
        means = powers @ chance
        if np.abs(means - wanted).max() < 1e-10:
            return chance
        spread = (powers * chance) @ powers.T - np.outer(means, means)
        step = np.linalg.solve(spread + 1e-12 * np.eye(2), wanted - means)
        least = least + step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-12))
    raise ParameterError(
        "No distribution of changes has this variance.", hint="Take a smaller variance, or a larger change."
    )


def by_cell_key(
    tables: LinkedTables, entries: Entries, counts: Numbers, largest: int, variance: float, seed: int
) -> Numbers:
    """Counts with the change that each cell's key picks; the seed is to be kept secret."""
    keys = record_keys(entries, seed)
    ones = np.ones(len(keys))
    own = Entries(entries.categories, np.arange(len(keys)), keys, ones, entries.records, entries.people)
    key = np.mod(facts(tables, own).value, 1.0)
    found = np.asarray(counts, np.float64).copy()
    rows = {count: np.cumsum(change_distribution(count, largest, variance)) for count in range(largest + 1)}
    for cell, count in enumerate(np.round(counts).astype(np.int64).tolist()):
        row = rows[min(count, largest)]
        found[cell] += int(np.searchsorted(row, key[cell] * row[-1], side="right")) - largest
    return found


def record_keys(entries: Entries, seed: int) -> Numbers:
    """A key from 0 to 1 for each entry; of records that are alike the first and the second have their own."""
    content = np.arange(len(entries.amount)) if entries.content is None else entries.content
    secret = seed.to_bytes(16, "little", signed=True)
    seen: Counter[int] = Counter()
    found = np.zeros(len(content))
    for place, (one, times) in enumerate(zip(content.tolist(), entries.records.tolist(), strict=True)):
        for number in range(seen[one], seen[one] + times):
            said = blake2b(b"%d %d" % (one, number), key=secret, digest_size=7).digest()
            found[place] += int.from_bytes(said, "little") / 2**56
        seen[one] += times
    return np.mod(found, 1.0)
