"""What keys reveal about a target, in bits and as shares of all there is to learn.

n_y H(X|y) of a merged group is at least the sum over its parts, since entropy is concave. So merging never
lowers H(X|Y) (coarsening), and what is read from n_y H(X|y) of one group gets no riskier than it was alone
(absorption). H(X) changes when a group is left out, and averages are over the groups that are left: without
those that say little, those that say much are left. So averages have to be evaluated. Worst cases over groups
that do not depend on the others get no riskier (suppression).
"""

from __future__ import annotations

import math

from divulge.counting.counts import Counts, JointCounts
from divulge.counting.statistics import DIVERGENCE, ENTROPY, TOP_SHARE, UNCERTAINTY
from divulge.errors import ParameterError, Undefined
from divulge.measures.registry import Law, measure

ALL = (Law.RELABELLING, Law.COARSENING, Law.DUPLICATION, Law.INDEPENDENCE)
WORST = (*ALL, Law.SUPPRESSION)


def _entropy(counts: JointCounts) -> float:
    """H(X), refusing the constant target over which no rate is defined."""
    if counts.entropy == 0:
        raise Undefined("the target has one value only, so there is nothing to learn: H(X) = 0")
    return counts.entropy


@measure(
    title="Entropy of the target",
    formula="H(X) = -sum_x p(x) log2 p(x)",
    unit="bits",
    bounds=(0, math.inf),
    riskier="lower",
    case="whole",
    laws=ALL,
    reference="shannon1948",
    example="p(x) = 5/8 and 3/8: 0.625 log2(8/5) + 0.375 log2(8/3) = 0.9544",
    reads_target=False,
)
def entropy(counts: JointCounts) -> float:
    """How uncertain an attacker is about the target before knowing any key.

    With the target @record it is log2 of the number of records. 0 means that the target is constant. Merging
    groups does not touch it; leaving one out can take a value away.
    """
    return counts.entropy


@measure(
    title="Conditional entropy",
    formula="H(X|Y) = sum_y p(y) H(X|y)",
    unit="bits",
    bounds=(0, math.inf),
    riskier="lower",
    case="average",
    laws=ALL,
    reference="shannon1948",
    example="H(X|y) = 1 and 0.8113, p(y) = 4/8 each: 0.5 * 1 + 0.5 * 0.8113 = 0.9056",
    by_class=ENTROPY,
    ceiling=lambda counts: 0.0,
)
def conditional_entropy(counts: Counts) -> float:
    """How uncertain an attacker who knows the keys still is about the target, on average.

    By group: H(X|y), the uncertainty in that group. Merging never lowers the average, since entropy is
    concave. Leaving out a mixed group does: without the first of 5 5 | 9 1 it falls from 0.73 to 0.47.
    """
    return counts.total(UNCERTAINTY) / counts.weight


@measure(
    title="Normalized conditional entropy",
    formula="H(X|Y) / H(X)",
    bounds=(0, 1),
    riskier="lower",
    case="average",
    laws=ALL,
    reference="sondeck2017thesis",
    example="0.9056 / 0.9544 = 0.9489",
    by_class=ENTROPY,
    class_value=lambda entropy, counts: entropy / _entropy(counts),
    ceiling=lambda counts: 0.0,
)
def normalized_conditional_entropy(counts: JointCounts) -> float:
    """The share of the target's uncertainty that remains with the keys: one minus the discrimination rate.

    By group: H(X|y) / H(X), which may exceed 1 where a group is more mixed than the table. Merging never
    lowers it, as H(X) stays; leaving out a mixed group can.
    """
    return min(conditional_entropy(counts) / _entropy(counts), 1.0)


@measure(
    title="Mutual information",
    formula="I(X;Y) = H(X) - H(X|Y)",
    unit="bits",
    bounds=(0, math.inf),
    riskier="higher",
    case="average",
    laws=ALL,
    reference="bkakria2021",
    example="0.9544 - 0.9056 = 0.0488",
    ceiling=lambda counts: counts.entropy,
)
def mutual_information(counts: Counts) -> float:
    """How much information the keys give about the target, on average.

    Cannot exceed H(X). It is too high on small groups: compare it with the chance level. Merging never
    raises it (a coarser key says no more); leaving out a group that says nothing can.
    """
    return max(counts.entropy - conditional_entropy(counts), 0.0)


