"""How much does this data divulge, to whom, and what would it cost to divulge less?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from divulge import attacks, documents, roles, safe_release, utility
    from divulge import estimation as channels
    from divulge.alignment.tables import align
    from divulge.anonymization import Anonymization, anonymize
    from divulge.api import ask, identifier_class, measure
    from divulge.assessment import Assessment, audit
    from divulge.attacks.record_linkage.account import RecordLinkage, link
    from divulge.attacks.synthetic_data.account import synthetic_attacks
    from divulge.comparison import Comparison, compare
    from divulge.counting.counts import JointCounts
    from divulge.errors import DivulgeError
    from divulge.estimation import Channel, System
    from divulge.estimation.mechanisms.optimal import optimal_mechanism, tradeoff_curve
    from divulge.measures import MEASURES, IdentifierClass
    from divulge.mechanisms import MECHANISMS
    from divulge.policy import Policy
    from divulge.questions.data import Data, read
    from divulge.readings.reading import Reading
    from divulge.readings.readings import Readings
    from divulge.recipes.manifest import Manifest
    from divulge.recipes.recipe import Recipe
    from divulge.recipes.transform import transform
    from divulge.table.hierarchy import Hierarchy
    from divulge.table.partition import Partition
    from divulge.tabulation.account import TableAccount, tabulate
    from divulge.tabulation.table_policy import TablePolicy
    from divulge.uniques.account import Uniqueness, uniqueness

__version__ = "1.0.0"

__all__ = [
    "MEASURES",
    "MECHANISMS",
    "Anonymization",
    "Assessment",
    "Channel",
    "Comparison",
    "Data",
    "DivulgeError",
    "Hierarchy",
    "IdentifierClass",
    "JointCounts",
    "Manifest",
    "Partition",
    "Policy",
    "Reading",
    "Readings",
    "Recipe",
    "RecordLinkage",
    "System",
    "TableAccount",
    "TablePolicy",
    "Uniqueness",
    "align",
    "anonymize",
    "ask",
    "attacks",
    "audit",
    "channels",
    "compare",
    "documents",
    "identifier_class",
    "link",
    "measure",
    "optimal_mechanism",
    "read",
    "roles",
    "safe_release",
    "synthetic_attacks",
    "tabulate",
    "tradeoff_curve",
    "transform",
    "uniqueness",
    "utility",
]

# Each name is imported when it is first used, so that the command line starts without NumPy.
_HOME = {
    "MEASURES": "measures",
    "MECHANISMS": "mechanisms",
    "Anonymization": "anonymization",
    "Assessment": "assessment",
    "Channel": "estimation",
    "Comparison": "comparison",
    "Data": "questions.data",
    "DivulgeError": "errors",
    "Hierarchy": "table.hierarchy",
    "IdentifierClass": "measures",
    "JointCounts": "counting.counts",
    "Manifest": "recipes.manifest",
    "Partition": "table.partition",
    "Policy": "policy",
    "Reading": "readings.reading",
    "Readings": "readings.readings",
    "Recipe": "recipes.recipe",
    "RecordLinkage": "attacks.record_linkage.account",
    "System": "estimation",
    "TableAccount": "tabulation.account",
    "TablePolicy": "tabulation.table_policy",
    "Uniqueness": "uniques.account",
    "align": "alignment.tables",
    "anonymize": "anonymization",
    "ask": "api",
    "audit": "assessment",
    "compare": "comparison",
    "identifier_class": "api",
    "link": "attacks.record_linkage.account",
    "measure": "api",
    "optimal_mechanism": "estimation.mechanisms.optimal",
    "read": "questions.data",
    "synthetic_attacks": "attacks.synthetic_data.account",
    "tabulate": "tabulation.account",
    "tradeoff_curve": "estimation.mechanisms.optimal",
    "transform": "recipes.transform",
    "uniqueness": "uniques.account",
}
_MODULES = {
    "attacks": "attacks",
    "channels": "estimation",
    "documents": "documents",
    "roles": "roles",
    "safe_release": "safe_release",
    "utility": "utility",
}

if not TYPE_CHECKING:  # a checker is to know the names above and no others

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f"divulge.{_MODULES[name]}")
        if name not in _HOME:
            raise AttributeError(f"module 'divulge' has no attribute '{name}'")
        return getattr(import_module(f"divulge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
