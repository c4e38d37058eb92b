"""Small random tables for Hypothesis, and the comparison of divulge's answers with the reference's."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import divulge as dv
import reference
from divulge.counting.counts import JointCounts
from divulge.measures import MEASURES
from divulge.questions.question import Question
from divulge.readings.reading import AtChance, Reading
from reference import Joint, NoValue, meaning

MIXED = [None, float("nan"), 0, 1, -0.0, 1.5, True, False, "", "*", "1", "É", "日本", "x" * 40]
TREE = {
    "a": ("u", "p", "top"),
    "b": ("u", "p", "top"),
    "c": ("v", "p", "top"),
    "d": ("w", "q", "top"),
    "e": ("w", "q", "top"),
    "f": ("z", "q", "top"),
}
VARIANTS = [(one, variant) for one in MEASURES.values() for variant in one.variants]


@dataclass
class Case:
    """A table, who asks what of it, and what is known about the target's values."""

    columns: dict[str, list[Any]]
    keys: tuple[str, ...]
    target: str = "x"
    conventions: dict[str, Any] = field(default_factory=dict)
    partitions: dict[str, dict[Any, str]] = field(default_factory=dict)  # the domain of each value
    tree: bool = False

    @property
    def rows(self) -> list[dict[str, Any]]:
        names = list(self.columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    @property
    def data(self) -> dv.Data:
        hierarchies = {"x": hierarchy("x")} if self.tree else None
        return dv.read(self.columns, hierarchies=hierarchies, **self.conventions)

    @property
    def question(self) -> Question:
        given: dict[str, dict[str, list[Any]]] = {}
        for attribute, domain_of in self.partitions.items():
            given[attribute] = {name: [] for name in domain_of.values()}
            for value, name in domain_of.items():
                given[attribute][name].append(value[1] if isinstance(value, tuple) else value)
        return dv.ask(self.data, keys=self.keys, target=self.target, partitions=given or None)

    @property
    def joint(self) -> Joint:
        given = {k: v for k, v in self.conventions.items() if k not in ("missing_values",)}
        table = reference.joint(self.rows, self.keys, self.target, partitions=self.partitions, **given)
        if self.target != reference.RECORD and "x" not in self.partitions:
            table.order = natural_order(list(table.margin))
            table.hierarchy = reference.Hierarchy(TREE) if self.tree else None
        return table


def hierarchy(attribute: str) -> dv.Hierarchy:
    return dv.Hierarchy.of([(value, *chain) for value, chain in TREE.items()], attribute=attribute)


def natural_order(values: Sequence[Any]) -> list[Any] | None:
    """Numbers, spelled out or not, from the lowest to the highest; None where a value is none."""
    numbers = {}
    for value in values:
        spelled = isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value)
        if value is None or isinstance(value, tuple) or (isinstance(value, str) and not spelled):
            return None
        numbers[value] = float(value)
    return sorted(values, key=numbers.__getitem__)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    most: int = 12,
    targets: Sequence[str] = ("mixed", "numbers", "leaves", "constant", "@record"),
    pools: Sequence[str] = ("mixed", "few", "constant", "apart"),
    weights: bool = True,
    identifiers: bool = True,
    partitions: bool = True,
    missing: Sequence[str] = ("value", "drop"),
) -> Case:
    """A table of 1 to 3 keys a, b, c, a target x, and perhaps weights w and persons i."""
    n = draw(st.integers(1, most))

    def column(pool: Sequence[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))

    columns: dict[str, list[Any]] = {}
    for key in "abc"[: draw(st.integers(1, 3))]:
        pool = draw(st.sampled_from(pools))
        columns[key] = {
            "mixed": lambda: column(MIXED),
            "few": lambda: column(["y", "z", None, "*"]),
            "constant": lambda: ["same"] * n,
            "apart": lambda: list(range(n)),
        }[pool]()
    case = Case(columns, tuple(columns))
    kind = draw(st.sampled_from(targets))
    if kind == "@record":
        case.target = kind
    else:
        case.tree = kind == "leaves"
        pool = {
            "mixed": MIXED,
            "numbers": [7, 1, 3, "07", 2.5],
            "leaves": [*"abcdef", None],
            "constant": ["s"],
        }
        columns["x"] = column(pool[kind])
    if weights and draw(st.integers(0, 3)) == 0:
        columns["w"] = column([1, 2, 0.5, 0.1, 3])
        case.conventions["weights"] = "w"
    if identifiers and draw(st.integers(0, 3)) == 0:
        columns["i"] = column(["Ann", "Bob", "Cid", 4])
        case.conventions["identifiers"] = ["i"]
    case.conventions["missing"] = draw(st.sampled_from(missing))
    if partitions and draw(st.integers(0, 3)) == 0:
        for attribute in draw(st.sets(st.sampled_from([*case.keys, *(["x"] if "x" in columns else [])]))):
            values = {meaning(v) for v in columns[attribute]} - {None}
            if values and not _spelled_twice(values):
                case.partitions[attribute] = {v: draw(st.sampled_from(["one", "two", "*"])) for v in values}
    return case


