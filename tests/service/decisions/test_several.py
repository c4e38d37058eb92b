"""A dataset with several dependencies: a record leaves only if every guard stays safe."""

import random
from dataclasses import replace

import pytest

from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from service.decisions.test_transaction import ask
from service.history import verified
from service.scene import NAME, Scene, dataset, people

RANK, SAME = (("rank",), ("place",)), (("age",), ("place",))


@pytest.fixture
def columns():
    """People with a rank that tells of the west."""
    found, drawn = people(120), random.Random(1)
    found["rank"] = [
        "high" if drawn.random() < (0.8 if place == "west" else 0.2) else "low" for place in found["place"]
    ]
    return found


def joint(columns, *also, tests="kld"):
    return replace(dataset(columns, tests), also=also)


@pytest.fixture
def open_service(tmp_path):
    opened = []

    def make(given, **loading):
        scene = Scene.make(str(tmp_path / f"{len(opened)}.db"), tmp_path / str(len(opened)), given, **loading)
        opened.append((scene.place, scene.place.open()))
        return opened[-1][1]

    yield make
    for place, decider in opened:
        decider.database.close()
        found = verified(place, again=True)  # takes every decision again
        assert [one.fault for one in found] == [None] * len(found)


def decisions(decider, columns):
    return [one["decision"] for one in ask(decider, columns["id"])]


def test_the_same_dependency_twice_behaves_as_one(open_service, columns):
    one, twice = open_service(dataset(columns, "kld")), open_service(joint(columns, SAME))
    assert decisions(one, columns) == decisions(twice, columns)
    assert one.status(NAME)["outside"] == twice.status(NAME)["outside"]
    assert one.status(NAME)["worst"] == twice.status(NAME)["worst"]


def test_both_dependencies_hold_what_leaves(open_service, columns):
    alone, both = open_service(dataset(columns, "kld")), open_service(joint(columns, RANK))
    assert decisions(both, columns).count("released") < decisions(alone, columns).count("released")
    found = both.status(NAME)
    assert {one["dependency"] for one in found["exposures"]} == {"age:place", "rank:place"}
    assert all(one["safe"] for one in found["exposures"])


@pytest.mark.parametrize("following", [False, True])
def test_a_table_with_new_kinds_of_records_is_followed_and_verified(open_service, columns, following):
    decider = open_service(joint(columns, RANK), following=following)
    ask(decider, columns["id"][:60])
    before = decider.status(NAME)["outside"]
    place = columns["place"].index("south")
    columns["age"][place], columns["rank"][place] = "50s", "high"
    columns["id"].append("new")
    for name, value in (("age", "50s"), ("rank", "low"), ("place", "north"), ("word", "w")):
        columns[name].append(value)
    decider.update(joint(columns, RANK), "holder")
    assert decider.status(NAME)["outside"] >= before
    assert decider.request(NAME, RecordRequest("new", "a"), "client")["decision"] in ("released", "waiting")


def test_other_rules_hold_every_dependency(open_service, columns):
    decider = open_service(joint(columns, RANK))
    ask(decider, columns["id"][:60])
    version = decider.propose(NAME, Rules.of("mis,seq", 0.1, samples=200), "first")["version"]
    decider.approve(NAME, version, "second")
    found = decider.status(NAME)["exposures"]
    assert {(one["dependency"], one["test"]) for one in found} >= {
        (name, test) for name in ("age:place", "rank:place") for test in ("mis", "seq")
    }
