"""The charts of a release simulation as Vega-Lite specifications, in the order of its report."""

from __future__ import annotations

from functools import partial

from divulge.report.release import tables as tables
from divulge.report.release.bars import released, released_by_test
from divulge.report.release.curves import exposure, readings
from divulge.report.release.distributions import histogram_table, histograms, statistics, statistics_table
from divulge.report.shared.tables import Chart

BARS = (
    "Wide bar: requested. Narrow bar: released on average. Upright line: what could be released of the whole "
    "table if each target had to match the baseline exactly."
)
LINES = "Solid line: the released records of the first run. Broken line: the critical value to stay below."


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
        "How badly the values of a target fit the baseline. A line starts where a target has enough records; "
        "the critical value rises with the number of values that can be distinguished.",
    ),
    "dqt": _exposure(
        "dqt",
        "DQT: Dixon's coefficient",
        "How far one target is from the others: 0 not at all, 1 alone. A line starts with three targets at "
        "different distances from the baseline; the critical value falls with every further one.",
    ),
    "seq": _exposure(
        "seq",
        "SEQ: odds against the baseline",
        "How much more probable the released values are if shares of a target differ from the baseline than "
        "if they do not. 1 says nothing either way. Both axes are logarithmic.",
    ),
}

#: Every chart, in the order of the report.
RELEASE_CHARTS = (
    Chart("released", "Released of each target", BARS, released, tables.by_target),
    Chart(
        "histograms",
        "Values of each target, table and released",
        "Values in their order. Faint bars: records in the table. Strong bars: released on "
        "average. Line: the baseline, for as many records as were released. Counts are to the nearest ten.",
        histograms,
        histogram_table,
    ),
    *EXPOSURES.values(),
    Chart(
        "readings",
        "Information about targets in the released values",
        "Discrimination rate: the share of uncertainty about the target that values remove on average. ITPR: "
        "the same for the value that removes most. 0 is none, 1 is all. With few records both are always "
        "high, and a rare value keeps ITPR high.",
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
    Chart(
        "statistics",
        "The test statistic by chance",
        "Bars: simulated, with values and targets unrelated. Line: the chi-square distribution, which gives "
        "the critical values of large releases. They differ where records are few for so many values.",
        statistics,
        statistics_table,
    ),
)
