"""How much does this data divulge, to whom, and what would it cost to divulge less?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from divulge.api import ask, identifier_class, measure
    from divulge.assessment import Assessment, audit
    from divulge.comparison import Comparison, compare
    from divulge.counts import JointCounts
    from divulge.data import Data, read
    from divulge.errors import DivulgeError
    from divulge.hierarchy import Hierarchy
    from divulge.measures import MEASURES, IdentifierClass
    from divulge.partition import Partition
    from divulge.policy import Policy
    from divulge.reading import Reading, Readings

__version__ = "0.1.0"

__all__ = [
    "MEASURES",
    "Assessment",
    "Comparison",
    "Data",
    "DivulgeError",
    "Hierarchy",
    "IdentifierClass",
    "JointCounts",
    "Partition",
    "Policy",
    "Reading",
    "Readings",
    "ask",
    "audit",
    "compare",
    "identifier_class",
    "measure",
    "read",
]

# Each name is imported when it is first used, so that the command line starts without NumPy.
_HOME = {
    "MEASURES": "measures",
    "Assessment": "assessment",
    "Comparison": "comparison",
    "Data": "data",
    "DivulgeError": "errors",
    "Hierarchy": "hierarchy",
    "IdentifierClass": "measures",
    "JointCounts": "counts",
    "Partition": "partition",
    "Policy": "policy",
    "Reading": "reading",
    "Readings": "reading",
    "ask": "api",
    "audit": "assessment",
    "compare": "comparison",
    "identifier_class": "api",
    "measure": "api",
    "read": "data",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'divulge' has no attribute '{name}'")
    return getattr(import_module(f"divulge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
