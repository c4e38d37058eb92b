"""The rows that few keys tell about are the same by a table of all cells as by the sets of rows."""

from dataclasses import replace

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.inference import concerned_people, revealing_keys
from divulge.assessment.inference.revealing_groups import Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.people import people
from divulge.assessment.scope import Scope
from divulge.engines.memory import counting
from divulge.table.partition import Partition

BAR = Bar(0.6, 0.1)


def scope(seed, *, numbers):
    """Three keys, of which two nearly give a value away that is a text or a number."""
    rng = np.random.default_rng(seed)
    area, age, sex = rng.integers(0, 6, 400), rng.integers(0, 5, 400), rng.integers(0, 2, 400)
    value = np.where(rng.random(400) < 0.8, area * 3 + age, rng.integers(0, 40, 400))
    told = (value * 100).tolist() if numbers else [f"value {one % 7}" for one in value]
    table = {"area": area.tolist(), "age": age.tolist(), "sex": sex.tolist(), "told": told}
    return Scope(dv.read(table, quasi_identifiers=["area", "age", "sex"], sensitive="told"))


def found(asked):
    told = Inference(asked, "told", [("area", "age", "sex"), ("area",), ("age", "area")], 1, (BAR,))
    rows = told.of_every_size(BAR)
    assert rows is not None
    return rows.people, rows.rows


@pytest.mark.parametrize("many", [1, 10**6])
@pytest.mark.parametrize("numbers", [False, True])
def test_rows_are_the_same_by_cells_and_by_sets(many, numbers, monkeypatch):
    monkeypatch.setattr(people, "MANY", many)
    used, by_cells = [], concerned_people.rows_in_cells

    def noted(*given):
        used.append(by_cells(*given) is not None)
        return by_cells(*given)

    for seed in range(3):
        monkeypatch.setattr(concerned_people, "rows_in_cells", noted)
        number, rows = found(scope(seed, numbers=numbers))
        monkeypatch.setattr(concerned_people, "rows_in_cells", lambda *given: None)
        other, sets = found(scope(seed, numbers=numbers))
        assert number == other
        assert np.array_equal(rows, sets)
    assert any(used)


@pytest.mark.parametrize("many", [1, 10**6])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("missing", ["value", "drop"])
def test_records_whose_keys_are_all_suppressed_are_in_no_cell(many, grouped, missing, monkeypatch):
    monkeypatch.setattr(people, "MANY", many)
    groups = {"area": Partition({"low": ("0", "1", "*"), "high": ("2", "3", "4", "5")})} if grouped else {}
    for seed in range(3):
        rng, rows = np.random.default_rng(seed), 400
        area, age = (
            np.where(rng.random(rows) < 0.4, "*", rng.integers(0, n, rows).astype(str)) for n in (6, 5)
        )
        table = {
            "area": area,
            "age": np.where(rng.random(rows) < 0.1, None, age),
            "sex": rng.integers(0, 2, rows),
            "told": [f"value {one}" if rng.random() < 0.8 else "other" for one in area],
        }
        roles = {"quasi_identifiers": ["area", "age", "sex"], "sensitive": "told", "missing": missing}
        by_cells = found(Scope(dv.read(table, **roles), groups))
        with monkeypatch.context() as by_sets:
            by_sets.setattr(people.CodedRows, "few_cells", lambda *given: None)
            by_sets.setattr(concerned_people, "rows_in_cells", lambda *given: None)
            number, whom = found(Scope(dv.read(table, **roles), groups))
        assert number == by_cells[0]
        assert np.array_equal(whom, by_cells[1])


@pytest.mark.parametrize("alike_once", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_are_the_same_where_all_keys_are_counted_first(alike_once, grouped, monkeypatch):
    monkeypatch.setattr(counting, "LOOPS_PAY", 1 if alike_once else 10**9)
    monkeypatch.setattr(counting, "LARGEST_TABLE", 1 if alike_once else 1 << 25)
    groups = {"area": Partition.bins([2, 4], attribute="area")} if grouped else {}
    for seed in range(3):
        monkeypatch.setattr(revealing_keys, "MANY", 10**9)
        number, by_rows = found(replace(scope(seed, numbers=seed == 1), partitions=groups))
        monkeypatch.setattr(revealing_keys, "MANY", 1)
        asked = replace(scope(seed, numbers=seed == 1), partitions=groups)
        other, counted = found(asked)
        assert asked.question(asked.keys, "told").counts.decode is None or not alike_once
        assert number == other
        assert np.array_equal(by_rows, counted)
