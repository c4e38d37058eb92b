"""One dataset whose tables were changed hides nothing of the others."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from divulge.cli.commands.release.service import run_status
from divulge.cli.requests.release import StatusRequest
from divulge.errors import Unavailable
from divulge.service.http import metrics
from divulge.service.operations.locations import ServiceLocations
from service.history import Requester, at_work
from service.scene import NAME, Scene, dataset
from service.turned_back import outside_connection


@pytest.fixture
def scene(tmp_path):
    """Two datasets, of which the policy of the second was changed in the database."""
    found = Scene.make(str(tmp_path / "service.db"), tmp_path)
    with at_work(found.place) as decider:
        Requester(decider).ask(found.ids, 8)
        decider.load(replace(dataset(found.columns), name="second"), by="operator", following=False)
    with closing(outside_connection(found.place.url)) as connection:
        connection.execute("UPDATE policy SET body = replace(body, '0.2', '0.9') WHERE dataset = 'second'")
        connection.commit()
    return found


def test_metrics_say_that_it_is_read_only_and_how_the_others_stand(scene):
    with at_work(scene.place) as decider:
        counts = metrics.DecisionCounts(decider)
        lines = metrics.text(decider, metrics.Counters(), counts, {"logs": "ok"}).splitlines()
        with pytest.raises(Unavailable):
            decider.status("second")
    assert 'divulge_read_only{dataset="second"} 1' in lines
    assert f'divulge_read_only{{dataset="{NAME}"}} 0' in lines
    assert f'divulge_records{{dataset="{NAME}"}} 60' in lines
    assert not any('divulge_records{dataset="second"}' in one for one in lines)


def test_status_names_it_and_says_how_the_others_stand(scene, capsys):
    place: ServiceLocations = scene.place
    given = {"database": place.url, "keys": str(place.keys), "checkpoints": str(place.anchors)}
    run_status(StatusRequest(**given))
    said = capsys.readouterr().out
    assert f"{NAME}: 60 records" in said
    assert "second: read-only. The policy in force was changed in the database" in said
    run_status(StatusRequest(**given, as_json=True))
    document = json.loads(capsys.readouterr().out)
    assert [one["dataset"] for one in document["datasets"]] == [NAME]
    assert [one["dataset"] for one in document["faulty"]] == ["second"]
