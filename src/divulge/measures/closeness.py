"""How far a group's target values are from the whole table's: t-closeness and its family.

A measure compares groups with the records that were counted, or with a table beside them. A record whose keys
are all suppressed is in no group, but its sensitive value can be read; so checks count it in the table that
groups are compared with. A release beside its original is compared with the original.

The shares of a merged group are an average of those of its parts, p = w p1 + (1 - w) p2, and every distance
here is convex in p, or quasi-convex, with the table fixed: no more than the larger of its parts (coarsening),
though it can exceed the smaller (no absorption). Leaving a group out changes neither the other groups nor,
since its values stay in it, the table (suppression). Were they gone from the table, a group could come out
farther from it: of a a | a b | b b the second is as the table is, and 0.25 from it once b b is gone.
"""

from __future__ import annotations

import math

from divulge.counting.counts import JointCounts
from divulge.counting.statistics import DISCLOSURE, ENHANCED_GAIN, GAIN, Statistic, distance
from divulge.measures.registry import Law, measure

ALL = (Law.RELABELLING, Law.COARSENING, Law.SUPPRESSION, Law.DUPLICATION, Law.INDEPENDENCE)


def _distance(ground: str = "equal") -> Statistic:
    return distance(ground)


def _gain(enhanced: bool = False) -> Statistic:
    return ENHANCED_GAIN if enhanced else GAIN


@measure(
    title="t-closeness",
    formula="max_y EMD( p(x|y), p(x) )",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="li2007",
    example="flu in the second group against the table: 0.75 - 0.625 = 0.125",
    by_class=_distance,
    needs_target=True,
    reads_overlap=True,
    against_table=True,
    variants=({"ground": "equal"}, {"ground": "ordered"}, {"ground": "hierarchical"}),
)
def t_closeness(counts: JointCounts, *, ground: str = "equal") -> float:
    """The largest earth mover's distance between a group's target values and the whole table's.

    ground is the distance between two values: equal (all the same: total variation), ordered (ranks of the
    values that occur, spacing ignored, as in the paper), hierarchical (height of the nearest common
    ancestor in the target's hierarchy). The ground is chosen, never guessed from a column's type. The table
    is the one that is counted; in a check, suppressed records are in it; a release beside its original is
    compared with the original. Each distance is a norm of p - q, so it is convex: merging never raises it.
    """
    statistic = distance(ground)
    statistic.require(counts)
    return counts.most(statistic)


@measure(
    title="delta-disclosure privacy",
    formula="max_{x,y} | log2( p(x|y) / p(x) ) |",
    unit="bits",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="brickell2008",
    example="cold in the second group: |log2(0.25 / 0.375)| = 0.585",
    by_class=DISCLOSURE,
    needs_target=True,
    reads_overlap=True,
    against_table=True,
    infinite="infinite: some target value is absent from some group",
)
def delta_disclosure(counts: JointCounts) -> float:
    """The largest change of the probability of a target value in a group, in bits, up or down.

    As defined, a value absent from a group makes it infinite: the attacker learns what someone does
    not have. Other tools leave absent values out, or use natural logarithms (times ln 2 here). The
    definition is strict: the table satisfies every delta greater than the reading. |log2(p/q)| falls, then
    rises in p: between two shares it is at most the larger end, so merging never raises it.
    """
    return counts.most(DISCLOSURE)


@measure(
    title="beta-likeness",
    formula="max_{x,y: p(x|y) > p(x)} (p(x|y) - p(x)) / p(x)",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="cao2012",
    example="cold in the first group: (0.5 - 0.375) / 0.375 = 0.3333",
    by_class=_gain,
    needs_target=True,
    reads_overlap=True,
    against_table=True,
    infinite="infinite: some value's gain exceeds -ln p(x), which no beta allows",
    variants=({"enhanced": False}, {"enhanced": True}),
)
def beta_likeness(counts: JointCounts, *, enhanced: bool = False) -> float:
    """The largest relative gain in an attacker's belief about a target value.

    Losses do not count. The reading is the least beta the table satisfies. enhanced = true bounds each
    value's gain by min(beta, -ln p(x)), value by value: where a gain exceeds -ln p(x), as in every group
    with a single value, no beta satisfies it and the reading is infinite. A gain is linear in p(x|y), and a
    largest of linear ones is convex: merging never raises it.
    """
    return counts.most(_gain(enhanced))
