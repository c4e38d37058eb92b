"""Whether one more record keeps a released set safe, and which of those waiting may leave: compiled loops.

What is outside is a table of counts and, for each target, numbers that depend on that target's counts
alone. They are worked out anew from the counts whenever a record of the target leaves, so that a decision
is a function of the counts and of nothing that came before.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from divulge._support.compilation import inlined, loop
from divulge.safe_release.merging import pearson

MIS, KLD, CST, DQT = 1, 2, 4, 8  # bits of the tests that are asked for
TIE = 1e-9  # a value so near to its limit, in parts of it, has reached it
SAME = 1e-13  # distances in bits no further apart, beside TIE, are the same but for rounding
FAR = 1e-6  # an estimate so far beyond a limit needs no second look
NEVER = np.iinfo(np.int64).max


class Outside(NamedTuple):
    """What has left: counts by value and target, and by target what the tests read."""

    counts: Any  # records, by value of X (rows) and target (columns)
    totals: Any  # records by target
    surprise: Any  # n times the distance from the baseline, in bits, by target
    fit: Any  # Pearson's statistic by target
    bins: Any  # values left after merging, by target


class TestLimits(NamedTuple):
    """What the tests hold it to."""

    tests: int
    shares: Any  # P(X)
    bits: Any  # -log2 P(X)
    mutual: Any  # simulated limits of n times the mutual information, by n
    distance: Any  # simulated limits of n times the distance of one target, by n
    small: int  # the largest release whose limits are simulated
    joint: Any  # chi-square limits of the mutual information: one, or by degrees of freedom
    by_degrees: Any  # chi-square limits by degrees of freedom
    degrees: int  # of one target
    ratios: Any  # Dixon's limits by number of different distances
    merging: int
    present: bool  # degrees of freedom count what is outside, not the domain


@inlined
def _weight(count):
    return count * math.log2(count) if count > 1 else 0.0


@loop
def _surprise(column, bits):
    """n times the distance of a target's counts from the baseline, in bits."""
    total, records = 0.0, 0
    for x in range(len(column)):
        count = column[x]
        if count > 0:
            total += _weight(count) + count * bits[x]
            records += count
    return total - _weight(records)


@loop
def read_target(outside, limits, y):
    """Work out what the tests read of a target, from its counts."""
    column = outside.counts[:, y].copy()
    outside.totals[y] = column.sum()
    outside.surprise[y] = _surprise(column, limits.bits)
    if limits.tests & CST:
        outside.fit[y], outside.bins[y] = pearson(column, limits.shares, limits.merging)


@loop
def read_all(outside, limits):
    for y in range(outside.counts.shape[1]):
        read_target(outside, limits, y)


@loop
def present_values(outside):
    """How many values of X are outside."""
    found = 0
    for x in range(outside.counts.shape[0]):
        for y in range(outside.counts.shape[1]):
            if outside.counts[x, y] > 0:
                found += 1
                break
    return found


@loop
def mutual_limit(outside, limits, records):
    """What n times the mutual information has to stay below, for so many records."""
    if records <= limits.small:
        return limits.mutual[records] if records < len(limits.mutual) else 0.0
    if not limits.present:
        return limits.joint[0] / (2 * math.log(2))
    targets = np.count_nonzero(outside.totals)
    return limits.joint[(present_values(outside) - 1) * targets] / (2 * math.log(2))


@loop
def distance_limit(outside, limits, records):
    """What n times a target's distance has to stay below, for so many of its records."""
    if records <= limits.small:
        return limits.distance[records] if records < len(limits.distance) else 0.0
    degrees = present_values(outside) - 1 if limits.present else limits.degrees
    return limits.by_degrees[degrees] / (2 * math.log(2))


@inlined
def below(value, limit):
    """Strictly below; what cannot be told from the limit is not."""
    return value < limit * (1 - TIE)


@loop
def target_is_safe(outside, limits, y):
    """Whether a target by itself stays within the limits that every target has."""
    records = outside.totals[y]
    if records == 0:
        return True
    if limits.tests & KLD and not below(outside.surprise[y], distance_limit(outside, limits, records)):
        return False
    if limits.tests & CST and outside.bins[y] > 1:
        return below(outside.fit[y], limits.by_degrees[outside.bins[y] - 1])
    return True


@loop
def dixon(outside):
    """How far the largest distance stands from the next, in parts of their range; how many differ.

    A target with a value that the baseline never expects is infinitely far, and stands out for certain.
    """
    distances = np.empty(len(outside.totals))
    found = 0
    for y in range(len(outside.totals)):
        if outside.totals[y] > 0:
            distances[found] = outside.surprise[y] / outside.totals[y]
            found += 1
    distances = np.sort(distances[:found])
    if found and distances[found - 1] == np.inf:
        return np.inf, 3
    different = 1 if found else 0
    for place in range(1, found):
        if distances[place] - distances[place - 1] > SAME + TIE * distances[place]:
            different += 1
    if different < 3:
        return 0.0, different
    reach = distances[found - 1] - distances[0]
    return (distances[found - 1] - distances[found - 2]) / reach, different


