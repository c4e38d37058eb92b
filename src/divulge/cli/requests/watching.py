"""What may be asked while records arrive."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.parameters import REQUIRED, argument, flag, option
from divulge.cli.requests.tables import SpokenRequest
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class WatchRequest(SpokenRequest):
    """Keep an assessment current while records arrive.

    Reads standard input, a file that grows, or a database table with a key that grows. The exit code
    is 1 where a threshold is crossed at the end, or with --fail-fast as soon as one is.
    """

    file: str = argument("FILE", "A CSV or JSON-lines file, - for standard input, or a database URL.")
    policy: str = options.policy(REQUIRED)
    window: str = option("N|TIME", "Records that are assessed: the last N, or of the last 1h.", "100000")
    every: str = option("TIME", "Time between readings.", "5s")
    least: int | None = option(
        "N", "Records before the first verdict. Default: the window, or 1000.", min=1, called="--from"
    )
    fail_fast: bool = flag("End with 1 as soon as a threshold is crossed.")
    once: bool = flag("End at the end of the file or table; do not wait for more.")
    cursor: str | None = option("COLUMN", "Column of a database table that grows with every record.")
    snapshot: str | None = option(
        "FILE", "File for the state, to continue later; it holds the records of the window."
    )
    all_lines: bool = flag("Every line must be a record. Exit with code 2 at the first that is not.")
    as_json: bool = options.as_json()
    source: SourceOptions = options.under_policy(
        anatomy="Records arrive one at a time.",
        layout="Lines are CSV or JSON.",
        labels="Lines have no labels.",
        engine=options.AS_THEY_ARRIVE,
        master=options.AS_THEY_ARRIVE,
        memory=options.AS_THEY_ARRIVE,
    )
