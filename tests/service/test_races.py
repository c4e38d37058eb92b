"""Eight at once ask one service for the same and for other records: nothing leaves that may not."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from divulge.service.decisions.committing.group_queue import Group, GroupQueue
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.secrets import Secrets
from service.judge import Found, faults
from service.lowered import loosen, open_as
from service.scene import NAME, Scene
from service.worker import Job

CLIENTS = 8
SOME_AND_MANY = pytest.mark.parametrize("number", [80, pytest.param(500, marks=pytest.mark.slow)])


def requests(scene, seed, number):
    """What one client asks for: some of the few people whom all want, else of its own; partly in batches."""
    drawn = random.Random(seed)
    hot, cold = scene.ids[:50], scene.ids[50 + seed :: CLIENTS]
    keys = [
        (drawn.choice(hot) if drawn.random() < 0.2 else drawn.choice(cold), f"{seed}-{one}")
        for one in range(number)
    ]
    batches = []
    while keys:
        size = drawn.choice([1, 1, 1, 8])
        batches.append(keys[:size])
        keys = keys[size:]
    return batches


def race_processes(scene, nursery, number, kind=None, **more):
    """Every client is a process with a decider of its own; says how many answers came and how many failed."""
    jobs = [Job.on(scene.place, f"c{c}", requests(scene, c, number), kind) for c in range(CLIENTS)]
    nursery.start(*(replace(job, **more) for job in jobs))
    words = list(nursery.words())
    return sum("answer" in word for word in words), sum("unavailable" in word for word in words)


def race_threads(scene, number, kind=None):
    """Every client is a thread at the one decider; says how many answers came and how many failed."""
    place = scene.place
    decider = DecisionService(open_as(kind, place.url), Secrets.read(place.keys), Anchors(place.anchors))

    def work(client):
        answers, failed = 0, 0
        for batch in requests(scene, client, number):
            try:
                answers += len(decider.batch(NAME, [RecordRequest(*one) for one in batch], f"c{client}"))
            except Exception:
                failed += 1
        return answers, failed

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers, failed = zip(*pool.map(work, range(CLIENTS)), strict=True)
    decider.database.close()
    return sum(answers), sum(failed)


def judged(scene):
    decider = scene.place.open()
    try:
        return faults(decider), Found.of(decider, NAME)
    finally:
        decider.database.close()


@SOME_AND_MANY
def test_eight_processes_on_one_server_let_out_nothing_unsafe(postgresql, tmp_path, nursery, number):
    scene = Scene.make(postgresql.fresh(), tmp_path, records=8 * number)
    assert race_processes(scene, nursery, number) == (CLIENTS * number, 0)
    found, database = judged(scene)
    assert found == []
    assert len(database.answers) == CLIENTS * number


@SOME_AND_MANY
def test_eight_threads_on_one_file_let_out_nothing_unsafe(tmp_path, number):
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path, records=8 * number)
    assert race_threads(scene, number) == (CLIENTS * number, 0)
    found, database = judged(scene)
    assert found == []
    assert len(database.answers) == CLIENTS * number


def test_a_process_that_joins_a_busy_service_does_not_find_it_behind(postgresql, tmp_path):
    class Busy(Anchors):
        """Another process decides something just before a checkpoint is read."""

        def newest(self, chain):
            other.request(NAME, RecordRequest(scene.ids[0], f"key-{next(number)}"), "other")
            return super().newest(chain)

    number = count()
    scene = Scene.make(postgresql.fresh(), tmp_path)
    other = scene.place.open()
    joining = DecisionService(open_as(None, scene.place.url), other.secrets, Busy(scene.place.anchors))
    assert joining.behind == {}
    other.database.close()
    joining.database.close()


# -- the same, with the protection lowered ------------------------------------------------------------


def test_the_race_finds_a_server_that_neither_locks_nor_isolates(postgresql, tmp_path, nursery):
    scene = loosened(Scene.make(postgresql.fresh(), tmp_path, records=4000))
    race_processes(scene, nursery, 20, "Unguarded", attempts=5)  # a log in disorder never answers again
    found, _ = judged(scene)
    assert found


def test_the_race_finds_a_file_without_transactions_and_turns(tmp_path, monkeypatch):
    monkeypatch.setattr(GroupQueue, "done", out_of_turn)
    scene = loosened(Scene.make(str(tmp_path / "service.db"), tmp_path, records=4000))
    race_threads(scene, 20, "Trampled")
    found, _ = judged(scene)
    assert found


def out_of_turn(queue, piece):
    """Done at once, whatever others are doing."""
    queue._carry_out(Group([piece]))
    return piece.outcome()


def loosened(scene):
    """The scene with a log that may have two entries of the same index."""
    database = open_as(None, scene.place.url)
    loosen(database)
    database.close()
    return scene
