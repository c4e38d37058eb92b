"""Post-randomisation and generalization of ages, from nothing to everything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, Tabulation, rises
from divulge.reproduction.release.paper import WHOLE, counts
from divulge.reproduction.together.paper import PAPER, RISKS, FloatArray

BLIND = 0.99  # of the risk at the beginning that a measure still reads at the end, where it is called blind
SEES = 0.01  # the same at most, where it is said to see the mechanism
Strengths = Sequence[tuple[float, FloatArray]]


@PAPER.add(
    "randomised",
    "Ages released at random more and more often",
    "All papers; the 10,000 soldiers",
    caveat="Tables are those expected on average over the draws, rounded where a measure counts people.",
)
def randomised(conditions: Conditions) -> Findings:
    """Randomising ages takes what they say about locations to nothing; k, l, ITPR and DQT do not notice.

    With probability s an age is replaced by one drawn from all soldiers. At s = 1 ages say nothing.
    """
    table = counts(WHOLE).astype(np.float64)
    anyone = table.sum(axis=1, keepdims=True) / table.sum()
    steps = 20 if conditions.full else 4
    strengths = [
        (step / steps, (1 - step / steps) * table + step / steps * anyone * table.sum(axis=0))
        for step in range(steps + 1)
    ]
    return _compared(
        "share of ages drawn at random",
        strengths,
        blind=("1/k", "1/l, distinct", "ITPR"),
        falls=("DR", "t-closeness", "MIS, limit used", "KLD, limit used", "CST, limit used"),
        note="ITPR weighs a group by its size, and the few soldiers above 55 keep it high. DQT asks whether "
        "one location differs more than the others: as long as any difference is left, one does.",
    )


@PAPER.add("generalized", "Ages in wider and wider ranges", "All papers; the 10,000 soldiers")
def generalized(conditions: Conditions) -> Findings:
    """Wider ranges of age raise k and say less about locations; diversity does not notice."""
    table = counts(WHOLE).astype(np.float64)
    strengths = [(float(width), _merged(table, width)) for width in (1, 2, 5, 10)]
    return _compared(
        "ages that make up a range",
        strengths,
        blind=("1/l, distinct",),
        falls=("DR", "t-closeness", "1/k"),
        note="With fewer values the release tests have lower limits: what is left stands out "
        "more, until there is one range; these are in the table alone.",
        undrawn=tuple(name for name in RISKS if name.endswith("limit used")),
    )


def _merged(table: FloatArray, width: int) -> FloatArray:
    """Neighbouring ages made one."""
    return np.add.reduceat(table, range(0, len(table), width), axis=0)


def _compared(
    x: str,
    strengths: Strengths,
    *,
    blind: Sequence[str],
    falls: Sequence[str],
    note: str,
    undrawn: Sequence[str] = (),
) -> Findings:
    """Every measure as a share of what it read at the beginning, and which of them saw the change."""
    read = {name: [round(risk(table), 12) for _, table in strengths] for name, risk in RISKS.items()}
    left = {
        name: [value / values[0] if values[0] else 0.0 for value in values] for name, values in read.items()
    }
    still = [name for name, shares in left.items() if shares[-1] >= BLIND]
    places = [at for at, _ in strengths]
    drawn = [name for name in RISKS if name not in undrawn]
    return Findings(
        claims=[
            *(Claim(f"{name} does not see the mechanism.", name in still) for name in blind),
            *(Claim(f"{name} falls all along.", rises([-share for share in left[name]])) for name in falls),
        ],
        figures=[
            Figure(
                "Risk that is left, as each measure reads it",
                x,
                "share of the first reading",
                [
                    Curve(name, list(zip(places, shares, strict=True)))
                    for name, shares in left.items()
                    if name in drawn
                ],
            )
        ],
        tables=[
            Tabulation(
                "Which measures see the mechanism, and which agree with DR",
                ["measure", "verdict", "left", "rises while DR falls", "first", "last"],
                [
                    [name, *_verdict(left[name], left["DR"]), values[0], values[-1]]
                    for name, values in read.items()
                ],
            ),
            Tabulation(
                "Readings",
                [x, *RISKS],
                [[at, *(read[name][place] for name in RISKS)] for place, at in enumerate(places)],
            ),
        ],
        notes=[
            f"Blind to this mechanism: {', '.join(still) or 'none'}. Higher is riskier throughout; k and l "
            "stand as one over themselves. The attacker's gain is the share of their error before the "
            "release that the release takes away.",
            note,
        ],
    )


def _verdict(left: Sequence[float], reference: Sequence[float]) -> tuple[str, str, str]:
    """Whether a change is seen, what is left of the risk, and in how many steps it goes the other way."""
    both = list(zip(pairwise(left), pairwise(reference), strict=True))
    against = sum(one < other and before > after for (one, other), (before, after) in both)
    seen = "blind" if left[-1] >= BLIND else "sees it" if left[-1] <= SEES else "sees a part"
    agrees = seen == "sees it" and not against
    return f"{seen}, agrees" if agrees else seen, f"{left[-1]:.0%}", f"{against} of {len(both)} steps"