def _spelled_twice(values: set[Any]) -> bool:
    """Whether a number stands there as itself and as text, which no partition can list in two domains."""
    numbers = [natural_order([value]) and float(value) for value in values]
    return len({n for n in numbers if n is not None}) < sum(n is not None for n in numbers)


# -- what divulge says, as the reference would say it ------------------------------------------------


def cells_by_key(counts: JointCounts) -> dict[tuple, Any]:
    """Weights by class and target value; of @record the sizes of classes."""
    assert counts.decode is not None
    names = [tuple(meaning(v) for v in key.values()) for key in counts.decode(np.arange(len(counts.size)))]
    if counts.cells is None:
        return dict(zip(names, counts.size.tolist(), strict=True))
    found: dict[tuple, dict[Any, float]] = {name: {} for name in names}
    cells = counts.cells
    for owner, target, weight in zip(cells.owner, cells.target, cells.weight, strict=True):
        found[names[owner]][meaning(counts.target_values[target])] = weight.item()
    return found


def shapes(counts: JointCounts) -> Counter[Any]:
    """How many classes look like what: their sizes or cells, without their names."""
    often = np.ones(len(counts.size), np.int64) if counts.multiplicity is None else counts.multiplicity
    if counts.cells is None:
        looks: list[Any] = counts.size.tolist()
    else:
        cells, places = counts.cells, [meaning(v) for v in counts.target_values]
        looks = [
            frozenset((places[t], int(n)) for t, n in zip(cells.target[a:b], cells.count[a:b], strict=True))
            for a, b in zip(cells.start, cells.start[1:], strict=False)
        ]
    found: Counter[Any] = Counter()
    for look, times in zip(looks, often.tolist(), strict=True):
        found[look] += times
    return found


def reading_of(question: Question, name: str, **parameters: Any) -> Reading:
    chosen = [(MEASURES[name], parameters)]
    return Reading(MEASURES[name], parameters, question, AtChance(question, chosen))


def close(value: float, rel: float) -> Any:
    return value if math.isinf(value) else pytest.approx(value, rel=rel, abs=rel)


def assert_readings_agree(question: Question, table: Joint, *, rel: float = 1e-9) -> None:
    """Every measure in every variant: value, undefined or not, and values by class."""
    for one, parameters in [*VARIANTS, *((MEASURES["recursive_cl_diversity"], {"l": l}) for l in (1, 3))]:
        reading = reading_of(question, one.name, **parameters)
        said = f"{reading.name} on {table.cells}"
        try:
            expected = reference.measure(one.name, table, **parameters)
        except NoValue:
            assert reading.value is None, said
            assert reading.undefined, said
        else:
            assert reading.value == close(expected, rel), said
            assert reading.undefined is None, said
        try:
            by_class = reference.by_class(one.name, table, **parameters)
        except NoValue:
            by_class = {}
        found = {tuple(meaning(v) for v in r.key.values()): r for r in reading.by_value}
        assert found.keys() == by_class.keys(), said
        for key, value in by_class.items():
            assert found[key].value == close(value, rel), said
            assert found[key].records == table.size[key], said
        _assert_riskiest_first(one.riskier, [r.value for r in reading.by_value])


def _assert_riskiest_first(riskier: str, values: Sequence[float]) -> None:
    assert list(values) == sorted(values, reverse=riskier == "higher")


def assert_counts_agree(counts: JointCounts, table: Joint) -> None:
    """Classes, cells and margins; persons where identifiers tell them apart."""
    found = cells_by_key(counts)
    if counts.cells is None:
        assert found == table.size
    else:
        assert found.keys() == table.cells.keys()
        for y, cells in table.cells.items():
            mine, theirs = found[y], {x: float(weight) for x, weight in cells.items()}
            if table.about_records:  # which number a record goes by means nothing
                mine, theirs = sorted(mine.values()), sorted(theirs.values())
            assert mine == pytest.approx(theirs, rel=1e-12)
    assert counts.classes == len(table.cells)
    assert sorted(counts.people.tolist()) == sorted(table.people.values())
