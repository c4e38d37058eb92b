"""Small tables, and everything that can be said of them by trying all possibilities."""

import numpy as np

from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.contributions import Entries, facts
from divulge.tabulation.layout.dimensions import Dimension
from divulge.tabulation.layout.linked import LinkedTables
from divulge.tabulation.risk.rules import cell_risk
from divulge.tabulation.suppression.protecting import problem_of
from divulge.tabulation.table_policy import Protection


def dimension(name, categories, group=0):
    """Categories with a total; in groups of some size where one is given."""
    labels = [f"{name}{place}" for place in range(categories)]
    if not group:
        return Dimension.flat(name, labels)
    return Dimension.of_chains(name, [(one, f"{name}g{place // group}") for place, one in enumerate(labels)])


def entries_of(codes, amounts, *, contributor=None, weight=None):
    ones = np.ones(len(amounts), np.int64)
    who = np.arange(len(amounts)) if contributor is None else np.asarray(contributor)
    held = {name: np.asarray(one, np.int64) for name, one in codes.items()}
    stands = np.ones(len(amounts)) if weight is None else np.asarray(weight, np.float64)
    return Entries(held, who, np.asarray(amounts, np.float64), stands, ones, ones)


def counted(cells, groups=(0, 0)):
    """A table of counts from its inner cells."""
    cells = np.asarray(cells)
    names = [f"d{axis}" for axis in range(cells.ndim)]
    shape = [
        dimension(name, size, group) for name, size, group in zip(names, cells.shape, groups, strict=False)
    ]
    shape += [
        dimension(name, size) for name, size in list(zip(names, cells.shape, strict=True))[len(shape) :]
    ]
    tables = LinkedTables.of({"t": shape})
    places = np.repeat(np.stack(np.unravel_index(np.arange(cells.size), cells.shape)), cells.ravel(), axis=1)
    return made(tables, dict(zip(names, places, strict=True)), np.ones(places.shape[1]), "count")


def made(tables, codes, amounts, statistic, **more):
    entries = entries_of(codes, amounts, **more)
    value = None if statistic == "count" else "amount"
    return BuiltTables(tables, facts(tables, entries), value, statistic, (), entries)


def random_magnitudes(seed, *, negative=False, linked=False, groups=0, records=60, shape=(4, 4)):
    """A table of sums with skewed amounts; linked ones share their first attribute."""
    lots = np.random.default_rng(seed)
    a, b = dimension("a", shape[0], groups), dimension("b", shape[1])
    codes = {"a": lots.integers(0, shape[0], records), "b": lots.integers(0, shape[1], records)}
    asked = {"t": [a, b]}
    if linked:
        c = dimension("c", 3)
        codes["c"] = lots.integers(0, 3, records)
        asked["u"] = [a, c]
    amounts = np.round(lots.lognormal(3, 1.5, records)) * (lots.choice([1, -1], records) if negative else 1)
    return made(LinkedTables.of(asked), codes, amounts, "sum")


def problem(built, rules, **protection):
    asked = Protection(**protection)
    return problem_of(built, cell_risk(built.facts, rules, counts=built.counts), asked, rules.zeros)


def integer_tables(built, pattern, most):
    """All tables of whole numbers that agree with what is published, cells up to a number."""
    hidden, sums = np.flatnonzero(pattern), built.tables.sums
    inner = [cell for cell in hidden.tolist() if built.tables.inner[cell]]
    numbers = np.indices([most + 1] * len(inner)).reshape(len(inner), (most + 1) ** len(inner))
    table = np.repeat(built.facts.value[:, None], numbers.shape[1], axis=1)
    table[inner] = numbers
    left = set(hidden.tolist()) - set(inner)
    while left:  # groups from their parts
        for row in sums.by_row:
            if row[0] in left and not left & set(row[1:].tolist()):
                table[row[0]] = table[row[1:]].sum(axis=0)
                left.discard(int(row[0]))
    fits = np.ones(table.shape[1], np.bool_)
    for row in sums.by_row:
        fits &= table[row[0]] == table[row[1:]].sum(axis=0)
    return table[:, fits].T
