"""The thesis's anatomy: two tables, and what can be estimated from them."""

from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.engines.opening import open_source
from divulge.errors import DivulgeError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.anatomy_pair import read_anatomy
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import applied

TABLES = Path(__file__).parents[1] / "golden" / "tables"


@pytest.fixture
def released():
    step = {"mechanism": "anatomy", "attributes": ["Disease"], "groups": "ID", "group_name": "Group-ID"}
    source = open_source(TABLES / "thesis_table2_3.csv")
    return applied(source, Recipe.of([{**step, "count_name": "Count"}]), keep_order=True).table


def columns(table):
    return {name: [str(value) for value in one.values_of()] for name, one in table.columns.items()}


def read_back(name):
    return columns(WorkingTable.read(open_source(TABLES / name)))


def test_the_tables_of_the_thesis_come_out(released):
    assert columns(released) == read_back("thesis_table2_4.csv")
    ours, theirs = columns(released.beside["sensitive"]), read_back("thesis_table2_5.csv")
    assert set(zip(*ours.values(), strict=True)) == set(zip(*theirs.values(), strict=True))
    assert list(ours) == list(theirs)


def test_the_query_of_the_thesis(released):
    pair = read_anatomy(released, released.beside["sensitive"], group="Group-ID", count="Count")
    assert pair.estimate("aids", {"Age": lambda age: int(age) >= 35}) == 2.0
    assert pair.estimate("aids", {"Age": lambda age: int(age) <= 35}) == pytest.approx(0.8)  # what is printed


def test_readings_are_those_of_the_groups(released):
    pair = read_anatomy(released, released.beside["sensitive"], group="Group-ID", count="Count")
    data = pair.data()
    found = dv.measure(data, "conditional_privacy", keys=["Age"], target="Disease")
    assert data.people == 9
    assert found.value is not None
    counts = np.array([[1, 1, 2, 0, 0, 0], [0, 0, 0, 2, 2, 1]])
    # Every age is in one group only, so that knowing the age is knowing the group.
    shares = counts / 9
    information = sum(
        p * np.log2(p / (shares[g].sum() * shares[:, v].sum()))
        for g in range(2)
        for v in range(6)
        if (p := shares[g, v]) > 0
    )
    assert dv.measure(data, "mutual_information", keys=["Age"], target="Disease").value == pytest.approx(
        information
    )


def test_groups_of_l_have_l_different_values():
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(0, 90, 200).tolist(), "ill": rng.choice(list("abcdef"), 200).tolist()}
    for l in (2, 3):
        done = applied(
            open_source(table), Recipe.of([{"mechanism": "anatomy", "attributes": ["ill"], "l": l}])
        )
        pair = done.table.beside["sensitive"]
        groups, counts = pair.column("group").values_of(), pair.column("count").values_of()
        assert min(np.bincount(groups)[1:]) >= l
        sizes = np.bincount(groups, counts)[1:]
        assert all(
            count / sizes[group - 1] <= 1 / l + 1e-12 for group, count in zip(groups, counts, strict=True)
        )
        assert [promise.name for promise in done.manifest.promises] == ["l"]


def test_a_value_that_is_too_frequent_is_refused():
    with pytest.raises(DivulgeError, match="l can be at most 1"):
        applied(
            open_source({"ill": ["a", "a", "a", "b"]}),
            Recipe.of([{"mechanism": "anatomy", "attributes": ["ill"], "l": 2}]),
        )


def test_tables_that_do_not_belong_together_are_refused():
    with pytest.raises(DivulgeError, match="do not add up"):
        read_anatomy({"age": [1, 2], "group": [1, 1]}, {"group": [1], "ill": ["x"], "count": [3]})


def test_both_tables_are_written_and_read_back(tmp_path):
    step = {"mechanism": "anatomy", "attributes": ["Disease"], "groups": "ID"}
    out = tmp_path / "released.csv"
    done = dv.transform(str(TABLES / "thesis_table2_3.csv"), [step], out=str(out))
    assert list(done.beside) == ["sensitive"]
    pair = read_anatomy(str(out), str(tmp_path / "released-sensitive.csv"))
    assert pair.estimate("aids", {"Age": lambda age: int(age) >= 35}) == 2.0
    with pytest.raises(DivulgeError, match="is there already"):
        dv.transform(str(TABLES / "thesis_table2_3.csv"), [step], out=str(out))


def test_frames_come_back_as_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "ill": ["a", "b", "a", "b"]})
    done = dv.transform(frame, [{"mechanism": "anatomy", "attributes": ["ill"], "l": 2}])
    assert isinstance(done.beside["sensitive"], pd.DataFrame)
    assert done.beside["sensitive"]["count"].sum() == 4
