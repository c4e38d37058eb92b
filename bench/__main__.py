"""All benchmarks, one after the other: python -m bench [--quick] [name ...]."""

from __future__ import annotations

import sys
from importlib import import_module

ALL = [
    "low_cardinality",
    "high_cardinality",
    "wide",
    "subsets",
    "special_uniques",
    "linkage",
    "mechanisms",
    "anonymize",
    "tables",
    "audit",
    "compare",
    "explore",
    "peers",
    "first_run",
    "out_of_core",
    "scale_wide",
    "scale_classes",
    "scale_postgresql",
    "scale_spark",
    "channels",
    "watch",
    "release",
    "release_service",
    "queries",
]
ON_A_CARD = ["gpu"]  # run by its name only, where there is a graphics card
chosen = [name for name in sys.argv[1:] if not name.startswith("-")] or ALL
for name in chosen:
    if name not in ALL + ON_A_CARD:
        sys.exit(f"No benchmark is called '{name}'; there are {', '.join(ALL + ON_A_CARD)}.")
for name in chosen:
    print(f"\n== {name} ==", flush=True)
    import_module(f"bench.{name}").main("--quick" not in sys.argv)
