"""How many people a query counts, as far as a release says it, and its conditions as people write them."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import interval, recognise
from divulge.alignment.tables import counterparts
from divulge.errors import ParameterError, SourceError, UnknownAttribute
from divulge.questions.data import Data, read
from divulge.table.codes import MISSING, Codes, as_number
from divulge.table.packing import coded, combinations

Test = Callable[[Any], bool]
GroupReading = Literal["uniform", "one of the group"]
Floats = npt.NDArray[np.float64]
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_CONDITION = re.compile(rf"\s*({'|'.join(_SIGNS)})\s*(.*?)\s*")
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")
MOST_VALUES = 1_000_000  # whole numbers that an attribute may have


def estimated_count(
    released: object,
    where: Mapping[str, Test],
    stands_for: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    reading: GroupReading = "uniform",
) -> float:
    """How many people fit conditions on several attributes, each record by how likely it does.

    ``stands_for`` has, for an attribute with coarser values, the original values that each may stand for; of
    other attributes values are themselves. ``uniform`` takes every value that a released one may stand for to
    be as likely. ``one of the group`` is how section 2.5.4 of Sondeck's thesis computes 2/5: of a group of
    coarser values that may fit, one record is taken to, whatever the values; it is kept to check the number.
    Records weigh what their weights say: in an anatomy (``read(keys, anatomy=sensitive)``) the share of the
    group that has the value.

    >>> asked = {"age": lambda age: age >= 35, "disease": lambda one: one == "aids"}
    >>> table = {"age": ["<= 32", "> 32", "> 32"], "disease": ["flu", "aids", "flu"]}
    >>> ages = {"age": {"<= 32": range(18, 33), "> 32": range(33, 43)}}
    >>> estimated_count(table, asked, ages)
    0.8
    >>> keys = {"age": [22, 45, 40], "group": [1, 2, 2]}
    >>> ill = {"group": [1, 2, 2], "disease": ["flu", "aids", "flu"], "count": [1, 1, 1]}
    >>> estimated_count(read(keys, anatomy=ill), {**asked, "age": lambda age: age >= 42})
    0.5
    """
    data = (released if isinstance(released, Data) else read(released)).one_by_one()
    data.load([*where])
    known = stands_for or {}
    columns = {name: data.column(name) for name in where}
    chance = {name: _chances(columns[name], test, known.get(name), name) for name, test in where.items()}
    each = np.ones(data.records)
    for name in where:
        each *= chance[name]
    if reading == "one of the group" and known:
        groups = combinations(coded([columns[name] for name in where if name in known]), data.records).number
        each = (each > 0) / np.bincount(groups)[groups]
    weights = data.record_weights()
    return float(each.sum() if weights is None else each @ weights)


def _chances(column: Codes, test: Test, known: Mapping[str, Sequence[Any]] | None, attribute: str) -> Floats:
    """For each record, how likely its value fits; what is missing does not."""
    table = np.zeros(column.cardinality)
    for code in column.used().tolist():
        if code != MISSING:
            value = column.values[code - 1]
            behind = [value] if known is None else known.get(str(value), ())
            if not len(behind):
                raise SourceError(
                    f"It is not said what some values of '{attribute}' stand for.",
                    hint="List the original values behind each released one in stands_for.",
                )
            table[code] = np.mean([bool(test(one)) for one in behind])
    return table[column.codes]


@dataclass(frozen=True)
class QueryCondition:
    """An attribute, a sign and a value; numbers are compared as numbers, other values as texts."""

    attribute: str
    sign: str
    value: str

    @classmethod
    def read(cls, text: str, attributes: Sequence[str]) -> QueryCondition:
        """From a text, the longest name of an attribute first.

        >>> QueryCondition.read("Age >= 35", ["Age", "Disease"])
        QueryCondition(attribute='Age', sign='>=', value='35')
        """
        for name in sorted(attributes, key=len, reverse=True):
            if text.strip().startswith(name) and (
                found := _CONDITION.fullmatch(text.strip().removeprefix(name))
            ):
                return cls(name, found[1], found[2])._comparable()
        asked = re.match(rf"(.*?)\s*(?:{'|'.join(_SIGNS)})", text)
        if asked is None:
            raise ParameterError("A condition has no sign.", hint="Write --where 'Age >= 35'.")
        raise UnknownAttribute(asked[1].strip(), attributes)

    def _comparable(self) -> QueryCondition:
        """Itself, unless it holds for nothing: what is no number is neither above nor below anything."""
        if self.sign not in ("=", "!=") and math.isnan(as_number(self.value)):
            raise ParameterError(
                f"A condition on '{self.attribute}' compares by {self.sign} with what is not a number.",
                hint=f"Give a number, as in --where '{self.attribute} {self.sign} 35', or write = or !=.",
            )
        return self

    def holds(self, value: object) -> bool:
        """Whether it is true of a value; a text that is no number is neither above nor below one."""
        ours, theirs = as_number(value), as_number(self.value)
        if not math.isnan(theirs) and not math.isnan(ours):
            return _SIGNS[self.sign](ours, theirs)
        return self.sign in ("=", "!=") and _SIGNS[self.sign](str(value), self.value)


def whole_numbers(text: str, attribute: str) -> range:
    """The whole numbers that an attribute may have, from a text such as 18..99."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or not 0 <= int(found[2]) - int(found[1]) < MOST_VALUES:
        raise ParameterError(
            f"--range of '{attribute}' has no two whole numbers, the smaller first.",
            hint=f"Write --range {attribute}=18..99.",
        )
    return range(int(found[1]), int(found[2]) + 1)


