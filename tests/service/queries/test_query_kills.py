"""Killed at any moment, a service loses no answer that it gave, and spends nothing twice."""

import os
import random
import signal
import time
from decimal import Decimal

import pytest

from service.history import verified
from service.queries_judge import faults
from service.queries_scene import CLINIC, EXACT, NOISY, answering, between, guarded
from service.worker import Job

RICH = NOISY.replace("budget = 1.0", "budget = 1000")


class Analyst:
    """Asks one query after the other, and again whatever got no answer."""

    def __init__(self, place, nursery, number, kind=None, *, noisy=False):
        self.place, self.nursery, self.kind, self.noisy = place, nursery, kind, noisy
        self.random = random.Random(3)
        self.left = {f"key-{one}": self._query() for one in range(number)}
        self.asked, self.answers, self.differing = dict(self.left), {}, []

    def _query(self):
        low = self.random.randrange(20, 60)
        return between(low, low + self.random.randrange(2, 30), self.random.choice("abc"))

    def run(self, after=None, most=30):
        again = self.random.sample(sorted(self.answers), min(2, len(self.answers)))
        keys = again + list(self.left)[:most]
        todo = [[(self.asked[key], key)] for key in keys]
        where = (self.place.url, str(self.place.keys), str(self.place.anchors), CLINIC, "ann")
        (child,) = self.nursery.start(Job(*where, todo, self.kind, table=True, noisy=self.noisy))
        for word in self.nursery.words():
            if "answer" in word:
                self._hear(word["key"], word["answer"])
            if after is not None and ("answer" in word or "behind" in word):
                if after == 0:
                    time.sleep(self.random.uniform(0, 0.004))
                    os.kill(child, signal.SIGKILL)
                after -= 1

    def _hear(self, key, answer):
        if self.answers.setdefault(key, answer) != answer:
            self.differing.append(f"The answer under {key} has changed.")
        self.left.pop(key, None)

    def faults(self, budget):
        with answering(self.place) as (decider, _):
            found = faults(decider, self.answers, budget)
        return found + self.differing


@pytest.mark.parametrize(
    ("policy", "budget", "kills"),
    [
        pytest.param(EXACT, None, 2, id="exact"),
        pytest.param(RICH, Decimal(1000), 100, id="noisy, often", marks=pytest.mark.slow),
        pytest.param(EXACT, None, 100, id="exact, often", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_lost_or_spent_twice_when_the_service_is_killed(
    url, tmp_path, nursery, kills, policy, budget
):
    place = guarded(url, tmp_path, policy)
    analyst = Analyst(place, nursery, 12 * kills, noisy=budget is not None)
    for _ in range(kills):
        analyst.run(after=analyst.random.randrange(6))
    analyst.run(most=10)
    assert analyst.faults(budget) == []
    assert len(analyst.answers) >= 10
    assert [one.fault for one in verified(place, again=True)] == [None, None]


def test_the_kills_find_a_service_that_answers_before_it_has_written(tmp_path, nursery):
    analyst = Analyst(guarded(str(tmp_path / "service.db"), tmp_path), nursery, 400, kind="Hasty")
    found = []
    while not found and len(analyst.left) > 20:
        analyst.run(after=analyst.random.randrange(1, 6))
        found = analyst.faults(None)
    assert found
