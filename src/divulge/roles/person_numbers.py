"""Which attribute of a register numbers its people, who may be there for every year."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.questions.data import Data
from divulge.roles.vocabulary import of_people

NEARLY_ALL = 0.95  # of the rows, that have a number which tells people apart


def numbering_people(data: Data, keys: Sequence[str]) -> tuple[str, ...]:
    """What is called the number of a person, and has values nearly everywhere of which some repeat.

    >>> from divulge.questions.data import read
    >>> years = {"person": ["P1", "P2", "P1", "P2"], "doctor": ["A", "A", "A", "B"], "zip": [1, 2, 1, 2]}
    >>> numbering_people(read(years), ["zip"]), numbering_people(read({"person": ["P1", "P2"]}), ["zip"])
    (('person',), ())
    """
    for name in data.schema.attributes:
        if name not in keys and of_people(name):
            found = data.summary(name)
            if found.present >= NEARLY_ALL * data.records and found.distinct < found.present:
                return (name,)
    return ()