def values_behind(
    data: Data, attribute: str, original: Data | None = None, numbers: range | None = None
) -> Mapping[str, list[Any]] | None:
    """What each released value of an attribute may stand for; None where all of them are themselves.

    The original values are those of the original table, of a hierarchy or of a range of whole numbers; those
    of intervals with two ends are the whole numbers in them.
    """
    column = data.column(attribute)
    texts = [str(value) for value in column.values_of(column.used()) if value is not None]
    coarse = [text for text in texts if _is_coarse(text, data.suppressed)]
    hierarchies = [data.hierarchies[attribute]] if attribute in data.hierarchies else []
    if not coarse and not hierarchies:
        return None
    known = _original_values(data, attribute, original, numbers, texts)
    if known is None:
        raise _unknown(attribute)
    fits = recognise(column, known, suppressed=data.suppressed_code(attribute), hierarchies=hierarchies)
    if fits.unknown:
        raise _unknown(attribute)
    listed = [value for value in known.values_of(known.used()) if value is not None]
    found = {str(column.values[code - 1]): known.values_of(own) for code, own in fits.codes.items() if code}
    return found | {str(column.values[code - 1]): listed for code in fits.anything if code != MISSING}


def _is_coarse(text: str, suppressed: str | None) -> bool:
    ends = interval(text)
    return text == suppressed or text.endswith("*") or (ends is not None and ends[0] < ends[1])


def _original_values(
    data: Data, attribute: str, original: Data | None, numbers: range | None, texts: Sequence[str]
) -> Codes | None:
    if numbers is not None:
        return Codes.of(numbers)
    if attribute in data.hierarchies:
        return Codes.of(data.hierarchies[attribute].values)
    if original is not None:
        matched, _ = counterparts(original.schema.attributes, data.schema.attributes, {})
        ours = next((one for one, theirs in matched.items() if theirs == attribute), None)
        return None if ours is None else original.column(ours)
    ends = [interval(text) for text in texts if text != data.suppressed]
    sides = [side for pair in ends if pair is not None for side in pair]
    if None in ends or not sides or not all(map(math.isfinite, sides)):
        return None
    low, high = math.ceil(min(sides)), math.floor(max(sides))
    return Codes.of(range(low, high + 1)) if high - low < MOST_VALUES else None


def _unknown(attribute: str) -> SourceError:
    return SourceError(
        f"'{attribute}' has values that stand for several others, and it is not known for which.",
        hint=f"Give --original FILE, --hierarchy {attribute}=FILE or --range {attribute}=18..99.",
    )
