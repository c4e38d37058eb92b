"""Killed at any moment, the service loses nothing it answered, decides nothing twice, and goes on."""

import os
import random
import signal
import time

import pytest

from service.judge import faults
from service.scene import Scene
from service.worker import Job


class Client:
    """Asks for everyone once, in a random order, and again for whatever it got no answer to."""

    def __init__(self, scene, nursery, *, kind=None, seed=1, threads=1):
        self.scene, self.nursery, self.kind, self.threads = scene, nursery, kind, threads
        self.random = random.Random(seed)
        wanted = self.random.sample(scene.ids, len(scene.ids))
        self.unanswered = {f"key-{record}": record for record in wanted}
        self.answers = {}
        self.differing = []  # keys that were answered differently when asked again
        self.behind = []

    def run(self, most=200, after=None, strike=None):
        """A process works, up to so many requests; after some answers, something strikes."""
        job = Job.on(self.scene.place, "client", self._todo(most), self.kind, self.threads)
        (child,) = self.nursery.start(job)
        words = self.nursery.words()
        for word in words:
            self._hear(word)
            if after is not None and ("behind" in word or "answer" in word):
                if after == 0:
                    time.sleep(self.random.uniform(0, 0.004))
                    strike(child)
                after -= 1

    def _todo(self, most):
        again = self.random.sample(sorted(self.answers), min(3, len(self.answers)))
        keys = again + list(self.unanswered)[:most]
        batches = []
        while keys:
            size = self.random.choice([1, 1, 1, 5])
            batches.append([(key.removeprefix("key-"), key) for key in keys[:size]])
            keys = keys[size:]
        return batches

    def _hear(self, word):
        if word.get("behind"):
            self.behind.append(word["behind"])
        if "answer" in word:
            key = word["key"]
            if self.answers.setdefault(key, word["answer"]) != word["answer"]:
                self.differing.append(key)
            self.unanswered.pop(key, None)

    def faults(self):
        """What is wrong with what was answered, and with what the database has."""
        decider = self.scene.place.open()
        kept = dict(
            decider.database.read(lambda connection: connection.rows("SELECT key, answer FROM answer"))
        )
        found = faults(decider)
        decider.database.close()
        found += [f"The answer under {key} is lost." for key in self.answers if key not in kept]
        found += [f"The answer under {key} has changed." for key in self.differing]
        return found + [f"The database is behind its checkpoint: {why}" for why in self.behind]


def killed(child):
    os.kill(child, signal.SIGKILL)


def kill_often(client, kills, strike=killed):
    for _ in range(kills):
        client.run(after=client.random.randrange(12), strike=strike)
    client.run(most=20)


@pytest.mark.parametrize("kills", [15, pytest.param(500, marks=pytest.mark.slow)])
def test_nothing_is_lost_or_done_twice_when_the_service_is_killed(url, tmp_path, nursery, kills):
    client = Client(Scene.make(url, tmp_path, records=40 * kills), nursery)
    kill_often(client, kills)
    assert client.faults() == []
    assert len(client.answers) > 3 * kills


@pytest.mark.parametrize("kills", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_nothing_is_lost_or_done_twice_when_requests_that_share_a_commit_are_killed(tmp_path, nursery, kills):
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path, records=40 * kills)
    client = Client(scene, nursery, kind="Slow", threads=6)
    kill_often(client, kills)
    assert client.faults() == []
    assert len(client.answers) > 3 * kills


@pytest.mark.parametrize("how", ["crash", "kill", "kill_connections"])
def test_nothing_is_lost_or_done_twice_when_the_server_is_killed(how, mortal_postgresql, tmp_path, nursery):
    def strike(_):
        getattr(mortal_postgresql, how)()
        mortal_postgresql.ready() if how == "kill_connections" else mortal_postgresql.start()

    client = Client(Scene.make(mortal_postgresql.fresh(), tmp_path, records=600), nursery)
    for _ in range(2):
        client.run(most=60, after=client.random.randrange(5, 30), strike=strike)
    assert client.faults() == []
    assert len(client.answers) == 120


# -- the same, with a protection taken away -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["Hasty", "Piecemeal"])
def test_the_kills_find_a_service_that_answers_early_or_writes_piece_by_piece(kind, tmp_path, nursery):
    client = Client(Scene.make(str(tmp_path / "service.db"), tmp_path, records=600), nursery, kind=kind)
    found = []
    while not found and len(client.unanswered) > 20:
        client.run(most=40, after=client.random.randrange(12), strike=killed)
        found = client.faults()
    assert found


def test_the_kills_find_a_server_that_does_not_wait_for_its_disk(mortal_postgresql, tmp_path, nursery):
    def strike(_):
        mortal_postgresql.crash()
        mortal_postgresql.start()

    client = Client(Scene.make(mortal_postgresql.fresh(), tmp_path, records=600), nursery, kind="Forgetful")
    found = False
    while not found and len(client.unanswered) > 40:  # what was written in time is not lost
        client.run(most=40, after=30, strike=strike)
        found = any("lost" in fault for fault in client.faults())
    assert found
