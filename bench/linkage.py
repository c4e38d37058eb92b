"""Record linkage: by distance against scikit-learn's neighbours, and by agreement over all pairs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save
from bench.special_uniques import ADULT

Run = Callable[[], Any]


def write_points(records: int, path: Path) -> None:
    rng = np.random.default_rng(records)
    points = rng.normal(size=(records, 3))
    with path.open("wb") as file:
        np.save(file, np.stack([points, points + rng.normal(0, 0.1, points.shape)]))


def write_pairs(records: int, path: Path) -> None:
    rng = np.random.default_rng(records)
    keys = np.stack([np.minimum(rng.geometric(min(0.9, 4 / v), records) - 1, v - 1) for v in ADULT])
    changed = np.where(rng.random(keys.shape) < 0.1, rng.permuted(keys, axis=1), keys)
    with path.open("wb") as file:
        np.save(file, np.stack([keys, changed]).astype(np.int64))


def divulge(path: str) -> Run:
    """The nearest and second nearest of every point, ties counted."""
    from divulge.attacks.record_linkage.nearest import nearest

    points, asked = np.load(path)
    return lambda: int((nearest(points, asked).found == np.arange(len(points))).sum())


def scikit_learn(path: str) -> Run:
    from sklearn.neighbors import NearestNeighbors

    points, asked = np.load(path)

    def found() -> int:
        fitted = NearestNeighbors(n_neighbors=2, n_jobs=-1).fit(points)
        return int((fitted.kneighbors(asked, return_distance=False)[:, 0] == np.arange(len(points))).sum())

    return found


def agreement(path: str) -> Run:
    """Fellegi and Sunter's model over all pairs, and the best link of every record."""
    from divulge.attacks.record_linkage.fellegi_sunter import best_links, fit

    ours, theirs = ([(column, int(column.max()) + 1) for column in table] for table in np.load(path))
    bounds = [max(one, other) for (_, one), (_, other) in zip(ours, theirs, strict=True)]
    ours, theirs = (
        [(codes, bound) for (codes, _), bound in zip(table, bounds, strict=True)] for table in (ours, theirs)
    )

    def linked() -> float:
        model = fit(ours, theirs)
        return float(best_links(model, ours, theirs).ties.sum())

    return linked


def main(full: bool = True) -> None:
    tables = []
    for records in (10**4, 10**5) if full else (10**4,):
        path = made(f"points_{records}.npy", partial(write_points, records))
        results = [run("linkage", contender, path) for contender in ("divulge", "scikit_learn")]
        if results[0].answer != results[1].answer:
            raise SystemExit(f"divulge links {results[0].answer}, scikit-learn {results[1].answer}")
        tables.append(compare(f"nearest of {records:,} x {records:,} points", results, "divulge"))
    records = 30_162 if full else 3000
    path = made(f"pairs_{records}.npy", partial(write_pairs, records))
    tables.append(
        compare(f"agreement of {records**2:,} pairs", [run("linkage", "agreement", path)], "agreement")
    )
    save("linkage", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
