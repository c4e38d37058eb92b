"""Figure 3: the risk of inference as one value prevails within groups."""

from __future__ import annotations

from divulge.counting.counts import JointCounts
from divulge.measures import MEASURES
from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber, rises
from divulge.reproduction.itpr.paper import PAPER, compared, readings


@PAPER.add(
    "figure-3",
    "Inference risk as one value prevails",
    "Figure 3, section 5",
    caveat="The data of the figure are not published. This table meets every claim that is printed about it: "
    "five ages of 2,000 records, ten diseases; in age i one disease has so many records more than each of "
    "the others that the difference is lambda i / 5.",
)
def figure_3(conditions: Conditions) -> Findings:
    """ITPR, DR, MI, CP and ELD rise with lambda; MIL falls."""
    steps = 40 if conditions.full else 10  # of 50 or 200, so that no record has to be divided
    found = [
        (MEASURES["occurrence_difference"].compute(counts), readings(counts))
        for counts in (_prevailing(2000 * step / steps) for step in range(1, steps + 1))
    ]
    middle, last = found[steps // 2 - 1][1], found[-1][1]
    return Findings(
        numbers=[
            PublishedNumber(f"{name} at lambda {at:,}", None, read[name])
            for at, read in ((1000, middle), (2000, last))
            for name in read
        ],
        claims=[
            Claim(f"{name} rises with lambda.", rises([read[name] for _, read in found]))
            for name in ("ITPR", "DR", "MI", "CP", "ELD")
        ]
        + [Claim("MIL falls with lambda.", rises([-read["MIL"] for _, read in found]))],
        figures=compared("One value prevails", "lambda: most frequent less least frequent value", found),
    )


def _prevailing(difference: float) -> JointCounts:
    """Five ages of 2,000 records; one disease prevails more from age to age."""
    rows = []
    for age in range(1, 6):
        each = int((2000 - difference * age / 5) // 10)
        rows.append([2000 - 9 * each, *[each] * 9])
    return JointCounts.of_table(rows)
