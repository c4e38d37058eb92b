"""A clock that jumps, forwards and back by any time: the log goes on, and nothing that ended begins again."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from divulge.errors import Conflict
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.ledger.paging import log
from divulge.service.operations.retention import remove_answers
from service.history import OWNER, at_work, verified
from service.scene import NAME, Scene

STEPS = (0, 1e-6, 1, 3600, 86_400, 86_400 * 400, 86_400 * 4000)  # seconds


class JumpingClock:
    """A clock that is set anew by chance, to what it was and a step, or to the other end of the century."""

    def __init__(self, drawn):
        self._drawn = drawn
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def jump(self):
        step = timedelta(seconds=self._drawn.choice(STEPS)) * self._drawn.choice((1, -1))
        far = datetime(self._drawn.choice((1999, 2030, 2080)), 1, 1, tzinfo=UTC)
        self.now = far if self._drawn.random() < 0.05 else self.now + step
        self.now = min(max(self.now, datetime(1990, 1, 1, tzinfo=UTC)), datetime(2099, 1, 1, tzinfo=UTC))

    def __call__(self):
        return self.now.isoformat(timespec="microseconds")


class Life:
    """What is done with a service while its clock jumps, and what has to hold after each of it."""

    def __init__(self, decider, clock, drawn):
        self.decider, self._clock, self._drawn = decider, clock, drawn
        self.answers, self.keys, self.dead = {}, {}, set()
        decider.clock = clock

    def step(self):
        self._clock.jump()
        self._drawn.choice(
            (self.ask, self.ask, self.repeat, self.withdraw, self.new_key, self.revoke, self.tidy)
        )()
        for told, expires in self.keys.items():
            good = self.decider.key_shown(told) is not None
            assert not (good and (told in self.dead or self.written() >= expires))

    def written(self):
        """The latest time that any entry has."""
        return self.decider.known.last_time()

    def ask(self):
        key = f"key {len(self.answers)}"
        asked = RecordRequest(f"p{self._drawn.randrange(60)}", key)
        self.answers[key] = asked, self.decider.request(NAME, asked, OWNER)

    def repeat(self):
        for asked, answer in self._drawn.sample(list(self.answers.values()), min(3, len(self.answers))):
            again = self.decider.request(NAME, asked, OWNER)
            assert (again["ticket"], again["hash"]) == (answer["ticket"], answer["hash"])

    def withdraw(self):
        try:
            for one in self.decider.queue(NAME, 1):
                self.decider.withdraw(NAME, one["ticket"], OWNER)
        except Conflict:
            raise AssertionError("what waits can be withdrawn") from None

    def new_key(self):
        expires = (self._clock.now + timedelta(seconds=self._drawn.choice(STEPS))).isoformat(
            timespec="microseconds"
        )
        told, _ = self.decider.make_key(role="auditor", name="a", by="me", expires=expires)
        self.keys[told] = expires

    def revoke(self):
        alive = sorted(set(self.keys) - self.dead)
        if alive:
            self.decider.revoke_key(alive[0].partition(".")[0], by="me")
            self.dead.add(alive[0])

    def tidy(self):
        remove_answers(self.decider, NAME, self._drawn.choice((1, 90, 3000)), "me")


def live_through(folder, jumps, seed):
    """A service through so many jumps, started anew now and then."""
    scene, drawn = Scene.make(str(folder / "service.db"), folder), random.Random(seed)
    clock = JumpingClock(drawn)
    kept = None
    for _ in range(4):
        with at_work(scene.place) as decider:
            life = Life(decider, clock, drawn)
            if kept is not None:
                life.answers, life.keys, life.dead = kept.answers, kept.keys, kept.dead
            for _ in range(jumps // 4):
                life.step()
            kept = life
    with at_work(scene.place, read_only=True) as decider:
        for chain in (NAME, SERVICE):
            times = [one.at for one in decider.database.read(lambda c, chain=chain: [*log(c, chain)])]
            assert times == sorted(times)
            assert len(times) > jumps / 20
    assert [one.fault for one in verified(scene.place, checkpoints=scene.place.anchors, again=True)] == [
        None,
        None,
    ]
    return kept


def test_a_clock_that_jumps_turns_nothing_back(tmp_path):
    life = live_through(tmp_path, 40, seed=0)
    assert life.answers
    assert life.dead


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_clock_that_jumps_very_often_turns_nothing_back(tmp_path, seed):
    live_through(tmp_path, 1000, seed)
