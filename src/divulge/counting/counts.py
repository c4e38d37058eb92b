"""Counts of classes, the one thing measures read: cell by cell, or what is known of all classes together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from divulge._support.notebook import table_view
from divulge._support.shares import entropy
from divulge._support.small_counts import hidden
from divulge._support.threads import cached_property, cores, run, shares
from divulge.table.codes import Codes

if TYPE_CHECKING:
    from divulge.counting.statistics import Statistic

TARGET_WEIGHT = (
    "target weight"  # what an engine may know of a table beside its cells: how many have each value
)
RECORD = "@record"
THREADS_PAY = 1 << 20  # cells from which several threads add them up

Integers = npt.NDArray[Any]  # whole numbers
Floats = npt.NDArray[Any]  # numbers with a fraction
Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells that occur, class by class: class ``i`` owns ``start[i]:start[i + 1]``.

    ``target`` holds places in the counts' list of target values, ``count`` records, and ``weight`` what
    probabilities are made of: the same numbers unless the records are weighted.
    """

    start: Integers
    target: Integers
    count: Integers
    weight: Floats

    @cached_property
    def owner(self) -> Integers:
        """The class of each cell."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def per_class(self, of_cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Sums over the cells of each class; every class has at least one."""
        sums, begins = np.empty(len(self.start) - 1, np.add.reduce(of_cells[:0]).dtype), self.start

        def work(part: slice) -> None:
            cells = of_cells[begins[part.start] : begins[part.stop]]
            np.add.reduceat(cells, begins[part] - begins[part.start], out=sums[part])

        run(work, shares(len(sums), cores() if len(of_cells) >= THREADS_PAY else 1))
        return sums


@dataclass(frozen=True, eq=False)
class Compared:
    """The table that classes are compared with, where it is not the one that was counted.

    ``values`` begin with those of the counts; ``weight`` says how often the other table has each.
    ``undefined`` says why they cannot be compared, if they cannot.
    """

    name: str
    values: Sequence[object]
    weight: Floats
    undefined: str | None = None


@dataclass(frozen=True)
class Beside:
    """Another table's values of the target, as the released ones have them, and how often it has each.

    ``undefined`` says why its values cannot be told by the released ones, if they cannot.
    """

    name: str
    weights: Mapping[str | None, float]  # by how a value reads; None for missing
    undefined: str | None = None
    ambiguous: bool = False  # a value of the other table may be behind several released ones

    def aligned(self, values: Sequence[object]) -> Compared:
        """The same in the order of some values, those that only this table has last."""
        texts = [None if value is None else str(value) for value in values]
        here = set(texts)
        others = [text for text, weight in self.weights.items() if text not in here and weight > 0]
        weight = np.asarray([self.weights.get(text, 0.0) for text in (*texts, *others)], np.float64)
        return Compared(self.name, [*values, *others], weight, self.undefined)


@dataclass(frozen=True, eq=False)
class Repeated:
    """Records of people who may have several: class, place of the target value and person of each record."""

    owner: Integers
    target: Integers
    person: Integers

    @cached_property
    def records_each(self) -> Integers:
        """How many records each person has."""
        return np.bincount(self.person)


