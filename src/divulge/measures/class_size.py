"""How many people share a group: k-anonymity and its family. Groups are counted in people, not weights.

Merging adds sizes up: n of a merged group is at least n of either part. So the smallest size never falls
(coarsening), and no group becomes smaller than it was alone (absorption). Leaving a group out changes no
other group, so extremes over groups get no riskier (suppression); averages can, and each says how.
"""

from __future__ import annotations

import math

from divulge.counting.counts import JointCounts
from divulge.counting.statistics import ALONE, RISK, SIZE
from divulge.errors import ParameterError
from divulge.measures.registry import Law, measure

SIZES = (Law.RELABELLING, Law.COARSENING)
OF_A_GROUP = (*SIZES, Law.ABSORPTION)


@measure(
    title="k-anonymity",
    formula="min_y n_y",
    unit="records",
    bounds=(1, math.inf),
    riskier="lower",
    case="worst",
    laws=(*OF_A_GROUP, Law.SUPPRESSION),
    reference="sweeney2002",
    example="groups of 4 and 4 records: 4",
    by_class=SIZE,
    reads_target=False,
    reads_overlap=True,
)
def k_anonymity(counts: JointCounts) -> float:
    """The size of the smallest group of records with the same key values (equivalence class).

    Records are counted, or people where an identifier says which records belong together; weights do
    not matter. Records whose keys are all suppressed are in no group. Merging groups never makes it smaller,
    nor does leaving one out.
    """
    return counts.least(SIZE)


@measure(
    title="Number of groups",
    formula="|Y|, the combinations of key values that occur",
    unit="groups",
    bounds=(1, math.inf),
    riskier="higher",
    case="whole",
    laws=(*SIZES, Law.DUPLICATION, Law.SUPPRESSION),
    reference="sweeney2002",
    example="two combinations occur: 2",
    reads_target=False,
    reads_overlap=True,
)
def class_count(counts: JointCounts) -> float:
    """How many different combinations of key values there are.

    Missing counts as a value of its own unless the data say otherwise. Merging two groups, or leaving one
    out, makes one fewer.
    """
    return counts.classes


@measure(
    title="Average group size",
    formula="n / |Y|",
    unit="records",
    bounds=(1, math.inf),
    riskier="lower",
    case="average",
    laws=SIZES,
    reference="lefevre2006",
    example="8 / 2 = 4",
    reads_target=False,
)
def average_class_size(counts: JointCounts) -> float:
    """Records per group, over groups.

    A few large groups can hide many small ones: use it together with k and uniqueness. Merging makes fewer
    groups of as many records. Leaving out a large group lowers it: sizes 9 and 1 give 5, without the 9
    it is 1.
    """
    return counts.records / counts.classes


@measure(
    title="Uniqueness",
    formula="share of records with n_y = 1",
    bounds=(0, 1),
    riskier="higher",
    case="average",
    laws=OF_A_GROUP,
    reference="skinner2002",
    example="no group has a single record: 0 / 8 = 0",
    by_class=ALONE,
    reads_target=False,
    reads_overlap=True,
    counts_people=True,
)
def uniqueness(counts: JointCounts) -> float:
    """The share of records that are unique: no other person has the same key values.

    By group: 1 for a group of one person, otherwise 0. A merged group has two or more, so merging makes
    nobody unique. Leaving out others raises the share: of 10 records 1, without the other 9 all.
    """
    return counts.over_records(ALONE) / counts.records


@measure(
    title="Re-identification risk",
    formula="highest: max_y 1/n_y;  average: sum_y n_y (1/n_y) / n = |Y| / n",
    bounds=(0, 1),
    riskier="higher",
    case="worst",
    laws=OF_A_GROUP,
    laws_by_kind={"highest": (Law.SUPPRESSION,)},
    reference="elemam2008",
    example="groups of 4 and 4 records: 1 / 4 = 0.25",
    by_class=RISK,
    reads_target=False,
    reads_overlap=True,
    variants=({"kind": "highest"}, {"kind": "average"}),
)
def reidentification_risk(counts: JointCounts, *, kind: str = "highest") -> float:
    """The probability that a guess within the right group is the right person.

    kind = highest is the risk in the smallest group; kind = average is over records, not over groups:
    a mean over groups would give small groups the same weight as large ones. Merging raises neither. Leaving
    out a group never raises the highest. It can raise the average: of sizes 9 and 1 from 0.2 to 1, without
    the 9.
    """
    if kind == "highest":
        return counts.most(RISK)
    if kind == "average":
        return counts.over_records(RISK) / counts.records
    raise ParameterError(
        f"'{kind}' is not a kind of reidentification_risk.", hint=("Choose highest or average.")
    )


@measure(
    title="Difference of group sizes",
    formula="epsilon = max_y n_y - min_y n_y",
    unit="records",
    bounds=(0, math.inf),
    riskier="higher",
    case="whole",
    laws=(Law.RELABELLING, Law.SUPPRESSION),
    reference="bkakria2021",
    example="groups of 4 and 4 records: 4 - 4 = 0",
    reads_target=False,
    reads_overlap=True,
)
def class_size_difference(counts: JointCounts) -> float:
    """How many records more the largest group has than the smallest (equation 13 of the ITPR paper).

    It says how uneven groups are, not how small: groups of 1 and 1 have 0.
    """
    return counts.most(SIZE) - counts.least(SIZE)
