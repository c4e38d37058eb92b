"""Neighbouring values joined until each bin holds enough records for a chi-square test, in compiled loops."""

from __future__ import annotations

import numpy as np

from divulge._support.compilation import loop

LEAST = 5  # records of a bin
SMALLEST, LEFT, RIGHT = 0, 1, 2  # in the order of rules.MERGING


@loop
def merged(observed, shares, rule):
    """Observed counts and baseline shares bin by bin, after merging by one of the rules."""
    if rule == SMALLEST:
        return _smallest_first(observed, shares)
    if rule == LEFT:
        return _accumulated(observed, shares)
    counts, parts = _accumulated(observed[::-1].copy(), shares[::-1].copy())
    return counts[::-1].copy(), parts[::-1].copy()


@loop
def _smallest_first(observed, shares):
    """The smallest bin that is too small joins the smaller of its neighbours, and so on."""
    counts, parts = observed.copy(), shares.copy()
    bins = len(counts)
    while bins > 1:
        at = np.argmin(counts[:bins])
        if counts[at] >= LEAST:
            break
        left = at - 1 if at == bins - 1 or (at > 0 and counts[at - 1] <= counts[at + 1]) else at
        counts[left] += counts[left + 1]
        parts[left] += parts[left + 1]
        counts[left + 1 : bins - 1] = counts[left + 2 : bins].copy()
        parts[left + 1 : bins - 1] = parts[left + 2 : bins].copy()
        bins -= 1
    return counts[:bins], parts[:bins]


@loop
def _accumulated(observed, shares):
    """Values from the left join until they are enough; what is left over joins the last bin."""
    counts, parts = np.zeros_like(observed), np.zeros_like(shares)
    bins, open_bin = 0, False
    for place in range(len(observed)):
        counts[bins] += observed[place]
        parts[bins] += shares[place]
        open_bin = counts[bins] < LEAST
        if not open_bin:
            bins += 1
    if open_bin and bins > 0:
        counts[bins - 1] += counts[bins]
        parts[bins - 1] += parts[bins]
    elif open_bin:
        bins = 1
    return counts[:bins], parts[:bins]


@loop
def pearson(observed, shares, rule):
    """Pearson's statistic of a target's counts against the baseline, and the bins it was read on."""
    counts, parts = merged(observed, shares, rule)
    records = observed.sum()
    total = 0.0
    for place in range(len(counts)):
        expected = records * parts[place]
        if expected > 0:
            total += (counts[place] - expected) ** 2 / expected
        elif counts[place] > 0:
            total = np.inf
    return total, len(counts)
