"""The measures, each a plain function on joint counts; the registry lists them.

Importing a family registers its measures, and each can be had from here by its name.
"""

from collections.abc import Callable

from divulge._support.rooms import says
from divulge.measures import class_size, closeness, diversity, information
from divulge.measures.identifier import IdentifierClass, identifier_class
from divulge.measures.registry import MEASURES, Law, Measure, get, measure

# The catalogue's order: what keys tell, how many share a class, how varied and how typical their targets are.
_FAMILIES = (information, class_size, diversity, closeness)
for _family in _FAMILIES:
    for _one in [one for one in MEASURES.values() if one.function.__module__ == _family.__name__]:
        MEASURES[_one.name] = MEASURES.pop(_one.name)

says(__name__, "dv.measure reads measures of a table, and dv.MEASURES lists them.")

__all__ = ["MEASURES", "IdentifierClass", "Law", "Measure", "get", "identifier_class", "measure"]


def __getattr__(name: str) -> Callable[..., float]:
    """The function of a measure."""
    if name in MEASURES:
        return MEASURES[name].function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