@measure(
    title="Conditional privacy loss",
    formula="1 - 2^(-I(X;Y))",
    bounds=(0, 1),
    riskier="higher",
    case="average",
    laws=ALL,
    reference="agrawal2001",
    example="1 - 2^(-0.0488) = 0.0333",
    ceiling=lambda counts: -math.expm1(-counts.entropy * math.log(2)),
)
def conditional_privacy(counts: JointCounts) -> float:
    """The fraction of the target's privacy that is lost when the keys are known.

    Mutual information rescaled to 0 to 1. It reaches at most 1 - 2^(-H(X)). It rises with mutual
    information, so the same laws hold.
    """
    return -math.expm1(-mutual_information(counts) * math.log(2))


@measure(
    title="Discrimination rate",
    formula="DR_X(Y) = 1 - H(X|Y) / H(X);  by value: DR_X(y) = 1 - p(y) H(X|y) / H(X)",
    bounds=(0, 1),
    riskier="higher",
    case="average",
    laws=(*ALL, Law.ABSORPTION),
    reference="sondeck2017",
    example="1 - 0.9056 / 0.9544 = 0.0511",
    by_class=UNCERTAINTY,
    class_value=lambda left, counts: 1 - left / counts.weight / _entropy(counts),
    ceiling=lambda counts: 1.0,
)
def discrimination_rate(counts: JointCounts) -> float:
    """How far the keys determine the target: 0 not at all, 1 completely.

    By value, the losses 1 - DR_X(y) add up to 1 - DR_X(Y). Under a partition of the target into
    semantic domains this is the semantic discrimination rate (SeDR). Merging never raises it, as H(X) stays.
    Leaving out a group can: of 5 5 | 9 0 | 0 9 it is 0.64, and 1 without the first.
    """
    return max(1 - conditional_entropy(counts) / _entropy(counts), 0.0)


@measure(
    title="Information-theoretic privacy risk",
    formula="ITPR_X(Y) = max_y 1 - |Y| p(y) H(X|y) / H(X)",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=(Law.RELABELLING, Law.DUPLICATION),
    reference="bkakria2021",
    example="the second group: 1 - 2 * 0.5 * 0.8113 / 0.9544 = 0.15",
    by_class=UNCERTAINTY,
    class_value=lambda left, counts: 1 - counts.classes * (left / counts.weight) / _entropy(counts),
    ceiling=lambda counts: 1.0,
)
def itpr(counts: JointCounts) -> float:
    """The discrimination rate of the most revealing key value, scaled by the number of key values.

    |Y| counts the combinations of key values that occur, so adding a key changes the scale: unlike the
    discrimination rate, ITPR may fall when a key is added, except that 1 stays 1. By value it may be
    negative. It is 1 as soon as one group has a single target value. It has no law of merging: groups
    1 1 | 1 1 | 3 3 give 0.4, and 0.6 once the first and the last are one. It must be evaluated.
    """
    return max(1 - counts.classes * counts.least(UNCERTAINTY) / counts.weight / _entropy(counts), 0.0)


@measure(
    title="Maximum information leakage",
    formula="MIL = max_y H(X) - p(y) H(X|y)",
    unit="bits",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=(Law.RELABELLING, Law.COARSENING, Law.ABSORPTION, Law.DUPLICATION),
    reference="calmon2012",
    example="the second group: 0.9544 - 0.5 * 0.8113 = 0.5488",
    by_class=UNCERTAINTY,
    class_value=lambda left, counts: counts.entropy - left / counts.weight,
)
def maximum_information_leakage(counts: JointCounts) -> float:
    """The most information that a single key value gives about the target.

    The definition of I(X;Y=y) that reproduces the published figures: H(X) times the largest value-level
    discrimination rate. Its scale depends on H(X), so compare it for the same target only. The least
    p(y) H(X|y) never falls by merging; H(X) can rise when a group is left out.
    """
    return max(counts.entropy - counts.least(UNCERTAINTY) / counts.weight, 0.0)


@measure(
    title="Entropy l-diversity risk (pELD)",
    formula="2^(-min_y H(X|y))",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=WORST,
    reference="bkakria2021",
    example="the least H(X|y) is 0.8113: 2^(-0.8113) = 0.5699",
    by_class=ENTROPY,
    class_value=lambda entropy, counts: 2.0**-entropy,
    ceiling=lambda counts: 1.0,
    reads_overlap=True,
)
def entropy_l_diversity_risk(counts: JointCounts) -> float:
    """One over the effective number of target values in the least varied group.

    The paper has a minimum in the exponent; its figures need the group of least entropy, as used here.
    Entropy is concave: merging two groups gives at least the lesser entropy.
    """
    return float(2.0 ** -counts.least(ENTROPY))


