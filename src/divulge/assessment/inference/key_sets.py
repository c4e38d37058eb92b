"""Which sets of keys are asked for what they tell: all together, each alone, and each two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from divulge.assessment.scope import Scope

PAIRED = 12  # keys of which every two are asked together
ELSEWHERE = 30  # key sets asked where each is a job on a cluster


def key_sets(scope: Scope, keys: Sequence[str]) -> tuple[list[tuple[str, ...]], str | None]:
    """The key sets, all keys first, and what was not asked, in words."""
    alone = [(key,) for key in keys]
    paired = keys
    if len(keys) > PAIRED:
        paired = sorted(keys, key=lambda key: scope.data.summary(key).distinct)[:PAIRED]
    pairs = list(combinations([key for key in keys if key in paired], 2))
    found = list(dict.fromkeys([tuple(keys), *alone, *pairs]))
    if scope.rows is None and scope.data.subset_search is None and len(found) > ELSEWHERE:
        return found[:ELSEWHERE], "some pairs of quasi-identifiers, which are counted where the records are"
    if len(keys) > PAIRED:
        return found, f"pairs of quasi-identifiers beyond the {PAIRED} with fewest values"
    return found, None
