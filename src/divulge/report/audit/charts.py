"""The charts of an audit as Vega-Lite specifications: plain dictionaries, to be read, tested and restyled."""

from __future__ import annotations

from divulge.report.audit import tables
from divulge.report.audit.beyond_table import BEYOND_CHARTS
from divulge.report.audit.class_charts import class_sizes, combinations, record_risk
from divulge.report.audit.key_charts import attributes, values
from divulge.report.audit.reading_charts import CERTAINTY_CHART
from divulge.report.shared.tables import Chart

#: Every chart, in the order of the report.
CHARTS = (
    Chart(
        "record_risk",
        "Records by risk",
        "The risk of a record is 1 in n, n being the people in its group. Each bar counts the records with "
        "this risk or a higher one. Where there is a dashed line, risks above it are higher than the checks "
        "allow.",
        record_risk,
        tables.record_risk,
    ),
    Chart(
        "attributes",
        "What each attribute reveals",
        "Re-identification: the share of the information needed to identify someone that the attribute "
        "gives (discrimination rate). Sensitive attributes: how far it makes them predictable beyond chance, "
        "0% being chance (adjusted rate). Darker is riskier in print and on light screens, brighter on dark "
        "ones.",
        attributes,
        tables.attributes,
    ),
    Chart(
        "values",
        "What single values reveal",
        "Each line is one value of an attribute, riskiest first. Further right is riskier; what is below 0 "
        "is drawn at 0.",
        values,
        tables.values,
    ),
    CERTAINTY_CHART,
    Chart(
        "combinations",
        "Risk by number of attributes known",
        "Each dot is one combination of attributes. The line joins the medians. Short strokes mark the "
        "least and the most risky combination of each size.",
        combinations,
        tables.combinations,
    ),
    Chart(
        "class_sizes",
        "Records by group size",
        "How many records are in groups of each size. A group of one is a unique person.",
        class_sizes,
        tables.class_sizes,
    ),
    *BEYOND_CHARTS,
)
