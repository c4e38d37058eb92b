"""Durable decisions a second, one by one and in batches, against bare durable inserts."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.cluster import postgresql
from bench.harness import run, save
from bench.release import MILITARY
from divulge.questions.data import read
from divulge.safe_release import Rules
from divulge.service.decisions.content_digests import body_digest, cell_sum, record_seal, sum_digest
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.loading import Dataset
from divulge.service.decisions.transaction import RELEASE, REQUEST
from divulge.service.ledger.chain import digest
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.operations.locations import ServiceLocations
from divulge.service.store.connection import Row, Transaction

NAME, OWNER = "soldiers", "bench"
SINGLE, BATCHES, BATCH = 300, 8, 500  # decisions one by one; batches, and requests of each
LEFT = 50_000  # records that are not outside yet
PART = 10_000  # records that are let out together
AIM, BATCH_AIM = 0.8, 20


def soldiers(records: int) -> dict[str, list[Any]]:
    """So many soldiers, distributed as in the published table, in random order."""
    rng = np.random.default_rng(5)
    counts = np.asarray(MILITARY)
    cells = rng.choice(counts.size, records, p=counts.ravel() / counts.sum())
    ages, places = np.divmod(cells, counts.shape[1])
    return {
        "id": [f"s{i}" for i in range(records)],
        "age": [f"{age:02}" for age in ages.tolist()],
        "place": [f"L{place}" for place in places.tolist()],
    }


def prepared(url: str, folder: Path, out: int) -> DecisionService:
    """A service with so many records outside, in proportion to the baseline, and a log as long."""
    decider = ServiceLocations.of(url, folder / "keys", folder / "checkpoints").create()
    data = read(soldiers(out + LEFT))
    dataset = Dataset(NAME, data, "id", ("age",), ("place",), {}, Rules.of("mis", 0.2))
    decider.load(dataset, OWNER, following=False)
    decider.database.transact(NAME, lambda work: fill(work, decider, out))
    decider.check_anchors()
    return decider


def fill(connection: Transaction, decider: DecisionService, out: int) -> None:
    """Let records out by hand, as many of each cell as the baseline expects, each with its entry."""
    ((body, named),) = connection.rows("SELECT body, digest FROM policy WHERE dataset = ?", (NAME,))
    told, key = json.loads(body), decider.secrets.digest
    wanted = np.floor(out * np.outer(told["shares"], told["target_shares"])).astype(int)
    left, chosen = wanted.copy(), []
    for row in connection.rows("SELECT id, x, y, body FROM record WHERE dataset = ?", (NAME,)):
        if left[row[1:3]] > 0:
            left[row[1:3]] -= 1
            chosen.append(row)
    done = wanted - left
    for start in range(0, len(chosen), PART):
        let_out(connection, decider, chosen[start : start + PART])
    cells = [(int(done[x, y]), NAME, x, y) for x, y in np.ndindex(done.shape)]
    counts = sum_digest(key, NAME, "cells", cell_sum(key, NAME, done))
    standing = {"policy": 1, "digest": named, "counts": counts, "outside": int(done.sum()), "waiting": 0}
    writer = LogWriter.opened(connection, NAME, key, decider.clock())
    writer.add("filled", standing)
    update = "UPDATE cell SET released = ? WHERE dataset = ? AND x = ? AND y = ?"
    connection.write([(update, cells), *writer.writings()])


def let_out(connection: Transaction, decider: DecisionService, chosen: Sequence[Row]) -> None:
    """Some records with their entries, requests and seals."""
    key = decider.secrets.digest
    writer = LogWriter.opened(connection, NAME, key, decider.clock())
    released, requests = [], []
    for one, x, y, body in chosen:
        index = writer.next
        told = {"record": digest(key, NAME, one), "body": body_digest(key, NAME, one, body)}
        writer.add("left", {**told, "tickets": [f"t{index}"], "filling": "x" * 200})
        released.append((index, record_seal(key, NAME, one, x, y, body, index), NAME, one))
        requests.append((f"t{index}", NAME, one, x, y, OWNER, "released", index, index))
    connection.write([(RELEASE, released), (REQUEST, requests), *writer.writings()])


def bare(decider: DecisionService) -> float:
    """Durable inserts of one row a second: what the database can do at best."""
    decider.database.transact("bare", lambda work: work.rows("CREATE TABLE IF NOT EXISTS bare (row TEXT)"))
    row = [("x" * 400,)]
    began = time.perf_counter()
    for _ in range(SINGLE):
        decider.database.transact("bare", lambda work: work.write([("INSERT INTO bare VALUES (?)", row)]))
    return SINGLE / (time.perf_counter() - began)


def single(decider: DecisionService, first: int) -> tuple[float, float, float]:
    """Decisions a second, and the time that half and 99 in 100 of them took at most, in milliseconds."""
    took = []
    for number in range(first, first + SINGLE):
        began = time.perf_counter()
        decider.request(NAME, RecordRequest(f"s{number}", f"key {number}"), OWNER)
        took.append(time.perf_counter() - began)
    half, most = np.percentile(took, [50, 99]) * 1000
    return SINGLE / sum(took), float(half), float(most)


def batched(decider: DecisionService, first: int) -> float:
    began = time.perf_counter()
    for number in range(first, first + BATCHES * BATCH, BATCH):
        decider.batch(
            NAME, [RecordRequest(f"s{i}", f"key {i}") for i in range(number, number + BATCH)], OWNER
        )
    return BATCHES * BATCH / (time.perf_counter() - began)


def measured(kind: str, outside: str) -> Callable[[], dict[str, float]]:
    """Rates in turns, so that a slower moment of the disk hits all alike; memory after the last."""
    out = int(outside)

    def rates() -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder, postgresql() as url:
            place = str(Path(folder) / "bench.db") if kind == "SQLite" else url
            if place is None:
                return {}
            decider = prepared(place, Path(folder), out)
            decider.request(NAME, RecordRequest("s0", "first"), OWNER)
            turns = [
                (
                    bare(decider),
                    *single(decider, out + 10_000 * turn),
                    batched(decider, out + 10_000 * turn + 1_000),
                )
                for turn in range(3)
            ]
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            batched(decider, out + 35_000)
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            decider.database.close()
        found = [float(np.median(one)) for one in zip(*turns, strict=True)]
        names = ("bare", "single", "p50 ms", "p99 ms", "batch")
        return {**dict(zip(names, found, strict=True)), "growth MiB": (after - before) / 1024}

    return rates


def main(full: bool = True) -> None:
    tables = []
    head = ("outside", "bare/s", "single/s", "of bare", "batch/s", "x", "p50 ms", "p99 ms", "+ MiB")
    print(f"\n{'':10} " + " ".join(f"{one:>9}" for one in head))
    for kind in ("SQLite", "PostgreSQL"):
        for out in (10**4, 10**6) if full else (10**4,):
            rate = run("release_service", "measured", kind, out, repeats=1).answer
            if not rate:
                print(f"{kind}: no server is installed")
                continue
            share, times = rate["single"] / rate["bare"], rate["batch"] / rate["single"]
            row = (out, rate["bare"], rate["single"], share, rate["batch"], times)
            row += (rate["p50 ms"], rate["p99 ms"], rate["growth MiB"])
            print(f"{kind:10} " + " ".join(f"{one:9,.{0 if one >= 100 else 2}f}" for one in row), flush=True)
            tables.append({"title": f"{kind}, {out} outside", **rate})
    print(f"aims: single at {AIM} of bare, batches at {BATCH_AIM} times single")
    save("release_service", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
