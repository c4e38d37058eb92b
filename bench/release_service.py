"""Durable decisions a second: one by one, of eight clients at once, and in batches, against bare commits."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.bare_commits import CLIENTS, EACH, SameRows, at_once, slow_syncs
from bench.cluster import postgresql
from bench.harness import run, save
from bench.over_http import OverHttp
from bench.release import MILITARY
from divulge.questions.data import read
from divulge.safe_release import Rules
from divulge.service.decisions.committing.group_queue import Group, GroupQueue, Piece
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.loading import Dataset
from divulge.service.decisions.logged.content_digests import body_digest, cell_sum, record_seal, sum_digest
from divulge.service.decisions.open_requests import OpenLimits
from divulge.service.decisions.transaction import RELEASE, REQUEST
from divulge.service.ledger.chain import digest
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.pushed.places import place_named
from divulge.service.operations.pushed.pushing import Pushing
from divulge.service.store.connection import Found, Row, Transaction

NAME, OWNER = "soldiers", "bench"
SINGLE, BATCHES, BATCH = 300, 6, 500  # decisions one by one; batches, and requests of each
TURNS, TURN = 3, 12_000  # how often all is measured at most, and records for each time
INSERT_ONE = "INSERT INTO bare VALUES (?)"
SLOWER = (0, 2_000, 5_000)  # microseconds that every sync takes longer; of 2 ms is the disk of the aims
LEFT = 55_000  # records that are not outside yet
PART = 10_000  # records that are let out together
AIM, BATCH_AIM, WAIT_AIM = 0.8, 20, 100


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
    decider.open_limits = OpenLimits(10**9, 10**9)  # records are asked for again and again
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
    for row in connection.rows(
        "SELECT id, x, y, body FROM record WHERE dataset = ? ORDER BY LENGTH(id), id", (NAME,)
    ):
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
        told |= {"counts": "0" * 64, "filling": "x" * 125}  # as long as what the service writes
        writer.add("left", {**told, "tickets": [f"t{index}"]})
        released.append((index, record_seal(key, NAME, one, x, y, body, index), NAME, one))
        requests.append((f"t{index}", NAME, one, x, y, OWNER, "released", index, index))
    connection.write([(RELEASE, released), (REQUEST, requests), *writer.writings()])


def bare(decider: DecisionService) -> float:
    """Durable inserts of one row a second: what the database can do at best."""
    began = time.perf_counter()
    for _ in range(SINGLE):
        insert(decider, 1)
    return SINGLE / (time.perf_counter() - began)


def insert(decider: DecisionService, rows: int) -> None:
    """So many rows in one transaction."""
    decider.database.transact("bare", lambda work: work.write([(INSERT_ONE, [("x" * 400,)] * rows)]))


def bare_grouped(decider: DecisionService) -> float:
    """Rows a second of clients whose inserts of one row share commits, by the same queue."""

    def carry_out(group: Group) -> None:
        insert(decider, len(group.pieces))

    queue = GroupQueue(carry_out, 60)
    return at_once(lambda client, number: queue.done(Piece(None, shared=True)))


def asked(number: int) -> RecordRequest:
    return RecordRequest(f"s{number}", f"key {number}")


def single(decider: DecisionService, first: int) -> tuple[float, float, float]:
    """Decisions a second, and the time that half and 99 in 100 of them took at most, in milliseconds."""
    took = []
    for number in range(first, first + SINGLE):
        began = time.perf_counter()
        decider.request(NAME, asked(number), OWNER)
        took.append(time.perf_counter() - began)
    half, most = np.percentile(took, [50, 99]) * 1000
    return SINGLE / sum(took), float(half), float(most)


def concurrent(decider: DecisionService, first: int, *, proved: bool = False) -> float:
    """Decisions a second of clients at once, with their proofs or without."""

    def act(client: int, number: int) -> None:
        found = decider.decided_one(NAME, asked(first + client * EACH + number), f"client {client}")
        if proved:
            found.proved(decider.database)

    return at_once(act)


def witnessed(decider: DecisionService, first: int, folder: Path) -> float:
    """The same while checkpoints are pushed to a folder, as often as they may be."""
    pushing = Pushing(decider, [place_named(str(folder / "elsewhere"))])
    pushing.start()
    found = concurrent(decider, first, proved=True)
    pushing.stop()
    return found


def batched(decider: DecisionService, first: int) -> float:
    began = time.perf_counter()
    for number in range(first, first + BATCHES * BATCH, BATCH):
        decider.batch(NAME, [asked(i) for i in range(number, number + BATCH)], OWNER)
    return BATCHES * BATCH / (time.perf_counter() - began)


def beside_batches(decider: DecisionService, first: int) -> float:
    """How long half of the requests of somebody take at most, in milliseconds, while others send batches."""
    waiting = [threading.Thread(target=batched, args=(decider, first + one * 3_000)) for one in range(2)]
    for thread in waiting:
        thread.start()
    took = []
    while any(thread.is_alive() for thread in waiting):
        began = time.perf_counter()
        decider.request(NAME, RecordRequest(f"s{first}", f"beside {first} {len(took)}"), "somebody")
        took.append(time.perf_counter() - began)
        time.sleep(0.01)
    return float(np.median(took)) * 1000


def measured(kind: str, outside: str, repeated: str) -> Callable[[], dict[str, float]]:
    """Rates in turns, so that a slower moment of the disk hits all alike; memory after the last."""
    out, number = int(outside), int(repeated)

    def rates() -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder, postgresql() as url:
            place = str(Path(folder) / "bench.db") if kind == "SQLite" else url
            if place is None:
                return {}
            decider = prepared(place, Path(folder), out)
            decider.request(NAME, RecordRequest("s0", "first"), OWNER)
            decider.database.transact("bare", lambda work: work.rows("CREATE TABLE bare (row TEXT)"))
            second = Path(folder) / "second"
            second.write_bytes(b"x" * 1024)
            same, http = SameRows(decider, NAME), OverHttp(decider, NAME)
            turns = []
            for first in range(out, out + TURN * number, TURN):
                turn = one_turn(decider, first, Path(folder), same, second)
                turns.append(turn | over_http(http, first + 7_000, same, second))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            beside = beside_batches(decider, out + TURN * number)
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            decider.database.close()
        found = {name: float(np.median([turn[name] for turn in turns])) for name in turns[0]}
        return {**found, "beside ms": beside, "growth MiB": (after - before) / 1024}

    return rates


def one_turn(
    decider: DecisionService, first: int, folder: Path, same: SameRows, second: Path
) -> dict[str, float]:
    """Everything once, and each rate as a share of the bare one beside it."""
    (alone, half, most), cpu_alone = timed(partial(single, decider, first), SINGLE)
    bare_alone, grouped = bare(decider), bare_grouped(decider)
    same.prepare()
    with same.watched():
        both, cpu_both = timed(partial(concurrent, decider, first + 1_000), CLIENTS * EACH)
    rows, cpu_rows = timed(partial(same.grouped, second), CLIENTS * EACH)
    proved = concurrent(decider, first + 2_000, proved=True)
    pushed = witnessed(decider, first + 3_000, folder)
    many, cpu_many = timed(partial(batched, decider, first + 4_000), BATCHES * BATCH)
    return {
        "bare": bare_alone,
        "single": alone,
        "single of bare": alone / bare_alone,
        "bare grouped": grouped,
        "bare grouped, same rows and syncs": rows,
        "concurrent": both,
        "concurrent of bare grouped": both / grouped,
        "concurrent of the same rows and syncs": both / rows,
        "concurrent of single": both / alone,
        "with proofs": proved / both,
        "with witnesses": pushed / proved,
        "batch": many,
        "batch of single": many / alone,
        "p50 ms": half,
        "p99 ms": most,
        "processor us, single": cpu_alone,
        "processor us, concurrent": cpu_both,
        "processor us, batch": cpu_many,
        "processor us, bare same rows": cpu_rows,
    }


def over_http(http: OverHttp, first: int, same: SameRows, second: Path) -> dict[str, float]:
    """The same from socket to socket: clients in another process, and bare commits for them as well."""
    alone, many = http.alone(first), http.batched(first + 1_000)
    same.prepare()
    with same.watched():
        both = http.decided(first + 4_000)
    rows = http.bare(same, second, first + 4_000)
    return {
        "HTTP: single": alone.rate,
        "HTTP: bare grouped, same rows and syncs": rows.rate,
        "HTTP: concurrent": both.rate,
        "HTTP: concurrent of the same": both.rate / rows.rate,
        "HTTP: batch": many.rate,
        "HTTP: batch of single": many.rate / alone.rate,
        "HTTP: p50 ms, single": alone.half,
        "HTTP: p50 ms, concurrent": both.half,
        "HTTP: processor us, single": alone.processor,
        "HTTP: processor us, concurrent": both.processor,
        "HTTP: processor us, batch": many.processor,
        "HTTP: processor us, bare same rows": rows.processor,
    }


def timed(act: Callable[[], Found], decisions: int) -> tuple[Found, float]:
    """What an act says, and the processor time of each of its decisions in microseconds."""
    began = time.process_time()
    found = act()
    return found, (time.process_time() - began) / decisions * 1e6


def main(full: bool = True) -> None:
    tables = []
    for slower in SLOWER:
        for kind in ("SQLite", "PostgreSQL"):
            for out in (10**4, 10**6) if full and not slower else (10**4,):
                with tempfile.TemporaryDirectory() as folder, slow_syncs(slower, Path(folder)) as able:
                    turns = TURNS if full else 1
                    rate = (
                        run("release_service", "measured", kind, out, turns, repeats=1).answer if able else {}
                    )
                if not rate:
                    print(f"{kind}: no server is installed, or no compiler")
                    continue
                title = f"{kind}, {out:,} outside, syncs take {slower / 1000:g} ms longer"
                print(f"\n{title}")
                for name, value in rate.items():
                    print(f"  {name:40} {value:10,.{0 if value >= 100 else 2}f}", flush=True)
                print_aims(rate)
                tables.append({"title": title, **rate})
    save("release_service", tables)


def print_aims(rate: dict[str, float]) -> None:
    """Which of the aims hold here."""
    aims = {
        f"eight clients at {AIM} of bare commits of the same rows and syncs": (
            rate["concurrent of the same rows and syncs"] >= AIM
        ),
        f"the same over HTTP, {AIM} of bare commits over HTTP": (rate["HTTP: concurrent of the same"] >= AIM),
        f"batches at {BATCH_AIM} times single": rate["batch of single"] >= BATCH_AIM,
        f"batches at {BATCH_AIM} times single over HTTP": rate["HTTP: batch of single"] >= BATCH_AIM,
        f"{WAIT_AIM} ms beside batches": rate["beside ms"] <= WAIT_AIM,
    }
    for aim, holds in aims.items():
        print(f"  {'holds' if holds else 'does not hold'}: {aim}", flush=True)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
