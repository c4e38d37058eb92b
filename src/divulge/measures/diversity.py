"""How varied target values are inside each group: l-diversity and its family.

The shares of a merged group are an average of those of its parts, p = w p1 + (1 - w) p2. Entropy is concave
and the largest share convex in p, so a merged group is at least as varied as its less varied part: the worst
case never gets riskier (coarsening). It can be less varied than its more varied part (no absorption): values
a, b merged with a hundred times a are nearly all a. Leaving a group out changes no other group (suppression).
"""

from __future__ import annotations

import math

from divulge.counting.counts import JointCounts
from divulge.counting.statistics import DISTINCT, ENTROPY, TOP_SHARE, UNEVENNESS, Statistic, dominance
from divulge.errors import ParameterError
from divulge.measures.registry import Law, measure

ALL = (Law.RELABELLING, Law.COARSENING, Law.SUPPRESSION, Law.DUPLICATION, Law.INDEPENDENCE)


def _dominance(l: int = 2) -> Statistic:
    if isinstance(l, bool) or not isinstance(l, int) or l < 1:
        raise ParameterError(f"recursive_cl_diversity needs a whole number l of at least 1, not {l!r}.")
    return dominance(l)


@measure(
    title="Distinct l-diversity",
    formula="min_y |{x : n(x,y) > 0}|",
    unit="values",
    bounds=(1, math.inf),
    riskier="lower",
    case="worst",
    laws=(*ALL, Law.ABSORPTION),
    reference="machanavajjhala2007",
    example="both groups have flu and cold: 2",
    by_class=DISTINCT,
    needs_target=True,
    reads_overlap=True,
)
def distinct_l_diversity(counts: JointCounts) -> float:
    """The number of different target values in the least varied group.

    Missing counts as a value. How often values occur does not matter: 99 flu and 1 cold count as 2. A merged
    group has the values of both parts, so it never has fewer than either.
    """
    return counts.least(DISTINCT)


@measure(
    title="Entropy l-diversity",
    formula="2^(min_y H(X|y))",
    unit="values",
    bounds=(1, math.inf),
    riskier="lower",
    case="worst",
    laws=ALL,
    reference="machanavajjhala2007",
    example="the least H(X|y) is 0.8113: 2^0.8113 = 1.7548",
    by_class=ENTROPY,
    class_value=lambda entropy, counts: 2.0**entropy,
    needs_target=True,
    reads_overlap=True,
)
def entropy_l_diversity(counts: JointCounts) -> float:
    """The effective number of target values in the least varied group: l equally frequent values give l.

    The base of the logarithm cancels. The reading is not rounded down to a whole number: three equal
    values give 3 up to rounding, and rounding down would give 2. Entropy is concave: merging two groups
    gives at least the lesser of their values, not always the larger one.
    """
    return float(2.0 ** counts.least(ENTROPY))


@measure(
    title="Recursive (c, l)-diversity",
    formula="max_y r_1 / (r_l + ... + r_m), r the group's value counts in falling order",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="machanavajjhala2007",
    example="l = 2, the second group has counts 3 and 1: 3 / 1 = 3",
    by_class=_dominance,
    needs_target=True,
    reads_overlap=True,
    infinite="infinite: some group has fewer than l target values, so no c satisfies it",
)
def recursive_cl_diversity(counts: JointCounts, *, l: int = 2) -> float:
    """The c above which the table is recursively (c, l)-diverse, for a given l (default 2).

    The definition requires r_1 < c (r_l + ... + r_m) strictly, so the table satisfies every c greater than
    the reading. A group with fewer than l values satisfies none: the reading is infinite. Counts
    (8, 1, 1) with l = 3 give 8. Merged, the largest count is at most r_1 + s_1, and the l - 1 largest
    together at most those of both parts: what is left is at least both tails. So merging never raises it.
    """
    return counts.most(_dominance(l))


@measure(
    title="(alpha, k)-anonymity",
    formula="alpha = max_{x,y} p(x|y), to be read with k = min_y n_y",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="wong2006",
    example="k = 4, and flu in the second group gives alpha = 3 / 4 = 0.75",
    by_class=TOP_SHARE,
    needs_target=True,
    ceiling=lambda counts: 1.0,
    reads_overlap=True,
    beside=("k_anonymity",),
)
def alpha_k_anonymity(counts: JointCounts) -> float:
    """The largest share of one target value in a group: the alpha of (alpha, k)-anonymity.

    The pair holds for this alpha, or a larger one, together with k of k-anonymity. Every
    target value counts as sensitive. A share in a merged group is between those of its parts.
    """
    return counts.most(TOP_SHARE)


@measure(
    title="Difference of occurrences",
    formula="lambda = max_y (max_x n(x,y) - min_x n(x,y))",
    unit="records",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=(Law.RELABELLING, Law.SUPPRESSION),
    reference="bkakria2021",
    example="the second group has 3 and 1 records: 3 - 1 = 2",
    by_class=UNEVENNESS,
    needs_target=True,
)
def occurrence_difference(counts: JointCounts) -> float:
    """How much more often one target value occurs than another in the same group, at most.

    Equation 14 of the ITPR paper. A value that a group lacks occurs 0 times there. It grows
    with the size of groups. Records count alike, whatever they weigh.
    """
    return counts.most(UNEVENNESS)
