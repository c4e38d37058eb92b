"""The charts of a release simulation as Vega-Lite specifications, in the order of its report."""

from __future__ import annotations

from functools import partial

from divulge.report.release import tables as tables
from divulge.report.release.bars import released, released_by_test
from divulge.report.release.curves import exposure, readings
from divulge.report.shared.tables import Chart

BARS = (
    "The light bar is what was requested, the dark one what was released on average. The upright line is "
    "what would be released of the whole table if each target had to be distributed exactly as the baseline."
)
LINES = (
    "The line is read of what was outside in the first run, the broken one is the critical value it must "
    "stay below."
)


def _exposure(test: str, title: str, reading: str) -> Chart:
    return Chart(
        f"exposure_{test}",
        title,
        f"{LINES} {reading}",
        partial(exposure, test),
        partial(tables.exposures, test),
    )


#: The chart of each test's exposure.
EXPOSURES = {
    "mis": _exposure(
        "mis", "MIS: mutual information", "In bits, for all targets together. Both axes are logarithmic."
    ),
    "kld": _exposure(
        "kld",
        "KLD: Kullback-Leibler distance of each target",
        "In bits, how far the values of a target are from the baseline. Both axes are logarithmic.",
    ),
    "cst": _exposure(
        "cst",
        "CST: Pearson's statistic of each target",
        "How badly the values of a target fit the baseline. A line starts where a target has records enough; "
        "the critical value rises with the number of values that can be told apart.",
    ),
    "dqt": _exposure(
        "dqt",
        "DQT: Dixon's coefficient",
        "How far one target stands out from the others, 0 not at all and 1 alone. A line starts with three "
        "targets at different distances from the baseline; the critical value falls with every further one.",
    ),
}

#: Every chart, in the order of the report.
RELEASE_CHARTS = (
    Chart("released", "Released of each target", BARS, released, tables.by_target),
    *EXPOSURES.values(),
    Chart(
        "readings",
        "What the values outside told",
        "The discrimination rate is the share of uncertainty about the target that values remove on average, "
        "ITPR that of the value that tells most: 0 nothing, 1 all of it. Few records always seem to tell "
        "much, and a rare value keeps ITPR high.",
        readings,
        tables.readings,
    ),
    Chart(
        "released_by_test",
        "Released of each target, test by test",
        f"Each panel is one test by itself on the same requests. {BARS}",
        released_by_test,
        tables.by_test,
    ),
)
