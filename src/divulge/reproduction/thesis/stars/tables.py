"""Tables 3.6, 4.10 and 5.5: which measure handles what, by runs instead of judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from divulge.reproduction.experiment import Conditions, Findings, PublishedNumber, Tabulation
from divulge.reproduction.thesis.paper import PAPER
from divulge.reproduction.thesis.stars.criteria import StarCheck, checks
from divulge.reproduction.thesis.stars.readings import READINGS, read_risk

CRITERIA = ("Link with re-id", "Granularity", "Analytical", "Generality", "Appl/Scal")
#: Stars of table 5.5 by criterion, in the order above; tables 3.6 and 4.10 have the first eight and nine.
PRINTED = {
    "k-anonymity": (1, 0, 1, 1, 1),
    "epsilon": (0, 0, 2, 0, 0),
    "Simple U": (2, 1, 0, 0, 1),
    "Special U": (2, 2, 0, 1, 1),
    "D-b linkage": (1, 3, 0, 2, 0),
    "Itv linkage": (1, 3, 0, 2, 0),
    "Prob linkage": (1, 3, 0, 2, 0),
    "O record linkage": (1, 3, 0, 3, 0),
    "DR": (2, 3, 2, 2, 1),
    "SeDR": (2, 3, 2, 3, 1),
}
FIRST = {**PRINTED, "k-anonymity": (1, 1, 1, 0, 1)}  # as table 3.6 prints it
WHY = {
    "Link with re-id": "The share of people who are linked rises with those at risk. The thesis takes a "
    "star away because that depends on the chosen distance or model.",
    "Granularity": "It can be read of any attributes and of the records with a value. The thesis counts "
    "what it is usually read of.",
    "Analytical": "It is a function of how many records share which values, or of ranks. The thesis calls "
    "every count of records empirical.",
    "Generality": "It tells recoded names apart as it does recoded numbers.",
    "Appl/Scal": "It needs more than the release.",
}
#: Where the reason is the measure's own.
WHY_OF = {
    (
        "D-b linkage",
        "Analytical",
    ): "Renamed values change distances, as the thesis says; merged groups never read higher here.",
    ("Itv linkage", "Granularity"): "With more attributes fewer records are near on all of them, so that a "
    "risk of attributes together is not seen.",
    ("Itv linkage", "Generality"): "It needs numbers.",
    ("O record linkage", "Generality"): "It needs an order, which names do not have.",
}
CAVEAT = (
    "Which run stands for which star is ours: the thesis gives stars by judgement and defines the criteria "
    "in words. Each star is a pair of small releases, and is given where the risk that is there reads higher."
)
MERGES = {True: 6, False: 2}  # ways to merge groups that are tried, in full and in small
Outcome = tuple[StarCheck, Sequence[tuple[float | None, float | None]], bool]


@PAPER.add("table-3.6", "Measures of disclosure risk, by runs", "Table 3.6, section 3.6", caveat=CAVEAT)
def table_3_6(conditions: Conditions) -> Findings:
    """Eight measures against five criteria: stars by runs beside the printed ones."""
    return _findings("3.6", {name: FIRST[name] for name in [*FIRST][:8]}, conditions)


@PAPER.add(
    "table-4.10", "Measures of disclosure risk and DR, by runs", "Table 4.10, section 4.8", caveat=CAVEAT
)
def table_4_10(conditions: Conditions) -> Findings:
    """The discrimination rate has every star but that for tables without common values."""
    return _findings("4.10", {name: PRINTED[name] for name in [*PRINTED][:9]}, conditions)


@PAPER.add(
    "table-5.5", "Measures of disclosure risk, DR and SeDR, by runs", "Table 5.5, section 5.5", caveat=CAVEAT
)
def table_5_5(conditions: Conditions) -> Findings:
    """The semantic discrimination rate has every star."""
    return _findings("5.5", PRINTED, conditions)


def stars(name: str, criterion: str, conditions: Conditions) -> int:
    """How many stars of a criterion the runs give a measure."""
    found = _outcomes(name, conditions.seed, MERGES[conditions.full])
    return sum(passed for check, _, passed in found if check.criterion == criterion)


@lru_cache(maxsize=32)
def _outcomes(name: str, seed: int, merges: int) -> tuple[Outcome, ...]:
    """Every check on one measure: its readings, and whether they lie as they have to."""
    every = checks(seed, merges)
    distinct = {id(one): one for check in every for pair in check.pairs for one in pair}
    read = {number: read_risk(name, one) for number, one in distinct.items()}
    found: list[Outcome] = []
    for check in every:
        pairs = [(read[id(one)], read[id(other)]) for one, other in check.pairs]
        passed = all(
            one is not None and other is not None and check.compare(one, other) for one, other in pairs
        )
        found.append((check, pairs, passed))
    return tuple(found)


def _findings(table: str, printed: Mapping[str, Sequence[int]], conditions: Conditions) -> Findings:
    numbers = [
        PublishedNumber(
            f"{name}, {criterion}",
            many,
            ours := stars(name, criterion, conditions),
            1,
            "" if ours == many else WHY_OF.get((name, criterion), WHY[criterion]),
            tolerance=0,
        )
        for name, each in printed.items()
        for criterion, many in zip(CRITERIA, each, strict=True)
    ]
    merges = MERGES[conditions.full]
    outcomes = {name: _outcomes(name, conditions.seed, merges) for name in READINGS if name in printed}
    asked = [check.asks for check in checks(conditions.seed, merges)]
    return Findings(
        numbers,
        tables=[
            _both(printed, conditions),
            Tabulation(
                "What each measure tells apart",
                ["", *outcomes],
                [
                    [asks, *("★" if some[place][2] else "☆" for some in outcomes.values())]
                    for place, asks in enumerate(asked)
                ],
            ),
            Tabulation(
                "Readings where the risk is there, and where it is not (the last pair of each run)",
                ["", *outcomes],
                [
                    [asks, *(_beside(some[place][1][-1]) for some in outcomes.values())]
                    for place, asks in enumerate(asked)
                ],
            ),
        ],
        notes=[f"Table {table} of the thesis. Higher is riskier; k-anonymity stands as 1/k."],
    )


def _both(printed: Mapping[str, Sequence[int]], conditions: Conditions) -> Tabulation:
    """The stars as the thesis draws them, and as runs give them."""
    every = [check.criterion for check in checks(conditions.seed, MERGES[conditions.full])]

    def drawn(many: int, criterion: str) -> str:
        return "★" * many + "☆" * (every.count(criterion) - many)

    rows = [
        [
            name,
            *(
                f"{drawn(many, criterion)} / {drawn(stars(name, criterion, conditions), criterion)}"
                for criterion, many in zip(CRITERIA, each, strict=True)
            ),
        ]
        for name, each in printed.items()
    ]
    return Tabulation("Stars, printed / by runs", ["measure", *CRITERIA], rows)


def _beside(pair: tuple[float | None, float | None]) -> str:
    return " / ".join("none" if one is None else f"{one:.2g}" for one in pair)
