"""Examples 4.1 to 5.13: how exposed the whole table is, and four sets that each pass one test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber
from divulge.reproduction.release.paper import LOCATIONS, PAPER, WHOLE, as_printed, counts, histogram
from divulge.safe_release import State

MILLIONTH = 1e-6
EIGHT_DIGITS = 5e-6  # the paper prints eight digits and fills up with zeros
MERGED = "Ages with fewer than five soldiers are merged with their neighbour, as section 6 says."
Exposures = Mapping[str | None, tuple[float, float]]  # by location: exposure and critical value


@PAPER.add("example-4", "How exposed the whole table is", "Examples 4.1 to 4.3, figures 2 and 3")
def example_4(conditions: Conditions) -> Findings:
    """Ages say where a soldier serves: most of all in L2, whose soldiers are older."""
    distances = _exposures("kld", WHOLE, 0.2)
    pearson = _exposures("cst", WHOLE, 0.2)
    printed_kl = (0.047349, 0.358836, 0.013967, 0.007375, 0.010879)
    printed_pearson = (104.532750, 878.201780, 30.837391, 17.340740, 39.875054)
    return Findings(
        [
            PublishedNumber(
                "mutual information, bits", 0.063285, _exposures("mis", WHOLE, 0.2)[None][0], MILLIONTH
            ),
            *_by_location("distance, bits", printed_kl, distances),
            *_by_location(
                "Pearson's statistic", printed_pearson, pearson, tolerance=EIGHT_DIGITS, why=MERGED
            ),
        ],
        [Claim("L2 stands out most.", max(LOCATIONS, key=lambda name: distances[name][0]) == "L2")],
        [histogram("Ages by location, the whole table", WHOLE)],
    )


@PAPER.add(
    "example-5.4", "A set that passes the test of mutual information", "Examples 5.3 and 5.4, figure 6"
)
def example_5_4(conditions: Conditions) -> Findings:
    """1,490 soldiers tell as little as a random sample would; the whole table tells far more."""
    some, whole = _exposures("mis", "figure 6", 0.2)[None], _exposures("mis", WHOLE, 0.05)[None]
    return Findings(
        [
            PublishedNumber("released, bits", 0.025522, some[0], MILLIONTH),
            PublishedNumber("critical value", 0.025527, some[1], MILLIONTH),
            PublishedNumber("whole table, bits", 0.063285, whole[0], MILLIONTH),
            PublishedNumber("critical value of the whole table", 0.004448, whole[1], MILLIONTH),
        ],
        _verdicts("mis", "figure 6"),
        [histogram("Ages by location, as released", "figure 6")],
    )


@PAPER.add("example-5.8", "A set that passes the test of distances", "Examples 5.7 and 5.8, figure 8")
def example_5_8(conditions: Conditions) -> Findings:
    """Each location is held to its own critical value."""
    some, whole = _exposures("kld", "figure 8", 0.2), _exposures("kld", WHOLE, 0.05)
    return Findings(
        [
            *_by_location("distance, bits", (0.026582, 0.056478, 0.028935, 0.029818, 0.014996), some),
            *_by_location(
                "critical value", (0.026599, 0.057343, 0.028954, 0.029834, 0.015018), some, limit=True
            ),
            *_by_location(
                "critical value of the whole table",
                (0.006015, 0.009395, 0.007388, 0.006081, 0.004051),
                whole,
                limit=True,
            ),
        ],
        _verdicts("kld", "figure 8"),
        [histogram("Ages by location, as released", "figure 8")],
    )


@PAPER.add("example-5.11", "A set that passes the chi-square test", "Example 5.11, figure 9")
def example_5_11(conditions: Conditions) -> Findings:
    """Merging hides what is rare: L2 passes with soldiers of one age almost alone."""
    some, whole = _exposures("cst", "figure 9", 0.2), _exposures("cst", WHOLE, 0.05)
    released = (8.550683, 0.961415, 9.717669, 8.293681, 8.554984)
    limits = (8.558059, 1.642374, 9.803249, 11.030091, 8.558059)
    of_whole = (15.507313, 16.918978, 15.507313, 15.507313, 15.507313)
    elder = counts("figure 9")[5, 1] / counts("figure 9")[:, 1].sum()
    return Findings(
        [
            *_by_location("statistic", released, some),
            *_by_location("critical value", limits, some, limit=True),
            *_by_location("critical value of the whole table", of_whole, whole, limit=True),
        ],
        [
            *_verdicts("cst", "figure 9"),
            Claim("More than 70 % of the soldiers released at L2 are 35 to 39.", bool(elder > 0.7)),
        ],
        [histogram("Ages by location, as released", "figure 9")],
    )


@PAPER.add("example-5.13", "A set that passes Dixon's test", "Example 5.13, figure 11")
def example_5_13(conditions: Conditions) -> Findings:
    """No location stands out from the others, though all are far from the whole."""
    distances = _exposures("kld", "figure 11", 0.2)
    some, whole = _exposures("dqt", "figure 11", 0.2)[None], _exposures("dqt", WHOLE, 0.05)[None]
    smallest = min(distance for distance, _ in _exposures("kld", WHOLE, 0.05).values())
    return Findings(
        [
            *_by_location("distance, bits", (0.209188, 0.361504, 0.037932, 0.018421, 0.021103), distances),
            PublishedNumber("ratio", 0.443963, some[0], MILLIONTH),
            PublishedNumber("critical value", 0.451, some[1], 1e-3),
            PublishedNumber(
                "ratio of the whole table",
                0.886263,
                whole[0],
                MILLIONTH,
                "0.886262; the printed last digit follows from distances of six digits.",
                tolerance=1.5e-6,
            ),
            PublishedNumber("critical value of the whole table", 0.642, whole[1], 1e-3),
            PublishedNumber(
                "smallest distance of the whole table",
                0.07375,
                smallest,
                1e-5,
                "A misprint of 0.007375, which example 4.2 has; with 0.07375 the ratio would be above 1.",
            ),
        ],
        _verdicts("dqt", "figure 11"),
        [histogram("Ages by location, as released", "figure 11")],
    )


def _exposures(test: str, figure: str, alpha: float) -> Exposures:
    """Exposure and critical value, by location where a test has one for each."""
    state = State.of(as_printed(test, alpha), counts(figure))
    found: dict[str | None, tuple[float, float]] = {}
    for one in state.exposures():
        assert one.value is not None
        assert one.critical is not None
        found[None if one.target is None else str(one.target)] = (one.value, one.critical)
    return found


def _by_location(
    what: str,
    printed: Sequence[float],
    found: Exposures,
    *,
    limit: bool = False,
    tolerance: float | None = None,
    why: str = "",
) -> list[PublishedNumber]:
    return [
        PublishedNumber(f"{name}, {what}", value, found[name][int(limit)], MILLIONTH, why, tolerance)
        for name, value in zip(LOCATIONS, printed, strict=True)
    ]


def _verdicts(test: str, figure: str) -> list[Claim]:
    """The released set passes at 20 %, the whole table does not at 5 %."""
    some = State.of(as_printed(test, 0.2), counts(figure)).safe
    whole = State.of(as_printed(test, 0.05), counts(WHOLE)).safe
    return [
        Claim("The released set passes at the level 0.2.", some),
        Claim("The whole table does not pass at the level 0.05.", not whole),
    ]
