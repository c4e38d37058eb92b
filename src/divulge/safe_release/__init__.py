"""Safe release: records are released one at a time, while the released data stay close to a baseline."""

from divulge.safe_release.baseline import Baseline
from divulge.safe_release.controller import Answer, Controller
from divulge.safe_release.decision import Reason, ReleaseVerdict, decide, next_to_leave
from divulge.safe_release.domain import Cell, Domain, HolderTable, occurrences, table_of, tabulate
from divulge.safe_release.exposure import Exposure
from divulge.safe_release.given_set import SetCheck, check_set
from divulge.safe_release.rules import TESTS, Rules
from divulge.safe_release.state import Guard, State

__all__ = [
    "TESTS",
    "Answer",
    "Baseline",
    "Cell",
    "Controller",
    "Domain",
    "Exposure",
    "Guard",
    "HolderTable",
    "Reason",
    "ReleaseVerdict",
    "Rules",
    "SetCheck",
    "State",
    "check_set",
    "decide",
    "next_to_leave",
    "occurrences",
    "table_of",
    "tabulate",
]
