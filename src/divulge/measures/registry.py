"""The registry: every measure with its facts, from which help, output, docs and law tests are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, TypeVar

import numpy as np

from divulge._support.rounding import above, below, settled
from divulge._support.threads import cached_property
from divulge.counting.counts import Counts, Floats, JointCounts
from divulge.counting.statistics import Statistic
from divulge.errors import ParameterError, Undefined, UnknownMeasure

Parameters = Mapping[str, Any]
Function = TypeVar("Function", bound=Callable[..., float])


class Law(Enum):
    """What a measure promises for an attribute as target; each is tested on every measure that claims it.

    A search over releases excludes by three of them. Generalization merges groups: under COARSENING a table
    that fails fails at every finer level. Suppression leaves groups out: under SUPPRESSION leaving out those
    beyond a bound is enough. Under ABSORPTION a group within a bound never leaves it by being merged, so that
    the coarser level suppresses no record that the finer one keeps. A measure without a law excludes nothing.
    Each module of measures proves what its measures claim, or says why one does not.
    """

    RELABELLING = "renaming values changes nothing"
    COARSENING = "merging two groups never raises the risk"
    ABSORPTION = "a group merged with another is never riskier than it was alone"
    SUPPRESSION = "leaving out a group never raises the risk"
    DUPLICATION = "duplicating every record changes nothing"
    INDEPENDENCE = "groups that all look like the whole table have the same reading as one group"


@dataclass(frozen=True)
class Measure:
    """A number defined on joint counts, and all that is to be said about it."""

    name: str
    title: str
    formula: str
    unit: str
    bounds: tuple[float, float]
    riskier: Literal["higher", "lower"]
    case: Literal["worst", "average", "best", "whole"]
    laws: frozenset[Law]
    reference: str
    example: str
    function: Callable[..., float]
    by_class: Statistic | Callable[..., Statistic] | None = None  # what the value of a class is read from
    class_value: Callable[[Floats, Counts], Floats] | None = None  # and how; otherwise it is the value
    ceiling: Callable[[Counts], float] | None = None
    needs_target: bool = False
    reads_target: bool = True
    reads_overlap: bool = False
    counts_people: bool = False  # a share of all people, which beside their number says how many
    against_table: bool = False  # compares classes with a table: the one that was counted, or its original
    infinite: str = "infinite"
    variants: tuple[Parameters, ...] = ({},)
    laws_by_kind: Mapping[str, Sequence[Law]] = field(default_factory=dict)  # more, by the parameter kind
    beside: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The idea it belongs to: the module that defines it."""
        return self.function.__module__.rpartition(".")[2]

    @property
    def summary(self) -> str:
        """What the number means, in one sentence."""
        return inspect.getdoc(self.function).split("\n\n")[0].replace("\n", " ")  # type: ignore[union-attr]

    @property
    def explanation(self) -> str:
        """The docstring after its first sentence, without its doctest."""
        paragraphs = inspect.getdoc(self.function).split("\n\n")[1:]  # type: ignore[union-attr]
        return "\n\n".join(p for p in paragraphs if not p.startswith(">>>"))

    @cached_property
    def parameters(self) -> list[str]:
        """The names of the parameters it takes."""
        return list(inspect.signature(self.function).parameters)[1:]

    def laws_of(self, parameters: Parameters | None = None) -> frozenset[Law]:
        """The laws that hold with these parameters."""
        usual = (self.function.__kwdefaults__ or {}).get("kind")
        return self.laws | frozenset(self.laws_by_kind.get({"kind": usual, **(parameters or {})}["kind"], ()))

    @property
    def riskiest(self) -> float:
        """The bound that no reading is riskier than."""
        return self.bounds[1 if self.riskier == "higher" else 0]

    def applies(self, counts: Counts, parameters: Parameters | None = None) -> bool:
        """Whether the measure is worth reading on these counts when none was asked for by name."""
        if self.needs_target and counts.about_records:
            return False
        if counts.overlapping and not self.reads_overlap:
            return False
        needs = None if self.by_class is None else self.statistic(parameters).needs
        return needs is None or needs in counts.ground

    def compute(self, counts: Counts, parameters: Parameters | None = None) -> float:
        """The measure's value; raises Undefined with the reason when it has none.

        What differs from 0 by rounding alone is 0, as what a constant key reveals is.
        """
        self._check(counts, parameters)
        return settled(self.function(counts, **(parameters or {})))

    def statistic(self, parameters: Parameters | None = None) -> Statistic:
        """The statistic that the value of a group is read from; Undefined when a group has none."""
        if self.by_class is None:
            raise Undefined("it is a property of the whole table and has no value for a single group")
        if isinstance(self.by_class, Statistic):
            return self.by_class
        return self.by_class(**(parameters or {}))

    def classes(self, counts: Counts, parameters: Parameters | None = None) -> Floats:
        """The value of every group; raises Undefined when the measure has no value level."""
        self._check(counts, parameters)
        of_classes = counts.statistic(self.statistic(parameters))
        return of_classes if self.class_value is None else self.class_value(of_classes, counts)

    def worse(self, one: float, *, than: float) -> bool:
        """Whether one reading is riskier than another, beyond rounding."""
        return bool(above(one, than) if self.riskier == "higher" else below(one, than))

    def _check(self, counts: Counts, parameters: Parameters | None) -> None:
        if self.needs_target and counts.about_records:
            raise Undefined("it compares target values, and with @record every record is its own value")
        if counts.overlapping and not self.reads_overlap:
            raise Undefined("missing values match anything, so groups overlap and their shares do not add up")
        self.check_parameters(parameters or {})

    def check_parameters(self, parameters: Parameters) -> None:
        """Refuse parameters that the measure does not take."""
        known = self.parameters
        for name in parameters:
            if name not in known:
                takes = f"It takes {', '.join(known)}." if known else "It takes none."
                raise ParameterError(f"{self.name} has no parameter '{name}'.", hint=takes)


MEASURES: dict[str, Measure] = {}

#: The counts that every worked example is about: 2 classes, 8 records, 2 target values.
EXAMPLE = ((2, 2), (3, 1))


def measure(
    *,
    title: str,
    formula: str,
    bounds: tuple[float, float],
    riskier: Literal["higher", "lower"],
    case: Literal["worst", "average", "best", "whole"],
    reference: str,
    example: str,
    unit: str = "",
    laws: Sequence[Law] = (),
    **facts: Any,
) -> Callable[[Function], Function]:
    """Record a measure's facts and hand its function back untouched."""

    def register(function: Function) -> Function:
        MEASURES[function.__name__] = Measure(
            name=function.__name__,
            title=title,
            formula=formula,
            unit=unit,
            bounds=bounds,
            riskier=riskier,
            case=case,
            laws=frozenset(laws),
            reference=reference,
            example=example,
            function=function,
            **facts,
        )
        return function

    return register


def get(name: str) -> Measure:
    """The measure of that name."""
    if name not in MEASURES:
        raise UnknownMeasure(name, list(MEASURES))
    return MEASURES[name]


def example_counts() -> JointCounts:
    """The counts of the worked examples, with an order and a tree for the distances."""
    counts = JointCounts.of_table(np.asarray(EXAMPLE), ["flu", "cold"])
    return counts.with_ground(order=[0, 1], levels=[[0, 1]])
