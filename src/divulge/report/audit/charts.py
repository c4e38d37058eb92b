"""The charts of an audit as Vega-Lite specifications: plain dictionaries, to be read, tested and restyled."""

from __future__ import annotations

from divulge.report.audit import tables
from divulge.report.audit.class_charts import class_sizes, combinations, record_risk
from divulge.report.audit.key_charts import attributes, targets, values
from divulge.report.shared.tables import Chart

#: Every chart, in the order of the report.
CHARTS = (
    Chart(
        "attributes",
        "What each attribute tells on its own",
        "Each bar is the share of uncertainty that knowing one attribute removes (discrimination rate), "
        "0 nothing and 1 all of it. The upright line is what chance alone would give.",
        attributes,
        tables.attributes,
    ),
    Chart(
        "targets",
        "Attributes against what they tell",
        "The first column is the discrimination rate for re-identification; the others are the adjusted "
        "rates for sensitive attributes, where 0 is chance level. Darker is riskier in print and on light "
        "screens, brighter on dark ones.",
        targets,
        tables.targets,
    ),
    Chart(
        "values",
        "What single values tell",
        "Each line is one value of an attribute, riskiest first. Further right is riskier; what is below 0 "
        "is drawn at 0.",
        values,
        tables.values,
    ),
    Chart(
        "combinations",
        "Risk by number of attributes known",
        "Each dot is one combination of attributes. The line joins the medians, and short strokes mark the "
        "least and the most risky combination of each size.",
        combinations,
        tables.combinations,
    ),
    Chart(
        "class_sizes",
        "Sizes of classes",
        "How many classes there are of each size, a class being records alike on all quasi-identifiers. "
        "A class of one record is a unique person.",
        class_sizes,
        tables.class_sizes,
    ),
    Chart(
        "record_risk",
        "Risk of records",
        "Each bar is the share of records with that chance of being picked out by a guess among all that "
        "fit. The upright line is the share with at least that risk.",
        record_risk,
        tables.record_risk,
    ),
)