@loop
def together_is_safe(outside, limits):
    """Whether all targets together stay within the limits of the tests that look at them together."""
    total, records = 0.0, 0
    for y in range(len(outside.totals)):
        total += outside.surprise[y]
        records += outside.totals[y]
    if limits.tests & MIS and records > 0 and not below(total, mutual_limit(outside, limits, records)):
        return False
    if limits.tests & DQT:
        ratio, different = dixon(outside)
        if different >= 3 and not below(ratio, limits.ratios[different]):
            return False
    return True


@loop
def is_safe(outside, limits):
    """Whether a released set passes every test."""
    for y in range(len(outside.totals)):
        if not target_is_safe(outside, limits, y):
            return False
    return together_is_safe(outside, limits)


@loop
def put(outside, limits, x, y, records):
    """Let so many records of a cell out, or take them back."""
    outside.counts[x, y] += records
    read_target(outside, limits, y)


@loop
def count_exposed(outside, limits):
    """How many targets exceed the limits that every target has."""
    found = 0
    for y in range(len(outside.totals)):
        found += not target_is_safe(outside, limits, y)
    return found


@loop
def leave(outside, limits, x, y, exposed):
    """Let one more record out if the set stays safe with it, where so many targets are exposed without it.

    0: it does; 1: its own target would not, whatever happens to others; 2: all together would not. The set
    is left as it was unless it stays safe; then no target is exposed.
    """
    if limits.shares[x] <= 0:
        return 1
    if limits.present:
        exposed = -1  # one more value changes the limits of every target
    elif not target_is_safe(outside, limits, y):
        exposed -= 1
    kept = outside.surprise[y], outside.fit[y], outside.bins[y]
    put(outside, limits, x, y, 1)
    if exposed < 0:
        verdict = 0 if is_safe(outside, limits) else 2
    elif not target_is_safe(outside, limits, y):
        verdict = 1
    else:
        verdict = 0 if exposed == 0 and together_is_safe(outside, limits) else 2
    if verdict != 0:
        _take_back(outside, x, y, kept)
    return verdict


@loop
def _take_back(outside, x, y, kept):
    outside.counts[x, y] -= 1
    outside.totals[y] -= 1
    outside.surprise[y], outside.fit[y], outside.bins[y] = kept


@loop
def may_leave(outside, limits, x, y, exposed):
    """Whether the set stays safe with one more record, by the same numbers; it is left as it was."""
    kept = outside.surprise[y], outside.fit[y], outside.bins[y]
    verdict = leave(outside, limits, x, y, exposed)
    if verdict == 0:
        _take_back(outside, x, y, kept)
    return verdict


@loop
def first_to_leave(outside, limits, heads, blocked, exposed):
    """Among cells whose first arrival is given, the one that came first and may leave; -1 for none.

    ``blocked`` remembers cells whose own target stands against them, until that target changes.
    """
    best, found = NEVER, -1
    total, records = 0.0, 0
    for y in range(len(outside.totals)):
        total += outside.surprise[y]
        records += outside.totals[y]
    limit = np.inf
    if limits.tests & MIS and not limits.present:
        limit = mutual_limit(outside, limits, records + 1) * (1 + FAR)
    for x in range(heads.shape[0]):
        for y in range(heads.shape[1]):
            if heads[x, y] >= best or blocked[x, y]:
                continue
            if limit < np.inf:
                here, there = outside.counts[x, y], outside.totals[y]
                gain = _weight(here + 1) - _weight(here) - _weight(there + 1) + _weight(there)
                if total + gain + limits.bits[x] > limit:
                    continue
            verdict = may_leave(outside, limits, x, y, exposed)
            if verdict == 1 and not limits.present:
                blocked[x, y] = True
            elif verdict == 0:
                best, found = heads[x, y], x * heads.shape[1] + y
    return found


@loop
def run(outside, limits, xs, ys):
    """Requests one after the other, each let out or made to wait; the numbers of those let out, in order.

    After every release those waiting are looked through from the first, until none may leave.
    """
    values, targets = outside.counts.shape
    heads = np.full((values, targets), NEVER)
    last = np.full((values, targets), -1)
    after = np.full(len(xs), -1)
    blocked = np.zeros((values, targets), np.bool_)
    out = np.empty(len(xs), np.int64)
    released = 0
    exposed = count_exposed(outside, limits)
    for request in range(len(xs)):
        x, y = xs[request], ys[request]
        leaving = request
        if heads[x, y] < NEVER or may_leave(outside, limits, x, y, exposed) != 0:
            leaving = -1
            if heads[x, y] == NEVER:
                heads[x, y] = request
            else:
                after[last[x, y]] = request
            last[x, y] = request
        while leaving >= 0:
            put(outside, limits, x, y, 1)
            exposed = 0
            blocked[:, y] = False
            out[released] = leaving
            released += 1
            cell = first_to_leave(outside, limits, heads, blocked, exposed)
            leaving = -1
            if cell >= 0:
                x, y = cell // targets, cell % targets
                leaving = heads[x, y]
                heads[x, y] = after[leaving] if after[leaving] >= 0 else NEVER
    return out[:released]
