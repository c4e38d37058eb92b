"""The release service under mixed requests, killed now and then: what was answered is in its log."""

import json
import random
import signal
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from command_line import run_apart
from soak.programs import SECONDS, Program, assert_flat, assert_nothing_left

pytestmark = pytest.mark.slow
GARRISONS = Path(__file__).parents[2] / "examples" / "garrisons.csv"
CLIENTS = 4
LIVES = 6  # of the service: it is killed between them


class Client(threading.Thread):
    """Somebody who asks in every way there is, and notes what was answered."""

    def __init__(self, address, key, seed):
        super().__init__()
        self.address, self.key, self.rng = address, key, random.Random(seed)
        self.over = threading.Event()
        self.entries, self.faults = [], []

    def run(self):
        while not self.over.is_set():
            record = f"S{self.rng.randrange(1, 601):03d}"
            kind = self.rng.choice(["request", "request", "batch", "me", "ready", "malformed"])
            if kind == "request":
                self.noted(self.ask("/datasets/garrisons/requests", {"record": record}))
            elif kind == "batch":
                self.noted(self.ask("/datasets/garrisons/batches", {"requests": self.batch()}))
            elif kind == "malformed":
                self.ask("/datasets/garrisons/requests", {"record": [record]})
            else:
                self.ask(f"/{kind}")
            time.sleep(self.rng.random() * 0.2)

    def batch(self):
        return [
            {"record": f"S{self.rng.randrange(1, 601):03d}", "key": f"{self.rng.getrandbits(96):024x}"}
            for _ in range(20)
        ]

    def ask(self, path, body=None):
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"{self.rng.getrandbits(96):024x}",
        }
        content = None if body is None else json.dumps(body).encode()
        try:
            asked = urllib.request.Request(self.address() + path, content, headers)
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                if refused.code >= 500 and refused.code != 503:
                    self.faults.append((path, refused.code, refused.read()[:300]))
        except (OSError, ValueError):
            pass  # the service was killed
        return None

    def noted(self, answer):
        if answer is not None:
            answers = answer.get("answers", [answer])
            self.entries += [(one["index"], one["hash"]) for one in answers if "hash" in one]


@pytest.fixture
def service(tmp_path):
    """A database with its keys, and the key of a requester."""
    database = tmp_path / "garrisons.db"
    given = ["--id", "Name", "--x", "Age", "--y", "Location", "--test", "mis", "--alpha", "0.2"]
    code, _, wrong = run_apart("release", "init", database, GARRISONS, "--name", "garrisons", *given)
    assert code == 0, wrong
    code, key, wrong = run_apart("release", "key", database, "--role", "requester", "--name", "ann")
    assert code == 0, wrong
    return database, key.strip()


def test_the_service_holds_no_more_memory_and_loses_nothing_while_it_is_killed(service, tmp_path):
    database, key = service
    place = []
    clients = [Client(lambda: place[-1], key, seed) for seed in range(CLIENTS)]
    samples = []
    for life in range(LIVES):
        folder = tmp_path / f"life {life}"
        program = Program(folder, "release", "serve", database, "--port", "0")
        place.append(program.address())
        if life == 0:
            for client in clients:
                client.start()
        until = time.monotonic() + SECONDS / LIVES
        held = []
        while time.monotonic() < until:
            time.sleep(SECONDS / LIVES / 20)
            held.append(program.memory())
        samples += held[len(held) // 2 :]  # a new process warms up first
        last = life == LIVES - 1
        if last:
            for client in clients:
                client.over.set()
            for client in clients:
                client.join()
        program.end(signal.SIGINT if last else signal.SIGKILL)
        assert_nothing_left(program)
    assert [fault for client in clients for fault in client.faults] == []
    code, said, wrong = run_apart("release", "verify", database)
    assert code == 0, said + wrong
    code, said, wrong = run_apart(
        "release", "export", database, tmp_path / "log.jsonl", "--name", "garrisons"
    )
    assert code == 0, said + wrong
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    logged = {(line["entry"]["index"], line["entry"]["hash"]) for line in lines if "entry" in line}
    answered = {entry for client in clients for entry in client.entries}
    assert len(answered) > SECONDS / 10
    assert answered <= logged
    assert_flat(samples)
