"""A dataset on its way into the service."""

import json

import pytest

import divulge as dv
from divulge.errors import Conflict, ParameterError, SchemaError
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.loading import Dataset
from service.scene import NAME, dataset, people, put_in

RULES = Rules.of("mis", 0.2, samples=100)


def made(columns, **changed):
    given = {
        "name": "cats",
        "identifier": "id",
        "x": ("age",),
        "y": ("place",),
        "partitions": {},
        "rules": RULES,
    }
    return Dataset(data=dv.read(columns), **{**given, **changed})


@pytest.mark.parametrize("name", ["", "service", "Cats", "a b", "-a", "a" * 64, "cats/../dogs"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(name):
    with pytest.raises(ParameterError, match="cannot name a dataset"):
        made(people(9), name=name)


def test_what_names_a_record_is_no_part_of_the_dependency():
    with pytest.raises(SchemaError, match="cannot be part of the dependency"):
        made(people(9), x=("id",))


def test_ids_that_are_missing_or_repeated_are_counted():
    columns = people(9)
    columns["id"][:4] = [None, "same", "same", "same"]
    with pytest.raises(SchemaError, match=r"fewer than 5 records lack it and fewer than 5 records repeat"):
        made(columns).ids()


def test_a_record_is_what_the_table_says_with_numbers_as_numbers():
    columns = {"id": [1, 2], "age": ["20s", "30s"], "place": ["north", None], "weight": [70.5, 80.0]}
    first, second = map(json.loads, made(columns).bodies())
    assert first == {"id": 1, "age": "20s", "place": "north", "weight": 70.5}
    assert second["place"] is None
    assert made(columns).ids() == ["1", "2"]


def test_two_values_that_read_the_same_are_refused():
    columns = {"id": ["a", "b", "c"], "age": ["(missing)", None, "20s"], "place": ["north", "south", "north"]}
    with pytest.raises(SchemaError, match="written the same"):
        made(columns).table()


def test_a_dataset_is_loaded_once(decider):
    with pytest.raises(Conflict, match="already"):
        put_in(decider, dataset(people(9)))
    put_in(decider, made(people(9)))
    assert decider.datasets() == ["cats", NAME]
    assert decider.status("cats")["records"] == 9
    assert [entry["kind"] for entry in decider.log("cats", 0, 9)] == ["loaded"]


def test_a_value_that_the_reference_does_not_expect_is_refused(decider):
    columns = people(60)
    columns["age"][0] = "90s"
    put_in(decider, made(columns, expected={"20s": 1, "30s": 1, "40s": 1, "50s": 1, "60s": 1}))
    answer = decider.request("cats", RecordRequest("p0", "key"), "client")
    assert answer["decision"] == "refused"
    assert "record" not in answer
    assert decider.log("cats", 1, 1)[0]["body"]["reason"] == "unknown value"


def test_domains_make_the_cells(decider):
    columns = people(60)
    partitions = {"age": {"young": ["20s", "30s"], "old": ["40s", "50s"]}}
    put_in(decider, made(columns, partitions=partitions))
    rows = decider.database.read(lambda c: c.rows("SELECT DISTINCT x FROM record WHERE dataset = 'cats'"))
    assert len(rows) == 2


@pytest.mark.parametrize("odd", ["", "x" * 1025])
def test_ids_that_no_request_can_name_are_refused(odd):
    columns = people(6)
    columns["id"][3] = odd
    with pytest.raises(SchemaError, match=r"'id' cannot identify.*no request can name"):
        dataset(columns).ids()
    columns["id"][3] = "x" * 1024
    assert len(dataset(columns).ids()) == 6
