"""Figures 1 and 2: the risk of re-identification as one group gets smaller."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.measures import MEASURES
from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber, rises
from divulge.reproduction.itpr.paper import PAPER, RECORDS, Readings, compared, groups, readings

STEPS = {True: 200, False: 20}  # tables along a figure, in full and in small
AXIS = "epsilon: records of the largest group less those of the smallest"
Found = list[tuple[float, Readings]]


@PAPER.add("figure-1", "Re-identification risk, two groups", "Figure 1, section 5")
def figure_1(conditions: Conditions) -> Findings:
    """ITPR rises to 1 as one of two groups shrinks to a record; DR stays below 0.1, and MI and CP fall.

    10,000 records in groups of a and 10,000 - a, for a from 1 to 5,000.
    """
    found = _read([(a, RECORDS - a) for a in _sizes(5000, STEPS[conditions.full], (1, 100, 1000, 2500))])
    at = dict(found)
    return Findings(
        numbers=[
            PublishedNumber("ITPR at epsilon 9,998", 1, at[9998]["ITPR"]),
            PublishedNumber(
                "ITPR at epsilon 0",
                0.07,
                at[0]["ITPR"],
                0.01,
                "0.0753: the paper cuts off where rounding gives 0.08.",
            ),
            PublishedNumber("MIL, least", 7, at[0]["MIL"], 1, "Read as H(X) - p(y) H(X|y)."),
            PublishedNumber("MIL, most", 13, at[9998]["MIL"], 1, "It is log2 of 10,000."),
            *(
                PublishedNumber(f"ITPR at epsilon {at_least:,}", None, at[at_least]["ITPR"])
                for at_least in (9800, 8000, 5000)
            ),
        ],
        claims=[
            _rises("ITPR", found),
            Claim("DR stays below 0.1.", all(read["DR"] < 0.1 for _, read in found)),
            *(_falls(name, found) for name in ("MI", "CP")),
            _rises("MIL", found),
        ],
        figures=compared("Two groups", AXIS, found),
    )


@PAPER.add("figure-2", "Re-identification risk, ten groups", "Figure 2, section 5")
def figure_2(conditions: Conditions) -> Findings:
    """The same holds with ten groups: one has a records, the others share the rest equally."""
    sizes = _sizes(1000, STEPS[conditions.full], (1, 100, 500))
    found = _read([(a, *_equally(RECORDS - a, 9)) for a in sizes])
    return Findings(
        numbers=[
            PublishedNumber(f"ITPR at epsilon {round(at):,}", None, read["ITPR"])
            for at, read in found
            if at in (0, 556, 1000, 1110)
        ],
        claims=[_rises("ITPR", found), _rises("MIL", found)],
        figures=compared("Ten groups", AXIS, found),
    )


def _read(tables: Sequence[Sequence[int]]) -> Found:
    """Epsilon and the six measures of each table, epsilon ascending."""
    found: Found = []
    for sizes in tables:
        counts = groups(sizes)
        found.append((MEASURES["class_size_difference"].compute(counts), readings(counts)))
    return sorted(found, key=lambda one: one[0])


def _equally(records: int, among: int) -> list[int]:
    """So many records in groups that differ by one at most."""
    each, more = divmod(records, among)
    return [each + (place < more) for place in range(among)]


def _sizes(most: int, steps: int, named: Sequence[int]) -> list[int]:
    """Sizes of the smallest group from one to the largest, with those that numbers are printed for."""
    even = {round(1 + step * (most - 1) / steps) for step in range(steps + 1)}
    return sorted(even | set(named) | {most})


def _rises(name: str, found: Found) -> Claim:
    return Claim(f"{name} rises with epsilon.", rises([read[name] for _, read in found]))


def _falls(name: str, found: Found) -> Claim:
    return Claim(f"{name} falls with epsilon.", rises([-read[name] for _, read in found]))