@measure(
    title="Divergence from the table (KL)",
    formula="max_y sum_x p(x|y) log2( p(x|y) / p(x) )",
    unit="bits",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=WORST,
    reference="rebollo2013",
    example="the second group: 0.75 log2(0.75 / 0.625) + 0.25 log2(0.25 / 0.375) = 0.051",
    by_class=DIVERGENCE,
    reads_overlap=True,
    against_table=True,
)
def kl_closeness(counts: JointCounts) -> float:
    """How far the target's distribution in the most unusual group is from that of the whole table.

    The information-theoretic counterpart of t-closeness: mutual information is its average over records.
    Values absent from a group add nothing to it. It is convex in p(x|y): merging never raises it.
    """
    return counts.most(DIVERGENCE)


@measure(
    title="Worst posterior",
    formula="max_{x,y} p(x|y)",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=WORST,
    reference="rebollo2013",
    example="flu in the second group: 3 / 4 = 0.75",
    by_class=TOP_SHARE,
    ceiling=lambda counts: 1.0,
    reads_overlap=True,
)
def worst_posterior(counts: JointCounts) -> float:
    """How sure an attacker can be of a target value: the best guess in the most revealing group.

    With the target @record it is one over the size of the smallest group. A share in a merged group is
    between those of its parts.
    """
    return counts.most(TOP_SHARE)


@measure(
    title="Attacker's error",
    formula="average: 1 - sum_y p(y) max_x p(x|y);  worst: min_y 1 - max_x p(x|y)",
    bounds=(0, 1),
    riskier="lower",
    case="average",
    laws=ALL,
    laws_by_kind={"worst": (Law.SUPPRESSION,)},
    reference="rebollo2013",
    example="the best guess is right in 2 and in 3 of 4 records: 1 - (2 + 3) / 8 = 0.375",
    by_class=TOP_SHARE,
    class_value=lambda share, counts: 1 - share,
    ceiling=lambda counts: 0.0,
    variants=({"kind": "average"}, {"kind": "worst"}),
)
def attacker_error(counts: JointCounts, *, kind: str = "average") -> float:
    """How often the best guess of the target is wrong, for an attacker who knows the keys.

    kind = average is over records, kind = worst is the most revealing group. With the target @record the
    average is one minus the number of groups over records. The worst case is one minus the worst posterior.
    Merging lowers neither: the largest share is convex. Leaving out a mixed group can lower the average.
    """
    if kind == "average":
        wrong = counts.add_up(counts.class_weight) - counts.over_weight(TOP_SHARE)
        return max(wrong / counts.weight, 0.0)
    if kind == "worst":
        return 1 - counts.most(TOP_SHARE)
    raise ParameterError(f"'{kind}' is not a kind of attacker_error.", hint="Choose average or worst.")


@measure(
    title="Attacker's error at best",
    formula="max_y 1 - max_x p(x|y)",
    bounds=(0, 1),
    riskier="lower",
    case="best",
    laws=(Law.RELABELLING, Law.DUPLICATION, Law.INDEPENDENCE),
    reference="rebollo2013",
    example="the best guess is wrong in 2 of 4 records of the first group: 1 - 2 / 4 = 0.5",
    by_class=TOP_SHARE,
    class_value=lambda share, counts: 1 - share,
    ceiling=lambda counts: 0.0,
)
def best_attacker_error(counts: JointCounts) -> float:
    """How often the best guess is wrong in the least revealing group.

    Merging groups may lower it, as may leaving out the least revealing one: it has neither law.
    """
    return 1 - counts.least(TOP_SHARE)


@measure(
    title="Entropy drop",
    formula="theta = max_y (H(X) - H(X|y))",
    unit="bits",
    bounds=(0, math.inf),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="bkakria2021",
    example="0.9544 - min(1, 0.8113) = 0.1432",
    by_class=ENTROPY,
    class_value=lambda entropy, counts: counts.entropy - entropy,
    ceiling=lambda counts: counts.entropy,
)
def entropy_drop(counts: JointCounts) -> float:
    """How much less uncertain the least varied group is than the table (equation 15 of the ITPR paper).

    A group that is as varied as the table, but with other values, has 0: divergence sees what this does not.
    """
    return max(counts.entropy - counts.least(ENTROPY), 0.0)


@measure(
    title="Normalized entropy drop",
    formula="theta / H(X)",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=ALL,
    reference="bkakria2021",
    example="0.1432 / 0.9544 = 0.15",
    by_class=ENTROPY,
    class_value=lambda entropy, counts: 1 - entropy / _entropy(counts),
    ceiling=lambda counts: 1.0,
)
def normalized_entropy_drop(counts: JointCounts) -> float:
    """The share of the target's uncertainty that the least varied group lacks.

    1 says that some group has one target value only. Undefined where the target is constant.
    """
    return max(1 - counts.least(ENTROPY) / _entropy(counts), 0.0)
