"""Safe release: records leave one at a time, only while nothing peculiar can be inferred from them."""

from divulge.release.baseline import Baseline
from divulge.release.controller import Answer, Controller
from divulge.release.decision import Reason, Verdict, decide, next_to_leave
from divulge.release.domain import Cell, Domain, Table, occurrences, table_of, tabulate
from divulge.release.rules import TESTS, Rules
from divulge.release.state import Exposure, Guard, State

__all__ = [
    "TESTS",
    "Answer",
    "Baseline",
    "Cell",
    "Controller",
    "Domain",
    "Exposure",
    "Guard",
    "Reason",
    "Rules",
    "State",
    "Table",
    "Verdict",
    "decide",
    "next_to_leave",
    "occurrences",
    "table_of",
    "tabulate",
]
