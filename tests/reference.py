"""The plainest implementation that is right: dictionaries, loops over rows, fractions.

Written from the formulas and not from divulge's code, which it shares nothing with but the names of the
measures. Rows are dictionaries; a class is the tuple of its key values; missing is None.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

RECORD = "@record"


class NoValue(Exception):
    """The measure is undefined here."""


def meaning(value: Any) -> Any:
    """What a value counts as: NaN is missing, -0.0 is 0.0, and True is not 1."""
    if value is None or value != value:
        return None
    return ("truth", value) if isinstance(value, bool) else value


@dataclass(frozen=True)
class Hierarchy:
    """For each value its groups from level 1 up to the root, all chains equally long."""

    chains: Mapping[object, tuple[str, ...]]

    def apart(self, one: object, other: object) -> Fraction:
        """The level of the nearest common ancestor over the height; missing hangs from the root alone."""
        if one == other:
            return Fraction(0)
        if one is None or other is None:
            return Fraction(1)
        height = len(self.chains[one])
        levels = zip(self.chains[one], self.chains[other], strict=True)
        return Fraction(next(level for level, (a, b) in enumerate(levels, 1) if a == b), height)


@dataclass
class Joint:
    """Weights by class and target value, and what else the measures ask for."""

    cells: dict[tuple, dict[object, Fraction]]
    size: dict[tuple, int]  # records of each class
    people: dict[tuple, int]
    own: dict[tuple, int]  # records whose keys are exactly the class's
    margin: dict[object, Fraction]
    records: dict[tuple, dict[object, int]]  # by class and target value, whatever they weigh
    about_records: bool = False
    overlapping: bool = False
    order: Sequence[object] | None = None
    hierarchy: Hierarchy | None = None

    @property
    def weight(self) -> Fraction:
        return sum(self.margin.values(), Fraction(0))

    def p(self, y: tuple) -> Fraction:
        """p(y)."""
        return sum(self.cells[y].values(), Fraction(0)) / self.weight

    def given(self, y: tuple) -> dict[object, Fraction]:
        """p(x|y) of the values that occur in the class."""
        n = sum(self.cells[y].values(), Fraction(0))
        return {x: c / n for x, c in self.cells[y].items()}

    @property
    def overall(self) -> dict[object, Fraction]:
        """p(x)."""
        return {x: t / self.weight for x, t in self.margin.items()}


def joint(
    rows: Sequence[Mapping[str, Any]],
    keys: Sequence[str],
    target: str = RECORD,
    *,
    weights: str | None = None,
    identifiers: Sequence[str] = (),
    missing: str = "value",
    suppressed: str | None = "*",
    partitions: Mapping[str, Mapping[Any, str]] | None = None,
    order: Sequence[object] | None = None,
    hierarchy: Hierarchy | None = None,
) -> Joint:
    """Count the rows; ``partitions`` give each value of an attribute the name of its domain."""

    def value(row: Mapping[str, Any], attribute: str) -> Any:
        found = meaning(row[attribute])
        if not partitions or attribute not in partitions:
            return found
        # A domain that lists the empty text takes in what is missing.
        return partitions[attribute].get("") if found is None else partitions[attribute][found]

    counted = []
    for number, row in enumerate(rows):
        if suppressed is not None and all(row[key] == suppressed for key in keys):
            continue
        y = tuple(value(row, key) for key in keys)
        person = tuple(meaning(row[i]) for i in identifiers) if identifiers else number
        x = person if target == RECORD else value(row, target)
        needed = [*keys, *([] if target == RECORD else [target])]
        if missing == "drop" and any(meaning(row[attribute]) is None for attribute in needed):
            continue
        counted.append((y, x, person, Fraction(1 if weights is None else row[weights])))

    patterns = {y for y, *_ in counted}
    cells: dict[tuple, dict] = {y: defaultdict(Fraction) for y in patterns}
    records: dict[tuple, dict] = {y: defaultdict(int) for y in patterns}
    size, people = dict.fromkeys(patterns, 0), {y: set() for y in patterns}
    own, margin = {y: set() for y in patterns}, defaultdict(Fraction)
    for number, (y, x, person, weight) in enumerate(counted):
        margin[x] += weight
        own[y].add(number)
        for other in patterns if missing == "wildcard" else [y]:
            if all(a is None or b is None or a == b for a, b in zip(y, other, strict=True)) or y == other:
                cells[other][x] += weight
                records[other][x] += 1
                size[other] += 1
                people[other].add(person)
    return Joint(
        {y: dict(c) for y, c in cells.items()},
        size,
        {y: len(p) for y, p in people.items()},
        {y: len(p) for y, p in own.items()},
        dict(margin),
        {y: dict(c) for y, c in records.items()},
        about_records=target == RECORD,
        overlapping=missing == "wildcard" and any(None in y for y in patterns),
        order=order,
        hierarchy=hierarchy,
    )


# -- arithmetic ------------------------------------------------------------------------------------


def entropy_of(shares: Mapping[object, Fraction]) -> float:
    """H in bits."""
    return math.fsum(-float(p) * math.log2(p) for p in shares.values() if p > 0)


def transport(p: Mapping, q: Mapping, apart: Callable[[Any, Any], Fraction]) -> Fraction:
    """The least work that turns p into q: successive shortest paths, in fractions, so exact."""
    values = list({**p, **q})
    supply = [p.get(v, Fraction(0)) for v in values]
    demand = [q.get(v, Fraction(0)) for v in values]
    cost = [[apart(a, b) for b in values] for a in values]
    n = len(values)
    flow = [[Fraction(0)] * n for _ in range(n)]
    while any(s > 0 for s in supply):
        # Bellman-Ford from all supplies; nodes 0..n-1 send and n..2n-1 receive.
        distance = [Fraction(0) if s > 0 else None for s in supply] + [None] * n
        before: list[int | None] = [None] * (2 * n)
        for _ in range(2 * n):
            changed = False
            for i in range(n):
                for j in range(n):
                    there = distance[i]
                    if there is not None and _shorter(there + cost[i][j], distance[n + j]):
                        distance[n + j], before[n + j], changed = there + cost[i][j], i, True
                    back = distance[n + j]
                    if back is not None and flow[i][j] > 0 and _shorter(back - cost[i][j], distance[i]):
                        distance[i], before[i], changed = back - cost[i][j], n + j, True
            if not changed:
                break
        end = min((n + j for j in range(n) if demand[j] > 0), key=lambda node: distance[node])
        path = [end]
        while before[path[-1]] is not None:
            path.append(before[path[-1]])
        path.reverse()
        amount = min(supply[path[0]], demand[end - n])
        for a, b in pairwise(path):
            if a >= n:
                amount = min(amount, flow[b][a - n])
        for a, b in pairwise(path):
            if a < n:
                flow[a][b - n] += amount
            else:
                flow[b][a - n] -= amount
        supply[path[0]] -= amount
        demand[end - n] -= amount
    return sum((flow[i][j] * cost[i][j] for i in range(n) for j in range(n)), Fraction(0))


def _shorter(one: Fraction, other: Fraction | None) -> bool:
    return other is None or one < other


# -- by class --------------------------------------------------------------------------------------

ByClass = dict[tuple, float]


def _informed(table: Joint) -> float:
    """H(X), which rates are taken over."""
    h = entropy_of(table.overall)
    if h == 0:
        raise NoValue("constant target")
    return h


def _left(table: Joint, y: tuple) -> float:
    return float(table.p(y)) * entropy_of(table.given(y))


def _grounded(table: Joint, ground: str) -> Callable[[Any, Any], Fraction]:
    if ground == "equal" or len(table.margin) == 1:
        return lambda a, b: Fraction(a != b)
    if ground == "ordered":
        if table.order is None:
            raise NoValue("no order")
        rank: dict[object, int] = {}
        for x in (x for x in table.order if x in table.margin):
            last = next(reversed(rank), None)
            rank[x] = 0 if last is None else rank[last] + (not _same_number(last, x))
        return lambda a, b: Fraction(abs(rank[a] - rank[b]), max(rank.values()) or 1)
    if table.hierarchy is None:
        raise NoValue("no hierarchy")
    return table.hierarchy.apart


def _same_number(one: Any, other: Any) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _distance(table: Joint, y: tuple, ground: str) -> float:
    return float(transport(table.given(y), table.overall, _grounded(table, ground)))


def _divergence(table: Joint, y: tuple) -> float:
    return math.fsum(float(p) * math.log2(p / table.overall[x]) for x, p in table.given(y).items())


def _disclosure(table: Joint, y: tuple) -> float:
    given = table.given(y)
    if set(given) != set(table.margin):
        return math.inf
    return max(abs(math.log2(given[x] / table.overall[x])) for x in given)


def _gain(table: Joint, y: tuple, enhanced: bool) -> float:
    worst = Fraction(0)
    for x, p in table.given(y).items():
        gain = (p - table.overall[x]) / table.overall[x]
        if enhanced and gain > 0 and float(gain) > -math.log(table.overall[x]):
            return math.inf
        worst = max(worst, gain)
    return float(worst)


def _difference(table: Joint, y: tuple) -> float:
    cells = table.records[y]
    return float(max(cells.values()) - (min(cells.values()) if set(cells) == set(table.margin) else 0))


def _dominance(table: Joint, y: tuple, l: int) -> float:
    r = sorted(table.cells[y].values(), reverse=True)
    return float(r[0] / sum(r[l - 1 :])) if len(r) >= l else math.inf


def by_class(name: str, table: Joint, **parameters: Any) -> ByClass:
    """The value of every class; raises NoValue where the measure has no value level."""
    _check(name, table)
    t = table
    given = parameters
    found: dict[str, Callable[[tuple], float]] = {
        "conditional_entropy": lambda y: entropy_of(t.given(y)),
        "normalized_conditional_entropy": lambda y: entropy_of(t.given(y)) / _informed(t),
        "discrimination_rate": lambda y: 1 - _left(t, y) / _informed(t),
        "itpr": lambda y: 1 - len(t.cells) * _left(t, y) / _informed(t),
        "maximum_information_leakage": lambda y: entropy_of(t.overall) - _left(t, y),
        "entropy_drop": lambda y: entropy_of(t.overall) - entropy_of(t.given(y)),
        "normalized_entropy_drop": lambda y: 1 - entropy_of(t.given(y)) / _informed(t),
        "occurrence_difference": lambda y: _difference(t, y),
        "entropy_l_diversity_risk": lambda y: 2 ** -entropy_of(t.given(y)),
        "kl_closeness": lambda y: _divergence(t, y),
        "worst_posterior": lambda y: float(max(t.given(y).values())),
        "best_attacker_error": lambda y: 1 - float(max(t.given(y).values())),
        "attacker_error": lambda y: 1 - float(max(t.given(y).values())),
        "k_anonymity": lambda y: t.people[y],
        "uniqueness": lambda y: int(t.people[y] == 1),
        "reidentification_risk": lambda y: 1 / t.people[y],
        "distinct_l_diversity": lambda y: len(t.cells[y]),
        "entropy_l_diversity": lambda y: 2 ** entropy_of(t.given(y)),
        "recursive_cl_diversity": lambda y: _dominance(t, y, given.get("l", 2)),
        "alpha_k_anonymity": lambda y: float(max(t.given(y).values())),
        "t_closeness": lambda y: _distance(t, y, given.get("ground", "equal")),
        "delta_disclosure": lambda y: _disclosure(t, y),
        "beta_likeness": lambda y: _gain(t, y, given.get("enhanced", False)),
    }
    if name not in found:
        raise NoValue("a property of the whole table")
    return {y: found[name](y) for y in table.cells}


# -- the whole table -------------------------------------------------------------------------------

#: Measures that compare target values, which @record has no use for.
COMPARING = {
    *("distinct_l_diversity", "entropy_l_diversity", "recursive_cl_diversity", "alpha_k_anonymity"),
    *("t_closeness", "delta_disclosure", "beta_likeness", "occurrence_difference"),
}
#: Measures that need classes which share out the records.
SHARING = {
    *("attacker_error", "best_attacker_error"),
    *("entropy", "conditional_entropy", "normalized_conditional_entropy", "mutual_information"),
    *("conditional_privacy", "discrimination_rate", "itpr", "maximum_information_leakage"),
    *("average_class_size", "entropy_drop", "normalized_entropy_drop", "occurrence_difference"),
}
#: Measures that are the least, or else the greatest, of their classes' values.
LEAST = {"k_anonymity", "distinct_l_diversity", "entropy_l_diversity"}
GREATEST = {
    *("itpr", "maximum_information_leakage", "entropy_l_diversity_risk", "kl_closeness", "worst_posterior"),
    *("entropy_drop", "normalized_entropy_drop", "occurrence_difference"),
    *("recursive_cl_diversity", "alpha_k_anonymity", "t_closeness", "delta_disclosure", "beta_likeness"),
}


def measure(name: str, table: Joint, **parameters: Any) -> float:
    """The measure's value; raises NoValue where it has none."""
    _check(name, table)
    if name in LEAST:
        return min(by_class(name, table, **parameters).values())
    if name in GREATEST:
        return max(by_class(name, table, **parameters).values())
    everyone = sum(table.own.values())
    h = entropy_of(table.overall)
    remaining = math.fsum(_left(table, y) for y in table.cells)
    if name == "entropy":
        return h
    if name == "conditional_entropy":
        return remaining
    if name == "normalized_conditional_entropy":
        return remaining / _informed(table)
    if name == "mutual_information":
        return h - remaining
    if name == "conditional_privacy":
        return 1 - 2 ** -(h - remaining)
    if name == "discrimination_rate":
        return 1 - remaining / _informed(table)
    if name == "best_attacker_error" or parameters.get("kind") == "worst":
        errors = by_class(name, table).values()
        return max(errors) if name == "best_attacker_error" else min(errors)
    if name == "attacker_error":
        right = sum(max(cells.values()) for cells in table.cells.values())
        return float(1 - right / sum(sum(cells.values()) for cells in table.cells.values()))
    if name == "class_size_difference":
        return max(table.people[y] for y in table.cells) - min(table.people[y] for y in table.cells)
    if name == "class_count":
        return len(table.cells)
    if name == "average_class_size":
        return everyone / len(table.cells)
    if name == "uniqueness":
        return sum(table.own[y] for y in table.cells if table.people[y] == 1) / everyone
    if name == "reidentification_risk":
        risks = {y: Fraction(1, table.people[y]) for y in table.cells}
        if parameters.get("kind", "highest") == "highest":
            return float(max(risks.values()))
        return float(sum(table.own[y] * risk for y, risk in risks.items()) / everyone)
    raise KeyError(name)


def _check(name: str, table: Joint) -> None:
    if table.about_records and name in COMPARING:
        raise NoValue("@record has no values to compare")
    if table.overlapping and name in SHARING:
        raise NoValue("classes overlap")


def identifier_class(table: Joint) -> str:
    """Definitions 10 to 13 of the thesis, in fractions."""
    _informed(table)
    single = [len(cells) == 1 for cells in table.cells.values()]
    if all(single):
        return "identifier"
    if all(table.given(y) == table.overall for y in table.cells):
        return "zero identifier"
    return "partial identifier" if any(single) else "sketchy identifier"
