"""Chapter 5: the tables of the semantic discrimination rate, which are those of the paper."""

from __future__ import annotations

from divulge.reproduction.semantic_rate import semantic_rates
from divulge.reproduction.thesis.paper import PAPER

for _item, _title, _where, _run in (
    ("table-5.4", "Cancer or not, by age", "Table 5.4", semantic_rates.table_10),
    ("table-5.6", "Cancer or not, in the released tables", "Table 5.6", semantic_rates.table_13),
    ("table-5.7", "Salary by low, middle and high", "Table 5.7", semantic_rates.table_11),
    ("table-5.8", "Salary by the groups of the t-close table", "Table 5.8", semantic_rates.table_12),
):
    PAPER.add(_item, _title, _where)(_run)
