"""Few records of a target are outside: the service does not say how many, nor what it follows from."""

import json

import numpy as np
import pytest

from divulge.safe_release import Guard, State, table_of
from divulge.safe_release.printable import exposures
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.http import metrics
from planted import leaks
from service.scene import NAME, Scene, dataset

WHERE = ["north"] * 40 + ["south"] * 30 + ["west"] * 4


def people():
    return {
        "id": [f"p{place}" for place in range(len(WHERE))],
        "age": ["20s", "30s"] * (len(WHERE) // 2),
        "place": WHERE,
        "word": [f"word-{place}" for place in range(len(WHERE))],
    }


@pytest.fixture
def decider(tmp_path):
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path, dataset(people(), "kld,mis", alpha=0.001))
    found = scene.place.open()
    found.batch(NAME, [RecordRequest(name, name) for name in people()["id"]], "requester")
    yield found
    found.database.close()


def figures(told):
    return {one["target"]: (one["value"], one["critical"]) for one in told if one["test"] == "kld"}


def test_the_limit_of_a_target_would_say_how_many_of_its_records_are_outside():
    guard = Guard.of(table_of([[20, 15, 2], [20, 15, 2], [20, 15, 0]]), "kld", 0.2, samples=200)
    outside = [np.array([[9, 9, few], [9, 9, 0], [9, 9, 0]]) for few in (1, 2, 3, 4)]
    assert len({State.of(guard, one).exposures()[2].critical for one in outside}) == 4


def test_no_limit_is_said_of_a_target_with_few_records_outside():
    guard = Guard.of(table_of([[20, 15, 2], [20, 15, 2]]), "kld", 0.2, samples=200)
    north, south, west = figures(exposures(State.of(guard, np.array([[9, 8, 2], [9, 8, 2]])))).values()
    assert None not in north
    assert south == west == (None, None)  # 16 of 38 beside 18 would leave 4
    told = exposures(State.of(guard, np.array([[9, 8, 2], [9, 8, 2]])))
    assert [one["safe"] for one in told] == [True] * 3
    assert "undefined" in told[2]
    enough = exposures(State.of(guard, np.array([[9, 8, 3], [9, 8, 3]])))
    assert all(None not in one for one in figures(enough).values())


def test_the_service_does_not_say_how_few_of_a_target_are_outside(decider):
    status = decider.status(NAME)
    assert status["outside"] == len(WHERE)
    assert [one for one in figures(status["exposures"]).values() if None in one] == [(None, None)] * 2
    assert figures(status["exposures"])["west"] == (None, None)
    assert list(leaks(status)) == []
    assert {one[0] for one in status["worst"]} == {"mis", "kld"}  # which names no target
    assert 'test="kld"' in metrics.text(decider, metrics.Counters(), metrics.DecisionCounts(decider), {})


def test_the_log_does_not_say_how_few_came_and_went(decider):
    columns = people()
    columns = {name: values[:-3] for name, values in columns.items()}
    told = decider.update(
        dataset({**columns, "id": [*columns["id"][:-1], "new"]}, "kld,mis", alpha=0.001), "holder"
    )
    assert (told["new"], told["gone"]) == (1, 0)  # what is outside stays
    (body,) = [one["body"] for one in decider.log(NAME, 0, 1000) if one["kind"] == "baseline followed"]
    body = json.loads(body) if isinstance(body, str) else body
    assert (body["new"], body["gone"]) == ("<5", 0)
