"""Figure 10: critical values of Dixon's test, from the distribution itself."""

from __future__ import annotations

from divulge.reproduction.experiment import Conditions, Curve, Figure, Findings, PublishedNumber
from divulge.reproduction.release.paper import PAPER
from divulge.safe_release.statistics.dixon import FEWEST, PUBLISHED, exact_ratio

TABLE_ERROR = 0.0025  # of the published table, which was worked out by hand in 1951


@PAPER.add("figure-10", "Critical values of Dixon's test", "Figure 10")
def figure_10(conditions: Conditions) -> Findings:
    """The published table agrees with the exact distribution to three thousandths."""
    sizes = range(FEWEST, FEWEST + len(PUBLISHED[0.05]))
    exact = {(n, alpha): exact_ratio(n, alpha) for alpha in PUBLISHED for n in sizes}
    return Findings(
        [
            PublishedNumber(
                f"{n} distances, level {alpha}", printed, exact[n, alpha], 1e-3, tolerance=TABLE_ERROR
            )
            for alpha, row in PUBLISHED.items()
            for n, printed in zip(sizes, row, strict=True)
        ],
        figures=[
            Figure(
                "Critical ratio by number of distances",
                "distances",
                "ratio",
                [
                    Curve(f"level {alpha}", [(float(n), exact[n, alpha]) for n in sizes])
                    for alpha in PUBLISHED
                ],
            )
        ],
    )