class Counts(ABC):
    """What measures read: numbers of the whole table, and statistics of classes reduced to one number.

    ``JointCounts`` have every cell. Where classes stay where they were counted, there are only sums and
    extremes; what needs cells asks for ``in_cells``, which is Undefined there, with the reason.
    """

    size: Integers
    target_values: Sequence[object]
    keys: tuple[str, ...]
    target: str
    ground: Mapping[str, Any]  # how target values lie to each other
    multiplicity: Integers | None = None
    subjects: Integers | None = None  # people in each class, where a person may have several records
    repeated: Repeated | None = None  # and whose records these are
    overlapping: bool = False  # a record with missing keys stands in every class it could belong to
    own: Integers | None = None  # with overlapping classes: the records whose keys are exactly the class's
    compared: Compared | None = None  # the table that classes are compared with, if it is another one
    whole: Counts | None = None  # the counts of all classes, where these are some of them
    _statistics: dict[Any, Any]

    # -- how many ------------------------------------------------------------------------------

    @cached_property
    def records(self) -> int:
        return self.add_up(self.members) if self.whole is None else self.whole.records

    @cached_property
    def classes(self) -> int:
        if self.whole is not None:
            return self.whole.classes
        return len(self.size) if self.multiplicity is None else int(self.multiplicity.sum())

    @property
    def about_records(self) -> bool:
        """Whether the target is @record: re-identification, not the inference of an attribute."""
        return self.target == RECORD

    @cached_property
    def people(self) -> Integers:
        """Subjects in each class: its records, unless an identifier says that some belong together."""
        return self.size if self.subjects is None else self.subjects

    @property
    def members(self) -> Integers:
        """Records by the class of their own keys: they add up to all records, even if classes overlap."""
        return self.size if self.own is None else self.own

    @property
    @abstractmethod
    def class_weight(self) -> Floats:
        """The weight of each class: what probabilities are made of."""

    @property
    @abstractmethod
    def weight(self) -> float:
        """The weight of all records: their number, unless they are weighted."""

    @property
    @abstractmethod
    def weighted(self) -> bool:
        """Whether records weigh differently."""

    @property
    @abstractmethod
    def target_weight(self) -> Floats:
        """The weight of each target value over all classes."""

    @property
    def different(self) -> int:
        """How many target values occur."""
        return int(np.count_nonzero(self.target_weight))

    @property
    @abstractmethod
    def entropy(self) -> float:
        """H(X) in bits: the attacker's uncertainty about the target before any key is known."""

    # -- class statistics and how they reduce ---------------------------------------------------

    @abstractmethod
    def statistic(self, statistic: Statistic) -> Floats:
        """The statistic of every class; Undefined where classes are not here one by one."""

    @abstractmethod
    def in_cells(self) -> JointCounts:
        """The same counts cell by cell; Undefined where classes are not here one by one."""

    @abstractmethod
    def with_ground(self, **ground: Any) -> Counts:
        """The same counts, told how target values lie to each other (an order, a tree)."""

    def total(self, statistic: Statistic) -> float:
        return self.add_up(self.statistic(statistic))

    def least(self, statistic: Statistic) -> float:
        return self.statistic(statistic).min().item()

    def most(self, statistic: Statistic) -> float:
        return self.statistic(statistic).max().item()

    def over_records(self, statistic: Statistic) -> float:
        """The sum over records, each with the statistic of its class."""
        return self.add_up(self.statistic(statistic) * self.members)

    def over_weight(self, statistic: Statistic) -> float:
        """The same with records counted by their weights."""
        return self.add_up(self.statistic(statistic) * self.class_weight)

    def add_up(self, of_classes: npt.NDArray[Any]) -> Any:
        """The sum over all classes, classes held once counted as often as they stand."""
        return (of_classes if self.multiplicity is None else of_classes * self.multiplicity).sum().item()

    def once(self, name: object, work: Callable[[], Found]) -> Found:
        """Something of the whole table, worked out when it is first asked for."""
        if name not in self._statistics:
            self._statistics[name] = work()
        found: Found = self._statistics[name]
        return found


class UnweightedCounts(Counts):
    """Counts of records that weigh alike; ``margin`` says how many have each target value."""

    margin: Floats

    @property
    def class_weight(self) -> Floats:
        return self.size

    @property
    def weighted(self) -> bool:
        return False

    @property
    def weight(self) -> float:
        return float(self.records)

    @property
    def target_weight(self) -> Floats:
        return self.margin


