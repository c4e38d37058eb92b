"""The thesis's anatomy: two tables, and what can be estimated from them."""

from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.engines.opening import open_source
from divulge.errors import DivulgeError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import applied
from divulge.utility.estimated_count import estimated_count

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


def aids(age):
    return {"Age": lambda one: age(int(one)), "Disease": lambda one: one == "aids"}


def test_the_query_of_the_thesis(released):
    pair = dv.read(released, anatomy=released.beside["sensitive"])
    assert estimated_count(pair, aids(lambda age: age >= 35)) == pytest.approx(2.0)
    assert estimated_count(pair, aids(lambda age: age <= 35)) == pytest.approx(0.8)  # what is printed


def test_readings_are_those_of_the_groups(released):
    data = dv.read(released, anatomy=released.beside["sensitive"])
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
        dv.read({"age": [1, 2], "group": [1, 1]}, anatomy={"group": [1], "ill": ["x"], "count": [3]})
    with pytest.raises(DivulgeError, match="have 0 attributes in common"):
        dv.read({"age": [1, 2]}, anatomy={"group": [1], "ill": ["x"], "count": [2]})
    with pytest.raises(DivulgeError, match="has 1 attributes beside 'group'"):
        dv.read({"age": [1, 2], "group": [1, 1]}, anatomy={"group": [1, 1], "ill": ["x", "y"]})
    with pytest.raises(DivulgeError, match="has no group"):
        dv.read({"age": [1, 2], "group": [1, None]}, anatomy={"group": [1], "ill": ["x"], "count": [2]})
    pair = {"group": [1], "ill": ["x"], "count": [2]}
    with pytest.raises(DivulgeError, match="Leave out the weights"):
        dv.read({"age": [1, 2], "group": [1, 1]}, anatomy=pair, weights="age")


def test_both_tables_are_written_and_read_back(tmp_path):
    step = {"mechanism": "anatomy", "attributes": ["Disease"], "groups": "ID"}
    out = tmp_path / "released.csv"
    done = dv.transform(str(TABLES / "thesis_table2_3.csv"), [step], out=str(out))
    assert list(done.beside) == ["sensitive"]
    pair = dv.read(str(out), anatomy=tmp_path / "released-sensitive.csv")
    assert estimated_count(pair, aids(lambda age: age >= 35)) == pytest.approx(2.0)
    with pytest.raises(DivulgeError, match="is there already"):
        dv.transform(str(TABLES / "thesis_table2_3.csv"), [step], out=str(out))


def test_frames_come_back_as_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "ill": ["a", "b", "a", "b"]})
    done = dv.transform(frame, [{"mechanism": "anatomy", "attributes": ["ill"], "l": 2}])
    assert isinstance(done.beside["sensitive"], pd.DataFrame)
    assert done.beside["sensitive"]["count"].sum() == 4


@pytest.mark.parametrize("often", [30, 20], ids=["told", "open"])
def test_an_audit_by_group_finds_what_it_finds_in_the_table_itself(often):
    """Group 1: 30 or 20 of 40 have flu, which is rare elsewhere. The two tables say as much as the one."""
    table = {"group": [1] * 40 + [2] * 200, "ill": ["flu"] * often + ["cold"] * (240 - often)}
    table["age"] = [20 + place % 7 for place in range(240)]
    released = dv.transform(
        table, [{"mechanism": "anatomy", "attributes": ["ill"], "groups": "group", "group_name": "group"}]
    )
    roles = {"quasi_identifiers": "group", "sensitive": "ill"}
    pair = dv.read(released.data, anatomy=released.beside["sensitive"], **roles)
    assert (pair.records, pair.people) == (40 * 2 + 200, 240)
    ours, theirs = (
        {one.name: one for one in dv.audit(one, search=False).checks}
        for one in (pair, dv.read(table, **roles))
    )
    assert {name: one.outcome for name, one in ours.items()} == {
        name: one.outcome for name, one in theirs.items()
    }
    assert {name: one.found for name, one in ours.items()} == {
        name: one.found for name, one in theirs.items()
    }


def test_what_reading_adds_is_no_attribute_of_the_release():
    keys = {"age": [30] * 12, "group": [1] * 8 + [2] * 4}
    ill = {"group": [1, 2, 2], "ill": ["flu", "flu", "cold"], "count": [8, 1, 3]}
    found = dv.audit(dv.read(keys, anatomy=ill), search=False)
    assert [one["name"] for one in found.document["profile"]] == ["age", "group", "ill"]
    assert found.scope.data.schema.quasi_identifiers == ("age",)
    assert found.document["people_beyond_table"]["declared"] is None
