"""All benchmarks, one after the other: python -m bench [--quick] [name ...]."""

from __future__ import annotations

import sys

from bench import (
    anonymize,
    audit,
    channels,
    compare,
    explore,
    first_run,
    high_cardinality,
    linkage,
    low_cardinality,
    mechanisms,
    out_of_core,
    peers,
    release,
    release_service,
    scale_classes,
    scale_postgresql,
    scale_spark,
    scale_wide,
    special_uniques,
    subsets,
    tables,
    watch,
    wide,
)

ALL = {
    "low_cardinality": low_cardinality,
    "high_cardinality": high_cardinality,
    "wide": wide,
    "subsets": subsets,
    "special_uniques": special_uniques,
    "linkage": linkage,
    "mechanisms": mechanisms,
    "anonymize": anonymize,
    "tables": tables,
    "audit": audit,
    "compare": compare,
    "explore": explore,
    "peers": peers,
    "first_run": first_run,
    "out_of_core": out_of_core,
    "scale_wide": scale_wide,
    "scale_classes": scale_classes,
    "scale_postgresql": scale_postgresql,
    "scale_spark": scale_spark,
    "channels": channels,
    "watch": watch,
    "release": release,
    "release_service": release_service,
}
chosen = [name for name in sys.argv[1:] if not name.startswith("-")] or list(ALL)
for name in chosen:
    if name not in ALL:
        sys.exit(f"No benchmark is called '{name}'; there are {', '.join(ALL)}.")
for name in chosen:
    print(f"\n== {name} ==", flush=True)
    ALL[name].main("--quick" not in sys.argv)