@dataclass(frozen=True, eq=False)
class JointCounts(Counts):
    """N(y, x): records by class y (a combination of key values) and target value x.

    Classes that look alike may be held once with their ``multiplicity``: a million classes of one
    record each with target value x are one entry. ``cells`` is None when every record is its own
    subject (the target ``@record``): then a class is fully told by its size.

    >>> counts = JointCounts.of([("20s", "flu"), ("20s", "cold"), ("30s", "flu")])
    >>> counts.records, counts.classes, counts.size.tolist()
    (3, 2, [2, 1])
    """

    size: Integers
    cells: Cells | None
    target_values: Sequence[object] = ()
    multiplicity: Integers | None = None
    subjects: Integers | None = None
    repeated: Repeated | None = None
    keys: tuple[str, ...] = ()
    target: str = RECORD
    ground: Mapping[str, Any] = field(default_factory=dict)
    overlapping: bool = False
    own: Integers | None = None
    compared: Compared | None = None
    margin: Floats | None = None  # where cells are not those of the table: the weight of each value in it
    decode: Callable[[Integers], list[dict[str, object]]] | None = None
    whole: Counts | None = None
    cells_each: int | None = None  # of each table, where these are classes of several
    _statistics: dict[Any, Any] = field(default_factory=dict, repr=False)

    def _repr_html_(self) -> str:
        head = ["target", "records", "classes"]
        return table_view("Joint counts", head, [[self.target, hidden(self.records), self.classes]])

    def __repr__(self) -> str:
        return f"JointCounts({self.classes} classes, target {self.target})"

    # -- weights: what probabilities are made of -----------------------------------------------

    @cached_property
    def class_weight(self) -> Floats:
        return self.size if self.cells is None else self.cells.per_class(self.cells.weight)

    @cached_property
    def weight(self) -> float:
        if self.whole is not None:
            return self.whole.weight
        return float(self.target_weight.sum()) if self.cells is not None else float(self.records)

    @cached_property
    def weighted(self) -> bool:
        return self.cells is not None and self.cells.weight is not self.cells.count

    @cached_property
    def target_weight(self) -> Floats:
        """The weight of each target value over all classes."""
        if self.cells is None:
            raise ValueError(
                "with @record every record is its own target, so there is no list of target values"
            )
        if self.margin is not None:
            return self.margin
        if TARGET_WEIGHT in self._statistics:
            known: Floats = self._statistics[TARGET_WEIGHT]
            return known
        weight: npt.NDArray[Any] = self.cells.weight
        if self.multiplicity is not None:
            weight = weight * self.multiplicity[self.cells.owner]
        return np.bincount(self.cells.target, weights=weight, minlength=len(self.target_values))

    @property
    def different(self) -> int:
        return self.records if self.cells is None else super().different

    @cached_property
    def entropy(self) -> float:
        if self.whole is not None:
            return self.whole.entropy
        if self.cells is None:
            return float(np.log2(self.records))
        return entropy(self.target_weight)

    # -- class statistics -------------------------------------------------------------------------

    def statistic(self, statistic: Statistic) -> Floats:
        found: Floats = self.once(statistic, lambda: statistic.compute(self))
        return found

    def keep(self, statistic: Statistic, of_classes: Floats) -> None:
        """Remember a statistic that was computed along with another."""
        self._statistics[statistic] = of_classes

    def in_cells(self) -> JointCounts:
        return self

    # -- making and changing --------------------------------------------------------------------

    @classmethod
    def of(
        cls,
        rows: Sequence[tuple[object, object]],
        *,
        key: str = "key",
        target: str = "target",
        weights: Sequence[float] | None = None,
    ) -> JointCounts:
        """Counts of (key value, target value) pairs: the plainest way in, for examples and tests."""
        y, x = Codes.of([y for y, _ in rows]), Codes.of([x for _, x in rows])
        classes, owner = np.unique(y.codes, return_inverse=True)
        used, place = np.unique(x.codes, return_inverse=True)
        cells, cell, number = np.unique(owner * len(used) + place, return_inverse=True, return_counts=True)
        weight = number if weights is None else np.bincount(cell, weights=np.asarray(weights, np.float64))
        start = np.searchsorted(cells // len(used), np.arange(len(classes) + 1))
        return cls(
            np.bincount(owner),
            Cells(start, cells % len(used), number, weight),
            [x.value(code) for code in used.tolist()],
            keys=(key,),
            target=target,
            decode=lambda which: [{key: y.value(code)} for code in classes[which].tolist()],
        )

    @classmethod
    def of_table(cls, table: npt.ArrayLike, target_values: Sequence[object] | None = None) -> JointCounts:
        """Counts from a matrix, a row for each class and a column for each target value."""
        matrix = np.asarray(table)
        matrix = matrix[(matrix > 0).any(axis=1)]  # a row without records is no class
        weight = matrix[matrix > 0]
        rows, columns = np.nonzero(matrix > 0)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
        whole = weight.astype(np.int64)
        cells = Cells(start, columns, whole, whole if (whole == weight).all() else weight.astype(np.float64))
        values = range(matrix.shape[1]) if target_values is None else target_values
        return cls(cells.per_class(whole), cells, values, target="target", keys=("key",))

    def with_ground(self, **ground: Any) -> JointCounts:
        known = {name: self._statistics[name] for name in (TARGET_WEIGHT,) if name in self._statistics}
        return replace(self, ground={**self.ground, **ground}, _statistics=known)

    def matrix(self) -> npt.NDArray[Any]:
        """Weights as a matrix, a row for each class and a column for each target value."""
        if self.cells is None:
            raise ValueError(
                "with @record every record is its own target, so there is no list of target values"
            )
        matrix = np.zeros((len(self.size), len(self.target_values)), dtype=self.cells.weight.dtype)
        matrix[self.cells.owner, self.cells.target] = self.cells.weight
        return matrix
