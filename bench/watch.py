"""Checks that are kept current while records arrive, against counting the window again every ten thousand."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import made, run, save

RECORDS, WINDOW, AT_ONCE = 1_000_000, 100_000, 10_000
AIM = 200_000  # records a second
POLICY = {
    "attributes": {
        **dict.fromkeys(("region", "age", "sex"), "quasi-identifier"),
        "illness": "sensitive",
    },
    "thresholds": {
        "k_anonymity": {"min": 2},
        "discrimination_rate": {"max": 0.9},
        "entropy_l_diversity": {"min": 2},
    },
}


def write_visits(records: int, path: Path) -> None:
    rng = np.random.default_rng(records)
    columns = {
        "region": rng.integers(0, 50, records),
        "age": rng.integers(18, 98, records),
        "sex": rng.integers(0, 2, records),
        "illness": rng.geometric(0.2, records),
    }
    with path.open("w") as file:
        file.write(",".join(columns) + "\n")
        np.savetxt(file, np.stack(list(columns.values()), axis=1), "%d", ",")


def batches(path: str) -> Any:
    """The records of a file, ten thousand at a time, read as they are while they arrive."""
    from divulge.source.options import SourceOptions
    from divulge.streams.arrivals import GrowingFile

    source = GrowingFile(Path(path), SourceOptions(), follow=False)
    held: dict[str, list[Any]] = {name: [] for name in source.attributes}
    while True:
        arrived = source.poll(0)
        for name, values in arrived.columns.items():
            held[name] += values
        while len(held["age"]) >= AT_ONCE:
            yield {name: values[:AT_ONCE] for name, values in held.items()}
            held = {name: values[AT_ONCE:] for name, values in held.items()}
        if arrived.ended:
            source.close()
            return


def timed(path: str, take: Callable[[dict[str, list[Any]]], list[float | None]]) -> dict[str, Any]:
    """Records a processor second: of all, of the second full window, and of the last."""
    marks, found = [time.process_time()], []
    for batch in batches(path):
        found = take(batch)
        marks.append(time.process_time())
    each, part = np.diff(marks), WINDOW // AT_ONCE
    rates = {"all": each, "second": each[part : 2 * part], "last": each[-part:]}
    return {**{name: AT_ONCE * len(some) / float(some.sum()) for name, some in rates.items()}, "found": found}


def followed(path: str) -> Callable[[], Any]:
    """Read after every ten thousand records from what changed."""
    from divulge.policy import Policy
    from divulge.streams.stream_assessment import StreamAssessment
    from divulge.streams.window import Window

    stream = StreamAssessment(Policy.of(POLICY), ("region", "age", "sex", "illness"), Window(last=WINDOW))

    def take(batch: dict[str, list[Any]]) -> list[float | None]:
        stream.add(batch, 0.0)
        return [check.found for check in stream.followed()]

    return lambda: timed(path, take)


def recounted(path: str) -> Callable[[], Any]:
    """Read after every ten thousand records from all of the window, by Polars and the same measures."""
    import polars as pl

    from divulge.counting.counts import Cells, JointCounts
    from divulge.measures import MEASURES

    held: list[Any] = []
    keys = ["region", "age", "sex"]

    def take(batch: dict[str, list[Any]]) -> list[float | None]:
        held.append(pl.DataFrame(batch))
        del held[: -WINDOW // AT_ONCE]
        cells = pl.concat(held).group_by([*keys, "illness"]).len()
        classes = cells.group_by(keys).agg(pl.col("illness").cast(pl.Int64), pl.col("len"))
        start = np.append(0, np.cumsum(classes["len"].list.len().to_numpy().astype(np.int64)))
        number = classes["len"].explode().to_numpy().astype(np.int64)
        values, place = np.unique(classes["illness"].explode().to_numpy(), return_inverse=True)
        size = np.add.reduceat(number, start[:-1])
        counts = JointCounts(size, Cells(start, place, number, number), values.tolist(), target="illness")
        return [MEASURES[name].compute(counts) for name in POLICY["thresholds"]]

    return lambda: timed(path, take)


def main(full: bool = True) -> None:
    records = RECORDS if full else RECORDS // 4
    path = made(f"visits_{records}.csv", partial(write_visits, records))
    rows = {one: run("watch", one, path, repeats=1).answer for one in ("recounted", "followed")}
    if not np.allclose(rows["followed"]["found"], rows["recounted"]["found"], rtol=1e-12):
        raise SystemExit("the two find something else")
    print(f"records a processor second, {records:,} of them, three thresholds read every {AT_ONCE:,}")
    print("                  all    second window    last window    ratio")
    for name, row in rows.items():
        ratio = row["all"] / rows["recounted"]["all"]
        print(f"{name:10}  {row['all']:9,.0f}  {row['second']:15,.0f}  {row['last']:13,.0f}  {ratio:7.1f}")
    rate = rows["followed"]["last"]
    print(f"{rate:,.0f} a second in the last window: the aim is {'met' if rate >= AIM else 'missed'}")
    save("watch", [{"title": "watch", **rows}])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
