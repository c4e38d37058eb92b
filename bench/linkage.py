"""Record linkage: by distance against scikit-learn's neighbours, by agreement, one to one, through Splink.

Each size is ten times the one before; how much more processor time and memory it takes is printed below it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Result, compare, made, run, save
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


def gower(path: str) -> Run:
    """The same by Gower's distance: what sides are apart, added up."""
    from divulge.attacks.record_linkage.nearest import nearest

    points, asked = np.load(path)
    return lambda: int((nearest(points, asked, "sum").found == np.arange(len(points))).sum())


def assignment(path: str, records: str) -> Run:
    """Every record linked at most once, by SciPy's assignment over all distances."""
    from divulge.attacks.record_linkage.coordinates import Coordinates
    from divulge.attacks.record_linkage.one_to_one import one_to_one

    points, asked = np.load(path)[:, : int(records)]
    known = np.arange(len(points)), np.arange(len(points))
    return lambda: one_to_one(Coordinates(points, asked, {}), known, seed=0).linked


def write_names(records: int, path: Path) -> None:
    """Names and streets of syllables, a typing error in a fifth of those released."""
    rng = np.random.default_rng(records)
    syllables = np.array([a + b for a in "bdfgklmnprstvz" for b in "aeiou"])
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    texts = {
        name: ["".join(word) for word in rng.choice(syllables, (records, parts))]
        for name, parts in (("name", 3), ("street", 4))
    }
    lines = ["table,id,name,street,sex"]
    sexes = rng.choice(["f", "m"], records)
    for table in ("original", "released"):
        for record in range(records):
            words = [column[record] for column in texts.values()]
            if table == "released":
                words = [_mistyped(word, letters, rng) if rng.random() < 0.2 else word for word in words]
            lines.append(f"{table},{record},{words[0]},{words[1]},{sexes[record]}")
    path.write_text("\n".join(lines) + "\n")


def _mistyped(word: str, letters: Any, rng: np.random.Generator) -> str:
    place = int(rng.integers(len(word)))
    return word[:place] + str(rng.choice(letters)) + word[place + 1 :]


def typing_errors(path: str) -> Run:
    """Names and streets compared by Splink with DuckDB."""
    import csv

    import divulge as dv
    from divulge.alignment.tables import align
    from divulge.attacks.text_linkage.fuzzy import fuzzy_linkage

    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tables = [
        {
            name: [row[name] for row in rows if row["table"] == table]
            for name in ("id", "name", "street", "sex")
        }
        for table in ("original", "released")
    ]
    aligned = align(dv.read(tables[0]), dv.read(tables[1]), by="id")
    return lambda: float(fuzzy_linkage(aligned, ["name", "street"], ["sex"], seed=1)["share"])


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
    before: dict[str, Result] = {}
    for records in (10**3, 10**4, 10**5) if full else (10**3, 10**4):
        path = made(f"points_{records}.npy", partial(write_points, records))
        results = [run("linkage", contender, path) for contender in ("divulge", "scikit_learn", "gower")]
        if results[0].answer != results[1].answer:
            raise SystemExit(f"divulge links {results[0].answer}, scikit-learn {results[1].answer}")
        tables.append(compare(f"nearest of {records:,} x {records:,} points", results, "divulge"))
        before = _growth(results, before)
    before = {}
    for records in (3000, 30_162) if full else (3000,):
        path = made(f"pairs_{records}.npy", partial(write_pairs, records))
        results = [run("linkage", "agreement", path)]
        tables.append(compare(f"agreement of {records**2:,} pairs", results, "agreement"))
        before = _growth(results, before)
    before, path = {}, made("points_10000.npy", partial(write_points, 10**4))
    for records in (500, 5000) if full else (500,):
        results = [run("linkage", "assignment", path, records, repeats=1)]
        tables.append(compare(f"one to one, {records:,} x {records:,}", results, "assignment"))
        before = _growth(results, before)
    before = {}
    for records in (10**3, 10**4, 10**5) if full else (10**3,):
        path = made(f"names_{records}.csv", partial(write_names, records))
        results = [run("linkage", "typing_errors", path, repeats=1)]
        tables.append(compare(f"typing errors, {records:,} x {records:,}", results, "typing_errors"))
        before = _growth(results, before)
    save("linkage", tables)


def _growth(results: Sequence[Result], before: Mapping[str, Result]) -> dict[str, Result]:
    """Print how much more time and memory each takes than with a tenth of the records."""
    for now in results:
        if now.contender in before:
            then = before[now.contender]
            print(
                f"{now.contender}: {now.cpu / then.cpu:.1f} times the processor time of a tenth of the "
                f"records, {now.peak - then.peak:+.0f} MiB"
            )
    return {now.contender: now for now in results}


if __name__ == "__main__":
    main("--quick" not in sys.argv)
