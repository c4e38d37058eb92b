"""Synthetic records drawn from noisy marginals, under differential privacy."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.synthesis.domains import DOMAINS, check_cells, private_codes
from divulge.mechanisms.synthesis.private_counts import EPSILON
from divulge.mechanisms.synthesis.private_noise import noisy_choice, noisy_counts
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes, narrow

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_CHANGE = 2  # by how much one record can change a score: 1, and what rounding may add


class _Edge(NamedTuple):
    parent: int
    child: int


@by_table(
    name="private_records",
    title="Synthetic records under differential privacy",
    random=True,
    seeded=False,
    takes="few values",
    keeps_rows=False,
    parameters=(
        EPSILON,
        DOMAINS,
        Parameter(
            "records",
            "whole number",
            "How many to make. Default: about as many as there were.",
            None,
            least=1,
        ),
    ),
    promises=lambda step: (Promise("epsilon", step["epsilon"], ", ".join(step.attributes)),),
    promise="epsilon: differential privacy for the presence of one record",
    example="epsilon = 3, four attributes: 1 for their frequencies, 1 to choose three pairs, 1 for those",
    reference="mckenna2021",
)
def private_records(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Make records from noisy frequencies of single attributes and of pairs that depend most on each other.

    A third of epsilon goes to the frequencies of each attribute, a third to choose pairs that join all
    attributes (those whose frequencies differ most from independence), a third to the frequencies of these
    pairs. Records are drawn from the tree that the pairs make. Domains have to be public. No seed repeats
    the noise.
    """
    held = [private_codes(table, name, step) for name in step.attributes]
    codes, sizes = [one for one, _ in held], [len(values) for _, values in held]
    several = len(codes) > 1
    part = step["epsilon"] / (3 if several else 1)
    singles = [
        _shares(_counted(one, size, part / len(codes))) for one, size in zip(codes, sizes, strict=True)
    ]
    total = max(1.0, float(np.mean([weight for _, weight in singles])))
    tree = _tree(codes, sizes, [share for share, _ in singles], total, part, step) if several else []
    pairs = {edge: _pair(codes, sizes, edge, part / len(tree)) for edge in tree}
    made = _drawn(singles[0][0], pairs, step["records"] or round(total), draws, len(codes))
    columns = {
        name: Codes(narrow(made[place] + 1, sizes[place]), held[place][1])
        for place, name in enumerate(step.attributes)
    }
    return WorkingTable(columns, None, table.mark)


def _counted(codes: Integers, size: int, epsilon: float) -> Floats:
    noisy, _ = noisy_counts(np.bincount(codes, minlength=size).tolist(), epsilon)
    return np.maximum(np.asarray(noisy, np.float64), 0)


def _shares(counts: Floats) -> tuple[Floats, float]:
    """Counts as shares of their sum, evenly spread where noise left nothing; and the sum."""
    total = float(counts.sum())
    return (counts / total if total > 0 else np.full(len(counts), 1 / len(counts))), total


def _tree(
    codes: list[Integers], sizes: list[int], shares: list[Floats], total: float, epsilon: float, step: Step
) -> list[_Edge]:
    """Pairs that join all attributes, chosen one after the other among those that reach a new attribute."""
    scores = {}
    for one, other in combinations(range(len(codes)), 2):
        check_cells([sizes[one], sizes[other]], step)
        joint = np.bincount(codes[one] * sizes[other] + codes[other], minlength=sizes[one] * sizes[other])
        apart = np.abs(joint - total * np.outer(shares[one], shares[other]).ravel()).sum()
        scores[one, other] = scores[other, one] = int(apart)
    reached, tree = [0], list[_Edge]()
    while len(reached) < len(codes):
        open_ = [_Edge(a, b) for a in reached for b in range(len(codes)) if b not in reached]
        chosen, _ = noisy_choice([scores[edge] for edge in open_], _CHANGE, epsilon / (len(codes) - 1))
        tree.append(open_[chosen])
        reached.append(open_[chosen].child)
    return tree


def _pair(codes: list[Integers], sizes: list[int], edge: _Edge, epsilon: float) -> Floats:
    """p(child | parent) from noisy counts of a pair."""
    width = sizes[edge.child]
    joint = _counted(codes[edge.parent] * width + codes[edge.child], sizes[edge.parent] * width, epsilon)
    rows = joint.reshape(-1, width)
    overall, _ = _shares(rows.sum(axis=0))
    sums = rows.sum(axis=1, keepdims=True)
    return np.where(sums > 0, rows / np.where(sums > 0, sums, 1), overall)


def _drawn(
    first: Floats, pairs: dict[_Edge, Floats], records: int, draws: Draws, attributes: int
) -> list[Integers]:
    rows = np.arange(records)
    made: list[Integers] = [np.empty(0, np.int64)] * attributes
    made[0] = np.minimum(
        np.searchsorted(np.cumsum(first), draws.uniforms("0", rows), side="right"), len(first) - 1
    )
    for edge, conditional in pairs.items():
        sums = np.cumsum(conditional, axis=1)[made[edge.parent]]
        places = (sums <= draws.uniforms(str(edge.child), rows)[:, None]).sum(axis=1)
        made[edge.child] = np.minimum(places, conditional.shape[1] - 1)
    return made
